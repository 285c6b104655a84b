import { type FindingKind, toId } from '@agora-market/contract';
import { ApiError, ensure, type Queryable, row } from '../../platform/index.ts';
import { readPool } from '../sql.ts';
import { isFlagged } from './flags.ts';

/** Findings after which an owner may have more credits in our books than anybody has paid for, or that have been paid out. */
const blocking: readonly FindingKind[] = [
  'balance',
  'charge_missing_there',
  'charge_amount',
  'reversal_missing_here',
  'reversal_amount',
  'payout_missing_here',
];

/**
 * Refuses while such a finding about an owner is open: until the operator clears it or a run no longer finds it. A
 * finding about a wallet blocks only that wallet, by its flag.
 */
export async function requireOwnerInOrder(tx: Queryable, ownerId: string): Promise<void> {
  const found = await row<{ id: string; kind: FindingKind; subject: string }>(
    tx,
    'reconciliation_blocking',
    `select id, kind, subject from reconciliation_findings
     where owner_id = $1 and agent_id is null and status = 'open' and kind = any($2::text[]) order by found_at limit 1`,
    [ownerId, blocking],
  );
  if (!found) return;
  const { id, kind, subject } = found;
  const cause = `Reconciliation found a contradiction in this owner's credits (${kind} of ${subject})`;
  const cure = 'Withdrawals and moves between pool and wallets are blocked until the operator clears it.';
  throw new ApiError('WALLET_FLAGGED', `${cause}. ${cure}`, { findingId: toId('finding', id), kind });
}

const owing =
  'A top-up went back to its card, and the pool still owes the amount. Withdrawals are blocked until the pool has paid it.';

/** Refuses to let money out of a wallet that is flagged, or to an owner who owes or whose credits are in question. */
export async function requireNoDebt(
  tx: Queryable,
  { agentId, ownerId }: { agentId: string; ownerId: string },
): Promise<void> {
  ensure(!(await isFlagged(tx, agentId)), 'WALLET_FLAGGED');
  // Credits of a reversed top-up may have been moved from the pool to this wallet.
  const { owed } = await readPool(tx, ownerId);
  ensure(owed === 0, 'WALLET_FLAGGED', owing, { owed });
  await requireOwnerInOrder(tx, ownerId);
}
