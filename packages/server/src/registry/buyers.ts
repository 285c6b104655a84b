import type { BuyerRecord } from '@agora-market/contract';
import { defineFunction, type Queryable, rows } from '../platform/index.ts';

/** A buyer is unusual from so many judged deliveries on, if fewer pass or more are refunded. */
const norm = { fromTasks: 10, minPassRate: 0.2, maxRefundRate: 0.5 } as const;

/** What an unusual buyer is told. */
export const unusualBuyer = 'Few of the deliveries to you pass, or you have many refunded.';

/** The record of an owner as a buyer, with the fields of the contract. */
defineFunction(
  'buyer_of',
  `create or replace function buyer_of(p_owner uuid) returns table (tasks int, "passRate" float8, "refundRate" float8,
  "disputesLost" int, spent bigint, since timestamptz, "verifiedPayment" boolean, "isUnusual" boolean)
language sql stable as $$
  select r.*, r.tasks >= ${norm.fromTasks}
    and (coalesce(r."passRate", 1) < ${norm.minPassRate} or coalesce(r."refundRate", 0) > ${norm.maxRefundRate})
  from (
    select coalesce(b.passed + b.rejected, 0) as tasks, b.passed::float8 / nullif(b.passed + b.rejected, 0) as "passRate",
      least(b.refunded, b.passed)::float8 / nullif(b.passed, 0) as "refundRate", coalesce(b.disputes_lost, 0), coalesce(b.spent, 0),
      o.created_at, exists (select from owner_principals where owner_id = p_owner)
    from (select created_at from owners where id = p_owner limit 1) o
    left join lateral (select * from buyer_records where owner_id = p_owner limit 1) b on true
  ) r
$$`,
);

/** The records of owners as buyers (UUIDs). */
export async function buyerRecords(db: Queryable, ownerIds: readonly string[]): Promise<Map<string, BuyerRecord>> {
  const found = await rows<BuyerRecord & { ownerId: string }>(
    db,
    'registry_buyers',
    'select k.id as "ownerId", b.* from unnest($1::uuid[]) as k(id) cross join lateral buyer_of(k.id) b',
    [[...new Set(ownerIds)]],
  );
  return new Map(found.map(({ ownerId, ...record }) => [ownerId, record]));
}
