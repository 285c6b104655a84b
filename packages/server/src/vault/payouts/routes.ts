import { type Route, route } from '../../platform/index.ts';
import { onboardPayouts, type PayoutDeps } from './accounts.ts';
import { getPayouts, withdraw } from './withdraw.ts';

export const payoutRoutes = (deps: PayoutDeps): Route[] => [
  route('vault.onboardPayouts', (call) => onboardPayouts(deps, call)),
  route('vault.getPayouts', (call) => getPayouts(deps, call)),
  route('vault.withdraw', (call) => withdraw(deps, call)),
];
