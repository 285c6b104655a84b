import { type RateLimitScope, rateLimits, toId } from '@agora-market/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { AppOptions } from '../../src/app.ts';
import { configuredLimits, memoryStore } from '../../src/platform/http/index.ts';
import { readConfig } from '../../src/platform/index.ts';
import { allOperations, credentialOf, makeWorld, pathOf, type World } from './requests.ts';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';
import { sendLines } from './send-lines.ts';
import { watchReplies } from './watch.ts';

/** Counts as the real store does, but by hand: the test says when a window ends, and who was counted is on record. */
const used = new Map<string, number>();
const counted: [scope: RateLimitScope, key: string][] = [];
const store: NonNullable<AppOptions['limitStore']> = {
  async consume(scope, key, points = 1) {
    if (points > 0) counted.push([scope, key]);
    const at = `${scope}:${key}`;
    const count = (used.get(at) ?? 0) + points;
    used.set(at, count);
    const remaining = rateLimits[scope].limit - count;
    return { allowed: remaining >= 0, remaining: Math.max(0, remaining), resetMs: 41_500 };
  },
};

const limitSettings = Object.fromEntries(Object.values(rateLimits).map(({ setting, limit }) => [setting, limit]));

/** The scene is set on a server without limits; what is measured goes to one with them, on the same database. */
const server = serverForFile();
let limited: SecondApp;
let endWatch: () => string[];
let world: World;
beforeAll(async () => {
  world = await makeWorld(server);
  // In development sign-up from this machine is not counted.
  const config = { ...server.config, ...limitSettings, AGORA_ENV: 'production' as const };
  limited = await startSecondApp(server, { config, limitStore: store });
  endWatch = watchReplies(limited.url);
});
afterAll(async () => {
  const faults = endWatch();
  await limited.app.close();
  expect(faults).toEqual([]);
});
beforeEach(() => {
  used.clear();
  counted.length = 0;
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(limited.url + path, { headers });
const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(limited.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
const raw = (...lines: string[]) => sendLines(limited.url, lines);
const bearer = () => ({ authorization: `Bearer ${world.pair.buyer.token}` });
const key = () => ({ 'x-api-key': world.pair.agent.key });

describe('each scope has the limit of the spec', () => {
  test('they are 100, 30, 30, 30 per 15 minutes, 3 per hour and 60; 300 for /mcp and 3000 for the processor', () => {
    const numbers = Object.entries(rateLimits).map(([scope, each]) => [scope, each.limit, each.windowSeconds]);
    expect(Object.fromEntries(numbers.map(([scope, ...rest]) => [scope, rest]))).toEqual({
      signUp: [3, 3600],
      auth: [30, 900],
      agent: [100, 60],
      ownerTasks: [30, 60],
      ownerDryRuns: [6, 60],
      ownerOversight: [30, 60],
      owner: [100, 60],
      trust: [60, 60],
      public: [60, 60],
      mcp: [300, 60],
      a2a: [300, 60],
      processor: [3000, 60],
      probe: [300, 60],
    });
    const settings = readConfig({});
    for (const { setting, limit } of Object.values(rateLimits)) expect(settings[setting]).toBe(limit);
  });

  test.each<[RateLimitScope, () => Promise<Response>]>([
    ['agent', () => get('/api/v1/agents/me', key())],
    ['ownerTasks', () => get('/api/v1/tasks/totals', bearer())],
    ['owner', () => get('/api/v1/vault/pool', bearer())],
    ['public', () => get('/api/v1/agents/search/facets')],
    ['probe', () => get('/api/v1/health')],
    ['auth', () => post('/api/v1/auth/sign-in', {})],
    ['signUp', () => post('/api/v1/auth/sign-up', {})],
  ])('%s: the last allowed request says 0 remaining, the next is 429 with Retry-After', async (scope, ask) => {
    const { limit } = rateLimits[scope];
    for (let nth = 1; nth <= limit; nth++) {
      const { status, headers } = await ask();
      expect(status).not.toBe(429);
      expect([headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]).toEqual([
        String(limit),
        String(limit - nth),
      ]);
      expect(headers.get('retry-after')).toBeNull();
    }
    const refused = await ask();
    expect(refused.status).toBe(429);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
    // 41.5 s are left, and a client that waits 41 would come too early.
    expect(refused.headers.get('retry-after')).toBe('42');
    const { error } = (await refused.json()) as { error: Record<string, unknown> };
    const { windowSeconds, setting } = rateLimits[scope];
    expect(error).toMatchObject({
      code: 'RATE_LIMITED',
      message: `More than ${limit} requests in ${windowSeconds} s. Wait 42 s. The operator sets this limit with ${setting}.`,
      details: { scope, limit, windowSeconds, setting, retryAfter: 42 },
    });
    expect(new Set(counted.map(([each]) => each))).toEqual(new Set([scope]));
    used.clear();
    expect((await ask()).status).not.toBe(429);
  });

  test('a refused submit holds nothing', async () => {
    const body = { taskType: 'general', maxBudget: 1, input: {}, agentId: world.pair.agent.id };
    for (let nth = 1; nth <= rateLimits.ownerTasks.limit; nth++) await get('/api/v1/tasks/totals', bearer());
    const { held } = await world.pair.buyer.agora.vault.getPool();
    expect((await post('/api/v1/tasks', body, bearer())).status).toBe(429);
    expect((await world.pair.buyer.agora.vault.getPool()).held).toBe(held);
  });
});

describe('exactly one scope counts a request', () => {
  test.each(allOperations.map((row) => [row.id, row] as const))('%s', async (_id, row) => {
    // A query that nobody takes, so that sign-out and the like are counted and not done.
    const response = await fetch(`${limited.url}${pathOf(row, world)}?x=%00`, {
      method: row.method,
      headers: { ...credentialOf(row, world) },
    });
    expect(response.status).toBe(400);
    const byAddress = (['signUp', 'auth', 'processor', 'probe'] as string[]).includes(row.area);
    const owners: Record<string, string> = {
      tasks: 'ownerTasks',
      dryRuns: 'ownerDryRuns',
      oversight: 'ownerOversight',
      general: 'owner',
    };
    const anonymous = byAddress ? row.area : 'public';
    const owned = byAddress ? row.area : owners[row.area];
    const isKey = row.auth === 'agent' || row.auth === 'trust';
    const wanted = row.auth === 'public' ? anonymous : isKey ? row.auth : owned;
    expect(counted.map(([scope]) => scope)).toEqual([wanted]);
  });

  test('agents of one owner are counted apart from each other and from it', async () => {
    const sibling = await world.pair.seller.agent();
    await get('/api/v1/tasks', key());
    await get('/api/v1/tasks', { 'x-api-key': sibling.key });
    await get('/api/v1/tasks/totals', { authorization: `Bearer ${world.pair.seller.token}` });
    expect(counted.map(([scope]) => scope)).toEqual(['agent', 'agent', 'ownerTasks']);
    expect(new Set(counted.map(([, who]) => who)).size).toBe(3);
  });

  test.each(['/api/v1/agents/search', '/api/v1/agents/:agentId'])(
    '%s is counted by the credential where one is sent, by the address where none is',
    async (path) => {
      const { agent, buyer } = world.pair;
      for (const headers of [key(), bearer(), {}]) {
        expect((await get(path.replace(':agentId', agent.id), headers)).status).toBe(200);
      }
      expect(counted.map(([scope]) => scope)).toEqual(['agent', 'owner', 'public']);
      expect(toId('owner', counted[1]?.[1] as string)).toBe(buyer.id);
    },
  );

  test('wrong credentials count against the address, so that nobody can guess keys at full speed', async () => {
    for (let nth = 1; nth <= 60; nth++) {
      expect((await get('/api/v1/agents/me', { 'x-api-key': `ac_live_guess${nth}` })).status).toBe(401);
    }
    expect((await get('/api/v1/agents/me', { 'x-api-key': 'ac_live_guess61' })).status).toBe(429);
    expect((await get('/api/v1/agents/me', key())).status).toBe(200);
  });
});

describe('every response carries the headers', () => {
  test.each<[string, () => Promise<Response>, number]>([
    ['an unknown route', () => get('/api/v1/nope'), 404],
    ['a missing credential', () => get('/api/v1/tasks'), 401],
    ['a schema refusal', () => post('/api/v1/tasks', {}, bearer()), 400],
    [
      'malformed JSON',
      () =>
        fetch(`${limited.url}/api/v1/tasks`, {
          method: 'POST',
          headers: { ...bearer(), 'content-type': 'application/json' },
          body: '{',
        }),
      400,
    ],
    ['an oversized body', () => post('/api/v1/tasks', 'x'.repeat(2 ** 21), bearer()), 413],
    [
      'somebody else’s task',
      () => get(`/api/v1/tasks/${world.submitted}`, { authorization: `Bearer ${world.pair.seller.token}` }),
      403,
    ],
    ['the document', () => get('/api/v1/openapi.json'), 200],
    ['a path that cannot be decoded', () => get('/api/v1/agents/%zz'), 404],
    ['a path with too long a parameter', () => get(`/api/v1/agents/${'x'.repeat(501)}`), 404],
    ['what is not HTTP', () => raw('nonsense'), 400],
    ['oversized headers', () => raw('GET / HTTP/1.1', 'Host: x', `X-Big: ${'x'.repeat(20_000)}`), 400],
    ['HTTP/1.1 without a host', () => raw('GET /api/v1/health HTTP/1.1'), 400],
    ['HTTP/1.0, which needs none', () => raw('GET /api/v1/health HTTP/1.0'), 200],
    ['an expectation that nobody knows', () => raw('GET /api/v1/health HTTP/1.1', 'Host: x', 'Expect: xx'), 200],
  ])('%s', async (_name, ask, status) => {
    const response = await ask();
    expect(response.status).toBe(status);
    expect(counted).toHaveLength(1);
    const limit = rateLimits[counted[0]?.[0] as RateLimitScope].limit;
    expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit));
    expect(response.headers.get('x-ratelimit-remaining')).toBe(String(limit - 1));
    expect(response.headers.get('x-correlation-id')).toBeTruthy();
    if (status >= 400) expect(await response.json()).toMatchObject({ success: false, error: { details: {} } });
  });

  test.each<[string, () => Promise<Response>]>([
    ['a path that cannot be decoded', () => get('/api/v1/agents/%zz')],
    ['what is not HTTP', () => raw('nonsense')],
    ['HTTP/1.1 without a host', () => raw('GET /api/v1/health HTTP/1.1')],
  ])('%s is 429 past the limit', async (_name, ask) => {
    for (let nth = 1; nth <= rateLimits.public.limit; nth++) await get('/api/v1/openapi.json');
    const refused = await ask();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '42']);
    expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED' } });
  });

  test('the page of the document does not use up the public limit, and shows what is left of it', async () => {
    await get('/api/v1/openapi.json');
    const headersOf = async (path: string) => {
      const { status, headers } = await get(path);
      return [status, headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')];
    };
    for (const path of ['/docs', '/docs/static/swagger-ui.css'])
      expect(await headersOf(path)).toEqual([200, '60', '59']);
    for (let nth = 2; nth <= 61; nth++) await get('/api/v1/openapi.json');
    // A search that uses up the limit of an address leaves its health probes alone.
    expect((await get('/api/v1/agents/search')).status).toBe(429);
    expect((await get('/api/v1/health')).status).toBe(200);
    expect(await headersOf('/docs')).toEqual([200, '60', '0']);
  });
});

