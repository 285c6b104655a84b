import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../test/support/harness.ts';

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});

afterAll(() => server.close());

const password = 'correct horse';

async function send(method: string, path: string, options: { body?: unknown; headers?: Record<string, string> } = {}) {
  const text = typeof options.body === 'string' ? options.body : JSON.stringify(options.body);
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method,
    headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...options.headers },
    ...(text !== undefined && { body: text }),
  });
  const reply = await response.text();
  return { status: response.status, headers: response.headers, body: reply === '' ? null : JSON.parse(reply) };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('the way of an account', () => {
  test('sign-up is 201, sign-in 200, session 200, sign-out 204 and then 401', async () => {
    const email = 'way@example.com';
    const up = await send('POST', '/auth/sign-up', { body: { name: 'Ada', email, password } });
    expect(up).toMatchObject({ status: 201, body: { owner: { email, plan: 'free' } } });
    const signedIn = await send('POST', '/auth/sign-in', { body: { email, password } });
    expect(signedIn.status).toBe(200);
    const headers = bearer(signedIn.body.token);
    expect(await send('GET', '/auth/session', { headers })).toMatchObject({ status: 200, body: { owner: { email } } });
    expect((await send('POST', '/auth/sign-out', { headers })).status).toBe(204);
    expect(await send('GET', '/auth/session', { headers })).toMatchObject({
      status: 401,
      body: { success: false, error: { code: 'INVALID_SESSION' } },
    });
  });

  test('a password fits however the keyboard writes its signs', async () => {
    const [composed, decomposed] = ['Grüße, schöne Welt', 'Grüße, schöne Welt'.normalize('NFD')];
    expect(decomposed).not.toBe(composed);
    for (const [email, first, then] of [
      ['nfc@example.com', composed, decomposed],
      ['nfd@example.com', decomposed, composed],
    ]) {
      await send('POST', '/auth/sign-up', { body: { name: 'Ada', email, password: first } });
      expect((await send('POST', '/auth/sign-in', { body: { email, password: then } })).status).toBe(200);
      const wrong = await send('POST', '/auth/sign-in', { body: { email, password: 'Grusse, schone Welt' } });
      expect(wrong.status).toBe(401);
    }
  });

  test('a taken e-mail is 409, a wrong password 401', async () => {
    const { email } = await server.owner({ credits: 0 });
    const again = await send('POST', '/auth/sign-up', { body: { name: 'Eve', email, password } });
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'DUPLICATE' } } });
    const wrong = await send('POST', '/auth/sign-in', { body: { email, password: 'wrong' } });
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: 'INVALID_CREDENTIALS' } } });
  });

  test('a developer token works wherever a session does, and not after its revocation', async () => {
    const owner = await server.owner({ credits: 0 });
    const made = await send('POST', '/auth/tokens', { body: { name: 'ci' }, headers: bearer(owner.token) });
    expect(made.status).toBe(201);
    const headers = bearer(made.body.token);
    expect((await send('GET', '/vault/pool', { headers })).status).toBe(200);
    expect(await send('POST', '/auth/sign-out', { headers })).toMatchObject({
      status: 400,
      body: { error: { code: 'WRONG_STATE' } },
    });
    const path = `/auth/tokens/${made.body.id}`;
    expect((await send('DELETE', path, { headers })).status).toBe(204);
    expect((await send('GET', '/vault/pool', { headers })).status).toBe(401);
    expect(await send('DELETE', path, { headers: bearer(owner.token) })).toMatchObject({
      status: 404,
      body: { error: { code: 'TOKEN_NOT_FOUND' } },
    });
  });

  test('a session ends after seven days without use', async () => {
    const owner = await server.owner({ credits: 0 });
    server.clock.advance(7 * 86_400_000 - 1);
    expect((await send('GET', '/auth/session', { headers: bearer(owner.token) })).status).toBe(200);
    server.clock.advance(7 * 86_400_000);
    expect((await send('GET', '/auth/session', { headers: bearer(owner.token) })).status).toBe(401);
  });
});

describe('who is let in', () => {
  test.each(['/auth/session', '/auth/tokens', '/agents', '/vault/pool'])(
    '%s without credentials is 401',
    async (path) => {
      const reply = await send('GET', path);
      expect(reply).toMatchObject({ status: 401, body: { error: { code: 'MISSING_CREDENTIALS' } } });
    },
  );

  test("an agent's key opens no owner operation, nor a session an agent's", async () => {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    expect((await send('GET', '/vault/pool', { headers: { 'x-api-key': agent.key } })).status).toBe(401);
    expect((await send('GET', '/vault/pool', { headers: bearer(agent.key) })).status).toBe(401);
    expect((await send('GET', '/agents/me', { headers: bearer(owner.token) })).status).toBe(401);
    expect((await send('GET', '/agents/me', { headers: { 'x-api-key': owner.token } })).status).toBe(401);
  });

  test('a suspended owner is 403 with session, with sign-in and through its agents', async () => {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    await server.pool.query(`update owners set status = 'suspended' where email = $1`, [owner.email]);
    const replies = await Promise.all([
      send('GET', '/auth/session', { headers: bearer(owner.token) }),
      send('POST', '/auth/sign-in', { body: { email: owner.email, password } }),
      send('GET', '/agents/me', { headers: { 'x-api-key': agent.key } }),
    ]);
    for (const reply of replies) {
      expect(reply).toMatchObject({ status: 403, body: { error: { code: 'OWNER_SUSPENDED' } } });
    }
  });
});

describe('bad input', () => {
  const good = { name: 'Ada', email: 'bad-input@example.com', password };

  test.each<[string, unknown, string]>([
    ['no e-mail', { ...good, email: undefined }, 'email'],
    ['no address', { ...good, email: 'ada' }, 'email'],
    ['a short password', { ...good, password: '1234567' }, 'password'],
    ['a blank name', { ...good, name: '   ' }, 'name'],
    ['a name of another type', { ...good, name: 7 }, 'name'],
    ['an unknown field', { ...good, plan: 'enterprise' }, 'plan'],
    ['a NUL', { ...good, name: 'a\u0000' }, 'name'],
    ['a lone surrogate', '{"name":"\\ud800","email":"bad-input@example.com","password":"correct horse"}', 'name'],
  ])('sign-up with %s is 400 and names the field', async (_what, body, path) => {
    const reply = await send('POST', '/auth/sign-up', { body });
    expect(reply).toMatchObject({ status: 400, body: { error: { code: 'VALIDATION_ERROR' } } });
    expect(reply.body.error.details.fields[0].path).toBe(path);
  });

  test('none of them made an account', async () => {
    const { rows } = await server.pool.query('select 1 from owners where email = $1', [good.email]);
    expect(rows).toEqual([]);
  });

  test.each(['x', 'bnVsbA', '%00'])('the cursor %s is 400 and names itself', async (cursor) => {
    const owner = await server.owner({ credits: 0 });
    const reply = await send('GET', `/auth/tokens?cursor=${cursor}`, { headers: bearer(owner.token) });
    expect(reply).toMatchObject({ status: 400, body: { error: { details: { fields: [{ path: 'cursor' }] } } } });
  });
});

test('a sign-up repeated under its Idempotency-Key gets the same session and makes one account', async () => {
  const body = { name: 'Ada', email: 'keyed@example.com', password };
  const headers = { 'idempotency-key': 'sign-up-1' };
  const [one, two] = await Promise.all([
    send('POST', '/auth/sign-up', { body, headers }),
    send('POST', '/auth/sign-up', { body, headers }),
  ]);
  expect([one.status, two.status]).toEqual([201, 201]);
  expect(two.body).toEqual(one.body);
});
