import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { categories } from '@agora-market/contract';
import { createLog, openDatabase, readConfig } from '@agora-market/server';
import { createPool, createTally, newUuid, type Pool, rows, systemClock } from '@agora-market/server/platform';
import { createQueueHints, routed, type ToRoute } from '@agora-market/server/routing';
import { onDatabase } from './lifecycle/contenders.ts';
import { migrated } from './measure/migrated.ts';
import { keepResults, shareOf } from './measure/results.ts';
import { giveRecords } from './routing/records.ts';
import { numbers, populate } from './search/population.ts';

/**
 * Measures how long it takes to decide which agent gets a task, from the task to the first agent that is offered, among
 * few and among many agents and beside a read of one row by its key. All take turns, each on one connection.
 */

const { values: options } = parseArgs({
  options: {
    few: { type: 'string', default: '1000' },
    many: { type: 'string', default: '100000' },
    /** Decisions among few and among many, each. */
    times: { type: 'string', default: '5000' },
    /** Prints only; the results of the last full run stay. */
    'dry-run': { type: 'boolean', default: false },
  },
});
const goals = { p99Ms: 3, manyToFew: 2 };

const buyerId = newUuid(systemClock);

interface Market {
  pool: Pool;
  agentIds: string[];
  words: string[];
}

async function openMarket(adminUrl: string, name: string, agents: number): Promise<Market> {
  await onDatabase(adminUrl, (client) => client.query(`create database ${name}`));
  const url = adminUrl.replace(/\/[^/]*$/, `/${name}`);
  await migrated(url);
  const made = await populate(url, agents, { forSearch: false });
  await giveRecords(url);
  await onDatabase(url, (client) =>
    client.query(
      "insert into owners (id, name, email, password_hash, created_at) values ($1, 'Buyer', 'buyer@example.com', '', now())",
      [buyerId],
    ),
  );
  return { ...made, pool: createPool(url, console.error, { max: 1 }) };
}

/** Tasks as agents are: categories as uneven, budgets over the prices, half of them with tags. */
function* tasks(words: string[]): Generator<ToRoute> {
  const next = numbers(11);
  for (;;) {
    yield {
      taskType: categories[Math.floor(next() ** 2 * categories.length)] ?? 'general',
      maxBudget: Math.floor(100 * 10 ** (3 * next())),
      input: next() < 0.5 ? {} : { tags: [words[Math.floor(words.length ** next()) - 1]] },
      ownerId: buyerId,
    };
  }
}

const config = readConfig({});

/** Ms; null where nobody can do the task. */
async function decide({ pool }: Market, task: ToRoute): Promise<number | null> {
  const deps = {
    pool,
    clock: systemClock,
    config,
    random: Math.random,
    underWay: { hires: createTally() },
    queue: createQueueHints(),
  };
  const from = performance.now();
  const offers = routed(deps, task);
  const { done } = await offers.next();
  const ms = performance.now() - from;
  await offers.return(undefined);
  return done ? null : ms;
}

async function readOne({ pool, agentIds }: Market, nth: number): Promise<number> {
  const from = performance.now();
  const found = await rows(pool, 'bench_agent', 'select id, display_name, status from agents where id = $1', [
    agentIds[nth % agentIds.length],
  ]);
  if (found.length !== 1) throw new Error('an agent is missing');
  return performance.now() - from;
}

async function measure(few: Market, many: Market) {
  const times = { few: [] as number[], many: [] as number[], read: [] as number[] };
  const toDo = tasks(many.words);
  let unserved = 0;
  const warmUp = 200;
  for (let nth = -warmUp; nth < Number(options.times); nth++) {
    const task = toDo.next().value as ToRoute;
    const found = {
      few: await decide(few, task),
      many: await decide(many, task),
      read: await readOne(many, nth + warmUp),
    };
    if (nth < 0) continue;
    if (found.few === null || found.many === null) unserved += 1;
    else for (const what of ['few', 'many', 'read'] as const) times[what].push(found[what] as number);
  }
  return { times, unserved };
}

const dataDir = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const database = await openDatabase({ ...config, AGORA_DATA_DIR: dataDir }, createLog('error'));
try {
  const few = await openMarket(database.url, 'bench_few', Number(options.few));
  const many = await openMarket(database.url, 'bench_many', Number(options.many));
  const { times, unserved } = await measure(few, many);
  await few.pool.end();
  await many.pool.end();
  const lineOf = (all: number[]) => ({ p50: shareOf(all, 0.5), p99: shareOf(all, 0.99), most: shareOf(all, 1) });
  const lines = { few: lineOf(times.few), many: lineOf(times.many), read: lineOf(times.read) };
  const ratio = { p50: lines.many.p50 / lines.few.p50, p99: lines.many.p99 / lines.few.p99 };
  const names = { few: `${options.few} agents`, many: `${options.many} agents`, read: 'a row by its key' };
  console.log('\n| | p50 ms | p99 ms | slowest ms |\n| --- | --- | --- | --- |');
  for (const [what, line] of Object.entries(lines)) {
    const figures = [line.p50, line.p99, line.most].map((figure) => figure.toFixed(2));
    console.log(`| ${names[what as keyof typeof names]} | ${figures.join(' | ')} |`);
  }
  const verdict = (isMet: boolean) => (isMet ? 'met' : 'MISSED');
  console.log(`\n${options.many} agents, p99: goal ≤ ${goals.p99Ms} ms: ${verdict(lines.many.p99 <= goals.p99Ms)}`);
  console.log(
    `many / few: p50 ${ratio.p50.toFixed(2)}, p99 ${ratio.p99.toFixed(2)}, goal ≤ ${goals.manyToFew}: ${verdict(ratio.p99 <= goals.manyToFew)}`,
  );
  console.log(
    `many / a row by its key: p50 ${(lines.many.p50 / lines.read.p50).toFixed(1)}; tasks without an agent: ${unserved}`,
  );
  if (!options['dry-run']) console.log(`\n${keepResults('routing', { options, lines, ratio, unserved })} written`);
} finally {
  await database.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