test('the store of one process reads what is left without using any of it', async () => {
  const { consume } = memoryStore({ ...configuredLimits(server.config), public: 2 });
  const left = async (points?: number) => {
    const { allowed, remaining } = await consume('public', '127.0.0.1', points);
    return [allowed, remaining];
  };
  expect([await left(0), await left(), await left(0), await left(), await left(0)]).toEqual([
    [true, 2],
    [true, 1],
    [true, 1],
    [true, 0],
    [true, 0],
  ]);
  expect([await left(), await left(0)]).toEqual([
    [false, 0],
    [false, 0],
  ]);
});

describe('addresses', () => {
  /** What anonymous callers are counted as who send these X-Forwarded-For. */
  async function countedAs(trust: string, ...forwarded: string[]): Promise<unknown[]> {
    const config = { ...server.config, ...limitSettings, TRUST_PROXY: readConfig({ TRUST_PROXY: trust }).TRUST_PROXY };
    const { app, url } = await startSecondApp(server, { config, limitStore: store });
    try {
      for (const value of forwarded) await fetch(`${url}/api/v1/health`, { headers: { 'x-forwarded-for': value } });
      return counted.map(([, who]) => who);
    } finally {
      await app.close();
    }
  }

  test.each([
    ['false', '127.0.0.1'],
    ['true', '203.0.113.9'],
    ['2', '198.51.100.7'],
    ['127.0.0.0/8', '203.0.113.9'],
    ['127.0.0.1, 203.0.113.0/24', '198.51.100.7'],
    ['10.0.0.0/8', '127.0.0.1'],
  ])('TRUST_PROXY=%s takes %s of what client and proxies wrote', async (trust, who) => {
    expect(await countedAs(trust, '1.2.3.4, 198.51.100.7, 203.0.113.9')).toEqual([who]);
  });

  test('of one /64 of IPv6 count as one, and IPv4 in IPv6 as IPv4', async () => {
    const forwarded = ['2001:db8:1:2::1', '2001:DB8:1:2:ffff::2', '2001:db8:1:3::1', '::ffff:198.51.100.7', '::1'];
    expect(await countedAs('true', ...forwarded)).toEqual([
      '2001:db8:1:2::/64',
      '2001:db8:1:2::/64',
      '2001:db8:1:3::/64',
      '198.51.100.7',
      '0:0:0:0::/64',
    ]);
  });
});
