import type { SandboxErrorCode, SandboxLimits } from './driver.ts';

/** What the suites that every driver must pass have in common. */

const MIB = 1024 * 1024;

/** Small, so that an attack reaches them soon. */
export const TEST_LIMITS: SandboxLimits = {
  cpus: 1,
  memoryBytes: 96 * MIB,
  processes: 96,
  diskBytes: 16 * MIB,
  maxExecMs: 8_000,
  maxOutputBytes: 64 * 1024,
};

/** The code a call was refused with. */
export const refusal = (promise: Promise<unknown>): Promise<SandboxErrorCode | 'none'> =>
  promise.then(
    () => 'none' as const,
    (error: { code: SandboxErrorCode }) => error.code,
  );
