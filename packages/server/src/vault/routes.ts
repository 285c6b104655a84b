import { type Route, route } from '../platform/index.ts';
import { getAgentWallet, getPool, getWallet } from './accounts.ts';
import { addPaymentMethod, listPaymentMethods, type PaymentDeps as VaultDeps } from './payments/payment-methods.ts';
import { topUp } from './payments/top-up.ts';
import type { PayoutDeps } from './payouts/accounts.ts';
import { payoutRoutes } from './payouts/routes.ts';
import { statementRoutes } from './statements/routes.ts';

export function vaultRoutes(deps: VaultDeps & PayoutDeps): Route[] {
  return [
    ...statementRoutes(deps),
    ...payoutRoutes(deps),
    route('vault.getPool', (call) => getPool(deps.pool, call)),
    route('vault.topUp', (call) => topUp(deps, call)),
    route('vault.listPaymentMethods', (call) => listPaymentMethods(deps, call)),
    route('vault.addPaymentMethod', (call) => addPaymentMethod(deps, call)),
    route('vault.getWallet', (call) => getWallet(deps.pool, call)),
    route('vault.getAgentWallet', (call) => getAgentWallet(deps.pool, call)),
  ];
}
