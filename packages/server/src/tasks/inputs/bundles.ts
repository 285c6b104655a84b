import { bundles, type Operations, type ReplyOf, type TaskInput } from '@agora-market/contract';
import {
  type AgentCaller,
  ApiError,
  type Call,
  createFairSemaphore,
  invalidField,
  type OwnerCaller,
} from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { bundledCommit, bundleUrl, remoteOf } from './git-remote.ts';
import { type CloneReason, cloneReasons } from './pack.ts';
import { keepBundleUntil } from './sql.ts';

type SendBundle = Operations['tasks.sendBundle'];

/** Bundles that are read and laid out at once, and how many of them one owner's. Each may be in memory twice. */
const atOnce = { all: 8, owners: 1 } as const;
/** So long a bundle waits for its turn: a request must have arrived within half a minute. */
const patienceMs = 10_000;

/** Takes bundles. */
export function createBundles(deps: TaskDeps): (call: Call<SendBundle>) => Promise<ReplyOf<SendBundle>> {
  const turns = createFairSemaphore(atOnce.all, atOnce.owners);
  return async (call) => {
    const { ownerId } = call.caller;
    await deps.storage.requireRoom(ownerId);
    const unwanted = AbortSignal.any([call.whenGone(), deps.stopping]);
    const patience = AbortSignal.any([unwanted, AbortSignal.timeout(patienceMs)]);
    const receive = async () => {
      const bundle = await call.bytes();
      const refusal = await call.refusedNow();
      if (refusal !== null) throw refusal;
      return deps.inputs.receive(ownerId, bundle, { limitMs: deps.config.REPOSITORY_TIMEOUT_MS, signal: unwanted });
    };
    const { commit, warnings, keptUntil } = await turns(1, receive, ownerId, false, patience).catch((error) => {
      throw patience.aborted && error === patience.reason ? busy() : inItsWords(error);
    });
    return { url: bundleUrl(commit), commit, keptUntil: keptUntil.toISOString(), inputWarnings: warnings };
  };
}

const busy = () => new ApiError('NOT_READY', 'Other bundles are being laid out. Try again in a moment.');

/** What is wrong with a bundle is its sender's to mend. */
function inItsWords(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { code, details } = error;
  if (code === 'DRY_RUNS_BUSY') return busy();
  if (details.reason === 'timed_out')
    return new ApiError('NOT_READY', 'Laying the bundle out takes too long now. Try again.');
  if (code !== 'REPOSITORY_UNAVAILABLE') return error;
  return invalidField('body', `cannot be laid out: ${cloneReasons[details.reason as CloneReason]}`);
}

/** Refuses a bundle that its submitter has not sent, or not lately. One for a task to come is kept longer. */
export async function requireBundle(
  { pool, clock }: Pick<TaskDeps, 'pool' | 'clock'>,
  caller: OwnerCaller | AgentCaller,
  input: TaskInput,
  isForTask = false,
): Promise<void> {
  const remote = remoteOf(input);
  const commit = remote && bundledCommit(remote);
  if (commit === null) return;
  const refuse = (why: string) => invalidField('input.repo.url', why);
  // An agent could be talked into hiring somebody for a repository that it must not see.
  if (caller.kind === 'agent') throw refuse('takes a bundle only of tasks that an owner submits itself');
  const at = clock.now();
  const until = new Date(at.getTime() + (isForTask ? bundles.taskMs : 0));
  if (await keepBundleUntil(pool, caller.ownerId, commit, at, until)) return;
  throw refuse('names no bundle that is kept for you; send it with POST /bundles');
}
