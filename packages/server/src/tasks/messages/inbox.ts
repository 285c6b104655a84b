import { type InboxMessage, type Operations, type ReplyOf, taskMessages, toId } from '@agora-market/contract';
import { z } from 'zod';
import { type Call, decodeCursor, encodeCursor, firstIdAt, type Queryable, rows } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { openAtMostMs } from '../list/figures.ts';
import { type ListedRow, listedById } from '../list/sql.ts';
import type { TaskRow } from '../sql.ts';
import { taskView } from '../view.ts';
import type { MessageRow } from './sql.ts';
import { isOpen, offerStatus, offerView } from './view.ts';

type Inbox = Operations['tasks.inbox'];
type Party = InboxMessage['party'];

/** By which column of `task_messages` a caller finds its messages, and as which party. */
const columnsOf: Record<'owner' | 'agent', Record<string, Party>> = {
  owner: { owner_id: 'submitter' },
  agent: { agent_id: 'agent', submitter_agent_id: 'submitter' },
};

/** What may wait for a party, in the words of the partial indexes. */
const mayWait: Record<Party, string> = {
  submitter: `author = 'agent' and kind = 'question' and answered_by is null`,
  agent: `author = 'submitter' and kind in ('question', 'change_request') and answered_by is null and offer_decision is null`,
};

/** Messages that one page with a filter looks through at most. */
const lookedThrough = 500;

type Place = Pick<MessageRow, 'blocking' | 'id'>;
const first: Place = { blocking: true, id: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

/** A message with what shows whether it is wanted, and the task as it is now. */
interface Looked extends Place, Pick<MessageRow, 'author' | 'kind' | 'answeredBy' | 'offerDecision' | 'createdAt'> {
  /** The agent that had the task then. */
  agentId: string;
  party: Party;
  task: Pick<TaskRow, 'agentId' | 'status'>;
}

const lookedColumns = 'id, task_id, agent_id, blocking, author, kind, answered_by, offer_decision, created_at';

/** The next messages of a caller after a place, newest first; of those that may wait, the blocking ones before all others. */
function look(
  db: Queryable,
  { caller, query, now }: Pick<Call<Inbox>, 'caller' | 'query' | 'now'>,
  { blocking, id }: Place,
  limit: number,
): Promise<Looked[]> {
  const isOpen = query.open === true;
  const order = isOpen ? 'blocking desc, id desc' : 'id desc';
  const parts = Object.entries(columnsOf[caller.kind]).map(
    ([column, party]) => `(select ${lookedColumns}, '${party}' as party from task_messages where ${column} = $1
       and ${isOpen ? `(blocking, id) < ($4::boolean, $3) and id >= $5 and ${mayWait[party]}` : 'id < $3'}
       order by ${order} limit $2)`,
  );
  const common = [caller.kind === 'owner' ? caller.ownerId : caller.agentId, limit, id];
  return rows<Looked>(
    db,
    `messages_inbox_${caller.kind}_${isOpen ? 'open' : 'all'}`,
    `select m.id, m.blocking, m.author, m.kind, m.answered_by as "answeredBy", m.offer_decision as "offerDecision",
       m.created_at as "createdAt", m.agent_id as "agentId", m.party,
       json_build_object('agentId', t.agent_id, 'status', t.status) as task
     from (${parts.join(' union all ')}) m
     cross join lateral (select agent_id, status from tasks where id = m.task_id limit 1) t
     order by ${order} limit $2`,
    // No task is open for longer, and no offer.
    isOpen ? [...common, blocking, firstIdAt(new Date(now.getTime() - openAtMostMs))] : common,
  );
}

/** A question that the party may answer, or an offer that it may decide on. */
function waitsFor({ party, task, ...message }: Looked, now: Date): boolean {
  if (party === 'submitter') return message.author === 'agent' && isOpen(message, task);
  if (message.author !== 'submitter' || message.agentId !== task.agentId) return false;
  if (message.kind !== 'change_request') return isOpen(message, task);
  return task.status === 'completed' && offerStatus(message, now) === 'open';
}

type Shown = Pick<MessageRow, 'id' | 'taskId' | 'agentId' | 'offerPrice' | 'offerTaskId'> & {
  agentName: string | null;
  excerpt: string;
};

const shownById = (db: Queryable, ids: readonly string[]) =>
  rows<Shown>(
    db,
    'messages_inbox_shown',
    `select m.id, m.task_id as "taskId", m.agent_id as "agentId", m.offer_price as "offerPrice",
       m.offer_task_id as "offerTaskId", (select display_name from agents where id = m.agent_id limit 1) as "agentName",
       case when length(m.text) > $2::int then left(m.text, $2::int - 1) || '…' else m.text end as excerpt
     from unnest($1::uuid[]) as i(id) cross join lateral (select * from task_messages where id = i.id limit 1) m`,
    [ids, taskMessages.excerptChars],
  );

/** Messages over all tasks of the caller. A page ends early where little of what it looks through is wanted. */
export async function readInbox({ pool }: TaskDeps, call: Call<Inbox>): Promise<ReplyOf<Inbox>> {
  const { query, now } = call;
  const { open, kind, pageSize, cursor } = query;
  const after = decodeCursor(cursor, z.strictObject({ blocking: z.boolean(), id: z.uuid() })) ?? first;
  const limit = open || kind ? Math.max(lookedThrough, pageSize + 1) : pageSize + 1;
  const looked = await look(pool, call, after, limit);
  const wanted = looked
    // An agent reads the messages of tasks that it still has.
    .filter(({ party, agentId, task }) => party === 'submitter' || agentId === task.agentId)
    .filter((message) => (!open || waitsFor(message, now)) && (kind === undefined || message.kind === kind));
  const page = wanted.slice(0, pageSize);
  const last = wanted.length > pageSize ? page.at(-1) : looked.length === limit ? looked.at(-1) : undefined;
  return {
    data: await inboxViews(pool, page, now),
    pagination: { pageSize, nextCursor: last ? encodeCursor({ blocking: last.blocking, id: last.id }) : null },
  };
}

async function inboxViews(pool: Queryable, page: readonly Looked[], now: Date): Promise<InboxMessage[]> {
  const shown = await shownById(
    pool,
    page.map(({ id }) => id),
  );
  const byId = new Map(shown.map((message) => [message.id, message]));
  const tasks = await listedById(pool, [...new Set(shown.map(({ taskId }) => taskId))]);
  const taskById = new Map(tasks.map((task) => [task.id, task]));
  return page.flatMap((looked) => {
    const message = byId.get(looked.id);
    const task = message && taskById.get(message.taskId);
    return task ? inboxView(looked, message, task, now) : [];
  });
}

function inboxView(looked: Looked, message: Shown, task: ListedRow, now: Date): InboxMessage {
  const { party, author, kind, blocking, answeredBy, createdAt } = looked;
  const { title, waitingUntil } = taskView(task, party === 'agent' ? 'assignee' : 'submitter');
  const offer = message.offerPrice === null ? null : offerView({ ...looked, ...message }, message.offerPrice, now);
  const offerUntil = offer?.status === 'open' && looked.task.status === 'completed' ? offer.until : null;
  return {
    id: toId('message', message.id),
    taskId: toId('task', message.taskId),
    taskTitle: title,
    agentId: toId('agent', message.agentId),
    agentName: message.agentName,
    ...{ party, author, kind, excerpt: message.excerpt, blocking, offer, createdAt },
    waitsForCaller: waitsFor(looked, now),
    // A task pauses for one question at a time, and for none any more after one that nobody answered.
    waitingUntil: blocking && answeredBy === null ? waitingUntil : offerUntil,
  };
}
