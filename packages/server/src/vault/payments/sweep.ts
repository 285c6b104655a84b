import type { PaymentDeps } from './calls.ts';
import { finishDetachments } from './payment-methods.ts';
import { settleDueRefunds } from './refund-settle.ts';
import { settlePendingTopUps } from './top-up.ts';
import { forgetEvents } from './webhook.ts';

/** What was begun with the processor and not finished; several processes may do it at once. */
export async function sweepPayments(deps: PaymentDeps): Promise<void> {
  await settlePendingTopUps(deps);
  await settleDueRefunds(deps);
  await finishDetachments(deps);
  await forgetEvents(deps);
}
