import type Stripe from 'stripe';
import type { FakeRoutes } from './answers.ts';
import { type Books, type CardBehaviour, idOf } from './books.ts';
import { newCard, newCustomer, newSetup } from './customer-objects.ts';
import { missing, refused, required, StripeFailure } from './wire.ts';

/** Stripe's names for cards in test mode: each use makes a new card. */
const testCards: Record<string, CardBehaviour> = {
  pm_card_visa: 'accepts',
  pm_card_chargeCustomerFail: { declines: 'generic_decline' },
  pm_card_visa_chargeDeclinedInsufficientFunds: { declines: 'insufficient_funds' },
  pm_card_authenticationRequired: 'asks its holder',
  pm_card_chargeDeclined: 'cannot be saved',
};

/** What a browser does with the client secret: the holder confirms, and the card is the customer's. */
export function confirmSetup(books: Books, clientSecret: string, behaviour: CardBehaviour = 'accepts'): string {
  const setup = [...books.setups.values()].find((one) => one.client_secret === clientSecret);
  if (!setup) throw new Error('no such setup intent');
  const id = newCard(books, behaviour);
  (books.methods.get(id) as Stripe.PaymentMethod).customer = setup.customer as string;
  Object.assign(setup, { status: 'succeeded', payment_method: id });
  return id;
}

export function detach(books: Books, method: Stripe.PaymentMethod): Stripe.PaymentMethod {
  method.customer = null;
  books.behaviours.set(method.id, 'cannot be saved');
  books.emit('payment_method.detached', method);
  return method;
}

/** The operator deletes a customer in the dashboard: its cards are nobody's, and cannot be saved again. */
export function deleteCustomer(books: Books, id: string): void {
  books.customers.delete(id);
  for (const method of books.methods.values()) {
    if (idOf(method.customer) !== id) continue;
    method.customer = null;
    books.behaviours.set(method.id, 'cannot be saved');
  }
}

export function customerRoutes(books: Books): FakeRoutes {
  const methodOf = (id: string): Stripe.PaymentMethod => {
    const given = Object.hasOwn(testCards, id) ? newCard(books, testCards[id]) : id;
    const method = books.methods.get(given);
    if (!method) throw missing('PaymentMethod', id, 'payment_method');
    return method;
  };
  const customerOf = (id: string): Stripe.Customer => {
    const customer = books.customers.get(id);
    if (!customer) throw missing('customer', id, 'customer');
    return customer;
  };

  return {
    'POST /v1/customers': ({ form }) => {
      const customer = newCustomer(books, form);
      books.customers.set(customer.id, customer);
      return customer;
    },
    'GET /v1/customers/:id': ({ params }) => customerOf(params.id as string),
    'GET /v1/payment_methods/:id': ({ params }) => methodOf(params.id as string),
    'POST /v1/payment_methods/:id/attach': ({ params, form }) => {
      const method = methodOf(params.id as string);
      const customer = customerOf(required(form, 'customer'));
      if (idOf(method.customer) !== null) {
        throw refused('The payment method you provided has already been attached to a customer.');
      }
      if (books.behaviours.get(method.id) === 'cannot be saved') {
        throw new StripeFailure(402, {
          type: 'card_error',
          code: 'card_declined',
          decline_code: 'do_not_honor',
          message: 'Your card was declined.',
        });
      }
      method.customer = customer.id;
      books.emit('payment_method.attached', method);
      return method;
    },
    'POST /v1/payment_methods/:id/detach': ({ params }) => {
      const method = methodOf(params.id as string);
      if (idOf(method.customer) === null) {
        throw refused('The payment method you provided is not attached to a customer so detachment is impossible.');
      }
      return detach(books, method);
    },
    'POST /v1/setup_intents': ({ form }) => {
      const setup = newSetup(books, form, customerOf(required(form, 'customer')).id);
      books.setups.set(setup.id, setup);
      return setup;
    },
  };
}
