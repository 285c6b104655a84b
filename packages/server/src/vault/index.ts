import './ledger/holds.ts';

export { poolOf, releaseDueEarnings } from './accounts.ts';
export { chargeAccepted } from './ledger/accepted-money.ts';
export { disputeRefunds, freezeEarnings, reclaimable, settleDisputed } from './ledger/dispute-money.ts';
export { escrowObstacle, holdEscrow, releaseEscrow, settleEscrow } from './ledger/escrow.ts';
export { platformHolder } from './ledger/transfer.ts';
export { isOwed } from './payments/debt-sql.ts';
export { erasePayments } from './payments/erase.ts';
export { paymentJobs, paymentQueue } from './payments/jobs.ts';
export { configuredProcessor, type PaymentProcessor } from './payments/processor.ts';
export { refundTopUp } from './payments/refunds.ts';
export { listOpenFindings } from './reconciliation/findings.ts';
export { clearFlag } from './reconciliation/flags.ts';
export { reconcile } from './reconciliation/run.ts';
export { createReconciler } from './reconciliation/schedule.ts';
export { vaultRoutes } from './routes.ts';
export { revenue } from './statements/revenue.ts';
export { turnover } from './statements/turnover.ts';
