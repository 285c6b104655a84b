import { inStretches } from '../platform/index.ts';
import { type ArchiveEntry, readArchive, type Sandbox, SandboxError } from '../sandbox/index.ts';
import { layeredAt } from './layers.ts';
import type { Fetched, Prefetched } from './prefetch-worker.ts';
import { type DependencyProblem, problem } from './problems.ts';
import { environmentPath, type Project } from './projects.ts';
import type { PythonVersion } from './python/files.ts';
import { requirementsPath } from './python/wanted.ts';

/** Installs packages in an empty sandbox, which has no network, and takes out what the tools made. */

export interface Installed {
  problems: DependencyProblem[];
  /** None where nothing could be installed. */
  entries: ArchiveEntry[];
}

interface Limits {
  timeoutMs: number;
  maxBytes: number;
  runsScripts: boolean;
}

/** Files, directories and links; each takes an inode of the host. */
const mostEntries = 100_000;
const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const npm = '--offline --no-audit --no-fund --no-update-notifier --loglevel=error --logs-max=0 --cache=/input/npm';
const pip = [
  `pip3 --python ${environmentPath}/bin/python install --no-index --find-links /input/python --no-cache-dir --quiet`,
  '--disable-pip-version-check --no-build-isolation --no-warn-script-location --root-user-action=ignore',
].join(' ');
/** The system's packages are seen too: pytest, where the operator has installed it. */
const environment = `python3 -m venv --without-pip --system-site-packages ${environmentPath}`;

/** What sandboxes install with. */
export interface Tools {
  /** Null without Python, or without a pip that can install for another Python (22.3). */
  python: PythonVersion | null;
  /** Tells one set of tools from another. */
  text: string;
}

export async function toolsIn(sandbox: Sandbox): Promise<Tools> {
  const python = 'import sys, platform; print(sys.version_info[0], sys.version_info[1], platform.machine())';
  const command = `node -p process.versions.modules; npm --version; python3 -c ${quote(python)}; pip3 --version`;
  const { stdout: text } = await sandbox.exec({ command: `{ ${command}; } 2> /dev/null`, timeoutMs: 20_000 });
  const [, major, minor, machine] = /^(\d+) (\d+) (\w+)$/m.exec(text) ?? [];
  const [, pipMajor, pipMinor] = /^pip (\d+)\.(\d+)/m.exec(text) ?? [];
  const isNew = Number(pipMajor) > 22 || (Number(pipMajor) === 22 && Number(pipMinor) >= 3);
  if (!isNew || machine === undefined) return { python: null, text };
  return { python: { major: Number(major), minor: Number(minor), machine }, text };
}

/** What is run for a project, in order. An optional one may fail: the packages are there all the same. */
function commandsOf(
  { tool }: Project,
  { hasScripts, isWhole }: Fetched,
  runsScripts: boolean,
): { command: string; isOptional?: true }[] {
  if (tool === 'pip')
    return [{ command: `${environment} && ${pip}${isWhole ? ' --no-deps' : ''} -r ${requirementsPath}` }];
  const first = { command: `npm ci --ignore-scripts ${npm}` };
  return hasScripts && runsScripts ? [first, { command: `npm rebuild ${npm}`, isOptional: true }] : [first];
}

/** A project that cannot be installed is left out of what comes back. */
export async function install(
  sandbox: Sandbox,
  projects: readonly Project[],
  { fetched, packages, manifests }: Prefetched,
  { timeoutMs, maxBytes, runsScripts }: Limits,
): Promise<Installed> {
  const startedMs = performance.now();
  const problems: DependencyProblem[] = [];
  await sandbox.writeInput(packages);
  await sandbox.importWorkspace(manifests);
  for (const each of fetched) {
    const project = projects[each.project]!;
    const { path } = project.locks[0]!;
    for (const { command, isOptional = false } of commandsOf(project, each, runsScripts)) {
      const leftMs = Math.max(1, Math.round(timeoutMs - (performance.now() - startedMs)));
      const { directory } = project;
      const { exitCode, stdout, timedOut } = await sandbox.exec({
        command: shown(directory, command),
        timeoutMs: leftMs,
      });
      if (exitCode === 0 && !timedOut) continue;
      const output = stdout.trim();
      if (isOptional) problems.push(problem('scripts_failed', { path, output }));
      else {
        problems.push(
          timedOut
            ? problem('install_timed_out', { path, limit: `${timeoutMs / 1000} s` })
            : problem('install_failed', { path, output }),
        );
        const made = project.tool === 'pip' ? environmentPath : 'node_modules';
        await sandbox.exec({ command: shown(directory, `rm -rf ${made}`), timeoutMs: 60_000 });
      }
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
