import { type Operations, ownedAtMost } from '@agora-market/contract';
import { z } from 'zod';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import {
  ApiError,
  type Call,
  decodeCursor,
  ensure,
  pageOf,
  type Queryable,
  type Tx,
  transaction,
  violates,
} from '../../platform/index.ts';
import { callProcessor, type GuardedDeps, type PaymentDeps, requireProcessor } from './calls.ts';
import { detachNow, isBeingDetached, queueDetachment } from './detach-method.ts';
import { instrumentOf } from './instrument.ts';
import {
  type CustomerNames,
  countMethods,
  dropMethod,
  dropMethodsOf,
  findCustomerRef,
  insertMethod,
  listMethods,
  lockPayer,
  makeDefault,
  type PaymentMethodRow,
  promoteNewest,
  removeMethod,
  saveCustomer,
} from './method-sql.ts';
import type { SavedMethod } from './pay-in.ts';
import type { PaymentProcessor } from './payment-processor.ts';

/** How long the request that removes a card may take to tell the processor. */
const ownTryMs = 60_000;

const methodView = ({ createdAt: _, ...shown }: PaymentMethodRow) => shown;

/** Begins the saving of a card in a browser, where its holder can confirm it with his bank. */
export async function setUpPaymentMethod(deps: PaymentDeps, call: Call<Operations['vault.setUpPaymentMethod']>) {
  const processor = requireProcessor(deps);
  const { ownerId } = call.caller;
  const known = await findCustomerRef(deps.pool, ownerId, processor.name);
  const { customerRef, clientSecret } = await callProcessor(deps, (signal) =>
    processor.setUpMethod({ ownerId, customerRef: known }, signal),
  );
  await noteCustomer(deps, call, { ownerId, processor: processor.name, known, customerRef });
  return { clientSecret, processor: processor.name };
}

/** Opens the processor's own page for a card, where no program of the processor may run in ours. */
export async function openPaymentMethodPage(deps: PaymentDeps, call: Call<Operations['vault.openPaymentMethodPage']>) {
  const processor = requireProcessor(deps);
  const { ownerId } = call.caller;
  const { returnUrl } = call.body;
  const known = await findCustomerRef(deps.pool, ownerId, processor.name);
  const { customerRef, url, expiresAt } = await callProcessor(deps, (signal) =>
    processor.openMethodPage({ ownerId, customerRef: known, returnUrl }, signal),
  );
  await noteCustomer(deps, call, { ownerId, processor: processor.name, known, customerRef });
  return { url, expiresAt: expiresAt.toISOString() };
}

const noteCustomer = (
  deps: PaymentDeps,
  { now, correlationId }: { now: Date; correlationId: string },
  names: CustomerNames,
): Promise<void> =>
  transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, names.ownerId);
    await lockPayer(tx, names.ownerId);
    await keepCustomer(tx, names, now, correlationId);
  });

/** Keeps the owner's name at the processor. One in place of another says that the other is gone, and its cards with it. */
async function keepCustomer(tx: Tx, names: CustomerNames, at: Date, correlationId: string): Promise<void> {
  const { ownerId, known } = names;
  const isNew = (await saveCustomer(tx, names)) !== null;
  if (!isNew || known === null) return;
  for (const gone of await dropMethodsOf(tx, ownerId)) await removed(tx, { ownerId, ...gone }, at, correlationId);
}

/** Saves a card at the processor, and here the part of it that may be shown. */
export async function addPaymentMethod(deps: GuardedDeps, call: Call<Operations['vault.addPaymentMethod']>) {
  const processor = requireProcessor(deps);
  const { ownerId } = call.caller;
  const { paymentMethodId } = call.body;
  ensureRoom(await isFull(deps.pool, ownerId, paymentMethodId));
  const known = await findCustomerRef(deps.pool, ownerId, processor.name);
  const saved = await callProcessor(deps, (signal) =>
    processor.saveMethod({ ownerId, customerRef: known, paymentMethodId }, signal),
  );
  if (saved.status === 'declined') throw new ApiError('CARD_DECLINED', undefined, { reason: saved.reason });
  try {
    const names = { ownerId, processor: processor.name, known, customerRef: saved.customerRef };
    const instrument = instrumentOf(deps, processor, saved.fingerprint);
    const method = await storeMethod(deps, call, names, { ...saved, instrument });
    ensureRoom(method === null);
    return methodView(method as PaymentMethodRow);
  } catch (error) {
    if (!violates(error, 'payment_methods_pkey')) throw error;
    throw new ApiError('DUPLICATE', 'This payment method is saved already.');
  }
}

