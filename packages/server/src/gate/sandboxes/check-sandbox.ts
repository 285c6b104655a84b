import { systemClock, withTimeout } from '../../platform/index.ts';
import {
  bytesOf,
  quote,
  type Sandbox,
  SandboxError,
  type SandboxFile,
  type SandboxFileContent,
} from '../../sandbox/index.ts';
import { GateUnavailable, WorkspaceRefused } from '../errors.ts';
import type { Reader } from '../reading/readers.ts';
import { type Bins, linkAgain, removeAdded } from '../restore/bins.ts';
import { normal, type Restoration } from '../restore/restored-files.ts';
import type { Planting } from '../twins/plant.ts';
import { findsLayers } from './layered.ts';
import { end, type FreshSandbox, type Layout, type SandboxPool } from './sandbox-pool.ts';

/** Where the workspace lies in every sandbox. */
const root = '/workspace';

/** Opening a sandbox and laying a workspace into it are the platform's own doing and take milliseconds. */
const platformCallMs = 60_000;
/** Past its own time-out plus this, an exec counts as a sandbox that has died. */
const execGraceMs = 15_000;

/** The sandbox ended twice while the delivered work was running in it; evidence as well. */
export class SandboxDied extends Error {}

/** What is written into a new sandbox. */
export interface CheckSandbox {
  pool: SandboxPool;
  reader: Reader;
  /** Names the command. Under one name the same command runs over either content. */
  name: string;
  /** Whether the delivered workspace lies there; the buyer's files otherwise. */
  delivered: boolean;
  restoration: Restoration | null;
  /** Put back with it. */
  bins: Bins | null;
  /** Written over either content, only for the measure. */
  heldOut: readonly SandboxFile[];
  /** Tests that stand in for the buyer's, over either content. */
  planted?: Pick<Planting, 'files' | 'removed'>;
  /** Whether calls of `delivered` are answered; where nobody makes one, that would only cost time. */
  answersCalls: boolean;
  /** Written last; replaces what the agent left at these paths. */
  extraFiles: readonly SandboxFile[];
  /** The delivered workspace is only read, so the sandbox can serve the next command too. */
  runsNothing?: boolean;
}

/**
 * Whether the platform has no sandbox to give. Any later failure, our own exceptions included, has to do with the
 * delivery: if it counted as the platform's fault, the gate would retry for ever.
 */
const isPlatforms = (error: unknown) => error instanceof SandboxError && error.code === 'SANDBOX_UNAVAILABLE';

const within = <T>(promise: Promise<T>, ms: number, what: string): Promise<T> =>
  withTimeout(systemClock, ms, promise, () => new SandboxError('SANDBOX_GONE', `${what} did not end in time`));

export async function execIn(
  sandbox: Sandbox,
  command: string,
  timeoutMs: number,
  more?: { env?: Record<string, string>; cwd?: string; stdin?: Buffer; isOwn?: boolean },
) {
  const capMs = Math.max(1, Math.min(Math.round(timeoutMs), sandbox.limits.maxExecMs));
  return within(sandbox.exec({ command, timeoutMs: capMs, ...more }), capMs + execGraceMs, 'A command');
}

/** The same for a command of the gate's own: it finds no program that a party brought. */
export const execOwn: typeof execIn = (sandbox, command, timeoutMs, more) =>
  execIn(sandbox, command, timeoutMs, { ...more, isOwn: true });

/** A file as far as the sandbox gives it out, or null if there is none. */
export async function readFile(sandbox: Sandbox, path: string): Promise<SandboxFileContent | null> {
  try {
    return await within(sandbox.read(`${root}/${path}`), platformCallMs, 'Reading a file');
  } catch (error) {
    if (!(error instanceof SandboxError) || isPlatforms(error) || error.code === 'SANDBOX_GONE') throw error;
    return null;
  }
}

/** A file's text, or null if it is not there, not text or too long to be read whole. */
export async function readText(sandbox: Sandbox, path: string): Promise<string | null> {
  const file = await readFile(sandbox, path);
  return file !== null && file.encoding === 'utf8' && !file.truncated ? file.content : null;
}

/** Files per command line, far fewer than a system accepts. */
const pathsAtOnce = 100;

/**
 * Part of a `find` that is always true. It opens what its owner cannot enter or write, directories first. A read-only
 * directory must not keep the buyer's files out.
 */
const opening =
  "'(' -type d ! -perm -u=rwx -exec chmod u+rwx {} ';' -o -type f ! -perm -u=rw -exec chmod u+rw {} + -o ! -name '' ')'";

/**
 * Clears the paths of the files to be written. A path may by now be a directory, or lead through a link, which would
 * let one test file replace another. Few processes are started, because each costs more than all it does.
 */
