import { closeSync, constants, openSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { familyCpuMsOf, statFields } from '../../platform/index.ts';

/** Facts about a sandbox's processes from the host's /proc. */

/** A process. Its start time distinguishes it from a later one with the same pid. */
export interface ProcessId {
  pid: number;
  /** Clock ticks after the start of the machine. */
  start: string;
}

export interface ProcessSample extends ProcessId {
  parent: number;
  /** CPU time of the process and of the children it has waited for. */
  cpuMs: number;
}

export function sampleProcesses(): ProcessSample[] {
  const samples: ProcessSample[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    const fields = statFields(`/proc/${name}`);
    if (!fields) continue; // It has ended since.
    const start = fields[19] ?? '';
    samples.push({ pid: Number(name), start, parent: Number(fields[1]), cpuMs: familyCpuMsOf(fields) });
  }
  return samples;
}

/** The processes that have these pids now. */
export const identify = (pids: number[]): ProcessId[] =>
  pids.flatMap((pid) => {
    const start = statFields(`/proc/${pid}`)?.[19];
    return start === undefined ? [] : [{ pid, start }];
  });

/** Holds on to one process, even if another gets its pid later. */
export class ProcessHandle {
  readonly pid: number;
  #directory: number | undefined;

  private constructor(pid: number, directory: number) {
    this.pid = pid;
    this.#directory = directory;
  }

  /** The only child of a process that is still there and not waited for; undefined if it has none. */
  static childOf(parent: number): ProcessHandle | undefined {
    const [pid] = childrenOf(parent);
    if (pid === undefined) return undefined;
    try {
      const directory = openSync(`/proc/${pid}`, constants.O_RDONLY | constants.O_DIRECTORY);
      const handle = new ProcessHandle(pid, directory);
      if (handle.#fields()?.[1] === String(parent)) return handle;
      handle.close();
    } catch {
      // It has ended since.
    }
    return undefined;
  }

  #fields(): string[] | undefined {
    return this.#directory === undefined ? undefined : statFields(`/proc/self/fd/${this.#directory}`);
  }

  /** A zombie does nothing any more. */
  isGone(): boolean {
    return /^[ZX]/.test(this.#fields()?.[0] ?? 'X');
  }

  close(): void {
    if (this.#directory !== undefined) closeSync(this.#directory);
    this.#directory = undefined;
  }
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

function childrenOf(pid: number): number[] {
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

/** False if the process has ended already. Its number may be another's by now, which must be let alone. */
export function signal({ pid, start }: ProcessId, name: NodeJS.Signals): boolean {
  try {
    return statFields(`/proc/${pid}`)?.[19] === start && process.kill(pid, name);
  } catch {
    return false;
  }
}
