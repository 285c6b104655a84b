import type { SandboxLimits } from './driver.ts';

const MIB = 1024 * 1024;
const DAY_MS = 86_400_000;

/** The ceilings where no setting says otherwise. */
export const DEFAULT_LIMITS: SandboxLimits = {
  cpus: 1,
  memoryBytes: 512 * MIB,
  processes: 128,
  diskBytes: 1024 * MIB,
  execMs: 60_000,
  maxExecMs: 300_000,
  maxOutputBytes: MIB,
  maxStreamBytes: 64 * MIB,
  background: 8,
  backgroundOutputBytes: 128 * 1024,
};

/** The limits in terms of the kernel. */
export interface KernelLimits {
  workspaceBytes: number;
  tmpBytes: number;
  shmBytes: number;
  /**
   * Ceiling of everything the kernel charges to the sandbox. Files are in memory, so it has room for full disks and
   * full memory. A sandbox that fills its disk gets ENOSPC and can still delete; its processes are not killed. The
   * resource monitor keeps the processes themselves below `memoryBytes`.
   */
  chargedBytes: number;
  /** With a reserve, so that the agent can still answer when the commands have used up theirs. */
  tasks: number;
}

const AGENT_TASKS = 16;
/** For the sandbox agent, and for growth between two checks of the resource monitor. */
const RESERVE_BYTES = 64 * MIB;

export function kernelLimits(limits: SandboxLimits): KernelLimits {
  const page = (bytes: number) => Math.max(4096, Math.floor(bytes / 4096) * 4096);
  const workspaceBytes = page(limits.diskBytes);
  const tmpBytes = page(Math.min(limits.diskBytes / 4, 256 * MIB));
  return {
    workspaceBytes,
    tmpBytes,
    shmBytes: page(Math.min(limits.memoryBytes / 8, 64 * MIB)),
    chargedBytes: page(limits.memoryBytes) + workspaceBytes + tmpBytes + RESERVE_BYTES,
    tasks: limits.processes + AGENT_TASKS,
  };
}

/** Throws on limits that no sandbox could live with, so that a wrong setting shows at start. */
export function checkLimits(limits: SandboxLimits): void {
  const wrong: string[] = [];
  if (!(limits.cpus >= 0.05 && limits.cpus <= 1024)) wrong.push('cpus must be between 0.05 and 1024');
  if (!(limits.memoryBytes >= 16 * MIB)) wrong.push('memoryBytes must be at least 16 MiB');
  if (!(limits.processes >= 4 && limits.processes <= 4000)) wrong.push('processes must be between 4 and 4000');
  if (!(limits.diskBytes >= MIB)) wrong.push('diskBytes must be at least 1 MiB');
  if (!(limits.maxExecMs >= 100 && limits.maxExecMs <= DAY_MS))
    wrong.push('maxExecMs must be between 100 ms and a day');
  if (!(limits.maxOutputBytes >= 1024 && limits.maxOutputBytes <= 1024 * MIB)) {
    wrong.push('maxOutputBytes must be between 1 KiB and 1 GiB');
  }
  if (wrong.length > 0) throw new RangeError(`Sandbox limits: ${wrong.join('; ')}.`);
}
