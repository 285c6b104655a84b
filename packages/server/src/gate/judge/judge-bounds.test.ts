import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { type FakeEndpoint, fakeEndpoint, says } from '../../../test/support/gate/fake-endpoint.ts';
import { judgeAt, matter, payer } from '../../../test/support/gate/judge-at.ts';
import { createPool, type Pool } from '../../platform/index.ts';
import { everybody } from './sql.ts';

type Judge = ReturnType<typeof judgeAt>;
const stands = /The deterministic verdict stands\.$/;

async function failTimes(endpoint: FakeEndpoint, ask: () => Promise<unknown>, times: number) {
  endpoint.script(says.status(401));
  for (let i = 0; i < times; i += 1) await ask();
}

describe('a judge that is down', () => {
  test('is left alone after five failures in a row, and asked once a minute later', async () => {
    const endpoint = await fakeEndpoint();
    const { ask, clock } = judgeAt(endpoint.url);
    await failTimes(endpoint, ask, 5);
    expect(await ask()).toMatchObject({ status: 'paused', score: null, reasons: expect.stringMatching(stands) });
    expect(endpoint.asked).toHaveLength(5);
    clock.advance(59_999);
    expect(await ask()).toMatchObject({ status: 'paused' });
    clock.advance(1);
    const statuses = (await Promise.all([ask(), ask(), ask()])).map(({ status }) => status);
    expect(statuses.sort()).toEqual(['paused', 'paused', 'refused']);
    expect(await ask()).toMatchObject({ status: 'paused' });
    clock.advance(60_000);
    endpoint.script(says.verdict(66));
    expect((await ask()).status).toBe('judged');
    expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 'judged' }, { status: 'judged' }]);
  });

  test.each([400, 413, 422, 451])(
    'is not one that does not take a delivery (HTTP %i): others are judged',
    async (status) => {
      const endpoint = await fakeEndpoint();
      const { ask } = judgeAt(endpoint.url);
      endpoint.script(says.status(status));
      for (let i = 0; i < 6; i += 1) expect((await ask()).status).toBe('refused');
      endpoint.script(says.verdict(66));
      expect((await ask()).status).toBe('judged');
    },
  );

  test('four failures and a success are no row', async () => {
    const endpoint = await fakeEndpoint();
    const { ask } = judgeAt(endpoint.url);
    for (let round = 0; round < 3; round += 1) {
      await failTimes(endpoint, ask, 4);
      endpoint.script(says.verdict(66));
      expect((await ask()).status).toBe('judged');
    }
  });
});

