import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { manualClock } from '../../platform/index.ts';
import { GateUnavailable } from '../gate/errors.ts';
import type { Matter } from './brief.ts';
import { type FakeEndpoint, fakeEndpoint, says } from './fake-endpoint.fixture.ts';
import { createLanguageJudge, type LanguageJudgeOptions } from './language-judge.ts';

const matter: Matter = {
  taskType: 'research',
  input: { description: 'Compare two ledgers', acceptance: { rubric: 'Names both' } },
  output: { result: 'Ledger A is append-only; ledger B is not.' },
  criteria: [{ name: 'output', score: 60, evidence: 'The output is present; by itself it proves nothing.' }],
  files: [],
};

const apiKey = 'judge-key-that-nobody-may-see';

function judgeAt(url: string, more: Partial<LanguageJudgeOptions> = {}) {
  const clock = manualClock('2026-11-21T12:00:00.000Z');
  const lines: string[] = [];
  const log = pino(
    { level: 'trace' },
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }),
  );
  const stop = new AbortController();
  const judge = createLanguageJudge({
    endpoint: { baseUrl: url, apiKey, model: 'a-model' },
    maxChars: 20_000,
    maxTokensADay: 0,
    callMs: 2_000,
    totalMs: 5_000,
    backoffMs: 5,
    clock,
    log,
    stopping: stop.signal,
    spentSince: async () => 0,
    ...more,
  });
  return { ask: () => judge.opinionOn(matter), judge, clock, lines, stop };
}

const stands = /The deterministic verdict stands\.$/;

describe('a judge that answers', () => {
  test('is asked once, at temperature 0, for a structured answer, with its key, and what it said is recorded', async () => {
    const endpoint = await fakeEndpoint(says.verdict(82, 'Names both.'));
    const opinion = await judgeAt(endpoint.url).ask();
    expect(opinion).toEqual({
      status: 'judged',
      model: 'a-model',
      score: 82,
      reasons: 'Names both.',
      tokens: { input: 700, output: 50 },
    });
    expect(endpoint.asked).toHaveLength(1);
    const { path, headers, body } = endpoint.asked[0]!;
    expect(path).toBe('/v1/chat/completions');
    expect(headers.authorization).toBe(`Bearer ${apiKey}`);
    expect(body).toMatchObject({ model: 'a-model', temperature: 0, response_format: { type: 'json_schema' } });
    expect(body.response_format.json_schema.schema).toMatchObject({
      required: ['reasons', 'score'],
      additionalProperties: false,
    });
    expect(body.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(body.messages[1]!.content).toContain('| Names both');
  });

  test('may report no tokens', async () => {
    const endpoint = await fakeEndpoint(says.content('{"reasons":"Fine.","score":70}', { usage: null }));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'judged', score: 70, tokens: null });
  });

  test('may give long reasons with characters that no database text takes; they are cut and cleaned', async () => {
    const endpoint = await fakeEndpoint(says.verdict(55, `a\u0000b\ud800c ${'long '.repeat(2000)}`));
    const { reasons } = await judgeAt(endpoint.url).ask();
    expect(reasons).toMatch(/^abc long/);
    expect(reasons.length).toBeLessThanOrEqual(2001);
  });

  test('without a key is sent none', async () => {
    const endpoint = await fakeEndpoint(says.verdict(60));
    const endpointOptions = { baseUrl: endpoint.url, apiKey: undefined, model: 'm' };
    await judgeAt(endpoint.url, { endpoint: endpointOptions }).ask();
    expect(endpoint.asked[0]!.headers.authorization).toBeUndefined();
  });
});

describe('an answer that is no verdict', () => {
  test.each<[string, Parameters<typeof fakeEndpoint>[0]]>([
    ['prose', says.content('I would give it 90.')],
    ['JSON of another shape', says.content('{"verdict":"pass"}')],
    ['a score as text', says.verdict('90')],
    ['a score above 100', says.verdict(101)],
    ['a score below 0', says.verdict(-1)],
    ['a broken score', says.verdict(60.5)],
    ['no reasons', says.verdict(60, '  ')],
    ['more fields than asked for', says.content('{"reasons":"r","score":90,"passed":true}')],
    ['an answer that was cut off', says.content('{"reasons":"r', { finish: 'length' })],
    ['an empty answer', says.content(null)],
    ['a body that is no JSON', says.body('<html>gateway</html>')],
    ['a body of another API', says.body('{"hello":"world"}')],
    ['an answer without end', says.flood()],
  ])('%s is asked for once, and the deterministic verdict stands', async (_name, turn) => {
    const endpoint = await fakeEndpoint(turn);
    const opinion = await judgeAt(endpoint.url).ask();
    expect(opinion).toMatchObject({ status: 'malformed', score: null, model: 'a-model' });
    expect(opinion.reasons).toMatch(stands);
    expect(endpoint.asked).toHaveLength(1);
  });

  test.each<[string, Parameters<typeof fakeEndpoint>[0]]>([
    ['says so in a field of its own', says.content(null, { refusal: "I can't help with that." })],
    ['is stopped by a filter', says.content('', { finish: 'content_filter' })],
    ['is stopped by a filter after a verdict', says.content('{"reasons":"r","score":9}', { finish: 'content_filter' })],
  ])('a model that declines and %s is recorded as such', async (_name, turn) => {
    const endpoint = await fakeEndpoint(turn);
    const opinion = await judgeAt(endpoint.url).ask();
    expect(opinion).toMatchObject({ status: 'refused', score: null });
    expect(opinion.reasons).toMatch(stands);
    expect(endpoint.asked).toHaveLength(1);
  });
});

