import { isTable, textOf } from '../ecosystem.ts';
import type { Integrity } from '../store.ts';

/** lockfile.json of maven-lockfile: trees of packages, one for the project and one for each plugin, with the hashes of files. */

export interface Coordinates {
  group: string;
  artifact: string;
  version: string;
}

export interface LockedFile extends Coordinates {
  /** Empty for the main one. */
  classifier: string;
  /** `jar` unless the POM says otherwise. */
  type: string;
  /** Its address where the lock was written; empty for a file that came from no registry. */
  at: string;
  /** Null where the lock has none that can be relied on. */
  integrity: Integrity | null;
}

/** What a package needs; Maven has chosen the version. */
export interface Need extends Omit<LockedFile, 'at' | 'integrity'> {
  scope: 'compile' | 'runtime';
}

export interface MavenLock {
  /** The modules of the project itself, which come from no registry. */
  own: Set<string>;
  /** What Maven takes for the project, without what it only looked at. */
  files: LockedFile[];
  /** Of each package by its id, own modules included. */
  needs: Map<string, Need[]>;
  /** POMs that the project's own take settings from; Maven needs these as they are. */
  poms: LockedFile[];
  /** The packages that the project itself uses, without those of plugins. */
  used: Map<string, Coordinates>;
  plugins: Coordinates[];
}

/** Of a package, and without its version. */
export const idOf = ({ group, artifact, version }: Coordinates) => `${group}:${artifact}:${version}`;
export const nameOf = ({ group, artifact }: Coordinates) => `${group}:${artifact}`;

/** A scope that ends at the package that has it. */
const ofItself = ['provided', 'test', 'system'];

type Entry = Record<string, unknown>;

const listOf = (value: unknown): Entry[] => (Array.isArray(value) ? value.filter(isTable) : []);

/** What becomes part of addresses, paths and POMs. */
const groupPattern = /^[\w-]{1,60}(?:\.[\w-]{1,60}){0,20}$/;
const partPattern = /^\w[\w.+-]{0,150}$/;

class NoLock extends Error {}

function partOf(value: unknown, pattern = partPattern): string {
  if (typeof value !== 'string' || !pattern.test(value)) throw new NoLock();
  return value;
}

/** Older locks write some names otherwise. */
const coordinatesOf = (entry: Entry): Coordinates => ({
  group: partOf(entry.groupId ?? entry.groupID, groupPattern),
  artifact: partOf(entry.artifactId ?? entry.artifactID),
  version: partOf(entry.version),
});

const digits: Record<string, number> = { sha1: 40, sha256: 64, sha512: 128 };

function integrityOf({ checksumAlgorithm, checksum }: Entry): Integrity | null {
  const algorithm = textOf(checksumAlgorithm).toLowerCase().replace('-', '');
  const hex = textOf(checksum).toLowerCase();
  if (!Object.hasOwn(digits, algorithm) || hex.length !== digits[algorithm] || !/^[0-9a-f]+$/.test(hex)) return null;
  return { algorithm, hex };
}

const fileOf = (entry: Entry, type = 'jar'): LockedFile => ({
  ...coordinatesOf(entry),
  classifier: entry.classifier === undefined ? '' : partOf(entry.classifier),
  type: entry.type === undefined ? type : partOf(entry.type),
  at: textOf(entry.resolved).slice(0, 2_000),
  integrity: integrityOf(entry),
});

const isLock = (value: unknown): value is Entry =>
  isTable(value) && Array.isArray(value.dependencies) && (value.lockFileVersion ?? 1) === 1;

/** Null for a text that maven-lockfile has not written. A project of several modules has a lock for each. */
export function readMavenLocks(texts: readonly string[]): MavenLock | null {
  try {
    const locks: unknown[] = texts.map((text) => JSON.parse(text));
    if (!locks.every(isLock)) return null;
    return gathered(locks);
  } catch (error) {
    if (error instanceof NoLock || error instanceof SyntaxError || error instanceof RangeError) return null;
    throw error;
  }
}

/** Of one id; the same package may have places in several trees. */
interface Node {
  files: Map<string, LockedFile>;
  /** By what Maven tells dependencies of one package apart. */
  needs: Map<string, Need & { selected: string }>;
}

