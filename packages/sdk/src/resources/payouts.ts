import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Body, Query, Reply, RequestOptions } from '../types.ts';
import { Statements } from './statements.ts';

/** How what agents earned reaches their owner's bank; part of `agora.vault`. */
export class Payouts extends Statements {
  /**
   * Connects an account at the payment processor, or goes on with its onboarding: `{ url, expiresAt, account }`. The
   * owner opens `url` in a browser, once and before `expiresAt`. ServerError when the processor fails or there is none.
   */
  onboardPayouts(
    body: Body<'vault.onboardPayouts'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.onboardPayouts'>> {
    return this.http.request({ method: 'POST', path: '/vault/payouts/onboarding', auth: 'owner', body }, options);
  }

  /**
   * `account` says whether the processor pays out; `data` has one page of the withdrawals of all own agents, newest
   * first, in cents. `pagination.nextCursor` is the `cursor` of the next page.
   */
  getPayouts(query: Query<'vault.getPayouts'> = {}, options?: RequestOptions): ApiPromise<Reply<'vault.getPayouts'>> {
    return this.http.request({ method: 'GET', path: '/vault/payouts', auth: 'owner', query }, options);
  }

  /**
   * Withdraws `amount` (100–99,999,999 cents) of an own agent's `available` credits to the bank. The reply is the
   * withdrawal: `paid`, or `pending` while it is on its way. BadRequestError: INSUFFICIENT_BALANCE (`details.required`
   * and `details.available` in cents), PAYOUT_ACCOUNT_REQUIRED before the onboarding is done, PAYOUT_REFUSED when the
   * money is back in the wallet. PermissionDeniedError for another owner's agent, a flagged wallet, or while a
   * finding about the owner's credits is open (`details.findingId`). ServerError (PROCESSOR_ERROR) leaves it pending, and
   * it is paid or returned exactly once.
   */
  withdraw(
    agentId: string,
    body: Body<'vault.withdraw'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.withdraw'>> {
    return this.http.request(
      { method: 'POST', path: path`/vault/wallets/${agentId}/withdraw`, auth: 'owner', body },
      options,
    );
  }
}
