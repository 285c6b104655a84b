export { type App, type AppOptions, createApp } from './app.ts';
export { type LedgerCheck, verifyLedger } from './audit/index.ts';
export { backUp, checkBackup, restore } from './backup/index.ts';
export { caughtMail } from './mail/index.ts';
export {
  clearWalletFlag,
  decideHeldInDatabase,
  listHeldInDatabase,
  readRevenue,
  readStuckInDatabase,
  recomputeInDatabase,
  reconcileDatabase,
  refundInDatabase,
  retryJobsInDatabase,
  rotateKeyInDatabase,
  rotateSecretInDatabase,
  searchOwnersInDatabase,
  updateOwnerInDatabase,
} from './operate.ts';
export {
  type Config,
  createLog,
  readConfig,
  settingsTable,
  systemClock,
} from './platform/index.ts';
export { migrate } from './platform/postgres/index.ts';
export { schemaFunctions, schemaOfFunctions } from './schema.ts';
export { openDatabase, type RunningServer, serve } from './serve.ts';
export { stepsLock } from './tasks/index.ts';
