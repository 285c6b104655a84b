export * from './api-error.ts';
export { type Clock, manualClock, systemClock } from './clock.ts';
export { type Cache, createCache } from './concurrency/cache.ts';
export * from './concurrency/index.ts';
export { type Config, readConfig, settingsTable } from './config/config.ts';
export { type EffectiveSetting, effectiveSettings, settingNamed } from './config/effective.ts';
export { publicUrl } from './config/public-url.ts';
export { registryOf } from './config/registries.ts';
export { dayMs, hourMs, jittered, minuteMs, secondMs } from './durations.ts';
export {
  flushDirectory,
  isAlive,
  isTaskId,
  nullWhereMissing,
  removePartialFiles,
  writeAtomically,
} from './files/atomic-file.ts';
export { type Disk, freeBytes, isDiskFull, watchDisk } from './files/disk.ts';
export { keptOnce } from './files/kept-once.ts';
export { createFaults, endAllHosts, type Faults, Hosts, liveHosts, lockHosts, reviveLeased } from './hosts/index.ts';
export { csvLine, sendCsv, sendText } from './http/csv.ts';
export { type Encryption, encryption, keptSecretMark, secretMark } from './http/encryption.ts';
export { eraseReplies } from './http/idempotency.ts';
export { pingRedis } from './http/redis-ping.ts';
export { placeOfRedis } from './http/redis-url.ts';
export * from './http/route.ts';
export { RuleReply } from './http/rule-reply.ts';
export { requireSameOrigin, sessionCookie } from './http/session-cookie.ts';
export { countedAddress } from './http/trusted-proxies.ts';
export { createHub, type Hub, loggedTopic, openHub, pingNats, placeOfNats } from './hub/index.ts';
export { firstIdAt, madeAt, newUuid } from './ids.ts';
export { askDue, createJobs, hasCome, type Job, type Jobs, untilEmpty } from './jobs.ts';
export { createLog, type Logger } from './log.ts';
export { placesInPath, sandboxesMemoryBytes } from './machine.ts';
export { createMetrics, type Metrics, type RequestTotals, requestSeconds } from './metrics.ts';
export { nearestName } from './nearest.ts';
export { decodeCursor, encodeCursor, pageOf } from './paging.ts';
export { createPeers, type Peer, PeerAway, type Peers } from './peers/index.ts';
export { advisoryLock } from './postgres/advisory-locks.ts';
export { DatabaseClient } from './postgres/client.ts';
export { column, type RowOf, selectList } from './postgres/columns.ts';
export {
  afterCommit,
  batchLoader,
  changedRows,
  connectionSettings,
  createPool,
  ledgerLock,
  ledgerLockShared,
  type Pool,
  type Queryable,
  row,
  rows,
  type Tx,
  transaction,
  violates,
} from './postgres/db.ts';
export { defineFunction, schemaFunctions, schemaOfFunctions } from './postgres/functions.ts';
export { claimDataDir } from './postgres/sole-server.ts';
export { sqlFile } from './postgres/sql-file.ts';
export { sqlList } from './postgres/sql-list.ts';
export { familyCpuMsOf, statFields } from './proc.ts';
export { systemRandom } from './random.ts';
export { allRoles, type Role, roles } from './roles.ts';
export { defineLeasedShare, ownersShare } from './shares.ts';
export {
  createSigning,
  type Reencrypted,
  reencryptColumn,
  reencryptSigningKey,
  rotateSigningKey,
  type Secrets as ServerSecrets,
  type Signing,
  totalReencrypted,
} from './signing/index.ts';
export type { Claim } from './steps/idempotency-claims.ts';
export {
  callStep,
  type Decisions,
  defineStep,
  type Step,
  stale,
} from './steps/step.ts';
export { createStepWriter, type StepWriter } from './steps/step-writer.ts';
export { together } from './steps/together.ts';
export { follow, openTracing, type Roots, type Tracing } from './tracing/index.ts';
export { createTries, type Tries } from './tries.ts';
export { packageVersion } from './version.ts';
