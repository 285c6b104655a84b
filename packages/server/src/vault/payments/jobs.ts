import type { JobHandler } from '../../jobs/index.ts';
import { type Job, untilEmpty } from '../../platform/index.ts';
import { refillPools } from '../auto-top-up/refill-pools.ts';
import { forgetPayable } from '../payouts/payout-hold.ts';
import { settleDueWithdrawals } from '../payouts/settle.ts';
import type { GuardedDeps, PaymentDeps } from './calls.ts';
import { collectDebts } from './debts.ts';
import { detachLater } from './detach-method.ts';
import { settleDueRefunds } from './refund-settle.ts';
import { settlePendingTopUps } from './top-up.ts';
import { forgetAddresses } from './velocity.ts';
import { forgetEvents } from './webhook.ts';

/** Jobs for unfinished requests to the processor, for debts, and for auto-top-up. */
export const paymentJobs = (deps: GuardedDeps): Job[] => [
  { name: 'vault.settleTopUps', run: () => settlePendingTopUps(deps) },
  { name: 'vault.settleRefunds', run: () => settleDueRefunds(deps) },
  { name: 'vault.collectDebts', run: () => collectDebts(deps) },
  { name: 'vault.forgetEvents', everyMs: 60_000, run: () => untilEmpty(1_000, (limit) => forgetEvents(deps, limit)) },
  {
    name: 'vault.forgetAddresses',
    everyMs: 60_000,
    run: () => untilEmpty(1_000, (limit) => forgetAddresses(deps.pool, deps.clock.now(), limit)),
  },
  {
    name: 'vault.forgetPayable',
    everyMs: 60_000,
    run: () => untilEmpty(1_000, (limit) => forgetPayable(deps.pool, deps.clock.now(), limit)),
  },
  { name: 'vault.settleWithdrawals', run: () => settleDueWithdrawals(deps) },
  { name: 'vault.refillPools', run: () => refillPools(deps) },
];

/** Queued jobs of payments. */
export const paymentQueue = (deps: PaymentDeps): JobHandler[] => [detachLater(deps)];
