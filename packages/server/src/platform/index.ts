export * from './api-error.ts';
export { type Clock, manualClock, systemClock } from './clock.ts';
export { type Config, readConfig, settingsTable } from './config.ts';
export {
  batchLoader,
  createPool,
  ledgerLock,
  type Pool,
  type Queryable,
  row,
  rows,
  type Tx,
  transaction,
  violates,
} from './db.ts';
export { type Disk, freeBytes, isDiskFull, watchDisk } from './disk.ts';
export { Hosts } from './hosts/index.ts';
export { eraseReplies } from './http/idempotency.ts';
export * from './http/route.ts';
export { sealer } from './http/seal.ts';
export { countedAddress } from './http/trusted-proxies.ts';
export { createHub, type Hub } from './hub.ts';
export type { Claim } from './idempotency-claims.ts';
export { newUuid } from './ids.ts';
export { createJobs, type Job, type Jobs } from './jobs.ts';
export { keptOnce } from './kept-once.ts';
export { createLog, type Logger } from './log.ts';
export { inStretches, joined } from './loop/index.ts';
export { sandboxesMemoryBytes } from './machine.ts';
export { createMemo, type Memo } from './memo.ts';
export { nearestName } from './nearest.ts';
export { createSharedHub, notifyAtCommit } from './notify.ts';
export { decodeCursor, encodeCursor, pageOf } from './paging.ts';
export { createPeers, type Peer, type Peers } from './peers/index.ts';
export { claimDataDir } from './sole-server.ts';
export { sqlList } from './sql-list.ts';
export { callStep, defineFunction, defineStep, type Step, schemaFunctions, writeDecided } from './step.ts';
export { createStepWriter, type StepWriter } from './step-writer.ts';
export { openThread } from './thread.ts';
export { createTries, type Tries } from './tries.ts';
