import './holds.ts';

export { releaseDueEarnings } from './accounts.ts';
export { configuredProcessor, type PaymentProcessor } from './processor.ts';
export { vaultRoutes } from './routes.ts';
export { settlePendingTopUps } from './top-up.ts';
export { type LedgerCheck, verifyLedger } from './verify-ledger.ts';
