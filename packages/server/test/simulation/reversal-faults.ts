import type { SimulatedProcessor } from './processor.ts';
import { leftOf } from './processor-books.ts';
import type { Moved } from './task-faults.ts';

/** What went back of a top-up, as our table tells of it. */
export interface ReversalRow {
  id: string;
  top_up: string;
  owner: string;
  /** The processor's name of it; null if there is none. */
  ref: string | null;
  amount: number;
  taken: number;
  state: string;
  is_ours: boolean;
  is_open: boolean;
  /** What was taken for it later. */
  collections: string[];
}

/** All of them, or those of some ids and those that have just been undone. */
export const auditedReversals = `select id, top_up_id as top_up, owner_id as owner, processor_ref as ref, amount, taken,
    state, processor is not null as is_ours, due_at is not null as is_open,
    array(select c.id from reversal_collections c where c.reversal_id = r.id) as collections
  from top_up_reversals r where $1::uuid[] is null or id = any($1) or undone_at = $2`;

type MovedOf = (subject: string) => Moved;
type Blamed = [owner: string, what: string];

function netOf({ id, collections }: ReversalRow, movedOf: MovedOf): number {
  const { top_up_refunded: taken = 0, top_up_reinstated: given = 0 } = movedOf(id);
  return collections.reduce((sum, each) => sum + (movedOf(each).reversal_collected ?? 0), taken - given);
}

/** What is wrong with the money of some reversals after a step. A transfer about none of them belongs to nothing. */
export function moneyFaults(rows: ReversalRow[], subjects: Map<string, string>, movedOf: MovedOf): Blamed[] {
  const known = new Set(rows.map(({ id }) => id));
  return [
    ...[...subjects]
      .filter(([id]) => !known.has(id))
      .map(([id, holder]): Blamed => [holder, `what went back as ${id} is no refund and no dispute`]),
    ...rows
      .filter((row) => netOf(row, movedOf) !== (row.state === 'standing' ? row.taken : 0))
      .map((row): Blamed => {
        const { id, owner, state, taken } = row;
        return [owner, `the reversal ${id} is ${state}, took ${taken} and moved ${netOf(row, movedOf)}`];
      }),
  ];
}

/** Credits come back to the pool for a refund of ours only after the processor has refused it. */
export function isReinstatedEarly({ refunds, isKnown }: SimulatedProcessor, refundId: string): boolean {
  const refund = refunds.get(refundId);
  return isKnown(refundId) && (!refund || refund.reversal?.state === 'standing');
}

/**
 * Once nothing is under way: each refund and dispute is on record once, as it stands, and of each charge has gone out of
 * the ledger what the processor gave back, or is on record as missing where the pool could not pay.
 */
export function faultsAtRest(
  { charges, refunds }: SimulatedProcessor,
  rows: ReversalRow[],
  movedOf: MovedOf,
): Blamed[] {
  const found: Blamed[] = moneyFaults(rows, new Map(), movedOf);
  const made = new Map([...charges.values()].flatMap(({ reversals }) => reversals.map((each) => [each.ref, each])));
  const recorded = new Map(rows.map((row) => [row.ref, row]));
  const booked = new Map<string, number>();
  for (const row of rows) {
    const { id, owner, ref, is_ours, is_open, top_up } = row;
    const missing = row.state === 'standing' ? row.amount - row.taken : 0;
    booked.set(top_up, (booked.get(top_up) ?? 0) + netOf(row, movedOf) + missing);
    if (is_open) found.push([owner, `the refund ${id} is left open`]);
    if (ref !== null && !made.has(ref)) found.push([owner, `${ref} was never made`]);
    const refund = refunds.get(id);
    if (is_ours && (!refund || (refund.reversal?.ref ?? null) !== ref)) {
      found.push([owner, `the refund ${id} is on record as ${ref} and was ${refund?.reversal?.ref ?? 'not made'}`]);
    }
  }
  for (const charge of charges.values()) {
    const { intentId, ownerId, amountCents, reversals } = charge;
    for (const { ref, amountCents: cents, state, ours } of reversals) {
      const row = recorded.get(ref);
      const isSo = row?.amount === cents && row.state === state && row.is_ours === (ours !== undefined);
      if (!isSo) found.push([ownerId, `${ref} of ${cents} is ${state}, on record ${row?.amount} ${row?.state}`]);
    }
    const [gone, taken] = [amountCents - leftOf(charge), booked.get(intentId) ?? 0];
    if (gone !== taken) found.push([ownerId, `of the charge ${intentId}, ${gone} went back and ${taken} were taken`]);
  }
  return found;
}
