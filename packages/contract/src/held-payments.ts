import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { audited, operation, page, pageQuery, timestamp } from './operation.ts';

const heldStatuses = ['open', 'released', 'refused'] as const;

const heldPayment = z
  .object({
    id: id('heldPayment'),
    kind: z.enum(['top_up', 'withdrawal']),
    ownerId: id('owner'),
    withdrawalId: id('withdrawal').nullable().meta({ description: 'The withdrawal that waits; null for a top-up' }),
    amount: cents,
    reason: z.string().meta({ description: 'Which limit of a day it is over' }),
    status: z.enum(heldStatuses).meta({
      description: '`released`: the withdrawal is paid out; the owner may top up by this amount within a day',
    }),
    heldAt: timestamp,
    decidedAt: timestamp.nullable(),
    decidedBy: z.string().nullable(),
    decidedReason: z.string().nullable(),
  })
  .meta({ id: 'HeldPayment' });

const operators = { auth: 'operator', area: 'general' } as const;
const ofHeld = z.object({ heldPaymentId: z.string() });
const decision = z.strictObject(audited('Why, for the owner and'));

/** Payments that are over a limit of a day wait for the operator. Part of the vault. */
export const heldPaymentOperations = {
  'vault.listHeldPayments': operation({
    ...operators,
    id: 'vault.listHeldPayments',
    method: 'GET',
    path: '/vault/held-payments',
    tx: 'read',
    summary:
      'Withdrawals and top-ups over a limit of a day: those that are open, the longest waiting first; else newest first',
    query: z.strictObject({ ...pageQuery, status: z.enum(heldStatuses).optional() }),
    reply: { status: 200, schema: page(heldPayment) },
    errors: ['VALIDATION_ERROR'],
  }),
  'vault.releaseHeldPayment': operation({
    ...operators,
    id: 'vault.releaseHeldPayment',
    method: 'POST',
    path: '/vault/held-payments/:heldPaymentId/release',
    tx: 'ledger',
    summary: 'Let a held payment go: the withdrawal is paid out, or the owner may top up by the amount within a day',
    description:
      'The release of a top-up covers the card that it would have charged, and its amount once. A withdrawal is WRONG_STATE if its owner is suspended or owes, its wallet is flagged or its account for payouts is gone; it can still be refused.',
    params: ofHeld,
    body: decision,
    reply: { status: 200, schema: heldPayment },
    errors: ['VALIDATION_ERROR', 'WRONG_STATE', 'HELD_PAYMENT_NOT_FOUND'],
  }),
  'vault.refuseHeldPayment': operation({
    ...operators,
    id: 'vault.refuseHeldPayment',
    method: 'POST',
    path: '/vault/held-payments/:heldPaymentId/refuse',
    tx: 'ledger',
    summary: 'Refuse a held payment; the amount of a withdrawal returns to the wallet',
    params: ofHeld,
    body: decision,
    reply: { status: 200, schema: heldPayment },
    errors: ['VALIDATION_ERROR', 'WRONG_STATE', 'HELD_PAYMENT_NOT_FOUND'],
  }),
} as const;
