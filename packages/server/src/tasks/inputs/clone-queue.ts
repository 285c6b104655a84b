import { createHash } from 'node:crypto';
import { ApiError, type Clock, type Config, createFairSemaphore, type Logger } from '../../platform/index.ts';
import { pathOf, type Sandbox } from '../../sandbox/index.ts';
import type { TaskRow } from '../sql.ts';
import type { TreeFacts } from './clean.ts';
import { clone } from './clone.ts';
import { withLargeFiles } from './large-files.ts';
import { type Laid, layOut } from './layout.ts';
import { type CloneReason, CloneRefused, cloneReasons } from './pack.ts';
import { mounted, submoduleLimits, submoduleProblem, submodulesOf } from './submodules.ts';

export interface CloneDeps {
  clock: Clock;
  config: Config;
  log: Logger;
  /** The token of an owner for a URL, or null. Only the clone has it. */
  cloneToken(ownerId: string, url: string): Promise<string | null>;
  /** An empty sandbox, in which what was fetched is laid out; whoever opens it ends it. */
  openSandbox(): Promise<Sandbox>;
  /** Aborts when the server stops. */
  stopping: AbortSignal;
}

/** A clone for a dry run, which waits for its turn and takes `limitMs` each at most. */
export interface DryRunLimits {
  limitMs: number;
  /** Ends it before its time. */
  signal: AbortSignal;
}

/** A repository at its server, or what its owner has sent of it. */
type Source = { url: string; ref: string | null } | { bundle: Buffer };

export interface Wanted {
  task: Pick<TaskRow, 'id' | 'ownerId' | 'submitterAgentId'>;
  from: Source;
  /** The gate's clones go before the other ones of their buyer, and are tried although they were refused lately. */
  isForGate: boolean;
  dryRun?: DryRunLimits;
}

export interface Cloned {
  commit: string;
  archive: Buffer;
  facts: TreeFacts;
  /** Empty for a whole tree; equal for two of a commit that lack the same parts. */
  lacks: string;
  /** What its buyer is told of them. */
  warnings: string[];
}

/** Clones of this process at once; each may hold its pack and its tree in memory. */
const atOnce = 2;
/** So many of them one buyer's, whose repository may take as long as its server likes. */
const buyersShare = 1;
/** The dry runs of all owners take turns with the tasks as if they were one owner's, so a place is always the tasks'. */
const dryRuns = 'dry runs';
/** So long a repository that could not be cloned is not asked for again. */
const refusedForMs = 60_000;
/** Clones of a task that fail for a reason that may pass, before it is taken for one that stays. */
const maxTries = 3;
/** Refusals that are remembered, the last ones. */
const mostRemembered = 10_000;
const passing: readonly unknown[] = ['unreachable', 'timed_out', 'damaged'] satisfies CloneReason[];

export interface CloneQueue {
  /** Clones in turn; rejects with REPOSITORY_UNAVAILABLE where it is the repository that cannot be had. */
  clone(wanted: Wanted): Promise<Cloned>;
  /** Whether that refusal is the last: for a reason that stays, or after so many tries. */
  isHopeless(taskId: string, error: ApiError): boolean;
  /** Tasks whose repository may be asked for again now; each is given once a minute. */
  takeRetries(): string[];
  forget(taskId: string): void;
}

