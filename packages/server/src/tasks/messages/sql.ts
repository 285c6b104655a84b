import { type MessageAuthor, type MessageKind, workingStatuses } from '@agora-market/contract';
import { type OwnerCaller, type Queryable, row, rows, sqlList } from '../../platform/index.ts';

export interface MessageRow {
  id: string;
  taskId: string;
  /** Counts from 1 within the task. */
  position: number;
  /** The agent that had the task then. */
  agentId: string;
  author: MessageAuthor;
  kind: MessageKind;
  text: string;
  blocking: boolean;
  answers: string | null;
  answeredBy: string | null;
  /** Cents that a change request offers; null for all others. */
  offerPrice: number | null;
  offerDecision: 'accepted' | 'declined' | null;
  offerTaskId: string | null;
  sha256: string;
  createdAt: string;
}

export interface AttachmentRow {
  id: string;
  messageId: string;
  name: string;
  contentType: string;
  sizeBytes: number;
  sha256: string;
  isErased: boolean;
}

const columns = `id, task_id as "taskId", position, agent_id as "agentId", author, kind, text, blocking, answers,
  answered_by as "answeredBy", offer_price as "offerPrice", offer_decision as "offerDecision",
  offer_task_id as "offerTaskId", sha256, created_at as "createdAt"`;

/** Of a task in their order; for an agent those since it has the task. */
export const messagesOf = (db: Queryable, taskId: string, agentId: string | null, after: number, limit: number) =>
  rows<MessageRow>(
    db,
    'messages_list',
    `select ${columns} from task_messages
     where task_id = $1 and position > $2 and ($3::uuid is null or agent_id = $3) order by position limit $4`,
    [taskId, after, agentId, limit],
  );

export const attachmentsOf = (db: Queryable, messageIds: string[]) =>
  rows<AttachmentRow>(
    db,
    'messages_attachments',
    `select id, message_id as "messageId", name, content_type as "contentType", size_bytes as "sizeBytes", sha256,
       content is null as "isErased"
     from task_message_attachments where message_id = any($1::uuid[]) order by message_id, position`,
    [messageIds],
  );

export interface Counts {
  last: number;
  /** Of the author alone, since the agent has the task. */
  messages: number;
  bytes: number;
}

/** How many messages a task has. The caller holds the row of the task. */
export const countMessages = async (
  tx: Queryable,
  { id, agentId }: { id: string; agentId: string },
  author: MessageAuthor,
): Promise<Counts> =>
  (await row<Counts>(
    tx,
    'messages_count',
    `select coalesce(max(m.position), 0)::int as last, count(*) filter (where ${theirs})::int as messages,
       coalesce(sum(a.bytes) filter (where ${theirs}), 0)::int as bytes
     from task_messages m cross join lateral (
       select coalesce(sum(size_bytes), 0) as bytes from task_message_attachments where message_id = m.id
     ) a where m.task_id = $1`,
    [id, author, agentId],
  )) as Counts;

const theirs = 'm.author = $2 and m.agent_id = $3';

/** One between the submitter and the agent that has the task. */
export const findMessage = (db: Queryable, id: string, task: { id: string; agentId: string | null }) =>
  row<MessageRow>(
    db,
    'messages_find',
    `select ${columns} from task_messages where id = $1 and task_id = $2 and agent_id = $3`,
    [id, task.id, task.agentId],
  );

/** Of offers those that stand: the task is paid for, and nobody has decided. */
export const openOffers = async (db: Queryable, ids: string[]): Promise<string[]> =>
  (
    await rows<{ id: string }>(
      db,
      'messages_open_offers',
      `select m.id from task_messages m join tasks t on t.id = m.task_id
       where m.id = any($1::uuid[]) and m.offer_decision is null and t.status = 'completed'`,
      [ids],
    )
  ).map(({ id }) => id);

/** Null if another decision was faster. */
export const storeDecline = (db: Queryable, id: string) =>
  row<MessageRow>(
    db,
    'messages_decline_offer',
    `update task_messages set offer_decision = 'declined' where id = $1 and offer_decision is null returning ${columns}`,
    [id],
  );

/** The plan of a buyer that may submit. */
export const activePlan = async (db: Queryable, ownerId: string): Promise<OwnerCaller['plan'] | null> =>
  (
    await row<{ plan: OwnerCaller['plan'] }>(
      db,
      'messages_plan_of',
      `select plan from owners where id = $1 and status = 'active'`,
      [ownerId],
    )
  )?.plan ?? null;

export interface NewAttachment extends Omit<AttachmentRow, 'messageId' | 'isErased'> {
  content: Buffer;
}

