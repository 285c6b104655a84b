import type { Operations, ReplyOf } from '@agora-market/contract';
import { toUuid } from '@agora-market/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { createInvoke, insertOwner } from '../../../test/support/invoke.ts';
import { manualClock, type OwnerCaller, readConfig } from '../../platform/index.ts';
import { registryRoutes } from '../routes.ts';
import { bounds } from './bounds.ts';
import { holdPlaceMs, orderJob } from './order-job.ts';

type Found = ReplyOf<Operations['agents.search']>;

let caller: OwnerCaller;
const clock = manualClock('2026-03-01T12:00:00.000Z');
const { pool } = await databaseForFile();
const invoke = createInvoke({ pool, clock }, registryRoutes({ pool, clock, config: readConfig({}) }));

beforeEach(async () => {
  await pool.query('truncate agents cascade');
  caller = await insertOwner({ pool, clock }, 'enterprise');
});

const register = (displayName: string, description = '') =>
  invoke('agents.register', {
    caller,
    body: { displayName, description, framework: 'custom', capabilities: [{ category: 'general', tags: [] }] },
  });

/** Ten agents, a to j, with scores from 900 down by 50. */
async function tenAgents(): Promise<void> {
  for (const [nth, name] of [...'abcdefghij'].entries()) {
    await register(name);
    await score(name, 900 - 50 * nth);
  }
  await rounds();
  clock.advance(2 * holdPlaceMs);
}

const score = (name: string, to: number) =>
  pool.query(
    'update reputations set overall_score = $2 where agent_id = (select id from agents where display_name = $1)',
    [name, to],
  );

async function rounds(): Promise<void> {
  clock.advance(60_000);
  await orderJob({ pool, clock }).run();
}

const search = (query: Record<string, unknown> = {}) => invoke('agents.search', { query });
const names = ({ data }: Found) => data.map(({ displayName }) => displayName).join('');

/** The pages of a search; between two of them something happens. */
async function pages(query: Record<string, unknown>, between: (nth: number) => Promise<unknown>): Promise<string[]> {
  const seen: string[] = [];
  let cursor: string | null = null;
  do {
    const page: Found = await search({ ...query, ...(cursor && { cursor }) });
    seen.push(names(page));
    cursor = page.pagination.nextCursor;
    if (cursor) await between(seen.length);
  } while (cursor);
  return seen;
}

test('who is surely better than a new agent comes first by its lower bound, who is worse comes after it', async () => {
  const agents = {
    proven: [760, 700],
    brilliantOnce: [800, 480],
    wellBegun: [560, 300],
    new: [500, 226],
    bad: [380, 340],
  };
  for (const [name, [overall, lowest]] of Object.entries(agents).reverse()) {
    await register(name);
    await pool.query(
      `update reputations set overall_score = $2, lower_bound = $3
       where agent_id = (select id from agents where display_name = $1)`,
      [name, overall, lowest],
    );
  }
  await rounds();
  clock.advance(6_000);
  const found: string[] = [];
  for (let cursor: string | null = null, page = 0; page < 5; page++) {
    const { data, pagination }: Found = await search({ pageSize: 1, ...(cursor && { cursor }) });
    found.push(...data.map(({ displayName }) => displayName));
    cursor = pagination.nextCursor;
  }
  expect(found).toEqual(Object.keys(agents));
});

test('of names that are like several words only the nearest are found; a single word finds all that are like it', async () => {
  await register('Blue whale 12345');
  await register('Blue whale 99999');
  expect(names(await search({ q: 'blue whale 12346' }))).toBe('Blue whale 12345');
  expect(names(await search({ q: 'blue whale 77777' }))).toBe('Blue whale 12345Blue whale 99999');
  expect(names(await search({ q: 'whalle' }))).toBe('Blue whale 12345Blue whale 99999');
});

describe('the order within ten minutes of the first page', () => {
  test.each([
    ['that rises above the cursor is not lost', { i: 999 }],
    ['that falls below the cursor is not repeated', { a: 100 }],
    ['that moves on the page to come keeps its place', { d: 610, e: 760 }],
    ['stays, whichever of them moves', { a: 100, b: 550, c: 0, f: 1000, h: 860, j: 710 }],
  ])('an agent %s', async (_what, moves) => {
    await tenAgents();
    const seen = await pages({ pageSize: 3 }, async (nth) => {
      if (nth > 1) return;
      for (const [name, to] of Object.entries(moves)) await score(name, to);
      await rounds();
    });
    expect(seen).toEqual(['abc', 'def', 'ghi', 'j']);
    clock.advance(6_000);
    expect(names(await search())).not.toBe('abcdefghij');
  });

  test('is that of the first page, though scores change again and again', async () => {
    await tenAgents();
    const seen = await pages({ pageSize: 2 }, async (nth) => {
      for (const name of 'aeij') await score(name, (nth * 377) % 1000);
      await rounds();
    });
    expect(seen.join('')).toBe('abcdefghij');
  });

  test('is the same for agents that an index finds', async () => {
    await tenAgents();
    await pool.query(`update agents set description = 'Rare bird' where display_name in ('b', 'd', 'h')`);
    const seen = await pages({ pageSize: 1, q: 'rare' }, async () => {
      await score('h', 950);
      await rounds();
    });
    expect(seen).toEqual(['b', 'd', 'h']);
  });

  test('an agent moves once in ten minutes, and to its last score after them', async () => {
    await tenAgents();
    await score('j', 950);
    await rounds();
    await score('j', 10);
    await rounds();
    clock.advance(6_000);
    expect(names(await search())).toBe('jabcdefghi');
    clock.advance(holdPlaceMs);
    await rounds();
    clock.advance(6_000);
    expect(names(await search())).toBe('abcdefghij');
  });
});

