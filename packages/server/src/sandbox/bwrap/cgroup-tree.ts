import { accessSync, constants, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sandboxesMemoryBytes } from '../../platform/index.ts';

/**
 * Where control groups can be made on this machine. Version 1 has a tree per controller, version 2 one tree for all,
 * and some machines have both. So each controller is looked up by itself.
 */

export type Controller = 'memory' | 'pids' | 'cpu' | 'cpuacct';
/** Those that limit; `cpuacct`, which version 1 counts CPU time by, is taken along where it is. */
export const CONTROLLERS = ['memory', 'pids', 'cpu'] as const satisfies Controller[];

/** A directory in which each sandbox gets a group, and what such a group can limit. */
export interface GroupHome {
  version: 1 | 2;
  dir: string;
  controllers: Controller[];
}

export interface GroupHomes {
  homes: GroupHome[];
  /** Why a controller is missing, for people. */
  missing: Partial<Record<Controller, string>>;
}

/** What `/proc` says about this process; given by tests. */
export interface GroupSources {
  mountinfo: string;
  ownGroups: string;
}

function readSources(): GroupSources {
  const mountinfo = readFileSync('/proc/self/mountinfo', 'utf8');
  return { mountinfo, ownGroups: readFileSync('/proc/self/cgroup', 'utf8') };
}

interface Mount {
  version: 1 | 2;
  dir: string;
  controllers: string[];
}

function parseMounts(mountinfo: string): Mount[] {
  const mounts: Mount[] = [];
  for (const line of mountinfo.split('\n')) {
    const [left, right] = line.split(' - ');
    const dir = left?.split(' ')[4];
    const [type, , options = ''] = right?.split(' ') ?? [];
    if (!dir) continue;
    if (type === 'cgroup') mounts.push({ version: 1, dir, controllers: options.split(',') });
    if (type === 'cgroup2') mounts.push({ version: 2, dir, controllers: readWords(join(dir, 'cgroup.controllers')) });
  }
  return mounts;
}

function readWords(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\s+/).filter(Boolean);
  } catch {
    return [];
  }
}

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** Version 2 allows controllers only in groups without processes of their own, so ours move into a leaf. */
function moveIntoLeaf(group: string): void {
  const leaf = join(group, 'agora-server');
  mkdirSync(leaf, { recursive: true });
  for (const pid of readWords(join(group, 'cgroup.procs'))) {
    try {
      writeFileSync(join(leaf, 'cgroup.procs'), pid);
    } catch {
      // It has ended since, or is a kernel thread, which stays.
    }
  }
}

function enable(group: string, wanted: Controller[], isOwn: boolean): void {
  const control = join(group, 'cgroup.subtree_control');
  const absent = wanted.filter((controller) => !readWords(control).includes(controller));
  if (absent.length === 0) return;
  const words = absent.map((controller) => `+${controller}`).join(' ');
  try {
    writeFileSync(control, words);
  } catch (error) {
    if (!isOwn || (error as NodeJS.ErrnoException).code !== 'EBUSY') throw error;
    moveIntoLeaf(group);
    writeFileSync(control, words);
  }
}

/** From the root down to the group of this process: the first that lets us make a limited child is the steadiest. */
function candidates(mount: Mount, ownGroups: string): string[] {
  const own = ownGroups.match(/^0::(.*)$/m)?.[1] ?? '/';
  const found: string[] = [];
  for (let path = own; path !== '/' && path.startsWith('/'); path = dirname(path)) found.unshift(join(mount.dir, path));
  return [mount.dir, ...found];
}

/** Root made this one in an earlier run; an ordinary user cannot use it. */
function makeHome(dir: string): void {
  mkdirSync(dir, { recursive: true });
  accessSync(dir, constants.W_OK);
}

function findUnified(mount: Mount, name: string, wanted: Controller[], ownGroups: string): GroupHome {
  const tried: string[] = [];
  const all = candidates(mount, ownGroups);
  for (const parent of all) {
    const dir = join(parent, name);
    try {
      enable(parent, wanted, parent === all.at(-1));
      makeHome(dir);
      enable(dir, wanted, false);
      return { version: 2, dir, controllers: wanted };
    } catch (error) {
      tried.push(reason(error));
    }
  }
  throw new Error(tried.join('; '));
}

/**
 * No more memory for all sandboxes together than leaves the server and its database theirs. Where the kernel does not
 * let us say so, each sandbox still has a limit of its own.
 */
function limitTogether({ version, dir, controllers }: GroupHome): void {
  if (!controllers.includes('memory')) return;
  const file = join(dir, version === 1 ? 'memory.limit_in_bytes' : 'memory.max');
  try {
    writeFileSync(file, String(sandboxesMemoryBytes()), { flag: 'r+' });
  } catch {
    // An older kernel, or a group that holds more already.
  }
}

/** Finds, or creates, the directories of an installation's groups. Never throws: what fails is missing. */
export function findGroupHomes(name: string, sources: GroupSources = readSources()): GroupHomes {
  const homes: GroupHome[] = [];
  const missing: GroupHomes['missing'] = {};
  const mounts = parseMounts(sources.mountinfo);
  const unified = mounts.find((mount) => mount.version === 2);
  for (const controller of [...CONTROLLERS, 'cpuacct'] as const) {
    const mount = mounts.find((candidate) => candidate.version === 1 && candidate.controllers.includes(controller));
    if (!mount) continue;
    const dir = join(mount.dir, name);
    const known = homes.find((home) => home.dir === dir);
    try {
      makeHome(dir);
      if (known) known.controllers.push(controller);
      else homes.push({ version: 1, dir, controllers: [controller] });
    } catch (error) {
      missing[controller] = reason(error);
    }
  }
  const rest = CONTROLLERS.filter((controller) => !homes.some((home) => home.controllers.includes(controller)));
  const here = rest.filter((controller) => unified?.controllers.includes(controller));
  // Also where it limits nothing: in its groups alone the kernel ends all processes at once.
  try {
    if (unified) homes.push(findUnified(unified, name, here, sources.ownGroups));
  } catch (error) {
    for (const controller of here) missing[controller] = reason(error);
  }
  for (const controller of CONTROLLERS) {
    if (homes.some((home) => home.controllers.includes(controller))) continue;
    missing[controller] ??= 'the kernel offers no such control group here';
  }
  for (const home of homes) limitTogether(home);
  return { homes, missing };
}

/** The groups that lie in these homes, by name. */
export function groupNames(homes: GroupHome[]): string[] {
  const names = homes.flatMap((home) => {
    try {
      return readdirSync(home.dir, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    } catch {
      return [];
    }
  });
  return [...new Set(names.map((entry) => entry.name))];
}
