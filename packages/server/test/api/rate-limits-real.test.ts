import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { type RateLimitScope, rateLimits } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/index.ts';
import { makePair, type Pair, type SecondApp, serverForFile, startSecondApp } from './scene.ts';

/** The limits as they are served: the memory store itself, driven over each limit by real requests. */

const server = serverForFile();
const limits = Object.fromEntries(Object.values(rateLimits).map(({ setting, limit }) => [setting, limit]));
/** Of the processor's 3000 as many as a test has patience for. */
const few = { RATE_LIMIT_PROCESSOR: 5 };
const apps: SecondApp[] = [];
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});
afterAll(async () => {
  for (const { app } of apps) await app.close();
});

async function appWith(config: Partial<typeof server.config>): Promise<string> {
  const second = await startSecondApp(server, { config: { ...server.config, ...limits, ...few, ...config } });
  apps.push(second);
  return second.url;
}

const json = { 'content-type': 'application/json' };
const bearer = () => ({ authorization: `Bearer ${pair.buyer.token}` });
const signUp = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/api/v1/auth/sign-up`, { method: 'POST', headers: { ...json, ...headers }, body: '{}' });

describe('driven over its limit', () => {
  let url: string;
  beforeAll(async () => {
    url = await appWith({ AGORA_ENV: 'production' });
  });

  const asks: Partial<Record<RateLimitScope, () => Promise<Response>>> = {
    signUp: () => signUp(url),
    auth: () => fetch(`${url}/api/v1/auth/sign-in`, { method: 'POST', headers: json, body: '{}' }),
    agent: () => fetch(`${url}/api/v1/agents/me`, { headers: { 'x-api-key': pair.agent.key } }),
    ownerTasks: () => fetch(`${url}/api/v1/tasks/totals`, { headers: bearer() }),
    ownerDryRuns: () =>
      fetch(`${url}/api/v1/tasks/try-checks`, { method: 'POST', headers: { ...json, ...bearer() }, body: '{}' }),
    owner: () => fetch(`${url}/api/v1/vault/pool`, { headers: bearer() }),
    public: () => fetch(`${url}/api/v1/agents/search/facets`),
    probe: () => fetch(`${url}/api/v1/health`),
    processor: () => fetch(`${url}/api/v1/vault/processor/webhook`, { method: 'POST', headers: json, body: '{}' }),
  };

  test('every scope that an operation counts in has a case here', () => {
    // No operation of the areas of oversight and trust exists yet.
    expect(new Set([...Object.keys(asks), 'ownerOversight', 'trust', 'mcp', 'a2a'])).toEqual(
      new Set(Object.keys(rateLimits)),
    );
  });

  test.each(Object.entries(asks))(
    '%s: as many as it allows pass, the next is 429 and says when to come back',
    async (name, ask) => {
      const scope = name as RateLimitScope;
      const limit = scope === 'processor' ? few.RATE_LIMIT_PROCESSOR : rateLimits[scope].limit;
      const left: number[] = [];
      for (let nth = 0; nth < limit; nth++) {
        const response = await ask();
        expect(response.status).not.toBe(429);
        expect(response.headers.get('x-ratelimit-limit')).toBe(String(limit));
        left.push(Number(response.headers.get('x-ratelimit-remaining')));
      }
      // A window that ends on the way starts the count anew, which a slow machine may take long enough for.
      const restarts = left.findIndex((remaining, nth) => nth > 0 && remaining > (left[nth - 1] as number));
      if (restarts === -1) expect(left).toEqual(left.map((_, nth) => limit - 1 - nth));
      for (let more = 0; more < Math.max(restarts, 0); more++) await ask();
      const refused = await ask();
      const { windowSeconds } = rateLimits[scope];
      expect([refused.status, refused.headers.get('x-ratelimit-remaining')]).toEqual([429, '0']);
      const seconds = Number(refused.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(windowSeconds);
      expect(await refused.json()).toMatchObject({ error: { code: 'RATE_LIMITED', details: { scope, limit } } });
    },
  );
});

describe('sign-up', () => {
  const statuses = async (url: string, headers?: Record<string, string>) => {
    const seen = [];
    for (let nth = 0; nth < 5; nth++) seen.push((await signUp(url, headers)).status);
    return seen;
  };

  test('is not limited in development for the machine itself, and is for others', async () => {
    const url = await appWith({ TRUST_PROXY: readConfig({ TRUST_PROXY: 'true' }).TRUST_PROXY });
    expect(await statuses(url)).toEqual([400, 400, 400, 400, 400]);
    expect(await statuses(url, { 'x-forwarded-for': '::1' })).toEqual([400, 400, 400, 400, 400]);
    expect(await statuses(url, { 'x-forwarded-for': '203.0.113.9' })).toEqual([400, 400, 400, 429, 429]);
    expect((await signUp(url)).headers.get('x-ratelimit-limit')).toBeNull();
  });

  test('is limited in production for everybody', async () => {
    const url = await appWith({ AGORA_ENV: 'production' });
    expect(await statuses(url)).toEqual([400, 400, 400, 429, 429]);
  });
});

test('a limit of 0 turns a scope off, and no reply tells of it', async () => {
  for (let nth = 0; nth < 5; nth++) {
    const response = await fetch(`${server.url}/api/v1/auth/sign-up`, { method: 'POST' });
    expect(response.status).toBe(400);
    expect([...response.headers.keys()].filter((name) => name.startsWith('x-ratelimit'))).toEqual([]);
  }
});

test('a connection that was given up before it was taken has no address to count, and is let go', async () => {
  const { server: http } = server.app.http;
  const asked: (string | undefined)[] = [];
  http.on('request', ({ url }) => asked.push(url));
  const taken = once(http, 'connection');
  const giveUp = `
    const socket = require('node:net').connect(${new URL(server.url).port}, '127.0.0.1', () =>
      socket.write('GET /api/v1/health HTTP/1.1\\r\\nhost: x\\r\\n\\r\\n', () => socket.resetAndDestroy()));`;
  // This process is the server's as well: it takes the connection only when the other process has ended.
  expect(spawnSync(process.execPath, ['-e', giveUp]).status).toBe(0);
  const [socket] = (await taken) as [Socket];
  if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve));
  expect(asked).toEqual([]);
});
