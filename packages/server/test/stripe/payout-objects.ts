import type Stripe from 'stripe';
import { type Books, seconds } from './books.ts';
import { type Form, metadataOf, text } from './wire.ts';

/** Objects as Stripe makes them, with every field that its type asks for. */

/** An account as it is made: its owner still has to tell everything. */
export function newAccount(books: Books, form: Form): Stripe.Account {
  return {
    id: books.newId('acct'),
    object: 'account',
    capabilities: { transfers: 'inactive' },
    charges_enabled: false,
    controller: { type: 'application', is_controller: true },
    country: 'US',
    created: seconds(books.now()),
    default_currency: 'usd',
    details_submitted: false,
    email: text(form, 'email') ?? null,
    metadata: metadataOf(form),
    payouts_enabled: false,
    requirements: {
      alternatives: [],
      current_deadline: null,
      currently_due: ['external_account', 'individual.first_name'],
      disabled_reason: 'requirements.past_due',
      errors: [],
      eventually_due: ['external_account', 'individual.first_name'],
      past_due: ['external_account'],
      pending_verification: [],
    },
    type: 'none',
  };
}

export function newTransfer(
  books: Books,
  fields: { amount: number; destination: string; group: string | null; metadata: Stripe.Metadata },
): Stripe.Transfer {
  const id = books.newId('tr');
  return {
    id,
    object: 'transfer',
    amount: fields.amount,
    amount_reversed: 0,
    balance_transaction: books.newId('txn'),
    created: seconds(books.now()),
    currency: 'usd',
    description: null,
    destination: fields.destination,
    destination_payment: books.newId('py'),
    livemode: false,
    metadata: fields.metadata,
    reversals: { object: 'list', data: [], has_more: false, url: `/v1/transfers/${id}/reversals` },
    reversed: false,
    source_transaction: null,
    source_type: 'card',
    transfer_group: fields.group,
  };
}

export function newReversal(
  books: Books,
  { amount, transfer, metadata }: { amount: number; transfer: string; metadata: Stripe.Metadata },
): Stripe.TransferReversal {
  return {
    id: books.newId('trr'),
    object: 'transfer_reversal',
    amount,
    balance_transaction: books.newId('txn'),
    created: seconds(books.now()),
    currency: 'usd',
    destination_payment_refund: books.newId('pyr'),
    metadata,
    source_refund: null,
    transfer,
  };
}

export function newPayout(
  books: Books,
  { amount, metadata }: { amount: number; metadata: Stripe.Metadata },
): Stripe.Payout {
  const created = seconds(books.now());
  return {
    id: books.newId('po'),
    object: 'payout',
    amount,
    application_fee: null,
    application_fee_amount: null,
    arrival_date: created + 2 * 86_400,
    automatic: false,
    balance_transaction: books.newId('txn'),
    created,
    currency: 'usd',
    description: null,
    destination: books.newId('ba'),
    failure_balance_transaction: null,
    failure_code: null,
    failure_message: null,
    livemode: false,
    metadata,
    method: 'standard',
    original_payout: null,
    payout_method: null,
    reconciliation_status: 'not_applicable',
    reversed_by: null,
    source_type: 'card',
    statement_descriptor: null,
    status: 'pending',
    trace_id: null,
    type: 'bank_account',
  };
}
