import { type Clock, type Route, route } from '../../platform/index.ts';
import { setAutoTopUp } from '../auto-top-up/set-auto-top-up.ts';
import { allocate, reclaim, transferBetweenWallets } from './moves.ts';

/** Owners move their credits and refill their pool. */
export const walletRoutes = ({ clock }: { clock: Clock }): Route[] => [
  route('vault.allocate', (call) => allocate(clock, call)),
  route('vault.reclaim', (call) => reclaim(clock, call)),
  route('vault.transfer', (call) => transferBetweenWallets(clock, call)),
  route('vault.setAutoTopUp', setAutoTopUp),
];