export function createCloneQueue(deps: CloneDeps): CloneQueue {
  const slots = createFairSemaphore(atOnce, buyersShare);
  /** Refusals by task, oldest first, until their tasks have ended. */
  const refused = new Map<string, { error: ApiError; tries: number; untilMs: number; retryMs: number }>();
  const nowMs = () => deps.clock.now().getTime();

  function remember(taskId: string, error: ApiError): void {
    const tries = (refused.get(taskId)?.tries ?? 0) + 1;
    refused.delete(taskId);
    const untilMs = nowMs() + refusedForMs;
    refused.set(taskId, { error, tries, untilMs, retryMs: untilMs });
    for (const id of refused.keys()) if (refused.size > mostRemembered) refused.delete(id);
  }

  async function clone(wanted: Wanted): Promise<Cloned> {
    const { task, isForGate, dryRun } = wanted;
    const patience = dryRun && AbortSignal.any([dryRun.signal, AbortSignal.timeout(dryRun.limitMs)]);
    const owners = dryRun ? [dryRuns, task.ownerId] : task.ownerId;
    const lately = refused.get(task.id);
    if (!isForGate && lately && lately.untilMs > nowMs()) throw lately.error;
    try {
      const cloned = await slots(1, () => cloneOrRefuse(deps, wanted), owners, isForGate, patience);
      refused.delete(task.id);
      return cloned;
    } catch (error) {
      // Nobody has asked the buyer's server yet.
      if (patience?.aborted && error === patience.reason) throw new ApiError('DRY_RUNS_BUSY');
      if (isUnavailable(error) && !dryRun) remember(task.id, error);
      throw error;
    }
  }

  return {
    clone,
    isHopeless: (taskId, { details }) =>
      !passing.includes(details?.reason) || (refused.get(taskId)?.tries ?? 0) >= maxTries,
    takeRetries() {
      const due = [...refused].filter(([, { retryMs }]) => retryMs <= nowMs());
      for (const [, entry] of due) entry.retryMs = nowMs() + refusedForMs;
      return due.map(([id]) => id);
    },
    forget: (taskId) => void refused.delete(taskId),
  };
}

const isUnavailable = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.code === 'REPOSITORY_UNAVAILABLE';

/** Why a repository cannot be cloned; throws errors that are not the repository's fault. */
export function reasonOf(error: unknown): string {
  if (isUnavailable(error)) return error.message;
  throw error;
}

/**
 * What an owner's token may read is cloned for the owner's own tasks alone: an agent, whom others give work, could be
 * talked into hiring somebody for a repository that it must not see.
 */
const tokenFor = ({ cloneToken }: CloneDeps, { task }: Wanted, url: string) =>
  task.submitterAgentId === null ? cloneToken(task.ownerId, url) : null;

async function cloneOrRefuse(deps: CloneDeps, wanted: Wanted): Promise<Cloned> {
  const { log, stopping } = deps;
  try {
    return await fetchAndLay(deps, wanted);
  } catch (error) {
    if (!(error instanceof CloneRefused)) throw error;
    if (stopping.aborted) throw new ApiError('NOT_READY', 'The server is stopping. Try again.');
    log.info({ taskId: wanted.task.id, reason: error.reason, err: error.cause }, 'a repository could not be cloned');
    throw unavailable(error);
  }
}

/** A part that a clone could not get, and why. */
interface Lacking {
  path: string;
  why: string;
}

/** What is left for the repositories of one clone together. */
interface Left {
  bytes: number;
  files: number;
  submodules: number;
}

