import './ledger/holds.ts';

export { releaseDueEarnings } from './accounts.ts';
export { type LedgerCheck, verifyLedger } from './ledger/verify-ledger.ts';
export { configuredProcessor, type PaymentProcessor } from './payments/processor.ts';
export { sweepPayments } from './payments/sweep.ts';
export { settleDueWithdrawals } from './payouts/settle.ts';
export { vaultRoutes } from './routes.ts';
