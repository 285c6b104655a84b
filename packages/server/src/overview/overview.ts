import { agentStatuses, type Operations, openStatuses, type ReplyOf } from '@agora-market/contract';
import { type Call, dayMs, ensure, firstIdAt, type Pool } from '../platform/index.ts';
import { buyerRecords } from '../registry/index.ts';
import { poolOf, turnover } from '../vault/index.ts';
import { alertsOf } from './alerts.ts';
import { agentsByStatus, openAssigned, openAtMostMs, openSubmitted, readAttention, walletSums } from './sql.ts';

type Overview = ReplyOf<Operations['embassy.overview']>;

/** Every name with its count. */
const allOf = <Name extends string>(names: readonly Name[], found: { status: Name; count: number }[]) =>
  Object.fromEntries(names.map((name) => [name, found.find(({ status }) => status === name)?.count ?? 0])) as Record<
    Name,
    number
  >;

export const readOverview = (pool: Pool, { caller, now }: Call<Operations['embassy.overview']>): Promise<Overview> =>
  overviewOf(pool, caller.ownerId, now);

export async function overviewOf(pool: Pool, ownerId: string, now: Date): Promise<Overview> {
  const until = new Date(now.getTime() + 1).toISOString();
  const lately = (days: number) => turnover(pool, ownerId, new Date(now.getTime() - days * dayMs).toISOString(), until);
  // One after the other: a page that an owner keeps open takes one connection of the pool.
  const account = await poolOf(pool, ownerId);
  const wallets = await walletSums(pool, ownerId);
  const day = await lately(1);
  const week = await lately(7);
  const month = await lately(30);
  const submitted = await openSubmitted(pool, ownerId, firstIdAt(new Date(now.getTime() - openAtMostMs)));
  const assigned = await openAssigned(pool, ownerId);
  const agents = allOf(agentStatuses, await agentsByStatus(pool, ownerId));
  const attention = await readAttention(pool, ownerId);
  const buyerRecord = (await buyerRecords(pool, [ownerId])).get(ownerId);
  ensure(buyerRecord, 'INVALID_SESSION');
  return {
    at: now.toISOString(),
    currency: 'USD',
    pool: { balance: account.balance, held: account.held },
    wallets,
    spent: { day: day.spent, week: week.spent, month: month.spent },
    earned: { day: day.earned, week: week.earned, month: month.earned },
    submitted: allOf(openStatuses, submitted),
    assigned: allOf(openStatuses, assigned),
    agents,
    buyerRecord,
    alerts: alertsOf({
      ...attention,
      suspendedAgents: agents.suspended,
      isUnusualBuyer: buyerRecord.isUnusual,
      balance: account.balance,
      spentInDay: day.spent,
      refills: account.autoTopUp.enabled,
    }),
  };
}
