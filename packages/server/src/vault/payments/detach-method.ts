import { z } from 'zod';
import { enqueue, handler, isQueued, type JobHandler, type JobKind, withdraw } from '../../jobs/index.ts';
import type { Queryable, Tx } from '../../platform/index.ts';
import { callProcessor, type PaymentDeps } from './calls.ts';

const detachment = z.object({
  ownerId: z.string(),
  paymentMethodId: z.string(),
  processor: z.string(),
  customerRef: z.string(),
});

/** A card that is removed here and is still to be detached at its processor. */
export type Detachment = z.infer<typeof detachment>;

/** Four days in all. */
const kind: JobKind<Detachment> = {
  name: 'vault.detachMethod',
  payload: detachment,
  attempts: 100,
  atOnce: 1,
  timeoutMs: 30_000,
  pauseMs: { first: 40_000, longest: 3_600_000 },
};

const keyOf = ({ ownerId, paymentMethodId }: Pick<Detachment, 'ownerId' | 'paymentMethodId'>) =>
  `${ownerId} ${paymentMethodId}`;

export const isBeingDetached = (db: Queryable, card: Pick<Detachment, 'ownerId' | 'paymentMethodId'>) =>
  isQueued(db, kind, keyOf(card));

/** Queued with the removal of the card. The processor is told from `at` on, unless the request has done so. */
export const queueDetachment = (tx: Tx, { clock }: Pick<PaymentDeps, 'clock'>, card: Detachment, at: Date) =>
  enqueue(tx, clock, kind, { key: keyOf(card), payload: card, at });

async function detach(deps: PaymentDeps, card: Detachment): Promise<void> {
  const { processor } = deps;
  if (processor?.name !== card.processor) throw new Error(`the processor ${card.processor} is not configured`);
  await callProcessor(deps, (signal) => processor.detachMethod(card, signal));
}

/** Where it fails, the queued job does it later. */
export async function detachNow(deps: PaymentDeps, card: Detachment): Promise<void> {
  try {
    await detach(deps, card);
    await withdraw(deps.pool, kind, keyOf(card));
  } catch (error) {
    deps.log.warn({ err: error, ownerId: card.ownerId }, 'a removed card is still to be detached');
  }
}

export const detachLater = (deps: PaymentDeps): JobHandler => handler(kind, (card) => detach(deps, card));
