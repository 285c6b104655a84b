import { posix } from 'node:path';
import type { PackageRegistryKind } from '@agora-market/contract';
import type { ArchiveEntry } from './entries.ts';
import { type DependencyProblem, type ProblemReason, problem } from './problems.ts';
import type { Sources } from './sources.ts';
import type { Integrity } from './store.ts';

/** What the platform has to know of a language to install a project's packages for it; `ecosystems.ts` lists all. */
export interface Ecosystem {
  /** The registry that its packages come from, as DEPENDENCY_REGISTRIES names it. */
  registry: PackageRegistryKind;
  /** What can be installed of the buyer's files, and what cannot. Looks at paths, and at the head of some files at most. */
  projectsIn(files: readonly File[]): Found;
  /** A command of the sandbox that prints the versions of the programs that install, and run, the packages. */
  versions: string;
  /** Reads lockfiles and asks the registry, in a thread. */
  wantedOf(project: ProjectTexts, around: Surroundings): Promise<FoundWanted> | FoundWanted;
  /** The outermost directory of packages that a path of the workspace is, or lies in; null for other files. */
  layeredAt(path: string): string | null;
  /** What commands need beside packages in these directories. */
  needs?(layered: readonly string[]): Needs;
}

export interface Needs {
  /** Directories, relative to the workspace, that commands look for programs in before all others. */
  programs?: string[];
  environment?: Record<string, string>;
}

interface File {
  path: string;
  content: Buffer;
}

/** A project among the buyer's files whose packages can be installed: where it lies, and the files that name them. */
export interface FoundProject<F = File> {
  /** Empty for the root. */
  directory: string;
  /** What names the packages; the first stands for all in messages. */
  locks: F[];
  /** What else an installation reads. */
  manifests: F[];
}

export interface Found {
  projects: FoundProject[];
  problems: DependencyProblem[];
}

export interface TextFile {
  path: string;
  text: string;
}

/** A project as a thread is given it. */
export type ProjectTexts = FoundProject<TextFile>;

export interface Surroundings extends Sources {
  /** The server's, without a slash at the end. */
  registry: string;
  /** What the command of the same name printed; empty where the sandbox has none of the programs. */
  versions: string;
  /** All projects of the same ecosystem. */
  projects: readonly ProjectTexts[];
  runsScripts: boolean;
  /** Asks a registry for a page of text; null where it has none. Rejects with a RegistryFault alone. */
  ask(url: string, accept: string): Promise<{ text: string; type: string } | null>;
  /** Runs the work for each, some at once. */
  inTurn<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void>;
}

/** What the registry did; every other error is for a lock that cannot be read. */
export class RegistryFault extends Error {}

/** A package that a lockfile names, and where the registry has it. */
export interface Wanted {
  /** With its version, for people. */
  name: string;
  /** Path of the lockfile. */
  lock: string;
  url: string;
  integrity: Integrity;
  /** A host that the registry may send on to, once. */
  redirectHost?: string;
  /** Below `/input` in the sandbox where it is installed. */
  place: string;
  /** The installation goes on without it. */
  isOptional: boolean;
}

/** With problems, nothing of the project is installed. */
export interface FoundWanted {
  problems: DependencyProblem[];
  wanted?: Wanted[];
  /** More files for `/input`. */
  inputs?: ArchiveEntry[];
  /** For `/workspace` while the packages are installed. */
  manifests?: ArchiveEntry[];
  /** Run one after the other in the directory of the project. */
  commands?: InstallCommand[];
  /** What commands that fail leave behind, relative to the workspace. */
  made?: string[];
  /** Packages that the installation goes on without. */
  leftOut?: DependencyProblem[];
  /** Directories whose packages are installed with these, whatever locks lie there. */
  own?: string[];
}

export interface InstallCommand {
  command: string;
  /** What is said of one that fails; null for one that only makes later commands quicker. Only `install_failed` ends the installation. */
  failure: Extract<ProblemReason, 'install_failed' | 'scripts_failed'> | null;
}

export const without = (...problems: DependencyProblem[]): FoundWanted => ({ problems });

export const isBelow = (path: string, directory: string) => directory === '' || path.startsWith(`${directory}/`);

export const directoryOf = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')));

/** For an ecosystem whose packages lie in one directory of the workspace. */
export const layeredIn = (directory: string) => (path: string) =>
  path === directory || path.startsWith(`${directory}/`) ? directory : null;

/** More than anybody has in one repository and tests with one command. */
const mostProjects = 5;

/** The outermost ones, as far as their number is taken. */
export const outermost = <P extends { directory: string }>(projects: readonly P[]): P[] =>
  [...projects].sort((a, b) => a.directory.split('/').length - b.directory.split('/').length).slice(0, mostProjects);

/** Gives each to the innermost project that it lies in. */
export function giveManifests(projects: readonly FoundProject[], files: readonly File[]): void {
  for (const file of files) projects.findLast(({ directory }) => isBelow(file.path, directory))?.manifests.push(file);
}

interface Names {
  lock: string;
  /** How people call the lock, where its name alone says too little. */
  lockOf?: string;
  manifest: string;
  /** A path among packages that are committed. Its group is the directory of the project. */
  vendored: RegExp;
  /** What a manifest that names dependencies has near its beginning. */
  dependency: RegExp;
}

/** For an ecosystem whose projects have a lock beside their manifest. Projects with committed packages are taken as they are. */
export function projectsBeside(
  files: readonly File[],
  { lock, lockOf = lock, manifest, vendored, dependency }: Names,
): Found {
  const paths = new Set(files.map(({ path }) => path));
  const whole = new Set(
    [...paths].flatMap(
      (path) =>
        vendored
          .exec(path)
          ?.slice(1, 2)
          .map((each) => each ?? '') ?? [],
    ),
  );
  const all = files.flatMap((file): FoundProject[] => {
    const directory = directoryOf(file.path);
    if (posix.basename(file.path) !== lock || whole.has(directory)) return [];
    return paths.has(posix.join(directory, manifest)) ? [{ directory, locks: [file], manifests: [] }] : [];
  });
  const projects = outermost(all);
  const root = files.find(({ path }) => path === manifest);
  if (projects.length > 0 || root === undefined || whole.has('')) return { projects, problems: [] };
  const head = root.content.subarray(0, headBytes).toString('utf8');
  return { projects, problems: dependency.test(head) ? [problem('no_lock', { ...root, name: lockOf })] : [] };
}

/** What a lockfile says is a party's text of any shape. */
export const isTable = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Empty for what is no text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Of a manifest that is looked at on the main thread; a larger one is taken to name dependencies. */
export const headBytes = 64 * 1024;
