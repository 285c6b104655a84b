import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { cpuOf, cpuOfTree, parentOf } from '../measure/cpu.ts';
import { keepResults } from '../measure/results.ts';
import type { Load } from './client.ts';
import {
  type Contender,
  type ContenderName,
  contenderNames,
  onDatabase,
  type Setting,
  settle,
  startContender,
} from './contenders.ts';
import { type LoadClient, startLoadClient } from './load-client.ts';
import { makePopulation } from './population.ts';
import { prove } from './prove.ts';
import { printReport, ratiosOf, summaryOf, type Turn } from './report.ts';
import { writesEach, writesOf } from './writes.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    seconds: { type: 'string', default: '10' },
    warmup: { type: 'string', default: '3' },
    clients: { type: 'string', default: '256' },
    owners: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '200' },
    modes: { type: 'string', default: 'spread,hot' },
    contenders: { type: 'string', default: contenderNames.join(',') },
    'naive-pool': { type: 'string', default: '16' },
    profile: { type: 'string' },
    /** Prints only; the results of the last full run stay. */
    'dry-run': { type: 'boolean', default: false },
  },
});

interface Bench {
  client: LoadClient;
  postgresPid: number;
  /** Lifecycles that each contender was asked for and paid. */
  paid: Map<Contender, number>;
}

/** PostgreSQL's backends report their counters once a second. */
const statisticsMs = 1_500;

async function takeTurn(bench: Bench, contender: Contender, mode: Load['mode'], round: number): Promise<Turn> {
  const load: Load = {
    ports: [contender.server.port],
    mode,
    clients: Number(options.clients),
    warmUpMs: Number(options.warmup) * 1000 * (round === 1 ? 2 : 1),
    measureMs: Number(options.seconds) * 1000,
  };
  const cpuNow = () => ({ server: cpuOf(contender.server.pid), postgres: cpuOfTree(bench.postgresPid) });
  const written = await writesOf(contender);
  let before = cpuNow();
  let after = before;
  const result = await bench.client.drive(load, (at) => {
    if (at === 'start') before = cpuNow();
    else after = cpuNow();
  });
  bench.paid.set(contender, (bench.paid.get(contender) ?? 0) + result.total);
  await sleep(statisticsMs);
  const writes = writesEach(written, await writesOf(contender), result.total);
  const micros = (seconds: number) => (seconds * 1e6) / result.lifecycles;
  const turn: Turn = {
    round,
    mode,
    contender: contender.name,
    perSecond: result.lifecycles / result.seconds,
    p50Ms: result.p50Ms,
    p99Ms: result.p99Ms,
    cpuMicros: {
      server: micros(after.server - before.server),
      postgres: micros(after.postgres - before.postgres),
      client: micros(result.cpuSeconds),
    },
    writes,
    eachSecond: result.perSecond,
  };
  console.log(
    `round ${round} ${mode} ${contender.name}: ${turn.perSecond.toFixed(0)}/s  [${result.perSecond.join(' ')}]`,
  );
  await settle(contender);
  return turn;
}

async function measure(setting: Setting): Promise<void> {
  const names = options.contenders.split(',') as ContenderName[];
  const contenders: Contender[] = [];
  const client = startLoadClient(setting.populationFile);
  try {
    for (const name of names) contenders.push(await startContender(name, setting));
    const backend = await onDatabase(setting.adminUrl, (db) =>
      db.query('select pg_backend_pid() as pid').then(({ rows }) => parentOf(rows[0].pid)),
    );
    const bench: Bench = { client, postgresPid: backend, paid: new Map() };
    const turns: Turn[] = [];
    for (const mode of options.modes.split(',') as Load['mode'][]) {
      for (let round = 1; round <= Number(options.rounds); round++) {
        // One after the other in every round, so that the machine's drift affects all alike.
        for (const contender of contenders) turns.push(await takeTurn(bench, contender, mode, round));
      }
    }
    for (const contender of contenders) await prove(contender, bench.paid.get(contender) ?? 0);
    printReport(turns);
    if (!options['dry-run']) {
      const path = keepResults('lifecycle', { options, summary: summaryOf(turns), ratios: ratiosOf(turns), turns });
      console.log(`\n${path} written`);
    }
  } finally {
    client.stop();
    for (const { server } of contenders) await server.stop();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const population = makePopulation({ owners: Number(options.owners), agents: Number(options.agents) });
const populationFile = join(dataDir, 'population.json');
writeFileSync(populationFile, JSON.stringify(population), { mode: 0o600 });
const log = createLog('error');
// Durable as the shipped server has it: its own embedded PostgreSQL with fsync on.
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, log);
try {
  await measure({
    adminUrl: database.url,
    population,
    populationFile,
    dataDir,
    naivePool: Number(options['naive-pool']),
    profileDir: options.profile,
  });
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
