import type { Operations } from '@agora-market/contract';
import { appendEvent } from '../../events/index.ts';
import { type Call, ensure } from '../../platform/index.ts';
import { findDefaultMethod, lockPayer } from '../payments/method-sql.ts';
import { saveAutoTopUp } from './auto-top-up-sql.ts';

/** Under the payer's lock, so that its last card cannot be removed while this is switched on. */
export async function setAutoTopUp({ tx, caller, body, now, correlationId }: Call<Operations['vault.setAutoTopUp']>) {
  const { ownerId } = caller;
  await lockPayer(tx, ownerId);
  if (body.enabled) ensure(await findDefaultMethod(tx, ownerId), 'NO_PAYMENT_METHOD');
  const setting = { ...body, maxPerDay: body.maxPerDay ?? null, maxPerMonth: body.maxPerMonth ?? null };
  await saveAutoTopUp(tx, ownerId, setting, now);
  await appendEvent(tx, {
    type: 'auto_top_up.updated',
    district: 'vault',
    at: now,
    correlationId,
    ownerId,
    data: { ...setting },
  });
  return setting;
}
