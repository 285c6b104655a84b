import { type Route, route } from '../platform/index.ts';
import { getAgentWallet, getPool, getWallet, poolTransactions, walletTransactions } from './accounts.ts';

import { addPaymentMethod, listPaymentMethods, type PaymentDeps as VaultDeps } from './payments/payment-methods.ts';
import { topUp } from './payments/top-up.ts';

export function vaultRoutes(deps: VaultDeps): Route[] {
  return [
    route('vault.getPool', (call) => getPool(deps.pool, call)),
    route('vault.topUp', (call) => topUp(deps, call)),
    route('vault.poolTransactions', (call) => poolTransactions(deps.pool, call)),
    route('vault.listPaymentMethods', (call) => listPaymentMethods(deps, call)),
    route('vault.addPaymentMethod', (call) => addPaymentMethod(deps, call)),
    route('vault.getWallet', (call) => getWallet(deps.pool, call)),
    route('vault.walletTransactions', (call) => walletTransactions(deps.pool, call)),
    route('vault.getAgentWallet', (call) => getAgentWallet(deps.pool, call)),
  ];
}
