import {
  isWorking,
  type Operations,
  openStatuses,
  type ReplyOf,
  taskMessages,
  toId,
  toUuid,
} from '@agora-market/contract';
import { defaultAnswerFor } from '../../embassy/index.ts';
import { appendEvent } from '../../events/index.ts';
import { ApiError, afterCommit, type Call, ensure, hourMs, newUuid } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { lockedTask, type TaskRow } from '../sql.ts';
import { roleOf } from '../view.ts';
import { beginPause, countMessages, endPause, findMessage, insertMessage, type MessageRow } from './sql.ts';
import { digestOf, isOpen, messageView, sha256 } from './view.ts';

type Post = Operations['tasks.postMessage'];
type Assigned = TaskRow & { agentId: string };

/** Stores a message. The row of the task is locked, so that its state, and the number of its messages, stay as they are. */
export async function postMessage(deps: TaskDeps, call: Call<Post>): Promise<ReplyOf<Post>> {
  const { tx, now, body } = call;
  const { task, author } = await taskFor(call);
  permit(deps, task, author, call);
  const attachments = attachmentsIn(deps, body.attachments ?? []);
  ensure(attachments.length === 0 || task.inputExpiresAt !== null, 'INPUT_EXPIRED');
  const { last } = await refuseTooMany(call, task, author, attachments);
  const answers = body.answers === undefined ? null : await questionIn(call, task, author);
  const isQuestion = body.kind === 'question' && author === 'agent';
  const answer = isQuestion ? await defaultAnswerFor(tx, task) : null;
  const until = body.blocking && answer === null ? await pause(tx, task, now) : null;
  if (answers?.blocking) await endPause(tx, task.id, now, taskMessages.leastPauseMs);
  const message = await store(deps, call, task, {
    ...{ author, kind: body.kind, text: body.text, blocking: body.blocking ?? false, answers: answers?.id ?? null },
    offerPrice: body.price ?? null,
    ...{ position: last + 1, attachments, told: { until, isAnswered: answer !== null } },
  });
  if (answer !== null) {
    const said = {
      author: 'policy',
      kind: 'answer',
      text: answer,
      blocking: false,
      answers: message.id,
      offerPrice: null,
    } as const;
    const { id } = await store(deps, call, task, { ...said, position: last + 2, attachments: [], told: {} });
    message.answeredBy = id;
  }
  deps.cache.tasks.delete(task.id);
  afterCommit(tx, () => deps.hub.notify([`task:${task.id}`]));
  return messageView(
    message,
    attachments.map(({ content: _, ...each }) => ({ ...each, messageId: message.id, isErased: false })),
    task,
    now,
  );
}

async function taskFor({ tx, params, caller }: Call<Post>): Promise<{ task: Assigned; author: 'submitter' | 'agent' }> {
  const id = toUuid('task', params.taskId);
  const task = id === null ? null : await lockedTask(tx, id);
  ensure(task, 'TASK_NOT_FOUND');
  const role = roleOf(task, caller);
  ensure(role !== 'none', 'NOT_A_PARTY');
  ensure(task.agentId !== null, 'TASK_WRONG_STATE', 'The task has no agent yet to read a message.');
  return { task: { ...task, agentId: task.agentId }, author: role === 'submitter' ? 'submitter' : 'agent' };
}

/** Until the verdict everything may be said; afterwards notes, as long as the submitter may have its money back. */
function permit({ config }: TaskDeps, task: Assigned, author: 'submitter' | 'agent', { body, now }: Call<Post>): void {
  const refundUntil = Date.parse(task.finishedAt ?? '') + config.REFUND_WINDOW_MS;
  const isLate = task.status === 'completed' && now.getTime() <= refundUntil;
  const isChange = body.kind === 'change_request';
  ensure(!isChange || author === 'submitter', 'NOT_A_PARTY', 'Only the submitter can ask for a change.');
  if (isChange && !isLate) {
    const why = `The task is ${task.status}. A change can be asked for from its completion until its refund window ends.`;
    throw new ApiError('TASK_WRONG_STATE', why, { status: task.status });
  }
  if (!isChange && !openStatuses.includes(task.status) && !(isLate && body.kind === 'note')) {
    const why = `The task is ${task.status}. Messages may be posted until the verdict, and notes also until the refund window of a completed task ends.`;
    throw new ApiError('TASK_WRONG_STATE', why, { status: task.status });
  }
  if (!body.blocking) return;
  ensure(author === 'agent', 'NOT_A_PARTY', 'Only the agent can wait for an answer. Leave out blocking.');
  if (!isWorking(task)) {
    const why = `The task is ${task.status}. Only the deadline of an executing task can be paused. Leave out blocking.`;
    throw new ApiError('TASK_WRONG_STATE', why, { status: task.status });
  }
}

