import { posix } from 'node:path';
import { type ArchiveEntry, fileEntry } from '../entries.ts';
import { type DependencyProblem, problem } from '../problems.ts';
import type { ProjectTexts, Wanted } from '../wanted.ts';
import { bestFile, filesOf, type IndexFile, type PythonVersion } from './files.ts';
import { type PinnedPackage, readPythonLock } from './lock.ts';

/** Where the index of all keeps its files. */
const publicFiles = 'files.pythonhosted.org';
/** What pip installs, below `/workspace` while it does. */
export const requirementsPath = '.agora-requirements.txt';

/** Asks the registry for a page of text. */
export type Ask = (url: string, accept: string) => Promise<{ text: string; type: string }>;

/** What a lock of Python names: the index is asked for the files of each package, and one of them is taken. */
export async function wantedOfPython(
  { locks }: ProjectTexts,
  {
    registry,
    python,
    ask,
    inTurn,
  }: {
    registry: string;
    python: PythonVersion;
    ask: Ask;
    /** Runs the work for each, some at once. */
    inTurn: <T>(items: readonly T[], work: (item: T) => Promise<void>) => Promise<void>;
  },
): Promise<{ wanted: Wanted[]; manifests: ArchiveEntry[]; problems: DependencyProblem[]; isWhole: boolean }> {
  const { path } = locks[0]!;
  const read = readPythonLock(locks);
  if (read === null)
    return { wanted: [], manifests: [], problems: [problem('unreadable_python_lock', { path })], isWhole: false };
  const problems = [
    ...read.unpinned.slice(0, 5).map((name) => problem('not_pinned', { path, name })),
    ...read.foreign.slice(0, 5).map((name) => problem('not_from_registry', { path, name })),
  ];
  const wanted: Wanted[] = [];
  const left = new Set<string>();
  await inTurn(problems.length > 0 ? [] : read.packages, async (pinned) => {
    const file = await fileFor(pinned, registry, python, ask);
    const about = { path, name: `${pinned.name} ${pinned.version}` };
    if (file === null) {
      left.add(pinned.name);
      if (!pinned.isConditional) problems.push(problem('no_file', about));
      return;
    }
    const { host } = new URL(file.url);
    if (host !== new URL(registry).host && host !== publicFiles) {
      problems.push(problem('unknown_registry', { ...about, from: host }));
      return;
    }
    const integrity = { algorithm: 'sha256', hex: file.hash };
    const place = posix.join('python', posix.basename(file.filename));
    wanted.push({ name: about.name, lock: path, url: file.url, integrity, place, isOptional: false });
  });
  // A whole lock also names what only other machines need; pip looks at the conditions of requirements itself.
  const lines = read.text.split('\n').filter((line) => !read.isWhole || !left.has(line.split('==')[0]!));
  return { wanted, problems, manifests: [fileEntry(requirementsPath, lines.join('\n'))], isWhole: read.isWhole };
}

const accepted = 'application/vnd.pypi.simple.v1+json, text/html;q=0.1';

async function fileFor(
  { name, version, hashes }: PinnedPackage,
  registry: string,
  python: PythonVersion,
  ask: Ask,
): Promise<IndexFile | null> {
  if (!/^[a-z0-9][a-z0-9-]{0,200}$/.test(name)) return null;
  const url = `${registry}/${name}/`;
  const { text, type } = await ask(url, accepted);
  const files = filesOf(text, type.includes('json'), url);
  const known = hashes.length === 0 ? files : files.filter(({ hash }) => hashes.includes(hash));
  return bestFile(known, name, version, python);
}
