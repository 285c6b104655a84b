import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, quote, readArchive, type Sandbox, SandboxError } from '../sandbox/index.ts';
import type { InstallCommand } from './ecosystem.ts';
import { type EcosystemName, everyEcosystem, layeredAt } from './ecosystems.ts';
import type { Prefetched } from './prefetch-worker.ts';
import { type DependencyProblem, problem } from './problems.ts';
import type { Project } from './projects.ts';

/** Installs packages in an empty sandbox, which has no network, and takes out what the tools made. */

export interface Installed {
  problems: DependencyProblem[];
  /** None where nothing could be installed. */
  entries: ArchiveEntry[];
}

interface Limits {
  timeoutMs: number;
  maxBytes: number;
}

/** Files, directories and links; each takes an inode of the host. */
const mostEntries = 100_000;
/** Of the time that is left, what a command may take that only makes later ones quicker. */
const aheadPart = 0.5;

/** Of what sandboxes install with, by ecosystem; it tells one set of tools from another. */
export type Versions = Record<EcosystemName, string>;

export async function versionsIn(sandbox: Sandbox): Promise<Versions> {
  const found = everyEcosystem.map(async ([name, { versions }]) => {
    const { stdout } = await sandbox.exec({ command: `{ ${versions}; } 2> /dev/null`, timeoutMs: 20_000 });
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
): Promise<Installed> {
  const startedMs = performance.now();
  const problems: DependencyProblem[] = [];
  await sandbox.writeInput(packages);
  await sandbox.importWorkspace(manifests);

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
  const entries = await takeOut(sandbox, maxBytes);
  if (entries !== null) return { problems, entries };
  const { path } = projects[0]!.locks[0]!;
  const limit = `${Math.floor(maxBytes / 1024 ** 2)} MiB or ${mostEntries} files`;
  return { problems: [...problems, problem('too_large', { path, limit })], entries: [] };
}

/** What the tools made; null where it is too much. */
async function takeOut(sandbox: Sandbox, maxBytes: number): Promise<ArchiveEntry[] | null> {
  const archive = await sandbox.exportWorkspace(maxBytes).catch((error) => {
    if (error instanceof SandboxError && error.code === 'TOO_LARGE') return null;
    throw error;
  });
  if (archive === null) return null;
  const entries: ArchiveEntry[] = [];
  await inStretches(readArchive(archive), (entry) => {
    if (layeredAt(entry.path) !== null && entries.length <= mostEntries) entries.push(entry);
  });
  return entries.length > mostEntries ? null : entries;
}

/** The end of what a command prints says why it failed. */
const shown = (directory: string, command: string) =>
  `cd ${quote(directory || '.')} && { ${command}; echo $? > /tmp/status; } 2>&1 | tail -c 2000; exit "$(cat /tmp/status)"`;
