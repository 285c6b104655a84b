import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { VaultWallets } from './vault-wallets.ts';

/**
 * For the operator: differences between balances, ledger entries and the processor, and payments that wait. Part of `agora.vault`. Amounts are
 * integer cents.
 */
export class Reconciliation extends VaultWallets {
  /**
   * Lists reconciliation findings, newest first. `here` and `there` are cents, null if there is no record. `status`
   * filters them.
   */
  listFindings(
    query: Query<'vault.listFindings'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listFindings'>> {
    return this.http.list({ method: 'GET', path: '/vault/reconciliation', auth: 'operator', query }, options);
  }

  /**
   * Recomputes all balances and compares the ledger with the processor's records. Returns the run once it has finished;
   * the call waits up to ten minutes longer than others. ConflictError while another run is in progress.
   *
   * @throws ConflictError (RECONCILIATION_IN_PROGRESS)
   */
  reconcile(options?: RequestOptions): ApiPromise<Reply<'vault.reconcile'>> {
    const target = '/vault/reconciliation/run';
    return this.http.request({ method: 'POST', path: target, auth: 'operator', extraTimeMs: 600_000 }, options);
  }

  /**
   * Lists withdrawals and top-ups that were over a limit of a day, with the limit as `reason`. `status` filters
   * them; those that wait are `open`, and listed the longest waiting first, others newest first.
   */
  listHeldPayments(
    query: Query<'vault.listHeldPayments'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listHeldPayments'>> {
    return this.http.list({ method: 'GET', path: '/vault/held-payments', auth: 'operator', query }, options);
  }

  /**
   * Lets a held payment go and returns it: a withdrawal is paid out, the owner of a top-up may top up by its
   * amount and card within a day. The owner is told. BadRequestError if it was decided before, or if the withdrawal
   * cannot be paid now.
   *
   * @throws BadRequestError (WRONG_STATE), NotFoundError (HELD_PAYMENT_NOT_FOUND)
   */
  releaseHeldPayment(
    heldPaymentId: string,
    body: Body<'vault.releaseHeldPayment'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.releaseHeldPayment'>> {
    const target = path`/vault/held-payments/${heldPaymentId}/release`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /**
   * Refuses a held payment and returns it; the amount of a withdrawal is in the wallet again. The owner is told the
   * reason. BadRequestError if it was decided before.
   *
   * @throws BadRequestError (WRONG_STATE), NotFoundError (HELD_PAYMENT_NOT_FOUND)
   */
  refuseHeldPayment(
    heldPaymentId: string,
    body: Body<'vault.refuseHeldPayment'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.refuseHeldPayment'>> {
    const target = path`/vault/held-payments/${heldPaymentId}/refuse`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /**
   * Clears a finding and returns it. BadRequestError if it is not open, or is about a wallet (use `clearFlag`).
   *
   * @throws BadRequestError (WRONG_STATE), NotFoundError (FINDING_NOT_FOUND)
   */
  clearFinding(
    findingId: string,
    body: Body<'vault.clearFinding'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.clearFinding'>> {
    const target = path`/vault/reconciliation/${findingId}/clear`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /**
   * Removes the flag from an agent's wallet; the reason is kept in the audit trail. BadRequestError if it is not
   * flagged.
   *
   * @throws BadRequestError (WRONG_STATE), NotFoundError (AGENT_NOT_FOUND)
   */
  clearFlag(
    agentId: string,
    body: Body<'vault.clearFlag'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.clearFlag'>> {
    const target = path`/vault/wallets/${agentId}/clear-flag`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }
}
