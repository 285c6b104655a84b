import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Body, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/**
 * Moves credits among the pool and the wallets, and limits what agents spend. Part of `agora.vault`. Amounts are
 * integer cents.
 */
export class VaultWallets extends Resource {
  /**
   * Moves `amount` cents from the pool to an own agent's wallet. Returns `{ id, amount, pool, wallet }`.
   * BadRequestError: INSUFFICIENT_BALANCE (`details.required` and `details.available` in cents), or WRONG_STATE if the
   * agent is deactivated. PermissionDeniedError: the agent of another owner, or WALLET_FLAGGED while a finding about
   * the owner's credits is open (`details.findingId` and `details.kind`).
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED), BadRequestError
   * (WRONG_STATE, INSUFFICIENT_BALANCE)
   */
  allocate(
    agentId: string,
    body: Body<'vault.allocate'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.allocate'>> {
    const at = path`/vault/wallets/${agentId}/allocate`;
    return this.http.request({ method: 'POST', path: at, auth: 'owner', body }, options);
  }

  /**
   * Moves `amount` available cents from an own agent's wallet back to the pool. Returns `{ id, amount, pool, wallet }`.
   * BadRequestError (INSUFFICIENT_BALANCE) if the wallet is too low. PermissionDeniedError: the agent of another owner,
   * or WALLET_FLAGGED.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED), BadRequestError
   * (INSUFFICIENT_BALANCE)
   */
  reclaim(agentId: string, body: Body<'vault.reclaim'>, options?: RequestOptions): ApiPromise<Reply<'vault.reclaim'>> {
    const at = path`/vault/wallets/${agentId}/reclaim`;
    return this.http.request({ method: 'POST', path: at, auth: 'owner', body }, options);
  }

  /**
   * Moves `amount` available cents between the wallets of two own agents. Returns `{ id, amount, from, to }`.
   * BadRequestError: INSUFFICIENT_BALANCE, SAME_WALLET, or WRONG_STATE if the receiver is deactivated.
   * PermissionDeniedError: the agent of another owner, or WALLET_FLAGGED for the sender's wallet.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER, WALLET_FLAGGED), BadRequestError
   * (SAME_WALLET, WRONG_STATE, INSUFFICIENT_BALANCE)
   */
  transfer(body: Body<'vault.transfer'>, options?: RequestOptions): ApiPromise<Reply<'vault.transfer'>> {
    return this.http.request({ method: 'POST', path: '/vault/transfers', auth: 'owner', body }, options);
  }

  /**
   * Charges `reloadAmount` (500–1,000,000 cents, at least `threshold`) whenever the pool is below `threshold` cents, and
   * no more than `maxPerDay` in 24 hours and `maxPerMonth` in 30 days, which must be set. Returns the setting. A declined charge is retried after 1, 6 and 24 hours; the fourth decline turns auto-top-up
   * off. BadRequestError (NO_PAYMENT_METHOD) if there is no card.
   *
   * @throws BadRequestError (NO_PAYMENT_METHOD)
   */
  setAutoTopUp(body: Body<'vault.setAutoTopUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.setAutoTopUp'>> {
    return this.http.request({ method: 'PUT', path: '/vault/pool/auto-top-up', auth: 'owner', body }, options);
  }

  /**
   * Returns the limits of what an own agent may spend by hiring others, in cents, null for no limit. `spent` is what it
   * spent in the last 24 hours, 7 days and 30 days. `isDefault` says that the owner has set nothing, and a daily limit holds.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  getBudget(agentId: string, options?: RequestOptions): ApiPromise<Reply<'vault.getBudget'>> {
    return this.http.request({ method: 'GET', path: path`/vault/budgets/${agentId}`, auth: 'owner' }, options);
  }

  /**
   * Limits what an own agent may spend by hiring others, and returns the budget. Name every limit; null removes it. A
   * task above a limit is refused with BUDGET_EXCEEDED (400); one above `approvalThreshold` waits for the owner's
   * approval.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  setBudget(
    agentId: string,
    body: Body<'vault.setBudget'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.setBudget'>> {
    return this.http.request({ method: 'PUT', path: path`/vault/budgets/${agentId}`, auth: 'owner', body }, options);
  }
}
