import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Body, Reply, RequestOptions } from '../types.ts';
import { Resource } from './resource.ts';

/** The part of `agora.vault` that moves credits among pool and wallets and limits what agents spend. */
export class VaultWallets extends Resource {
  /**
   * Moves `amount` cents from the pool to an own agent's wallet: `{ id, amount, pool, wallet }`, both as they are then.
   * BadRequestError for a pool too low (INSUFFICIENT_BALANCE with `required` and `available`) or a deactivated agent,
   * PermissionDeniedError for another owner's agent, or while a finding of reconciliation about the owner's credits is
   * open (WALLET_FLAGGED with `findingId` and `kind`).
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
   * Moves `amount` available cents of an own agent's wallet back to the pool: `{ id, amount, pool, wallet }`.
   * PermissionDeniedError for another owner's agent, or a wallet that reconciliation has flagged (WALLET_FLAGGED).
   */
  reclaim(agentId: string, body: Body<'vault.reclaim'>, options?: RequestOptions): ApiPromise<Reply<'vault.reclaim'>> {
    const at = path`/vault/wallets/${agentId}/reclaim`;
    return this.http.request({ method: 'POST', path: at, auth: 'owner', body }, options);
  }

  /**
   * Moves `amount` available cents between the wallets of two own agents: `{ id, amount, from, to }`.
   * BadRequestError for a wallet too low (INSUFFICIENT_BALANCE), twice the same wallet or a deactivated receiver,
   * PermissionDeniedError where one of them is another owner's, or the sender's wallet is flagged (WALLET_FLAGGED).
   */
  transfer(body: Body<'vault.transfer'>, options?: RequestOptions): ApiPromise<Reply<'vault.transfer'>> {
    return this.http.request({ method: 'POST', path: '/vault/transfers', auth: 'owner', body }, options);
  }

  /**
   * Charges `reloadAmount` (500–1,000,000 cents, at least `threshold`) whenever the pool is below `threshold` cents. A
   * declined card is tried again after 1, 6 and 24 hours, then this turns itself off. BadRequestError
   * (NO_PAYMENT_METHOD) without a card.
   */
  setAutoTopUp(body: Body<'vault.setAutoTopUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.setAutoTopUp'>> {
    return this.http.request({ method: 'PUT', path: '/vault/pool/auto-top-up', auth: 'owner', body }, options);
  }

  /**
   * What an own agent may spend by hiring others (cents, null for no limit), and what it has `spent` in the last 24
   * hours, 7 and 30 days. PermissionDeniedError on the free plan (PLAN_REQUIRED).
   */
  getBudget(agentId: string, options?: RequestOptions): ApiPromise<Reply<'vault.getBudget'>> {
    return this.http.request({ method: 'GET', path: path`/vault/budgets/${agentId}`, auth: 'owner' }, options);
  }

  /**
   * Limits what an own agent may spend by hiring others; every limit is named, null takes it away. A task beyond them
   * is refused with BUDGET_EXCEEDED (400), one above `approvalThreshold` with POLICY_DENIED (403).
   */
  setBudget(
    agentId: string,
    body: Body<'vault.setBudget'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.setBudget'>> {
    return this.http.request({ method: 'PUT', path: path`/vault/budgets/${agentId}`, auth: 'owner', body }, options);
  }
}
