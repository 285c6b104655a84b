import { agentsByPlan, toId } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestOwner, type TestServer } from '../../test/support/harness.ts';
import { newUuid } from '../platform/index.ts';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await startTestServer();
  owner = await server.owner({ credits: 0 });
  await server.pool.query(`update owners set plan = 'pro' where email = $1`, [owner.email]);
});

afterAll(() => server.close());

async function send(method: string, path: string, headers: Record<string, string> = {}, body?: unknown) {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: tests look into replies of every shape
  return { status: response.status, body: (await response.json()) as any };
}

const asOwner = (who: TestOwner = owner) => ({ authorization: `Bearer ${who.token}` });
const refusal = (status: number, code: string) => ({ status, body: { success: false, error: { code } } });

const profile = {
  displayName: 'Fixer',
  framework: 'custom',
  model: 'm-1',
  description: 'Mends code',
  capabilities: [{ category: 'bug_fix', tags: ['python'] }],
  pricing: { model: 'per_task', baseRate: 400, currency: 'USD' },
};

describe('the way of an agent', () => {
  test('registration is 201 with agent and apiKey, and the key opens agents/me', async () => {
    const made = await send('POST', '/agents', asOwner(), profile);
    expect(made).toMatchObject({ status: 201, body: { agent: { ...profile, trustTier: 'unverified' } } });
    const me = await send('GET', '/agents/me', { 'x-api-key': made.body.apiKey });
    expect(me).toEqual({ status: 200, body: made.body.agent });
  });

  test('update, availability, search, deactivation, reactivation and rotation are 200', async () => {
    const agent = await owner.agent({ capabilities: [{ category: 'design', tags: [] }] });
    const path = `/agents/${agent.id}`;
    const priced = await send('PATCH', path, asOwner(), { pricing: { ...profile.pricing, baseRate: 250 } });
    expect(priced).toMatchObject({ status: 200, body: { pricing: { baseRate: 250 } } });
    const busy = await send('PATCH', '/agents/me', { 'x-api-key': agent.key }, { availability: 'busy' });
    expect(busy).toMatchObject({ status: 200, body: { availability: 'busy' } });
    const found = await send('GET', '/agents/search?category=design&availability=busy');
    expect(found).toMatchObject({ status: 200, body: { data: [{ id: agent.id }], pagination: { nextCursor: null } } });
    expect(await send('POST', `${path}/deactivate`, asOwner())).toMatchObject({ body: { status: 'deactivated' } });
    expect(await send('GET', '/agents/me', { 'x-api-key': agent.key })).toMatchObject(refusal(401, 'INVALID_API_KEY'));
    expect(await send('POST', `${path}/reactivate`, asOwner())).toMatchObject({ body: { status: 'active' } });
    const rotated = await send('POST', `${path}/rotate-key`, asOwner());
    expect((await send('GET', '/agents/me', { 'x-api-key': rotated.body.apiKey })).status).toBe(200);
    expect(await send('GET', '/agents/me', { 'x-api-key': agent.key })).toMatchObject(refusal(401, 'INVALID_API_KEY'));
  });

  test('deactivating a deactivated agent and reactivating an active one are 400', async () => {
    const agent = await owner.agent();
    const path = `/agents/${agent.id}`;
    expect(await send('POST', `${path}/reactivate`, asOwner())).toMatchObject(refusal(400, 'ALREADY_ACTIVE'));
    await send('POST', `${path}/deactivate`, asOwner());
    expect(await send('POST', `${path}/deactivate`, asOwner())).toMatchObject(refusal(400, 'ALREADY_DEACTIVATED'));
  });

  test('one agent more than the plan allows is 403', async () => {
    const small = await server.owner({ credits: 0 });
    for (let i = 0; i < agentsByPlan.free; i++) await small.agent();
    expect(await send('POST', '/agents', asOwner(small), profile)).toMatchObject(refusal(403, 'AGENT_LIMIT_REACHED'));
  });

  test('a suspended agent is 403', async () => {
    const agent = await owner.agent({ displayName: 'To be suspended' });
    await server.pool.query(`update agents set status = 'suspended' where display_name = 'To be suspended'`);
    expect(await send('GET', '/agents/me', { 'x-api-key': agent.key })).toMatchObject(refusal(403, 'AGENT_SUSPENDED'));
  });
});

describe('whose it is', () => {
  test("another owner's agent is 403, an unknown or malformed id 404", async () => {
    const agent = await owner.agent();
    const stranger = await server.owner({ credits: 0 });
    const unknown = toId('agent', newUuid(server.clock));
    for (const [method, suffix] of [
      ['PATCH', ''],
      ['POST', '/deactivate'],
      ['POST', '/reactivate'],
      ['POST', '/rotate-key'],
    ] as const) {
      const body = method === 'PATCH' ? { displayName: 'Mine' } : undefined;
      const ask = (id: string) => send(method, `/agents/${id}${suffix}`, asOwner(stranger), body);
      expect(await ask(agent.id)).toMatchObject(refusal(403, 'NOT_AGENT_OWNER'));
      for (const id of [unknown, 'agt_1', agent.id.toUpperCase(), 'x'.repeat(400)]) {
        expect(await ask(id)).toMatchObject(refusal(404, 'AGENT_NOT_FOUND'));
      }
    }
    expect(await send('GET', `/agents/${unknown}`)).toMatchObject(refusal(404, 'AGENT_NOT_FOUND'));
  });
});

describe('bad input', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['an unknown framework', { framework: 'basic' }, 'framework'],
    ['no capability', { capabilities: [] }, 'capabilities'],
    ['an unknown category', { capabilities: [{ category: 'magic', tags: [] }] }, 'capabilities.0.category'],
    ['a negative price', { pricing: { ...profile.pricing, baseRate: -1 } }, 'pricing.baseRate'],
    ['a fraction of a cent', { pricing: { ...profile.pricing, baseRate: 1.5 } }, 'pricing.baseRate'],
    ['a huge price', { pricing: { ...profile.pricing, baseRate: 1e15 } }, 'pricing.baseRate'],
    ['another currency', { pricing: { ...profile.pricing, currency: 'EUR' } }, 'pricing.currency'],
    ['a status of its own choice', { status: 'active' }, 'status'],
    ['a score of its own choice', { overallScore: 1000 }, 'overallScore'],
    ['a NUL', { displayName: 'a\u0000b' }, 'displayName'],
  ])('%s is 400 and names the field, at registration and update', async (_what, change, path) => {
    const agent = await server.owner({ credits: 0 }).then((other) => other.agent());
    const replies = await Promise.all([
      send('POST', '/agents', asOwner(), { ...profile, ...change }),
      send('PATCH', '/agents/me', { 'x-api-key': agent.key }, change),
    ]);
    for (const reply of replies) {
      expect(reply).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
      expect(reply.body.error.details.fields[0].path).toBe(path);
    }
  });

  test.each(['pageSize=0', 'pageSize=101', 'cursor=x', 'minScore=1001', 'maxPrice=-1', 'category=magic', 'sort=up'])(
    'search with %s is 400 and names the parameter',
    async (query) => {
      const reply = await send('GET', `/agents/search?${query}`);
      expect(reply).toMatchObject(refusal(400, 'VALIDATION_ERROR'));
      expect(reply.body.error.details.fields[0].path).toBe(query.split('=')[0]);
    },
  );
});

test('a registration repeated under its Idempotency-Key gives the same agent and key', async () => {
  const headers = { ...asOwner(), 'idempotency-key': 'register-1' };
  const one = await send('POST', '/agents', headers, profile);
  expect(await send('POST', '/agents', headers, profile)).toEqual(one);
});