describe('a call that fails', () => {
  test.each([429, 500, 502, 503, 504])('with %i is tried again, and a later answer counts', async (status) => {
    const endpoint = await fakeEndpoint(says.status(status), says.status(status), says.verdict(64));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'judged', score: 64 });
    expect(endpoint.asked).toHaveLength(3);
  });

  test.each<[string, Parameters<typeof fakeEndpoint>[0]]>([
    ['by a connection that is dropped', says.hangUp()],
    ['in the middle of an answer', says.half()],
  ])('%s is tried again, and a later answer counts', async (_name, turn) => {
    const endpoint = await fakeEndpoint(turn, says.verdict(64));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'judged', score: 64 });
    expect(endpoint.asked).toHaveLength(2);
  });

  test('three times is given up', async () => {
    const endpoint = await fakeEndpoint(says.status(503));
    const opinion = await judgeAt(endpoint.url).ask();
    expect(opinion).toMatchObject({ status: 'unreachable', score: null, tokens: null });
    expect(opinion.reasons).toMatch(/HTTP 503\)\. The deterministic verdict stands\.$/);
    expect(endpoint.asked).toHaveLength(3);
  });

  test.each([301, 307, 400, 401, 403, 404, 409, 422])('with %i is not tried again', async (status) => {
    const target = await fakeEndpoint(says.verdict(99));
    const endpoint = await fakeEndpoint(says.status(status, { location: `${target.url}/chat/completions` }));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'refused', score: null });
    expect([endpoint.asked.length, target.asked.length]).toEqual([1, 0]);
  });

  test('waits as long as the endpoint asks for, and gives up at once where that is too long', async () => {
    const endpoint = await fakeEndpoint(says.status(429, { 'retry-after': '1' }), says.verdict(61));
    const startedMs = performance.now();
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'judged', score: 61 });
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(990);
    endpoint.script(says.status(429, { 'retry-after': '3600' }), says.verdict(61));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'unreachable' });
    expect(endpoint.asked).toHaveLength(3);
    endpoint.script(says.status(503, { 'retry-after': 'Sat, 21 Nov 2026 12:00:00 GMT' }), says.verdict(61));
    expect(await judgeAt(endpoint.url).ask()).toMatchObject({ status: 'judged' });
  });

  test.each<[string, Parameters<typeof fakeEndpoint>[0]]>([
    ['never answers', says.nothing()],
    ['sends its answer byte by byte', says.drip()],
  ])('because the endpoint %s ends after its time', async (_name, turn) => {
    const endpoint = await fakeEndpoint(turn);
    const startedMs = performance.now();
    const opinion = await judgeAt(endpoint.url, { callMs: 300 }).ask();
    expect(opinion).toMatchObject({ status: 'timed_out', score: null });
    expect(performance.now() - startedMs).toBeLessThan(2_000);
    expect(endpoint.asked).toHaveLength(1);
  });

  test('because nobody listens there is recorded', async () => {
    expect(await judgeAt('http://127.0.0.1:1/v1').ask()).toMatchObject({ status: 'unreachable', score: null });
  });

  test('never shows the key, neither in the assessment nor in the log', async () => {
    const endpoint = await fakeEndpoint(says.status(401));
    const { ask, lines } = judgeAt(endpoint.url);
    const opinions: unknown[] = [await ask()];
    endpoint.script(says.status(500));
    opinions.push(await ask());
    expect(lines.length).toBeGreaterThan(0);
    expect(JSON.stringify([opinions, lines])).not.toContain(apiKey);
  });
});

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

test('a server that stops ends the call, and the gate is run again after its next start', async () => {
  const endpoint = await fakeEndpoint(says.nothing());
  const { ask, stop } = judgeAt(endpoint.url);
  const asked = ask();
  const ended = expect(asked).rejects.toBeInstanceOf(GateUnavailable);
  await expect.poll(() => endpoint.asked.length).toBe(1);
  stop.abort();
  await ended;
});

test('records that cannot be read keep the judge from being asked, and the gate is run again', async () => {
  const endpoint = await fakeEndpoint(says.verdict(66));
  const spentSince = () => Promise.reject(new Error('no database'));
  await expect(judgeAt(endpoint.url, { maxTokensADay: 1e6, spentSince }).ask()).rejects.toBeInstanceOf(GateUnavailable);
});
