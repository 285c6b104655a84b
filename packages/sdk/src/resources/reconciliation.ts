import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Body, ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { VaultWallets } from './vault-wallets.ts';

/** For the operator: what contradicts the books; part of `agora.vault`. Amounts are integer cents. */
export class Reconciliation extends VaultWallets {
  /** Reconciliation findings, newest first; `here` and `there` are cents, null where there is nothing. */
  listFindings(
    query: Query<'vault.listFindings'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listFindings'>> {
    return this.http.list({ method: 'GET', path: '/vault/reconciliation', auth: 'operator', query }, options);
  }

  /**
   * Recomputes all balances and compares the books with the processor's, now; waits for the end, up to ten minutes
   * longer than usual. ConflictError while another run is under way.
   */
  reconcile(options?: RequestOptions): ApiPromise<Reply<'vault.reconcile'>> {
    const target = '/vault/reconciliation/run';
    return this.http.request({ method: 'POST', path: target, auth: 'operator', extraTimeMs: 600_000 }, options);
  }

  /** Declares a finding in order. BadRequestError for one that is not open or is about a wallet (see `clearFlag`). */
  clearFinding(
    findingId: string,
    body: Body<'vault.clearFinding'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.clearFinding'>> {
    const target = path`/vault/reconciliation/${findingId}/clear`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }

  /** Takes the flag off an agent's wallet; the reason stays in the audit trail. BadRequestError where it has none. */
  clearFlag(
    agentId: string,
    body: Body<'vault.clearFlag'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.clearFlag'>> {
    const target = path`/vault/wallets/${agentId}/clear-flag`;
    return this.http.request({ method: 'POST', path: target, auth: 'operator', body }, options);
  }
}
