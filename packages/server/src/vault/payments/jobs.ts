import type { JobHandler } from '../../jobs/index.ts';
import { hasCome, type Job, untilEmpty } from '../../platform/index.ts';
import { reloadsDue } from '../auto-top-up/auto-top-up-sql.ts';
import { refillPools } from '../auto-top-up/refill-pools.ts';
import { forgetPayable } from '../payouts/payout-hold.ts';
import { settleDueWithdrawals } from '../payouts/settle.ts';
import type { GuardedDeps, PaymentDeps } from './calls.ts';
import { debtors } from './debt-sql.ts';
import { collectDebts } from './debts.ts';
import { detachLater } from './detach-method.ts';
import { settleDueRefunds } from './refund-settle.ts';
import { settlePendingTopUps } from './top-up.ts';
import { forgetAddresses } from './velocity.ts';
import { forgetEvents } from './webhook.ts';

/** Jobs for unfinished requests to the processor, for debts, and for auto-top-up. */
export const paymentJobs = (deps: GuardedDeps): Job[] => [
  {
    name: 'vault.settleTopUps',
    due: hasCome('coalesce(due_at, created_at)', "top_ups where status = 'pending'"),
    run: () => settlePendingTopUps(deps),
  },
  { name: 'vault.settleRefunds', due: hasCome('due_at', 'top_up_reversals'), run: () => settleDueRefunds(deps) },
  { name: 'vault.collectDebts', due: `exists (${debtors})`, run: () => collectDebts(deps) },
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
  { name: 'vault.settleWithdrawals', due: hasCome('due_at', 'withdrawals'), run: () => settleDueWithdrawals(deps) },
  { name: 'vault.refillPools', due: reloadsDue, run: () => refillPools(deps) },
];

/** Queued jobs of payments. */
export const paymentQueue = (deps: PaymentDeps): JobHandler[] => [detachLater(deps)];
