import { type Clock, type Pool, type Route, route } from '../../platform/index.ts';
import { setAutoTopUp } from '../auto-top-up/set-auto-top-up.ts';
import { getBudget, setBudget } from '../budgets/budgets.ts';
import { allocate, reclaim, transferBetweenWallets } from './moves.ts';

/** What owners do with the credits they have: move them, refill them, limit them. */
export const walletRoutes = ({ pool, clock }: { pool: Pool; clock: Clock }): Route[] => [
  route('vault.allocate', (call) => allocate(clock, call)),
  route('vault.reclaim', (call) => reclaim(clock, call)),
  route('vault.transfer', (call) => transferBetweenWallets(clock, call)),
  route('vault.setAutoTopUp', setAutoTopUp),
  route('vault.getBudget', (call) => getBudget(pool, call)),
  route('vault.setBudget', setBudget),
];
