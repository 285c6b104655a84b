import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SandboxLimits } from '../driver.ts';
import { kernelLimits } from '../limits.ts';
import type { Controller, GroupHome } from './cgroup-tree.ts';
import { identify, type ProcessId, signal } from './processes.ts';

const CPU_PERIOD_US = 100_000;
const UNLIMITED: Record<1 | 2, string> = { 1: '-1', 2: 'max' };

/** Memory charged to a group, in bytes. */
export interface GroupUsage {
  total: number;
  /** Memory of the processes themselves. */
  anonymous: number;
  /** The kernel's own memory for it: inodes, page tables, socket buffers. */
  kernel: number;
}

/** One sandbox's control group: a directory in each home. The calls are synchronous, as cgroupfs never waits. */
export class Cgroup {
  #dirs: { home: GroupHome; dir: string }[];
  #finalCpuMs: number | undefined;

  constructor(homes: GroupHome[], name: string) {
    this.#dirs = homes.map((home) => ({ home, dir: join(home.dir, name) }));
  }

  /** Writing a process id into each of these puts that process, and all it starts, into the group. */
  get joinFiles(): string[] {
    return this.#dirs.map(({ dir }) => join(dir, 'cgroup.procs'));
  }

  has(controller: Controller): boolean {
    return this.#dirs.some(({ home }) => home.controllers.includes(controller));
  }

  get countsCpu(): boolean {
    return this.has('cpuacct') || this.#dirs.some(({ home }) => home.version === 2 && home.controllers.includes('cpu'));
  }

  create(limits: SandboxLimits): void {
    const { chargedBytes, tasks } = kernelLimits(limits);
    for (const { dir } of this.#dirs) mkdirSync(dir, { recursive: true });
    const quota = Math.round(limits.cpus * CPU_PERIOD_US);
    this.#write('pids', 'pids.max', String(tasks), 'pids.max', String(tasks));
    this.#write('memory', 'memory.limit_in_bytes', String(chargedBytes), 'memory.max', String(chargedBytes));
    // With swap accounting off these files are absent, and the machine has no swap to fill.
    this.#write('memory', 'memory.memsw.limit_in_bytes', String(chargedBytes), 'memory.swap.max', '0', true);
    this.#write('memory', 'memory.swappiness', '0', 'memory.oom.group', '0', true);
    this.#write('cpu', 'cpu.cfs_period_us', String(CPU_PERIOD_US), 'cpu.max', `${quota} ${CPU_PERIOD_US}`);
    this.#write('cpu', 'cpu.cfs_quota_us', String(quota), undefined, '');
    const read = Number(this.#read('memory', 'memory.limit_in_bytes', 'memory.max') ?? chargedBytes);
    if (!(read <= chargedBytes)) throw new Error(`the kernel took ${read} for a memory limit of ${chargedBytes}`);
  }

  usage(): number {
    return Number(this.#read('memory', 'memory.usage_in_bytes', 'memory.current') ?? 0);
  }

  /** Dearer than `usage`, so it is for those that look too big. */
  usageInDetail(): GroupUsage {
    const total = this.usage();
    const stat = this.#read('memory', 'memory.stat', 'memory.stat') ?? '';
    const field = (name: string) => Number(stat.match(new RegExp(`^${name} (\\d+)$`, 'm'))?.[1] ?? 0);
    const anonymous = Math.max(field('anon'), field('rss'));
    return { total, anonymous, kernel: Math.max(0, total - anonymous - Math.max(field('file'), field('cache'))) };
  }

  /** CPU time that all its processes have used, the ended ones too; undefined if no group counts it. Outlasts the group. */
  cpuMs(): number | undefined {
    return this.#finalCpuMs ?? this.#countedCpuMs();
  }

  #countedCpuMs(): number | undefined {
    const nanoseconds = this.#read('cpuacct', 'cpuacct.usage', 'cpuacct.usage');
    if (nanoseconds !== undefined) return Number(nanoseconds) / 1e6;
    const usec = this.#read('cpu', 'cpu.stat', 'cpu.stat')?.match(/^usage_usec (\d+)$/m)?.[1];
    return usec === undefined ? undefined : Number(usec) / 1e3;
  }

  /** Its processes. A number that another process was given while we looked is none of its any more. */
  members(): ProcessId[] {
    const found = identify(this.#pids());
    const still = new Set(this.#pids());
    return found.filter(({ pid }) => still.has(pid));
  }

  #pids(): number[] {
    const [first] = this.#dirs;
    if (!first) return [];
    try {
      return readFileSync(join(first.dir, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  }

  /**
   * Ends every process and removes the group. The limits go up first: a thrashing sandbox needs seconds to die
   * within them and milliseconds without.
   */
  async destroy(): Promise<void> {
    this.#finalCpuMs ??= this.#countedCpuMs();
    this.#write('pids', 'pids.max', '0', 'pids.max', '0', true);
    this.#write('cpu', 'cpu.cfs_quota_us', '-1', 'cpu.max', UNLIMITED[2], true);
    this.#write('memory', 'memory.memsw.limit_in_bytes', UNLIMITED[1], 'memory.swap.max', UNLIMITED[2], true);
    this.#write('memory', 'memory.limit_in_bytes', UNLIMITED[1], 'memory.max', UNLIMITED[2], true);
    for (let tries = 0; tries < 2_000; tries++) {
      this.#killAll();
      if (this.#remove()) return;
      await sleep(tries < 20 ? 1 : 5);
    }
    throw new Error('processes of a sandbox did not end');
  }

  /** The kernel kills the members, because it knows them; before 5.14 it cannot. */
  #killAll(): void {
    for (const { home, dir } of this.#dirs) {
      const kill = join(dir, 'cgroup.kill');
      if (home.version !== 2 || !existsSync(kill)) continue;
      writeFileSync(kill, '1');
      return;
    }
    for (const member of this.members()) signal(member, 'SIGKILL');
  }

  #remove(): boolean {
    let left = false;
    for (const { dir } of this.#dirs) {
      try {
        rmdirSync(dir);
      } catch (error) {
        left ||= (error as NodeJS.ErrnoException).code !== 'ENOENT';
      }
    }
    return !left;
  }

  #write(
    controller: Controller,
    file1: string,
    value1: string,
    file2: string | undefined,
    value2: string,
    optional = false,
  ): void {
    const place = this.#dirs.find(({ home }) => home.controllers.includes(controller));
    const file = place?.home.version === 1 ? file1 : file2;
    if (!place || !file) return;
    try {
      writeFileSync(join(place.dir, file), place.home.version === 1 ? value1 : value2, { flag: 'r+' });
    } catch (error) {
      if (!optional) throw error;
    }
  }

  #read(controller: Controller, file1: string, file2: string): string | undefined {
    const place = this.#dirs.find(({ home }) => home.controllers.includes(controller));
    if (!place) return undefined;
    try {
      return readFileSync(join(place.dir, place.home.version === 1 ? file1 : file2), 'utf8');
    } catch {
      return undefined;
    }
  }
}
