import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { serverForFile } from '../api/scene.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';
import { limit, twoServers } from './limits-scene.ts';

/** Rate limits that several servers count together in Redis, which may go away at any moment. */

const server = serverForFile();
let redis: TestRedis;
const { start, close, ask, shared } = twoServers(server);

beforeEach(async () => {
  redis = await startRedis();
  await start(redis.url);
});
afterEach(async () => {
  await close();
  await redis.close();
});

const statusesOf = async (count: number) => {
  const replies = await Promise.all(Array.from({ length: count }, (_, nth) => ask(nth)));
  return replies.map(({ status }) => status);
};
const allowed = (statuses: number[]) => statuses.filter((status) => status === 200).length;

describe('servers with one REDIS_URL', () => {
  test('count together, and say how much is left and when to come back', async () => {
    await shared();
    const statuses = await statusesOf(2 * limit);
    expect(allowed(statuses)).toBeLessThan(limit);
    expect(statuses.filter((status) => status === 429).length).toBe(2 * limit - allowed(statuses));
    const refused = await ask(1);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(60);
    expect(refused.headers.get('x-ratelimit-remaining')).toBe('0');
  });

  test('count by themselves while it is killed under load, refuse nobody for it, and share again when it is back', async () => {
    await shared();
    const during: number[] = [];
    let isOver = false;
    const load = (async () => {
      for (let nth = 0; !isOver; nth++) {
        during.push((await ask(nth)).status);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    await redis.kill();
    await expect.poll(() => during.length).toBeGreaterThan(20);
    // Each server has its own count now, which began with the failure.
    await redis.start();
    isOver = true;
    await load;
    expect(during.filter((status) => status !== 200 && status !== 429)).toEqual([]);
    expect(allowed(during)).toBeGreaterThan(0);
    await shared();
  });

  test('do not wait for one that hangs', async () => {
    await shared();
    redis.signal('SIGSTOP');
    try {
      const statuses = await statusesOf(10);
      expect(statuses.filter((status) => status !== 200)).toEqual([]);
    } finally {
      redis.signal('SIGCONT');
    }
    await shared();
  });

  test('start without it, and use it once it is there', async () => {
    await close();
    await redis.kill();
    await start(redis.url);
    expect((await ask(0)).status).toBe(200);
    await redis.start();
    await shared();
  });
});