function gathered(locks: Entry[]): MavenLock {
  const nodes = new Map<string, Node>();
  const nodeOf = (file: LockedFile): Node => {
    const id = idOf(file);
    const node = nodes.get(id) ?? { files: new Map(), needs: new Map() };
    nodes.set(id, node);
    const key = `${file.classifier}:${file.type}`;
    if (node.files.get(key)?.integrity == null) node.files.set(key, file);
    return node;
  };

  /** Without calls of itself: a lock may be as deep as it likes. */
  function take(entries: Entry[], above: Node | null, areDropped: (entry: Entry) => boolean = () => false): void {
    const pending = entries.toReversed().map((entry) => ({ entry, above: areDropped(entry) ? null : above }));
    for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
      const { entry, above: parent } = next;
      const node = nodeOf(fileOf(entry));
      if (parent !== null) addNeed(parent, entry);
      for (const child of listOf(entry.children).reverse()) pending.push({ entry: child, above: node });
    }
  }

  const roots: string[] = [];
  const plugins: Coordinates[] = [];
  const own = new Set<string>();
  const poms = new Map<string, LockedFile>();
  for (const lock of locks) {
    own.add(idOf(coordinatesOf(lock)));
    takePoms(lock, poms);
    const direct = listOf(lock.dependencies).filter(({ scope }) => scope !== 'system');
    take(direct, null);
    roots.push(...direct.map((entry) => idOf(coordinatesOf(entry))));
  }
  // Where trees differ, that of the project counts.
  for (const lock of locks) {
    for (const plugin of [...listOf(lock.mavenPlugins), ...listOf(lock.mavenExtensions)]) {
      const node = nodeOf(fileOf(plugin));
      plugins.push(coordinatesOf(plugin));
      // What only compiles or tests the plugin is there so that its part of the tree is whole.
      take(listOf(plugin.dependencies), node, ({ scope }) => ofItself.includes(textOf(scope)));
    }
  }

  const needsOf = (id: string): Need[] =>
    [...(nodes.get(id)?.needs.values() ?? [])].map(({ selected, ...need }) => {
      const chosen = { ...need, version: selected };
      return nodes.has(idOf(chosen)) ? chosen : need;
    });
  const reached = (from: string[]): Set<string> => {
    const ids = new Set(from);
    for (const id of ids) for (const need of needsOf(id)) ids.add(idOf(need));
    return ids;
  };
  const all = reached([...roots, ...plugins.map(idOf)]);
  const filesOf = (id: string) => [...(nodes.get(id)?.files.values() ?? [])];
  return {
    ...{ own, plugins, poms: [...poms.values()].filter((pom) => !own.has(idOf(pom))) },
    files: [...all].filter((id) => !own.has(id)).flatMap(filesOf),
    needs: new Map([...all].map((id) => [id, needsOf(id)])),
    used: new Map([...reached(roots)].flatMap((id) => filesOf(id).map((file) => [nameOf(file), file]))),
  };
}

/** A scope in a tree is that of the whole way to it: what a test needs for running has `test`. */
function addNeed({ needs }: Node, entry: Entry): void {
  const { at: _, integrity: _integrity, ...file } = fileOf(entry);
  const key = [nameOf(file), file.classifier, file.type].join(':');
  const scope = entry.scope === 'runtime' ? 'runtime' : 'compile';
  const known = needs.get(key);
  if (known === undefined) {
    const selected = entry.selectedVersion === undefined ? file.version : partOf(entry.selectedVersion);
    needs.set(key, { ...file, scope, selected });
  } else if (entry.scope === 'compile') known.scope = 'compile';
}

/** Parents of the project's POM, and POMs that these import versions from. */
function takePoms(lock: Entry, found: Map<string, LockedFile>): void {
  const pending = [...listOf([lock.pom]), ...listOf(lock.boms)];
  for (let entry = pending.pop(); entry !== undefined; entry = pending.pop()) {
    pending.push(...listOf([entry.parent]), ...listOf(entry.boms));
    // Others lie among the project's files.
    if (textOf(entry.resolved) === '') continue;
    const pom = { ...fileOf(entry, 'pom'), type: 'pom' };
    found.set(idOf(pom), pom);
  }
}
