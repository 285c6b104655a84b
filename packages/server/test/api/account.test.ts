import { createRequire } from 'node:module';
import { beforeEach, expect, test, vi } from 'vitest';
import { listMailCommand, showMailCommand } from '../../../cli/src/operator/mail.ts';
import { transaction } from '../../src/platform/index.ts';
import { until } from '../steps/world.ts';
import { makeOwner, type TestOwner } from '../support/harness.ts';
import * as mailed from './mailed.ts';
import { day, minute, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();
const hour = 60 * minute;
let owner: TestOwner;
beforeEach(async () => {
  owner = await makeOwner(server.client, 0);
});

const mailTo = (email: string) => mailed.mailTo(server, email);
const verification = (email: string) => mailed.verification(server, email);
const reset = (email: string) => mailed.askForReset(server, email);
const signIn = (email: string, password = 'correct horse') => server.client().auth.signIn({ email, password });
const isVerified = async () => (await owner.agora.auth.session()).owner.emailVerified;

test('an address is verified once, by the token that was mailed to it at sign-up', async () => {
  expect(await isVerified()).toBe(false);
  const token = await verification(owner.email);
  await server.client().auth.verifyEmail({ token });
  expect(await isVerified()).toBe(true);
  expect(await refusalOf(server.client().auth.verifyEmail({ token }))).toBe('400 MAILED_TOKEN_INVALID');
  expect(await refusalOf(owner.agora.auth.resendVerification())).toBe('400 WRONG_STATE');
});

test('no more than three tokens an hour are mailed, and each of them works', async () => {
  const first = await verification(owner.email);
  for (let nth = 0; nth < 4; nth++) await owner.agora.auth.resendVerification();
  expect(await mailTo(owner.email)).toHaveLength(3);
  await server.client().auth.verifyEmail({ token: first });
  expect(await isVerified()).toBe(true);
});

test('what development mails to an owner, its own session reads, the newest 20', async () => {
  const stranger = await server.owner({ credits: 0 });
  for (let nth = 0; nth < 21; nth++) {
    server.clock.advance(hour);
    await reset(owner.email);
  }
  const { catching, mails } = await owner.agora.auth.caughtMail();
  expect(catching).toBe(true);
  expect(mails).toHaveLength(20);
  const newest = (await mailTo(owner.email))[0];
  const { to, subject, text } = newest as NonNullable<typeof newest>;
  expect(mails[0]).toEqual({ to, subject, text, sentAt: server.clock.now().toISOString() });
  expect(mails.map((mail) => mail.sentAt)).toEqual([...mails.map((mail) => mail.sentAt)].sort().reverse());
  const others = (await stranger.agora.auth.caughtMail()).mails;
  expect(others.map((mail) => mail.to)).toEqual([stranger.email]);
});

test('mail is read by no developer token, and not where it is sent or where there is none', async () => {
  const { token } = await owner.agora.auth.createToken({ name: 'ci' });
  const byToken = server.client({ ownerToken: token }).auth.caughtMail();
  expect(await refusalOf(byToken)).toBe('400 WRONG_STATE');
  await verification(owner.email);
  const production = { AGORA_ENV: 'production' } as const;
  for (const given of [production, { SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'a@example.com' }]) {
    const { app, url } = await startSecondApp(server, { config: { ...server.config, ...given } });
    const there = owner.agora.withOptions({ baseUrl: url });
    expect(await there.auth.caughtMail().finally(() => app.close())).toEqual({ catching: false, mails: [] });
  }
});

test('the token of one purpose is none of another', async () => {
  const token = await verification(owner.email);
  expect(await refusalOf(server.client().auth.resetPassword({ token, password: 'another horse' }))).toBe(
    '400 MAILED_TOKEN_INVALID',
  );
});

test('a reset sets the password once, verifies the address, ends all sessions and says so by mail', async () => {
  const other = await signIn(owner.email);
  const token = await reset(owner.email);
  await server.client().auth.resetPassword({ token, password: 'another horse' });
  expect(await refusalOf(owner.agora.auth.session())).toBe('401 INVALID_SESSION');
  expect(await refusalOf(server.client({ ownerToken: other.token }).auth.session())).toBe('401 INVALID_SESSION');
  expect(await refusalOf(signIn(owner.email))).toBe('401 INVALID_CREDENTIALS');
  expect((await signIn(owner.email, 'another horse')).owner.emailVerified).toBe(true);
  expect((await mailTo(owner.email))[0]).toMatchObject({ subject: 'Your Agora password was changed' });
  const again = server.client().auth.resetPassword({ token, password: 'a third horse' });
  expect(await refusalOf(again)).toBe('400 MAILED_TOKEN_INVALID');
});

test('a token that resets is over after an hour, and when another was used', async () => {
  const [first, second] = [await reset(owner.email), await reset(owner.email)];
  expect(first).not.toBe(second);
  const old = await reset(owner.email);
  await server.client().auth.resetPassword({ token: old, password: 'another horse' });
  const use = (token: string) => refusalOf(server.client().auth.resetPassword({ token, password: 'a third horse' }));
  expect(await use(second)).toBe('400 MAILED_TOKEN_INVALID');
  server.clock.advance(hour);
  const late = await reset(owner.email);
  server.clock.advance(hour);
  expect(await use(late)).toBe('400 MAILED_TOKEN_INVALID');
});

test('of two resets with one token at two servers, one sets its password', async () => {
  const second = await startSecondApp(server);
  try {
    const token = await reset(owner.email);
    const tries = [server.url, second.url].map((url, nth) =>
      fetch(`${url}/api/v1/auth/password/reset`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token, password: `horse number ${nth}` }),
      }),
    );
    const statuses = (await Promise.all(tries)).map(({ status }) => status);
    expect([...statuses].sort()).toEqual([200, 400]);
    await signIn(owner.email, `horse number ${statuses.indexOf(200)}`);
  } finally {
    await second.app.close();
  }
});