export async function insertMessage(tx: Queryable, message: MessageRow, attachments: NewAttachment[]): Promise<void> {
  const { id, taskId, position, agentId, author, kind, text, blocking, answers, sha256, createdAt, offerPrice } =
    message;
  await rows(
    tx,
    'messages_insert',
    `with added as (
       insert into task_messages (id, task_id, position, agent_id, author, kind, text, blocking, answers, sha256, created_at,
         offer_price)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     )
     update task_messages set answered_by = $1 where id = $9`,
    [id, taskId, position, agentId, author, kind, text, blocking, answers, sha256, createdAt, offerPrice],
  );
  if (attachments.length === 0) return;
  await rows(
    tx,
    'messages_insert_attachments',
    `insert into task_message_attachments (id, message_id, position, name, content_type, size_bytes, sha256, content)
     select id, $1, nth, name, content_type, size_bytes, sha256, content
     from unnest($2::uuid[], $3::text[], $4::text[], $5::int[], $6::text[], $7::bytea[])
       with ordinality as a(id, name, content_type, size_bytes, sha256, content, nth)`,
    [
      id,
      attachments.map((each) => each.id),
      attachments.map(({ name }) => name),
      attachments.map(({ contentType }) => contentType),
      attachments.map(({ sizeBytes }) => sizeBytes),
      attachments.map((each) => each.sha256),
      attachments.map(({ content }) => content),
    ],
  );
}

export const findAttachment = (
  db: Queryable,
  { taskId, agentId, messageId, id }: { taskId: string; agentId: string | null; messageId: string; id: string },
) =>
  row<{ name: string; sha256: string; content: Buffer }>(
    db,
    'messages_attachment',
    `select a.name, a.sha256, a.content from task_message_attachments a join task_messages m on m.id = a.message_id
     where a.id = $1 and m.id = $2 and m.task_id = $3 and ($4::uuid is null or m.agent_id = $4) and a.content is not null`,
    [id, messageId, taskId, agentId],
  );

/** They go with the inputs of their tasks. */
export const eraseAttachments = (db: Queryable, taskIds: string[]) =>
  rows(
    db,
    'messages_erase_attachments',
    `update task_message_attachments a set content = null
     from task_messages m where m.task_id = any($1::uuid[]) and a.message_id = m.id and a.content is not null`,
    [taskIds],
  );

const working = sqlList(workingStatuses);

/**
 * Pauses the deadline of a task for what is left of the time for answers, and keeps its input for as much longer. Null if
 * too little is left for an answer, or the deadline has passed.
 */
export const beginPause = (
  tx: Queryable,
  taskId: string,
  now: Date,
  limits: { pauses: number; pausedMs: number; leastPauseMs: number },
) =>
  row<{ until: string }>(
    tx,
    'messages_begin_pause',
    `update tasks t set pauses = pauses + 1, waiting_since = $2::timestamptz, waiting_until = $2::timestamptz + p.rest,
       deadline = deadline + p.rest, input_expires_at = input_expires_at + p.rest
     from (select id, ($4::int - paused_ms) * interval '1 ms' as rest from tasks where id = $1) p
     where t.id = p.id and t.pauses < $3::int and t.paused_ms <= $4::int - $5::int and t.deadline > $2::timestamptz
     returning t.waiting_until as until`,
    [taskId, now.toISOString(), limits.pauses, limits.pausedMs, limits.leastPauseMs],
  );

/**
 * The answer has come: what it did not take of the pause is taken back. After one that came too late the agent answers for a
 * failure again, if it has `leastMs` left. Once the work is delivered, `due_at` is the gate's.
 */
export const endPause = (tx: Queryable, taskId: string, now: Date, leastMs: number) =>
  rows(
    tx,
    'messages_end_pause',
    `update tasks t set paused_ms = paused_ms + p.ms, deadline = deadline - p.rest,
       due_at = case when status in ${working} then least(due_at, deadline - p.rest) else due_at end,
       input_expires_at = input_expires_at - p.rest, waiting_since = null, waiting_until = null,
       unanswered_at = case when deadline - $2::timestamptz < $3::int * interval '1 ms' then unanswered_at end
     from (
       select id, coalesce(greatest(waiting_until - $2::timestamptz, interval '0'), interval '0') as rest,
         coalesce(extract(epoch from least(waiting_until, $2::timestamptz) - waiting_since) * 1000, 0)::int as ms
       from tasks where id = $1
     ) p
     where t.id = p.id`,
    [taskId, now.toISOString(), leastMs],
  );

export interface Unanswered {
  taskId: string;
  ownerId: string;
  agentId: string;
  correlationId: string;
  /** The question. */
  messageId: string;
}

/** Ends pauses whose time is over; gives those whose agents still wait. */
export const endOverdue = (tx: Queryable, now: Date, limit: number) =>
  rows<Unanswered & { isWorking: boolean }>(
    tx,
    'messages_end_overdue',
    `update tasks t set paused_ms = paused_ms + (extract(epoch from waiting_until - waiting_since) * 1000)::int,
       unanswered_at = waiting_until, waiting_since = null, waiting_until = null
     from (select id from tasks where waiting_until <= $1 order by waiting_until limit $2 for update skip locked) due
     where t.id = due.id
     returning t.id as "taskId", t.owner_id as "ownerId", t.agent_id as "agentId", t.correlation_id as "correlationId",
       t.status in ${working} as "isWorking", (
         select m.id from task_messages m
         where m.task_id = t.id and m.agent_id = t.agent_id and m.blocking and m.answered_by is null
         order by m.position desc limit 1
       ) as "messageId"`,
    [now.toISOString(), limit],
  );
