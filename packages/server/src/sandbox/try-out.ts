import type { Sandbox, SandboxProbe } from './driver.ts';

/** Always exits with 7; prints the version of Node if there is one. */
const command = 'node --version 2>/dev/null; exit 7';

/** What a driver's `probe` does: it starts a sandbox and runs a command in it. */
export async function tryOut(start: () => Promise<Sandbox>): Promise<SandboxProbe> {
  try {
    const sandbox = await start();
    const { exitCode, stdout } = await sandbox.exec({ command }).finally(() => sandbox.destroy());
    if (exitCode !== 7) return { available: false, reason: `A command in a new sandbox ended with ${exitCode}.` };
    return { available: true, enforcement: sandbox.enforcement, node: /^v\S+/.exec(stdout)?.[0] ?? null };
  } catch (error) {
    return { available: false, reason: error instanceof Error ? error.message : String(error) };
  }
}