/** Each party has its own share, so that none can silence the other. */
async function refuseTooMany(
  { tx }: Call<Post>,
  task: Assigned,
  author: 'submitter' | 'agent',
  attachments: readonly { sizeBytes: number }[],
) {
  const { perParty, attachmentBytesPerParty } = taskMessages;
  const counts = await countMessages(tx, task, author);
  ensure(counts.messages < perParty, 'MESSAGE_LIMIT_REACHED', `Each party can post ${perParty} messages a task.`, {
    of: 'messages',
    limit: perParty,
  });
  const bytes = attachments.reduce((sum, { sizeBytes }) => sum + sizeBytes, counts.bytes);
  ensure(
    bytes <= attachmentBytesPerParty,
    'MESSAGE_LIMIT_REACHED',
    `Each party can attach ${attachmentBytesPerParty} bytes a task.`,
    { of: 'attachments', limit: attachmentBytesPerParty },
  );
  return counts;
}

async function questionIn({ tx, body }: Call<Post>, task: Assigned, author: 'submitter' | 'agent') {
  const id = toUuid('message', body.answers ?? '');
  const question = id === null ? null : await findMessage(tx, id, task);
  ensure(question && question.author !== author && isOpen(question, task), 'QUESTION_NOT_OPEN');
  return question;
}

/** Gives when the pause ends without an answer. */
async function pause(tx: Call['tx'], task: Assigned, now: Date): Promise<string> {
  const refuse = (message: string) => new ApiError('MESSAGE_LIMIT_REACHED', message, { of: 'pauses' });
  if (task.waitingUntil !== null) {
    throw refuse('A blocking question of this task is open already. Ask without blocking, or wait for its answer.');
  }
  const { pauses, pausedMs, leastPauseMs } = taskMessages;
  const begun = await beginPause(tx, task.id, now, taskMessages);
  if (begun === null) {
    const [inAll, least] = [pausedMs / hourMs, leastPauseMs / hourMs];
    throw refuse(
      `A task can pause ${pauses} times and ${inAll} hours in all, before its deadline and while at least ${least} hour is left. Ask without blocking.`,
    );
  }
  return begun.until;
}

const attachmentsIn = ({ clock }: TaskDeps, given: NonNullable<Call<Post>['body']['attachments']>) =>
  given.map(({ name, contentType, content: base64 }) => {
    const content = Buffer.from(base64, 'base64');
    return { id: newUuid(clock), name, contentType, content, sizeBytes: content.length, sha256: sha256(content) };
  });

type Said = Pick<MessageRow, 'author' | 'kind' | 'text' | 'blocking' | 'answers' | 'position' | 'offerPrice'> & {
  attachments: ReturnType<typeof attachmentsIn>;
  /** What the event says beside, for those who are told of it. */
  told: Record<string, unknown>;
};

/** The event has no words of a party, only what seals them. */
async function store(
  { clock }: TaskDeps,
  { tx, now }: Call<Post>,
  task: Assigned,
  { attachments, told, ...said }: Said,
): Promise<MessageRow> {
  const message: MessageRow = {
    ...said,
    id: newUuid(clock),
    taskId: task.id,
    agentId: task.agentId,
    ...{ answeredBy: null, offerDecision: null, offerTaskId: null },
    sha256: digestOf(said, attachments),
    createdAt: now.toISOString(),
  };
  await insertMessage(tx, message, attachments);
  const { author, kind, blocking, answers } = message;
  await appendEvent(tx, {
    type: 'message.posted',
    district: 'tasks',
    at: now,
    correlationId: task.correlationId,
    taskId: task.id,
    agentId: task.agentId,
    ownerId: task.ownerId,
    data: {
      messageId: toId('message', message.id),
      ...{ author, kind, blocking, answers: answers && toId('message', answers), sha256: message.sha256 },
      ...(kind === 'question' && { taskType: task.taskType, ...told }),
    },
  });
  return message;
}
