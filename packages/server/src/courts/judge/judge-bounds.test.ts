import { describe, expect, test } from 'vitest';
import { type FakeEndpoint, fakeEndpoint, says } from './fake-endpoint.fixture.ts';
import { judgeAt, matter } from './judge-at.fixture.ts';

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

describe('the budget', () => {
  test('of a day is counted in what the endpoint reports, and a new day has its own', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const { ask, clock } = judgeAt(endpoint.url, { maxTokensADay: 8_000 });
    const statuses: string[] = [];
    for (let i = 0; i < 8; i += 1) statuses.push((await ask()).status);
    // 750 each; what is set aside for a call in advance must fit as well.
    const judged = statuses.filter((status) => status === 'judged').length;
    expect(judged).toBeGreaterThanOrEqual(2);
    expect(statuses.slice(judged)).toEqual(statuses.slice(judged).map(() => 'over_budget'));
    expect(statuses.at(-1)).toBe('over_budget');
    expect(endpoint.asked).toHaveLength(judged);
    expect((await ask()).reasons).toMatch(stands);
    clock.set('2026-11-22T00:00:00.000Z');
    expect((await ask()).status).toBe('judged');
  });

  test('counts what was spent before a restart', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const asked: Date[] = [];
    const spentSince = async (from: Date) => {
      asked.push(from);
      return 999_000;
    };
    const { ask } = judgeAt(endpoint.url, { maxTokensADay: 1_000_000, spentSince });
    expect((await ask()).status).toBe('over_budget');
    await ask();
    expect(asked.map((at) => at.toISOString())).toEqual(['2026-11-21T00:00:00.000Z']);
    expect(endpoint.asked).toEqual([]);
  });

  test('bounds what is sent, whatever the size of a delivery', async () => {
    const endpoint = await fakeEndpoint(says.verdict(66));
    const { judge } = judgeAt(endpoint.url, { maxChars: 5_000 });
    const long = 'x\n'.repeat(100_000);
    await judge.opinionOn({ ...matter, input: { description: long, acceptance: { rubric: long } }, output: { long } });
    expect(endpoint.asked[0]!.body.messages[1]!.content.length).toBeLessThan(6_500);
  });

  test('of time holds for all tries together', async () => {
    const endpoint = await fakeEndpoint(says.status(503));
    const startedMs = performance.now();
    await judgeAt(endpoint.url, { totalMs: 400, backoffMs: 300 }).ask();
    expect(performance.now() - startedMs).toBeLessThan(1_500);
  });

  test('of time holds for those that wait their turn', async () => {
    const endpoint = await fakeEndpoint(says.nothing());
    const { ask } = judgeAt(endpoint.url, { callMs: 400, totalMs: 400 });
    const opinions = await Promise.all(Array.from({ length: 12 }, ask));
    expect(opinions.map(({ status }) => status)).not.toContain('judged');
    expect(endpoint.asked.length).toBeLessThanOrEqual(12);
  });
});
