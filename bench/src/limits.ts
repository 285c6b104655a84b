import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { createMetrics } from '@agora-market/server/platform';
import { requestHead } from './lifecycle/connection.ts';
import { onDatabase } from './lifecycle/contenders.ts';
import { makePopulation, seed } from './lifecycle/population.ts';
import { cpuOf } from './measure/cpu.ts';
import { highLimits, noLimits } from './measure/limits.ts';
import { migrated } from './measure/migrated.ts';
import { startServer } from './measure/process.ts';
import { rateOf } from './measure/rate.ts';
import { keepResults, shown, spreadOf } from './measure/results.ts';

/**
 * Measures what limits and metrics cost. Two servers of one database take turns at the plainest read with an agent's key:
 * one counts every request, the other none. Metrics are timed by themselves and compared with the processor time of such
 * a read, because their share is below what turns can tell apart.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '8' },
    seconds: { type: 'string', default: '3' },
    clients: { type: 'string', default: '64' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const goals = { limits: 0.9, metrics: 0.01 };
const measured = 1_000_000;

/** Processor time of one counted request, in microseconds. */
function metricsCost(): number {
  const metrics = createMetrics();
  const count = (times: number) => {
    for (let nth = 0; nth < times; nth++) metrics.answered('agents.me', 200, nth % 50);
  };
  count(measured / 10);
  const from = process.cpuUsage();
  count(measured);
  const { user, system } = process.cpuUsage(from);
  return (user + system) / measured;
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('warn'));
try {
  const url = database.url.replace(/\/[^/]*$/, '/bench_limits');
  await onDatabase(database.url, (client) => client.query('create database bench_limits'));
  await migrated(url);
  const population = makePopulation({ owners: 200, agents: 1000 });
  await seed(url, population);
  const requests = population.agents.map(
    ({ key }) => `${requestHead('GET', '/api/v1/agents/me', `x-api-key: ${key}`)}\r\n`,
  );
  const encryptionKey = randomBytes(32).toString('hex');
  const start = (name: string, limits: Record<string, string>) => {
    const shared = { DATABASE_URL: url, AGORA_ENCRYPTION_KEY: encryptionKey };
    const env = { ...limits, ...shared, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'warn' };
    return startServer(['--max-semi-space-size=64', cli, 'serve'], { ...env, AGORA_DATA_DIR: join(dataDir, name) });
  };
  const counting = await start('counting', highLimits);
  const free = await start('free', noLimits);
  const turn = {
    requests,
    expected: '"apiKeyPrefix"',
    clients: Number(options.clients),
    seconds: Number(options.seconds),
  };
  const rounds: { counting: number; free: number; ratio: number; countingMicros: number; freeMicros: number }[] = [];
  try {
    for (let round = 0; round <= Number(options.rounds); round++) {
      const seen = { counting: 0, free: 0, countingMicros: 0, freeMicros: 0 };
      // Who goes first changes, because what a turn leaves behind is the next one's to clear.
      for (const name of round % 2 === 0 ? (['counting', 'free'] as const) : (['free', 'counting'] as const)) {
        const { pid, port } = name === 'counting' ? counting : free;
        const before = cpuOf(pid);
        const { perSecond, answered } = await rateOf({ ...turn, port });
        seen[name] = perSecond;
        seen[`${name}Micros`] = ((cpuOf(pid) - before) * 1e6) / answered;
      }
      // The first one warms both up.
      if (round > 0) rounds.push({ ...seen, ratio: seen.counting / seen.free });
    }
  } finally {
    await counting.stop();
    await free.stop();
  }
  const of = (what: keyof (typeof rounds)[number]) => spreadOf(rounds.map((round) => round[what]));
  const ratio = of('ratio');
  const metricsMicros = metricsCost();
  const share = metricsMicros / of('countingMicros').median;
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
  console.log(`own profile with limits, a second      ${shown(of('counting'))}`);
  console.log(`own profile without limits, a second   ${shown(of('free'))}`);
  console.log(`ratio within a round                   ${shown(ratio, 2)}`);
  console.log(`  goal ≥ ${goals.limits}: ${verdict(ratio.median >= goals.limits)}`);
  console.log(`server CPU of one read with limits, µs ${shown(of('countingMicros'))}`);
  console.log(`server CPU of one without, µs          ${shown(of('freeMicros'))}`);
  console.log(`CPU of counting it for metrics, µs     ${metricsMicros.toFixed(2)}`);
  console.log(`share of the read                      ${(share * 100).toFixed(2)} %`);
  console.log(
    `  goal ≤ ${goals.metrics * 100} % of a lifecycle, whose three requests cost more: ${verdict(share <= goals.metrics)}`,
  );
  if (!options['dry-run']) {
    console.log(`\n${keepResults('limits', { rounds, ratio, metricsMicros, share, goals })} written`);
  }
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
