import type { BodyInputOf, Operations, QueryInputOf } from '@agora-market/contract';
import { beforeAll, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { codeOf, createInvoke, insertOwner } from '../../../test/support/invoke.ts';
import { encodeCursor, manualClock, newUuid, type OwnerCaller, readConfig } from '../../platform/index.ts';
import { registryRoutes } from '../routes.ts';
import { orderJob } from './order-job.ts';

type Body = BodyInputOf<Operations['agents.register']>;

let caller: OwnerCaller;
const clock = manualClock('2026-03-01T12:00:00.000Z');
const { pool } = await databaseForFile();
const invoke = createInvoke({ pool, clock }, registryRoutes({ pool, clock, config: readConfig({}) }));

const price = (baseRate: number) => ({ model: 'per_task', baseRate, currency: 'USD' }) as const;

/** Each differs from the others in what one test asks about. */
const agents: (Body & { score: number; tier?: string })[] = [
  {
    displayName: 'Ada',
    framework: 'custom',
    model: 'm-1',
    description: '100% of_it\\done',
    capabilities: [{ category: 'bug_fix', tags: ['python', 'C++', 'Kubernetes'] }],
    pricing: price(400),
    score: 700,
    tier: 'established',
  },
  {
    displayName: 'Bob',
    framework: 'crewai',
    model: 'm-2',
    description: 'Reviews 100 pull requests',
    capabilities: [
      { category: 'code_review', tags: ['go'] },
      { category: 'bug_fix', tags: [] },
    ],
    pricing: price(401),
    score: 699,
  },
  {
    displayName: 'Cyd',
    framework: 'custom',
    model: 'GPT-Next',
    capabilities: [{ category: 'research', tags: ['python'] }],
    pricing: null,
    score: 500,
  },
];

beforeAll(async () => {
  caller = await newOwner();
  for (const { score, tier, ...body } of agents) {
    clock.advance(1);
    await invoke('agents.register', { caller, body });
    await pool.query(
      `update reputations set overall_score = $2, trust_tier = coalesce($3, trust_tier)
       where agent_id = (select id from agents where display_name = $1)`,
      [body.displayName, score, tier],
    );
  }
  await reorder();
});

/** The job's next round; what moved in the last ten minutes stays. */
async function reorder(): Promise<void> {
  clock.advance(60_000);
  await orderJob({ pool, clock }).run();
  clock.advance(10_000);
}

const newOwner = () => insertOwner({ pool, clock }, 'enterprise');

type Query = Partial<Record<keyof QueryInputOf<Operations['agents.search']>, unknown>>;

const namesFor = async (query: Query) =>
  (await invoke('agents.search', { query })).data.map((agent) => agent.displayName);

test.each<[string, Query, string[]]>([
  ['no filter gives all, best score first', {}, ['Ada', 'Bob', 'Cyd']],
  ['category', { category: 'bug_fix' }, ['Ada', 'Bob']],
  ['tag', { tag: 'python' }, ['Ada', 'Cyd']],
  ['a tag with signs in it', { tag: 'C++' }, ['Ada']],
  ['a tag in lower case', { tag: 'kubernetes' }, ['Ada']],
  ['a tag in capitals, with a category', { category: 'research', tag: 'PYTHON' }, ['Cyd']],
  ['a tag with a category counts at that category only', { category: 'bug_fix', tag: 'go' }, []],
  ['category and tag', { category: 'bug_fix', tag: 'python' }, ['Ada']],
  ['framework', { framework: 'crewai' }, ['Bob']],
  ['trust tier', { trustTier: 'established' }, ['Ada']],
  ['minimum score, inclusive', { minScore: '700' }, ['Ada']],
  ['maximum price, inclusive; without a price any budget will do', { maxPrice: '400' }, ['Ada', 'Cyd']],
  ['text in the name, in any case', { q: 'aDA' }, ['Ada']],
  ['text in the model', { q: 'gpt-n' }, ['Cyd']],
  ['words in the description, each of which may be a beginning', { q: 'pull req' }, ['Bob']],
  ['words in any order', { q: 'requests REVIEWS' }, ['Bob']],
  ['a word that none has beside one that some have', { q: 'pull zebra' }, []],
  ['a word of a tag', { q: 'kubernetes' }, ['Ada']],
  ['two letters are a whole word', { q: 'do' }, []],
  ['a part of a name or model', { q: 'ext' }, ['Cyd']],
  ['signs only part words', { q: '%gpt_next%' }, ['Cyd']],
  ['a wildcard is a sign', { q: 'gp*t%' }, []],
  ['a name that is spelt wrongly', { q: 'gpt-nexxt' }, ['Cyd']],
  ['two words, one of them spelt wrongly', { q: 'gpt nexxt' }, ['Cyd']],
  ['invisible and bidirectional signs only part words', { q: '\u202epull\u200brequests\u202c' }, ['Bob']],
  ['signs of the query language', { q: "reviews & !pull | (':*" }, ['Bob']],
  ['a hundred words', { q: 'a '.repeat(100).trim() }, []],
  ['an injection is only text', { q: "'; drop table agents; --" }, []],
  ['all filters together', { category: 'bug_fix', framework: 'custom', minScore: 1, maxPrice: 1e6, q: 'ada' }, ['Ada']],
  ['nothing fits', { category: 'design' }, []],
])('%s', async (_what, query, names) => {
  expect(await namesFor(query)).toEqual(names);
});

test('availability is a filter, and busy agents stay findable without it', async () => {
  const busy = await newOwner();
  const { agent } = await invoke('agents.register', { caller: busy, body: { ...bare, displayName: 'Busy' } });
  await invoke('agents.update', { caller: busy, params: { agentId: agent.id }, body: { availability: 'busy' } });
  expect(await namesFor({ availability: 'busy' })).toEqual(['Busy']);
  expect(await namesFor({ availability: 'available', q: 'Busy' })).toEqual([]);
  expect(await namesFor({ q: 'Busy' })).toEqual(['Busy']);
  await invoke('agents.deactivate', { caller: busy, params: { agentId: agent.id } });
});

const bare = { framework: 'adk', capabilities: [{ category: 'devops', tags: [] }] } satisfies Partial<Body>;

test('deactivated and suspended agents and those of suspended owners are not found', async () => {
  const other = await newOwner();
  const ids = [];
  for (const displayName of ['x', 'y', 'z']) {
    ids.push((await invoke('agents.register', { caller: other, body: { ...bare, displayName } })).agent.id);
  }
  expect(await namesFor({ category: 'devops' })).toHaveLength(3);
  await invoke('agents.deactivate', { caller: other, params: { agentId: ids[0] as string } });
  await pool.query(`update agents set status = 'suspended' where display_name = 'y'`);
  expect(await namesFor({ category: 'devops' })).toEqual(['z']);
  await pool.query(`update owners set status = 'suspended' where id = $1`, [other.ownerId]);
  expect(await namesFor({ category: 'devops' })).toEqual([]);
});

test('pages show each agent once, also where scores are equal', async () => {
  const other = await newOwner();
  const made: string[] = [];
  for (let i = 0; i < 7; i++) {
    const body = { ...bare, framework: 'autogen', displayName: `page ${i}` } as const;
    made.push((await invoke('agents.register', { caller: other, body })).agent.id);
  }
  await pool.query(
    `update reputations set overall_score = 600
     where agent_id in (select id from agents where display_name = 'page 5')`,
  );
  await reorder();
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const query: Query = { framework: 'autogen', pageSize: 3, ...(cursor && { cursor }) };
    const page = await invoke('agents.search', { query });
    seen.push(...page.data.map((agent) => agent.id));
    cursor = page.pagination.nextCursor;
  } while (cursor);
  expect(seen).toHaveLength(7);
  expect(seen[0]).toBe(made[5]);
  expect([...seen].sort()).toEqual([...made].sort());
});

test.each(['x', encodeCursor([]), encodeCursor([1e12, newUuid(clock)]), encodeCursor([5, 'x'])])(
  'the cursor %s is VALIDATION_ERROR',
  async (cursor) => {
    expect(await codeOf(invoke('agents.search', { query: { cursor } }))).toBe('VALIDATION_ERROR');
  },
);
