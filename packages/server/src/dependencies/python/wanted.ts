import { posix } from 'node:path';
import { type ArchiveEntry, fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import type { ProjectTexts, Wanted } from '../wanted.ts';
import { bestFile, filesOf, type IndexFile, type PythonVersion } from './files.ts';
import { type PinnedPackage, type PythonLock, readPythonLock } from './lock.ts';

/** Where the index of all keeps its files. */
const publicFiles = 'files.pythonhosted.org';
/** What pip installs, below `/workspace` while it does. */
export const requirementsPath = '.agora-requirements.txt';
const told = 5;

/** Asks the registry for a page of text. */
export type Ask = (url: string, accept: string) => Promise<{ text: string; type: string }>;

interface Surroundings {
  registry: string;
  python: PythonVersion;
  ask: Ask;
  /** Runs the work for each, some at once. */
  inTurn: <T>(items: readonly T[], work: (item: T) => Promise<void>) => Promise<void>;
}

interface Found {
  wanted: Wanted[];
  manifests: ArchiveEntry[];
  problems: DependencyProblem[];
  /** Packages that are for other machines, or that the index has not. */
  leftOut: DependencyProblem[];
  isWhole: boolean;
}

/** What a lock of Python names: the index is asked for the files of each package, and one of them is taken. */
export async function wantedOfPython({ locks, manifests }: ProjectTexts, around: Surroundings): Promise<Found> {
  const { registry, inTurn } = around;
  const { path } = locks[0]!;
  const found: Found = { wanted: [], manifests: [], problems: [], leftOut: [], isWhole: true };
  const read = readPythonLock(locks, manifests, registry);
  if (read === null) return { ...found, problems: [problem('unreadable_python_lock', { path })] };
  const problems = faultsOf(read, path);
  if (problems.length > 0) return { ...found, problems };
  const taken = new Map<PinnedPackage, IndexFile>();
  await inTurn(read.packages, async (pinned) => {
    const file = await fileFor(pinned, around);
    const about = { path, name: `${pinned.name} ${pinned.version}` };
    if (file !== null) taken.set(pinned, file);
    else if (pinned.isConditional) found.leftOut.push(problem('left_out', about));
    else problems.push(problem('no_file', about));
  });
  if (read.isWhole) for (const twin of olderTwins([...taken.keys()])) taken.delete(twin);
  for (const [{ name, version }, file] of taken) {
    const about = { path, name: `${name} ${version}` };
    const { host } = new URL(file.url);
    if (host !== new URL(registry).host && host !== publicFiles) {
      problems.push(problem('unknown_registry', { ...about, from: host }));
      continue;
    }
    const integrity = { algorithm: 'sha256', hex: file.hash };
    const place = posix.join('python', posix.basename(file.filename));
    found.wanted.push({ name: about.name, lock: path, url: file.url, integrity, place, isOptional: false });
  }
  // A whole lock names everything; of requirements pip itself looks at the conditions.
  const lines = read.isWhole ? [...taken.keys()].map(({ name, version }) => `${name}==${version}`) : [read.text];
  return { ...found, problems, manifests: [fileEntry(requirementsPath, lines.join('\n'))], isWhole: read.isWhole };
}

function faultsOf({ unpinned, foreign, elsewhere }: PythonLock, path: string): DependencyProblem[] {
  return [
    ...unpinned.slice(0, told).map((name) => problem('not_pinned', { path, name })),
    ...foreign.slice(0, told).map((name) => problem('not_from_registry', { path, name })),
    ...elsewhere.slice(0, told).map(({ name, from }) => problem('unknown_registry', { path, name, from })),
  ];
}

/** A lock for several Pythons has packages in several versions: the newest that fits here is taken. */
function olderTwins(packages: readonly PinnedPackage[]): PinnedPackage[] {
  const newest = new Map<string, PinnedPackage>();
  const order = new Intl.Collator('en', { numeric: true });
  for (const each of packages) {
    const other = newest.get(each.name);
    if (other === undefined || order.compare(each.version, other.version) > 0) newest.set(each.name, each);
  }
  return packages.filter((each) => newest.get(each.name) !== each);
}

const accepted = 'application/vnd.pypi.simple.v1+json, text/html;q=0.1';

async function fileFor(
  { name, version, hashes, hasWheels }: PinnedPackage,
  { registry, python, ask }: Surroundings,
): Promise<IndexFile | null> {
  if (!/^[a-z0-9][a-z0-9-]{0,200}$/.test(name)) return null;
  const url = `${registry}/${name}/`;
  const { text, type } = await ask(url, accepted);
  const files = filesOf(text, type.includes('json'), url);
  const known = hashes.length === 0 ? files : files.filter(({ hash }) => hashes.includes(hash));
  return bestFile(hasWheels ? known.filter(({ filename }) => filename.endsWith('.whl')) : known, name, version, python);
}
