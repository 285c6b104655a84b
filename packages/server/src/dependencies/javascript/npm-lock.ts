import { isTable, textOf } from '../ecosystem.ts';
import type { Integrity } from '../store.ts';
import type { LockedPackage } from './registry.ts';

/** package-lock.json and npm-shrinkwrap.json, in all three versions of their format. */

interface NpmPackage extends LockedPackage {
  hasScripts: boolean;
}

export interface NpmLock {
  packages: NpmPackage[];
  /** It says nothing of programs and scripts. */
  isOld: boolean;
  /** Of the project's own packages, relative to the lock; the root is ''. */
  directories: string[];
  /** The same lock with an address for each package, without which npm finds nothing in its cache. */
  text: string;
}

type Entry = Record<string, unknown>;

/** The strongest first, as npm looks. */
const algorithms = ['sha512', 'sha384', 'sha256', 'sha1'];

export const sha512 = (base64: string): Integrity => ({
  algorithm: 'sha512',
  hex: Buffer.from(base64, 'base64').toString('hex'),
});

export function readIntegrity(text: string): Integrity | null {
  const hashes = text.trim().split(/\s+/);
  for (const algorithm of algorithms) {
    const found = hashes.find((each) => each.startsWith(`${algorithm}-`));
    const [digest = ''] = found?.slice(algorithm.length + 1).split('?') ?? [];
    if (/^[A-Za-z0-9+/]{20,100}={0,2}$/.test(digest)) {
      return { algorithm, hex: Buffer.from(digest, 'base64').toString('hex') };
    }
  }
  return null;
}

/** Whether a list of a package ("linux", "!win32") lets this value in. */
const lets = (list: unknown, value: string): boolean =>
  !Array.isArray(list) ||
  (!list.includes(`!${value}`) && (list.every((each) => String(each).startsWith('!')) || list.includes(value)));

/** Whether a package is for this system. */
export const fits = ({ os, cpu, libc }: Entry) => lets(os, 'linux') && lets(cpu, process.arch) && lets(libc, 'glibc');

const nameOf = (key: string) => key.slice(key.lastIndexOf('node_modules/') + 'node_modules/'.length);

function packageOf(name: string, entry: Entry, isOld: boolean): NpmPackage {
  return {
    name: textOf(entry.name) || name,
    version: textOf(entry.version),
    url: textOf(entry.resolved) || null,
    integrity: readIntegrity(textOf(entry.integrity)),
    isOptional: entry.optional === true,
    // Only newer locks say so.
    hasScripts: isOld || entry.hasInstallScript === true,
  };
}

type Take = (name: string, entry: Entry) => void;

/** Versions 2 and 3: paths with their packages. Gives the directories of the project's own. */
function readPaths(paths: Entry, take: Take): string[] {
  const directories: string[] = [];
  for (const [key, entry] of Object.entries(paths)) {
    if (!isTable(entry) || entry.link === true || entry.inBundle === true) continue;
    if (key.includes('node_modules/')) take(nameOf(key), entry);
    else directories.push(key);
  }
  return directories;
}

/** Version 1: a tree of packages with those that they have for themselves. */
function readTree(tree: Entry, take: Take): void {
  const pending = [tree];
  for (let each = pending.pop(); each !== undefined; each = pending.pop()) {
    for (const [name, entry] of Object.entries(each)) {
      if (!isTable(entry) || entry.bundled === true) continue;
      take(name, entry);
      if (isTable(entry.dependencies)) pending.push(entry.dependencies);
    }
  }
}

function parsed(text: string): Entry | null {
  try {
    const lock: unknown = JSON.parse(text);
    return isTable(lock) && lock.lockfileVersion !== undefined ? lock : null;
  } catch {
    return null;
  }
}

/** `addressOf`: where the registry has a package. Null for what is no lock of npm. */
export function readNpmLock(text: string, addressOf: (name: string, version: string) => string): NpmLock | null {
  const lock = parsed(text);
  if (lock === null) return null;
  const isOld = !isTable(lock.packages);
  const packages: NpmPackage[] = [];
  const take = (name: string, entry: Entry) => {
    if (fits(entry)) packages.push(packageOf(name, entry, isOld));
    if (!textOf(entry.resolved)) entry.resolved = addressOf(textOf(entry.name) || name, textOf(entry.version));
  };
  let directories = [''];
  if (isTable(lock.packages)) directories = readPaths(lock.packages, take);
  else if (isTable(lock.dependencies)) readTree(lock.dependencies, take);
  return { packages, isOld, directories, text: JSON.stringify(lock) };
}
