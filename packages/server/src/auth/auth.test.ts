import { toId } from '@agora-market/contract';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { databaseForFile } from '../../test/support/database.ts';
import { codeOf, createInvoke, type Invoke, silentLog } from '../../test/support/invoke.ts';
import { manualClock, newUuid, type OwnerCaller } from '../platform/index.ts';
import { createOwnerAuthentication } from './authentication.ts';
import type { Captcha } from './captcha.ts';
import { authRoutes } from './routes.ts';
import { signInDeps } from './sign-in.ts';

const idleMs = 604_800_000;
const password = 'correct horse battery';

const { pool } = await databaseForFile();
let clock: ReturnType<typeof manualClock>;
let invoke: Invoke;
let authenticate: (header: string) => Promise<OwnerCaller>;
let counter = 0;

beforeEach(() => {
  clock = manualClock('2026-03-01T12:00:00.000Z');
  const mail = { isOn: false, caught: null, queue: async () => undefined, handlers: [], jobs: [] };
  const config = {
    SESSION_IDLE_MS: idleMs,
    PUBLIC_URL: undefined,
    HOST: '127.0.0.1',
    PORT: 4000,
    AGORA_ENCRYPTION_KEY: 'a key for tests',
    AGORA_DATA_DIR: '.',
    EMAIL_VERIFICATION: 'off' as const,
  };
  const captcha: Captcha = { siteKey: null, pass: async () => undefined, close: async () => undefined };
  const deps = { pool, clock, config, log: silentLog, mail, captcha };
  const credentials = { list: async () => [], end: async () => undefined };
  invoke = createInvoke(deps, authRoutes({ ...signInDeps(deps), credentials }));
  authenticate = createOwnerAuthentication(deps);
});

async function newOwner() {
  const email = `owner${++counter}@example.com`;
  const { owner, token } = await invoke('auth.signUp', { body: { name: 'Ada', email, password } });
  return { email, owner, token, caller: await authenticate(`Bearer ${token}`) };
}

const suspend = (email: string) => pool.query(`update owners set status = 'suspended' where email = $1`, [email]);

describe('sign-up', () => {
  test('answers with the owner and a session that works at once', async () => {
    const body = { name: 'Ada', email: 'Ada@Example.com', password };
    const { owner, token, expiresAt } = await invoke('auth.signUp', { body });
    expect(owner).toMatchObject({ email: 'ada@example.com', status: 'active', plan: 'free' });
    expect(token).toMatch(/^ac_sess_[\w-]{43}$/);
    expect(expiresAt).toBe('2026-03-08T12:00:00.000Z');
    expect(await authenticate(`Bearer ${token}`)).toMatchObject({ kind: 'owner', plan: 'free' });
  });

  test('writes its event and stores neither password nor token', async () => {
    const { email, token, caller } = await newOwner();
    const events = await pool.query('select type, owner_id from events where owner_id = $1', [caller.ownerId]);
    expect(events.rows).toEqual([
      { type: 'owner.registered', owner_id: caller.ownerId },
      { type: 'session.started', owner_id: caller.ownerId },
    ]);
    const stored = await pool.query(
      `select o::text || s::text as text, o.password_hash
       from owners o join sessions s on s.owner_id = o.id where o.email = $1`,
      [email],
    );
    expect(stored.rows[0].password_hash).toMatch(/^\$argon2id\$v=19\$/);
    expect(stored.rows[0].text).not.toContain(password);
    expect(stored.rows[0].text).not.toContain(token);
  });

  test('a taken e-mail is DUPLICATE, in whatever case it is written', async () => {
    const { email } = await newOwner();
    const body = { name: 'Eve', email: email.toUpperCase(), password };
    expect(await codeOf(invoke('auth.signUp', { body }))).toBe('DUPLICATE');
  });

  test('of two sign-ups at once with one e-mail exactly one succeeds', async () => {
    const body = { name: 'Twin', email: 'twin@example.com', password };
    const codes = await Promise.all([1, 2].map(() => codeOf(invoke('auth.signUp', { body }))));
    expect(codes.sort()).toEqual(['DUPLICATE', 'none']);
    const { rows } = await pool.query(`select count(*) as n from owners where email = 'twin@example.com'`);
    expect(rows[0].n).toBe(1);
  });
});

