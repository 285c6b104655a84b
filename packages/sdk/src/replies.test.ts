import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, failure, json, startServer, type TestServer } from '../test/support/server.ts';
import { Agora, type AgoraError, type AgoraOptions, AuthenticationError, PermissionDeniedError } from './index.ts';

let server: TestServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function client(answer: Answer, options: Partial<AgoraOptions> = {}) {
  server = await startServer(answer);
  return { agora: new Agora({ baseUrl: server.baseUrl, ...options }), seen: server.seen };
}

const ok: Answer = (_, response) => json(response, 200, { ok: true });
const rejection = (promise: Promise<unknown>): Promise<AgoraError> =>
  promise.then(
    () => expect.fail('the call should have been refused'),
    (error) => error,
  );

describe('credentials', () => {
  it('a party operation sends the credential that is configured, and `as` decides between two', async () => {
    const { agora, seen } = await client(ok, { agentKey: 'ac_live_k' });
    await agora.tasks.get('t');
    const both = agora.withOptions({ ownerToken: 'tok', trustKey: 'tst_k' });
    await both.tasks.get('t');
    await both.tasks.get('t', { as: 'agent' });
    await both.agents.search({}, { as: 'trust' });
    const sent = seen.map(({ headers }) => [headers.authorization, headers['x-api-key'], headers['x-trust-api-key']]);
    expect(sent).toEqual([
      [undefined, 'ac_live_k', undefined],
      ['Bearer tok', undefined, undefined],
      [undefined, 'ac_live_k', undefined],
      [undefined, undefined, 'tst_k'],
    ]);
  });

  it('a missing credential is left to the server to refuse', async () => {
    const { agora, seen } = await client((_, response) => failure(response, 401, 'MISSING_CREDENTIALS'));
    expect(await rejection(agora.vault.getPool())).toBeInstanceOf(AuthenticationError);
    expect(seen[0]?.headers.authorization).toBeUndefined();
  });
});

describe('replies', () => {
  it('withResponse tells correlation id and rate limit', async () => {
    const headers = { 'x-correlation-id': 'cor-2', 'x-ratelimit-limit': '100', 'x-ratelimit-remaining': '0' };
    const { agora } = await client((_, response) => json(response, 200, { status: 'ok' }, headers));
    const { data, response } = await agora.system.health().withResponse();
    expect(data).toEqual({ status: 'ok' });
    expect(response).toMatchObject({ status: 200, correlationId: 'cor-2', rateLimit: { limit: 100, remaining: 0 } });
  });

  it('a call refused while only withResponse is awaited leaves no unhandled rejection', async () => {
    const { agora } = await client((_, response) => failure(response, 404, 'TASK_NOT_FOUND'));
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    await agora.tasks
      .get('t')
      .withResponse()
      .catch(() => {});
    await agora.tasks
      .list()
      .withResponse()
      .catch(() => {});
    await new Promise((resolve) => setImmediate(resolve));
    process.off('unhandledRejection', unhandled);
    expect(unhandled).not.toHaveBeenCalled();
  });

  it('204 is undefined', async () => {
    const { agora } = await client((_, response) => json(response, 204));
    expect(await agora.auth.signOut()).toBeUndefined();
  });

  it('parameters that are undefined are not sent, and a base address may end in slashes', async () => {
    const { agora, seen } = await client((_, response) => json(response, 200, { data: [], pagination: {} }));
    const slashed = agora.withOptions({ baseUrl: `${server?.baseUrl}/sub//` });
    await slashed.agents.search({ q: 'a&b c', tag: undefined, minScore: 0 });
    expect(seen[0]?.url).toBe('/sub/api/v1/agents/search?q=a%26b+c&minScore=0');
  });
});

describe('paging', () => {
  const pages: Answer = ({ url }, response) => {
    const cursor = Number(new URL(url, 'http://x').searchParams.get('cursor') ?? 0);
    if (cursor === 9) return failure(response, 403, 'NOT_A_PARTY');
    const nextCursor = cursor < 2 ? String(cursor + 1) : null;
    json(response, 200, {
      data: cursor === 1 ? [] : [cursor * 2, cursor * 2 + 1],
      pagination: { pageSize: 2, nextCursor },
    });
  };

  it('iterates over the items of every page, empty ones in between, keeping the filter', async () => {
    const { agora, seen } = await client(pages);
    const items: unknown[] = [];
    for await (const task of agora.tasks.list({ status: 'completed', pageSize: 2 })) items.push(task);
    expect(items).toEqual([0, 1, 4, 5]);
    expect(seen.map((one) => one.url)).toEqual([
      '/api/v1/tasks?status=completed&pageSize=2',
      '/api/v1/tasks?status=completed&pageSize=2&cursor=1',
      '/api/v1/tasks?status=completed&pageSize=2&cursor=2',
    ]);
  });

  it('awaited, it is one page, and the rest is fetched on demand', async () => {
    const { agora, seen } = await client(pages);
    const page = await agora.tasks.list();
    expect(page.data).toEqual([0, 1]);
    expect(page.pagination).toEqual({ pageSize: 2, nextCursor: '1' });
    expect(page.hasNextPage()).toBe(true);
    expect(seen).toHaveLength(1);
    const last = await (await page.nextPage())?.nextPage();
    expect(last?.data).toEqual([4, 5]);
    expect(await last?.nextPage()).toBeNull();
  });

  it('a refused page ends the iteration with its error', async () => {
    const { agora } = await client(pages);
    const iteration = async () => {
      for await (const _ of agora.tasks.list({ cursor: '9' })) expect.fail('there is no item');
    };
    await expect(iteration()).rejects.toBeInstanceOf(PermissionDeniedError);
  });
});
