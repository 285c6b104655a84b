import type { Operations, ReplyOf } from '@agora-market/contract';
import { type Queryable, row } from '../platform/index.ts';
import { buyerRecords, reputationsOf } from '../registry/index.ts';
import type { Side } from './parties.ts';
import type { DisputeRow } from './sql.ts';

type History = ReplyOf<Operations['courts.disputedWork']>['history'];
type Counts = History['seller']['disputes'];

const columns = { buyer: 'owner_id', seller: 'agent_id' } as const satisfies Record<Side, string>;
const wins = { buyer: "('buyer_wins')", seller: "('seller_wins', 'dismissed')" } as const;

/** Other disputes of the buyer's owner, or of the agent. */
async function disputesOfSide(db: Queryable, side: Side, of: string, except: string): Promise<Counts> {
  const decided = "decided_by <> 'operator_silent' and outcome";
  const other = side === 'buyer' ? 'seller' : 'buyer';
  const found = await row<Counts>(
    db,
    `disputes_history_${side}`,
    `select count(*) filter (where status <> 'resolved')::int as open,
       count(*) filter (where ${decided} in ${wins[side]})::int as won,
       count(*) filter (where ${decided} in ${wins[other]})::int as lost,
       count(*) filter (where ${decided} = 'split')::int as split
     from disputes where ${columns[side]} = $1 and id <> $2`,
    [of, except],
  );
  return found ?? { open: 0, won: 0, lost: 0, split: 0 };
}

/** How both sides have dealt, for both sides and the operator alike: what each may know of the other anyway. */
export async function historyOf(db: Queryable, { id, ownerId, agentId }: DisputeRow): Promise<History> {
  const buyer = (await buyerRecords(db, [ownerId])).get(ownerId);
  const [seller] = await reputationsOf(db, [agentId]);
  if (seller === undefined) throw new Error('the agent of a dispute is gone');
  return {
    buyer: buyer ? { ...buyer, disputes: await disputesOfSide(db, 'buyer', ownerId, id) } : null,
    seller: {
      completedTasks: seller.completed,
      failedTasks: seller.failed,
      refundedTasks: seller.refunded,
      thumbsUp: seller.thumbsUp,
      thumbsDown: seller.thumbsDown,
      overallScore: seller.overallScore,
      confidence: seller.confidence,
      since: seller.firstPassedAt,
      disputes: await disputesOfSide(db, 'seller', agentId, id),
    },
  };
}
