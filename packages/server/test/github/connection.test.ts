import { createHash } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { encryption } from '../../src/platform/index.ts';
import { minute, refusalOf, serverForFile, startSecondApp } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { type FakeGitHub, goodToken, startGitHub } from './scene.ts';

const server = serverForFile();
let github: FakeGitHub;
let url: string;
let close: () => Promise<void>;

beforeAll(async () => {
  github = await startGitHub();
  const app = { GITHUB_CLIENT_ID: 'app', GITHUB_CLIENT_SECRET: 'app-secret' };
  const second = await startSecondApp(server, { config: { ...server.config, ...github.settings, ...app } });
  url = second.url;
  close = () => second.app.close();
});
afterEach(() => github.answer(null));
afterAll(async () => {
  await close();
  await github.close();
});

/** A new owner's client at the server that knows this GitHub. */
async function newOwner(): Promise<{ owner: TestOwner; github: TestOwner['agora']['github'] }> {
  const owner = await server.owner({ credits: 0 });
  return { owner, github: owner.agora.withOptions({ baseUrl: url }).github };
}

const none = () => ({
  ...{ connected: false, forge: 'github', baseUrl: github.url },
  ...{ login: null, method: null, connectedAt: null },
});

describe('a connection', () => {
  test('is made with a token that GitHub knows, told without it, and ended', async () => {
    const { owner, github: mine } = await newOwner();
    expect(await mine.connection()).toEqual(none());
    const made = await mine.connect({ token: goodToken });
    expect(made).toEqual({
      ...none(),
      connected: true,
      login: 'octocat',
      method: 'token',
      connectedAt: server.clock.now().toISOString(),
    });
    expect(await mine.connection()).toEqual(made);
    const events = await server.pool.query('select type, data from events where owner_id = $1 and type like $2', [
      toUuid('owner', owner.id),
      'github.%',
    ]);
    expect(events.rows).toEqual([{ type: 'github.connected', data: { login: 'octocat', method: 'token' } }]);
    await mine.disconnect();
    await mine.disconnect();
    expect(await mine.connection()).toEqual(none());
    expect(await refusalOf(mine.repositories())).toBe('409 GITHUB_NOT_CONNECTED');
  });

  test('keeps its token encrypted, and with a key that no other owner has', async () => {
    const [one, two] = [await newOwner(), await newOwner()];
    await one.github.connect({ token: goodToken });
    await two.github.connect({ token: goodToken });
    const [id, other] = [toUuid('owner', one.owner.id), toUuid('owner', two.owner.id)];
    const stored = await server.pool.query('select * from forge_connections where owner_id = $1', [id]);
    expect(stored.rows[0].token.includes(goodToken)).toBe(false);
    const safe = encryption(server.config);
    expect(safe.decrypt(safe.digest('github token', id as string), stored.rows[0].token)).toBe(goodToken);
    await server.pool.query('update forge_connections set token = $2 where owner_id = $1', [
      other,
      stored.rows[0].token,
    ]);
    expect(await refusalOf(two.github.repositories())).toBe('409 GITHUB_NOT_CONNECTED');
    const dump = await server.pool.query(
      `select string_agg(e::text, '') || (select coalesce(string_agg(i::text, ''), '') from idempotency_keys i) as text from events e`,
    );
    expect(dump.rows[0].text).not.toContain(goodToken);
  });

  test('is not made with a token that GitHub refuses, and the one before stays', async () => {
    const { github: mine } = await newOwner();
    const made = await mine.connect({ token: goodToken });
    expect(await refusalOf(mine.connect({ token: 'github_pat_wrong' }))).toBe('400 GITHUB_TOKEN_REFUSED');
    expect(await mine.connection()).toEqual(made);
  });

  test.each([{}, { code: 'c' }, { token: 'a b' }, { token: 't', code: 'c', state: 's' }, { token: 't', state: 's' }])(
    'is not made of %o',
    async (body) => {
      const { github: mine } = await newOwner();
      expect(await refusalOf(mine.connect(body))).toBe('400 VALIDATION_ERROR');
    },
  );
});

