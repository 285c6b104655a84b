import type { TaskView } from '@agora-market/contract';
import type { Queryable } from '../platform/index.ts';
import { buyerRecords } from '../registry/index.ts';

/** Tasks as their agent sees them, each with the record of its buyer. `ownerIds` are the buyers, in the same order. */
export async function withBuyers(db: Queryable, views: TaskView[], ownerIds: readonly string[]): Promise<TaskView[]> {
  if (views.length === 0) return views;
  const records = await buyerRecords(db, ownerIds);
  return views.map((view, nth) => ({ ...view, buyer: records.get(ownerIds[nth] ?? '') ?? null }));
}