describe('sign-in', () => {
  test('gives a second session beside the first', async () => {
    const { email, token } = await newOwner();
    const again = await invoke('auth.signIn', { body: { email: email.toUpperCase(), password } });
    expect(again.token).not.toBe(token);
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('none');
    expect(await codeOf(authenticate(`Bearer ${again.token}`))).toBe('none');
  });

  test('a wrong password and an unknown e-mail are the same INVALID_CREDENTIALS', async () => {
    const { email } = await newOwner();
    const wrong = codeOf(invoke('auth.signIn', { body: { email, password: `${password}!` } }));
    const unknown = codeOf(invoke('auth.signIn', { body: { email: 'nobody@example.com', password } }));
    expect(await Promise.all([wrong, unknown])).toEqual(['INVALID_CREDENTIALS', 'INVALID_CREDENTIALS']);
  });

  test('a suspended owner is told so only with the right password', async () => {
    const { email } = await newOwner();
    await suspend(email);
    expect(await codeOf(invoke('auth.signIn', { body: { email, password } }))).toBe('OWNER_SUSPENDED');
    expect(await codeOf(invoke('auth.signIn', { body: { email, password: 'wrong' } }))).toBe('INVALID_CREDENTIALS');
  });

  test("clears the owner's ended sessions away", async () => {
    const { email, caller } = await newOwner();
    clock.advance(idleMs);
    await invoke('auth.signIn', { body: { email, password } });
    const { rows } = await pool.query('select count(*) as n from sessions where owner_id = $1', [caller.ownerId]);
    expect(rows[0].n).toBe(1);
  });
});

describe('owner authentication', () => {
  test.each([
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    'Bearer abc',
    `Bearer ac_sess_${'x'.repeat(43)}`,
    `Bearer ac_dev_${'x'.repeat(43)}`,
    `Bearer ac_live_${'x'.repeat(43)}`,
    `Bearer tst_${'x'.repeat(43)}`,
  ])('"%s" is INVALID_SESSION', async (header) => {
    expect(await codeOf(authenticate(header))).toBe('INVALID_SESSION');
  });

  test('the scheme is read in any case', async () => {
    const { token } = await newOwner();
    expect(await codeOf(authenticate(`bearer ${token}`))).toBe('none');
  });

  test('a session ends after exactly the idle time, not a millisecond before', async () => {
    const { token } = await newOwner();
    clock.advance(idleMs - 1);
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('none');
    const { token: other } = await newOwner();
    clock.advance(idleMs);
    expect(await codeOf(authenticate(`Bearer ${other}`))).toBe('INVALID_SESSION');
  });

  test('every use moves the end of a session, so that one in use never ends', async () => {
    const { token } = await newOwner();
    for (let week = 0; week < 3; week++) {
      clock.advance(idleMs - 1000);
      const { credential } = await authenticate(`Bearer ${token}`);
      expect(credential).toMatchObject({ expiresAt: new Date(clock.now().getTime() + idleMs).toISOString() });
    }
    clock.advance(idleMs);
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('INVALID_SESSION');
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('INVALID_SESSION');
  });

  test('a session in steady use is written once a minute at most', async () => {
    const { token, caller } = await newOwner();
    const version = async () =>
      (await pool.query('select xmin::text from sessions where owner_id = $1', [caller.ownerId])).rows[0].xmin;
    const first = await version();
    clock.advance(59_999);
    await authenticate(`Bearer ${token}`);
    expect(await version()).toBe(first);
    clock.advance(1);
    await authenticate(`Bearer ${token}`);
    expect(await version()).not.toBe(first);
  });

  test('many callers of one turn share a statement and each gets its own owner', async () => {
    const owners = await Promise.all(Array.from({ length: 8 }, newOwner));
    const query = vi.spyOn(pool, 'query');
    const callers = await Promise.all(owners.map(({ token }) => authenticate(`Bearer ${token}`)));
    expect(callers.map((caller) => toId('owner', caller.ownerId))).toEqual(owners.map(({ owner }) => owner.id));
    expect(query).toHaveBeenCalledTimes(1);
    query.mockRestore();
  });

  test('a suspended owner is OWNER_SUSPENDED from the next request on', async () => {
    const { email, token, caller } = await newOwner();
    const { token: developerToken } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    await suspend(email);
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('OWNER_SUSPENDED');
    expect(await codeOf(authenticate(`Bearer ${developerToken}`))).toBe('OWNER_SUSPENDED');
  });

  test('the session of an owner who is gone is INVALID_SESSION', async () => {
    const { token, caller } = await newOwner();
    await pool.query('delete from owners where id = $1', [caller.ownerId]);
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('INVALID_SESSION');
  });
});

