import type { JobHandler } from '../../jobs/index.ts';
import { type Job, untilEmpty } from '../../platform/index.ts';
import { refillPools } from '../auto-top-up/refill-pools.ts';
import { settleDueWithdrawals } from '../payouts/settle.ts';
import type { PaymentDeps } from './calls.ts';
import { collectDebts } from './debts.ts';
import { detachLater } from './detach-method.ts';
import { settleDueRefunds } from './refund-settle.ts';
import { settlePendingTopUps } from './top-up.ts';
import { forgetEvents } from './webhook.ts';

/** What was begun with the processor and not finished, what is owed for what went back there, and what refills pools. */
export const paymentJobs = (deps: PaymentDeps): Job[] => [
  { name: 'vault.settleTopUps', run: () => settlePendingTopUps(deps) },
  { name: 'vault.settleRefunds', run: () => settleDueRefunds(deps) },
  { name: 'vault.collectDebts', run: () => collectDebts(deps) },
  { name: 'vault.forgetEvents', everyMs: 60_000, run: () => untilEmpty(1_000, (limit) => forgetEvents(deps, limit)) },
  { name: 'vault.settleWithdrawals', run: () => settleDueWithdrawals(deps) },
  { name: 'vault.refillPools', run: () => refillPools(deps) },
];

/** What payments leave for later. */
export const paymentQueue = (deps: PaymentDeps): JobHandler[] => [detachLater(deps)];
