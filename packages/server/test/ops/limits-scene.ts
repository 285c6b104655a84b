import { rateLimits } from '@agora-market/contract';
import { expect } from 'vitest';
import { type SecondApp, startSecondApp } from '../api/scene.ts';
import type { TestServer } from '../support/harness.ts';

export const limit = 20;
const limits = Object.fromEntries(Object.values(rateLimits).map(({ setting, limit }) => [setting, limit]));

/** Two servers that count requests together at REDIS_URL. */
export function twoServers(server: TestServer, probes = limit) {
  let apps: SecondApp[] = [];
  const ask = (nth: number) => fetch(`${apps[nth % 2]!.url}/api/v1/health`);
  const left = async (nth: number) => Number((await ask(nth)).headers.get('x-ratelimit-remaining'));
  return {
    async start(REDIS_URL: string) {
      const config = { ...server.config, ...limits, RATE_LIMIT_PROBE: probes, REDIS_URL };
      apps = [await startSecondApp(server, { config }), await startSecondApp(server, { config })];
    },
    async close() {
      await Promise.all(apps.splice(0).map(({ app }) => app.close()));
    },
    /** One of them by turns. */
    ask,
    /** Until both servers count there: each has asked, and what one counts the other sees. */
    shared: (options: { timeout?: number } = {}) =>
      expect.poll(async () => (await left(0)) - (await left(1)), options).toBe(1),
  };
}
