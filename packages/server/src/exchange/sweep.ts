import { bidScore, defaultShare, exchangeRules, splitPrice } from '@agora-market/contract';
import { type Pool, type Tx, transaction, untilEmpty } from '../platform/index.ts';
import { findAgents } from '../registry/index.ts';
import { releaseEscrow } from '../vault/index.ts';
import { agree, buyersBudget, obstacleTo } from './agree.ts';
import { type AgreementRow, clearDue, dueAgreements, lockAgreement } from './agreement-sql.ts';
import { type BidRow, pendingBids } from './bid-sql.ts';
import { purgeDeliverables } from './deliverable-sql.ts';
import type { ExchangeDeps } from './deps.ts';
import { logAgreement } from './log.ts';
import { purgeNotifications } from './notifications.ts';
import { dueRequests, lockRequest, type RequestRow } from './request-sql.ts';
import { closeRequest } from './requests.ts';
import { endAgreement } from './settle.ts';

const batch = 100;

/** The bids of a request, the best first. */
async function ranked(tx: Tx, request: RequestRow): Promise<BidRow[]> {
  const bids = await pendingBids(tx, request.id);
  const bidders = await findAgents(
    tx,
    bids.map(({ agentId }) => agentId),
  );
  const scores = new Map(bidders.map(({ id, overallScore }) => [id, overallScore]));
  const scored = bids.map((bid) => ({
    bid,
    score: bidScore({
      amountCents: bid.amount,
      budgetMaxCents: request.budgetMax,
      overallScore: scores.get(bid.agentId) ?? 0,
      closedAt: Date.parse(request.biddingClosesAt),
      deliveryAt: Date.parse(bid.estimatedDelivery),
      deadlineAt: Date.parse(request.deadline),
    }),
  }));
  // The sort is stable, and the bids come oldest first.
  return scored.sort((one, other) => other.score - one.score).map(({ bid }) => bid);
}

/** Mode `auto`: the best bid that can be taken gets the work; without one, the request ends. */
async function award(deps: ExchangeDeps, tx: Tx, request: RequestRow, at: Date): Promise<boolean> {
  const budget = await buyersBudget(tx, request, at);
  for (const bid of at < new Date(request.deadline) ? await ranked(tx, request) : []) {
    const terms = { request, sellerAgentId: bid.agentId, bidId: bid.id, price: bid.amount, budget };
    if ((await obstacleTo(tx, terms, 'BIDDER_AT_LIMIT', at)) !== null) continue;
    await agree(tx, deps.clock, terms, 'award', at);
    return true;
  }
  return false;
}

const endRequest = (deps: ExchangeDeps, id: string) =>
  transaction(deps.pool, 'ledger', async (tx) => {
    const request = await lockRequest(tx, id);
    const at = deps.clock.now();
    if (!request || !['open', 'direct_offer'].includes(request.status)) return;
    if (request.selectionMode === 'auto' && (await award(deps, tx, request, at))) return;
    await closeRequest(tx, request, 'expire', { agentId: request.buyerAgentId, at });
  });

/** Releases earnings that have waited their time. */
async function release(tx: Tx, found: AgreementRow, payoutHoldMs: number, at: Date): Promise<void> {
  const { id, sellerAgentId, buyerOwnerId, price, refunded, feeBps } = found;
  const { payoutCents } = splitPrice(price - refunded, feeBps);
  await releaseEscrow(tx, { agreementId: id, sellerAgentId, buyerOwnerId, payoutCents }, at, payoutHoldMs);
  await clearDue(tx, id);
  await logAgreement(tx, found, { type: 'agreement.earnings_released', at }, { amount: payoutCents });
}

/** What time makes of an agreement; nothing where somebody was faster. */
const actOn = (deps: ExchangeDeps, id: string) =>
  transaction(deps.pool, 'ledger', async (tx) => {
    const found = await lockAgreement(tx, id);
    const at = deps.clock.now();
    if (!found?.dueAt || new Date(found.dueAt) > at) return;
    const { status, price } = found;
    if (status === 'completed') return release(tx, found, deps.config.PAYOUT_HOLD_MS, at);
    if (status === 'active') {
      const ending = { verb: 'expire', because: 'not_delivered', refundCents: price } as const;
      return endAgreement(tx, deps.config, found, ending, at);
    }
    if (status === 'evaluating') {
      const ending = { verb: 'lapse', because: 'not_answered', refundCents: 0 } as const;
      return endAgreement(tx, deps.config, found, ending, at);
    }
    if (status === 'disputed') {
      const refundCents = Math.floor((price * defaultShare) / 100);
      return endAgreement(tx, deps.config, found, { verb: 'settle', because: 'dispute', refundCents }, at);
    }
  });

/** Works through what is due. One that fails is logged and blocks no other. */
async function eachDue(
  deps: ExchangeDeps,
  find: (pool: Pool, now: Date, limit: number) => Promise<string[]>,
  act: (deps: ExchangeDeps, id: string) => Promise<void>,
): Promise<void> {
  for (;;) {
    let done = 0;
    for (const id of await find(deps.pool, deps.clock.now(), batch)) {
      await act(deps, id).then(
        () => done++,
        (error) => deps.log.error({ err: error, id }, 'the exchange could not do what is due'),
      );
    }
    if (done < batch) return;
  }
}

/** Everything that time makes happen, also after the sunset: what is open then ends by itself. */
export async function sweepExchange(deps: ExchangeDeps): Promise<void> {
  await eachDue(deps, dueRequests, endRequest);
  await eachDue(deps, dueAgreements, actOn);
}

export async function purgeExchange({ pool, clock }: ExchangeDeps): Promise<void> {
  const before = new Date(clock.now().getTime() - exchangeRules.keptMs);
  await untilEmpty(1_000, (limit) => purgeNotifications(pool, before, limit));
  await untilEmpty(1_000, (limit) => purgeDeliverables(pool, before, limit));
}
