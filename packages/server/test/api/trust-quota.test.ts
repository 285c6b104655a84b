import { toUuid, trustQueriesByPlan } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { startTestServer } from '../support/harness.ts';
import { day, refusalOf, serverForFile, startSecondApp } from './scene.ts';
import { consumerOf, nobody } from './trust-scene.ts';

/** The daily limit of trust keys: one for all keys of an owner and all servers, which no restart forgets. */

const server = serverForFile();
const limit = trustQueriesByPlan.free;
const hundred = Array.from({ length: 100 }, () => nobody);

/** An owner who has asked about so many agents today. */
async function having(asked: number) {
  const owner = await server.owner({ credits: 0 });
  const consumer = await consumerOf(server, owner);
  for (let left = asked; left > 0; left -= 100) {
    await consumer.agora.trust.getAgents({ ids: hundred.slice(0, Math.min(100, left)) });
  }
  return { owner, ...consumer };
}

const usageOf = async ({ owner }: Pick<Awaited<ReturnType<typeof having>>, 'owner'>) =>
  (await owner.agora.trust.listKeys()).data[0]?.dailyUsage;

test('past the daily limit is 429 with Retry-After until midnight UTC, and the next day begins at zero', async () => {
  const asked = await having(limit - 1);
  expect(await usageOf(asked)).toBe(limit - 1);
  await asked.agora.trust.getAgents({ ids: [nobody] });
  const response = await fetch(`${server.url}/api/v1/trust/agents/${nobody}`, {
    headers: { 'x-trust-api-key': asked.key },
  });
  const seconds = Number(response.headers.get('retry-after'));
  expect(await response.json()).toMatchObject({
    error: { code: 'RATE_LIMITED', details: { scope: 'trustDaily', limit, retryAfter: seconds } },
  });
  expect(response.status).toBe(429);
  const midnight = Date.parse(server.clock.now().toISOString().slice(0, 10)) + day;
  expect(server.clock.now().getTime() + seconds * 1000).toBe(midnight);
  expect(await usageOf(asked)).toBe(limit);
  server.clock.advance(seconds * 1000);
  await asked.agora.trust.getAgents({ ids: hundred });
  expect(await usageOf(asked)).toBe(100);
});

test('all keys of an owner share it, and a batch that does not fit counts nothing', async () => {
  const asked = await having(limit - 50);
  const second = await consumerOf(server, asked.owner);
  expect(await refusalOf(second.agora.trust.getAgents({ ids: hundred }))).toBe('429 RATE_LIMITED');
  await second.agora.trust.getAgents({ ids: hundred.slice(0, 50) });
  expect(await refusalOf(asked.agora.trust.getAgents({ ids: [nobody] }))).toBe('429 RATE_LIMITED');
});

test('a better plan counts within seconds', async () => {
  const asked = await having(limit);
  expect(await refusalOf(asked.agora.trust.getAgents({ ids: [nobody] }))).toBe('429 RATE_LIMITED');
  await server.operator().auth.updateOwner(asked.owner.id, { plan: 'pro', reason: 'has paid' });
  server.clock.advance(5_000);
  await asked.agora.trust.getAgents({ ids: [nobody] });
  expect((await asked.owner.agora.trust.listKeys()).data[0]).toMatchObject({
    plan: 'pro',
    dailyLimit: trustQueriesByPlan.pro,
    dailyUsage: limit + 1,
  });
});

test('two servers together never give more than the limit, and a stop forgets nothing', async () => {
  const { agora, owner } = await having(0);
  const second = await startSecondApp(server);
  const there = agora.withOptions({ baseUrl: second.url });
  let given = 0;
  const ask = async (client: typeof agora) => {
    for (let times = 0; times < 60; times++) {
      const ids = hundred.slice(0, 1 + ((times * 7) % 20));
      if ((await refusalOf(client.trust.getAgents({ ids }))) === 'no refusal') given += ids.length;
    }
  };
  await Promise.all([ask(agora), ask(there), ask(agora), ask(there)]);
  expect(given).toBeLessThanOrEqual(limit);
  await second.app.close();
  // What the other server had set aside is there again.
  server.clock.advance(5_000);
  while ((await refusalOf(agora.trust.getAgents({ ids: [nobody] }))) === 'no refusal') given += 1;
  expect(given).toBe(limit);
  expect(await usageOf({ owner })).toBe(limit);
});

test('next to no query writes: a server sets a hundredth of the day aside at a time', async () => {
  const { agora, owner } = await having(0);
  for (let times = 0; times < 8; times++) await agora.trust.getAgents({ ids: [nobody] });
  const uuid = toUuid('owner', owner.id);
  const { rows } = await server.pool.query('select used, granted from trust_usage where owner_id = $1', [uuid]);
  expect(rows).toEqual([{ used: expect.any(Number), granted: limit / 100 }]);
  expect(rows[0].used).toBeLessThanOrEqual(20);
  expect(await usageOf({ owner })).toBe(8);
});

test('the rate of a key has a limit of its own, RATE_LIMIT_TRUST', async () => {
  const strict = await startTestServer({ config: { RATE_LIMIT_TRUST: 2 } });
  try {
    const { agora } = await consumerOf(strict, await strict.owner({ credits: 0 }));
    for (const _ of [1, 2]) expect(await refusalOf(agora.trust.getAgent(nobody))).toBe('404 AGENT_NOT_FOUND');
    const refused = await agora.trust.getAgent(nobody).catch((error) => error);
    expect(refused).toMatchObject({ status: 429, details: { scope: 'trust' } });
    expect(refused.retryAfterSeconds).toBeGreaterThan(0);
  } finally {
    await strict.close();
  }
});
