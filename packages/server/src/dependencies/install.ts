import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, readArchive, type Sandbox, SandboxError } from '../sandbox/index.ts';
import { layeredAt } from './layers.ts';
import type { Prefetched } from './prefetch-worker.ts';
import { type DependencyProblem, problem } from './problems.ts';
import type { Project } from './projects.ts';

/** Installs packages in an empty sandbox, which has no network, and takes out what npm made. */

export interface Installed {
  problems: DependencyProblem[];
  /** Null where npm could not install them. */
  entries: ArchiveEntry[] | null;
}

interface Limits {
  timeoutMs: number;
  maxBytes: number;
  runsScripts: boolean;
}

const mostEntries = 200_000;
const quietly =
  '--offline --no-audit --no-fund --no-update-notifier --loglevel=error --logs-max=0 --cache=/input/cache';
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

export async function install(
  sandbox: Sandbox,
  projects: readonly Project[],
  { cache, manifests, hasScripts }: Prefetched,
  { timeoutMs, maxBytes, runsScripts }: Limits,
): Promise<Installed> {
  const startedMs = performance.now();
  const problems: DependencyProblem[] = [];
  const run = async (directory: string, command: string) => {
    const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - startedMs)));
    // The end of what it prints says why it failed.
    const shown = `cd ${quote(directory || '.')} && { ${command}; echo $? > /tmp/status; } 2>&1 | tail -c 2000`;
    return sandbox.exec({ command: `${shown}; exit "$(cat /tmp/status)"`, timeoutMs: leftMs });
  };
  await sandbox.writeInput(cache!);
  await sandbox.importWorkspace(manifests!);
  for (const { directory, lock } of projects) {
    const { path } = lock;
    const made = await run(directory, `npm ci --ignore-scripts ${quietly}`);
    if (made.timedOut)
      return { problems: [problem('timed_out', { path, limit: `${timeoutMs / 1000} s` })], entries: null };
    if (made.exitCode !== 0)
      return { problems: [problem('install_failed', { path, output: made.stdout.trim() })], entries: null };
    if (!hasScripts || !runsScripts) continue;
    const ran = await run(directory, `npm rebuild ${quietly}`);
    if (ran.exitCode !== 0) problems.push(problem('scripts_failed', { path, output: ran.stdout.trim() }));
  }
  const { path } = projects[0]!.lock;
  const tooLarge = {
    problems: [problem('too_large', { path, limit: `${Math.floor(maxBytes / 1024 ** 2)} MiB` })],
    entries: null,
  };
  const archive = await sandbox.exportWorkspace(maxBytes).catch((error) => {
    if (error instanceof SandboxError && error.code === 'TOO_LARGE') return null;
    throw error;
  });
  if (archive === null) return tooLarge;
  const entries: ArchiveEntry[] = [];
  await inStretches(readArchive(archive), (entry) => {
    if (layeredAt(entry.path) !== null && entries.length <= mostEntries) entries.push(entry);
  });
  return entries.length > mostEntries ? tooLarge : { problems, entries };
}
