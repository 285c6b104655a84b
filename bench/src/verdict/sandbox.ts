import { createSandboxDriver, DEFAULT_LIMITS, type Sandbox, Sandboxes } from '@agora/server/sandbox';
import { archiveOf, type Tree } from './tree.ts';

/** Where projects run: sandboxes as the server's gate has them. */
export interface Bench {
  open(): Promise<Sandbox>;
  close(): Promise<void>;
}

export async function openBench(warm: number): Promise<Bench> {
  const driver = createSandboxDriver({ driver: 'bwrap', installationId: `verdict-${process.pid}` });
  const probe = await driver.probe();
  if (!probe.available) throw new Error(probe.reason);
  const clock = { now: () => new Date() };
  const sandboxes = new Sandboxes({ driver, clock, limits: DEFAULT_LIMITS, lifetimeMs: 900_000, warm });
  let opened = 0;
  return {
    open: async () => (await sandboxes.create(`verdict-${++opened}`)).sandbox,
    async close() {
      await sandboxes.destroyAll();
      await driver.reclaim();
      driver.forget?.();
    },
  };
}

export interface Ended {
  passed: boolean;
  timedOut: boolean;
  ms: number;
  stdout: string;
}

/** Runs a command over a tree by itself, without the gate, and may read a file that it has left. */
export async function run(
  { open }: Bench,
  tree: Tree,
  command: string,
  timeoutMs: number,
  stdin?: string,
): Promise<Ended> {
  const sandbox = await open();
  try {
    await sandbox.importWorkspace(await archiveOf(tree));
    const { exitCode, timedOut, durationMs, stdout } = await sandbox.exec({
      command,
      timeoutMs,
      ...(stdin !== undefined && { stdin }),
    });
    return { passed: exitCode === 0 && !timedOut, timedOut, ms: durationMs, stdout };
  } finally {
    await sandbox.destroy();
  }
}
