import { bundles, type Operations, type ReplyOf, type TaskInput } from '@agora/contract';
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
import { holdLonger } from './sql.ts';

type SendBundle = Operations['tasks.sendBundle'];

/** Bundles in memory at once, and how many of them one owner's. */
const atOnce = { all: 4, owners: 1 } as const;

/** Takes bundles. */
export function createBundles(deps: TaskDeps): (call: Call<SendBundle>) => Promise<ReplyOf<SendBundle>> {
  const turns = createFairSemaphore(atOnce.all, atOnce.owners);
  return async (call) => {
    const { ownerId } = call.caller;
    await deps.storage.requireRoom(ownerId);
    const signal = AbortSignal.any([call.whenGone(), deps.stopping]);
    const limits = { limitMs: deps.config.REPOSITORY_TIMEOUT_MS, signal };
    const receive = async () => deps.inputs.receive(ownerId, await call.bytes(), limits);
    const { commit, warnings, keptUntil } = await turns(1, receive, ownerId, false, signal).catch(refused);
    return { url: bundleUrl(commit), commit, keptUntil: keptUntil.toISOString(), inputWarnings: warnings };
  };
}

/** What is wrong with a bundle is its sender's to mend. */
function refused(error: unknown): never {
  if (!(error instanceof ApiError)) throw error;
  if (error.code === 'DRY_RUNS_BUSY')
    throw new ApiError('NOT_READY', 'Other repositories are being laid out. Try again.');
  if (error.code !== 'REPOSITORY_UNAVAILABLE') throw error;
  throw invalidField('body', error.message.replace(/^.*?: /, 'cannot be laid out: '));
}

/** Refuses a bundle that is not kept for its submitter, and keeps one that is for the task to come. */
export async function requireBundle(
  { pool, clock }: Pick<TaskDeps, 'pool' | 'clock'>,
  caller: OwnerCaller | AgentCaller,
  input: TaskInput,
): Promise<void> {
  const remote = remoteOf(input);
  const commit = remote && bundledCommit(remote);
  if (commit === null) return;
  const refuse = (why: string) => invalidField('input.repo.url', why);
  // An agent could be talked into hiring somebody for a repository that it must not see.
  if (caller.kind === 'agent') throw refuse('takes a bundle only of tasks that an owner submits itself');
  const at = clock.now();
  const until = new Date(at.getTime() + bundles.keptMs);
  if (await holdLonger(pool, caller.ownerId, commit, at, until)) return;
  throw refuse('names no bundle that is kept for you; send it with POST /bundles');
}
