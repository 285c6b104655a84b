import { type Operations, openDisputes, type ReplyOf, toUuid } from '@agora-market/contract';
import { ApiError, type Call, ensure, newUuid, type Tx } from '../platform/index.ts';
import { freezeEarnings } from '../vault/index.ts';
import type { DisputeDeps } from './deps.ts';
import { appendDisputeEvent } from './dispute-events.ts';
import { sideOf } from './parties.ts';
import { addProof } from './proofs.ts';
import {
  addStatement,
  type DisputedTask,
  disputesBy,
  insertDispute,
  isDisputed,
  keepInput,
  type LockedTask,
  lockTask,
} from './sql.ts';
import { reread } from './view.ts';

type FileDispute = Operations['tasks.dispute'];

const later = (at: string | Date, ms: number) => new Date(new Date(at).getTime() + ms);

/** A completed task can be disputed once the refund window is over, to the last millisecond of the time for it. */
function checkTime({ config }: Pick<DisputeDeps, 'config'>, task: LockedTask, now: Date): asserts task is DisputedTask {
  const { status, finishedAt } = task;
  if (status !== 'completed' || finishedAt === null) {
    throw new ApiError('TASK_WRONG_STATE', `The task is ${status}. Only a completed task can be disputed.`, { status });
  }
  const refundUntil = later(finishedAt, config.REFUND_WINDOW_MS);
  if (now <= refundUntil) {
    const until = refundUntil.toISOString();
    throw new ApiError(
      'TASK_WRONG_STATE',
      `Give a thumbs-down instead: it refunds at once until ${until}. After that the task can be disputed.`,
      { status, refundUntil: until },
    );
  }
  const disputeUntil = later(finishedAt, config.DISPUTE_WINDOW_MS).toISOString();
  ensure(
    now.toISOString() <= disputeUntil,
    'DISPUTE_DEADLINE_PASSED',
    `The deadline for a dispute was ${disputeUntil}.`,
    { disputeUntil },
  );
}

/** Each open dispute ties up a seller and the operator, so lost ones lower how many a buyer may have. */
async function checkStanding(tx: Tx, task: DisputedTask, now: Date): Promise<void> {
  const since = new Date(now.getTime() - openDisputes.lostCountForMs);
  const { open, lost } = await disputesBy(tx, task.ownerId, since);
  const atMost = Math.max(1, openDisputes.atMost - lost);
  ensure(open < atMost, 'DISPUTE_LIMIT_REACHED', undefined, { open, atMost, lost });
}

/** The submitter disputes a task. Earnings still in escrow stay there from here on. */
export async function fileDispute(
  deps: Pick<DisputeDeps, 'clock' | 'config'>,
  call: Call<FileDispute>,
): Promise<ReplyOf<FileDispute>> {
  const { tx, now, body, caller } = call;
  const taskId = toUuid('task', call.params.taskId);
  const task = taskId === null ? null : await lockTask(tx, taskId);
  ensure(task, 'TASK_NOT_FOUND');
  ensure(sideOf(task, caller) === 'buyer', 'NOT_A_PARTY', 'Only the submitter of a task can dispute it.');
  ensure(!(await isDisputed(tx, task.id)), 'DUPLICATE', 'The task was already disputed. It can be disputed once.');
  checkTime(deps, task, now);
  await checkStanding(tx, task, now);
  const froze = await freezeEarnings(tx, task.id);
  const id = newUuid(deps.clock);
  const respondBy = later(now, deps.config.DISPUTE_RESPONSE_MS).toISOString();
  const filed = { ...task, id, taskId: task.id };
  await insertDispute(tx, { ...filed, froze, respondBy, at: now });
  // To the last moment at which a proof can be answered.
  const { DISPUTE_RESPONSE_MS, DISPUTE_DECISION_MS } = deps.config;
  await keepInput(tx, filed, now, later(now, 3 * DISPUTE_RESPONSE_MS + DISPUTE_DECISION_MS));
  await addStatement(tx, { disputeId: id, side: 'buyer', text: body.reason, evidence: body.evidence, at: now });
  const shown = { disputeId: id, taskId: task.id, side: 'buyer', ownerId: caller.ownerId } as const;
  await addProof({ tx, now, clock: deps.clock }, shown, body.proof);
  await appendDisputeEvent(tx, filed, 'dispute.filed', { respondBy, earningsFrozen: froze }, now);
  return reread(tx, id);
}
