import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Payouts } from './payouts.ts';

/** How an owner pays in: cards, top-ups and their refunds; part of `agora.vault`. */
export class Payments extends Payouts {
  /**
   * Charges the default payment method and adds `amount` (500–1,000,000 cents) to the pool: `{ newBalance, amountCharged }`.
   * BadRequestError for no or a declined card, ConflictError while another top-up runs, ServerError when the processor fails.
   */
  topUp(body: Body<'vault.topUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.topUp'>> {
    return this.http.request({ method: 'POST', path: '/vault/pool/top-up', auth: 'owner', body }, options);
  }

  /**
   * For the operator: gives `amount` cents of a top-up (all that is left of it, if left out) back to its card, out of the
   * owner's pool: `{ id, topUpId, amount, status, newBalance }`, `pending` until the processor has decided. `topUpId` is
   * the `txn_…` of the top-up among the pool's transactions, or the UUID in `agora_intent_id` at the processor.
   * BadRequestError: INSUFFICIENT_BALANCE or REFUND_EXCEEDS_TOP_UP (`details.required` and `details.available` in cents),
   * WRONG_STATE while auto-top-up would charge the card again, REFUND_REFUSED when the credits are back in the pool.
   * ConflictError for a top-up that was not paid or has a refund under way. ServerError (PROCESSOR_ERROR) leaves the
   * refund under way, and it is carried out or given back exactly once.
   */
  refundTopUp(
    topUpId: string,
    body: Body<'vault.refundTopUp'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.refundTopUp'>> {
    const target = path`/vault/top-ups/${topUpId}/refund`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
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