test('only hashes of mailed tokens are stored, and none waits in the clear', async () => {
  await server.client().auth.forgotPassword({ email: owner.email });
  await server.app.run('auth.forgotPassword');
  const { rows } = await server.pool.query(`select payload::text from queued_jobs where kind = 'mail.send'`);
  expect(rows.length).toBeGreaterThan(0);
  for (const { payload } of rows) expect(payload).not.toMatch(/ac_mail_|@/);
  const token = await reset(owner.email);
  const stored = await server.pool.query('select encode(hash, $1) as hash from mailed_tokens', ['escape']);
  for (const { hash } of stored.rows) expect(hash).not.toContain(token);
});

test('the owner changes its password; its other sessions end, this one goes on', async () => {
  const other = await signIn(owner.email);
  const change = (currentPassword: string) =>
    owner.agora.auth.changePassword({ currentPassword, newPassword: 'another horse' });
  expect(await refusalOf(change('wrong horse'))).toBe('401 INVALID_CREDENTIALS');
  await change('correct horse');
  await owner.agora.auth.session();
  expect(await refusalOf(server.client({ ownerToken: other.token }).auth.session())).toBe('401 INVALID_SESSION');
  await signIn(owner.email, 'another horse');
});

test.each([
  ['signs in', () => signIn(owner.email)],
  [
    'changes the password',
    () => owner.agora.auth.changePassword({ currentPassword: 'correct horse', newPassword: 'another horse' }),
  ],
  ['begins a second factor', () => owner.agora.auth.beginTotp({ password: 'correct horse' })],
])('who %s by the old password, while a reset gives another, is refused', async (_, attempt) => {
  let refusal: Promise<string> | undefined;
  await transaction(server.pool, 'write', async (tx) => {
    await tx.query('select from owners where email = $1 for no key update', [owner.email]);
    refusal = refusalOf(attempt());
    await until('the attempt waits for the row', async () => {
      const { rows } = await server.pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return rows.length > 0;
    });
    await tx.query(`update owners set password_hash = 'of another' where email = $1`, [owner.email]);
  });
  expect(await refusal).toBe('401 INVALID_CREDENTIALS');
});

test('a stolen session cannot guess the password faster than sign-in could', async () => {
  const guess = () => owner.agora.auth.changePassword({ currentPassword: 'a guess', newPassword: 'another horse' });
  for (let nth = 0; nth < 5; nth++) expect(await refusalOf(guess())).toBe('401 INVALID_CREDENTIALS');
  expect(await refusalOf(guess())).toBe('429 RATE_LIMITED');
});

