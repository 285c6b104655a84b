import { afterAll } from 'vitest';
import { describeAttacks } from '../../../test/support/sandbox/attacks.ts';
import { BwrapDriver } from './bwrap.ts';

const drivers = (['auto', 'off'] as const).map((controlGroups) => {
  const installationId = `test-attacks-${process.pid}-${controlGroups}`;
  return new BwrapDriver({ installationId, controlGroups });
});
afterAll(() => {
  for (const driver of drivers) driver.forget();
});

describeAttacks('bwrap', () => drivers[0]!);
describeAttacks('bwrap without control groups', () => drivers[1]!);
