import { z } from 'zod';
import type { GuardedDeps } from '../payments/calls.ts';
import type { PayoutEvent } from '../payments/payment-processor.ts';
import { accountChanged } from './accounts.ts';
import { payoutChanged } from './settle.ts';

const uuid = z.uuid();

/** Handles the processor's events about payouts and accounts; events that are not about ours are ignored. */
export async function takePayoutEvent(deps: GuardedDeps, event: PayoutEvent, correlationId: string): Promise<void> {
  if (event.type === 'account.changed') return accountChanged(deps, event.accountRef, correlationId);
  const intentId = uuid.safeParse(event.intentId);
  if (intentId.success) await payoutChanged(deps, intentId.data, event.accountRef);
}
