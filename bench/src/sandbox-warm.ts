import { DEFAULT_LIMITS, type SandboxDriver, Sandboxes } from '@agora-market/server/sandbox';

/** Measures sandboxes of the warm pool (`SANDBOX_WARM`). */
export interface WarmTimes {
  provision: number[];
  firstExec: number[];
}

export async function warmTimes(driver: SandboxDriver, rounds: number): Promise<WarmTimes> {
  const settings = { driver, clock: { now: () => new Date() }, limits: DEFAULT_LIMITS, lifetimeMs: 600_000 };
  const sandboxes = new Sandboxes({ ...settings, warm: { bwrap: 2 } });
  const times: WarmTimes = { provision: [], firstExec: [] };
  try {
    for (let round = -3; round < rounds; round++) {
      // Full again before each run, as for a caller who comes alone.
      await sandboxes.fill();
      const started = performance.now();
      const { sandbox } = await sandboxes.create(`warm-${round}`);
      const provisioned = performance.now();
      const { exitCode } = await sandbox.exec({ command: 'true' });
      if (exitCode !== 0) throw new Error(`true ended with ${exitCode}`);
      const done = performance.now();
      await sandboxes.destroy(`warm-${round}`);
      if (round < 0) continue;
      times.provision.push(provisioned - started);
      times.firstExec.push(done - started);
    }
  } finally {
    await sandboxes.destroyAll();
  }
  return times;
}
