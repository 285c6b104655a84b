import { posix } from 'node:path';
import { parse } from 'smol-toml';
import { isTable, type Surroundings, type TextFile, textOf } from '../ecosystem.ts';

/** uv.lock, poetry.lock and requirements with versions: which packages a project of Python needs. */

export interface PinnedPackage {
  /** Normalized, as PEP 503 says. */
  name: string;
  version: string;
  /** SHA-256 of the files that may be taken, in hex; empty where the lock has none. */
  hashes: string[];
  /** Whether it may be left out: it has a condition that this machine may not meet. */
  isConditional: boolean;
  /** The index that the lock names, where it is not the public one. */
  index: string | null;
  /** Whether the lock has wheels of it, so that sources are for other machines. */
  hasWheels: boolean;
}

export interface PythonLock {
  packages: PinnedPackage[];
  /** Requirements without one version. */
  unpinned: string[];
  /** Requirements that come from no index. */
  foreign: string[];
  /** Packages or lines of other indexes than the server's, and their hosts. */
  elsewhere: { name: string; from: string }[];
  /** Whether it names a private index. */
  hasPrivate: boolean;
  /** What pip is told to install. */
  text: string;
  /** Whether the lock names everything, so that pip need not look for what packages need. */
  isWhole: boolean;
}

/** `private`: of the owner's own. */
type IndexKind = 'public' | 'private' | 'unknown';

const normalName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** The public index, and the hosts that a server may be told of as the same. */
const publicHosts = ['pypi.org', 'pypi.python.org'];

/**
 * The texts of one lock, or of all requirements; null for what is none. `beside`: files that they may include. An index that
 * is not the server's is refused, because anybody can give a package of the public one the same name.
 */
export function readPythonLock(
  texts: readonly TextFile[],
  beside: readonly TextFile[],
  { registry, sourceOf }: Pick<Surroundings, 'registry' | 'sourceOf'>,
): PythonLock | null {
  const [first] = texts;
  const kindOf = (url: string): IndexKind => {
    if (!URL.canParse(url)) return 'unknown';
    if (sourceOf('', url).isPrivate) return 'private';
    return [...publicHosts, new URL(registry).host].includes(new URL(url).host) ? 'public' : 'unknown';
  };
  return first?.path.endsWith('.lock') ? readTomlLock(first.text, kindOf) : readRequirements(texts, beside, kindOf);
}

/** An address may carry a token. */
const hostOf = (url: string) => (URL.canParse(url) ? new URL(url).host : 'an address that is none');

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isTable) : []);
const sha256Of = (value: unknown): string[] => {
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(textOf(value)) ?? [];
  return hex === undefined ? [] : [hex.toLowerCase()];
};

/** Both locks have a table for each package; uv names files by address, poetry by name. */
function readTomlLock(text: string, kindOf: (url: string) => IndexKind): PythonLock | null {
  let lock: unknown;
  try {
    lock = parse(text);
  } catch {
    return null;
  }
  if (!isTable(lock) || !Array.isArray(lock.package)) return null;
  const packages: PinnedPackage[] = [];
  const foreign: string[] = [];
  const elsewhere: PythonLock['elsewhere'] = [];
  for (const each of listOf(lock.package)) {
    const [name, version] = [normalName(textOf(each.name)), textOf(each.version)];
    const source = isTable(each.source) ? each.source : {};
    // The project itself, and others that lie beside it.
    if ('editable' in source || 'virtual' in source || 'directory' in source) continue;
    const index = textOf(source.registry) || (source.type === 'legacy' ? textOf(source.url) : '');
    const kind = index === '' ? 'public' : kindOf(index);
    if (kind === 'unknown') {
      elsewhere.push({ name, from: hostOf(index) });
      continue;
    }
    if ('git' in source || 'path' in source || (index === '' && 'url' in source)) {
      foreign.push(name);
      continue;
    }
    const wheels = listOf(each.wheels);
    const files = [...listOf(each.files), ...wheels, ...(isTable(each.sdist) ? [each.sdist] : [])];
    const hasWheels = wheels.length > 0 || files.some(({ file }) => textOf(file).endsWith('.whl'));
    const hashes = files.flatMap(({ hash }) => sha256Of(hash));
    packages.push({ name, version, hashes, index: kind === 'private' ? index : null, isConditional: true, hasWheels });
  }
  const hasPrivate = packages.some(({ index }) => index !== null);
  return { packages, unpinned: [], foreign, elsewhere, hasPrivate, text: '', isWhole: true };
}

