import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { newUuid, systemClock } from '@agora-market/server/platform';
import { requestHead } from './lifecycle/connection.ts';
import { onDatabase } from './lifecycle/contenders.ts';
import { makePopulation, type Population, seed } from './lifecycle/population.ts';
import { highLimits } from './measure/limits.ts';
import { migrated } from './measure/migrated.ts';
import { startServer } from './measure/process.ts';
import { rateOf } from './measure/rate.ts';
import { keepResults, shown, spreadOf } from './measure/results.ts';

/**
 * Measures how many questions about an agent's reputation the shipped server answers a second, beside two plain reads with
 * a key: an owner's session, which is the plainest there is, and an agent's own profile. They take turns at one server and
 * one database, so the ratio is what counts.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '4' },
    clients: { type: 'string', default: '64' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const atLeast = 0.6;
const turn = { clients: Number(options.clients), seconds: Number(options.seconds) };

/** A trust key for each owner, on the plan with the highest daily limit; the keys as they are sent. */
async function giveTrustKeys(databaseUrl: string, { owners }: Population): Promise<string[]> {
  const keys = owners.map(({ uuid }) => ({
    id: newUuid(systemClock),
    owner: uuid,
    key: `tst_${randomBytes(32).toString('base64url')}`,
  }));
  const stored = keys.map(({ id, owner, key }) => ({
    id,
    owner,
    hash: createHash('sha256').update(key).digest('hex'),
  }));
  await onDatabase(databaseUrl, async (client) => {
    await client.query(`update owners set plan = 'enterprise'`);
    await client.query(
      `insert into trust_keys (id, owner_id, name, key_hash, key_prefix, created_at)
       select id, owner, 'bench', decode(hash, 'hex'), 'tst_bench', now()
       from json_to_recordset($1::json) as i(id uuid, owner uuid, hash text)`,
      [JSON.stringify(stored)],
    );
    await client.query('vacuum analyze');
  });
  return keys.map(({ key }) => key);
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('warn'));
try {
  const url = database.url.replace(/\/[^/]*$/, '/bench_trust');
  await onDatabase(database.url, (client) => client.query('create database bench_trust'));
  await migrated(url);
  const population = makePopulation({ owners: 200, agents: 1000 });
  await seed(url, population);
  const keys = await giveTrustKeys(url, population);
  const session = population.owners.map(
    ({ token }) => `${requestHead('GET', '/api/v1/auth/session', `authorization: Bearer ${token}`)}\r\n`,
  );
  const profile = population.agents.map(
    ({ key }) => `${requestHead('GET', '/api/v1/agents/me', `x-api-key: ${key}`)}\r\n`,
  );
  const trust = population.agents.map(({ id }, nth) => {
    const credential = `x-trust-api-key: ${keys[nth % keys.length]}`;
    return `${requestHead('GET', `/api/v1/trust/agents/${id}`, credential)}\r\n`;
  });
  const env = { ...highLimits, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn', DATABASE_URL: url };
  const server = await startServer(['--max-semi-space-size=64', cli, 'serve'], {
    ...env,
    AGORA_DATA_DIR: join(dataDir, 'server'),
  });
  const rounds: { session: number; profile: number; trust: number; ratio: number }[] = [];
  try {
    for (let round = 0; round <= Number(options.rounds); round++) {
      const rate = async (requests: string[], expected: string) =>
        (await rateOf({ ...turn, port: server.port, requests, expected })).perSecond;
      const rates = {
        session: await rate(session, '"owner"'),
        profile: await rate(profile, '"apiKeyPrefix"'),
        trust: await rate(trust, '"recommendation"'),
      };
      // The first one warms both up.
      if (round > 0) rounds.push({ ...rates, ratio: rates.trust / rates.session });
    }
  } finally {
    await server.stop();
  }
  const of = (what: keyof (typeof rounds)[number]) => spreadOf(rounds.map((round) => round[what]));
  const ratio = of('ratio');
  console.log(`own session with a token, a second       ${shown(of('session'))}`);
  console.log(`own profile with a key, a second         ${shown(of('profile'))}`);
  console.log(`reputation with a trust key, a second    ${shown(of('trust'))}`);
  const verdict = ratio.median >= atLeast ? 'met' : 'MISSED';
  console.log(`reputation / session within a round      ${shown(ratio, 2)}  target ≥ ${atLeast}: ${verdict}`);
  if (!options['dry-run']) console.log(`\n${keepResults('trust', { rounds, ratio, atLeast })} written`);
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
