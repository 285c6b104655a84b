import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { onDatabase } from '../lifecycle/contenders.ts';
import { makePopulation, type Population, priceCents, seed } from '../lifecycle/population.ts';
import { migrated } from '../measure/migrated.ts';
import { keepResults } from '../measure/results.ts';
import { type OpenStream, openStream, post } from './client.ts';
import { type Memory, type Server, startServer } from './server-process.ts';

/**
 * Measures how soon a client of an event stream sees a change with a thousand streams open, and the memory of a stream.
 * All streams are at one server. Half of the changes are made there, half at another process on the same database.
 */

const { values: options } = parseArgs({
  options: {
    streams: { type: 'string', default: '1000' },
    changes: { type: 'string', default: '300' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const streams = Number(options.streams);
const changes = Number(options.changes);
/** One caller may have fifty open. */
const streamsOfOwner = 40;

interface Place {
  taskId: string;
  token: string;
  key: string;
  stream: OpenStream | null;
}

async function makeTasks(server: Server, { owners, agents }: Population): Promise<Place[]> {
  const places: Place[] = [];
  for (let nth = 0; nth < streams; nth++) {
    const { token } = owners[Math.floor(nth / streamsOfOwner)] as Population['owners'][number];
    const { id: agentId, key } = agents[nth % agents.length] as Population['agents'][number];
    const body = {
      taskType: 'general',
      maxBudget: priceCents,
      input: { description: 'A task to be watched' },
      agentId,
    };
    const { reply } = await post(`${server.url}/api/v1/tasks`, { authorization: `Bearer ${token}` }, body);
    places.push({ taskId: reply.id, token, key, stream: null });
  }
  return places;
}

async function openAll(server: Server, places: Place[]) {
  for (let from = 0; from < places.length; from += 50) {
    const some = places.slice(from, from + 50);
    const open = async (place: Place) => {
      place.stream = await openStream(server.url, place.taskId, place.token);
    };
    await Promise.all(some.map(open));
  }
}

async function closeAll(places: Place[]) {
  for (const place of places) place.stream?.close();
  await sleep(1_000);
}

/**
 * Starts tasks one after the other. `seen`: milliseconds from sending each request until its stream shows the change;
 * `after`: beyond the request's own reply, which is sent once the change is committed.
 */
async function watch(at: Server, places: Place[]) {
  const seen: number[] = [];
  const after: number[] = [];
  for (const { taskId, key, stream } of places) {
    const next = (stream as OpenStream).next();
    const from = performance.now();
    const replied = post(`${at.url}/api/v1/tasks/${taskId}/executing`, { 'x-api-key': key }, { sandboxId: 'bench' });
    const seenMs = (await next) - from;
    seen.push(seenMs);
    after.push(seenMs - (await replied).ms);
    await sleep(5);
  }
  return { seen: spread(seen), after: spread(after) };
}

function spread(values: number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: sorted.at(-1) as number };
}

async function measure(here: Server, there: Server, population: Population) {
  const places = await makeTasks(here, population);
  // Opens and closes one first, so that what is made only once exists.
  await openAll(here, places.slice(0, 1));
  await closeAll(places.slice(0, 1));
  const fresh = await here.memory();
  await openAll(here, places);
  const open = await here.memory();
  const own = await watch(here, places.slice(0, changes));
  const others = await watch(there, places.slice(changes, 2 * changes));
  await closeAll(places);
  const closed = await here.memory();
  await openAll(here, places);
  const again = await here.memory();
  await closeAll(places);
  const perStream = (from: Memory, to: Memory, what: keyof Memory) => (to[what] - from[what]) / streams / 1000;
  return {
    own,
    others,
    kB: {
      held: perStream(closed, again, 'held'),
      heldFirst: perStream(fresh, open, 'held'),
      resident: perStream(fresh, open, 'rss'),
      left: perStream(fresh, closed, 'held'),
    },
  };
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const config = { ...readConfig({}), AGORA_DATA_DIR: dataDir };
const database = await openDatabase(config, createLog('warn'));
const servers: Server[] = [];
try {
  const url = database.url.replace(/\/[^/]*$/, '/bench_stream');
  await onDatabase(database.url, (client) => client.query('create database bench_stream'));
  await migrated(url);
  const population = makePopulation({ owners: Math.ceil(streams / streamsOfOwner), agents: 100 });
  await seed(url, population);
  for (const name of ['here', 'there']) servers.push(await startServer(url, join(dataDir, name)));
  const [here, there] = servers as [Server, Server];
  const { own, others, kB } = await measure(here, there, population);
  const rows = [
    { name: 'change at the same process, ms', value: own.seen.p50, spread: own.seen, atMost: 20 },
    { name: 'change at another process, ms', value: others.seen.p50, spread: others.seen, atMost: 20 },
    { name: 'the same, beyond the reply, ms', value: own.after.p50, spread: own.after },
    { name: 'at another, beyond the reply, ms', value: others.after.p50, spread: others.after },
    { name: 'held by an open stream, kB', value: kB.held, atMost: 30 },
    { name: 'resident growth for each, first time, kB', value: kB.resident, atMost: 30 },
    { name: 'left by a closed stream, kB', value: kB.left },
  ];
  for (const { name, value, spread: of, atMost } of rows) {
    const rest = of ? ` p95 ${of.p95.toFixed(1)} p99 ${of.p99.toFixed(1)}` : '';
    const target = atMost === undefined ? '' : `  target ≤ ${atMost}: ${value <= atMost ? 'met' : 'MISSED'}`;
    console.log(`${name.padEnd(42)} ${value.toFixed(1)}${rest}${target}`);
  }
  const facts = { streams, changes, rows, kB };
  if (!options['dry-run']) console.log(`\n${keepResults('stream', facts)} written`);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
