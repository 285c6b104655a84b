import type { Operations } from '@agora-market/contract';
import { ApiError, type Call, ensure } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps, requireProcessor } from './calls.ts';
import { methodDetached } from './payment-methods.ts';
import type { PaymentProcessor, ProcessorEvent } from './payment-processor.ts';
import { bookCharge } from './refund-settle.ts';
import { noteHandled, purgeHandled, wasHandled } from './reversal-sql.ts';
import { settleTopUp } from './top-up.ts';
import { findTopUp } from './top-up-sql.ts';

/** A processor tries a delivery for some days; after that its signature is too old in any case. */
const keptMs = 7 * 24 * 3_600_000;

/**
 * Handles an event of the processor. It is recorded after it was handled. If a crash interrupts it, it is delivered and
 * handled again, which does no harm.
 */
export async function processorWebhook(deps: PaymentDeps, call: Call<Operations['vault.processorWebhook']>) {
  const processor = requireProcessor(deps);
  const { rawBody = '', headers = {} } = call.signed ?? {};
  const check = processor.verifyWebhook({ rawBody, headers, at: call.now });
  ensure(check.status !== 'not_configured', 'PROCESSOR_NOT_CONFIGURED', 'This server has no webhook secret.');
  if (check.status === 'refused') throw new ApiError('WEBHOOK_SIGNATURE_INVALID', undefined, { reason: check.reason });
  const { event } = check;
  const received = true as const;
  if (await wasHandled(deps.pool, processor.name, event.id)) return { received, duplicate: true };
  await handle(deps, processor, event, call.correlationId);
  await noteHandled(deps.pool, processor.name, event.id, call.now);
  return { received, duplicate: false };
}

async function handle(
  deps: PaymentDeps,
  processor: PaymentProcessor,
  event: ProcessorEvent,
  correlationId: string,
): Promise<void> {
  switch (event.type) {
    case 'charge.decided': {
      const topUp = await findTopUp(deps.pool, event.intentId);
      if (topUp) await settleTopUp(deps, topUp, event.charge);
      return;
    }
    case 'charge.reversed':
      return chargeReversed(deps, processor, event.chargeRef);
    case 'method.detached':
      return methodDetached(deps, processor, event.paymentMethodId, correlationId);
    case 'payout.changed':
    case 'account.changed':
      return deps.takePayoutEvent?.(event, correlationId);
    case 'other':
      deps.log.info({ event: event.name }, 'the processor told of something that nothing here acts on');
  }
}

/** The charge is booked first: news of its refund may come before news of itself. */
async function chargeReversed(deps: PaymentDeps, processor: PaymentProcessor, chargeRef: string): Promise<void> {
  const state = await callProcessor(deps, (signal) => processor.readCharge({ chargeRef }, signal));
  const topUp = state?.intentId ? await findTopUp(deps.pool, state.intentId) : null;
  if (!state || !topUp) return;
  await settleTopUp(deps, topUp, state.charge);
  await bookCharge(deps, processor, topUp, state.reversals);
}

/** Forgets events that nobody can send again. */
export const forgetEvents = (deps: Pick<PaymentDeps, 'pool' | 'clock'>, limit: number) =>
  purgeHandled(deps.pool, new Date(deps.clock.now().getTime() - keptMs), limit);
