import { expect, test } from 'vitest';
import { roleJobs } from './company.ts';
import { createLog, type Hosts } from './platform/index.ts';

test('a role that no server has is told of in the log, and what nobody does', async () => {
  const told: unknown[] = [];
  const log = { ...createLog('silent'), warn: (...said: unknown[]) => void told.push(said) } as never;
  const jobsFor = (missingRoles: string[]) => roleJobs({ hosts: { missingRoles } as unknown as Hosts, log });
  await jobsFor([])[0]?.run();
  expect(told).toEqual([]);
  await jobsFor(['gate'])[0]?.run();
  expect(told).toEqual([
    [{ role: 'gate' }, expect.stringMatching(/no server has the role gate, which judges .* ROLES/)],
  ]);
});
