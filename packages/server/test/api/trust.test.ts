import { isDeepStrictEqual } from 'node:util';
import { attestationSeconds, maxTrustBatch, type TrustSummary } from '@agora-market/contract';
import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { beforeAll, describe, expect, test } from 'vitest';
import { rotateKeyInDatabase } from '../../src/operate.ts';
import { createSigning } from '../../src/platform/index.ts';
import { dispute, hireAndPass, makePair, type Pair, refusalOf, serverForFile } from './scene.ts';
import { consumerOf, nobody } from './trust-scene.ts';

const publicUrl = 'https://agora.example';
const server = serverForFile({ config: { PUBLIC_URL: `${publicUrl}/` } });
let pair: Pair;
let consumer: Awaited<ReturnType<typeof consumerOf>>;

beforeAll(async () => {
  pair = await makePair(server);
  consumer = await consumerOf(server, pair.buyer);
});

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/api/v1${path}`, { headers: { 'x-trust-api-key': consumer.key, ...headers } });

describe('trust keys', () => {
  test('are shown once, listed by their beginning, and stored as a hash', async () => {
    const owner = await server.owner({ credits: 0 });
    const made = await owner.agora.trust.createKey({ name: ' my site ' });
    expect(made).toEqual({
      id: expect.stringMatching(/^key_/),
      name: 'my site',
      key: expect.stringMatching(/^tst_[\w-]{43}$/),
      keyPrefix: made.key.slice(0, 10),
      plan: 'free',
      dailyLimit: 1000,
      dailyUsage: 0,
      status: 'active',
      createdAt: server.clock.now().toISOString(),
      revokedAt: null,
    });
    const { key: _, ...shown } = made;
    expect((await owner.agora.trust.listKeys()).data).toEqual([shown]);
    const { rows } = await server.pool.query('select * from trust_keys');
    expect(JSON.stringify(rows)).not.toContain(made.key.slice(10));
    const { rows: events } = await server.pool.query(
      `select type, data from events where type like 'trust_key.%' and data ->> 'keyId' = $1`,
      [made.id],
    );
    expect(events).toEqual([
      { type: 'trust_key.created', data: { keyId: made.id, name: 'my site', keyPrefix: made.keyPrefix } },
    ]);
  });

  test('that are revoked are refused with 401 at once, and revoking again is 400', async () => {
    const { id, agora } = await consumerOf(server, pair.buyer);
    await agora.trust.getAgent(pair.agent.id);
    await pair.buyer.agora.trust.revokeKey(id);
    expect(await refusalOf(agora.trust.getAgent(pair.agent.id))).toBe('401 INVALID_TRUST_KEY');
    expect(await refusalOf(pair.buyer.agora.trust.revokeKey(id))).toBe('400 WRONG_STATE');
    const listed = (await pair.buyer.agora.trust.listKeys()).data.find((key) => key.id === id);
    expect(listed).toMatchObject({ status: 'revoked', revokedAt: server.clock.now().toISOString() });
  });

  test('that are missing or unknown are 401, and other credentials do not read reputation', async () => {
    const bare = server.client();
    expect(await refusalOf(bare.trust.getAgent(pair.agent.id))).toBe('401 MISSING_CREDENTIALS');
    for (const trustKey of ['tst_unknown', 'ac_live_x', pair.agent.key]) {
      expect(await refusalOf(server.client({ trustKey }).trust.getAgent(pair.agent.id))).toBe('401 INVALID_TRUST_KEY');
    }
    const asOwner = pair.buyer.agora.trust.getAgent(pair.agent.id, { as: 'owner' });
    expect(await refusalOf(asOwner)).toBe('401 MISSING_CREDENTIALS');
    const onOwnersPath = await get('/trust/keys');
    expect(onOwnersPath.status).toBe(401);
  });

  test('of others, and unknown ones, are 404 to whoever would revoke them', async () => {
    const { id } = await consumerOf(server, pair.buyer);
    for (const each of [id, 'key_01jxyz3k9mf5t8v2q7h4n6p0rs', 'nonsense']) {
      expect(await refusalOf(pair.seller.agora.trust.revokeKey(each))).toBe('404 TRUST_KEY_NOT_FOUND');
    }
  });

  test('of a suspended owner are 403, and work again once it is reinstated', async () => {
    const owner = await server.owner({ credits: 0 });
    const { agora } = await consumerOf(server, owner);
    await server.operator().auth.updateOwner(owner.id, { status: 'suspended', reason: 'fraud' });
    expect(await refusalOf(agora.trust.getAgent(pair.agent.id))).toBe('403 OWNER_SUSPENDED');
    await server.operator().auth.updateOwner(owner.id, { status: 'active', reason: 'none' });
    await agora.trust.getAgent(pair.agent.id);
  });

  test('without a name, or with fields that nobody knows, are 400', async () => {
    for (const body of [{}, { name: ' ' }, { name: 'x', plan: 'enterprise' }]) {
      expect(await refusalOf(pair.buyer.agora.trust.createKey(body as { name: string }))).toBe('400 VALIDATION_ERROR');
    }
  });
});

describe('a summary', () => {
  test('of a new agent says that nothing is known', async () => {
    const agent = await pair.seller.agent();
    expect(await consumer.agora.trust.getAgent(agent.id)).toMatchObject({
      agentId: agent.id,
      status: 'active',
      trustTier: 'unverified',
      confidence: 0,
      domains: [],
      completedTasks: 0,
      disputeSummary: { filed: 0, open: 0, won: 0, lost: 0, split: 0 },
      recommendation: 'not_yet_rated',
    });
  });

  test('counts work and disputes, and how these ended', async () => {
    const own = await makePair(server);
    await hireAndPass(own);
    const { id } = await dispute(server, own);
    const read = () => consumer.agora.trust.getAgent(own.agent.id);
    await expect.poll(async () => (await read()).completedTasks).toBe(2);
    expect(await read()).toMatchObject({ disputeSummary: { filed: 1, open: 1, lost: 0 } });
    await server.operator().courts.resolveDispute(id, { outcome: 'buyer_wins', note: 'It is no haiku' });
    expect(await read()).toMatchObject({ disputeSummary: { filed: 1, open: 0, won: 0, lost: 1, split: 0 } });
    // Both follow the events, a moment behind.
    const both = async () => {
      const { overallScore, trustTier, dimensions } = await own.agent.agora.agents.me();
      const summary = await read();
      const told = [summary.overallScore, summary.trustTier, summary.dimensions];
      return isDeepStrictEqual(told, [overallScore, trustTier, dimensions]);
    };
    await expect.poll(both).toBe(true);
  });

  test('is 304 to whoever has it, until it changes', async () => {
    const { agent } = await makePair(server);
    const path = `/trust/agents/${agent.id}`;
    const first = await get(path);
    const etag = first.headers.get('etag') as string;
    const again = await get(path, { 'if-none-match': etag });
    expect([first.status, again.status, await again.text()]).toEqual([200, 304, '']);
    await agent.owner.agora.agents.deactivate(agent.id);
    const changed = await get(path, { 'if-none-match': etag });
    expect([changed.status, ((await changed.json()) as TrustSummary).status]).toEqual([200, 'deactivated']);
  });

  test('of an unknown agent is 404, also where the id is none', async () => {
    for (const id of [nobody, 'nonsense', pair.buyer.id]) {
      expect(await refusalOf(consumer.agora.trust.getAgent(id))).toBe('404 AGENT_NOT_FOUND');
    }
  });
});

describe('a batch', () => {
  test('answers for each id in the order of the question, unknown ones too, and is conditional', async () => {
    const other = await pair.seller.agent();
    const ids = [other.id, nobody, pair.agent.id, 'nonsense', other.id];
    const { data } = await consumer.agora.trust.getAgents({ ids });
    expect(data.map(({ agentId }) => agentId)).toEqual(ids);
    const error = { code: 'AGENT_NOT_FOUND', message: 'No such agent.' };
    for (const { agentId, summary, error: found } of data) {
      const isKnown = agentId === other.id || agentId === pair.agent.id;
      expect([summary?.agentId, found]).toEqual(isKnown ? [agentId, null] : [undefined, error]);
    }
    expect(data[2]?.summary).toEqual(await consumer.agora.trust.getAgent(pair.agent.id));
    const path = `/trust/agents?ids=${ids.join(',')}`;
    const etag = (await get(path)).headers.get('etag') as string;
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
  });

  test(`of none, or of more than ${maxTrustBatch}, is 400`, async () => {
    const many = Array.from({ length: maxTrustBatch + 1 }, () => nobody);
    await consumer.agora.trust.getAgents({ ids: many.slice(1) });
    for (const query of ['', '?ids=', '?ids=a,,b', `?ids=${many.join(',')}`, `?ids=${'x'.repeat(101)}`, '?id=x']) {
      const response = await get(`/trust/agents${query}`);
      const { error } = (await response.json()) as { error: { code: string } };
      expect([response.status, error.code], query.slice(0, 20)).toEqual([400, 'VALIDATION_ERROR']);
    }
  });
});

describe('an attestation', () => {
  test('verifies offline with jose against the JWK set, and carries the summary', async () => {
    const response = await get(`/trust/agents/${pair.agent.id}/attestation`);
    expect(response.headers.get('content-type')).toBe('application/jose');
    const token = await response.text();
    const keys = await server.client().system.jwks();
    const issuedAt = Math.floor(server.clock.now().getTime() / 1000);
    const options = { issuer: publicUrl, subject: pair.agent.id, typ: 'trust-attestation+jwt', algorithms: ['EdDSA'] };
    const at = (seconds: number) => ({ ...options, currentDate: new Date((issuedAt + seconds) * 1000) });
    const { payload } = await jwtVerify(token, createLocalJWKSet(keys), at(attestationSeconds - 1));
    const trust = await consumer.agora.trust.getAgent(pair.agent.id);
    expect(payload).toEqual({
      iss: publicUrl,
      sub: pair.agent.id,
      iat: issuedAt,
      exp: issuedAt + attestationSeconds,
      trust,
    });
    await expect(jwtVerify(token, createLocalJWKSet(keys), at(attestationSeconds))).rejects.toThrow(/exp/);
    const [header, claims, signature] = token.split('.');
    const better = { ...payload, trust: { ...trust, trustTier: 'elite' } };
    const forged = [header, Buffer.from(JSON.stringify(better)).toString('base64url'), signature].join('.');
    await expect(jwtVerify(forged, createLocalJWKSet(keys), at(0))).rejects.toThrow(/signature/);
    expect(claims).not.toBe(forged.split('.')[1]);
  });

  test('verifies after a rotation, and the next one is signed with the new key', async () => {
    const before = await consumer.agora.trust.attestation(pair.agent.id);
    const { kid } = await rotateKeyInDatabase(server.databaseUrl, server.config, { reason: 'due', by: 'Ada' });
    const keys = createLocalJWKSet(await server.client().system.jwks());
    const currentDate = server.clock.now();
    expect((await jwtVerify(before, keys, { currentDate })).payload.sub).toBe(pair.agent.id);
    const fresh = createSigning({ pool: server.pool, clock: server.clock, config: server.config, log: { warn() {} } });
    const after = (await fresh.key()).signJws({ typ: 'trust-attestation+jwt' }, '{"sub":"x"}');
    expect([decodeProtectedHeader(before).kid === kid, decodeProtectedHeader(after).kid]).toEqual([false, kid]);
    expect((await jwtVerify(after, keys, { currentDate })).payload.sub).toBe('x');
  });

  test('of an unknown agent is 404', async () => {
    expect(await refusalOf(consumer.agora.trust.attestation(nobody))).toBe('404 AGENT_NOT_FOUND');
  });
});
