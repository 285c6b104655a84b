import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';

/** The owner's session in a browser's cookie. */

const server = serverForFile();
const password = 'correct horse';
const ownPage = { 'sec-fetch-site': 'same-origin' };

async function call(method: string, path: string, headers: Record<string, string>, body?: object, url = server.url) {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { ...(body && { 'content-type': 'application/json' }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const json = (text === '' ? null : JSON.parse(text)) as { error?: { code: string }; token?: string | null } | null;
  return {
    status: response.status,
    setCookie: response.headers.get('set-cookie'),
    headers: response.headers,
    text,
    json,
  };
}

/** What a browser sends back of a `Set-Cookie`. */
const kept = (setCookie: string | null) => ({ cookie: (setCookie ?? '').split(';')[0] as string });

async function signedIn() {
  const { email } = await server.owner({ credits: 0 });
  const { setCookie } = await call('POST', '/auth/sign-in', ownPage, { email, password, cookie: true });
  return { email, cookie: kept(setCookie) };
}

const makeToken = (headers: Record<string, string>) => call('POST', '/auth/tokens', headers, { name: 'ci' });

describe('signing up and in with a cookie', () => {
  test('gives the session in a cookie that no script can read, and not in the reply', async () => {
    const body = { name: 'Ada', email: 'cookie@example.com', password, cookie: true };
    const up = await call('POST', '/auth/sign-up', ownPage, body);
    const back = await call('POST', '/auth/sign-in', ownPage, { email: body.email, password, cookie: true });
    expect([up.status, back.status]).toEqual([201, 200]);
    for (const { setCookie, json, text, headers } of [up, back]) {
      expect(setCookie).toMatch(
        /^agora-session=ac_sess_[\w-]{43}; Max-Age=34560000; Path=\/; HttpOnly; SameSite=Strict$/,
      );
      expect(json?.token).toBeNull();
      expect(text).not.toContain('ac_sess_');
      expect(headers.get('cache-control')).toBe('no-store');
      expect((await call('GET', '/auth/session', kept(setCookie))).status).toBe(200);
    }
  });

  test('sets no cookie unless the caller asks for one', async () => {
    const { email } = await server.owner({ credits: 0 });
    const { setCookie, json } = await call('POST', '/auth/sign-in', ownPage, { email, password });
    expect([setCookie, json?.token]).toEqual([null, expect.stringMatching(/^ac_sess_/)]);
  });

  test('gives the same cookie to a repeated request under its Idempotency-Key', async () => {
    const { email } = await server.owner({ credits: 0 });
    const body = { email, password, cookie: true };
    const headers = { ...ownPage, 'idempotency-key': 'sign-in' };
    const [first, again] = [
      await call('POST', '/auth/sign-in', headers, body),
      await call('POST', '/auth/sign-in', headers, body),
    ];
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect([again.setCookie, again.text]).toEqual([first.setCookie, first.text]);
    expect(first.setCookie).toContain('ac_sess_');
  });

  test('is refused to another site, which would sign its visitors in to an account of its own', async () => {
    const { email } = await server.owner({ credits: 0 });
    const refused = await call(
      'POST',
      '/auth/sign-in',
      { origin: 'https://evil.example' },
      { email, password, cookie: true },
    );
    expect([refused.status, refused.json?.error?.code, refused.setCookie]).toEqual([403, 'CROSS_SITE_REQUEST', null]);
  });
});

describe('a change with the cookie', () => {
  test('is made for a page of our own', async () => {
    const { cookie } = await signedIn();
    for (const from of [ownPage, { origin: server.url }]) {
      expect((await makeToken({ ...cookie, ...from })).status).toBe(201);
    }
    expect((await call('DELETE', '/auth/tokens/tkn_x', { ...cookie, ...ownPage })).status).toBe(404);
  });

  test('is refused where another site, or nobody, says where it comes from', async () => {
    const { cookie } = await signedIn();
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      // What the browser says by itself counts for more than the origin.
      { 'sec-fetch-site': 'cross-site', origin: server.url },
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: `${server.url}.evil.example` },
      { origin: server.url.replace('http:', 'https:') },
      { referer: server.url },
    ];
    for (const from of foreign) {
      for (const [method, path, body] of [
        ['POST', '/auth/tokens', { name: 'ci' }],
        ['POST', '/auth/sign-out', undefined],
        ['DELETE', '/auth/tokens/tkn_x', undefined],
        ['PUT', '/vault/pool/auto-top-up', { enabled: false, threshold: 0, reloadAmount: 500 }],
        ['POST', '/tasks/quote', {}],
      ] as const) {
        const { status, json } = await call(method, path, { ...cookie, ...from }, body);
        expect([path, from, status, json?.error?.code]).toEqual([path, from, 403, 'CROSS_SITE_REQUEST']);
      }
    }
    const { rows } = await server.pool.query('select 1 from developer_tokens where name = $1', ['ci']);
    expect(rows).toHaveLength(2);
    // Reading changes nothing, and the browser keeps the reply from the other site.
    expect((await call('GET', '/auth/session', { ...cookie, 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });

  test('with a token in Authorization asks for no origin, and the token decides who it is', async () => {
    const { cookie } = await signedIn();
    const other = await server.owner({ credits: 0 });
    const headers = { ...cookie, authorization: `Bearer ${other.token}`, 'sec-fetch-site': 'cross-site' };
    expect((await makeToken(headers)).status).toBe(201);
    expect((await call('GET', '/auth/session', headers)).text).toContain(other.email);
    const wrong = { ...cookie, ...ownPage, authorization: 'Bearer ac_sess_wrong' };
    expect((await call('GET', '/auth/session', wrong)).status).toBe(401);
  });
});

describe('the end of a session in a cookie', () => {
  const cleared = 'agora-session=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict';

  test('comes with signing out: the cookie goes, and opens nothing any more', async () => {
    const { cookie } = await signedIn();
    const out = await call('POST', '/auth/sign-out', { ...cookie, ...ownPage });
    expect([out.status, out.setCookie]).toEqual([204, cleared]);
    const after = await call('GET', '/auth/session', cookie);
    expect([after.status, after.json?.error?.code, after.setCookie]).toEqual([401, 'INVALID_SESSION', cleared]);
  });

  test('comes after a week without use', async () => {
    const { cookie } = await signedIn();
    server.clock.advance(7 * 86_400_000);
    const { status, setCookie } = await call('GET', '/auth/session', cookie);
    expect([status, setCookie]).toEqual([401, cleared]);
  });

  test('leaves the cookie alone where a header was what did not open', async () => {
    const owner = await server.owner({ credits: 0 });
    const authorization = `Bearer ${owner.token}`;
    expect((await call('POST', '/auth/sign-out', { authorization })).setCookie).toBeNull();
    expect((await call('GET', '/auth/session', { authorization })).setCookie).toBeNull();
  });

  test.each(['ac_sess_x', '', '%00', 'a b', '%zz', 'x'.repeat(5000)])('never began for %j', async (value) => {
    const { status } = await call('GET', '/auth/session', { cookie: `a=b; agora-session=${value}` });
    expect(status).toBe(401);
  });

  test('other cookies are none of ours', async () => {
    const { json, setCookie } = await call('GET', '/auth/session', { cookie: 'theirs=1; agora=2' });
    expect([json?.error?.code, setCookie]).toEqual(['MISSING_CREDENTIALS', null]);
    expect((await call('GET', '/agents', { cookie: 'theirs=1' })).status).toBe(401);
  });
});

describe('behind https', () => {
  const places: [string, string][] = [
    ['https://agora.example', '__Host-agora-session'],
    ['https://example.com/agora', '__Secure-agora-session'],
  ];
  const apps = new Map<string, SecondApp>();
  beforeAll(async () => {
    for (const [PUBLIC_URL] of places) {
      apps.set(PUBLIC_URL, await startSecondApp(server, { config: { ...server.config, PUBLIC_URL } }));
    }
  });
  afterAll(async () => {
    for (const { app } of apps.values()) await app.close();
  });

  test.each(places)('at %s the cookie is %s and only goes over TLS', async (address, name) => {
    const { email } = await server.owner({ credits: 0 });
    const { origin, pathname } = new URL(address);
    const url = apps.get(address)?.url;
    const { setCookie } = await call('POST', '/auth/sign-in', { origin }, { email, password, cookie: true }, url);
    expect(setCookie?.startsWith(`${name}=ac_sess_`)).toBe(true);
    expect(setCookie).toContain(`; Path=${pathname}; HttpOnly; Secure; SameSite=Strict`);
    const headers = { ...kept(setCookie), origin };
    expect((await call('POST', '/auth/tokens', headers, { name: 'there' }, url)).status).toBe(201);
    expect((await call('POST', '/auth/sign-out', headers, undefined, url)).status).toBe(204);
  });
});
