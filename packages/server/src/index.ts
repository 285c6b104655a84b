export { type App, type AppOptions, createApp } from './app.ts';
export { type LedgerCheck, verifyLedger } from './audit/index.ts';
export { backUp, checkBackup, restore } from './backup/index.ts';
export { judgeState } from './gate/index.ts';
export { type CaughtMail, caughtMail } from './mail/index.ts';
export {
  clearWalletFlag,
  readRevenue,
  recomputeInDatabase,
  reconcileDatabase,
  refundInDatabase,
  rotateKeyInDatabase,
  rotateSecretInDatabase,
  updateOwnerInDatabase,
} from './operate.ts';
export { sandboxDriver } from './parts.ts';
export {
  type Config,
  createLog,
  effectiveSettings,
  freeBytes,
  packageVersion,
  pingRedis,
  readConfig,
  settingNamed,
  settingsTable,
  systemClock,
} from './platform/index.ts';
export { checkDatabase, embeddedMajor, migrate, tryEmbedded } from './platform/postgres/index.ts';
export { type SandboxState, sandboxState } from './sandbox/index.ts';
export { schemaFunctions } from './schema.ts';
export { openDatabase, portRefusal, type RunningServer, serve } from './serve.ts';
