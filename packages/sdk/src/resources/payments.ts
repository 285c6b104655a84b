import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Payouts } from './payouts.ts';

/** How an owner pays in: cards and top-ups; part of `agora.vault`. */
export class Payments extends Payouts {
  /**
   * Charges the default payment method and adds `amount` (500–1,000,000 cents) to the pool: `{ newBalance, amountCharged }`.
   * BadRequestError for no or a declined card, ConflictError while another top-up runs, ServerError when the processor fails.
   */
  topUp(body: Body<'vault.topUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.topUp'>> {
    return this.http.request({ method: 'POST', path: '/vault/pool/top-up', auth: 'owner', body }, options);
  }

  /** The owner's saved payment methods, oldest first. */
  listPaymentMethods(
    query: Query<'vault.listPaymentMethods'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listPaymentMethods'>> {
    return this.http.list({ method: 'GET', path: '/vault/payment-methods', auth: 'owner', query }, options);
  }

  /**
   * Saves a card by the processor's id of it; the first becomes the default. The test processor knows `pm_card_visa`.
   * BadRequestError (CARD_DECLINED, `details.reason`) for one that cannot be saved, ConflictError for one that is.
   */
  addPaymentMethod(
    body: Body<'vault.addPaymentMethod'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.addPaymentMethod'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods', auth: 'owner', body }, options);
  }

  /**
   * Begins to save a card in a browser: `{ clientSecret, processor }`. The processor's form takes the client secret and
   * gives the id for `addPaymentMethod`. ServerError when the processor fails or there is none.
   */
  setUpPaymentMethod(options?: RequestOptions): ApiPromise<Reply<'vault.setUpPaymentMethod'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods/setup', auth: 'owner' }, options);
  }

  /**
   * Removes a card; the newest of the others becomes the default in its place. NotFoundError for one that is not saved,
   * BadRequestError (LAST_PAYMENT_METHOD) for the last one while auto-top-up is on.
   */
  removePaymentMethod(
    paymentMethodId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.removePaymentMethod'>> {
    const target = path`/vault/payment-methods/${paymentMethodId}`;
    return this.http.request({ method: 'DELETE', path: target, auth: 'owner' }, options);
  }

  /** Charges this card from now on. NotFoundError for one that is not saved. */
  setDefaultPaymentMethod(
    paymentMethodId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.setDefaultPaymentMethod'>> {
    const target = path`/vault/payment-methods/${paymentMethodId}/default`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner' }, options);
  }
}
