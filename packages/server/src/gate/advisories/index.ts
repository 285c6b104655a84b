import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Logger, withTimeout } from '../../platform/index.ts';
import type { Dependency } from './lockfiles.ts';
import { type Affected, affectedIn, affects, keyOf } from './osv.ts';

export { type Dependency, dependenciesOf, isLockfile } from './lockfiles.ts';

/** Known vulnerabilities, by package. */
export interface AdvisoryIndex {
  /** Identifiers and summaries of the advisories for this version. */
  affecting(dependency: Dependency): Array<{ id: string; summary: string }>;
}

export interface Advisories {
  /** The index, or why there is none to ask. */
  index(): Promise<AdvisoryIndex | { missing: string }>;
}

const maxFileBytes = 1024 ** 2;
const readAtOnce = 16;
/** A gate waits for a first reading this long; a database of all of npm takes longer, and is there a little later. */
const patienceMs = 2_000;
/** A directory that is brought up to date by other means is read again after this time. */
const staleMs = 3_600_000;

async function readAll(dir: string): Promise<Map<string, Affected[]>> {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.json'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const byPackage = new Map<string, Affected[]>();
  const pending = paths.values();
  const worker = async () => {
    for (const path of pending) {
      // A file that is no advisory, or is being replaced, must not cost the others.
      const text = await textOf(path).catch(() => '');
      for (const [key, affected] of affectedIn(text)) {
        const known = byPackage.get(key);
        if (known === undefined) byPackage.set(key, [affected]);
        else known.push(affected);
      }
    }
  };
  await Promise.all(Array.from({ length: readAtOnce }, worker));
  return byPackage;
}

const textOf = async (path: string) => ((await stat(path)).size <= maxFileBytes ? await readFile(path, 'utf8') : '');

const indexOf = (byPackage: Map<string, Affected[]>): AdvisoryIndex => ({
  affecting(dependency) {
    const known = byPackage.get(keyOf(dependency.ecosystem, dependency.name)) ?? [];
    return known.filter((each) => affects(each, dependency)).sort((a, b) => (a.id < b.id ? -1 : 1));
  },
});

/** A directory of OSV advisories (one JSON file each, in sub-directories as one likes), read in the background. */
export function openAdvisories(dir: string, log: Logger, clock: Clock): Advisories {
  let current: AdvisoryIndex | { missing: string } | undefined;
  let reading: Promise<void> | undefined;
  let readMs = Number.NEGATIVE_INFINITY;
  const read = async () => {
    readMs = performance.now();
    try {
      const byPackage = await readAll(dir);
      if (byPackage.size > 0) current = indexOf(byPackage);
      else current ??= { missing: 'the advisory database holds no advisory' };
      log.info({ packages: byPackage.size }, 'the advisory database was read');
    } catch (error) {
      log.warn({ err: error }, 'the advisory database could not be read');
      current ??= { missing: 'the advisory database cannot be read' };
    } finally {
      reading = undefined;
    }
  };
  reading = read();
  return {
    async index() {
      const retries = current !== undefined && 'missing' in current;
      if (reading === undefined && (performance.now() - readMs > staleMs || retries)) reading = read();
      if (current !== undefined && !retries) return current;
      if (reading !== undefined) await withTimeout(clock, patienceMs, reading);
      return current ?? { missing: 'the advisory database is still being read' };
    },
  };
}
