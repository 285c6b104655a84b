import { expect } from 'vitest';
import type { SandboxDriver } from '../../../src/sandbox/index.ts';
import { TEST_LIMITS } from './limits.ts';

/** What a driver says that cannot start a sandbox. */
export async function whyRefused(driver: SandboxDriver): Promise<string> {
  const error = await driver.create('refused', TEST_LIMITS).then(
    async (box) => {
      await box.destroy();
      return { code: 'none', message: 'it was started' };
    },
    (cause: { code: string; message: string }) => cause,
  );
  expect(error).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  return error.message;
}
