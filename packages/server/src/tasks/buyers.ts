import { type BuyerRecord, isUnusualBuyer, type TaskView } from '@agora/contract';
import { type Queryable, rows } from '../platform/index.ts';

/** The records of owners as buyers (UUIDs). */
export async function buyerRecords(db: Queryable, ownerIds: readonly string[]): Promise<Map<string, BuyerRecord>> {
  const found = await rows<{
    ownerId: string;
    passed: number;
    rejected: number;
    refunded: number;
    disputesLost: number;
    spent: number;
    since: string;
    verifiedPayment: boolean;
  }>(
    db,
    'tasks_buyers',
    `select o.id as "ownerId", coalesce(b.passed, 0) as passed, coalesce(b.rejected, 0) as rejected,
       coalesce(b.refunded, 0) as refunded, coalesce(b.disputes_lost, 0) as "disputesLost", coalesce(b.spent, 0) as spent,
       o.created_at as since, exists (select from top_ups t where t.owner_id = o.id and t.status = 'succeeded') as "verifiedPayment"
     from unnest($1::uuid[]) as k(id)
     cross join lateral (select id, created_at from owners where id = k.id limit 1) o
     left join lateral (select * from buyer_records where owner_id = k.id limit 1) b on true`,
    [[...new Set(ownerIds)]],
  );
  return new Map(
    found.map(({ ownerId, passed, rejected, refunded, ...record }) => {
      const tasks = passed + rejected;
      const rates = {
        tasks,
        passRate: tasks === 0 ? null : passed / tasks,
        refundRate: passed === 0 ? null : Math.min(1, refunded / passed),
      };
      return [ownerId, { ...record, ...rates, isUnusual: isUnusualBuyer(rates) }];
    }),
  );
}

/** Tasks as their agent sees them, each with the record of its buyer. `ownerIds` are the buyers, in the same order. */
export async function withBuyers(db: Queryable, views: TaskView[], ownerIds: readonly string[]): Promise<TaskView[]> {
  if (views.length === 0) return views;
  const records = await buyerRecords(db, ownerIds);
  return views.map((view, nth) => ({ ...view, buyer: records.get(ownerIds[nth] ?? '') ?? null }));
}
