import type Stripe from 'stripe';
import type { FakeRoutes } from './answers.ts';
import { type Books, type CardBehaviour, idOf, seconds } from './books.ts';
import { newSetup } from './customer-objects.ts';
import { confirmSetup } from './fake-customers.ts';
import { missing, required } from './wire.ts';

type Page = Pick<
  Stripe.Checkout.Session,
  'id' | 'object' | 'mode' | 'customer' | 'url' | 'success_url' | 'cancel_url' | 'expires_at' | 'status'
> & { setup_intent: string };

const pagesOf = new WeakMap<Books, Map<string, Page>>();

function pages(books: Books): Map<string, Page> {
  const known = pagesOf.get(books) ?? new Map<string, Page>();
  pagesOf.set(books, known);
  return known;
}

/** The owner enters a card on the page with this address. Returns where the browser goes then. */
export function enterCard(books: Books, url: string, behaviour: CardBehaviour = 'accepts'): string {
  const page = [...pages(books).values()].find((one) => one.url === url);
  const setup = page && books.setups.get(page.setup_intent);
  if (!setup) throw new Error('no such page');
  confirmSetup(books, setup.client_secret as string, behaviour);
  page.status = 'complete';
  return (page.success_url as string).replace('{CHECKOUT_SESSION_ID}', page.id);
}

/** Stripe's own pages for one card each (Checkout in setup mode). */
export const cardPageRoutes = (books: Books): FakeRoutes => ({
  'POST /v1/checkout/sessions': ({ form }) => {
    const customer = books.customers.get(required(form, 'customer'));
    if (!customer) throw missing('customer', required(form, 'customer'), 'customer');
    const setup = newSetup(books, form, customer.id);
    books.setups.set(setup.id, setup);
    const id = books.newId('cs_test');
    const page: Page = {
      id,
      object: 'checkout.session',
      mode: required(form, 'mode') as 'setup',
      customer: customer.id,
      url: `https://checkout.stripe.example/c/pay/${id}`,
      success_url: required(form, 'success_url'),
      cancel_url: required(form, 'cancel_url'),
      expires_at: seconds(books.now()) + 24 * 3600,
      status: 'open',
      setup_intent: setup.id,
    };
    pages(books).set(id, page);
    return page;
  },
  'GET /v1/checkout/sessions/:id': ({ params }) => {
    const page = pages(books).get(params.id as string);
    const setup = page && books.setups.get(page.setup_intent);
    if (!setup) throw missing('checkout.session', params.id as string, 'session');
    const method = books.methods.get(idOf(setup.payment_method) ?? '') ?? null;
    return { ...page, setup_intent: { ...setup, payment_method: method } };
  },
});
