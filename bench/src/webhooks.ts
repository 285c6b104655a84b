import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { toUuid } from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { onDatabase } from './lifecycle/contenders.ts';
import { makePopulation, type Population, seed } from './lifecycle/population.ts';
import { highLimits } from './measure/limits.ts';
import { migrated } from './measure/migrated.ts';
import { startServer } from './measure/process.ts';
import { keepResults, shareOf, shown, spreadOf } from './measure/results.ts';

/**
 * Measures webhooks from the event to the endpoint, on the shipped server: how soon a submitted task is told of, how many
 * messages a second go out, and what endpoints that are dead do to those that are not. The receiver is this process.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    agents: { type: 'string', default: '100' },
    /** Messages that wait for each healthy endpoint when a rate is measured. */
    backlog: { type: 'string', default: '80' },
    /** Events a second, and for how long, when latency beside dead endpoints is measured. */
    rate: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '6' },
    tasks: { type: 'string', default: '200' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const cli = fileURLToPath(new URL('../../packages/cli/dist/main.js', import.meta.url));
const goals = { firstP50Ms: 50, perSecond: 2_000, besideDead: 1.5 };
const webhooksPerAgent = 2;
/** Every tenth endpoint is dead: half of these refuse connections, the others never answer. */
const deadEvery = 10;

/** When each message arrived, and how long after its event. */
let arrivals: { atMs: number; afterMs: number }[] = [];
const firstSeen = new Map<string, number>();

const take: RequestListener = (request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (part: string) => {
    body += part;
  });
  request.on('end', () => {
    response.writeHead(204).end();
    const { timestamp, data } = JSON.parse(body);
    arrivals.push({ atMs: performance.now(), afterMs: Date.now() - Date.parse(timestamp) });
    if (!firstSeen.has(data.id)) firstSeen.set(data.id, performance.now());
  });
};

async function listen(how: RequestListener) {
  const server = createServer(how);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, server };
}

interface World {
  databaseUrl: string;
  baseUrl: string;
  population: Population;
  /** A task for each agent, which its messages are about; UUIDs. */
  tasks: string[];
  healthy: number;
}

/** Registers webhooks as agents do; gives how many are healthy. */
async function registerAll(baseUrl: string, { agents }: Population, urls: { healthy: string; dead: string[] }) {
  let made = 0;
  let healthy = 0;
  for (const { key } of agents) {
    const { webhooks } = new Agora({ baseUrl, agentKey: key });
    for (let nth = 0; nth < webhooksPerAgent; nth++) {
      const isDead = made++ % deadEvery === 0;
      const url = isDead ? (urls.dead[(made / deadEvery) & 1] as string) : urls.healthy;
      await webhooks.createMine({ url, events: ['task_assigned'] });
      if (!isDead) healthy += 1;
    }
  }
  return healthy;
}

const submit = (
  { baseUrl, population: { owners } }: Pick<World, 'baseUrl' | 'population'>,
  agentId: string,
  nth: number,
) =>
  new Agora({ baseUrl, ownerToken: owners[nth % owners.length]?.token as string }).tasks.submit({
    taskType: 'general',
    maxBudget: 1000,
    input: { description: 'Write a haiku about ledgers' },
    agentId,
  });

/** From before the request that submits a task to the first message about it, in milliseconds. */
async function firstDeliveries(world: World): Promise<number[]> {
  const { agents } = world.population;
  const times: number[] = [];
  for (let nth = 0; nth < Number(options.tasks); nth++) {
    const agent = agents[(nth * 7) % agents.length];
    const startedMs = performance.now();
    const { id } = await submit(world, agent?.id as string, nth);
    const deadline = startedMs + 10_000;
    while (!firstSeen.has(id) && performance.now() < deadline) await sleep(1);
    times.push((firstSeen.get(id) ?? Number.POSITIVE_INFINITY) - startedMs);
    // So that the next is not read together with this one.
    await sleep(10 + (nth % 7) * 5);
  }
  return times;
}

/** Logs assignments to agents in turn as the step writer does, and wakes the server as it does. */
const logEvents = ({ databaseUrl, population, tasks }: World, from: number, count: number) =>
  onDatabase(databaseUrl, async (client) => {
    const nths = Array.from({ length: count }, (_, nth) => (from + nth) % tasks.length);
    await client.query(
      `insert into events (type, district, at, task_id, agent_id, correlation_id, data)
       select 'task.assigned', 'tasks', clock_timestamp(), task, agent, 'bench', '{}'
       from unnest($1::uuid[], $2::uuid[]) as i(task, agent)`,
      [nths.map((nth) => tasks[nth]), nths.map((nth) => population.agents[nth]?.uuid)],
    );
    await client.query(`select pg_notify('agora', E'-\\ntopics\\nevents')`);
  });

const untilArrived = async (count: number, ms: number) => {
  for (const end = performance.now() + ms; arrivals.length < count && performance.now() < end; ) await sleep(20);
  if (arrivals.length < count) throw new Error(`${arrivals.length} of ${count} messages arrived`);
};

/** Messages a second to healthy endpoints while a backlog is sent, from the first arrival to the last. */
async function drain(world: World): Promise<number> {
  arrivals = [];
  const each = Number(options.backlog);
  await logEvents(world, 0, world.tasks.length * each);
  const expected = world.healthy * each;
  await untilArrived(expected, 120_000);
  const times = arrivals.map(({ atMs }) => atMs).sort((a, b) => a - b);
  return ((expected - 1) * 1000) / ((times.at(-1) as number) - (times[0] as number));
}

