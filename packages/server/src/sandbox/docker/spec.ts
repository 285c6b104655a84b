import type { SandboxLimits } from '../driver.ts';
import { type KernelLimits, kernelLimits } from '../limits.ts';
import type { ContainerSpec } from './engine.ts';

/** The request to the engine; `check.ts` checks the result. */

export const CPU_PERIOD_US = 100_000;
/** Kernel memory of an empty file. */
const BYTES_PER_INODE = 1024;

export const LABELS = { installation: 'agora.installation', server: 'agora.server' } as const;

/** Where the derived image has our files (`image.ts`). */
export const AGENT_PATH = '/agent';
export const FILTER_PATH = '/agent.seccomp';

export interface ContainerPlan {
  name: string;
  image: string;
  limits: SandboxLimits;
  /** Part of the sandbox agent's command line. */
  mark: string;
  /** A user of its own for every live container, so that the kernel's counts by user never add up over two. */
  uid: number;
  labels: Record<string, string>;
  runtime: string | undefined;
  isPodman: boolean;
}

export interface EngineLimits extends KernelLimits {
  /** `/var/tmp`, which some engines make writable without a size when it is not asked for. */
  varTmpBytes: number;
  cpuQuotaUs: number;
}

export function engineLimits(limits: SandboxLimits): EngineLimits {
  const kernel = kernelLimits(limits);
  const varTmpBytes = kernel.shmBytes;
  return {
    ...kernel,
    varTmpBytes,
    chargedBytes: kernel.chargedBytes + varTmpBytes,
    cpuQuotaUs: Math.round(limits.cpus * CPU_PERIOD_US),
  };
}

/** Every writable place, and its size. */
export function disks(limits: EngineLimits): Record<string, number> {
  const { workspaceBytes, tmpBytes, varTmpBytes, shmBytes } = limits;
  return { '/workspace': workspaceBytes, '/tmp': tmpBytes, '/var/tmp': varTmpBytes, '/dev/shm': shmBytes };
}

function tmpfs({ uid, isPodman }: ContainerPlan, limits: EngineLimits): Record<string, string> {
  // Podman gives a disk to the container's user by a word of its own, and refuses the words that the kernel has.
  const owned = isPodman ? 'U' : `uid=${uid},gid=${uid}`;
  const writable = (bytes: number, mode: string) => `rw,exec,nosuid,nodev,size=${bytes},mode=${mode}`;
  // Also over /sys, which would describe the machine. The engine mounts the container's own control groups there again.
  const closed = 'ro,noexec,nosuid,nodev,size=4096,mode=755';
  return {
    '/workspace': `${writable(limits.workspaceBytes, '755')},${owned}`,
    '/tmp': writable(limits.tmpBytes, '1777'),
    '/var/tmp': writable(limits.varTmpBytes, '1777'),
    '/run': closed,
    '/sys': closed,
  };
}

/** Of the sandbox agent, where it looks after its limits itself. */
export function agentArguments({ mark, limits }: Pick<ContainerPlan, 'mark' | 'limits'>): string[] {
  const files = Math.floor(limits.memoryBytes / BYTES_PER_INODE);
  return [mark, String(limits.processes), '0', '0', FILTER_PATH, String(limits.memoryBytes), String(files)];
}

export function containerSpec(plan: ContainerPlan): ContainerSpec {
  const limits = engineLimits(plan.limits);
  return {
    name: plan.name,
    Image: plan.image,
    Entrypoint: [AGENT_PATH],
    Cmd: agentArguments(plan),
    User: `${plan.uid}:${plan.uid}`,
    Hostname: 'sandbox',
    WorkingDir: '/workspace',
    Env: [],
    Labels: plan.labels,
    // The engine closes stdin when the server that attached is gone, and at its end the agent ends.
    ...{ OpenStdin: true, StdinOnce: true, AttachStdin: true, AttachStdout: true, AttachStderr: true, Tty: false },
    // An image may bring a command that the engine would run in there every few seconds.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      ...{ NetworkMode: 'none', IpcMode: 'private', CgroupnsMode: 'private', ReadonlyRootfs: true },
      ...{ Memory: limits.chargedBytes, MemorySwap: limits.chargedBytes, PidsLimit: limits.tasks },
      ...{ CpuPeriod: CPU_PERIOD_US, CpuQuota: limits.cpuQuotaUs },
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      // Named although commands get smaller ones from the agent: an engine without CAP_SYS_RESOURCE fails at its own.
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 4096 },
        { Name: 'nproc', Soft: limits.tasks, Hard: limits.tasks },
      ],
      Tmpfs: tmpfs(plan, limits),
      ShmSize: limits.shmBytes,
      Mounts: [{ Type: 'volume', Target: '/input', ReadOnly: true }],
      // It prints the sandbox agent's frames; a log of them would fill the engine's disk.
      LogConfig: { Type: 'none', Config: {} },
      AutoRemove: true,
      ...(plan.runtime === undefined ? {} : { Runtime: plan.runtime }),
    },
  };
}

/** Fills the `/input` of another container: the same confinement, but root of its own, with the volume writable. */
export function fillerSpec(plan: ContainerPlan, volume: string): ContainerSpec {
  const spec = containerSpec(plan);
  const mount = { Type: 'volume', Source: volume, Target: '/input' };
  return { ...spec, User: '0:0', HostConfig: { ...spec.HostConfig, Mounts: [mount] } };
}
