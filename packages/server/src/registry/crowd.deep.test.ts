import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { insertOwner } from '../../test/support/invoke.ts';
import { createPool, manualClock, type Pool, type Queryable, readConfig } from '../platform/index.ts';
import { type CandidateRequest, findCandidates } from './candidates.ts';
import { createLiveness } from './liveness.ts';
import { silenceJob } from './silence.ts';

let database: TestDatabase;
let pool: Pool;
let seller: string;
let buyer: string;
const clock = manualClock('2026-03-01T12:00:00.000Z');
const config = readConfig({});
const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, () => undefined);
  // What search keeps of agents is not asked for here.
  await pool.query('alter table agents disable trigger agents_findable');
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});
beforeEach(async () => {
  await pool.query('truncate agents, agent_stats cascade');
  seller = (await insertOwner({ pool, clock })).ownerId;
  buyer = (await insertOwner({ pool, clock })).ownerId;
});

interface Traits {
  price?: number;
  scored?: boolean;
  seenAt?: Date;
}

/** So many agents alike, all at once. */
async function crowd(count: number, { price = 900, scored = false, seenAt }: Traits = {}): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    `with a as (
       insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
         base_rate_cents, key_hash, key_prefix, created_at, updated_at)
       select gen_random_uuid(), $1, 'x', 'custom', '', '', '[{"category": "bug_fix", "tags": ["go"]}]', '{bug_fix}',
         $3, uuid_send(gen_random_uuid()), '', now(), now()
       from generate_series(1, $2::int) returning id
     ), s as (insert into agent_stats (agent_id, last_seen_at) select id, $4 from a)
     insert into reputations (agent_id, trust_tier) select id, 'provisional' from a returning agent_id as id`,
    [seller, count, price, seenAt?.toISOString() ?? null],
  );
  const ids = rows.map(({ id }) => id);
  if (scored) {
    await pool.query(
      `insert into agent_domains (agent_id, category, score, confidence, tasks, alpha, beta)
       select id, 'bug_fix', (900 * random())::int, 50, 9, 5, 3 from unnest($1::uuid[]) as k(id)`,
      [ids],
    );
  }
  return ids;
}

const find = (db: Queryable, request: Partial<CandidateRequest> = {}) =>
  findCandidates(db, {
    category: 'bug_fix',
    excludeOwnerIds: [buyer],
    buyerId: buyer,
    maxBudgetCents: 1000,
    at: clock.now(),
    seenSince: minutesAgo(10),
    knownFrom: 2,
    lot: 0,
    tags: ['go'],
    ...request,
  });

const found = async (request: Partial<CandidateRequest> = {}) => (await find(pool, request)).map(({ id }) => id);

/** Pages of tables and indexes that a search for candidates reads, in memory or not. */
async function pagesRead(): Promise<number> {
  let pages = 0;
  const explained = {
    query: async (query: { text: string; values: unknown[] }) => {
      const plan = await pool.query(`explain (analyze, buffers, format json) ${query.text}`, query.values);
      const top = plan.rows[0]['QUERY PLAN'][0].Plan;
      pages += top['Shared Hit Blocks'] + top['Shared Read Blocks'];
      return pool.query(query.text, query.values);
    },
  } as unknown as Queryable;
  // A first call of a session reads catalogues.
  await find(pool);
  expect((await find(explained)).length).toBe(40);
  return pages;
}

/** A round of the job over all listings. */
async function round(): Promise<void> {
  clock.advance(60_000);
  const job = silenceJob({ pool, clock, config });
  for (let run = 0; run < 6; run++) await job.run();
}

test('what is read of 6,000 agents is hardly more than of 150, and stays below 1,000 pages', async () => {
  for (const price of [1, 3, 9, 30, 90, 300, 900]) await crowd(20, { price, scored: true });
  await pool.query('vacuum analyze');
  const few = await pagesRead();
  for (const price of [1, 3, 9, 30, 90, 300, 900]) await crowd(850, { price, scored: true });
  await pool.query('vacuum analyze');
  const many = await pagesRead();
  expect(many).toBeLessThan(1.6 * few);
  expect(many).toBeLessThan(1_000);
});

test('thousands of silent agents do not hide the only one that is there', async () => {
  await crowd(3_000, { scored: true, seenAt: minutesAgo(11) });
  const [alive] = await crowd(1, { seenAt: clock.now() });
  await pool.query('update agent_listings set lot = case when agent_id = $1 then 0.9 else lot / 2 end', [alive]);
  expect(await found()).toEqual([]);
  await round();
  await pool.query('update agent_stats set last_seen_at = $2 where agent_id = $1', [alive, clock.now().toISOString()]);
  expect(await found()).toEqual([alive]);
});

test('a silent agent that polls again is found at once', async () => {
  const [id = ''] = await crowd(1, { seenAt: minutesAgo(11) });
  await round();
  const liveness = createLiveness({ pool, clock }, config.AGENT_SILENT_MS);
  liveness.seen(id);
  await liveness.flush();
  expect(await found()).toEqual([id]);
  clock.advance(11 * 60_000);
  await round();
  expect(await found()).toEqual([]);
  liveness.seen(id);
  await liveness.flush();
  expect(await found()).toEqual([id]);
});

test('an agent that never polled and left a task unanswered is found as soon as it answers', async () => {
  const [id = ''] = await crowd(1);
  await pool.query('update agent_stats set unanswered_since = $2, open_tasks = 1 where agent_id = $1', [
    id,
    minutesAgo(11).toISOString(),
  ]);
  await round();
  expect(await found()).toEqual([]);
  await pool.query('select agents_release(array[$1]::uuid[], array[true])', [id]);
  expect(await found()).toEqual([id]);
});
