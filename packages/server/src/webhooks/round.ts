import { appendEvent } from '../events/index.ts';
import { newUuid, transaction } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { aboutWebhook } from './manage.ts';
import { type Written, writerOf } from './message.ts';
import type { Posted } from './post.ts';
import { pushWriterOf } from './push-message.ts';
import { type AttemptResult, type Claimed, countFailing, type Message, type RoundResult } from './queue-sql.ts';
import type { Results } from './results.ts';
import {
  disableAfterMs,
  endpointPause,
  failedToPause,
  pauseAfter,
  pauseAsAsked,
  placeMs,
  promptMs,
  roundMs,
} from './schedule.ts';
import { deleteWebhook, disableWebhook } from './sql.ts';

export interface RoundTools {
  send(url: string, request: Written): Promise<Posted>;
  /** Runs one attempt when there is room for it. */
  slot<R>(ownerId: string, work: () => Promise<R>): Promise<R>;
  results: Results;
  /** The server stops: nothing is begun, and what is cut off is no failure. */
  isStopping(): boolean;
}

export interface RoundInput {
  webhook: Claimed;
  messages: Message[];
  /** There may be more than these. */
  isFull: boolean;
  atOnce: number;
  /** When the first message is due of those that are not yet. */
  nextDue: Date | null;
}

const unreadable: Posted = {
  ok: false,
  durationMs: 0,
  statusCode: null,
  error: 'The secret cannot be read any more. Rotate it.',
  excerpt: null,
  waitMs: null,
};

/** The endpoint is gone for good: nothing is sent there any more. */
const gone = 410;

/** One round of attempts at an endpoint. It ends with the first failure, and the next one goes on. */
export async function runRound(deps: WebhookDeps, tools: RoundTools, input: RoundInput): Promise<void> {
  const { webhook } = input;
  const waiting = [...input.messages];
  const { push } = webhook;
  const write = push === null ? writerOf(deps, webhook) : pushWriterOf(deps, webhook, push);
  const startedMs = performance.now();
  const tally = { succeeded: 0, finished: 0, slowestMs: 0, cut: 0 };
  const failed: Failed[] = [];
  const dueTimes: Date[] = input.nextDue === null ? [] : [input.nextDue];

  async function attempt(message: Message): Promise<void> {
    const posted = write === null ? unreadable : await tools.send(webhook.url, await write(message));
    if (tools.isStopping() && !posted.ok) {
      tally.cut += 1;
      return;
    }
    const result = resultOf(deps, message, posted);
    if (posted.ok) tally.succeeded += 1;
    else failed.push(result);
    tally.finished += result.status === 'pending' ? 0 : 1;
    tally.slowestMs = Math.max(tally.slowestMs, posted.durationMs);
    if (result.dueAt !== null) dueTimes.push(result.dueAt);
    tools.results.attempt(result);
  }

  const inTime = () => performance.now() - startedMs < (waiting.length === input.messages.length ? placeMs : roundMs);
  const mayGoOn = () => failed.length === 0 && !tools.isStopping() && inTime();
  async function lane(): Promise<void> {
    while (mayGoOn() && waiting.length > 0) {
      await tools.slot(webhook.ownerId, async () => {
        // It may have waited for its slot.
        const message = mayGoOn() ? waiting.shift() : undefined;
        if (message) await attempt(message);
      });
    }
  }
  await Promise.all(Array.from({ length: Math.min(input.atOnce, waiting.length) }, lane));
  // Its lease ends, and another server goes on.
  if (tools.isStopping() && tally.succeeded + failed.length === 0) return;
  const isMore = waiting.length > 0 || tally.cut > 0 || input.isFull;
  const end = await endOf(deps, webhook, { ...tally, failed, isMore, nextDue: earliest(dueTimes) });
  const isGone = failed.some(({ statusCode }) => statusCode === gone);
  if (isGone || (failed.length > 0 && isOver(deps, end))) await disable(deps, webhook, end, isGone);
  await tools.results.end(end);
}

