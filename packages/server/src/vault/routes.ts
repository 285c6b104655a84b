import { type Route, route } from '../platform/index.ts';
import { getAgentWallet, getPool, getWallet } from './accounts.ts';
import { heldRoutes } from './held/routes.ts';
import { paymentRoutes } from './payments/routes.ts';
import type { PayoutDeps } from './payouts/accounts.ts';
import { payoutRoutes } from './payouts/routes.ts';
import { takePayoutEvent } from './payouts/take-event.ts';
import { reconciliationRoutes } from './reconciliation/routes.ts';
import type { ReconciliationDeps } from './reconciliation/run.ts';
import { statementRoutes } from './statements/routes.ts';
import { walletRoutes } from './wallets/routes.ts';

export function vaultRoutes(deps: PayoutDeps & ReconciliationDeps): Route[] {
  return [
    ...statementRoutes(deps),
    ...reconciliationRoutes(deps),
    ...paymentRoutes({ ...deps, takePayoutEvent: (...news) => takePayoutEvent(deps, ...news) }),
    ...payoutRoutes(deps),
    ...heldRoutes(deps),
    ...walletRoutes(deps),
    route('vault.getPool', (call) => getPool(deps.pool, call)),
    route('vault.getWallet', (call) => getWallet(deps.pool, call)),
    route('vault.getAgentWallet', (call) => getAgentWallet(deps.pool, call)),
  ];
}