test('sessions are listed with this one marked, and end one by one or all but this', async () => {
  for (let nth = 0; nth < 3; nth++) await signIn(owner.email);
  const { data } = await owner.agora.auth.listSessions();
  expect(data).toHaveLength(4);
  expect(data.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  expect(data.every(({ userAgent }) => typeof userAgent === 'string')).toBe(true);
  const paged: string[] = [];
  for await (const { id } of owner.agora.auth.listSessions({ pageSize: 3 })) paged.push(id);
  expect(paged).toEqual(data.map(({ id }) => id));
  const another = data.find(({ isCurrent }) => !isCurrent)?.id as string;
  await owner.agora.auth.endSession(another);
  expect(await refusalOf(owner.agora.auth.endSession(another))).toBe('404 SESSION_NOT_FOUND');
  const stranger = await server.owner({ credits: 0 });
  const own = data.find(({ isCurrent }) => isCurrent)?.id as string;
  expect(await refusalOf(stranger.agora.auth.endSession(own))).toBe('404 SESSION_NOT_FOUND');
  await owner.agora.auth.endOtherSessions();
  expect((await owner.agora.auth.listSessions()).data.map(({ id }) => id)).toEqual([own]);
});

/** The names of the statements that a request sends, which is the work that its time could tell. */
async function workOf(request: () => Promise<unknown>): Promise<{ statements: string[]; reply: unknown }> {
  const { Client } = createRequire(import.meta.url)('pg') as typeof import('pg');
  const spy = vi.spyOn(Client.prototype, 'query');
  try {
    const reply = await request();
    const sent = spy.mock.calls.map(([query]) => (query as unknown as { name?: string }).name ?? String(query));
    // The server says at its own times that it lives.
    return { statements: sent.filter((name) => !name.startsWith('hosts_')), reply };
  } finally {
    spy.mockRestore();
  }
}

test('neither sign-in nor a forgotten password tells whether there is an account: reply and work are the same', async () => {
  const nobody = `nobody-${Date.now()}@example.com`;
  const wrong = (email: string) => workOf(() => refusalOf(signIn(email, 'wrong horse')));
  const known = await wrong(owner.email);
  expect(known.statements).toContain('auth_find_owner_by_email');
  expect(await wrong(nobody)).toEqual(known);
  const forgot = (email: string) =>
    workOf(async () => {
      const body = JSON.stringify({ email });
      const headers = { 'content-type': 'application/json' };
      const reply = await fetch(`${server.url}/api/v1/auth/password/forgot`, { method: 'POST', headers, body });
      return [reply.status, await reply.text()];
    });
  const asked = await forgot(owner.email);
  expect(asked.reply).toEqual([204, '']);
  expect(asked.statements).toContain('queued_jobs_enqueue');
  expect(await forgot(nobody)).toEqual(asked);
  expect(await mailTo(nobody)).toEqual([]);
});

test('a suspended owner gets no token', async () => {
  await server.pool.query(`update owners set status = 'suspended' where email = $1`, [owner.email]);
  await server.client().auth.forgotPassword({ email: owner.email });
  expect((await mailTo(owner.email)).filter(({ subject }) => /^Reset/.test(subject))).toEqual([]);
});

test('tokens that have ended are forgotten', async () => {
  await reset(owner.email);
  server.clock.advance(8 * day);
  await server.app.run('auth.purgeMailedTokens');
  expect((await server.pool.query('select from mailed_tokens')).rows).toEqual([]);
});

test('`agora mail` lists what development kept, and shows one', async () => {
  await mailTo(owner.email);
  vi.stubEnv('AGORA_DATA_DIR', server.dataDir);
  const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
  try {
    await listMailCommand({});
    const lines = String(print.mock.lastCall?.[0]).split('\n');
    const nth = lines.findIndex((line) => line.includes(owner.email)) + 1;
    expect(nth).toBeGreaterThan(0);
    await showMailCommand(String(nth), {});
    expect(print.mock.lastCall?.[0]).toMatch(/^From: .*\nTo: .*\nSubject: Verify.*\n\n[\s\S]*ac_mail_/);
    await showMailCommand(String(nth), { json: true });
    expect(JSON.parse(print.mock.lastCall?.[0])).toMatchObject({ to: owner.email });
    await expect(showMailCommand('0', {})).rejects.toThrow('There is no mail 0');
  } finally {
    print.mockRestore();
    vi.unstubAllEnvs();
  }
});