test('an older cursor goes on from its place in the present order', async () => {
  await tenAgents();
  const first = await search({ pageSize: 3 });
  await score('i', 999);
  await rounds();
  clock.advance(holdPlaceMs);
  const second = await search({ pageSize: 10, cursor: first.pagination.nextCursor });
  expect(names(first) + names(second)).toBe('abcdefghj');
});

test('what the profile says is found at once, and what leaves the market is gone at once', async () => {
  const { agent } = await register('Ada', 'Tunes engines');
  const change = (body: object) => invoke('agents.update', { caller, params: { agentId: agent.id }, body });
  expect(names(await search({ q: 'engine' }))).toBe('Ada');
  await change({ description: 'Tunes pianos', framework: 'adk' });
  expect(names(await search({ q: 'piano', framework: 'adk' }))).toBe('Ada');
  expect(names(await search({ q: 'engines' }))).toBe('');
  await pool.query('update agents set status = $2 where id = $1', [toUuid('agent', agent.id), 'suspended']);
  expect(names(await search())).toBe('');
});

test('rows that are missing, or of another version, are made by the job', async () => {
  await register('Ada', 'Tunes engines');
  await register('Bob');
  await pool.query(`delete from agent_texts`);
  await pool.query(`delete from agent_search where agent_id = (select id from agents where display_name = 'Ada')`);
  await pool.query(`update agent_search set version = 0, bits = 0, terms = '{}'`);
  await rounds();
  expect(names(await search({ q: 'engines' }))).toBe('Ada');
  expect(names(await search({ category: 'general' }))).toBe('AdaBob');
});

test('a tier is shown as it is, and found by the filter from the next round on', async () => {
  await register('Ada');
  await pool.query(`update reputations set trust_tier = 'elite'`);
  expect(names(await search({ trustTier: 'unverified' }))).toBe('');
  await rounds();
  expect(names(await search({ trustTier: 'elite' }))).toBe('Ada');
});

describe('where many more fit than are looked at', () => {
  /** Agents whose words nobody will ask for: their rows alone, all at once. */
  async function crowd(framework: string, count: number, behind: number): Promise<void> {
    await pool.query(
      `with made as (
         insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories, key_hash,
           key_prefix, created_at, updated_at)
         select uuidv7(), $1, 'x', $2, 'm', '', '[]', '{}', uuid_send(uuidv7()), 'k', now(), now()
         from generate_series(1, $3::int) returning id
       ) , stats as (insert into agent_stats (agent_id) select id from made)
       insert into reputations (agent_id) select id from made`,
      [caller.ownerId, framework, count],
    );
    await pool.query('select agent_search_put(array(select id from agents where framework = $1))', [framework]);
    await pool.query(
      `update agent_search set behind = $2 where agent_id in (select id from agents where framework = $1)`,
      [framework, behind],
    );
  }

  test('pages follow one another to the end, short or even empty ones too, and each agent comes once', async () => {
    await pool.query('alter table agents disable trigger agents_findable');
    // Those that fit stand at the end, and are too many for the index.
    await crowd('custom', bounds.firstVisit.plain + bounds.lastVisit.plain + 500, 100);
    await crowd('adk', bounds.all + 10, 900);
    await pool.query('alter table agents enable trigger agents_findable');
    const seen = new Set<string>();
    let cursor: string | null = null;
    let asked = 0;
    let isShort = false;
    do {
      const page: Found = await search({ framework: 'adk', pageSize: 100, ...(cursor && { cursor }) });
      cursor = page.pagination.nextCursor;
      for (const { id } of page.data) expect(seen.has(id)).toBe(false);
      for (const { id } of page.data) seen.add(id);
      isShort ||= cursor !== null && page.data.length < 100;
      asked += 1;
    } while (cursor && asked < 50);
    expect(cursor).toBeNull();
    expect(seen.size).toBe(bounds.all + 10);
    expect(isShort).toBe(true);
  });
});
