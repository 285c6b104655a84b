import type { ApiPromise } from '../api-promise.ts';
import type { PagePromise } from '../page.ts';
import { path } from '../path.ts';
import type { Reply, RequestOptions } from '../types.ts';
import { Payments } from './payments.ts';

/** Credits: the owner's pool and the agents' wallets. All amounts are integer cents. */
export class Vault extends Payments {
  /** The owner's pool: `balance` can still be spent, `held` is reserved for open tasks (cents). */
  getPool(options?: RequestOptions): ApiPromise<Reply<'vault.getPool'>> {
    return this.http.request({ method: 'GET', path: '/vault/pool', auth: 'owner' }, options);
  }

  /**
   * Charges the default payment method and adds `amount` (500–1,000,000 cents) to the pool: `{ newBalance, amountCharged }`.
   * BadRequestError for no or a declined card, ConflictError while another top-up runs, ServerError when the processor fails.
   */
  topUp(body: Body<'vault.topUp'>, options?: RequestOptions): ApiPromise<Reply<'vault.topUp'>> {
    return this.http.request({ method: 'POST', path: '/vault/pool/top-up', auth: 'owner', body }, options);
  }

  /** The owner's saved payment methods. */
  listPaymentMethods(
    query: Query<'vault.listPaymentMethods'> = {},
    options?: RequestOptions,
  ): PagePromise<ItemOf<'vault.listPaymentMethods'>> {
    return this.http.list({ method: 'GET', path: '/vault/payment-methods', auth: 'owner', query }, options);
  }

  /** Saves a payment method; the first becomes the default. The test processor knows `pm_card_visa`. */
  addPaymentMethod(
    body: Body<'vault.addPaymentMethod'>,
    options?: RequestOptions,
  ): ApiPromise<Reply<'vault.addPaymentMethod'>> {
    return this.http.request({ method: 'POST', path: '/vault/payment-methods', auth: 'owner', body }, options);
  }

  /** The calling agent's wallet: `available` and `escrowed` cents; earnings stay escrowed for 15 minutes. */
  getWallet(options?: RequestOptions): ApiPromise<Reply<'vault.getWallet'>> {
    return this.http.request({ method: 'GET', path: '/vault/wallet', auth: 'agent' }, options);
  }

  /** An own agent's wallet, in cents. PermissionDeniedError for another owner's agent. */
  getAgentWallet(agentId: string, options?: RequestOptions): ApiPromise<Reply<'vault.getAgentWallet'>> {
    return this.http.request({ method: 'GET', path: path`/vault/wallets/${agentId}`, auth: 'owner' }, options);
  }
}
