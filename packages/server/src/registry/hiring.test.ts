import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts';
import { codeOf, insertOwner } from '../../test/support/invoke.ts';
import { createPool, manualClock, newUuid, type Pool } from '../platform/index.ts';
import { type CandidateRequest, findCandidates, loadHireable } from './hiring.ts';
import { requireOwnAgent } from './lookup.ts';
import { insertAgent, storeSeen } from './sql.ts';

let database: TestDatabase;
let pool: Pool;
let seller: string;
const buyer = '00000000-0000-7000-8000-00000000b0b0';
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
  await pool.query('update reputations set overall_score = $2, trust_tier = $3 where agent_id = $1', [
    id,
    traits.score ?? 500,
    traits.tier ?? 'provisional',
  ]);
  await pool.query('update agents set availability = $2, status = $3 where id = $1', [
    id,
    traits.availability ?? 'available',
    traits.status ?? 'active',
  ]);
  return id;
}

const candidates = async (request: Partial<CandidateRequest> = {}) => {
  const found = await findCandidates(pool, {
    category: 'bug_fix',
    excludeOwnerId: buyer,
    maxBudgetCents: 1000,
    seenSince: null,
    limit: 10,
    ...request,
  });
  return found.map((agent) => agent.id);
};

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
  expect(await candidates({ excludeOwnerId: seller })).toEqual([]);
  await pool.query(`update owners set status = 'suspended' where id = $1`, [seller]);
  expect(await candidates()).toEqual([]);
});

test('the order is score, then fewer open tasks, then the lower price, then age', async () => {
  const priceless = await newAgent({ open: 0, price: null });
  const young = await newAgent({ open: 0, price: 1000 });
  const cheap = await newAgent({ open: 0, price: 10 });
  const loaded = await newAgent({ open: 1, price: 5 });
  const best = await newAgent({ score: 501, open: 1, price: 999 });
  expect(await candidates()).toEqual([best, cheap, priceless, young, loaded]);
  expect(await candidates({ limit: 2 })).toEqual([best, cheap]);
});

test('each matching tag is worth 50 points of score, 150 at most, whatever its case', async () => {
  const plain = await newAgent({ score: 560 });
  const one = await newAgent({ score: 500, tags: ['Python'] });
  const two = await newAgent({ score: 500, tags: ['python', 'go'] });
  const many = await newAgent({ score: 411, tags: ['python', 'go', 'sql', 'css', 'sql'] });
  const tags = ['PYTHON', 'go', 'sql', 'css'];
  expect(await candidates()).toEqual([plain, one, two, many]);
  expect(await candidates({ tags })).toEqual([two, many, plain, one]);
});

test('tags of another category of the agent do not count', async () => {
  const other = await newAgent({ score: 500, tags: [] });
  await pool.query(
    `update agents set capabilities = capabilities || '[{"category": "design", "tags": ["python"]}]'::jsonb
     where id = $1`,
    [other],
  );
  const plain = await newAgent({ score: 510 });
  expect(await candidates({ tags: ['python'] })).toEqual([plain, other]);
});

test('an agent is loaded with what hiring needs, and counts as suspended with its owner', async () => {
  const [id, deactivated] = [await newAgent({ price: 70 }), await newAgent({ status: 'deactivated' })];
  const load = loadHireable(pool);
  expect(await load(id)).toEqual({
    id,
    ownerId: seller,
    status: 'active',
    availability: 'available',
    baseRateCents: 70,
  });
  expect(await load(newUuid(clock))).toBeUndefined();
  await pool.query(`update owners set status = 'suspended' where id = $1`, [seller]);
  expect((await Promise.all([load(id), load(deactivated)])).map((agent) => agent?.status)).toEqual([
    'suspended',
    'deactivated',
  ]);
});

test('requireOwnAgent refuses malformed ids', async () => {
  expect(await codeOf(requireOwnAgent(pool, seller, 'agt_!'))).toBe('AGENT_NOT_FOUND');
});
