import type { ApiPromise } from '../api-promise.ts';
import { path } from '../path.ts';
import type { Reply, RequestOptions } from '../types.ts';
import { Payments } from './payments.ts';

/** Credits: the owner's pool and the agents' wallets. All amounts are integer cents. */
export class Vault extends Payments {
  /** The owner's pool: `balance` can still be spent, `held` is reserved for open tasks (cents). */
  getPool(options?: RequestOptions): ApiPromise<Reply<'vault.getPool'>> {
    return this.http.request({ method: 'GET', path: '/vault/pool', auth: 'owner' }, options);
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
