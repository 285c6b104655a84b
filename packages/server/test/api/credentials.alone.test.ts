import { signInTries } from '@agora-market/contract';
import { verify } from '@node-rs/argon2';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { readConfig } from '../../src/platform/index.ts';
import { makePair, type Pair, type SecondApp, serverForFile, startSecondApp } from './scene.ts';
import { watchReplies } from './watch.ts';

/** Who guesses credentials pays for it, and nobody else does. */

vi.mock('@node-rs/argon2', async (importOriginal) => {
  const real = await importOriginal<typeof import('@node-rs/argon2')>();
  return { ...real, verify: vi.fn(real.verify) };
});

const server = serverForFile();
let limited: SecondApp;
let pair: Pair;
let endWatch: () => string[];
beforeAll(async () => {
  pair = await makePair(server);
  const { TRUST_PROXY } = readConfig({ TRUST_PROXY: 'true' });
  const config = { ...server.config, TRUST_PROXY, RATE_LIMIT_PUBLIC: 60, RATE_LIMIT_AUTH: 1000 };
  limited = await startSecondApp(server, { config });
  endWatch = watchReplies(limited.url);
});
afterAll(async () => {
  const faults = endWatch();
  await limited.app.close();
  expect(faults).toEqual([]);
});

const me = async (key: string, address: string) => {
  const headers = { 'x-api-key': key, 'x-forwarded-for': address };
  return (await fetch(`${limited.url}/api/v1/agents/me`, { headers })).status;
};

/** Keys that the database was asked about. */
function lookUps(): () => number {
  const query = vi.spyOn(limited.app.pool, 'query');
  return () => {
    const asked = query.mock.calls.flatMap(([given]) => {
      const { name, values } = given as unknown as { name?: string; values?: unknown[] };
      return name === 'registry_load_keys' ? (values?.[0] as string[]) : [];
    });
    query.mockRestore();
    return asked.length;
  };
}

test('300 wrong keys at once cost no more look-ups than their address may try', async () => {
  const count = lookUps();
  const tries = await Promise.all(Array.from({ length: 300 }, (_, nth) => me(`ac_live_wrong${nth}`, '198.51.100.1')));
  expect(tries.filter((status) => status === 401)).toHaveLength(60);
  expect(tries.filter((status) => status === 429)).toHaveLength(240);
  // Those under way when the last of the limit was taken were already asked about.
  expect(count()).toBeLessThanOrEqual(60 + 7);
});

test('behind an address that others have used up, who was let in lately still is; who was not waits', async () => {
  const address = '198.51.100.2';
  expect(await me(pair.agent.key, address)).toBe(200);
  await Promise.all(Array.from({ length: 70 }, (_, nth) => me(`ac_live_other${nth}`, address)));
  expect(await me(pair.agent.key, address)).toBe(200);
  const newcomer = await pair.seller.agent();
  expect(await me(newcomer.key, address)).toBe(429);
  expect(await me(newcomer.key, '198.51.100.3')).toBe(200);
});

test('many good credentials that come at once from one address are all let in', async () => {
  const fleet = await server.owner({ credits: 0 });
  const agents = await Promise.all(Array.from({ length: 9 }, () => fleet.agent()));
  const { token } = await server.owner({ credits: 0 });
  const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '198.51.100.4' };
  const owner = () => fetch(`${limited.url}/api/v1/vault/pool`, { headers }).then(({ status }) => status);
  const all = agents.flatMap(({ key }) => Array.from({ length: 8 }, () => me(key, '198.51.100.4')));
  expect(new Set(await Promise.all([...all, owner(), owner()]))).toEqual(new Set([200]));
});

test('a key that was good and is rotated is refused at once, and its next tries count', async () => {
  const owner = await server.owner({ credits: 0 });
  const agent = await owner.agent();
  const address = '198.51.100.5';
  expect(await me(agent.key, address)).toBe(200);
  await owner.agora.agents.rotateKey(agent.id);
  expect(await me(agent.key, address)).toBe(401);
  const tries = await Promise.all(Array.from({ length: 80 }, () => me(agent.key, address)));
  expect(tries.filter((status) => status === 401)).toHaveLength(59);
});

