import type { Sandbox, SandboxProbe } from './driver.ts';

/** Answers with 7 whatever is missing, and with the version of Node where there is one. */
const command = 'node --version 2>/dev/null; exit 7';

/** What a driver's `probe` answers: one sandbox is really started and a command run in it. */
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
