import type { Enforcement, SandboxLimits } from '../driver.ts';
import type { InspectedContainer } from './engine.ts';
import { type ContainerPlan, CPU_PERIOD_US, disks, type EngineLimits, engineLimits } from './spec.ts';

/**
 * Whether a started container has what was requested. Engines silently drop what they do not support: Podman 4 drops a
 * runtime, a rootless engine on cgroups v1 drops every limit. So everything is read back, from the engine and from the
 * kernel inside, before untrusted code runs.
 */

/** Checks what the engine reports of the container. Returns what is missing, in words. */
export function missingByEngine(plan: ContainerPlan, found: InspectedContainer): string[] {
  const host = found.HostConfig;
  const limits = engineLimits(plan.limits);
  const foreign = found.Mounts.filter(
    ({ Type, Destination, RW }) => Type !== 'tmpfs' && (Destination !== '/input' || RW),
  );
  const given: [string, boolean][] = [
    ['a running state', found.State.Running],
    ['a memory limit', host.Memory === limits.chargedBytes],
    ['a limit on swap', host.MemorySwap === limits.chargedBytes],
    ['a limit on processes', host.PidsLimit === limits.tasks],
    ['a CPU limit', host.CpuQuota === limits.cpuQuotaUs && host.CpuPeriod === CPU_PERIOD_US],
    ['no network', host.NetworkMode === 'none'],
    ['a read-only root', host.ReadonlyRootfs === true],
    ['no-new-privileges', (host.SecurityOpt ?? []).some((each) => /^no-new-privileges(:true)?$/.test(each))],
    ['the default seccomp profile', !(host.SecurityOpt ?? []).some((each) => each.includes('unconfined'))],
    ['no privilege', host.Privileged !== true && !host.CapAdd?.length && !host.Devices?.length],
    ['namespaces of its own', [host.PidMode, host.IpcMode, host.UTSMode].every((mode) => mode !== 'host')],
    ['no log of its output', host.LogConfig?.Type === 'none'],
    [`no directories of the host (it has ${foreign.map((each) => each.Destination).join(', ')})`, foreign.length === 0],
  ];
  return given.filter(([, isGiven]) => !isGiven).map(([what]) => what);
}

const GROUP_FILES = {
  memory: ['memory.max', 'memory/memory.limit_in_bytes'],
  swap: ['memory.swap.max', 'memory/memory.memsw.limit_in_bytes'],
  processes: ['pids.max', 'pids/pids.max'],
  cpu: ['cpu.max', 'cpu/cpu.cfs_quota_us'],
};
const GROUPS = '/sys/fs/cgroup/';

/**
 * The first command of a sandbox. It uses only the shell, because an image need not have more. It prints the values
 * that are checked below.
 */
export const LOOK = [
  'echo =status; while read -r l; do case $l in Uid:*|Cap*|NoNewPrivs:*|Seccomp:*) echo "$l";; esac; done </proc/self/status',
  '[ -O /workspace ] && echo Own: 1',
  'while read -r l; do case $l in "Max processes"*) set -- $l; echo "Processes: $3";; esac; done </proc/self/limits',
  'echo =net; while read -r l; do echo "$l"; done </proc/net/dev',
  'echo =mounts; while read -r l; do echo "$l"; done </proc/self/mounts',
  `echo =groups; cd ${GROUPS} && for f in ${Object.values(GROUP_FILES).flat().join(' ')}; do`,
  '[ -r $f ] && read -r value <$f && echo "$f $value"; done; true',
].join('\n');

interface Seen {
  status: string[];
  net: string[];
  mounts: string[];
  groups: string[];
}

function parseLook(text: string): Seen {
  const seen: Seen = { status: [], net: [], mounts: [], groups: [] };
  let section: keyof Seen | undefined;
  for (const line of text.split('\n')) {
    if (/^=(status|net|mounts|groups)$/.test(line)) section = line.slice(1) as keyof Seen;
    else if (section && line) seen[section].push(line);
  }
  return seen;
}

/** A size as mount options give it, in bytes. */
function sizeOf(options: string): number {
  const [, digits, unit = ''] = options.match(/(?:^|,)size=(\d+)([kmg]?)/) ?? [];
  return digits === undefined ? Number.NaN : Number(digits) * { '': 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 }[unit]!;
}