describe('an authorization', () => {
  test('connects with the code that GitHub sends, proved by a verifier of its challenge', async () => {
    const { github: mine } = await newOwner();
    const { url: page, expiresAt } = await mine.authorize();
    expect(Date.parse(expiresAt)).toBe(server.clock.now().getTime() + 10 * minute);
    const asked = new URL(page).searchParams;
    expect(asked.get('code_challenge_method')).toBe('S256');
    expect(await mine.connect(await github.agree(page))).toMatchObject({ login: 'octocat', method: 'oauth' });
    const verifier = github.exchanges.at(-1)?.get('code_verifier') as string;
    expect(createHash('sha256').update(verifier).digest('base64url')).toBe(asked.get('code_challenge'));
    expect((await mine.repositories()).data).toHaveLength(3);
  });

  test('is of the owner who began it, ends after ten minutes, and its code works once', async () => {
    const [{ github: mine }, { github: theirs }] = [await newOwner(), await newOwner()];
    const agreed = await github.agree((await mine.authorize()).url);
    const before = github.exchanges.length;
    expect(await refusalOf(theirs.connect(agreed))).toBe('400 GITHUB_TOKEN_REFUSED');
    expect(await refusalOf(mine.connect({ ...agreed, state: `9${agreed.state}` }))).toBe('400 GITHUB_TOKEN_REFUSED');
    expect(await refusalOf(mine.connect({ ...agreed, state: 'x' }))).toBe('400 GITHUB_TOKEN_REFUSED');
    expect(github.exchanges).toHaveLength(before);
    await mine.connect(agreed);
    expect(await refusalOf(mine.connect(agreed))).toBe('400 GITHUB_TOKEN_REFUSED');
    const late = await github.agree((await mine.authorize()).url);
    server.clock.advance(10 * minute);
    expect(await refusalOf(mine.connect(late))).toBe('400 GITHUB_TOKEN_REFUSED');
  });

  test('needs an OAuth app in the settings', async () => {
    const owner = await server.owner({ credits: 0 });
    expect(await refusalOf(owner.agora.github.authorize())).toBe('503 GITHUB_NOT_CONFIGURED');
  });
});

describe('the list of repositories', () => {
  test('comes in pages by name, whose size is that of the first', async () => {
    const { github: mine } = await newOwner();
    await mine.connect({ token: goodToken });
    const first = await mine.repositories({ pageSize: 2 });
    expect(first.data).toEqual([
      { fullName: 'octocat/alpha', url: `${github.url}/octocat/alpha.git`, private: true, defaultBranch: 'main' },
      { fullName: 'octocat/beta', url: `${github.url}/octocat/beta.git`, private: false, defaultBranch: 'main' },
    ]);
    const cursor = first.pagination.nextCursor as string;
    const last = await mine.repositories({ pageSize: 50, cursor });
    expect(last.data.map(({ fullName }) => fullName)).toEqual(['octocat/gamma']);
    expect(last.pagination).toEqual({ pageSize: 2, nextCursor: null });
  });

  const tooLong = JSON.stringify('x'.repeat(9 * 1024 * 1024));
  test.each([
    ['a failure', 500, '{}', {}, '502 GITHUB_ERROR'],
    ['no JSON', 200, 'hello', {}, '502 GITHUB_ERROR'],
    ['something else', 200, '{"login":"octocat"}', {}, '502 GITHUB_ERROR'],
    ['a redirect', 302, '', { location: 'http://127.0.0.1:1/' }, '502 GITHUB_ERROR'],
    ['more than is read', 200, tooLong, {}, '502 GITHUB_ERROR'],
    ['its rate limit', 403, '{}', { 'x-ratelimit-remaining': '0' }, '502 GITHUB_ERROR'],
    ['too few permissions', 403, '{}', {}, '400 GITHUB_TOKEN_REFUSED'],
    ['a revoked token', 401, '{}', {}, '400 GITHUB_TOKEN_REFUSED'],
  ])('tells of %s', async (_what, status, text, headers, code) => {
    const { github: mine } = await newOwner();
    await mine.connect({ token: goodToken });
    github.answer((response) => void response.writeHead(status, headers).end(text));
    expect(await refusalOf(mine.repositories())).toBe(code);
  });

  test('tells that GitHub cannot be reached', async () => {
    const owner = await server.owner({ credits: 0 });
    expect(await refusalOf(owner.agora.github.connect({ token: goodToken }))).toBe('502 GITHUB_ERROR');
  });
});
