import { dryRunsAtOnce, type Operations } from '@agora/contract';
import { GateUnavailable, type TriedCheck, tryChecks } from '../../gate/index.ts';
import { ApiError, type Call, createTally, ensure, withTimeout } from '../../platform/index.ts';
import { SandboxError } from '../../sandbox/index.ts';
import type { TaskDeps } from '../deps.ts';
import { unavailable } from '../inputs/clone-queue.ts';
import { heldOutFiles } from '../inputs/input-files.ts';
import { refuseWithoutSandbox } from '../inputs/needs-sandbox.ts';
import { checkInput } from '../lifecycle/submit.ts';
import { measured } from './gate-cpu.ts';

type TryCall = Call<Operations['tasks.tryChecks']>;

/** Runs the checks of an input over the input itself: one run at a time for an owner, and few on this server. */
export function createDryRuns(deps: TaskDeps): (call: TryCall) => Promise<{ checks: TriedCheck[] }> {
  const byOwner = createTally();
  let running = 0;
  return async (call) => {
    const { ownerId } = call.caller;
    checkInput(call.body, deps.config);
    await refuseWithoutSandbox(deps, call.body.input);
    await deps.gateCpu.requireAllowance(ownerId);
    ensure(byOwner.of(ownerId) === 0, 'DRY_RUN_IN_PROGRESS');
    ensure(running < dryRunsAtOnce, 'DRY_RUNS_BUSY');
    const leave = byOwner.add(ownerId);
    running += 1;
    try {
      return { checks: await runOnce(deps, call) };
    } finally {
      leave();
      running -= 1;
    }
  };
}

/** Ends, with its sandboxes, when its time is up, when the caller has gone, and when the server stops. */
async function runOnce(deps: TaskDeps, call: TryCall): Promise<TriedCheck[]> {
  const { ownerId } = call.caller;
  const { input } = call.body;
  const totalMs = deps.config.DRY_RUN_MS;
  const startedMs = performance.now();
  const unwanted = AbortSignal.any([call.whenGone(), deps.stopping]);
  const over = AbortSignal.any([unwanted, AbortSignal.timeout(totalMs)]);
  const run = measured(() => openUntil(over, deps));
  try {
    // Its turn to clone may be far off.
    const { files, archive } = await withTimeout(totalMs, deps.inputs.unsubmitted({ ownerId, input }, over), () =>
      unavailable('timed_out'),
    );
    const checks = await tryChecks({
      ...{ input, original: { files, archive }, heldOut: heldOutFiles(input), openSandbox: run.openSandbox, over },
      totalMs: totalMs - (performance.now() - startedMs),
    });
    // Not a result, so that whoever asks again with the same Idempotency-Key gets a run.
    ensure(!unwanted.aborted, 'NOT_READY', 'The dry run was ended before its time. Try again.');
    return checks;
  } catch (error) {
    throw error instanceof GateUnavailable ? noSandbox(error) : error;
  } finally {
    deps.gateCpu.book(run, { buyerId: ownerId, assessmentId: null });
  }
}

/** A sandbox that ends with the run, whatever is under way in it. */
async function openUntil(over: AbortSignal, { sandboxes }: TaskDeps) {
  if (over.aborted) throw new SandboxError('SANDBOX_UNAVAILABLE', 'The dry run is over.');
  const sandbox = await sandboxes.fresh();
  const end = () => void sandbox.destroy().catch(() => undefined);
  if (over.aborted) end();
  else over.addEventListener('abort', end, { once: true });
  return sandbox;
}

function noSandbox({ cause }: GateUnavailable): ApiError {
  const message = cause instanceof SandboxError ? cause.message : undefined;
  return new ApiError('SANDBOX_UNAVAILABLE', message, {}, { cause });
}
