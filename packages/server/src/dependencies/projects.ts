import { posix } from 'node:path';
import type { SandboxFile } from '../sandbox/index.ts';
import { type DependencyProblem, problem } from './problems.ts';

/** A project among the buyer's files whose packages can be installed: where it lies, and the files that name them. */
export interface Project {
  tool: 'npm' | 'pip';
  /** Empty for the root. */
  directory: string;
  /** Of npm one; of Python one, or the requirements. */
  locks: SandboxFile[];
  /** Of npm: every package.json and .npmrc below, those of other projects left out. Of Python: what requirements include. */
  manifests: SandboxFile[];
}

interface Found {
  projects: Project[];
  problems: DependencyProblem[];
}

const npmLocks = ['npm-shrinkwrap.json', 'package-lock.json'];
const otherLocks = ['pnpm-lock.yaml', 'yarn.lock', 'bun.lock'];
const npmManifests = new Set(['package.json', '.npmrc']);
const pythonLocks = ['uv.lock', 'poetry.lock'];
const requirements = /^(?:(?:dev|test|tests)[-_])?requirements(?:[-_.][\w-]{1,40})?\.txt$/;
/** More than anybody has in one repository and tests with one command. */
const mostProjects = 5;
/** A manifest that is larger is taken to name dependencies. */
const readBytes = 64 * 1024;
/** Of all locks and manifests; the largest known lock has five. */
export const mostLockBytes = 16 * 1024 * 1024;

/** Where Python's packages lie, relative to the workspace. */
export const environmentPath = '.venv';

const isBelow = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`);
const directoryOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** What can be installed, outermost first, and what cannot. */
export function projectsOf(files: readonly SandboxFile[]): Found {
  const [npm, python] = [npmProjects(files), pythonProject(files)];
  return {
    projects: [...npm.projects, ...python.projects],
    problems: [...npm.problems, ...python.problems],
  };
}

function npmProjects(files: readonly SandboxFile[]): Found {
  const vendored = new Set<string>();
  const named: SandboxFile[] = [];
  for (const file of files) {
    const [above] = file.path.split(/(?:^|\/)node_modules\//, 1);
    if (above === file.path) named.push(file);
    else vendored.add(above!);
  }
  const byPath = new Map(named.map((file) => [file.path, file]));
  const manifests = named.filter(({ path }) => posix.basename(path) === 'package.json');
  const projects = [...new Set(manifests.map(({ path }) => directoryOf(path)))]
    .flatMap((directory): Project[] => {
      const lock = npmLocks.map((name) => byPath.get(posix.join(directory, name))).find((file) => file !== undefined);
      if (lock === undefined || vendored.has(directory)) return [];
      return [{ tool: 'npm', directory, locks: [lock], manifests: [] }];
    })
    .sort((a, b) => a.directory.split('/').length - b.directory.split('/').length)
    .slice(0, mostProjects);
  for (const file of named) {
    if (!npmManifests.has(posix.basename(file.path))) continue;
    projects.findLast(({ directory }) => isBelow(file.path, directory))?.manifests.push(file);
  }
  return { projects, problems: projects.length > 0 || vendored.has('') ? [] : withoutNpmLock(byPath) };
}

/** Nothing can be installed: what the root names all the same. */
function withoutNpmLock(byPath: ReadonlyMap<string, SandboxFile>): DependencyProblem[] {
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

/** At the root alone, where tools look for it. */
function pythonProject(files: readonly SandboxFile[]): Found {
  if (files.some(({ path }) => path.startsWith(`${environmentPath}/`))) return { projects: [], problems: [] };
  const root = files.filter(({ path }) => !path.includes('/'));
  const lock = pythonLocks.map((name) => root.find(({ path }) => path === name)).find((file) => file !== undefined);
  const locks = lock ? [lock] : root.filter(({ path }) => requirements.test(path));
  const manifests = lock ? [] : files.filter(({ path }) => /^requirements\/[\w.-]{1,100}\.txt$/.test(path));
  if (locks.length > 0) return { projects: [{ tool: 'pip', directory: '', locks, manifests }], problems: [] };
  const manifest = root.find(({ path }) => path === 'pyproject.toml');
  const head = manifest?.content.subarray(0, readBytes).toString('utf8') ?? '';
  const names = /^dependencies\s*=\s*\[\s*["']/m.test(head);
  return { projects: [], problems: manifest && names ? [problem('no_python_lock', manifest)] : [] };
}