function missingMounts({ mounts: lines }: Seen, limits: EngineLimits): string[] {
  const mounts = new Map(
    lines.map((line) => {
      const [, place = '', type, options = ''] = line.split(' ');
      return [place, { type, options }];
    }),
  );
  const unlimited = Object.entries(disks(limits)).filter(([place, bytes]) => {
    const mount = mounts.get(place);
    return mount?.type !== 'tmpfs' || !(sizeOf(mount.options) <= Math.ceil(bytes / 4096) * 4096);
  });
  const missing = unlimited.map(([place]) => `a size of ${place}`);
  // Where nothing is mounted on a place, it is part of the root.
  const isReadOnly = (place: string) => /(^|,)ro(,|$)/.test((mounts.get(place) ?? mounts.get('/'))?.options ?? '');
  const writable = ['/', '/input', '/sys', '/run'].filter((place) => !isReadOnly(place));
  if (mounts.get('/sys')?.type === 'sysfs') missing.push('a /sys that is closed');
  return [...missing, ...writable.map((place) => `a read-only ${place}`)];
}

function missingGroups(seen: Seen, limits: EngineLimits, isByUser: boolean): { missing: string[]; unseen: string[] } {
  const values = new Map(seen.groups.map((line) => [line.split(' ')[0]!, line.slice(line.indexOf(' ') + 1)]));
  const missing: string[] = [];
  const unseen: string[] = [];
  const check = (what: keyof typeof GROUP_FILES, fits: (value: string, isV2: boolean) => boolean, isNeeded = true) => {
    const file = GROUP_FILES[what].find((each) => values.has(each));
    if (!file && isNeeded) unseen.push(what);
    if (file && !fits(values.get(file)!, file === GROUP_FILES[what][0]))
      missing.push(`a limit on ${what} in the kernel`);
  };
  const atMost = (value: string, ceiling: number) => Number(value) >= 0 && Number(value) <= ceiling;
  check('memory', (value) => atMost(value, limits.chargedBytes));
  // A kernel that does not count swap has no such file; version 2 counts it apart from memory.
  check('swap', (value, isV2) => atMost(value, isV2 ? 0 : limits.chargedBytes), false);
  if (!isByUser) check('processes', (value) => atMost(value, limits.tasks));
  check('cpu', (value) => atMost(value.split(' ')[0]!, limits.cpuQuotaUs));
  return { missing, unseen };
}

export interface Expected {
  /** Inside. */
  uid: number;
  limits: SandboxLimits;
  /** Processes are counted by the user, in a user namespace that the sandbox has alone, and not by a control group. */
  countsByUser?: boolean;
}

/**
 * Checks what the kernel shows inside. Every value shown must fit. A runtime that shows no control groups is reported
 * as degraded.
 */
export function checkInside(
  { uid, limits: asked, countsByUser = false }: Expected,
  look: string,
): { missing: string[]; enforcement: Enforcement } {
  const seen = parseLook(look);
  const limits = engineLimits(asked);
  const field = (name: string) =>
    seen.status
      .find((line) => line.startsWith(`${name}:`))
      ?.slice(name.length + 1)
      .trim();
  const capabilities = seen.status.filter((line) => /^Cap\w+:/.test(line));
  const links = seen.net.filter((line) => line.includes(':')).map((line) => line.split(':')[0]!.trim());
  const given: [string, boolean][] = [
    [
      'a user of its own',
      field('Uid')
        ?.split(/\s+/)
        .every((each) => Number(each) === uid) === true,
    ],
    ['a /workspace of its own', field('Own') === '1'],
    [
      'a limit on processes of a user',
      !countsByUser || Number.parseInt(field('Processes') ?? '', 10) <= asked.processes,
    ],
    ['no capabilities', capabilities.length >= 4 && capabilities.every((line) => /:\s*0+$/.test(line))],
    ['no-new-privileges in the kernel', field('NoNewPrivs') === '1'],
    ['a seccomp filter', field('Seccomp') === '2'],
    ['no network but a loopback', seen.net.length > 0 && links.every((name) => name === 'lo')],
  ];
  const groups = missingGroups(seen, limits, countsByUser);
  const absent = given.filter(([, isGiven]) => !isGiven).map(([what]) => what);
  const notes = groups.unseen.map(
    (what) => `the runtime does not show its limit on ${what}; the engine says it is kept`,
  );
  return {
    missing: [...absent, ...missingMounts(seen, limits), ...groups.missing],
    enforcement: { limits: notes.length === 0 ? 'enforced' : 'degraded', notes },
  };
}
