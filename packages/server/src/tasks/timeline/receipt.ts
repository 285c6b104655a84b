import { createHash } from 'node:crypto';
import {
  canonicalJson,
  type Operations,
  type Receipt,
  type ReplyOf,
  type TaskStatus,
  terminalStatuses,
  toId,
} from '@agora/contract';
import { type ToldEvent, taskStatusIn } from '../../events/index.ts';
import { ApiError, type Call } from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import { taskEvents } from '../sql.ts';
import { eventView } from '../view.ts';
import type { ReceiptKey } from './receipt-key.ts';

const pageSize = 200;

/**
 * A receipt proves to anybody, without this server, what it told of a task: each entry's hash covers the one before it,
 * and the signature covers the last. It is made when it is asked for, so that it costs the steps nothing.
 */
export async function taskReceipt(
  deps: TaskDeps,
  key: ReceiptKey,
  call: Call<Operations['tasks.receipt']>,
): Promise<ReplyOf<Operations['tasks.receipt']>> {
  const { task } = await partyTask(deps, call.params.taskId, call.caller);
  if (!terminalStatuses.includes(task.status)) throw notEnded(task.status);
  // Read after the task, so that the event of the status it has is among them.
  const events = await allEvents(deps, task.id);
  const taskId = toId('task', task.id);
  const entries = chain(
    taskId,
    events.map((event) => eventView(event, taskId)),
  );
  const statement = {
    format: 'agora-receipt-1' as const,
    taskId,
    status: statusAfter(events) ?? task.status,
    issuedAt: call.now.toISOString(),
    algorithm: 'Ed25519' as const,
    keyId: key.keyId,
    publicKey: key.publicKey,
    count: entries.length,
    head: entries.at(-1)?.hash ?? '',
  };
  return { ...statement, entries, signature: key.sign(canonicalJson(statement)) };
}

const notEnded = (status: TaskStatus) =>
  new ApiError('TASK_WRONG_STATE', `The task is ${status}. It gets a receipt when it ends.`, { status });

async function allEvents(deps: TaskDeps, taskId: string): Promise<ToldEvent[]> {
  const all: ToldEvent[] = [];
  for (;;) {
    const found = await taskEvents(deps.pool, taskId, all.at(-1)?.seq ?? 0, pageSize);
    all.push(...found);
    if (found.length < pageSize) return all;
  }
}

/** The status that the events end in, for the task may have been refunded since it was read. */
const statusAfter = (events: ToldEvent[]) => events.map(taskStatusIn).findLast((status) => status !== undefined);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function chain(taskId: string, events: Receipt['entries'][number]['event'][]): Receipt['entries'] {
  let previous = sha256(taskId);
  return events.map((event, at) => {
    const number = at + 1;
    previous = sha256(`${previous}\n${canonicalJson({ number, event })}`);
    return { number, event, hash: previous };
  });
}
