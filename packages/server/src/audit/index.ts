export { type LedgerCheck, verifyLedger } from './verify-ledger.ts';
