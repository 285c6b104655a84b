import { posix } from 'node:path';
import { type FoundWanted, type ProjectTexts, type Surroundings, type Wanted, without } from '../ecosystem.ts';
import { fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import { bestFile, filesOf, type IndexFile, type PythonVersion } from './files.ts';
import { type PinnedPackage, type PythonLock, readPythonLock } from './lock.ts';

/** Where Python's packages lie, relative to the workspace. */
export const environmentPath = '.venv';

/** Where the index of all keeps its files. */
const publicFiles = 'files.pythonhosted.org';
/** What pip installs, below `/workspace` while it does. */
const requirementsPath = '.agora-requirements.txt';
const told = 5;

/** The system's packages are seen too: pytest, where the operator has installed it. */
const environment = `python3 -m venv --without-pip --system-site-packages ${environmentPath}`;
const pip = [
  `pip3 --python ${environmentPath}/bin/python install --no-index --find-links /input/python --no-cache-dir --quiet`,
  '--disable-pip-version-check --no-build-isolation --no-warn-script-location --root-user-action=ignore',
].join(' ');

/** Null without Python, or without a pip that can install for another Python (22.3). */
function pythonIn(versions: string): PythonVersion | null {
  const [, major, minor, machine] = /^(\d+) (\d+) (\w+)$/m.exec(versions) ?? [];
  const [, pipMajor, pipMinor] = /^pip (\d+)\.(\d+)/m.exec(versions) ?? [];
  const isNew = Number(pipMajor) > 22 || (Number(pipMajor) === 22 && Number(pipMinor) >= 3);
  return isNew && machine !== undefined ? { major: Number(major), minor: Number(minor), machine } : null;
}

/** What a lock of Python names: the index is asked for the files of each package, and one of them is taken. */
export async function wantedOfPython({ locks, manifests }: ProjectTexts, around: Surroundings): Promise<FoundWanted> {
  const { sourceOf, inTurn } = around;
  const { path } = locks[0]!;
  const python = pythonIn(around.versions);
  if (python === null) return without(problem('no_tool', { path, name: 'pip3 of version 22.3 or newer' }));
  const read = readPythonLock(locks, manifests, around);
  if (read === null) return without(problem('unreadable_lock', { path }));
  const problems = [...faultsOf(read, path), ...unproven(read, path, around)];
  if (problems.length > 0) return without(...problems);
  const leftOut: DependencyProblem[] = [];
  const taken = new Map<PinnedPackage, IndexFile>();
  await inTurn(read.packages, async (pinned) => {
    const file = await fileFor(pinned, python, around);
    const about = { path, name: `${pinned.name} ${pinned.version}` };
    if (file !== null) taken.set(pinned, file);
    else if (pinned.isConditional) leftOut.push(problem('left_out', about));
    else problems.push(problem('no_file', about));
  });
  if (read.isWhole) for (const twin of olderTwins([...taken.keys()])) taken.delete(twin);
  const wanted: Wanted[] = [];
  for (const [{ name, version, index }, file] of taken) {
    const about = { path, name: `${name} ${version}` };
    const { host } = new URL(file.url);
    const source = sourceOf(name, index);
    if (host !== new URL(source.url).host && (source.isPrivate || host !== publicFiles)) {
      problems.push(problem('unknown_registry', { ...about, from: host }));
      continue;
    }
    const integrity = { algorithm: 'sha256', hex: file.hash };
    const place = posix.join('python', posix.basename(file.filename));
    wanted.push({ name: about.name, lock: path, url: file.url, integrity, place, isOptional: false });
  }
  // A whole lock names everything; of requirements pip itself looks at the conditions.
  const lines = read.isWhole ? [...taken.keys()].map(({ name, version }) => `${name}==${version}`) : [read.text];
  const install = `${environment} && ${pip}${read.isWhole ? ' --no-deps' : ''} -r ${requirementsPath}`;
  return {
    ...{ problems, wanted, leftOut },
    commands: [{ command: install, failure: 'install_failed' }],
    made: [environmentPath],
    manifests: [fileEntry(requirementsPath, lines.join('\n'))],
  };
}

function faultsOf({ unpinned, foreign, elsewhere }: PythonLock, path: string): DependencyProblem[] {
  return [
    ...unpinned.slice(0, told).map((name) => problem('not_pinned', { path, name })),
    ...foreign.slice(0, told).map((name) => problem('not_from_registry', { path, name })),
    ...elsewhere.slice(0, told).map(({ name, from }) => problem('unknown_registry', { path, name, from })),
  ];
}

/**
 * Packages without a hash where some come from a private index: the buyer could give the gate another one than the agent, and
 * anybody could give a package of the public index its name.
 */
function unproven({ packages, hasPrivate }: PythonLock, path: string, { sourceOf }: Surroundings): DependencyProblem[] {
  const bare = packages.filter(
    ({ name, hashes, index }) => hashes.length === 0 && (hasPrivate || sourceOf(name, index).isPrivate),
  );
  return bare.slice(0, told).map(({ name, version }) => problem('no_integrity', { path, name: `${name} ${version}` }));
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
  { name, version, hashes, index, hasWheels }: PinnedPackage,
  python: PythonVersion,
  { sourceOf, ask }: Surroundings,
): Promise<IndexFile | null> {
  if (!/^[a-z0-9][a-z0-9-]{0,200}$/.test(name)) return null;
  const url = `${sourceOf(name, index).url}/${name}/`;
  const page = await ask(url, accepted);
  if (page === null) return null;
  const files = filesOf(page.text, page.type.includes('json'), url);
  const known = hashes.length === 0 ? files : files.filter(({ hash }) => hashes.includes(hash));
  return bestFile(hasWheels ? known.filter(({ filename }) => filename.endsWith('.whl')) : known, name, version, python);
}
