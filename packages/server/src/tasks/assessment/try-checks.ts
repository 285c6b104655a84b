import type { Operations } from '@agora-market/contract';
import { GateUnavailable, type TriedCheck, tryChecks } from '../../gate/index.ts';
import { ApiError, type Call, type Config, createFairSemaphore, ensure, withTimeout } from '../../platform/index.ts';
import { type Sandbox, SandboxError } from '../../sandbox/index.ts';
import type { TaskDeps } from '../deps.ts';
import { atOneWithRole } from '../elsewhere.ts';
import { requireBundle } from '../inputs/bundles.ts';
import { heldOutFiles } from '../inputs/input-files.ts';
import { refuseWithoutSandbox } from '../inputs/needs-sandbox.ts';
import { type StartingPoint, startingPointOf } from '../inputs/starting-point.ts';
import { checkInput } from '../lifecycle/submit.ts';
import { dryRunsOf } from '../workspace/limits.ts';
import { inSandbox } from '../workspace/session.ts';
import { beginDryRun, endDryRun } from './dry-runs-sql.ts';
import { measured } from './gate-cpu.ts';
import { judgesHere } from './gate-queue.ts';

interface Tried {
  checks: TriedCheck[];
  inputWarnings: string[];
}

type TryCall = Call<Operations['tasks.tryChecks']>;

/**
 * The least that a dry run weighs, in bytes. One with a repository holds it in memory, and weighs as much as the largest
 * that is cloned.
 */
const leastShare = 64 * 1024 ** 2;
/** So long a run waits for its turn, then waits to clone, and so long the clone may take. */
const quarter = ({ DRY_RUN_MS }: Config) => Math.round(DRY_RUN_MS / 4);

/** Runs the checks of an input over the input itself: one run at a time for an owner, at all servers, and few on this one. */
export function createDryRuns(deps: TaskDeps): (call: TryCall) => Promise<Tried> {
  const { config, pool, clock, hosts, log } = deps;
  const turns = createFairSemaphore(dryRunsOf(config) * leastShare);
  return async (call) => {
    if (!judgesHere(deps) && !call.passedOn) return atOneWithRole(deps, call as unknown as Call, 'gate');
    const { ownerId } = call.caller;
    const { input } = call.body;
    checkInput(call.body, config);
    await refuseWithoutSandbox(deps, call.caller, input);
    await requireBundle(deps, call.caller, input);
    await deps.gateCpu.requireAllowance(ownerId);
    const now = clock.now();
    // It may wait for a quarter of its time before it begins.
    const until = new Date(now.getTime() + 2 * config.DRY_RUN_MS);
    const run = { ownerId, host: hosts.id, until };
    ensure(await beginDryRun(pool, run, now), 'DRY_RUN_IN_PROGRESS');
    const unwanted = AbortSignal.any([call.whenGone(), deps.stopping]);
    const patience = AbortSignal.any([unwanted, AbortSignal.timeout(quarter(config))]);
    const share = input.repo === undefined ? leastShare : config.REPOSITORY_MAX_BYTES;
    try {
      return await turns(share, () => runOnce(deps, call, unwanted), ownerId, false, patience);
    } catch (error) {
      throw patience.aborted && error === patience.reason ? new ApiError('DRY_RUNS_BUSY') : error;
    } finally {
      await endDryRun(pool, run).catch((error) => {
        log.warn({ err: error, ownerId }, 'the end of a dry run could not be stored; it counts until its time is up');
      });
    }
  };
}

/** Ends, with its sandboxes, when its time is up, when the caller has gone, and when the server stops. */
async function runOnce(deps: TaskDeps, call: TryCall, unwanted: AbortSignal): Promise<Tried> {
  const { ownerId } = call.caller;
  const { input } = call.body;
  const totalMs = deps.config.DRY_RUN_MS;
  const startedMs = performance.now();
  const over = AbortSignal.any([unwanted, AbortSignal.timeout(totalMs)]);
  let start: StartingPoint['start'] = {};
  const run = measured(() => openUntil(over, () => deps.sandboxes.forDryRun(start)));
  try {
    const limits = { limitMs: quarter(deps.config), signal: over };
    const { archive, files, warnings } = await deps.inputs.unsubmitted({ ownerId, input }, limits);
    // What is not there in time is installed all the same, for the next who asks.
    const preparing = inSandbox(() => startingPointOf(deps, { ownerId, submitterAgentId: null, input, files }));
    const late = () =>
      new ApiError('NOT_READY', 'The packages of the input are being installed. Try again in a minute.');
    const prepared = await withTimeout(deps.clock, 2 * quarter(deps.config), preparing, late);
    start = prepared.start;
    const checks = await tryChecks({
      ...{ checks: input.acceptance?.checks ?? [], archive, heldOut: heldOutFiles(input), output: null },
      ...{ openSandbox: run.openSandbox, over },
      totalMs: totalMs - (performance.now() - startedMs),
    });
    // Not a result, so that whoever asks again with the same Idempotency-Key gets a run.
    ensure(!unwanted.aborted, 'NOT_READY', 'The dry run was ended before its time. Try again.');
    return { checks, inputWarnings: [...warnings, ...prepared.problems.map(({ message }) => message)] };
  } catch (error) {
    throw error instanceof GateUnavailable ? noSandbox(error) : error;
  } finally {
    deps.gateCpu.book(run, { buyerId: ownerId, assessmentId: null });
  }
}

/** A sandbox that ends with the run, whatever is under way in it. */
export async function openUntil(over: AbortSignal, open: () => Promise<Sandbox>): Promise<Sandbox> {
  if (over.aborted) throw new SandboxError('SANDBOX_UNAVAILABLE', 'The run is over.');
  const sandbox = await open();
  const end = () => void sandbox.destroy().catch(() => undefined);
  if (over.aborted) end();
  else over.addEventListener('abort', end, { once: true });
  void sandbox.closed.then(() => over.removeEventListener('abort', end));
  return sandbox;
}

function noSandbox({ cause }: GateUnavailable): ApiError {
  const message = cause instanceof SandboxError ? cause.message : undefined;
  return new ApiError('SANDBOX_UNAVAILABLE', message, {}, { cause });
}
