import type { AccountKind, TransferCause } from '@agora-market/contract';
import type { Queryable } from '../../platform/index.ts';
import { agentsWithWallets, sumsByCause } from './balance-sql.ts';

/** Causes that pay for tasks or give the pay back, whoever's accounts they move. The legacy exchange is not counted. */
const pays: readonly TransferCause[] = [
  'payout',
  'fee',
  'accepted_payout',
  'accepted_fee',
  'payout_refunded',
  'fee_refunded',
  'dispute_payout_refunded',
  'dispute_fee_refunded',
  'dispute_debited',
  'dispute_covered',
];
const poolKinds: readonly AccountKind[] = ['pool_available', 'pool_held'];

/** Cents that an owner's pool paid for tasks, and that its agents earned by tasks, from one time to before another. */
export async function turnover(db: Queryable, ownerId: string, from: string, to: string) {
  const agents = await agentsWithWallets(db, ownerId);
  const sums = await sumsByCause(db, [ownerId, ...agents.map(({ id }) => id)], from, to);
  const paying = sums.filter(({ cause }) => pays.includes(cause));
  const sumOf = (some: typeof sums) => some.reduce((sum, { amount }) => sum + amount, 0);
  const spent = -sumOf(paying.filter(({ kind }) => poolKinds.includes(kind)));
  return { spent, earned: sumOf(paying.filter(({ kind }) => !poolKinds.includes(kind))) };
}
