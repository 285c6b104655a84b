import { servesSuspended, toUuid } from '@agora-market/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { operatorToken } from '../support/harness.ts';
import { allOperations, makeWorld, pathOf, queryOf, send, type World } from './requests.ts';
import { day, makePair, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();
let world: World;
beforeAll(async () => {
  world = await makeWorld(server);
});

const rows = (auth: string) => allOperations.filter((row) => row.auth === auth).map((row) => [row.id, row] as const);
const guarded = allOperations
  .filter((row) => row.auth !== 'public' && row.auth !== 'anyone')
  .map((row) => [row.id, row] as const);

/** Sends the request with these headers alone as credentials; only the credential may be what is wrong with it. */
async function as(row: (typeof allOperations)[number], headers: Record<string, string>): Promise<string> {
  const response = await fetch(server.url + pathOf(row, world) + queryOf(row, world), { method: row.method, headers });
  const { error } = (await response.json()) as { error: { code: string } };
  return `${response.status} ${error.code}`;
}

/** A suspended agent may finish what it has begun: there it is refused, if at all, as one whose task it is not. */
async function expectSuspended(row: (typeof allOperations)[number]): Promise<void> {
  const headers = { 'x-api-key': (await suspendedAgent()).key };
  if (!servesSuspended(row)) return expect(await as(row, headers)).toBe('403 AGENT_SUSPENDED');
  const response = await fetch(server.url + pathOf(row, world) + queryOf(row, world), { method: row.method, headers });
  expect([response.status, await response.text()]).not.toEqual([403, expect.stringContaining('AGENT_SUSPENDED')]);
}

describe('every operation that takes credentials', () => {
  test.each(guarded)('%s without any is 401', async (_id, row) => {
    expect(await as(row, {})).toBe('401 MISSING_CREDENTIALS');
  });
});

test('session and developer token of a removed owner are 401', async () => {
  const owner = await server.owner({ credits: 0 });
  const { token } = await owner.agora.auth.createToken({ name: 'ci' });
  expect(await refusalOf(owner.agora.auth.session())).toBe('no refusal');
  // No operation takes an account away yet.
  await server.pool.query('delete from owners where id = $1', [toUuid('owner', owner.id)]);
  for (const agora of [owner.agora, server.client({ ownerToken: token })]) {
    expect(await refusalOf(agora.vault.getPool())).toBe('401 INVALID_SESSION');
    expect(await refusalOf(agora.tasks.list())).toBe('401 INVALID_SESSION');
  }
});

describe('every operation of agents', () => {
  const wrong = ['', 'x', 'ac_live_', 'ac_live_unknown', 'AC_LIVE_x', 'tst_x', `ac_live_${'x'.repeat(5000)}`];

  test.each(rows('agent'))('%s with an unmatched key, or an owner’s token for one, is 401', async (_id, row) => {
    for (const key of wrong) expect(await as(row, { 'x-api-key': key })).toBe('401 INVALID_API_KEY');
    const { token } = world.pair.buyer;
    expect(await as(row, { authorization: `Bearer ${token}` })).toBe('401 MISSING_CREDENTIALS');
    expect(await as(row, { 'x-api-key': token })).toBe('401 INVALID_API_KEY');
  });

  test.each(rows('agent'))('%s by a suspended agent is 403, by one of a suspended owner too', async (_id, row) => {
    await expectSuspended(row);
    expect(await as(row, { 'x-api-key': await keyOfSuspendedOwner() })).toBe('403 OWNER_SUSPENDED');
  });
});

describe('every operation of owners', () => {
  const wrong = ['x', 'Bearer', 'Bearer ', 'Bearer x', 'Bearer ac_sess_unknown', 'Bearer ac_dev_unknown', 'Basic YTpi'];

  test.each(rows('owner'))('%s with a wrong token, or an agent’s key for one, is 401', async (_id, row) => {
    for (const authorization of wrong) expect(await as(row, { authorization })).toBe('401 INVALID_SESSION');
    const { key } = world.pair.agent;
    expect(await as(row, { 'x-api-key': key })).toBe('401 MISSING_CREDENTIALS');
    expect(await as(row, { authorization: `Bearer ${key}` })).toBe('401 INVALID_SESSION');
  });

  test.each(rows('owner'))('%s by a suspended owner is 403', async (_id, row) => {
    expect(await as(row, { authorization: `Bearer ${await tokenOfSuspendedOwner()}` })).toBe('403 OWNER_SUSPENDED');
  });
});

describe('every operation of the operator', () => {
  test.each(rows('operator'))('%s with a wrong token, or an owner’s or an agent’s, is 401', async (_id, row) => {
    const wrong = ['x', 'Bearer', 'Bearer ', 'Bearer x', `Bearer ${operatorToken}x`, `Basic ${operatorToken}`];
    const { buyer, agent } = world.pair;
    for (const authorization of [...wrong, `Bearer ${buyer.token}`, `Bearer ${agent.key}`]) {
      expect(await as(row, { authorization })).toBe('401 INVALID_OPERATOR_TOKEN');
    }
    expect(await as(row, { 'x-api-key': agent.key })).toBe('401 MISSING_CREDENTIALS');
  });

  test('is refused if the server has no operator token', async () => {
    const config = { ...server.config, AGORA_OPERATOR_TOKEN: undefined };
    const { app, url } = await startSecondApp(server, { config });
    try {
      for (const [, row] of rows('operator')) {
        for (const authorization of ['Bearer undefined', 'Bearer ', `Bearer ${operatorToken}`]) {
          const headers = { authorization };
          expect((await send(row, world, { url, headers })).code).toBe('INVALID_OPERATOR_TOKEN');
        }
      }
    } finally {
      await app.close();
    }
  });

  test.each(rows('owner'))('%s of owners does not take the operator’s token', async (_id, row) => {
    expect(await as(row, { authorization: `Bearer ${operatorToken}` })).toBe('401 INVALID_SESSION');
  });
});

describe('every operation of parties', () => {
  test.each(rows('party'))('%s refuses a wrong key and a wrong token, each by its name', async (_id, row) => {
    expect(await as(row, { 'x-api-key': 'ac_live_x' })).toBe('401 INVALID_API_KEY');
    expect(await as(row, { authorization: 'Bearer x' })).toBe('401 INVALID_SESSION');
    await expectSuspended(row);
    const authorization = `Bearer ${await tokenOfSuspendedOwner()}`;
    expect(await as(row, { authorization })).toBe('403 OWNER_SUSPENDED');
  });

  test('of two credentials the agent’s key counts', async () => {
    const { buyer, agent } = world.pair;
    const list = allOperations.find((row) => row.id === 'tasks.list') as (typeof allOperations)[number];
    const both = { authorization: `Bearer ${buyer.token}`, 'x-api-key': agent.key };
    const { text } = await send(list, world, { headers: both });
    for (const task of JSON.parse(text).data) expect(task.agentId).toBe(agent.id);
    // A wrong key is not made good by a right token.
    expect(await as(list, { ...both, 'x-api-key': 'ac_live_x' })).toBe('401 INVALID_API_KEY');
  });

  test('an operation of one kind ignores the credential of the other', async () => {
    const { buyer, agent } = world.pair;
    const both = { authorization: 'Bearer nonsense', 'x-api-key': agent.key };
    expect((await fetch(`${server.url}/api/v1/agents/me`, { headers: both })).status).toBe(200);
    const other = { authorization: `Bearer ${buyer.token}`, 'x-api-key': 'nonsense' };
    expect((await fetch(`${server.url}/api/v1/vault/pool`, { headers: other })).status).toBe(200);
  });
});

describe('every operation that anyone may call', () => {
  test.each(rows('anyone'))('%s needs no credential and takes either, but refuses a wrong one', async (_id, row) => {
    const { buyer, agent } = world.pair;
    const fitting: Record<string, string>[] = [
      {},
      { authorization: `Bearer ${buyer.token}` },
      { 'x-api-key': agent.key },
    ];
    for (const headers of fitting) {
      const url = server.url + pathOf(row, world) + queryOf(row, world);
      expect((await fetch(url, { method: row.method, headers })).status).toBe(200);
    }
    expect(await as(row, { 'x-api-key': 'ac_live_bad' })).toBe('401 INVALID_API_KEY');
    expect(await as(row, { authorization: 'Bearer ac_sess_bad' })).toBe('401 INVALID_SESSION');
    expect(await as(row, { 'x-api-key': (await suspendedAgent()).key })).toBe('403 AGENT_SUSPENDED');
    expect(await as(row, { authorization: `Bearer ${await tokenOfSuspendedOwner()}` })).toBe('403 OWNER_SUSPENDED');
  });

  test.each(['system.health', 'system.ready'])(
    '%s looks at no credentials, for it tells how the server is',
    async (id) => {
      const row = allOperations.find((each) => each.id === id) as (typeof allOperations)[number];
      const headers = { authorization: 'Bearer ac_sess_bad', 'x-api-key': 'ac_live_bad' };
      expect((await send(row, world, { headers })).status).toBe(200);
    },
  );
});

describe('the life of credentials', () => {
  test('a session ends after seven days without use, and use keeps it', async () => {
    const owner = await server.owner({ credits: 0 });
    const idle = await server.owner({ credits: 0 });
    server.clock.advance(6 * day);
    expect(await refusalOf(owner.agora.auth.session())).toBe('no refusal');
    server.clock.advance(day);
    expect(await refusalOf(idle.agora.auth.session())).toBe('401 INVALID_SESSION');
    expect(await refusalOf(owner.agora.auth.session())).toBe('no refusal');
    const again = await server.client().auth.signIn({ email: idle.email, password: 'correct horse' });
    expect(await refusalOf(server.client({ ownerToken: again.token }).auth.session())).toBe('no refusal');
    world = await makeWorld(server);
  });

  test('a developer token is shown once, serves as a session does, does not expire, and ends when revoked', async () => {
    const owner = await server.owner({ credits: 0 });
    const { token, id } = await owner.agora.auth.createToken({ name: 'ci' });
    const byToken = server.client({ ownerToken: token });
    server.clock.advance(30 * day);
    expect((await byToken.auth.session()).expiresAt).toBeNull();
    const listed = await byToken.auth.listTokens();
    expect(listed.data.map((each) => each.id)).toEqual([id]);
    expect(JSON.stringify(listed.data)).not.toContain(token);
    expect(await refusalOf(byToken.auth.signOut())).toBe('400 WRONG_STATE');
    await byToken.auth.revokeToken(id);
    expect(await refusalOf(byToken.auth.session())).toBe('401 INVALID_SESSION');
    world = await makeWorld(server);
  });

  test('sign-out ends the session', async () => {
    const owner = await server.owner({ credits: 0 });
    await owner.agora.auth.signOut();
    expect(await refusalOf(owner.agora.auth.session())).toBe('401 INVALID_SESSION');
  });

  test('a suspended owner cannot sign in, and only the right password learns why', async () => {
    const owner = await server.owner({ credits: 0 });
    await suspendOwner(owner.email);
    const signIn = (password: string) => server.client().auth.signIn({ email: owner.email, password });
    expect(await refusalOf(signIn('correct horse'))).toBe('403 OWNER_SUSPENDED');
    expect(await refusalOf(signIn('wrong'))).toBe('401 INVALID_CREDENTIALS');
  });

  test('no credential is stored in clear', async () => {
    const { seller, agent } = await makePair(server);
    const { rows: stored } = await server.pool.query(
      `select a::text as text from agents a union all select s::text from sessions s
       union all select o::text from owners o union all select d::text from developer_tokens d
       union all select e::text from events e`,
    );
    const all = stored.map((row) => row.text).join('\n');
    for (const secret of [agent.key, seller.token, 'correct horse']) expect(all).not.toContain(secret);
  });
});

const suspendOwner = (email: string) =>
  server.pool.query(`update owners set status = 'suspended' where email = $1`, [email]);

let suspended: { id: string; key: string } | undefined;
async function suspendedAgent() {
  if (suspended) return suspended;
  const agent = await world.pair.seller.agent({ displayName: 'Suspended' });
  await server.pool.query(`update agents set status = 'suspended' where display_name = 'Suspended'`);
  suspended = agent;
  return agent;
}

let ofSuspendedOwner: { token: string; key: string } | undefined;
async function credentialsOfSuspendedOwner() {
  if (ofSuspendedOwner) return ofSuspendedOwner;
  const owner = await server.owner({ credits: 0 });
  const { token } = await owner.agora.auth.createToken({ name: 'ci' });
  const { key } = await owner.agent();
  await suspendOwner(owner.email);
  ofSuspendedOwner = { token, key };
  return ofSuspendedOwner;
}
const tokenOfSuspendedOwner = async () => (await credentialsOfSuspendedOwner()).token;
const keyOfSuspendedOwner = async () => (await credentialsOfSuspendedOwner()).key;
