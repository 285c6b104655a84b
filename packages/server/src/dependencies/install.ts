import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, readArchive, type Sandbox, SandboxError } from '../sandbox/index.ts';
import { layeredAt } from './layers.ts';
import type { Prefetched } from './prefetch-worker.ts';
import { type DependencyProblem, problem } from './problems.ts';
import { environmentPath, type Project } from './projects.ts';
import type { PythonVersion } from './python/files.ts';
import { requirementsPath } from './python/wanted.ts';

/** Installs packages in an empty sandbox, which has no network, and takes out what the tools made. */

export interface Installed {
  problems: DependencyProblem[];
  /** Null where they cannot be installed. */
  entries: ArchiveEntry[] | null;
}

interface Limits {
  timeoutMs: number;
  maxBytes: number;
  runsScripts: boolean;
}

const mostEntries = 200_000;
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const npm = '--offline --no-audit --no-fund --no-update-notifier --loglevel=error --logs-max=0 --cache=/input/npm';
const pip = [
  `pip3 --python ${environmentPath}/bin/python install --no-index --find-links /input/python --no-cache-dir --quiet`,
  `--disable-pip-version-check --no-build-isolation --no-warn-script-location --root-user-action=ignore`,
].join(' ');
/** The system's packages are seen too: pytest, where the operator has installed it. */
const environment = `python3 -m venv --without-pip --system-site-packages ${environmentPath}`;

/** The Python of a sandbox that has pip too; null where it has not both. */
export async function pythonIn(sandbox: Sandbox): Promise<PythonVersion | null> {
  const ask = 'import sys, platform; print(sys.version_info[0], sys.version_info[1], platform.machine())';
  const { exitCode, stdout } = await sandbox.exec({
    command: `pip3 --version > /dev/null && python3 -c ${quote(ask)}`,
  });
  const [, major, minor, machine] = /^(\d+) (\d+) (\w+)$/.exec(stdout.trim()) ?? [];
  if (exitCode !== 0 || machine === undefined) return null;
  return { major: Number(major), minor: Number(minor), machine };
}

/** What is run for a project, in order. An optional one may fail: the packages are there all the same. */
function commandsOf(
  { tool }: Project,
  { hasScripts, isWhole }: Prefetched,
  runsScripts: boolean,
): { command: string; isOptional?: true }[] {
  if (tool === 'pip')
    return [{ command: `${environment} && ${pip}${isWhole ? ' --no-deps' : ''} -r ${requirementsPath}` }];
  const first = { command: `npm ci --ignore-scripts ${npm}` };
  return hasScripts && runsScripts ? [first, { command: `npm rebuild ${npm}`, isOptional: true }] : [first];
}

export async function install(
  sandbox: Sandbox,
  projects: readonly Project[],
  fetched: Prefetched,
  { timeoutMs, maxBytes, runsScripts }: Limits,
): Promise<Installed> {
  const startedMs = performance.now();
  const problems: DependencyProblem[] = [];
  await sandbox.writeInput(fetched.packages!);
  await sandbox.importWorkspace(fetched.manifests!);
  for (const project of projects) {
    const { path } = project.locks[0]!;
    for (const { command, isOptional = false } of commandsOf(project, fetched, runsScripts)) {
      const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - startedMs)));
      const { exitCode, stdout, timedOut } = await sandbox.exec({
        command: shown(project.directory, command),
        timeoutMs: leftMs,
      });
      if (exitCode === 0 && !timedOut) continue;
      const output = stdout.trim();
      if (isOptional) problems.push(problem('scripts_failed', { path, output }));
      else if (timedOut) return refused(problem('timed_out', { path, limit: `${timeoutMs / 1000} s` }));
      else return refused(problem('install_failed', { path, output }));
    }
  }
  const { path } = projects[0]!.locks[0]!;
  const tooLarge = problem('too_large', { path, limit: `${Math.floor(maxBytes / 1024 ** 2)} MiB` });
  const archive = await sandbox.exportWorkspace(maxBytes).catch((error) => {
    if (error instanceof SandboxError && error.code === 'TOO_LARGE') return null;
    throw error;
  });
  if (archive === null) return refused(tooLarge);
  const entries: ArchiveEntry[] = [];
  await inStretches(readArchive(archive), (entry) => {
    if (layeredAt(entry.path) !== null && entries.length <= mostEntries) entries.push(entry);
  });
  return entries.length > mostEntries ? refused(tooLarge) : { problems, entries };
}

const refused = (why: DependencyProblem): Installed => ({ problems: [why], entries: null });

/** The end of what a command prints says why it failed. */
const shown = (directory: string, command: string) =>
  `cd ${quote(directory || '.')} && { ${command}; echo $? > /tmp/status; } 2>&1 | tail -c 2000; exit "$(cat /tmp/status)"`;
