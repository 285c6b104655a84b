import type { PaymentDeps } from './calls.ts';
import { collectDebts } from './debts.ts';
import { finishDetachments } from './payment-methods.ts';
import { settleDueRefunds } from './refund-settle.ts';
import { settlePendingTopUps } from './top-up.ts';
import { forgetEvents } from './webhook.ts';

/** What was begun with the processor and not finished, and what is owed for what went back there; several processes may do it at once. */
export async function sweepPayments(deps: PaymentDeps): Promise<void> {
  await settlePendingTopUps(deps);
  await settleDueRefunds(deps);
  await collectDebts(deps);
  await finishDetachments(deps);
  await forgetEvents(deps);
}
