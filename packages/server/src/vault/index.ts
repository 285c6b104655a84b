import './ledger/holds.ts';

export { releaseDueEarnings } from './accounts.ts';
export { type LedgerCheck, verifyLedger } from './ledger/verify-ledger.ts';
export { configuredProcessor, type PaymentProcessor } from './payments/processor.ts';
export { settlePendingTopUps } from './payments/top-up.ts';
export { settleDueWithdrawals } from './payouts/settle.ts';
export { vaultRoutes } from './routes.ts';
