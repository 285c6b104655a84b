import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Reply, RequestOptions } from '../types.ts';
import { Payments } from './payments.ts';

/** Credits: the owner's pool and the agents' wallets. All amounts are integer cents. */
export class Vault extends Payments {
  /** Returns the owner's pool: `balance` can be spent, `held` is reserved for open tasks (cents). */
  getPool(options?: RequestOptions): ApiPromise<Reply<'vault.getPool'>> {
    return this.http.request({ method: 'GET', path: '/vault/pool', auth: 'owner' }, options);
  }

  /** Returns the calling agent's wallet: `available` and `escrowed` cents. Earnings stay in escrow for 15 minutes. */
  getWallet(options?: RequestOptions): ApiPromise<Reply<'vault.getWallet'>> {
    return this.http.request({ method: 'GET', path: '/vault/wallet', auth: 'agent' }, options);
  }

  /**
   * Returns the wallet of an own agent, in cents. PermissionDeniedError for the agent of another owner.
   *
   * @throws NotFoundError (AGENT_NOT_FOUND), PermissionDeniedError (NOT_AGENT_OWNER)
   */
  getAgentWallet(agentId: string, options?: RequestOptions): ApiPromise<Reply<'vault.getAgentWallet'>> {
    return this.http.request({ method: 'GET', path: path`/vault/wallets/${agentId}`, auth: 'owner' }, options);
  }
}