async function isFull(db: Queryable, ownerId: string, id: string): Promise<boolean> {
  const found = await countMethods(db, ownerId, id);
  return found !== null && !found.isSaved && found.count >= ownedAtMost.paymentMethods;
}

function ensureRoom(full: boolean): void {
  const limit = ownedAtMost.paymentMethods;
  const message = `An owner can have ${limit} payment methods. Remove one first.`;
  ensure(!full, 'PAYMENT_METHOD_LIMIT_REACHED', message, { limit });
}

/** Null if others took the last place meanwhile. Then the card is detached at the processor. */
const storeMethod = (
  deps: PaymentDeps,
  { caller, now, correlationId }: Call<Operations['vault.addPaymentMethod']>,
  names: CustomerNames,
  { id, brand, last4, expMonth, expYear, instrument }: SavedMethod & { instrument: string },
): Promise<PaymentMethodRow | null> =>
  transaction(deps.pool, 'write', async (tx) => {
    const { ownerId } = caller;
    await requireAccount(tx, ownerId, caller.credential);
    await lockPayer(tx, ownerId);
    const reason = 'The card is being removed. Enter it again to save it.';
    if (await isBeingDetached(tx, { ownerId, paymentMethodId: id }))
      throw new ApiError('CARD_DECLINED', undefined, { reason });
    await keepCustomer(tx, names, now, correlationId);
    if (await isFull(tx, ownerId, id)) {
      await queueDetachment(tx, deps, { ...names, paymentMethodId: id }, now);
      return null;
    }
    const method = await insertMethod(tx, { ownerId, id, brand, last4, expMonth, expYear, instrument, at: now });
    if (!method) throw new Error('the insert of a payment method returned no row');
    await appendEvent(tx, {
      type: 'payment_method.added',
      district: 'vault',
      at: now,
      correlationId,
      ownerId,
      data: { brand, last4, isDefault: method.isDefault, instrument },
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

export async function setDefaultPaymentMethod(call: Call<Operations['vault.setDefaultPaymentMethod']>) {
  const { ownerId } = call.caller;
  await lockPayer(call.tx, ownerId);
  const method = await makeDefault(call.tx, ownerId, call.params.paymentMethodId);
  ensure(method, 'PAYMENT_METHOD_NOT_FOUND');
  const { brand, last4 } = method;
  await appendEvent(call.tx, {
    type: 'payment_method.made_default',
    district: 'vault',
    at: call.now,
    correlationId: call.correlationId,
    ownerId,
    data: { brand, last4 },
  });
  return methodView(method);
}

/** From here on the card is not charged; that the processor forgets it too may come later. */
export async function removePaymentMethod(deps: PaymentDeps, call: Call<Operations['vault.removePaymentMethod']>) {
  requireProcessor(deps);
  const { ownerId } = call.caller;
  const paymentMethodId = call.params.paymentMethodId;
  const detachment = await transaction(deps.pool, 'write', async (tx) => {
    await lockPayer(tx, ownerId);
    const removal = await removeMethod(tx, { ownerId, id: paymentMethodId });
    ensure(removal, 'PAYMENT_METHOD_NOT_FOUND');
    const { isRemoved, processor, customerRef } = removal;
    ensure(isRemoved, 'LAST_PAYMENT_METHOD');
    await removed(tx, { ownerId, ...removal }, call.now, call.correlationId);
    const card = { ownerId, paymentMethodId, processor, customerRef };
    await queueDetachment(tx, deps, card, new Date(call.now.getTime() + ownTryMs));
    return card;
  });
  await detachNow(deps, detachment);
}

async function removed(
  tx: Tx,
  { ownerId, brand, last4 }: { ownerId: string; brand: string; last4: string },
  at: Date,
  correlationId: string,
): Promise<void> {
  await promoteNewest(tx, ownerId);
  const data = { brand, last4 };
  await appendEvent(tx, { type: 'payment_method.removed', district: 'vault', at, correlationId, ownerId, data });
}

/** The processor has no such card any more, whoever took it away: it cannot be charged, so it goes here as well. */
export const methodDetached = (deps: PaymentDeps, processor: PaymentProcessor, id: string, correlationId: string) =>
  transaction(deps.pool, 'write', async (tx) => {
    for (const gone of await dropMethod(tx, processor.name, id)) {
      await removed(tx, gone, deps.clock.now(), correlationId);
    }
  });