/** p99 from event to healthy endpoint under a steady load, in milliseconds. */
async function steady(world: World): Promise<number> {
  arrivals = [];
  const everyMs = 50;
  const perTick = Math.round((Number(options.rate) * everyMs) / 1000);
  let sent = 0;
  const startedMs = performance.now();
  for (let tick = 0; tick < (Number(options.seconds) * 1000) / everyMs; tick++) {
    await logEvents(world, sent, perTick);
    sent += perTick;
    await sleep(Math.max(0, startedMs + (tick + 1) * everyMs - performance.now()));
  }
  await sleep(1_500);
  return shareOf(
    arrivals.map(({ afterMs }) => afterMs),
    0.99,
  );
}

/** Lets the dead endpoints take part, as if they had just died, or not at all. */
const letDead = ({ databaseUrl }: World, healthyUrl: string, takePart: boolean) =>
  onDatabase(databaseUrl, async (client) => {
    await client.query('update webhooks set enabled = false where url <> $1', [healthyUrl]);
    // What is under way at one that hangs ends first.
    if (takePart) await sleep(500);
    await client.query(
      `with gone as (
         delete from webhook_deliveries d using webhooks w where w.id = d.webhook_id and w.url <> $1
       )
       update webhooks set enabled = $2, held = null, next_at = null, waiting = 0, failures = 0, failing_since = null,
         paused_until = null, is_prompt = true, rounds = rounds + 1 where url <> $1`,
      [healthyUrl, takePart],
    );
    await client.query('vacuum analyze webhooks, webhook_deliveries');
  });

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...readConfig({}), AGORA_DATA_DIR: dataDir }, createLog('warn'));
const receiver = await listen(take);
const hanging = await listen((request) => void request.resume());
const closed = await listen(take);
await new Promise((resolve) => closed.server.close(resolve));
try {
  const databaseUrl = database.url.replace(/\/[^/]*$/, '/bench_webhooks');
  await onDatabase(database.url, (client) => client.query('create database bench_webhooks'));
  await migrated(databaseUrl);
  const population = makePopulation({ owners: 20, agents: Number(options.agents) });
  await seed(databaseUrl, population);
  const server = await startServer(['--max-semi-space-size=64', cli, 'serve'], {
    ...{ ...highLimits, HOST: '127.0.0.1', PORT: '0', LOG_LEVEL: 'error', DATABASE_URL: databaseUrl },
    ...{ OUTBOUND_ALLOW_LOOPBACK: 'true', AGORA_DATA_DIR: join(dataDir, 'server') },
  });
  try {
    const baseUrl = `http://127.0.0.1:${server.port}`;
    const tasks: string[] = [];
    for (const [nth, { id }] of population.agents.entries()) {
      tasks.push(toUuid('task', (await submit({ baseUrl, population }, id, nth)).id) as string);
    }
    const urls = { healthy: receiver.url, dead: [hanging.url, closed.url] };
    const healthy = await registerAll(baseUrl, population, urls);
    const world: World = { databaseUrl, baseUrl, population, tasks, healthy };
    await letDead(world, receiver.url, false);
    await drain(world);
    const first = await firstDeliveries(world);
    const rounds: Record<'rate' | 'rateAlone' | 'p99' | 'p99Alone' | 'besideDead', number>[] = [];
    for (let round = 0; round < Number(options.rounds); round++) {
      await letDead(world, receiver.url, false);
      const rateAlone = await drain(world);
      const p99Alone = await steady(world);
      await letDead(world, receiver.url, true);
      const rate = await drain(world);
      await letDead(world, receiver.url, true);
      const p99 = await steady(world);
      rounds.push({ rate, rateAlone, p99, p99Alone, besideDead: p99 / p99Alone });
    }
    report(first, rounds);
  } finally {
    await server.stop();
  }
} finally {
  for (const { server } of [receiver, hanging]) {
    server.closeAllConnections();
    server.close();
  }
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}

function report(first: number[], rounds: Record<'rate' | 'rateAlone' | 'p99' | 'p99Alone' | 'besideDead', number>[]) {
  const [p50, p99] = [shareOf(first, 0.5), shareOf(first, 0.99)];
  const of = (what: keyof (typeof rounds)[number]) => spreadOf(rounds.map((round) => round[what]));
  const said = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
  const [rate, besideDead] = [of('rate'), of('besideDead')];
  console.log(`from request to first delivery, ms        p50 ${p50.toFixed(1)}, p99 ${p99.toFixed(1)}`);
  console.log(`  goal p50 ≤ ${goals.firstP50Ms}: ${said(p50 <= goals.firstP50Ms)}`);
  console.log(`messages a second, 10 % of endpoints dead ${shown(rate)}`);
  console.log(`  goal ≥ ${goals.perSecond}: ${said(rate.median >= goals.perSecond)}`);
  console.log(`messages a second, none dead              ${shown(of('rateAlone'))}`);
  console.log(`p99 under a steady load, ms, 10 % dead    ${shown(of('p99'))}`);
  console.log(`p99 under a steady load, ms, none dead    ${shown(of('p99Alone'))}`);
  console.log(`ratio within a round                      ${shown(besideDead, 2)}`);
  console.log(`  goal ≤ ${goals.besideDead}: ${said(besideDead.median <= goals.besideDead)}`);
  if (!options['dry-run']) console.log(`\n${keepResults('webhooks', { first: { p50, p99 }, rounds, goals })} written`);
}
