import type Stripe from 'stripe';
import { type Books, type CardBehaviour, seconds } from './books.ts';
import { type Form, metadataOf, text } from './wire.ts';

/** Objects as Stripe makes them, with every field that its type asks for. */

/** A card as a browser makes it with Stripe's form; nobody's until it is attached. */
export function newCard(books: Books, behaviour: CardBehaviour = 'accepts'): string {
  const id = books.newId('pm');
  books.behaviours.set(id, behaviour);
  books.methods.set(id, {
    id,
    object: 'payment_method',
    billing_details: { address: null, email: null, name: null, phone: null, tax_id: null },
    card: {
      brand: 'visa',
      checks: null,
      country: 'US',
      display_brand: 'visa',
      exp_month: 8,
      exp_year: 2031,
      fingerprint: null,
      funding: 'credit',
      generated_from: null,
      last4: '4242',
      networks: null,
      regulated_status: null,
      three_d_secure_usage: null,
      wallet: null,
    },
    created: seconds(books.now()),
    customer: null,
    customer_account: null,
    livemode: false,
    metadata: {},
    type: 'card',
  });
  return id;
}

export function newCustomer(books: Books, form: Form): Stripe.Customer {
  return {
    id: books.newId('cus'),
    object: 'customer',
    balance: 0,
    created: seconds(books.now()),
    default_source: null,
    description: text(form, 'description') ?? null,
    email: text(form, 'email') ?? null,
    invoice_settings: { custom_fields: null, default_payment_method: null, footer: null, rendering_options: null },
    livemode: false,
    metadata: metadataOf(form),
    shipping: null,
  };
}

export function newSetup(books: Books, form: Form, customer: string): Stripe.SetupIntent {
  const id = books.newId('seti');
  return {
    id,
    object: 'setup_intent',
    allowed_payment_method_types: null,
    application: null,
    automatic_payment_methods: null,
    cancellation_reason: null,
    client_secret: `${id}_secret_${books.newId('x').slice(2)}`,
    created: seconds(books.now()),
    customer,
    description: null,
    excluded_payment_method_types: null,
    last_setup_error: null,
    latest_attempt: null,
    livemode: false,
    mandate: null,
    metadata: metadataOf(form),
    next_action: null,
    on_behalf_of: null,
    payment_method: null,
    payment_method_configuration_details: null,
    payment_method_options: null,
    payment_method_types: ['card'],
    single_use_mandate: null,
    status: 'requires_payment_method',
    usage: text(form, 'usage') ?? 'off_session',
  };
}
