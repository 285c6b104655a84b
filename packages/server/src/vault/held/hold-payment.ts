import { toId } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Clock, newUuid, type Tx } from '../../platform/index.ts';
import type { WantedPayment } from '../payments/velocity.ts';
import { insertHeld, type PaymentKind } from './held-sql.ts';

/** Notes that a payment waits for the operator, and tells its owner. */
export async function holdPayment(
  tx: Tx,
  { clock }: { clock: Clock },
  held: Pick<WantedPayment, 'ownerId' | 'instrument' | 'amount'> & {
    kind: PaymentKind;
    withdrawalId: string | null;
    reason: string;
  },
  correlationId: string,
): Promise<void> {
  const at = clock.now();
  const id = newUuid(clock);
  if (!(await insertHeld(tx, { ...held, id, at }))) return;
  const { kind, ownerId, amount } = held;
  const data = { heldPaymentId: toId('heldPayment', id), kind, amount };
  await appendEvent(tx, { type: 'payment.held', district: 'vault', at, correlationId, ownerId, data });
}