function clearingScript(
  paths: readonly string[],
  { removed, purgeNames, purgeModules }: Pick<Restoration, 'removed' | 'purgeNames' | 'purgeModules'>,
  bins: Bins | null,
  /** Directories that are not the delivery's. */
  layered: readonly string[],
) {
  const lines = ['set -e'];
  const names = purgeNames.map((name) => `-name ${quote(name)}`);
  const own = findsLayers(layered, '.');
  const kept = `${own}${purgeModules ? '' : '-name node_modules -o '}-name .git`;
  const purged = purgeModules ? ['-name node_modules', ...names] : names;
  const purge = purged.length > 0 ? ` -o '(' ${purged.join(' -o ')} ')' -prune -exec rm -rf {} +` : '';
  lines.push(`find . ${opening} '(' ${kept} ')' -prune${purge}`);
  if (bins !== null && !purgeModules) lines.push(removeAdded(bins, opening, own));
  const parents = new Set<string>();
  for (const path of paths) {
    // Upwards as far as nobody has been: many files may lie deep in one directory.
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const parent = path.slice(0, at);
      if (parents.has(parent)) break;
      parents.add(parent);
    }
  }
  for (const parent of [...parents].sort((a, b) => a.length - b.length)) {
    const it = quote(`./${parent}`);
    // Also where `find` did not look.
    const opened = `elif [ ! -w ${it} ] || [ ! -x ${it} ]; then chmod u+rwx ${it}`;
    lines.push(`if [ -L ${it} ] || [ ! -d ${it} ]; then rm -rf ${it}; mkdir -p ${it}; ${opened}; fi`);
  }
  const gone = [...paths, ...removed];
  for (let at = 0; at < gone.length; at += pathsAtOnce) {
    const some = gone.slice(at, at + pathsAtOnce);
    lines.push(`rm -rf ${some.map((path) => quote(`./${path}`)).join(' ')}`);
  }
  if (bins !== null) lines.push(...linkAgain(bins));
  return lines.join('\n');
}

/** The longest text that one argument of a command may have. */
export const argumentBytes = 100_000;

/** As the command itself where it is short: a shell that reads it from its input is one process more. */
const runScript = (sandbox: Sandbox, script: string) =>
  Buffer.byteLength(script) < argumentBytes
    ? execOwn(sandbox, script, 30_000)
    : execOwn(sandbox, 'sh', 30_000, { stdin: bytesOf(script) });

/** The delivered files with those parts of the buyer's that decide. */
export async function mergedFiles(sandbox: Sandbox, reader: Reader, restored: Restoration | null) {
  const merged: SandboxFile[] = [];
  for (const file of restored?.merged ?? []) {
    const delivered = await readText(sandbox, file.path);
    const { scripts, removal } = restored!;
    const text = await reader.read('merge', { path: file.path, delivered, scripts, removal });
    // Null where the work has no such file any more: its tests are missing then.
    if (text !== null) merged.push({ ...file, content: Buffer.from(text) });
  }
  return merged;
}

/** Puts back and adds files, where the content lies already. */
async function dress(sandbox: Sandbox, setup: CheckSandbox): Promise<void> {
  const restored = setup.delivered ? setup.restoration : null;
  const bins = restored && setup.bins;
  const { files: planted = [], removed: replaced = [] } = setup.planted ?? {};
  const left = new Set(replaced);
  const buyers = [
    ...(restored?.files ?? []),
    ...(bins?.files ?? []),
    ...(await mergedFiles(sandbox, setup.reader, restored)),
    ...setup.heldOut,
    ...setup.extraFiles,
  ];
  const files = [...buyers.filter(({ path }) => !left.has(normal(path))), ...planted];
  if (files.length === 0 && bins === null) return;
  const purge = restored ?? { removed: [], purgeNames: [], purgeModules: false };
  const paths = [...files, ...(bins?.links ?? [])].map(({ path }) => path);
  const script = clearingScript(paths, { ...purge, removed: [...purge.removed, ...replaced] }, bins, sandbox.layered);
  const cleared = await runScript(sandbox, script);
  if (cleared.exitCode !== 0) throw new WorkspaceRefused('the delivered workspace could not be prepared');
  for (const file of files) await sandbox.write(file);
}

/** Contents that the sandbox pool can prepare. */
export function layoutOf(setup: CheckSandbox): Layout {
  const content = setup.delivered ? 'delivery' : 'originals';
  return { name: `${setup.name} over ${content}`, content, prepare: (sandbox) => dress(sandbox, setup) };
}

async function complete(
  { sandbox, holds }: FreshSandbox,
  pool: SandboxPool,
  { content, prepare }: Layout,
): Promise<void> {
  if (holds === 'nothing') await pool.lay(sandbox, content);
  if (holds !== 'all') await prepare?.(sandbox);
}

