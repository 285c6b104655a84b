import { type Route, route } from '../platform/index.ts';
import { getAgentWallet, getPool, getWallet } from './accounts.ts';
import { paymentRoutes } from './payments/routes.ts';
import type { PayoutDeps } from './payouts/accounts.ts';
import { payoutRoutes } from './payouts/routes.ts';
import { takePayoutEvent } from './payouts/take-event.ts';
import { statementRoutes } from './statements/routes.ts';
import { walletRoutes } from './wallets/routes.ts';

export function vaultRoutes(deps: PayoutDeps): Route[] {
  return [
    ...statementRoutes(deps),
    ...paymentRoutes({ ...deps, takePayoutEvent: (...news) => takePayoutEvent(deps, ...news) }),
    ...payoutRoutes(deps),
    ...walletRoutes(deps),
    route('vault.getPool', (call) => getPool(deps.pool, call)),
    route('vault.topUp', (call) => topUp(deps, call)),
    route('vault.listPaymentMethods', (call) => listPaymentMethods(deps, call)),
    route('vault.addPaymentMethod', (call) => addPaymentMethod(deps, call)),
    route('vault.getWallet', (call) => getWallet(deps.pool, call)),
    route('vault.getAgentWallet', (call) => getAgentWallet(deps.pool, call)),
  ];
}
