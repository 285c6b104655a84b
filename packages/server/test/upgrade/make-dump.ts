import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { createLog, openDatabase, readConfig, serve } from '../../src/index.ts';
import { dumpOf } from './dump.ts';
import { liveIn } from './life.ts';

// Makes the dump of a release, from which the test beside this file upgrades: runs the server of a checkout of it, which
// is built, on a data directory of its own, uses its API, and writes down the database while work is under way.
//
//   npx tsx packages/server/test/upgrade/make-dump.ts <checkout of the release> <its version>

interface ReleasedServer {
  openDatabase: typeof openDatabase;
  readConfig: typeof readConfig;
  createLog: typeof createLog;
  serve: typeof serve;
}

const [checkout, version] = process.argv.slice(2);
if (!checkout || !version) throw new Error('Usage: make-dump.ts <checkout of the release> <its version>');
const from = (path: string) => import(pathToFileURL(resolve(checkout, path)).href);
const released = (await from('packages/server/dist/index.js')) as ReleasedServer;
const { Agora } = (await from('packages/sdk/dist/index.js')) as typeof import('@agora-market/sdk');

/** All made up, and good for nothing but the upgraded copy. */
const secrets = {
  operatorToken: 'an-operator-token-of-43-characters-for-dumps',
  encryptionKey: 'an-encryption-key-of-43-characters-for-dumps',
};
const dataDir = mkdtempSync(join(tmpdir(), 'agora-release-'));
const settings = {
  AGORA_DATA_DIR: dataDir,
  AGORA_OPERATOR_TOKEN: secrets.operatorToken,
  AGORA_ENCRYPTION_KEY: secrets.encryptionKey,
  OUTBOUND_ALLOW_LOOPBACK: 'true',
  REFUND_WINDOW_MS: '2000',
  EARNINGS_HOLD_MS: '12000',
  PAYOUT_HOLD_MS: '0',
  PAYMENT_LIMITS: 'off',
  LOG_LEVEL: 'warn',
  PORT: '0',
};
const config = released.readConfig(settings);
const database = await released.openDatabase(config, released.createLog('warn'));
const server = await released.serve({ ...config, DATABASE_URL: database.url });
try {
  const cast = await liveIn(
    (credentials = {}) => new Agora({ baseUrl: server.url, idempotencyKeys: false, ...credentials }),
    secrets,
  );
  const file = (end: string) => join(import.meta.dirname, `release-${version}.${end}`);
  writeFileSync(file('sql'), await dumpOf(database.url));
  writeFileSync(file('json'), `${JSON.stringify({ ...cast, ...secrets }, null, 2)}\n`);
} finally {
  await server.close();
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
