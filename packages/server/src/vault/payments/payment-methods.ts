import type { Operations } from '@agora/contract';
import { z } from 'zod';
import { appendEvent } from '../../events/index.ts';
import {
  ApiError,
  type Call,
  type Clock,
  decodeCursor,
  ensure,
  type Logger,
  type Pool,
  pageOf,
  transaction,
  violates,
} from '../../platform/index.ts';
import type { SavedMethod } from './pay-in.ts';
import type { PaymentProcessor } from './payment-processor.ts';
import {
  findCustomerRef,
  insertMethod,
  listMethods,
  lockPayer,
  type PaymentMethodRow,
  saveCustomer,
} from './payment-sql.ts';

export interface PaymentDeps {
  pool: Pool;
  clock: Clock;
  log: Pick<Logger, 'info' | 'warn'>;
  /** Null where none is configured. */
  processor: PaymentProcessor | null;
  /** Longest wait for the processor; 30 s unless told. */
  processorTimeoutMs?: number;
}

export function requireProcessor({ processor }: PaymentDeps): PaymentProcessor {
  ensure(processor, 'PROCESSOR_NOT_CONFIGURED');
  return processor;
}

/** Calls the processor for a limited time. Whatever goes wrong there is PROCESSOR_ERROR; the cause goes to the log. */
export async function callProcessor<R>(deps: PaymentDeps, work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const signal = AbortSignal.timeout(deps.processorTimeoutMs ?? 30_000);
  // A processor that does not heed the signal must not hold the request either.
  const gaveUp = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  try {
    return await Promise.race([work(signal), gaveUp]);
  } catch (cause) {
    throw new ApiError('PROCESSOR_ERROR', undefined, {}, { cause });
  }
}

const methodView = ({ createdAt: _, ...shown }: PaymentMethodRow) => shown;

/** Saves a card at the processor and then what may be shown of it here. */
export async function addPaymentMethod(deps: PaymentDeps, call: Call<Operations['vault.addPaymentMethod']>) {
  const processor = requireProcessor(deps);
  const { ownerId } = call.caller;
  const { paymentMethodId } = call.body;
  const customerRef = await findCustomerRef(deps.pool, ownerId, processor.name);
  const saved = await callProcessor(deps, (signal) =>
    processor.saveMethod({ ownerId, customerRef, paymentMethodId }, signal),
  );
  if (saved.status === 'declined') throw new ApiError('CARD_DECLINED', undefined, { reason: saved.reason });
  try {
    return methodView(await storeMethod(deps, call, processor.name, saved));
  } catch (error) {
    if (!violates(error, 'payment_methods_pkey')) throw error;
    throw new ApiError('DUPLICATE', 'This payment method is saved already.');
  }
}

const storeMethod = (
  { pool }: PaymentDeps,
  { caller, now, correlationId }: Call<Operations['vault.addPaymentMethod']>,
  processor: string,
  { customerRef, id, brand, last4, expMonth, expYear }: SavedMethod,
): Promise<PaymentMethodRow> =>
  transaction(pool, 'write', async (tx) => {
    const { ownerId } = caller;
    await lockPayer(tx, ownerId);
    await saveCustomer(tx, { ownerId, processor, customerRef });
    const method = await insertMethod(tx, { ownerId, id, brand, last4, expMonth, expYear, at: now });
    if (!method) throw new Error('the insert of a payment method returned no row');
    await appendEvent(tx, {
      type: 'payment_method.added',
      district: 'vault',
      at: now,
      correlationId,
      ownerId,
      data: { brand, last4, isDefault: method.isDefault },
    });
    return method;
  });

const cursorSchema = z.tuple([z.iso.datetime({ precision: 3 }).startsWith('20'), z.string().regex(/^[\w.:-]{1,200}$/)]);

/** Oldest first. */
export async function listPaymentMethods(deps: PaymentDeps, call: Call<Operations['vault.listPaymentMethods']>) {
  const { pageSize, cursor } = call.query;
  const after = decodeCursor(cursor, cursorSchema);
  const found = await listMethods(deps.pool, call.caller.ownerId, after, pageSize + 1);
  return pageOf(found, pageSize, (method) => [method.createdAt, method.id], methodView);
}
