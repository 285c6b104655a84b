import { posix } from 'node:path';
import { parseRecord, record } from '../reading/parse-record.ts';
import { canonicalName, type Ecosystem } from './versions.ts';

export interface Dependency {
  ecosystem: Ecosystem;
  name: string;
  version: string;
}

/** More than any honest project has. */
const maxDependencies = 50_000;

/** No package has a longer name or version, nor one with blanks. */
const isPlain = (text: string, maxChars: number) => text.length <= maxChars && !/\s/.test(text);

type Found = Array<readonly [name: string, version: string]>;

/** The pairs that a pattern finds, as far as there are not too many already. */
function pairsIn(text: string, pattern: RegExp, isWanted = (_name: string) => true): Found {
  const found: Found = [];
  for (const [, name, version] of text.matchAll(pattern)) {
    if (isWanted(name!)) found.push([name!, version!]);
    if (found.length > maxDependencies) break;
  }
  return found;
}

/** Versions 2 and 3 list every installed package; version 1 nests them. Null if it is neither. */
function ofPackageLock(text: string): Found | null {
  const lock = parseRecord(text);
  if (lock === null) return null;
  const found: Found = [];
  const packages = record(lock.packages);
  for (const [path, value] of Object.entries(packages ?? {})) {
    const entry = record(value);
    if (path === '' || entry === null || entry.link === true || typeof entry.version !== 'string') continue;
    const name = typeof entry.name === 'string' ? entry.name : path.slice(path.lastIndexOf('node_modules/') + 13);
    if (path.includes('node_modules/')) found.push([name, entry.version]);
  }
  if (packages !== null) return found;
  const pending = [record(lock.dependencies)];
  for (let level = pending.pop(); level !== undefined; level = pending.pop()) {
    for (const [name, value] of Object.entries(level ?? {})) {
      const entry = record(value);
      if (typeof entry?.version === 'string') found.push([name, entry.version]);
      if (entry?.dependencies !== undefined) pending.push(record(entry.dependencies));
    }
  }
  return lock.dependencies === undefined && lock.lockfileVersion === undefined ? null : found;
}

/** Exact pins alone say which version is meant. */
function ofRequirements(text: string): Found {
  const pin =
    /^[ \t]{0,100}([A-Za-z0-9][\w.-]{0,213})[ \t]{0,20}(?:\[[^\]\n]{0,200}\][ \t]{0,20})?={2,3}[ \t]{0,20}([\w.!+-]{1,100})/gm;
  return pairsIn(text, pin);
}

function ofGoMod(text: string): Found {
  const line = /^[ \t]{0,100}(?:require[ \t]{1,20})?([a-z0-9][\w./~-]{0,600})[ \t]{1,20}v(\d[\w.+-]{0,100})/gm;
  return pairsIn(text, line, (name) => name.includes('.'));
}

function ofCargoLock(text: string): Found {
  const entry = /^name = "([^"\n]{1,200})"\r?\nversion = "([^"\n]{1,100})"/gm;
  return pairsIn(text, entry);
}

const readers: ReadonlyArray<readonly [name: RegExp, Ecosystem, (text: string) => Found | null]> = [
  [/^(?:package-lock|npm-shrinkwrap)\.json$/, 'npm', ofPackageLock],
  [/^requirements[\w.-]*\.txt$/, 'PyPI', ofRequirements],
  [/^go\.mod$/, 'Go', ofGoMod],
  [/^Cargo\.lock$/, 'crates.io', ofCargoLock],
];

const readerOf = (path: string) => readers.find(([name]) => name.test(posix.basename(path)));

export const isLockfile = (path: string) => readerOf(path) !== undefined && !path.includes('node_modules/');

/** The versions that a file pins; null if it does not have the format that its name says. */
export function dependenciesOf(path: string, text: string): Dependency[] | null {
  const [, ecosystem, read] = readerOf(path)!;
  const found = read(text);
  if (found === null || found.length > maxDependencies) return null;
  return found
    .filter(([name, version]) => isPlain(name, 300) && isPlain(version, 100))
    .map(([name, version]) => ({ ecosystem, name: canonicalName(ecosystem, name), version }));
}
