import { describe, expect, test } from 'vitest';
import { fakeEndpoint, says } from '../../../test/support/gate/fake-endpoint.ts';
import { apiKey, judgeAt } from '../../../test/support/gate/judge-at.ts';
import { GateUnavailable } from '../errors.ts';

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
    const { ask, clock, waits } = judgeAt(endpoint.url);
    const asked = ask();
    await expect.poll(() => waits).toEqual([2_000, 1_000]);
    clock.advance(999);
    await new Promise((resolve) => setImmediate(resolve));
    expect(waits).toHaveLength(2);
    clock.advance(1);
    expect(await asked).toMatchObject({ status: 'judged', score: 61 });
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
    const { ask, clock } = judgeAt(endpoint.url, { callMs: 300 });
    const opinion = ask();
    await expect.poll(() => endpoint.asked.length).toBe(1);
    clock.advance(300);
    expect(await opinion).toMatchObject({ status: 'timed_out', score: null });
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
  await expect(judgeAt(endpoint.url, { maxTokensADay: 1e6 }).ask()).rejects.toBeInstanceOf(GateUnavailable);
});
