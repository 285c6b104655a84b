import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createLog, createMetrics, watchDisk } from '../../src/platform/index.ts';
import { serverForFile } from './scene.ts';

/** What is refused costs its sender as much as the service: refusals are short, counted, and not waited for. */

const server = serverForFile({ config: { RATE_LIMIT_PUBLIC: 1000, RATE_LIMIT_AUTH: 1000 } });

const json = { 'content-type': 'application/json' };
const send = (path: string, init: RequestInit) => fetch(`${server.url}/api/v1${path}`, init);
const account = { name: 'Ada', email: 'refusals@example.com', password: 'correct horse' };
const signUp = async (body: unknown) => {
  const reply = await send('/auth/sign-up', { method: 'POST', headers: json, body: JSON.stringify(body) });
  const text = await reply.text();
  return { status: reply.status, bytes: text.length, error: JSON.parse(text).error };
};

describe('an error reply is short, whatever the request', () => {
  test('of 14,000 unknown fields 20 are listed, and it says how many more there are', async () => {
    const surplus = Object.fromEntries(Array.from({ length: 14_000 }, (_, at) => [`f${at}`, 1]));
    const { status, bytes, error } = await signUp({ ...account, ...surplus });
    expect(status).toBe(400);
    expect(error.message).toBe('f0: is not a field here (and 13,999 more)');
    expect(error.details.fields).toHaveLength(20);
    expect(error.details.fields[19]).toEqual({ path: 'f19', message: 'is not a field here' });
    expect(error.details.more).toBe(13_980);
    expect(bytes).toBeLessThan(4096);
  });

  test('90,000 fields are too many to be looked at', async () => {
    const { status, error } = await signUp(
      Object.fromEntries(Array.from({ length: 90_000 }, (_, at) => [`f${at}`, 1])),
    );
    expect(status).toBe(400);
    expect(error.message).toBe('The body has more than 15000 fields. Send fewer fields, or send the data as text.');
  });

  test('60,000 long numbers are too many to be looked at, but not as text', async () => {
    const numbers = Array.from({ length: 60_000 }, () => 1234567890123456);
    const { status, error } = await signUp({ ...account, numbers });
    expect(status).toBe(400);
    expect(error.message).toBe('The body has more than 10000 numbers of 16 digits. Send them as text.');
    const asText = await signUp({ ...account, numbers: JSON.stringify(numbers) });
    expect(asText.error.message).toBe('numbers: is not a field here');
  });

  test('of few wrong fields all are listed, each by its own path, and nothing is said of more', async () => {
    const { error } = await signUp({ name: ' ', password: 'correct horse', one: 1, two: 2 });
    expect(error.details.fields.map(({ path }: { path: string }) => path).sort()).toEqual([
      'email',
      'name',
      'one',
      'two',
    ]);
    expect(error.details).not.toHaveProperty('more');
  });

  test.each([
    ['an unknown field', (name: string) => ({ ...account, [name]: 1 })],
    ['one with a NUL in it', (name: string) => ({ ...account, [`${name}\0`]: 1 })],
    ['one with a number that cannot be kept', (name: string) => `{"${name}":12345678901234567890}`],
  ])('%s of half a million characters is named by its beginning', async (_what, body) => {
    const given = body('x'.repeat(500_000));
    const text = typeof given === 'string' ? given : JSON.stringify(given);
    const reply = await send('/auth/sign-up', { method: 'POST', headers: json, body: text });
    const answer = await reply.text();
    expect(reply.status).toBe(400);
    expect(answer.length).toBeLessThan(2048);
    expect(JSON.parse(answer).error.details.fields[0].path).toMatch(/^x{100,200}…$/);
  });
});

test('a map of too many entries is refused for their number, before anything is said of each', async () => {
  const { token } = await server.owner({ credits: 0 });
  const files = Object.fromEntries(Array.from({ length: 12_000 }, (_, at) => [`f${at}`, 1]));
  const body = JSON.stringify({ taskType: 'general', maxBudget: 1, input: { files } });
  const headers = { ...json, authorization: `Bearer ${token}` };
  const reply = await (await send('/tasks', { method: 'POST', headers, body })).json();
  expect(reply).toHaveProperty('error.details.fields', [
    { path: 'input.files', message: 'has 12000 entries; at most 10000 are allowed' },
  ]);
});

describe('a request without an endpoint is 404, whatever its body, and is counted', () => {
  const bodies: [string, RequestInit][] = [
    ['malformed JSON', { headers: json, body: '{' }],
    ['another type', { headers: { 'content-type': 'text/plain' }, body: 'x' }],
    ['two megabytes', { headers: json, body: JSON.stringify('x'.repeat(2 ** 21)) }],
  ];
  const targets: [string, string][] = [
    ['POST', '/nope'],
    ['PATCH', '/auth/sign-up'],
    ['DELETE', '/tasks'],
    ['PUT', '/agents/me'],
  ];
  test.each(targets.flatMap(([method, path]) => bodies.map(([what, init]) => [method, path, what, init] as const)))(
    '%s %s with %s',
    async (method, path, _what, init) => {
      const { status, headers } = await send(path, { method, ...init });
      expect(status).toBe(404);
      expect(headers.get('x-ratelimit-limit')).toBe('1000');
      expect(headers.get('x-ratelimit-remaining')).toMatch(/^\d+$/);
    },
  );
});

describe('a request that does not arrive is not waited for', () => {
  const requestMs = 500;
  let http: ReturnType<typeof createHttpServer>;
  let port = 0;
  beforeAll(async () => {
    http = createHttpServer({
      config: server.config,
      clock: server.clock,
      pool: server.pool,
      disk: watchDisk(server.dataDir, 0, createLog('silent')),
      log: createLog('silent'),
      limitStore: { consume: async () => ({ allowed: true, remaining: 1, resetMs: 1 }) },
      metrics: createMetrics(),
      authenticate: async () => ({ kind: 'anonymous' }),
      uses: { used() {} },
      requireCaller: async () => undefined,
      requestMs,
    });
    http.post('/', async () => 'read');
    const url = await http.listen({ host: '127.0.0.1', port: 0 });
    port = Number(new URL(url).port);
  });
  afterAll(() => http.close());

  const head = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n';

  // One more byte every 50 ms: whoever sends slowly is never idle.
  test.each([
    ['headers', 'POST / HTTP/1.1\r\nHost: x\r\nX-Slow: ', 'x'],
    ['the blank line after the headers', head, 'X-Slow: x\r\n'],
    ['the body', `${head}\r\n`, ' '],
  ])('slow is %s', async (_what, begin, drip) => {
    const socket = connect(port, '127.0.0.1');
    socket.write(begin);
    const timer = setInterval(() => socket.write(drip), 50);
    const reply = await new Promise<string>((resolve, reject) => {
      let text = '';
      socket.on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', reject);
      socket.on('close', () => resolve(text));
    }).finally(() => clearInterval(timer));
    expect(reply).toMatch(/^HTTP\/1.1 400 /);
    expect(reply).toContain('The request did not arrive in time.');
  });

  test('the service gives it 30 s, headers as well as body', () => {
    const { requestTimeout, headersTimeout } = server.app.http.server;
    expect([requestTimeout, headersTimeout]).toEqual([30_000, 30_000]);
  });
});
