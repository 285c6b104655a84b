import { posix } from 'node:path';
import { parse } from 'smol-toml';
import type { TextFile } from '../wanted.ts';

/** uv.lock, poetry.lock and requirements with versions: which packages a project of Python needs. */

export interface PinnedPackage {
  /** Normalized, as PEP 503 says. */
  name: string;
  version: string;
  /** SHA-256 of the files that may be taken, in hex; empty where the lock has none. */
  hashes: string[];
  /** Whether it may be left out: it has a condition that this machine may not meet. */
  isConditional: boolean;
}

export interface PythonLock {
  packages: PinnedPackage[];
  /** Requirements without one version. */
  unpinned: string[];
  /** Requirements that come from no index. */
  foreign: string[];
  /** What pip is told to install. */
  text: string;
  /** Whether the lock names everything, so that pip need not look for what packages need. */
  isWhole: boolean;
}

const normalName = (name: string) => name.toLowerCase().replace(/[-_.]+/g, '-');

/** The texts of one lock, or of all requirements; null for what is none. */
export function readPythonLock(texts: readonly TextFile[]): PythonLock | null {
  const [first] = texts;
  return first?.path.endsWith('.lock') ? readTomlLock(first.text) : readRequirements(texts);
}

type Table = Record<string, unknown>;
const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): Table[] => (Array.isArray(value) ? value.filter(isTable) : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const sha256Of = (value: unknown): string[] => {
  const [, hex] = /^sha256:([0-9a-f]{64})$/i.exec(textOf(value)) ?? [];
  return hex === undefined ? [] : [hex.toLowerCase()];
};

/** Both locks have a table for each package; uv names files by address, poetry by name. */
function readTomlLock(text: string): PythonLock | null {
  let lock: unknown;
  try {
    lock = parse(text);
  } catch {
    return null;
  }
  if (!isTable(lock) || !Array.isArray(lock.package)) return null;
  const packages: PinnedPackage[] = [];
  const foreign: string[] = [];
  for (const each of listOf(lock.package)) {
    const [name, version] = [normalName(textOf(each.name)), textOf(each.version)];
    const source = isTable(each.source) ? each.source : {};
    // The project itself, and others that lie beside it.
    if ('editable' in source || 'virtual' in source || 'directory' in source) continue;
    if ('git' in source || 'path' in source || 'url' in source || /^(git|url|file)$/.test(textOf(source.type))) {
      foreign.push(name);
      continue;
    }
    const files = [...listOf(each.files), ...listOf(each.wheels), ...(isTable(each.sdist) ? [each.sdist] : [])];
    packages.push({ name, version, hashes: files.flatMap(({ hash }) => sha256Of(hash)), isConditional: true });
  }
  const lines = packages.map(({ name, version }) => `${name}==${version}`);
  return { packages, unpinned: [], foreign, text: lines.join('\n'), isWhole: true };
}

const pinned = /^([A-Za-z0-9][\w.-]{0,100})(?:\[[\w\s,.-]{0,200}\])?\s*==\s*([\w.!+-]{1,60})\s*(;.*)?$/;

/** Lines of pip; one that ends in a backslash goes on in the next. */
function readRequirements(texts: readonly TextFile[]): PythonLock {
  const found: PythonLock = { packages: [], unpinned: [], foreign: [], text: '', isWhole: false };
  const byPath = new Map(texts.map(({ path, text }) => [path, text]));
  const kept: string[] = [];
  for (const { path, text } of texts) {
    for (const raw of text.replace(/\\\r?\n/g, ' ').split(/\r?\n/)) {
      const line = raw.replace(/(?:^|\s)#.*$/, '').trim();
      const [, included] = /^(?:-r|--requirement)[\s=]+(\S{1,300})$/.exec(line) ?? [];
      // Another of these files is read anyway.
      if (line === '' || (included !== undefined && byPath.has(posix.join(posix.dirname(path), included)))) continue;
      // Where pip looks is the operator's matter.
      if (/^(?:-i|-f|--index-url|--extra-index-url|--find-links|--trusted-host|--no-binary|--only-binary)\b/.test(line))
        continue;
      readRequirement(line, found, kept);
    }
  }
  return { ...found, text: kept.join('\n') };
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
  packages.push({ name: normalName(name), version, hashes, isConditional: condition !== undefined });
  kept.push(requirement);
}