describe('sign-out and session', () => {
  test('sign-out ends this session at once and no other', async () => {
    const { email, token, caller } = await newOwner();
    const other = await invoke('auth.signIn', { body: { email, password } });
    await invoke('auth.signOut', { caller });
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('INVALID_SESSION');
    expect(await codeOf(authenticate(`Bearer ${other.token}`))).toBe('none');
  });

  test('signing out with a developer token is WRONG_STATE', async () => {
    const { caller } = await newOwner();
    const { token } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    const byToken = await authenticate(`Bearer ${token}`);
    expect(await codeOf(invoke('auth.signOut', { caller: byToken }))).toBe('WRONG_STATE');
  });

  test('tells a session its end and a developer token that it has none', async () => {
    const { owner, caller } = await newOwner();
    expect(await invoke('auth.session', { caller })).toEqual({ owner, expiresAt: '2026-03-08T12:00:00.000Z' });
    const { token } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    const byToken = await authenticate(`Bearer ${token}`);
    expect(await invoke('auth.session', { caller: byToken })).toEqual({ owner, expiresAt: null });
  });
});

describe('developer tokens', () => {
  test('a token is shown once, works, and only its hash is stored', async () => {
    const { caller } = await newOwner();
    const made = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    expect(made.token).toMatch(/^ac_dev_[\w-]{43}$/);
    expect(made.token.startsWith(made.tokenPrefix)).toBe(true);
    expect(await authenticate(`Bearer ${made.token}`)).toMatchObject({ ownerId: caller.ownerId });
    const { data } = await invoke('auth.listTokens', { caller });
    expect(data).toMatchObject([{ id: made.id, name: 'ci', tokenPrefix: made.tokenPrefix }]);
    expect(JSON.stringify(data)).not.toContain(made.token);
    const { rows } = await pool.query('select t::text as text from developer_tokens t');
    expect(rows.map((row) => row.text).join()).not.toContain(made.token);
  });

  test('a revoked token is refused from the next request on', async () => {
    const { caller } = await newOwner();
    const { id, token } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    await invoke('auth.revokeToken', { caller, params: { tokenId: id } });
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('INVALID_SESSION');
    expect(await codeOf(invoke('auth.revokeToken', { caller, params: { tokenId: id } }))).toBe('TOKEN_NOT_FOUND');
  });

  test("another owner's, an unknown and a malformed token id are TOKEN_NOT_FOUND", async () => {
    const [{ caller }, stranger] = [await newOwner(), await newOwner()];
    const { id, token } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    for (const tokenId of [id, toId('token', newUuid(clock)), 'tkn_x', toId('agent', newUuid(clock))]) {
      expect(await codeOf(invoke('auth.revokeToken', { caller: stranger.caller, params: { tokenId } }))).toBe(
        'TOKEN_NOT_FOUND',
      );
    }
    expect(await codeOf(authenticate(`Bearer ${token}`))).toBe('none');
  });

  test('tokens are listed newest first, page by page, each once', async () => {
    const { caller } = await newOwner();
    for (const name of ['a', 'b', 'c']) {
      clock.advance(1);
      await invoke('auth.createToken', { caller, body: { name } });
    }
    const first = await invoke('auth.listTokens', { caller, query: { pageSize: 2 } });
    expect(first.data.map((token) => token.name)).toEqual(['c', 'b']);
    const second = await invoke('auth.listTokens', { caller, query: { cursor: first.pagination.nextCursor } });
    expect(second).toMatchObject({ data: [{ name: 'a' }], pagination: { nextCursor: null } });
    expect(await codeOf(invoke('auth.listTokens', { caller, query: { cursor: 'x' } }))).toBe('VALIDATION_ERROR');
  });

  test('the last use is noted, once a minute at most', async () => {
    const { caller } = await newOwner();
    const { token } = await invoke('auth.createToken', { caller, body: { name: 'ci' } });
    const lastUse = async () => (await invoke('auth.listTokens', { caller })).data[0]?.lastUsedAt;
    expect(await lastUse()).toBeNull();
    await authenticate(`Bearer ${token}`);
    await expect.poll(lastUse).toBe('2026-03-01T12:00:00.000Z');
    clock.advance(59_999);
    await authenticate(`Bearer ${token}`);
    clock.advance(1);
    await authenticate(`Bearer ${token}`);
    await expect.poll(lastUse).toBe('2026-03-01T12:01:00.000Z');
  });
});
