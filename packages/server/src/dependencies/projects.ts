import { posix } from 'node:path';
import type { SandboxFile } from '../sandbox/index.ts';
import { type DependencyProblem, problem } from './problems.ts';

/** A project of npm among the buyer's files: where it lies, and the files that say what it needs. */
export interface Project {
  /** Empty for the root. */
  directory: string;
  lock: SandboxFile;
  /** Every package.json and .npmrc below, those of other projects left out. */
  manifests: SandboxFile[];
}

const locks = ['npm-shrinkwrap.json', 'package-lock.json'];
const otherLocks = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
const manifests = new Set(['package.json', '.npmrc']);
/** More than anybody has in one repository and tests with one command. */
const mostProjects = 5;
/** A manifest that is larger is taken to name dependencies. */
const readBytes = 64 * 1024;
/** Of a lockfile; the largest known ones have five. */
export const mostLockBytes = 32 * 1024 * 1024;

const isBelow = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`);
const directoryOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What can be installed, outermost first, and what cannot. */
export function projectsOf(files: readonly SandboxFile[]): { projects: Project[]; problems: DependencyProblem[] } {
  const named = files.filter(({ path }) => !/(?:^|\/)node_modules\//.test(path));
  const byPath = new Map(named.map((file) => [file.path, file]));
  const directories = [...new Set(named.filter(({ path }) => isManifest(path)).map(({ path }) => directoryOf(path)))];
  const isVendored = (directory: string) =>
    files.some(({ path }) => path.startsWith(posix.join(directory, 'node_modules/')));
  const lockIn = (directory: string) =>
    locks.map((name) => byPath.get(posix.join(directory, name))).find((file) => file !== undefined);
  const projects = directories
    .flatMap((directory) => {
      const lock = lockIn(directory);
      return lock === undefined || isVendored(directory) ? [] : [{ directory, lock, manifests: [] as SandboxFile[] }];
    })
    .sort((a, b) => a.directory.split('/').length - b.directory.split('/').length)
    .slice(0, mostProjects);
  for (const file of named) {
    if (!manifests.has(posix.basename(file.path))) continue;
    projects.findLast(({ directory }) => isBelow(file.path, directory))?.manifests.push(file);
  }
  return { projects, problems: projects.length > 0 || isVendored('') ? [] : withoutLock(byPath) };
}

const isManifest = (path: string) => posix.basename(path) === 'package.json';

/** Nothing can be installed: what the root names all the same. */
function withoutLock(byPath: ReadonlyMap<string, SandboxFile>): DependencyProblem[] {
  const manifest = byPath.get('package.json');
  if (manifest === undefined || !namesDependencies(manifest)) return [];
  const other = otherLocks.find((name) => byPath.has(name));
  return [other === undefined ? problem('no_lock', manifest) : problem('unsupported_lock', { path: other })];
}

function namesDependencies({ content }: SandboxFile): boolean {
  if (content.length > readBytes) return true;
  try {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(content.toString('utf8')) ?? {};
    return [dependencies, devDependencies].some((each) => each !== null && Object.keys(each).length > 0);
  } catch {
    return false;
  }
}