async function fetchAndLay(deps: CloneDeps, wanted: Wanted): Promise<Cloned> {
  const { config, stopping } = deps;
  const { dryRun } = wanted;
  const deadlineMs = performance.now() + Math.min(config.REPOSITORY_TIMEOUT_MS, dryRun?.limitMs ?? Infinity);
  const signal = dryRun ? AbortSignal.any([stopping, dryRun.signal]) : stopping;
  const left: Left = {
    bytes: config.REPOSITORY_MAX_BYTES,
    files: config.REPOSITORY_MAX_FILES,
    submodules: submoduleLimits.count,
  };
  const lacking: Lacking[] = [];
  const pointers: string[] = [];
  const one = async (from: Source, at: string[]): Promise<Pick<Cloned, 'commit' | 'archive' | 'facts'>> => {
    const leftMs = () => deadlineMs - performance.now();
    const limits = { maxBytes: left.bytes, maxFiles: left.files };
    const url = 'url' in from ? from.url : null;
    const token = url === null ? null : await tokenFor(deps, wanted, url);
    const reach = { allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK, trustedHosts: config.FORGE_TRUSTED_HOSTS };
    const job =
      'url' in from
        ? { ...from, token, ...reach, ...limits }
        : { ...from, sentMs: deps.clock.now().getTime(), ...limits };
    const fetched = await clone(job, leftMs(), signal);
    const laid = await layOut(deps.openSandbox, fetched, limits, leftMs(), signal);
    left.bytes -= laid.bytes;
    left.files -= laid.files;
    const large = await withLargeFiles(laid.archive, {
      ...{ url, token, ...reach, maxBytes: left.bytes },
      signal: AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.ceil(leftMs())))]),
    });
    left.bytes -= large.bytes;
    pointers.push(...large.pointers.map((path) => [...at, path].join('/')));
    const parts = await submodules(laid, url, at);
    const named = (path: string) => pathOf(Buffer.from(path, 'latin1'));
    const facts = {
      submodules: laid.gitlinks.map(({ path }) => named(path)),
      largeFiles: large.paths,
      crlf: laid.crlf.map(named),
    };
    return { commit: fetched.commit, archive: await mounted(large.archive, parts), facts };
  };
  /** One that cannot be had leaves its directory empty: the clone does not fail for it. */
  const submodules = async (laid: Laid, url: string | null, at: string[]) => {
    const parts: { path: string; archive: Buffer }[] = [];
    for (const { path, url: theirs, commit } of submodulesOf(laid, url)) {
      const lacks = (why: string) => void lacking.push({ path: [...at, path].join('/'), why });
      const problem = submoduleProblem(theirs, config.OUTBOUND_ALLOW_LOOPBACK);
      if (problem !== null) lacks(problem);
      else if (at.length >= submoduleLimits.depth) lacks(`it lies more than ${submoduleLimits.depth} submodules deep`);
      else if (left.submodules === 0) lacks(`there are more than ${submoduleLimits.count} submodules`);
      else {
        left.submodules -= 1;
        const part = await one({ url: theirs!, ref: commit }, [...at, path]).catch((error) => {
          if (!(error instanceof CloneRefused) || signal.aborted) throw error;
          lacks(cloneReasons[error.reason]);
          return null;
        });
        if (part !== null) parts.push({ path, archive: part.archive });
      }
    }
    return parts;
  };
  const cloned = await one(wanted.from, []);
  return { ...cloned, ...told(lacking, pointers) };
}

/** Parts that are told one by one. */
const mostTold = 10;

/** What a buyer is told of the missing parts, and a key of what is missing. */
function told(lacking: readonly Lacking[], pointers: readonly string[]): Pick<Cloned, 'lacks' | 'warnings'> {
  if (lacking.length + pointers.length === 0) return { lacks: '', warnings: [] };
  const warnings = lacking
    .slice(0, mostTold)
    .map(({ path, why }) => `The submodule ${path.slice(0, 200)} is an empty directory: ${why}.`);
  if (lacking.length > mostTold) warnings.push(`${lacking.length - mostTold} more submodules are empty directories.`);
  const [first = '', ...others] = pointers;
  if (first !== '') {
    const files = others.length === 0 ? '1 file is a pointer' : `${pointers.length} files are pointers`;
    warnings.push(
      `${files} of Git LFS, because the contents could not be had: ${first.slice(0, 200)}${others.length > 0 ? ' …' : ''}`,
    );
  }
  const lacks = createHash('sha256')
    .update(JSON.stringify([lacking.map(({ path }) => path), pointers]))
    .digest('hex');
  return { lacks, warnings };
}

export function unavailable({ reason }: CloneRefused): ApiError {
  const message = `The buyer's repository cannot be cloned: ${cloneReasons[reason]}.`;
  return new ApiError('REPOSITORY_UNAVAILABLE', message, { reason });
}
