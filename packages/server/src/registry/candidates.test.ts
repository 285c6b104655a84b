import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { insertOwner } from '../../test/support/invoke.ts';
import { createPool, manualClock, newUuid, type Pool } from '../platform/index.ts';
import { type CandidateRequest, findCandidates } from './candidates.ts';
import { changeStatus, insertAgent, storeSeen, updateProfile } from './sql.ts';

let database: TestDatabase;
let pool: Pool;
let seller: string;
let buyer: string;
const clock = manualClock('2026-03-01T12:00:00.000Z');

beforeAll(async () => {
  database = await createTestDatabase();
  pool = createPool(database.url, () => undefined);
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
  ownerId?: string;
  price?: number | null;
  score?: number;
  open?: number;
  tier?: string;
  tags?: string[];
  category?: 'bug_fix' | 'design';
  availability?: string;
  status?: string;
}

async function newAgent(traits: Traits = {}): Promise<string> {
  clock.advance(1);
  const id = newUuid(clock);
  await insertAgent(pool, {
    id,
    ownerId: traits.ownerId ?? seller,
    displayName: 'x',
    framework: 'custom',
    model: '',
    description: '',
    capabilities: [{ category: traits.category ?? 'bug_fix', tags: traits.tags ?? [] }],
    modelEndpoint: null,
    baseRateCents: traits.price ?? null,
    keyHash: Buffer.from(id),
    keyPrefix: '',
    at: clock.now(),
  });
  await pool.query('update agent_stats set open_tasks = $2 where agent_id = $1', [id, traits.open ?? 0]);
  await pool.query('update reputations set trust_tier = $2 where agent_id = $1', [id, traits.tier ?? 'provisional']);
  if (traits.score !== undefined) await scored(id, traits.category ?? 'bug_fix', traits.score);
  await pool.query('update agents set availability = $2, status = $3 where id = $1', [
    id,
    traits.availability ?? 'available',
    traits.status ?? 'active',
  ]);
  return id;
}

/** What the reader of the event log writes: the score of an agent in a category, of as much evidence as the prior. */
const scored = (id: string, category: string, score: number) =>
  pool.query(
    `insert into agent_domains (agent_id, category, score, confidence, tasks, alpha, beta) values ($1, $2, $3, 50, 9, $4, $5)
     on conflict (agent_id, category) do update set score = excluded.score, alpha = excluded.alpha, beta = excluded.beta`,
    [id, category, score, 2 + (4 * score) / 1000, 2 + 4 * (1 - score / 1000)],
  );

const find = (request: Partial<CandidateRequest> = {}) =>
  findCandidates(pool, {
    category: 'bug_fix',
    excludeOwnerIds: [buyer],
    buyerId: buyer,
    maxBudgetCents: 1000,
    seenSince: null,
    at: clock.now(),
    knownFrom: 2,
    lot: 0.5,
    ...request,
  });

/** In the order of their registration. */
const candidates = async (request: Partial<CandidateRequest> = {}) =>
  (await find(request)).map((agent) => agent.id).sort();

test.each<[string, Traits]>([
  ['of another category', { category: 'design' }],
  ['dearer than the budget', { price: 1001 }],
  ['that is busy', { availability: 'busy' }],
  ['that is offline', { availability: 'offline' }],
  ['that is suspended', { status: 'suspended' }],
  ['that is deactivated', { status: 'deactivated' }],
  ['whose tier allows no further open task', { tier: 'unverified', open: 1 }],
])('routing passes over an agent %s', async (_what, traits) => {
  await newAgent(traits);
  expect(await candidates()).toEqual([]);
});

test.each<[string, Traits]>([
  ['at exactly the budget', { price: 1000 }],
  ['without a price', { price: null }],
  ['with a place left in its tier', { tier: 'established', open: 4 }],
])('routing considers an agent %s', async (_what, traits) => {
  const id = await newAgent(traits);
  expect(await candidates()).toEqual([id]);
});

test('routing passes over agents that were seen, but not lately enough, and agents that had the task', async () => {
  const [silent, seen, unseen] = [await newAgent(), await newAgent(), await newAgent()];
  const now = clock.now();
  await storeSeen(pool, [
    { agentId: silent, at: new Date(now.getTime() - 1) },
    { agentId: seen, at: now },
  ]);
  expect(await candidates({ seenSince: now })).toEqual([seen, unseen]);
  expect(await candidates()).toEqual([silent, seen, unseen]);
  expect(await candidates({ seenSince: now, excludeAgentIds: [seen] })).toEqual([unseen]);
  expect(await candidates({ excludeAgentIds: [silent, unseen], tags: ['go'] })).toEqual([seen]);
});

test("routing passes over the submitting owner's agents and those of suspended owners", async () => {
  await newAgent();
  expect(await candidates({ excludeOwnerIds: [seller] })).toEqual([]);
  await pool.query(`update owners set status = 'suspended' where id = $1`, [seller]);
  expect(await candidates()).toEqual([]);
});

test("an owner's newcomer has the record of its worse agents in the category, from before or after", async () => {
  const meanOf = async (id: string) => (await find()).find((agent) => agent.id === id)?.newcomerMean;
  const other = await newAgent({ ownerId: (await insertOwner({ pool, clock })).ownerId });
  const bad = await newAgent({ score: 100 });
  await newAgent({ category: 'design', score: 900 });
  const [unknown, after] = [(await meanOf(other)) as number, await newAgent()];
  expect(await meanOf(after)).toBeLessThan(unknown - 0.1);
  await pool.query("update agents set status = 'deactivated' where id = $1", [bad]);
  const renamed = await newAgent();
  expect(await meanOf(renamed)).toBeLessThan(unknown - 0.1);
  const { posterior } = (await find()).find(({ id }) => id === renamed) ?? {};
  expect(posterior).toMatchObject({ alpha: 2.4, beta: 5.6 });
  await scored(bad, 'bug_fix', 900);
  // A good record is its agent's own.
  expect(await meanOf(renamed)).toBe(unknown);
  expect(await meanOf(other)).toBe(unknown);
});

test("a buyer's own tasks with an agent are found, by whichever of its owner's accounts it had them", async () => {
  const [used, other] = [await newAgent({ score: 700 }), await newAgent({ score: 700 })];
  const account = (await insertOwner({ pool, clock })).ownerId;
  const heard = ['t', clock.now().getTime(), 'bug_fix', 100, 0.9, null, null, null, 1];
  await pool.query('insert into agent_voices values ($1, $2, $3), ($4, $5, $3)', [
    used,
    account,
    JSON.stringify([1, true, heard, heard]),
    other,
    seller,
  ]);
  const own = async () => new Map((await find()).map(({ id, own, credibleFrom }) => [id, { ...own, credibleFrom }]));
  const none = { mass: 0, good: 0, credibleFrom: Number.POSITIVE_INFINITY };
  expect(await own()).toEqual(
    new Map([
      [used, none],
      [other, none],
    ]),
  );
  await pool.query('insert into owner_principals values ($1, $2)', [buyer, account]);
  await pool.query("insert into category_tastes values ('bug_fix', 90, 1, 2.7), ('design', 90, 9, 9)");
  const found = await own();
  // 2.7 / 90 is the variance in all, and 1 / (90 + 10) that between buyers.
  expect(found.get(used)).toEqual({ mass: 1.85, good: expect.closeTo(1.665, 9), credibleFrom: expect.closeTo(2, 9) });
  expect(found.get(other)).toMatchObject({ mass: 0 });
  await pool.query('truncate category_tastes, owner_principals');
});

test('the best of each band of prices are found among many, and so is the only one that fits', async () => {
  await pool.query(
    `with a as (
       insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
         base_rate_cents, key_hash, key_prefix, created_at, updated_at)
       select gen_random_uuid(), $1, 'x', 'custom', '', '', '[{"category": "bug_fix", "tags": []}]', '{bug_fix}',
         900, sha256(n::text::bytea), '', now(), now()
       from generate_series(1, 1500) n returning id
     ), s as (insert into agent_stats (agent_id) select id from a)
     insert into reputations (agent_id, trust_tier) select id, 'provisional' from a`,
    [seller],
  );
  const cheap = await newAgent({ price: 100 });
  const [good, best] = [await newAgent({ price: 900, score: 700 }), await newAgent({ price: 900, score: 800 })];
  const found = await find();
  expect(found.length).toBeLessThanOrEqual(40);
  expect(found.map(({ id }) => id)).toEqual(expect.arrayContaining([cheap, good, best]));
  expect(found.filter(({ inLottery }) => inLottery)).toHaveLength(24);
  // Nobody else asks as little; whoever cannot take the task does not stand in the way.
  expect(await candidates({ maxBudgetCents: 100 })).toEqual([cheap]);
  await pool.query('update agent_stats set open_tasks = 3 where agent_id <> $1', [good]);
  expect(await candidates()).toEqual([good]);
});

test('a known agent beyond the best few is found before the task is left to newcomers', async () => {
  const known: string[] = [];
  for (let score = 900; score > 885; score -= 1) known.push(await newAgent({ score, open: 3 }));
  const { ownerId } = await insertOwner({ pool, clock });
  for (let nth = 0; nth < 40; nth += 1) await newAgent({ ownerId });
  const last = known.at(-1) as string;
  await pool.query('update agent_stats set open_tasks = 0 where agent_id = $1', [last]);
  await pool.query('update agent_listings set lot = case when agent_id = any($1) then 0.1 else 0.6 end', [known]);
  const found = await find();
  expect(found.find(({ id }) => id === last)).toMatchObject({ evidence: { mass: 4 }, inLottery: false });
  expect(found.filter(({ id }) => id === last)).toHaveLength(1);
});

test('the lottery begins anywhere and goes round', async () => {
  const ids = [await newAgent(), await newAgent(), await newAgent()];
  for (const lot of [0, 0.3, 0.999999]) {
    const found = await find({ lot });
    expect(found.map(({ id }) => id).sort()).toEqual(ids);
    expect(found.every(({ inLottery }) => inLottery)).toBe(true);
  }
});

test('a candidate comes with what is known of its work in the category', async () => {
  const { ownerId } = await insertOwner({ pool, clock });
  const [unknown, , known] = [await newAgent(), await newAgent(), await newAgent({ ownerId, score: 750 })];
  await pool.query('update reputations set alpha = 6, beta = 2 where agent_id = $1', [unknown]);
  const found = await find();
  expect(found.find(({ id }) => id === unknown)).toMatchObject({
    posterior: { alpha: 3, beta: 1 },
    evidence: { mass: 0, good: 0 },
    siblings: 2,
  });
  expect(found.find(({ id }) => id === known)).toMatchObject({
    posterior: { alpha: 5, beta: 3 },
    evidence: { mass: 4, good: 3 },
  });
});

test('matching tags are counted once each, whatever their case, and only at the category', async () => {
  const many = await newAgent({ tags: ['Python', 'go', 'sql', 'sql'] });
  const other = await newAgent();
  await pool.query(
    `update agents set capabilities = capabilities || '[{"category": "design", "tags": ["python"]}]'::jsonb
     where id = $1`,
    [other],
  );
  const found = await find({ tags: ['PYTHON', 'sql', 'css'] });
  expect(Object.fromEntries(found.map(({ id, matchingTags }) => [id, matchingTags]))).toEqual({
    [many]: 2,
    [other]: 0,
  });
});

test('the list follows profiles, states, prices and scores', async () => {
  const id = await newAgent({ price: 700 });
  const listed = async () =>
    (
      await pool.query(
        'select category, price_band as band, score from agent_listings where agent_id = $1 order by 1',
        [id],
      )
    ).rows;
  expect(await listed()).toEqual([{ category: 'bug_fix', band: 10, score: -1 }]);
  await scored(id, 'bug_fix', 640);
  await scored(id, 'design', 410);
  expect(await listed()).toEqual([{ category: 'bug_fix', band: 10, score: 640 }]);
  const change = { id, at: clock.now() };
  await updateProfile(
    pool,
    id,
    { capabilities: [{ category: 'design', tags: [] }], pricing: { baseRate: 64 } },
    change.at,
  );
  expect(await listed()).toEqual([{ category: 'design', band: 7, score: 410 }]);
  await updateProfile(pool, id, { pricing: null, availability: 'busy' }, change.at);
  expect(await listed()).toEqual([]);
  await updateProfile(pool, id, { availability: 'available' }, change.at);
  expect(await listed()).toEqual([{ category: 'design', band: 0, score: 410 }]);
  await changeStatus(pool, { ...change, from: ['active'], to: 'suspended' });
  expect(await listed()).toEqual([]);
  await changeStatus(pool, { ...change, from: ['suspended'], to: 'active' });
  expect(await listed()).toEqual([{ category: 'design', band: 0, score: 410 }]);
});

test.each([
  [null, 0],
  [0, 0],
  [1, 1],
  [2, 2],
  [3, 2],
  [4, 3],
  [1023, 10],
  [1024, 11],
])('a price of %s cents is in band %i', async (price, band) => {
  expect((await pool.query('select price_band($1)', [price])).rows).toEqual([{ price_band: band }]);
});

test('a choice considers 40 agents at most, also where a second look was needed to meet known ones', async () => {
  const known: string[] = [];
  for (let nth = 0; nth < 45; nth++) known.push(await newAgent({ price: 100, score: 300 + nth }));
  for (let nth = 0; nth < 60; nth++) await newAgent({ price: 100, score: 400 + nth });
  // So little evidence that they are newcomers, and a score above that of the known ones.
  await pool.query('update agent_domains set alpha = 2, beta = 2 where score >= 400');
  await pool.query('update agent_listings set lot = case when agent_id = any($1) then 0.1 else 0.6 end', [known]);
  const found = await find({ knownFrom: 1 });
  expect(found).toHaveLength(40);
  expect(found.filter(({ inLottery }) => inLottery)).toHaveLength(24);
});

test('newcomers of owners without an instrument of their own are drawn by nobody, and are met all the same', async () => {
  const free = await newAgent();
  const verified = (await insertOwner({ pool, clock })).ownerId;
  const second = (await insertOwner({ pool, clock })).ownerId;
  const [own, shared] = [await newAgent({ ownerId: verified }), await newAgent({ ownerId: second })];
  await pool.query('insert into owner_principals values ($1, $1), ($2, $1)', [verified, second]);
  const late = await newAgent({ ownerId: verified });
  const traits = async (mustBeVerified: boolean) =>
    Object.fromEntries(
      (await find({ mustBeVerified })).map(({ id, isVerified, inLottery }) => [id, [isVerified, inLottery]]),
    );
  const none = [false, false];
  expect(await traits(true)).toEqual({ [free]: none, [shared]: none, [own]: [true, true], [late]: [true, true] });
  expect(Object.values(await traits(false))).toEqual(Array.from({ length: 4 }, () => [true, true]));
});