/** The same content for the programs that a command runs apart from itself: nothing of the measure lies there. */
export const besideOf = (setup: CheckSandbox): CheckSandbox => ({
  ...setup,
  name: `${setup.name} apart`,
  heldOut: [],
  planted: undefined,
  extraFiles: [],
});

/** A second sandbox for the delivery, beside the one in which a command runs. The caller ends it. */
export async function openBeside(setup: CheckSandbox): Promise<Sandbox> {
  const { pool } = setup;
  const layout = layoutOf(besideOf(setup));
  const fresh = await pool.takeBeside(layout).catch((error: unknown) => {
    throw new GateUnavailable('No sandbox could be opened beside a check', error);
  });
  try {
    await within(complete(fresh, pool, layout), 2 * platformCallMs, 'Laying the workspace');
    return fresh.sandbox;
  } catch (error) {
    end(fresh.sandbox);
    throw isPlatforms(error) ? new GateUnavailable('The sandbox beside a check failed', error) : error;
  }
}

async function attempt<T>(setup: CheckSandbox, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  const { pool } = setup;
  let fresh: FreshSandbox;
  const layout = layoutOf(setup);
  const opening = pool.take(layout);
  try {
    fresh = await within(opening, platformCallMs, 'Opening a sandbox');
  } catch (error) {
    // If it opens later, it must not keep running.
    void opening.then((late) => end(late.sandbox)).catch(() => undefined);
    throw new GateUnavailable('No sandbox could be opened', error);
  }
  let returned = false;
  try {
    try {
      await within(complete(fresh, pool, layout), 2 * platformCallMs, 'Laying the workspace');
    } catch (error) {
      const answered = error instanceof SandboxError && error.code !== 'SANDBOX_GONE';
      if (!answered || isPlatforms(error)) throw error;
      throw new WorkspaceRefused(`the delivered workspace cannot be laid out (${error.code})`);
    }
    const working = work(fresh.sandbox);
    // Not before the command is on its way.
    if (!setup.runsNothing) setImmediate(() => pool.lookAhead());
    const result = await working;
    if (setup.runsNothing) {
      returned = true;
      pool.giveBack(fresh.sandbox);
    }
    return result;
  } finally {
    if (!returned) end(fresh.sandbox);
  }
}

/**
 * Runs `work` in a new sandbox with the delivered workspace, and ends the sandbox afterwards. So nothing that one
 * command started or wrote reaches the next. If the sandbox dies or refuses, there is one more try: the delivery may
 * have caused it, and must not make the platform run the gate for ever.
 */
export async function inCheckSandbox<T>(setup: CheckSandbox, work: (sandbox: Sandbox) => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(setup, work);
    } catch (error) {
      if (error instanceof GateUnavailable || error instanceof WorkspaceRefused) throw error;
      if (isPlatforms(error)) throw new GateUnavailable('The sandbox failed', error);
      if (tries === 2) throw new SandboxDied(diedOf(error));
    }
  }
}

function diedOf(error: unknown) {
  if (error instanceof SandboxError) return `the sandbox ended or refused the command, twice (${error.code})`;
  return `the delivered work could not be examined, twice (${error instanceof Error ? error.name : 'unknown'})`;
}

/** The agent's output may be a program too, so these files become `null`. */
const nothing = (files: readonly SandboxFile[]) => files.map((file) => ({ ...file, content: Buffer.from('null') }));

/** Only the buyer's files, as they were before the work: the comparison for a run over the delivery. */
export const untouched = (setup: CheckSandbox): CheckSandbox => ({
  ...setup,
  delivered: false,
  restoration: null,
  extraFiles: nothing(setup.extraFiles),
});

/** Both mean: the delivered work itself is why nothing could be run over it. */
export const isEvidence = (error: unknown): error is WorkspaceRefused | SandboxDied =>
  error instanceof WorkspaceRefused || error instanceof SandboxDied;

/** Whether a bare command name is missing. A look-up that was killed is no proof of it. */
export async function lacksTool(sandbox: Sandbox, tool: string) {
  const found = await execIn(sandbox, `command -v ${quote(tool)}`, 10_000, { cwd: '/' });
  return found.exitCode === 127 || found.exitCode === 1;
}

/** The same, asked once for all sandboxes of a run; only for one in which nothing of the parties' has run yet. */
export function lacksToolAnywhere({ known }: SandboxPool, sandbox: Sandbox, tool: string): Promise<boolean> {
  const answer = known.get(tool) ?? lacksTool(sandbox, tool);
  known.set(tool, answer);
  // A look-up that failed is no answer for the next.
  answer.catch(() => known.delete(tool));
  return answer;
}