const pinned = /^([A-Za-z0-9][\w.-]{0,100})(?:\[[\w\s,.-]{0,200}\])?\s*==\s*([\w.!+-]{1,60})\s*(;.*)?$/;

/** Of the command pip, without meaning for what is fetched here. */
const harmless =
  /^(?:-c|--constraint|--require-hashes|--pre|--prefer-binary|--no-binary|--only-binary|--trusted-host)\b/;
const mostIncluded = 50;

/** Lines of pip; one that ends in a backslash goes on in the next. */
function readRequirements(
  texts: readonly TextFile[],
  beside: readonly TextFile[],
  kindOf: (url: string) => IndexKind,
): PythonLock {
  const named = { packages: [], unpinned: [], foreign: [], elsewhere: [] };
  const found: PythonLock = { ...named, hasPrivate: false, text: '', isWhole: false };
  const byPath = new Map([...texts, ...beside].map((each) => [each.path, each]));
  const kept: string[] = [];
  let index: string | null = null;
  const pending = new Set(texts);
  for (const { path, text } of pending) {
    for (const raw of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
      const line = raw.replace(/(?:^|\s)#.*$/, '').trim();
      const [, included] = /^(?:-r|--requirement)[\s=]+(\S{1,300})$/.exec(line) ?? [];
      const other = included === undefined ? undefined : byPath.get(posix.join(posix.dirname(path), included));
      if (other !== undefined && pending.size < mostIncluded) pending.add(other);
      if (line === '' || other !== undefined || harmless.test(line)) continue;
      const place = indexIn(line);
      if (place === null) readRequirement(line, found, kept);
      else index = takeIndex(place, path, kindOf(place.at), found) ?? index;
    }
  }
  const packages = found.packages.map((each) => ({ ...each, index }));
  return { ...found, packages, text: kept.join('\n') };
}

/** Gives the index of all packages, if it is one of the owner's own. */
function takeIndex({ at, isFirst }: IndexLine, path: string, kind: IndexKind, found: PythonLock): string | null {
  if (kind === 'unknown') found.elsewhere.push({ name: path, from: hostOf(at) });
  if (kind === 'private') found.hasPrivate = true;
  // Of further indexes the owner's own says what is for it.
  return kind === 'private' && isFirst ? at : null;
}

interface IndexLine {
  at: string;
  isFirst: boolean;
}

function indexIn(line: string): IndexLine | null {
  const [, option, at] = /^(-i|-f|--index-url|--extra-index-url|--find-links)[\s=]+(\S{1,1000})$/.exec(line) ?? [];
  return at === undefined ? null : { at, isFirst: option === '-i' || option === '--index-url' };
}

function readRequirement(line: string, { packages, unpinned, foreign }: PythonLock, kept: string[]): void {
  const requirement = line.replace(/\s--hash[\s=]\S+/g, '').trim();
  // The project itself.
  if (/^(?:-e|--editable)[\s=]+\.(?:\[.*\])?$|^\.(?:\[.*\])?$/.test(requirement)) return;
  if (/^-|@\s|:\/\//.test(requirement)) {
    foreign.push(requirement.slice(0, 100));
    return;
  }
  const [, name, version, condition] = pinned.exec(requirement) ?? [];
  if (name === undefined || version === undefined) {
    unpinned.push(requirement.slice(0, 100));
    return;
  }
  const hashes = [...line.matchAll(/--hash[\s=]sha256:([0-9a-f]{64})/gi)].map(([, hex]) => hex!.toLowerCase());
  const isConditional = condition !== undefined;
  packages.push({ name: normalName(name), version, hashes, index: null, isConditional, hasWheels: false });
  kept.push(requirement);
}
