import type { ExecResult, Sandbox, SandboxErrorCode, SandboxLimits } from '../../../src/sandbox/driver.ts';

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
  maxStreamBytes: 2 * MIB,
  background: 4,
};

/** The code a call was refused with. */
export const refusal = (promise: Promise<unknown>): Promise<SandboxErrorCode | 'none'> =>
  promise.then(
    () => 'none' as const,
    (error: { code: SandboxErrorCode }) => error.code,
  );

/** The one that builds the agent; attacks are compiled with it too. */
export const COMPILER = 'cc';

/** Where an attack takes place. */
export interface Arena {
  /** A sandbox of its own for one attack, with the attacks at `/workspace/attack`. */
  enter(limits?: Partial<SandboxLimits>): Promise<Sandbox>;
  /** Runs a command there, and checks that sandbox and neighbour answer afterwards. */
  attack(box: Sandbox, command: string, timeoutMs?: number): Promise<ExecResult>;
  neighbour(): Sandbox;
}

const WAIT_MS = 10_000;

/** Asks again and again; that what is waited for never comes is a failure of its own. */
export async function until(what: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + WAIT_MS; !(await what()); ) {
    if (performance.now() > end) throw new Error('What was waited for did not come.');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
