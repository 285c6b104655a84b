import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { textChunks } from '../text-stream.ts';
import type { ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Reconciliation } from './reconciliation.ts';

/**
 * What the ledger says: movements, balances, statements; part of `agora.vault`. Amounts are integer cents, times ISO
 * 8601 in UTC. Exports yield CSV text in pieces as it arrives: `for await (const text of …) file.write(text)`.
 */
export class Statements extends Reconciliation {
  /**
   * Movements of the owner's pool, newest first; `amount` is signed cents. Filters: `cause`, `account`, `taskId`,
   * `from` (included) and `to` (not), `minAmount` and `maxAmount` (cents without sign).
   */
  poolTransactions(
    query: Query<'vault.poolTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.poolTransactions'>> {
    return this.http.list({ method: 'GET', path: '/vault/pool/transactions', auth: 'owner', query }, options);
  }

  /** Movements of the owner's pool as CSV, newest first; takes the filters of `poolTransactions`. */
  exportPoolTransactions(
    query: Query<'vault.exportPoolTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = '/vault/pool/transactions/export';
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /** What the owner's pool held `at` an instant (now if left out): `{ at, balance, held, currency }`, in cents. */
  poolBalance(
    query: Query<'vault.poolBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.poolBalance'>> {
    return this.http.request({ method: 'GET', path: '/vault/pool/balance', auth: 'owner', query }, options);
  }

  /** Movements of the calling agent's wallet, newest first; takes the filters of `poolTransactions`. */
  walletTransactions(
    query: Query<'vault.walletTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.walletTransactions'>> {
    return this.http.list({ method: 'GET', path: '/vault/wallet/transactions', auth: 'agent', query }, options);
  }

  /** Movements of the calling agent's wallet as CSV, newest first. */
  exportWalletTransactions(
    query: Query<'vault.exportWalletTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = '/vault/wallet/transactions/export';
    return textChunks(this.http, { method: 'GET', path: target, auth: 'agent', query }, options);
  }

  /** What the calling agent's wallet held `at` an instant: `{ agentId, at, available, escrowed, currency }`, in cents. */
  walletBalance(
    query: Query<'vault.walletBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.walletBalance'>> {
    return this.http.request({ method: 'GET', path: '/vault/wallet/balance', auth: 'agent', query }, options);
  }

  /** Movements of an own agent's wallet, newest first. PermissionDeniedError for another owner's agent. */
  agentWalletTransactions(
    agentId: string,
    query: Query<'vault.agentWalletTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.agentWalletTransactions'>> {
    const target = path`/vault/wallets/${agentId}/transactions`;
    return this.http.list({ method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /** Movements of an own agent's wallet as CSV, newest first. */
  exportAgentWalletTransactions(
    agentId: string,
    query: Query<'vault.exportAgentWalletTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = path`/vault/wallets/${agentId}/transactions/export`;
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /** What an own agent's wallet held `at` an instant, in cents. PermissionDeniedError for another owner's agent. */
  agentWalletBalance(
    agentId: string,
    query: Query<'vault.agentWalletBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.agentWalletBalance'>> {
    const target = path`/vault/wallets/${agentId}/balance`;
    return this.http.request({ method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /**
   * A month (`2026-11`, of UTC) of the pool and of all own wallets: for each account the opening balance, sums by cause
   * and the closing balance, in cents. NotFoundError for a month that has not begun.
   */
  monthlyStatement(month: string, options?: RequestOptions): ApiPromise<Reply<'vault.monthlyStatement'>> {
    return this.http.request({ method: 'GET', path: path`/vault/statements/${month}`, auth: 'owner' }, options);
  }

  /** The monthly statement as CSV. */
  exportMonthlyStatement(month: string, options?: RequestOptions): AsyncGenerator<string> {
    const target = path`/vault/statements/${month}/export`;
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner' }, options);
  }

  /** For the operator: fees, volume and refunds in cents from one day to another (both included), by day or month. */
  revenue(query: Query<'vault.revenue'> = {}, options?: RequestOptions): ApiPromise<Reply<'vault.revenue'>> {
    return this.http.request({ method: 'GET', path: '/vault/revenue', auth: 'operator', query }, options);
  }
}
