import { dispute } from '@agora-market/contract';
import { type Tx, transaction } from '../platform/index.ts';
import type { DisputeDeps } from './deps.ts';
import { appendDisputeEvent } from './dispute-events.ts';
import { leaseReassessments, overdueDisputes } from './due-sql.ts';
import { payableShare, silentRuling } from './payable-share.ts';
import { reassessDispute } from './reassess.ts';
import { nextLease, type Runs } from './runs.ts';
import { disputedTask, settle } from './settle.ts';
import { type DisputeRow, lockDispute, markEscalated, markProofBy } from './sql.ts';

const batch = 100;

/** One whose time has run out is resolved by who stayed silent; nothing happens where somebody was faster. */
const expire = ({ pool, clock, config }: DisputeDeps, id: string): Promise<void> =>
  transaction(pool, 'ledger', async (tx) => {
    const found = await lockDispute(tx, id);
    const at = clock.now();
    const now = at.toISOString();
    if (found?.status === 'filed' && found.respondBy < now) {
      const task = await disputedTask(tx, found);
      if ((await payableShare(tx, task)) < 100) return escalate(tx, found, config.DISPUTE_DECISION_MS, at);
      const ruling = { outcome: 'buyer_wins', share: null, decidedBy: 'seller_silent', note: null } as const;
      return settle(tx, { found, task }, 'lapse', ruling, at, config);
    }
    if (found?.status !== 'under_review' || found.decideBy === null) return;
    if ((found.proofBy ?? found.decideBy) >= now) return;
    const task = await disputedTask(tx, found);
    const ruling = await silentRuling(tx, found, task);
    if (ruling === null) return;
    // A buyer whose proof is not answered waits for the operator if the wallet cannot pay all.
    const isShort = ruling.decidedBy === 'proof' && ruling.outcome !== 'seller_wins' && ruling.outcome !== 'buyer_wins';
    if (isShort && found.decideBy >= now) return markProofBy(tx, found.id, found.decideBy).then(() => undefined);
    return settle(tx, { found, task }, 'expire', ruling, at, config);
  });

/** The silent seller's wallet cannot pay, so the operator decides who bears it. */
async function escalate(tx: Tx, found: DisputeRow, decisionMs: number, at: Date): Promise<void> {
  if (!dispute('escalate', found.status, 'platform').ok)
    throw new Error(`a dispute that is ${found.status} cannot escalate`);
  await markEscalated(tx, found.id, new Date(at.getTime() + decisionMs).toISOString());
  await appendDisputeEvent(tx, found, 'dispute.escalated', {}, at);
}

/** Everything that time makes happen to disputes; safe to run at any moment and in several processes. */
export async function sweepDisputes(deps: DisputeDeps, runs: Runs): Promise<void> {
  const now = deps.clock.now();
  for (;;) {
    const overdue = await overdueDisputes(deps.pool, now, batch);
    let done = 0;
    for (const id of overdue) {
      // A dispute that cannot be settled must not block others.
      await expire(deps, id).then(
        () => done++,
        (error) => deps.log.error({ err: error, disputeId: id }, 'a dispute could not be resolved'),
      );
    }
    if (done < batch) break;
  }
  const lease = nextLease(deps, runs);
  if (lease === null) return;
  const leased = await leaseReassessments(deps.pool, lease);
  await runs.begin(leased.map((each) => ({ id: each.id, run: () => reassessDispute(deps, each) })));
}
