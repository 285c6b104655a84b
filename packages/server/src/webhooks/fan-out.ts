import {
  type AgentWebhookKind,
  type EventType,
  type OwnerWebhookKind,
  toUuid,
  type WebhookKind,
  webhookLimits,
} from '@agora-market/contract';
import { type LoggedRow, readOutbox, unread } from '../events/index.ts';
import { type Job, loggedTopic, newUuid, type Tx, transaction } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { type Advance, anyWebhook, insertMessages, lockListeners, type NewMessage } from './queue-sql.ts';
import { messagesTopic } from './sender.ts';

/** The reader's name among those of the event log. */
const reader = 'webhooks';
/** Stored events of one look at the log. */
const eventsAtOnce = 500;
/** Wake-ups that come sooner after a run wait, so that a busy server reads many events at once. */
const paceMs = 20;
/** Looks after a wake-up that found nothing: an event may have to wait for one that is not committed yet. */
const looks = 4;

/** What an event is told as: to the agent that it is about, and to the owner. */
interface Telling {
  agent?: AgentWebhookKind;
  owner?: OwnerWebhookKind;
}

/** Of events that are not named, nobody is told. */
const tellings: Partial<Record<EventType, (event: LoggedRow) => Telling>> = {
  // A task that waits for an agent has none yet.
  'task.submitted': ({ data }) => (data.until === undefined ? { agent: 'task_assigned', owner: 'task_assigned' } : {}),
  'task.assigned': () => ({ agent: 'task_assigned', owner: 'task_assigned' }),
  'task.started': () => ({ owner: 'task_started' }),
  'task.delivered': () => ({ owner: 'task_delivered' }),
  'task.completed': () => ({ agent: 'task_completed', owner: 'task_completed' }),
  'task.failed': () => ({ agent: 'task_failed', owner: 'task_failed' }),
  'task.refunded': () => ({ owner: 'task_refunded' }),
  // Of a part, which a dispute gives back.
  'credits.refunded': () => ({ owner: 'task_refunded' }),
  'feedback.received': () => ({ agent: 'feedback_received' }),
  // Of its own messages nobody needs to be told, nor the owner of what a policy answers.
  'message.posted': ({ data: { author, kind, isAnswered } }) =>
    author !== 'agent'
      ? { agent: kind === 'answer' ? 'question_answered' : 'message_received' }
      : kind === 'question' && !isAnswered
        ? { owner: 'question_asked' }
        : {},
  'change.decided': ({ data: { by } }) => (by === 'agent' ? { owner: 'change_decided' } : {}),
  'approval.requested': () => ({ owner: 'approval_requested' }),
  'budget.reached': () => ({ owner: 'budget_reached' }),
};

/** Events after which a task may be in another state of A2A, besides messages. */
const moves: readonly EventType[] = [
  'task.submitted',
  'task.assigned',
  'task.unassigned',
  'task.started',
  // It ends the wait for an answer, if there was one.
  'task.delivered',
  'task.completed',
  'task.failed',
  'message.unanswered',
  'approval.denied',
  'approval.expired',
];

/** Whether a client of A2A is told how the task stands. */
function isMove({ type, data: { author, kind, blocking, isAnswered } }: LoggedRow): boolean {
  if (type !== 'message.posted') return moves.includes(type);
  return kind === 'answer' ? author === 'submitter' : kind === 'question' && blocking === true && !isAnswered;
}

const wanted = [...new Set([...Object.keys(tellings), ...moves])] as EventType[];

type Fact = {
  kind: WebhookKind | 'push';
  holderId: string;
  taskId: string | null;
  eventSeq: number | null;
  at: string;
};

