import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Payouts } from './payouts.ts';

/** How an owner pays in: cards, top-ups and refunds of top-ups. Part of `agora.vault`. */
export class Payments extends Payouts {
  /**
   * Charges the default payment method and adds `amount` (500–1,000,000 cents) to the pool. Returns `{ newBalance,
   * amountCharged }` in cents. BadRequestError if there is no card or it is declined, ConflictError while another
   * top-up runs, ServerError if the processor fails. PermissionDeniedError: EMAIL_NOT_VERIFIED above a small sum a day,
   * TOP_UP_HELD if it is over a limit of a day; then nothing was charged, and the operator decides.
   *
   * @throws BadRequestError (NO_PAYMENT_METHOD, CARD_DECLINED), ConflictError (TOP_UP_IN_PROGRESS),
   * PermissionDeniedError (EMAIL_NOT_VERIFIED, TOP_UP_HELD), ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
   */
  topUp(body: Body<'vault.topUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.topUp'>> {
    return this.http.request({ method: 'POST', path: '/vault/pool/top-up', auth: 'owner', body }, options);
  }

  /**
   * For the operator: takes `amount` cents from the owner's pool and refunds them to the card of a top-up. Default: all
   * that was not refunded yet. `topUpId` is the `txn_…` of the top-up in the pool's transactions, or the processor's
   * `agora_intent_id`. Returns `{ id, topUpId, amount, currency, status, newBalance }`; `status` is `pending` until the
   * processor has decided. BadRequestError: INSUFFICIENT_BALANCE or REFUND_EXCEEDS_TOP_UP (`details.required` and
   * `details.available` in cents), WRONG_STATE if auto-top-up would charge the card again or the owner still owes an
   * earlier refund, REFUND_REFUSED if the processor refused and the credits are back in the pool. ConflictError if the
   * top-up was not paid or another refund of it is in progress. After ServerError (PROCESSOR_ERROR) the refund may be
   * pending; it is carried out or returned exactly once.
   *
   * @throws BadRequestError (WRONG_STATE, INSUFFICIENT_BALANCE, REFUND_EXCEEDS_TOP_UP, REFUND_REFUSED), NotFoundError
   * (TOP_UP_NOT_FOUND), ConflictError (TOP_UP_NOT_PAID, REFUND_IN_PROGRESS), ServerError (PROCESSOR_ERROR,
   * PROCESSOR_NOT_CONFIGURED)
   */
  refundTopUp(
    topUpId: string,
    body: Body<'vault.refundTopUp'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.refundTopUp'>> {
    const target = path`/vault/top-ups/${topUpId}/refund`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /** Lists the owner's saved payment methods, oldest first. */
  listPaymentMethods(
    query: Query<'vault.listPaymentMethods'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listPaymentMethods'>> {
    return this.http.list({ method: 'GET', path: '/vault/payment-methods', auth: 'owner', query }, options);
  }

  /**
   * Saves a card by its id at the processor. The first card becomes the default. The test processor knows
   * `pm_card_visa`. BadRequestError (CARD_DECLINED, `details.reason`) if it cannot be saved, ConflictError if it is
   * saved already, PermissionDeniedError (PAYMENT_METHOD_LIMIT_REACHED) above the limit.
   *
   * @throws BadRequestError (CARD_DECLINED), PermissionDeniedError (PAYMENT_METHOD_LIMIT_REACHED), ConflictError
   * (DUPLICATE), ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
   */
  addPaymentMethod(
    body: Body<'vault.addPaymentMethod'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.addPaymentMethod'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods', auth: 'owner', body }, options);
  }

  /**
   * Starts saving a card in a browser; returns `{ clientSecret, processor }`. The processor's form takes the client
   * secret and gives the id for `addPaymentMethod`. ServerError if the processor fails or none is configured.
   *
   * @throws ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
   */
  setUpPaymentMethod(options?: RequestOptions): ApiPromise<Reply<'vault.setUpPaymentMethod'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods/setup', auth: 'owner' }, options);
  }

  /**
   * Opens a page of the processor's own, on which the owner enters a card; returns `{ url, expiresAt }`. The browser comes
   * back to `returnUrl`. Where a card was entered, the address has `paymentMethodId` for `addPaymentMethod`.
   *
   * @throws ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
   */
  openPaymentMethodPage(
    body: Body<'vault.openPaymentMethodPage'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.openPaymentMethodPage'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods/page', auth: 'owner', body }, options);
  }

  /**
   * Removes a card. If it was the default, the newest of the others becomes the default. NotFoundError if it is not
   * saved. BadRequestError (LAST_PAYMENT_METHOD) for the last card while auto-top-up is on.
   *
   * @throws NotFoundError (PAYMENT_METHOD_NOT_FOUND), BadRequestError (LAST_PAYMENT_METHOD), ServerError
   * (PROCESSOR_NOT_CONFIGURED)
   */
  removePaymentMethod(
    paymentMethodId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.removePaymentMethod'>> {
    const target = path`/vault/payment-methods/${paymentMethodId}`;
    return this.http.request({ method: 'DELETE', path: target, auth: 'owner' }, options);
  }

  /**
   * Makes this card the default for later charges; returns it. NotFoundError if it is not saved.
   *
   * @throws NotFoundError (PAYMENT_METHOD_NOT_FOUND)
   */
  setDefaultPaymentMethod(
    paymentMethodId: string,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.setDefaultPaymentMethod'>> {
    const target = path`/vault/payment-methods/${paymentMethodId}/default`;
    return this.http.request({ method: 'POST', path: target, auth: 'owner' }, options);
  }
}
