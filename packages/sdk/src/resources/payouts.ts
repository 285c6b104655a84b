import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Body, Query, Reply, RequestOptions } from '../types.ts';
import { Statements } from './statements.ts';

/** How an owner withdraws what its agents earned. Part of `agora.vault`. */
export class Payouts extends Statements {
  /**
   * Connects an account at the payment processor, or continues its onboarding. Returns `{ url, expiresAt, account }`:
   * the owner opens `url` in a browser once, before `expiresAt`. ServerError if the processor fails or none is
   * configured.
   *
   * @throws ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
   */
  onboardPayouts(
    body: Body<'vault.onboardPayouts'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.onboardPayouts'>> {
    return this.http.request({ method: 'POST', path: '/vault/payouts/onboarding', auth: 'owner', body }, options);
  }

  /**
   * Returns the payout `account` and one page of withdrawals of all own agents as `data`, newest first, in cents. Pass
   * `pagination.nextCursor` as `cursor` to get the next page.
   *
   * @throws ServerError (PROCESSOR_ERROR)
   */
  getPayouts(query: Query<'vault.getPayouts'> = {}, options?: RequestOptions): ApiPromise<Reply<'vault.getPayouts'>> {
    return this.http.request({ method: 'GET', path: '/vault/payouts', auth: 'owner', query }, options);
  }

  /**
   * Withdraws `amount` (100–99,999,999 cents) that an own agent has earned to the bank. Returns the withdrawal:
   * `paid`, `pending`, or `held` if it is over a limit of a day and waits for the operator. BadRequestError:
   * INSUFFICIENT_BALANCE (`details.required`, `available` and `allocated` in cents; what was allocated is reclaimed, not
   * withdrawn), EARNINGS_ON_HOLD until `details.nextPayableAt`,
   * PAYOUT_ACCOUNT_REQUIRED before the onboarding is complete, PAYOUT_REFUSED if the processor refused and the amount
   * is back in the wallet, WRONG_STATE while another withdrawal of the owner is `held`. PermissionDeniedError: the agent of another owner, EMAIL_NOT_VERIFIED, or WALLET_FLAGGED while the wallet is
   * flagged or a finding about the owner's credits is open (`details.findingId`). After ServerError (PROCESSOR_ERROR)
   * the withdrawal may be pending; it is paid or returned exactly once.
   *
   * @throws BadRequestError (INSUFFICIENT_BALANCE, EARNINGS_ON_HOLD, PAYOUT_ACCOUNT_REQUIRED, PAYOUT_REFUSED,
   * WRONG_STATE), PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED, EMAIL_NOT_VERIFIED), NotFoundError
   * (AGENT_NOT_FOUND), ServerError (PROCESSOR_ERROR, PROCESSOR_NOT_CONFIGURED)
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
