import { createFairSemaphore, type Job, ownersShare, systemClock, withTimeout } from '../platform/index.ts';
import { openOutbound } from '../platform/outbound/index.ts';
import type { WebhookDeps } from './deps.ts';
import { post } from './post.ts';
import { type Claimed, claimRounds, dueMessages, type Message, mendTimes, nextDue, roundsDue } from './queue-sql.ts';
import { createResults } from './results.ts';
import { type RoundInput, type RoundTools, runRound } from './round.ts';
import { attemptMs, clockSkewMs, lanes, leaseMs, ownersPart, roundOf } from './schedule.ts';

/** Wakes those who send: there are messages. */
export const messagesTopic = 'webhooks';

export interface Sender {
  jobs: Job[];
  /** Begins nothing more, gives what runs a moment, and cuts off the rest. */
  close(): Promise<void>;
}

/** What is read of a reply past its excerpt, in bytes; then the connection is closed. */
const maxReplyBytes = 64 * 1024;
const stopMs = 3_000;

/**
 * Sends messages: claims endpoints that have some for a round each, under a lease. Any number of servers may do so on one
 * database. Nothing is sent while a transaction is open.
 */
export function createSender(deps: WebhookDeps, stopping: AbortSignal): Sender {
  const { pool, clock, hub, log, config } = deps;
  const outbound = openOutbound({
    allowLoopback: config.OUTBOUND_ALLOW_LOOPBACK,
    connectTimeoutMs: attemptMs,
    idleTimeoutMs: attemptMs,
    maxReplyBytes,
  });
  const results = createResults(deps);
  const send: RoundTools['send'] = (url, request) => post(outbound, url, request, clock);
  const tools = { results, send, isStopping: () => stopping.aborted };
  // After a round there may be more, for its endpoint, which may have changed lanes, or for one that found no room.
  const opened = lanes.map((lane) => openLane(deps, lane, tools, () => wake()));
  const pump = async () => {
    await Promise.all(opened.map(({ pump }) => pump()));
  };
  const wake = () => {
    pump().catch((error) => {
      if (!stopping.aborted) log.error({ err: error }, 'webhooks could not be claimed; tried again');
    });
  };
  const skewed = () => new Date(clock.now().getTime() + clockSkewMs);
  return {
    jobs: [
      {
        name: 'webhooks.send',
        role: 'webhooks',
        due: roundsDue,
        run: pump,
        wokenBy: () => void hub.subscribe(messagesTopic, wake),
      },
      {
        name: 'webhooks.mendTimes',
        role: 'webhooks',
        everyMs: 10_000,
        run: () => mendTimes(pool, clock.now(), skewed()),
      },
    ],
    async close() {
      await withTimeout(systemClock, stopMs, Promise.all(opened.map(({ idle }) => idle())));
      await outbound.close();
      await withTimeout(systemClock, stopMs, Promise.all(opened.map(({ idle }) => idle())));
    },
  };
}

/** Endpoints of one lane: so many rounds, and so many attempts, at once. */
function openLane(deps: WebhookDeps, lane: (typeof lanes)[number], tools: Omit<RoundTools, 'slot'>, ended: () => void) {
  const { log } = deps;
  const semaphore = createFairSemaphore(lane.attempts, ownersShare(lane.attempts, ownersPart));
  const slot: RoundTools['slot'] = (ownerId, work) => semaphore(1, work, ownerId);
  const rounds = new Set<Promise<void>>();
  let isWanted = false;
  let isPumping = false;

  function start(input: RoundInput): void {
    const round = runRound(deps, { ...tools, slot }, input)
      .catch((error) => log.error({ err: error, webhookId: input.webhook.id }, 'a round of a webhook failed'))
      .finally(() => {
        rounds.delete(round);
        ended();
      });
    rounds.add(round);
  }

  /** Claims until nothing is left to claim, or no room. A call while another runs makes that one look once more. */
  async function pump(): Promise<void> {
    isWanted = true;
    if (isPumping) return;
    isPumping = true;
    try {
      while (isWanted && !tools.isStopping()) {
        const room = lane.rounds - rounds.size;
        // The end of a round pumps again.
        if (room <= 0) return;
        isWanted = false;
        const claimed = await claim(deps, lane, room);
        for (const input of claimed) start(input);
        if (claimed.length > 0) isWanted = true;
      }
    } finally {
      isPumping = false;
    }
  }

  return {
    pump,
    async idle() {
      while (rounds.size > 0) await Promise.all(rounds);
    },
  };
}

async function claim(
  { pool, clock, hosts }: WebhookDeps,
  lane: (typeof lanes)[number],
  limit: number,
): Promise<RoundInput[]> {
  const now = clock.now();
  const leaseUntil = new Date(now.getTime() + leaseMs);
  const share = ownersShare(lane.rounds * hosts.countOf('webhooks'), ownersPart);
  const claimed = await claimRounds(pool, lane, { now, leaseUntil, limit, share });
  if (claimed.length === 0) return [];
  const wanted = claimed.map((webhook) => ({ ...webhook, limit: sizeOf(webhook).messages }));
  const ids = claimed.map(({ id }) => id);
  const skewed = new Date(now.getTime() + clockSkewMs);
  const [messages, later] = await Promise.all([dueMessages(pool, wanted, { now, skewed }), nextDue(pool, ids, now)]);
  const byWebhook = new Map(ids.map((id) => [id, [] as Message[]]));
  for (const message of messages) byWebhook.get(message.webhookId)?.push(message);
  const dueOf = new Map(later.map(({ id, dueAt }) => [id, new Date(dueAt)]));
  return claimed.map((webhook) => {
    const { messages: most, atOnce } = sizeOf(webhook);
    const found = byWebhook.get(webhook.id) ?? [];
    return { webhook, messages: found, isFull: found.length === most, atOnce, nextDue: dueOf.get(webhook.id) ?? null };
  });
}

/** An endpoint that failed is tried with few messages. */
const sizeOf = ({ isPrompt, failures }: Claimed) => (isPrompt && failures === 0 ? roundOf.prompt : roundOf.other);
