import { toId } from '@agora/contract';
import { appendEvent } from '../events/index.ts';
import { newUuid, transaction } from '../platform/index.ts';
import type { WebhookDeps } from './deps.ts';
import { signingSecrets, written } from './message.ts';
import type { Posted } from './post.ts';
import type { AttemptResult, Claimed, Message, RoundResult } from './queue-sql.ts';
import type { Results } from './results.ts';
import { disableAfterMs, endpointPause, pauseAfter, placeMs, promptMs, roundMs } from './schedule.ts';
import { disableWebhook } from './sql.ts';

export interface RoundTools {
  send(url: string, request: { headers: Record<string, string>; body: string }): Promise<Posted>;
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
};

/** One round of attempts at an endpoint. It ends with the first failure: the other messages then wait with it. */
export async function runRound(deps: WebhookDeps, tools: RoundTools, input: RoundInput): Promise<void> {
  const { webhook } = input;
  const waiting = [...input.messages];
  const secrets = signingSecrets(deps, webhook);
  const startedMs = performance.now();
  const tally = { succeeded: 0, failed: 0, finished: 0, slowestMs: 0, cut: 0 };
  const dueTimes: Date[] = input.nextDue === null ? [] : [input.nextDue];

  async function attempt(message: Message): Promise<void> {
    const posted =
      secrets.length === 0 ? unreadable : await tools.send(webhook.url, await written(deps, webhook, secrets, message));
    if (tools.isStopping() && !posted.ok) {
      tally.cut += 1;
      return;
    }
    const result = resultOf(deps, message, posted);
    tally[posted.ok ? 'succeeded' : 'failed'] += 1;
    tally.finished += result.status === 'pending' ? 0 : 1;
    tally.slowestMs = Math.max(tally.slowestMs, posted.durationMs);
    if (result.dueAt !== null) dueTimes.push(result.dueAt);
    tools.results.attempt(result);
  }

  const inTime = () => performance.now() - startedMs < (waiting.length === input.messages.length ? placeMs : roundMs);
  const mayGoOn = () => tally.failed === 0 && !tools.isStopping() && inTime();
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
  if (tools.isStopping() && tally.succeeded + tally.failed === 0) return;
  const isMore = waiting.length > 0 || tally.cut > 0 || input.isFull;
  const end = endOf(deps, webhook, { ...tally, nextAt: isMore ? deps.clock.now() : earliest(dueTimes) });
  if (end.isFailed && isOver(deps, end)) await disable(deps, webhook);
  await tools.results.end(end);
}

function resultOf({ clock, random }: WebhookDeps, { id, attempts }: Message, posted: Posted): AttemptResult {
  const at = clock.now();
  const { ok, durationMs, statusCode, error, excerpt } = posted;
  const pauseMs = ok ? null : pauseAfter(attempts + 1, random());
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

interface Tally {
  succeeded: number;
  failed: number;
  finished: number;
  slowestMs: number;
  /** When the endpoint has something to do again, unless it failed. */
  nextAt: Date | null;
}

function endOf({ clock, random }: WebhookDeps, webhook: Claimed, tally: Tally): RoundResult {
  const { id, round, nudges } = webhook;
  const { succeeded, failed, finished } = tally;
  const now = clock.now();
  const isFailed = failed > 0 && succeeded === 0;
  const failures = isFailed ? webhook.failures + 1 : succeeded > 0 ? 0 : webhook.failures;
  return {
    id,
    round,
    nudges,
    finished,
    isFailed,
    failures,
    nextAt: isFailed ? new Date(now.getTime() + endpointPause(failures, random())) : tally.nextAt,
    failingSince: failures === 0 ? null : (webhook.failingSince ?? now.toISOString()),
    isPrompt: succeeded + failed === 0 ? webhook.isPrompt : succeeded > 0 && tally.slowestMs <= promptMs,
  };
}

const earliest = (times: readonly Date[]): Date | null =>
  times.length === 0 ? null : new Date(Math.min(...times.map((at) => at.getTime())));

const isOver = ({ clock }: WebhookDeps, { failingSince }: RoundResult): boolean =>
  failingSince !== null && clock.now().getTime() - Date.parse(failingSince) >= disableAfterMs;

/** Nothing is sent any more until somebody enables it; the event tells the owner. */
async function disable(
  { pool, clock }: WebhookDeps,
  { id, round, agentId, ownerId, failingSince }: Claimed,
): Promise<void> {
  await transaction(pool, 'write', async (tx) => {
    if (!(await disableWebhook(tx, id, round))) return;
    await appendEvent(tx, {
      type: 'webhook.disabled',
      district: 'registry',
      at: clock.now(),
      correlationId: newUuid(clock),
      agentId,
      ownerId,
      data: { webhookId: toId('webhook', id), agentId: toId('agent', agentId), failingSince },
    });
  });
}
