import { inStretches } from '../platform/index.ts';
import {
  type ArchiveEntry,
  encodeArchive,
  quote,
  readArchive,
  type Sandbox,
  SandboxError,
  type SandboxFile,
} from '../sandbox/index.ts';
import { type InstallCommand, isBelow } from './ecosystem.ts';
import { type EcosystemName, everyEcosystem, layeredAt } from './ecosystems.ts';
import type { Prefetched } from './prefetch-worker.ts';
import { type DependencyProblem, problem } from './problems.ts';
import type { Project } from './projects.ts';

/** Installs packages in an empty sandbox, which has no network, and takes out what the tools made. */

export interface Installed {
  problems: DependencyProblem[];
  /** None where nothing could be installed. */
  entries: ArchiveEntry[];
  /** What they fill: directories and files, relative to the workspace. */
  paths: string[];
}

/** A command of the buyer's that makes further files. */
export interface Setup {
  command: string;
  timeoutMs: number;
}

/** How problems name it. */
export const setupPath = 'input.environment.setup';

interface Limits {
  timeoutMs: number;
  maxBytes: number;
}

/** Places that a layer fills; the gate names each in its commands. */
const mostPaths = 500;
/** Files, directories and links; each takes an inode of the host. */
const mostEntries = 100_000;
/** Of the time that is left, what a command may take that only makes later ones quicker. */
const aheadPart = 0.5;

/** Of what sandboxes install with, by ecosystem; it tells one set of tools from another. */
export type Versions = Record<EcosystemName, string>;

export async function versionsIn(sandbox: Sandbox): Promise<Versions> {
  const found = everyEcosystem.map(async ([name, { versions }]) => {
    const { stdout, timedOut } = await sandbox.exec({ command: `{ ${versions}; } 2> /dev/null`, timeoutMs: 60_000 });
    if (timedOut) throw new SandboxError('SANDBOX_UNAVAILABLE', 'The tools of sandboxes could not be asked in time.');
    return [name, stdout];
  });
  return Object.fromEntries(await Promise.all(found));
}

/** A project that cannot be installed is left out of what comes back. */
export async function install(
  sandbox: Sandbox,
  projects: readonly Project[],
  { fetched, packages, manifests }: Prefetched,
  { timeoutMs, maxBytes }: Limits,
  setup: (Setup & { files: readonly SandboxFile[] }) | null,
): Promise<Installed> {
  const startedMs = performance.now();
  const problems: DependencyProblem[] = [];
  if (fetched.length > 0) {
    await sandbox.writeInput(packages);
    await sandbox.importWorkspace(manifests);
  }

  async function run(directory: string, path: string, { command, failure }: InstallCommand): Promise<boolean> {
    const leftMs = timeoutMs - (performance.now() - startedMs);
    const { exitCode, stdout, timedOut } = await sandbox.exec({
      command: shown(directory, command),
      timeoutMs: Math.max(1, Math.round(failure === null ? leftMs * aheadPart : leftMs)),
    });
    if ((exitCode === 0 && !timedOut) || failure === null) return true;
    const isLate = timedOut && failure === 'install_failed';
    problems.push(
      isLate
        ? problem('install_timed_out', { path, limit: `${timeoutMs / 1000} s` })
        : problem(failure, { path, output: stdout.trim() }),
    );
    return failure !== 'install_failed';
  }

  for (const { project, commands, made } of fetched) {
    const { directory, locks } = projects[project]!;
    for (const command of commands) {
      if (await run(directory, locks[0]!.path, command)) continue;
      const left = made.map((path) => quote(`./${path}`)).join(' ');
      if (left !== '') await sandbox.exec({ command: `rm -rf ${left}`, timeoutMs: 60_000 });
      break;
    }
  }
  if (setup !== null) problems.push(...(await setUp(sandbox, setup)));
  const all = fetched.flatMap((each) => each.made);
  const layered = (path: string) => layeredAt(path) ?? all.find((each) => isBelow(`${path}/`, each)) ?? null;
  const path = projects[0]?.locks[0]?.path ?? setupPath;
  const made = await takeOut(sandbox, maxBytes, setup === null ? layered : placesBeside(setup.files, layered)).catch(
    (error) => {
      // Scripts make directories that nest too deeply, or that nobody may read.
      if (!(error instanceof SandboxError && error.code === 'REFUSED')) throw error;
      return problem(setup === null ? 'install_failed' : 'setup_failed', { path, output: error.message });
    },
  );
  if (made !== null && 'entries' in made) return { problems, ...made };
  const limit = `${Math.floor(maxBytes / 1024 ** 2)} MiB, ${mostEntries} files or ${mostPaths} places`;
  return { problems: [...problems, made ?? problem('too_large', { path, limit })], entries: [], paths: [] };
}

async function setUp(
  sandbox: Sandbox,
  { command, timeoutMs, files }: Setup & { files: readonly SandboxFile[] },
): Promise<DependencyProblem[]> {
  const entries = files.map(({ path, content, executable }): ArchiveEntry => {
    return { type: 'file', path, content, mode: executable ? 0o755 : 0o644, modifiedMs: 0 };
  });
  await sandbox.importWorkspace(await encodeArchive(entries));
  // In a shell of its own, which may exit.
  const own = `sh -c ${quote(command)}`;
  const { exitCode, stdout, timedOut } = await sandbox.exec({ command: shown('', own), timeoutMs });
  if (timedOut) return [problem('setup_timed_out', { path: setupPath, limit: `${timeoutMs / 1000} s` })];
  return exitCode === 0 ? [] : [problem('setup_failed', { path: setupPath, output: stdout.trim() })];
}

/** Of what lies beside the buyer's files the outermost; null for the files themselves, whatever was done to them. */
function placesBeside(
  files: readonly SandboxFile[],
  layeredOf: (path: string) => string | null,
): (path: string) => string | null {
  const known = new Set<string>();
  for (const { path } of files) {
    for (let at = path; at !== '' && !known.has(at); at = at.slice(0, Math.max(0, at.lastIndexOf('/')))) known.add(at);
  }
  return (path) => {
    const layered = layeredOf(path);
    if (layered !== null) return layered;
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const place = end < 0 ? path : path.slice(0, end);
      if (!known.has(place)) return place;
      if (end < 0) return null;
    }
  };
}

/** What was made, and where; null where it is too much. `placeOf`: what a path belongs to, null for nothing. */
async function takeOut(
  sandbox: Sandbox,
  maxBytes: number,
  placeOf: (path: string) => string | null,
): Promise<Pick<Installed, 'entries' | 'paths'> | null> {
  const archive = await sandbox.exportWorkspace(maxBytes).catch((error) => {
    if (error instanceof SandboxError && error.code === 'TOO_LARGE') return null;
    throw error;
  });
  if (archive === null) return null;
  const entries: ArchiveEntry[] = [];
  const paths = new Set<string>();
  await inStretches(readArchive(archive), (entry) => {
    const place = placeOf(entry.path);
    if (place === null || entries.length > mostEntries) return;
    entries.push(entry);
    paths.add(place);
  });
  return entries.length > mostEntries || paths.size > mostPaths ? null : { entries, paths: [...paths] };
}

/** The end of what a command prints says why it failed. */
const shown = (directory: string, command: string) =>
  `cd ${quote(directory || '.')} && { ${command}; echo $? > /tmp/status; } 2>&1 | tail -c 2000; exit "$(cat /tmp/status)"`;
