import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { BwrapDriver } from './bwrap.ts';
import { Cgroup } from './cgroup.ts';

const driver = new BwrapDriver({ installationId: `test-teardown-${process.pid}` });
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await driver.reclaim();
  driver.forget();
});

// An unhandled rejection would fail this file, as it would stop the server.
it('says by destroy, and by nothing else, that a sandbox could not be cleared away', async () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const sandbox = await driver.create('stuck', TEST_LIMITS);
  const stuck = vi.spyOn(Cgroup.prototype, 'destroy').mockRejectedValue(new Error('processes did not end'));
  const outcome = await sandbox.destroy().then(
    () => 'ended',
    (error: Error) => error.message,
  );
  // Where there are no control groups there is nothing that could fail.
  expect(outcome).toBe(stuck.mock.calls.length > 0 ? 'processes did not end' : 'ended');
  await sandbox.exec({ command: 'true' }).catch(() => undefined);
  stuck.mockRestore();
  await sandbox.destroy();
  await sandbox.closed;
  expect(warned).not.toHaveBeenCalled();
});
