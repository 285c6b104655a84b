import { readdirSync, readFileSync, statfsSync } from 'node:fs';

/** What the host's /proc tells about the processes of a sandbox. */

export interface ProcessSample {
  pid: number;
  parent: number;
  /** CPU time of the process and of the children it has waited for. */
  cpuMs: number;
}

/** The kernel counts in hundredths of a second towards programs, whatever its own clock does. */
const MS_PER_TICK = 10;

export function sampleProcesses(): ProcessSample[] {
  const samples: ProcessSample[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      // The name of a process may hold spaces and brackets; the fields start after the last one.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      const ticks = [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
      samples.push({ pid: Number(name), parent: Number(fields[1]), cpuMs: ticks * MS_PER_TICK });
    } catch {
      // It has ended since.
    }
  }
  return samples;
}

/** The process and everything below it; orphans of a sandbox stay below its agent. */
export function treeOf(root: number, samples: ProcessSample[]): ProcessSample[] {
  const children = new Map<number, ProcessSample[]>();
  for (const sample of samples) {
    const siblings = children.get(sample.parent);
    if (siblings) siblings.push(sample);
    else children.set(sample.parent, [sample]);
  }
  const tree = samples.filter((sample) => sample.pid === root);
  for (let at = 0; at < tree.length; at++) tree.push(...(children.get(tree[at]!.pid) ?? []));
  return tree;
}

export function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Memory that is the process's own or shared with its kind, but no file's; in bytes. */
export function ownMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const field = (name: string) => Number(status.match(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm'))?.[1] ?? 0);
    return (field('RssAnon') + field('RssShmem')) * 1024;
  } catch {
    return 0;
  }
}

/** How many files lie on a sandbox's disks. Counts only: no path in there is ever followed from the host. */
export function countFiles(agentPid: number): number {
  let files = 0;
  for (const disk of ['workspace', 'tmp', 'dev/shm']) {
    try {
      const space = statfsSync(`/proc/${agentPid}/root/${disk}`);
      files += space.files - space.ffree;
    } catch {
      // An ordinary user may not look there.
    }
  }
  return files;
}

/** False when the process has ended already. */
export function signal(pid: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}