const signIn = async (email: string, password: string, address: string, { url } = limited) => {
  const response = await fetch(`${url}/api/v1/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email, password }),
  });
  // How long to wait depends on when it was asked.
  const timeless = (key: string, value: unknown) => (key === 'retryAfter' ? typeof value : value);
  const { error } = JSON.parse(await response.text(), timeless) as { error?: { code: string; message: string } };
  const names = [...response.headers.keys()].sort();
  return {
    status: response.status,
    error: error && { ...error, message: error.message.replace(/\d+ s/, 'n s') },
    names,
  };
};

test('one address has few wrong tries at an account; the answers are the same where there is none', async () => {
  const { email } = await server.owner({ credits: 0 });
  const answers = async (account: string) => {
    const all: Awaited<ReturnType<typeof signIn>>[] = [];
    for (let nth = 0; nth <= signInTries.fromAddress.limit; nth++)
      all.push(await signIn(account, 'wrong', '203.0.113.1'));
    return all;
  };
  const there = await answers(email);
  expect(there.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 429]);
  expect(there.at(-1)?.names).toContain('retry-after');
  expect(await answers('nobody@example.com')).toEqual(there);
});

test('many addresses together have few tries a minute; the owner still gets in from where they did before', async () => {
  const { email } = await server.owner({ credits: 0 });
  expect((await signIn(email, 'correct horse', '203.0.113.10')).status).toBe(200);
  const strangers = Array.from({ length: signInTries.ofAccount.limit }, (_, nth) => `203.0.113.${100 + nth}`);
  for (const address of strangers) expect((await signIn(email, 'wrong', address)).status).toBe(401);
  expect((await signIn(email, 'wrong', '203.0.113.200')).status).toBe(429);
  expect((await signIn(email, 'correct horse', '203.0.113.201')).status).toBe(429);
  expect((await signIn(email, 'correct horse', '203.0.113.10')).status).toBe(200);
  // Another account is not affected.
  const other = await server.owner({ credits: 0 });
  expect((await signIn(other.email, 'correct horse', '203.0.113.201')).status).toBe(200);
});

test('signing in correctly is never slowed down', async () => {
  const { email } = await server.owner({ credits: 0 });
  for (let nth = 0; nth < 12; nth++) expect((await signIn(email, 'correct horse', '203.0.113.50')).status).toBe(200);
});

test('where addresses are not limited, tries at one account are all the same', async () => {
  expect(server.config.RATE_LIMIT_AUTH).toBe(0);
  const { email } = await server.owner({ credits: 0 });
  const statuses = [];
  for (let nth = 0; nth <= signInTries.fromAddress.limit; nth++)
    statuses.push((await signIn(email, 'wrong', '203.0.113.60', server)).status);
  expect(statuses).toEqual([401, 401, 401, 401, 401, 429]);
});

test('an attempt at a missing account costs the same look-ups and password work as one at an existing account', async () => {
  const { email } = await server.owner({ credits: 0 });
  const suspended = await server.owner({ credits: 0 });
  await server.pool.query(`update owners set status = 'suspended' where email = $1`, [suspended.email]);
  const query = vi.spyOn(limited.app.pool, 'query');
  /** What was asked of the database, and how costly the hash was that the password was compared with. */
  const workFor = async (account: string) => {
    query.mockClear();
    vi.mocked(verify).mockClear();
    expect((await signIn(account, 'wrong', '203.0.113.70')).status).toBe(401);
    const asked = query.mock.calls.map(([given]) => (given as unknown as { name?: string }).name);
    const costs = vi.mocked(verify).mock.calls.map(([hash]) => String(hash).split('$').slice(0, 4).join('$'));
    return { asked: asked.filter((name) => name?.startsWith('auth_')), costs };
  };
  try {
    const there = await workFor(email);
    expect(there).toEqual({
      asked: ['auth_find_owner_by_email'],
      costs: [expect.stringMatching(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=\d+$/)],
    });
    expect(await workFor('nobody-at-all@example.com')).toEqual(there);
    expect(await workFor(suspended.email)).toEqual(there);
  } finally {
    query.mockRestore();
  }
});
