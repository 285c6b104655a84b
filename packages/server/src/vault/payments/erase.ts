import { rows, type Tx } from '../../platform/index.ts';
import type { PaymentDeps } from './calls.ts';
import { type Detachment, queueDetachment } from './detach-method.ts';

/**
 * Removes the cards of an owner, each to be detached at its processor, and the account that it was paid on; turns
 * auto-top-up off. What the ledger and reconciliation compare with the processor stays: amounts and reference numbers.
 */
export async function erasePayments(
  deps: Pick<PaymentDeps, 'clock'>,
  tx: Tx,
  ownerId: string,
  at: Date,
): Promise<void> {
  const cards = await rows<Detachment>(
    tx,
    'payments_erase_methods',
    `with gone as (delete from payment_methods where owner_id = $1 returning id)
     select $1::uuid as "ownerId", g.id as "paymentMethodId", c.processor, c.customer_ref as "customerRef"
     from gone g, payment_customers c where c.owner_id = $1`,
    [ownerId],
  );
  for (const card of cards) await queueDetachment(tx, deps, card, at);
  await rows(tx, 'payments_erase_payouts', 'delete from payout_accounts where owner_id = $1', [ownerId]);
  await rows(tx, 'payments_erase_reloads', 'update auto_top_ups set enabled = false where owner_id = $1', [ownerId]);
}