function resultOf({ clock, random }: WebhookDeps, { id, attempts }: Message, posted: Posted): AttemptResult {
  const at = clock.now();
  const { ok, durationMs, statusCode, error, excerpt, waitMs } = posted;
  const pause = ok || statusCode === gone ? null : pauseAfter(attempts + 1, random());
  const pauseMs = pause === null ? null : pauseAsAsked(pause, waitMs);
  return {
    id,
    status: ok ? 'delivered' : pauseMs === null ? 'failed' : 'pending',
    dueAt: pauseMs === null ? null : new Date(at.getTime() + pauseMs),
    at,
    durationMs,
    statusCode,
    error,
    excerpt,
  };
}

type Failed = Pick<AttemptResult, 'id' | 'at' | 'statusCode'>;

interface Tally {
  succeeded: number;
  failed: readonly Failed[];
  finished: number;
  slowestMs: number;
  /** There are messages to send at once. */
  isMore: boolean;
  /** When the first message is due of those that are not yet. */
  nextDue: Date | null;
}

async function endOf(deps: WebhookDeps, webhook: Claimed, tally: Tally): Promise<RoundResult> {
  const { id, round, nudges } = webhook;
  const { succeeded, failed, finished, isMore, nextDue } = tally;
  const health = await healthAfter(deps, webhook, tally);
  const { pausedUntil } = health;
  return {
    ...{ id, round, nudges, finished, ...health },
    nextAt: isMore ? deps.clock.now() : pausedUntil === null ? nextDue : new Date(pausedUntil),
    isPrompt: succeeded + failed.length === 0 ? webhook.isPrompt : succeeded > 0 && tally.slowestMs <= promptMs,
  };
}

type Health = Pick<RoundResult, 'failures' | 'failingSince' | 'pausedUntil'>;

/** How an endpoint fares after a round. While it is paused only new messages are tried, and their failures make the pause no longer. */
async function healthAfter(
  { pool, clock, random }: WebhookDeps,
  { id, failures, failingSince, pausedUntil }: Claimed,
  { succeeded, failed }: Pick<Tally, 'succeeded' | 'failed'>,
): Promise<Health> {
  const [first] = failed;
  if (succeeded > 0) return { failures: 0, failingSince: null, pausedUntil: null };
  if (first === undefined) return { failures, failingSince, pausedUntil };
  const since = failingSince ?? first.at.toISOString();
  if (pausedUntil !== null) return { failures, failingSince: since, pausedUntil };
  const but = failed.map((message) => message.id);
  const others = await countFailing(pool, id, { since, but, most: failedToPause });
  if (failed.length + others < failedToPause) return { failures, failingSince: since, pausedUntil };
  const until = new Date(clock.now().getTime() + endpointPause(failures + 1, random()));
  return { failures: failures + 1, failingSince: since, pausedUntil: until.toISOString() };
}

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((at) => at.getTime())));

const isOver = ({ clock }: WebhookDeps, { failingSince }: RoundResult): boolean =>
  failingSince !== null && clock.now().getTime() - Date.parse(failingSince) >= disableAfterMs;

/** Nothing is sent any more until somebody enables it; the event tells the owner. */
async function disable(
  { pool, clock }: WebhookDeps,
  webhook: Claimed,
  { failingSince }: Pick<RoundResult, 'failingSince'>,
  isGone: boolean,
): Promise<void> {
  await transaction(pool, 'write', async (tx) => {
    if (!(await disableWebhook(tx, webhook.id, webhook.round))) return;
    // Nobody can enable a push notification again; the client registers it anew.
    if (webhook.push !== null) await deleteWebhook(tx, webhook.id);
    const { data, ...about } = aboutWebhook(webhook, webhook.id);
    await appendEvent(tx, {
      type: webhook.push === null ? 'webhook.disabled' : 'webhook.deleted',
      district: 'registry',
      at: clock.now(),
      correlationId: newUuid(clock),
      ...about,
      data: { ...data, failingSince, ...(isGone && { statusCode: gone }) },
    });
  });
}
