import { z } from 'zod';
import type { PaymentDeps } from '../payments/calls.ts';
import type { PayoutEvent } from '../payments/payment-processor.ts';
import { accountChanged } from './accounts.ts';
import { payoutChanged } from './settle.ts';

const uuid = z.uuid();

/** Acts on what the processor tells of payouts and accounts; what is not ours is left alone. */
export async function takePayoutEvent(deps: PaymentDeps, event: PayoutEvent, correlationId: string): Promise<void> {
  if (event.type === 'account.changed') return accountChanged(deps, event.accountRef, correlationId);
  const intentId = uuid.safeParse(event.intentId);
  if (intentId.success) await payoutChanged(deps, intentId.data, event.accountRef);
}
