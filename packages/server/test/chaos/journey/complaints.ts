import { AgoraError, type Task } from '@agora-market/sdk';
import type { Chance } from '../../simulation/chance.ts';
import { type Acknowledged, deed, disputeWindowMs, refundWindowMs, type Stage, sleep, tolerate } from './cast.ts';

/** When a buyer disputes a task that was completed, counted from the end of the time for a thumbs-down. */
const manners = ['soon', 'soon', 'later', 'twice', 'edge', 'late'] as const;
type Manner = (typeof manners)[number];

function delayOf(manner: Manner, random: Chance): number {
  if (manner === 'edge') return random.below(60) - 30;
  if (manner === 'late') return disputeWindowMs - refundWindowMs + 20;
  return manner === 'later' ? 500 + random.below(2_500) : 20;
}

/** What the server may say to each besides taking it. */
const refusals: Record<Manner, readonly string[]> = {
  soon: [],
  later: [],
  edge: ['TASK_WRONG_STATE'],
  late: [],
  twice: ['DUPLICATE'],
};

/** Disputes a completed task, in time or not, once or twice at once; half of those who are heard add something. */
export async function complain(stage: Stage, acknowledged: Acknowledged, task: Task, random: Chance): Promise<void> {
  const { agora, taskId, told } = acknowledged;
  const manner = random.of(manners);
  const from = Date.parse(task.finishedAt ?? '') + refundWindowMs;
  await sleep(Math.max(0, from + delayOf(manner, random) - Date.now()));
  const evidence = [{ label: 'what came', text: JSON.stringify(task.output).slice(0, 500) }];
  const file = () => agora.tasks.dispute(taskId, { reason: 'It is not what I asked for.', evidence });
  const filed = await Promise.allSettled(manner === 'twice' ? [file(), file()] : [file()]);
  const taken = filed.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  for (const each of filed) if (each.status === 'rejected') checkRefusal(stage, taskId, manner, each.reason);
  if (taken.length > 1) stage.recorder.fault(`${taskId} was disputed twice`);
  if (taken.length > 0 && manner === 'late') stage.recorder.fault(`${taskId} was disputed after the time for it`);
  const [dispute] = taken;
  if (!dispute) return;
  told.disputed = dispute.id;
  deed(stage, manner === 'twice' ? 'disputed twice at once' : 'disputed');
  if (random.yes(0.5)) return;
  const statement = 'And it came late.';
  await tolerate(
    agora.courts.supplementDispute(dispute.id, { statement }).then(() => deed(stage, 'added to a dispute')),
  );
}

function checkRefusal(stage: Stage, taskId: string, manner: Manner, error: unknown): void {
  if (!(error instanceof AgoraError)) throw error;
  const { status, code } = error;
  const isAway = status === null || status >= 500;
  // A kill can last longer than there is time to dispute.
  if (isAway || code === 'DISPUTE_DEADLINE_PASSED') deed(stage, isAway ? 'disputes unanswered' : 'disputed too late');
  else if (code === 'DISPUTE_LIMIT_REACHED') deed(stage, 'disputed too often');
  else if (!refusals[manner].includes(String(code))) stage.recorder.fault(`${taskId} disputed ${manner}: ${code}`);
}
