import { isTable, textOf } from '../ecosystem.ts';

/** composer.lock: the packages of a project, and where their archives lie. */

type Entry = Record<string, unknown>;

export interface LockedPackage {
  name: string;
  version: string;
  /** Empty where there is none. */
  url: string;
  type: string;
  /** SHA-1 in hex; null where the lock has none, as it has of packages from GitHub. */
  hash: string | null;
  /** The commit of Git that it is, in hex; null for others. */
  commit: string | null;
}

export interface ComposerLock {
  /** Without those that lie in a directory of the project, and those that have no files. */
  packages: LockedPackage[];
  /** The same lock with other archives, without anything that Composer could look for elsewhere. */
  textWith(archiveOf: (name: string) => string | undefined): string;
}

const parts = ['packages', 'packages-dev'];
const hexOf = (value: unknown) => /^[0-9a-f]{40}$/i.exec(textOf(value))?.[0].toLowerCase() ?? null;

/** Null for what is no lock of Composer. */
export function readComposerLock(text: string): ComposerLock | null {
  const lock = parsed(text);
  if (lock === null) return null;
  const entries = parts.flatMap((part) => (Array.isArray(lock[part]) ? lock[part].filter(isTable) : []));
  const packages = entries.flatMap((entry): LockedPackage[] => {
    const dist = isTable(entry.dist) ? entry.dist : {};
    if (dist.type === 'path' || entry.type === 'metapackage') return [];
    return [
      {
        ...{ name: textOf(entry.name), version: textOf(entry.version) },
        ...{ url: textOf(dist.url), type: textOf(dist.type) },
        ...{ hash: hexOf(dist.shasum), commit: hexOf(dist.reference) },
      },
    ];
  });
  const textWith: ComposerLock['textWith'] = (archiveOf) => {
    const changed = ({ source: _, 'transport-options': options, ...entry }: Entry): Entry => {
      const dist = isTable(entry.dist) ? entry.dist : {};
      const url = archiveOf(textOf(entry.name));
      if (dist.type === 'path') return { ...entry, 'transport-options': options };
      const { dist: _dist, ...bare } = entry;
      if (url === undefined) return bare;
      return { ...bare, dist: { type: dist.type, url, reference: dist.reference } };
    };
    const all = parts.map((part) => [part, Array.isArray(lock[part]) ? lock[part].filter(isTable).map(changed) : []]);
    return JSON.stringify({ ...lock, ...Object.fromEntries(all) });
  };
  return { packages, textWith };
}

export function parsed(text: string): Entry | null {
  try {
    const value: unknown = JSON.parse(text);
    return isTable(value) ? value : null;
  } catch {
    return null;
  }
}
