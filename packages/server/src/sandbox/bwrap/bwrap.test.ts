import { afterAll } from 'vitest';
import { describeDriver } from '../../../test/support/sandbox/conformance.ts';
import { BwrapDriver } from './bwrap.ts';

const drivers = (['auto', 'off'] as const).map((controlGroups) => {
  const installationId = `test-conformance-${process.pid}-${controlGroups}`;
  return new BwrapDriver({ installationId, controlGroups });
});
afterAll(() => {
  for (const driver of drivers) driver.forget();
});

describeDriver('bwrap', () => drivers[0]!);
describeDriver('bwrap without control groups', () => drivers[1]!);
