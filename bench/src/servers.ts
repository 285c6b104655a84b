import { fork } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import type { Load } from './lifecycle/client.ts';
import { makeDatabase, onDatabase, type Setting, serverOf, settle } from './lifecycle/contenders.ts';
import { startLoadClient } from './lifecycle/load-client.ts';
import { makePopulation } from './lifecycle/population.ts';
import { lastCount, prove } from './lifecycle/prove.ts';
import { cpuOf, cpuOfTree, parentOf } from './measure/cpu.ts';
import type { ServerProcess } from './measure/process.ts';
import { keepResults, shown, spreadOf } from './measure/results.ts';
import { watchIdle, watchLocks } from './servers/locks.ts';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '8' },
    /** Seconds for each server of a team: more servers learn their code more slowly. */
    warmup: { type: 'string', default: '5' },
    /** Seconds in which servers that have nothing to do are watched; 0 to leave that out. */
    idle: { type: 'string', default: '20' },
    clients: { type: 'string', default: '192' },
    owners: { type: 'string', default: '20' },
    agents: { type: 'string', default: '20' },
    modes: { type: 'string', default: 'spread,hot' },
    /** Numbers of servers, with `far` for servers with 1 ms of network each way between them and PostgreSQL. */
    teams: { type: 'string', default: '1,2,3,1far' },
    'dry-run': { type: 'boolean', default: false },
  },
});

/** Servers that share one database; they run only in their turn, for idle ones take from the others. */
interface Team {
  name: string;
  start(): Promise<ServerProcess[]>;
  databaseUrl: string;
  paid: number;
}

interface Turn {
  round: number;
  mode: Load['mode'];
  team: string;
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Milliseconds of the ledger's lock held alone, of a lifecycle. */
  lockMs: number;
  /** Sessions that wait for a lock of any kind, on the average. */
  waiting: number;
  /** Of a lifecycle. */
  commits: number;
  cpuMicros: { servers: number; postgres: number };
}

const secret = 'a secret that all servers of a bench share';

async function makeTeam(name: string, setting: Setting): Promise<Team> {
  const databaseUrl = await makeDatabase(`team_${name}`, setting);
  const url = name.endsWith('far') ? await delayed(databaseUrl) : databaseUrl;
  const start = (nth: number) =>
    serverOf({
      databaseUrl: url,
      dataDir: join(setting.dataDir, `${name}-${nth}`),
      env: { AGORA_ENCRYPTION_KEY: secret },
    });
  const count = Number.parseInt(name, 10);
  return {
    name,
    start: () => Promise.all(Array.from({ length: count }, (_, nth) => start(nth))),
    databaseUrl,
    paid: 0,
  };
}

/** The same database by way of a process that delays every byte by 1 ms each way. */
function delayed(databaseUrl: string): Promise<string> {
  const url = new URL(databaseUrl);
  const child = fork(fileURLToPath(new URL('./servers/delay.js', import.meta.url)), [
    `${decodeURIComponent(url.hostname)}/.s.PGSQL.${url.port}`,
    '1',
  ]);
  process.once('exit', () => child.kill('SIGKILL'));
  child.unref();
  return new Promise((resolve, reject) => {
    child.once('error', reject).once('message', (port) => {
      child.channel?.unref();
      url.hostname = '127.0.0.1';
      url.port = String(port);
      resolve(url.href);
    });
  });
}

async function takeTurn(
  team: Team,
  mode: Load['mode'],
  round: number,
  postgresPid: number,
  drive: ReturnType<typeof startLoadClient>['drive'],
): Promise<Turn> {
  const servers = await team.start();
  const cpuNow = () => ({
    servers: servers.reduce((sum, { pid }) => sum + cpuOf(pid), 0),
    postgres: cpuOfTree(postgresPid),
  });
  let before = cpuNow();
  let after = before;
  const locks = await watchLocks(team.databaseUrl);
  const load: Load = {
    ports: servers.map(({ port }) => port),
    mode,
    clients: Number(options.clients),
    warmUpMs: Number(options.warmup) * 1000 * servers.length,
    measureMs: Number(options.seconds) * 1000,
  };
  const result = await drive(load, (at) => {
    if (at === 'start') {
      before = cpuNow();
      locks.begin();
    } else after = cpuNow();
  });
  const { held, waiting, commits } = await locks.end();
  team.paid += result.total;
  await onDatabase(team.databaseUrl, (db) => lastCount(db, team.paid));
  for (const server of servers) await server.stop();
  const perSecond = result.lifecycles / result.seconds;
  const micros = (seconds: number) => (seconds * 1e6) / result.lifecycles;
  const turn: Turn = {
    ...{ round, mode, team: team.name, perSecond, waiting, p50Ms: result.p50Ms, p99Ms: result.p99Ms },
    commits: commits / result.total,
    lockMs: (held * 1000) / perSecond,
    cpuMicros: {
      servers: micros(after.servers - before.servers),
      postgres: micros(after.postgres - before.postgres),
    },
  };
  console.log(`round ${round} ${mode} ${team.name}: ${perSecond.toFixed(0)}/s, ${turn.lockMs.toFixed(2)} ms of lock`);
  await settle(team);
  return turn;
}

