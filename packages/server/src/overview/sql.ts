import type { agentStatuses, TaskStatus } from '@agora-market/contract';
import { type Queryable, row, rows } from '../platform/index.ts';

/** How many of something, by its status. */
type Counts<Status> = { status: Status; count: number }[];

/** No task is open for longer: waiting, work and judging together are a few days at most. */
export const openAtMostMs = 14 * 86_400_000;

/** Open tasks that an owner's pool pays for, among those that were submitted since `firstId` was made. */
export const openSubmitted = (db: Queryable, ownerId: string, firstId: string) =>
  rows(
    db,
    'overview_submitted',
    `select status, count(*)::int as count from tasks
     where owner_id = $1 and id >= $2 and due_at is not null group by status`,
    [ownerId, firstId],
  ) as Promise<Counts<TaskStatus>>;

/** Open tasks that the agents of an owner have. */
export const openAssigned = (db: Queryable, ownerId: string) =>
  rows(
    db,
    'overview_assigned',
    `select t.status, count(*)::int as count from agents a join tasks t on t.agent_id = a.id
     where a.owner_id = $1 and t.due_at is not null group by t.status`,
    [ownerId],
  ) as Promise<Counts<TaskStatus>>;

export const agentsByStatus = (db: Queryable, ownerId: string) =>
  rows(db, 'overview_agents', 'select status, count(*)::int as count from agents where owner_id = $1 group by status', [
    ownerId,
  ]) as Promise<Counts<(typeof agentStatuses)[number]>>;

export const walletSums = async (db: Queryable, ownerId: string) =>
  (await row<{ available: number; escrowed: number }>(
    db,
    'overview_wallets',
    `select coalesce(sum(balance) filter (where kind in ('wallet_allocated', 'wallet_available')), 0)::bigint as available,
       coalesce(sum(balance) filter (where kind = 'wallet_escrowed'), 0)::bigint as escrowed
     from agents a join ledger_accounts l on l.holder = a.id where a.owner_id = $1`,
    [ownerId],
  )) ?? { available: 0, escrowed: 0 };

/** How many of something wait, and when the first is over. */
export interface Waiting {
  count: number;
  by: string | null;
}

/** What an owner should look at. */
export interface Attention {
  flaggedWallets: number;
  disputes: Waiting;
  approvals: Waiting;
  /** Automatic top-ups in a row that failed, and why the last did. */
  failedTopUps: number;
  topUpFailure: string | null;
}

export async function readAttention(db: Queryable, ownerId: string): Promise<Attention> {
  const found = await row<{
    flaggedWallets: number;
    disputes: number;
    disputesBy: string | null;
    approvals: number;
    approvalsBy: string | null;
    failedTopUps: number;
    topUpFailure: string | null;
  }>(
    db,
    'overview_attention',
    `select f.count as "flaggedWallets", d.count as disputes, d.first as "disputesBy", p.count as approvals,
       p.first as "approvalsBy", coalesce(u.failures, 0) as "failedTopUps",
       case when u.failures > 0 then (
         select data ->> 'reason' from events where owner_id = $1 and task_id is null and type = 'auto_top_up.failed'
         order by seq desc limit 1
       ) end as "topUpFailure"
     from (select count(*)::int from agents a join wallet_flags w on w.agent_id = a.id
           where a.owner_id = $1 and w.cleared_at is null) f,
       (select count(*)::int, min(respond_by) as first from disputes where seller_id = $1 and status = 'filed') d,
       (select count(*)::int, min(expires_at) as first from approvals where owner_id = $1 and status = 'pending') p
       left join auto_top_ups u on u.owner_id = $1 and u.enabled`,
    [ownerId],
  );
  return {
    flaggedWallets: found?.flaggedWallets ?? 0,
    disputes: { count: found?.disputes ?? 0, by: found?.disputesBy ?? null },
    approvals: { count: found?.approvals ?? 0, by: found?.approvalsBy ?? null },
    failedTopUps: found?.failedTopUps ?? 0,
    topUpFailure: found?.topUpFailure ?? null,
  };
}