function factsOf(event: LoggedRow): Fact[] {
  const { agent, owner } = tellings[event.type]?.(event) ?? {};
  const { seq, agentId, ownerId, taskId, at } = event;
  const about = taskId ?? toUuid('approval', String(event.data.approvalId));
  const told = (kind: Fact['kind'] | undefined, holderId: string | null): Fact[] =>
    kind === undefined || holderId === null
      ? []
      : [{ kind, holderId, taskId, eventSeq: taskId === null ? seq : null, at }];
  return [...told(agent, agentId), ...told(owner, ownerId), ...told(isMove(event) ? 'push' : undefined, about)];
}

const holdersOf = (facts: readonly Fact[]): string[] => [...new Set(facts.map(({ holderId }) => holderId))];

/** Adds a message for each enabled webhook that wants to know; gives how many. */
async function addMessages({ clock, log }: WebhookDeps, tx: Tx, facts: readonly Fact[]): Promise<number> {
  if (facts.length === 0) return 0;
  const [pushes, others] = [facts.filter(({ kind }) => kind === 'push'), facts.filter(({ kind }) => kind !== 'push')];
  const listeners = await lockListeners(tx, holdersOf(others), holdersOf(pushes));
  const messages: NewMessage[] = [];
  const advances: Advance[] = [];
  for (const { id, holderId, events, sequence, waiting } of listeners) {
    const told = facts.filter((fact) => fact.holderId === holderId && events.includes(fact.kind));
    if (told.length === 0) continue;
    const room = Math.max(0, webhookLimits.waitingPerWebhook - waiting);
    for (const [nth, { kind: type, taskId, eventSeq, at }] of told.slice(0, room).entries()) {
      messages.push({ id: newUuid(clock), webhookId: id, sequence: sequence + nth + 1, type, taskId, eventSeq, at });
    }
    // What is dropped leaves a gap, by which the receiver notices.
    advances.push({ id, sequence: sequence + told.length, added: Math.min(room, told.length) });
    if (told.length > room)
      log.warn({ webhookId: id, dropped: told.length - room }, 'a webhook has too many messages waiting');
  }
  if (advances.length > 0) await insertMessages(tx, messages, advances, clock.now());
  return messages.length;
}

/** Follows the event log and adds the messages that follow from it. Any number of servers may: one at a time reads. */
export function fanOutJob(deps: WebhookDeps, stopping: AbortSignal): Job {
  const { pool, hub } = deps;
  /** Nobody wanted to know anything at the last scheduled run; then wake-ups are ignored. */
  let isQuiet = true;
  let looksLeft = 0;
  let nudge = () => {};

  const readSome = () =>
    transaction(pool, 'write', async (tx) => {
      const { events, isMore } = await readOutbox(tx, reader, eventsAtOnce, wanted);
      return { added: await addMessages(deps, tx, events.flatMap(factsOf)), found: events.length, isMore };
    });

  async function run(): Promise<void> {
    isQuiet = !(await anyWebhook(pool));
    for (let isMore = true; isMore && !stopping.aborted; ) {
      const looked = await readSome();
      isMore = looked.isMore;
      if (looked.added > 0) hub.notify([messagesTopic]);
      if (looked.found > 0) looksLeft = 0;
    }
    if (looksLeft-- > 0) nudge();
  }

  return {
    name: 'webhooks.fanOut',
    role: 'webhooks',
    due: unread(reader),
    run,
    wokenBy(wake) {
      const pace = paced(wake);
      nudge = pace;
      hub.subscribe(loggedTopic, () => {
        if (isQuiet) return;
        looksLeft = looks;
        pace();
      });
    },
  };
}

/** Calls at once, but never twice within the pace: what is asked for in between is one call after it. */
function paced(call: () => void): () => void {
  let isWaiting = false;
  let calledMs = Number.NEGATIVE_INFINITY;
  return () => {
    if (isWaiting) return;
    isWaiting = true;
    const waitMs = Math.max(0, calledMs + paceMs - performance.now());
    setTimeout(() => {
      isWaiting = false;
      calledMs = performance.now();
      call();
    }, waitMs).unref();
  };
}