/** An idle pool closes its connections after 10 s. */
const settledMs = 15_000;

async function watchTeam({ name, start, databaseUrl }: Team): Promise<void> {
  const servers = await start();
  await sleep(settledMs);
  const { perSecond, connections } = await watchIdle(databaseUrl, Number(options.idle));
  for (const server of servers) await server.stop();
  console.log(`idle ${name}: ${perSecond.toFixed(1)} transactions/s and ${connections} connections in all`);
}

function report(turns: Turn[]): void {
  console.log(
    '\nteam: lifecycles/s beside one server in the same round; ms of lock a lifecycle; sessions that wait for locks',
  );
  const of = (mode: Load['mode'], team: string) => turns.filter((each) => each.mode === mode && each.team === team);
  for (const mode of options.modes.split(',') as Load['mode'][]) {
    for (const team of options.teams.split(',')) {
      const mine = of(mode, team);
      const beside = mine.flatMap((each) => {
        const one = of(mode, '1').find(({ round }) => round === each.round);
        return one ? [each.perSecond / one.perSecond] : [];
      });
      const median = (value: (turn: Turn) => number) => spreadOf(mine.map(value)).median;
      console.log(
        `${mode.padEnd(7)} ${team.padEnd(5)} ${shown(spreadOf(mine.map((each) => each.perSecond))).padEnd(22)} ` +
          `× ${shown(spreadOf(beside), 2)}  lock ${median((each) => each.lockMs).toFixed(2)} ms, ` +
          `waiting ${median((each) => each.waiting).toFixed(1)}, commits ${median((each) => each.commits).toFixed(2)}, p99 ${median((each) => each.p99Ms).toFixed(0)} ms, ` +
          `CPU servers / PostgreSQL ${median((each) => each.cpuMicros.servers).toFixed(0)} / ` +
          `${median((each) => each.cpuMicros.postgres).toFixed(0)} µs`,
      );
    }
  }
}

async function measure(setting: Setting): Promise<void> {
  const teams: Team[] = [];
  const client = startLoadClient(setting.populationFile);
  try {
    for (const name of options.teams.split(',')) teams.push(await makeTeam(name, setting));
    const postgresPid = await onDatabase(setting.adminUrl, (db) =>
      db.query('select pg_backend_pid() as pid').then(({ rows }) => parentOf(rows[0].pid)),
    );
    if (options.idle !== '0') for (const team of teams) await watchTeam(team);
    const turns: Turn[] = [];
    for (const mode of options.modes.split(',') as Load['mode'][])
      for (let round = 1; round <= Number(options.rounds); round++)
        for (const team of teams) turns.push(await takeTurn(team, mode, round, postgresPid, client.drive));
    for (const { name, databaseUrl, paid } of teams) await prove({ name, databaseUrl }, paid);
    report(turns);
    if (!options['dry-run']) console.log(`\n${keepResults('servers', { options, turns })} written`);
  } finally {
    client.stop();
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const population = makePopulation({ owners: Number(options.owners), agents: Number(options.agents) });
const populationFile = join(dataDir, 'population.json');
writeFileSync(populationFile, JSON.stringify(population), { mode: 0o600 });
const database = await openDatabase(
  { ...readConfig({}), AGORA_DATA_DIR: join(dataDir, 'database') },
  createLog('error'),
);
try {
  await measure({ adminUrl: database.url, population, populationFile, dataDir, naivePool: 0, profileDir: undefined });
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