describe('the budget of tokens', () => {
  let database: TestDatabase;
  let pools: Pool[];
  beforeAll(async () => {
    database = await createTestDatabase();
    pools = [1, 2].map(() => createPool(database.url, () => {}, { max: 4 }));
  });
  afterEach(() => pools[0]?.query('delete from judge_tokens'));
  afterAll(async () => {
    await Promise.all(pools.map((pool) => pool.end()));
    await database.drop();
  });

  /** Two servers on one database, each with a judge. */
  const two = (url: string, maxTokensADay: number) =>
    pools.map((db) => judgeAt(url, { maxTokensADay, db })) as [Judge, Judge];
  const counted = async () =>
    (await pools[0]?.query('select tokens from judge_tokens where owner_id = $1', [everybody]))?.rows[0]
      ?.tokens as number;
  /** What one question sets aside. */
  const setAside = async () => {
    const endpoint = await fakeEndpoint(says.nothing());
    const { ask, stop } = judgeAt(endpoint.url, { maxTokensADay: 1e6, db: pools[0] as Pool });
    const ended = ask().catch(() => 'stopped');
    await expect.poll(() => endpoint.asked.length).toBe(1);
    const tokens = await counted();
    stop.abort();
    expect(await ended).toBe('stopped');
    await pools[0]?.query('delete from judge_tokens');
    return tokens;
  };

  test('of a day is counted in what the endpoint reports, for all servers together, and a new day has its own', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const aside = await setAside();
    const [here, there] = two(endpoint.url, aside + 3 * 750);
    const statuses: string[] = [];
    for (let i = 0; i < 3; i += 1) for (const { ask } of [here, there]) statuses.push((await ask()).status);
    // 750 each; what is set aside for a call in advance must fit as well.
    expect(statuses).toEqual([...Array(4).fill('judged'), 'over_budget', 'over_budget']);
    expect(endpoint.asked).toHaveLength(4);
    expect(await counted()).toBe(4 * 750);
    expect((await there.ask()).reasons).toMatch(stands);
    there.clock.set('2026-11-22T00:00:00.000Z');
    expect((await there.ask()).status).toBe('judged');
  });

  test('keeps what one owner does not use up for others', async () => {
    const aside = await setAside();
    const endpoint = await fakeEndpoint(says.verdict(66));
    const { ask } = judgeAt(endpoint.url, { maxTokensADay: 2 * aside, ownerPercent: 50, db: pools[0] as Pool });
    const [greedy, other] = [payer, payer.replace('a', 'b')];
    expect([(await ask(greedy)).status, (await ask(greedy)).status]).toEqual(['judged', 'over_budget']);
    expect((await ask(other)).status).toBe('judged');
    expect(await counted()).toBe(2 * 750);
  });

  test('lets as many ask at the same moment as it has room for, and no more', async () => {
    const aside = await setAside();
    const endpoint = await fakeEndpoint(says.nothing());
    const judges = two(endpoint.url, 5 * aside);
    const refused: string[] = [];
    const ask = (judge: Judge) =>
      judge.ask().then(
        ({ status }) => refused.push(status),
        () => 'stopped',
      );
    const opinions = judges.flatMap((judge) => Array.from({ length: 6 }, () => ask(judge)));
    await expect.poll(() => [endpoint.asked.length, refused]).toEqual([5, Array(7).fill('over_budget')]);
    for (const { stop } of judges) stop.abort();
    await Promise.all(opinions);
    expect(endpoint.asked).toHaveLength(5);
    expect(await counted()).toBeLessThanOrEqual(5 * aside);
  });

  test('counts what a server that died had set aside, until the day is over', async () => {
    const aside = await setAside();
    const endpoint = await fakeEndpoint(says.nothing(), says.verdict(66));
    const [dying, other] = two(endpoint.url, aside);
    // It never comes to an end that could be counted.
    const gone = dying.ask().catch(() => undefined);
    await expect.poll(() => endpoint.asked.length).toBe(1);
    expect((await other.ask()).status).toBe('over_budget');
    other.clock.set('2026-11-22T00:00:00.000Z');
    expect((await other.ask()).status).toBe('judged');
    dying.stop.abort();
    await gone;
  });

  test('that cannot be corrected loses no opinion', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const pool = pools[0] as Pool;
    const query = (statement: { name: string }) =>
      statement.name === 'judge_correct_tokens' ? Promise.reject(new Error('away')) : pool.query(statement as never);
    const { ask, lines } = judgeAt(endpoint.url, { maxTokensADay: 1e6, db: { query } as never });
    expect((await ask()).status).toBe('judged');
    expect(lines.join('')).toContain('stay set aside');
  });
});

describe('the budget', () => {
  test('bounds what is sent, whatever the size of a delivery', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const { judge } = judgeAt(endpoint.url, { maxChars: 5_000 });
    const long = 'x\n'.repeat(100_000);
    await judge.opinionOn(
      { ...matter, input: { description: long, acceptance: { rubric: long } }, output: { long } },
      payer,
    );
    expect(endpoint.asked[0]!.body.messages[1]!.content.length).toBeLessThan(6_500);
  });

  test('of time holds for all tries together', async () => {
    const endpoint = await fakeEndpoint(says.status(503));
    const { ask, clock, waits } = judgeAt(endpoint.url, { totalMs: 400, backoffMs: 300 });
    const asked = ask();
    await expect.poll(() => waits.length).toBe(2);
    const [, pauseMs = 0] = waits;
    clock.advance(Math.ceil(pauseMs));
    await asked;
    // The next pause would be longer than what is left.
    expect(waits).toEqual([400, pauseMs, 400 - Math.ceil(pauseMs)]);
  });

  test('of time holds for those that wait their turn', async () => {
    const endpoint = await fakeEndpoint(says.nothing());
    const { ask, clock } = judgeAt(endpoint.url, { callMs: 400, totalMs: 400 });
    const opinions = Array.from({ length: 12 }, () => ask());
    await expect.poll(() => endpoint.asked.length).toBe(8);
    clock.advance(400);
    const statuses = (await Promise.all(opinions)).map(({ status }) => status);
    expect(statuses).toEqual(Array(12).fill('timed_out'));
    expect(endpoint.asked).toHaveLength(8);
  });
});
