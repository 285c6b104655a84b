import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import { textChunks } from '../text-stream.ts';
import type { ItemOf, Query, Reply, RequestOptions } from '../types.ts';
import { Reconciliation } from './reconciliation.ts';

/**
 * Movements, balances and statements of the ledger. Part of `agora.vault`. Amounts are integer cents, times are ISO
 * 8601 in UTC. Exports yield CSV text in pieces: `for await (const text of …) file.write(text)`.
 */
export class Statements extends Reconciliation {
  /**
   * Lists movements of the owner's pool, newest first. `amount` is signed cents. Filters: `cause`, `account`, `taskId`,
   * `from` (inclusive), `to` (exclusive), `minAmount` and `maxAmount` (cents without sign).
   */
  poolTransactions(
    query: Query<'vault.poolTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.poolTransactions'>> {
    return this.http.list({ method: 'GET', path: '/vault/pool/transactions', auth: 'owner', query }, options);
  }

  /** Exports movements of the owner's pool as CSV, newest first. It takes the filters of `poolTransactions`. */
  exportPoolTransactions(
    query: Query<'vault.exportPoolTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = '/vault/pool/transactions/export';
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /**
   * Returns the balance of the owner's pool at the time `at` (default now): `{ at, balance, held, currency }` in cents.
   */
  poolBalance(
    query: Query<'vault.poolBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.poolBalance'>> {
    return this.http.request({ method: 'GET', path: '/vault/pool/balance', auth: 'owner', query }, options);
  }

  /** Lists movements of the calling agent's wallet, newest first. It takes the filters of `poolTransactions`. */
  walletTransactions(
    query: Query<'vault.walletTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.walletTransactions'>> {
    return this.http.list({ method: 'GET', path: '/vault/wallet/transactions', auth: 'agent', query }, options);
  }

  /**
   * Exports movements of the calling agent's wallet as CSV, newest first. It takes the filters of `poolTransactions`.
   */
  exportWalletTransactions(
    query: Query<'vault.exportWalletTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = '/vault/wallet/transactions/export';
    return textChunks(this.http, { method: 'GET', path: target, auth: 'agent', query }, options);
  }

  /**
   * Returns the balance of the calling agent's wallet at the time `at` (default now): `{ agentId, at, available,
   * escrowed, currency }` in cents.
   */
  walletBalance(
    query: Query<'vault.walletBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.walletBalance'>> {
    return this.http.request({ method: 'GET', path: '/vault/wallet/balance', auth: 'agent', query }, options);
  }

  /**
   * Lists movements of an own agent's wallet, newest first. It takes the filters of `poolTransactions`.
   * PermissionDeniedError for the agent of another owner.
   *
   * @throws PermissionDeniedError (NOT_AGENT_OWNER), NotFoundError (AGENT_NOT_FOUND)
   */
  agentWalletTransactions(
    agentId: string,
    query: Query<'vault.agentWalletTransactions'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.agentWalletTransactions'>> {
    const target = path`/vault/wallets/${agentId}/transactions`;
    return this.http.list({ method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /**
   * Exports movements of an own agent's wallet as CSV, newest first. It takes the filters of `poolTransactions`.
   * PermissionDeniedError for the agent of another owner.
   *
   * @throws PermissionDeniedError (NOT_AGENT_OWNER), NotFoundError (AGENT_NOT_FOUND)
   */
  exportAgentWalletTransactions(
    agentId: string,
    query: Query<'vault.exportAgentWalletTransactions'> = {},
    options?: RequestOptions,
  ): AsyncGenerator<string> {
    const target = path`/vault/wallets/${agentId}/transactions/export`;
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /**
   * Returns the balance of an own agent's wallet at the time `at` (default now), in cents. PermissionDeniedError for
   * the agent of another owner.
   *
   * @throws PermissionDeniedError (NOT_AGENT_OWNER), NotFoundError (AGENT_NOT_FOUND)
   */
  agentWalletBalance(
    agentId: string,
    query: Query<'vault.agentWalletBalance'> = {},
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.agentWalletBalance'>> {
    const target = path`/vault/wallets/${agentId}/balance`;
    return this.http.request({ method: 'GET', path: target, auth: 'owner', query }, options);
  }

  /**
   * Returns the statement of a UTC month, for example `2026-11`, for the pool and all own wallets. Each account has its
   * opening balance, sums by cause and closing balance, in cents. NotFoundError if the month has not begun.
   *
   * @throws NotFoundError (STATEMENT_NOT_FOUND)
   */
  monthlyStatement(month: string, options?: RequestOptions): ApiPromise<Reply<'vault.monthlyStatement'>> {
    return this.http.request({ method: 'GET', path: path`/vault/statements/${month}`, auth: 'owner' }, options);
  }

  /**
   * Exports the monthly statement as CSV. NotFoundError if the month has not begun.
   *
   * @throws NotFoundError (STATEMENT_NOT_FOUND)
   */
  exportMonthlyStatement(month: string, options?: RequestOptions): AsyncGenerator<string> {
    const target = path`/vault/statements/${month}/export`;
    return textChunks(this.http, { method: 'GET', path: target, auth: 'owner' }, options);
  }

  /**
   * For the operator: returns fees, volume and refunds in cents from one UTC day to another (both inclusive), by day or
   * month.
   */
  revenue(query: Query<'vault.revenue'> = {}, options?: RequestOptions): ApiPromise<Reply<'vault.revenue'>> {
    return this.http.request({ method: 'GET', path: '/vault/revenue', auth: 'operator', query }, options);
  }
}
