import { type Operation, openApiDocument } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Authenticate } from '../../src/platform/http/index.ts';
import { ensure, RuleReply, routeOf } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';
import { servePlanted } from '../support/planted.ts';

/** What a row may say that no row of the contract says today, shown by rows that are planted here. */

const server = serverForFile({ config: { RATE_LIMIT_PUBLIC: 1_000 } });

const common = {
  method: 'POST',
  auth: 'public',
  area: 'general',
  tx: 'write',
  summary: 'Planted',
  errors: [],
} as const;

const order = {
  ...common,
  id: 'planted.order',
  path: '/planted/orders',
  body: z.strictObject({ item: z.string() }),
  reply: { status: 201, schema: z.object({ made: z.string() }) },
  otherReplies: [{ status: 202, schema: z.object({ waitsFor: z.string() }) }, { status: 204 }],
} as const satisfies Operation;

let runs = 0;
const orders = routeOf(order, async ({ body }) => {
  runs++;
  if (body.item === 'nothing') return new RuleReply(204, undefined);
  if (body.item === 'later') return new RuleReply(202, { waitsFor: 'approval' }, { location: '/planted/approvals/1' });
  return { made: body.item };
});

const readOnly = { ...common, method: 'GET', tx: 'read', params: z.object({ name: z.string() }) } as const;

const badge = routeOf(
  {
    ...readOnly,
    id: 'planted.badge',
    path: '/planted/:name/badge',
    reply: { status: 200, schema: z.string(), contentType: 'image/svg+xml' },
    otherReplies: [{ status: 304 }],
  },
  async ({ params }) => `<svg xmlns="http://www.w3.org/2000/svg"><text>${params.name}</text></svg>`,
);

const statement = routeOf(
  {
    ...readOnly,
    id: 'planted.statement',
    path: '/planted/:name/statement',
    reply: { status: 200, schema: z.string(), contentType: 'application/jose' },
  },
  async ({ params }) => `e30.${Buffer.from(params.name).toString('base64url')}.c2lnbmVk`,
);

const card = routeOf(
  {
    ...readOnly,
    id: 'planted.card',
    path: '/.well-known/planted.json',
    root: true,
    params: undefined,
    reply: { status: 200, schema: z.object({ name: z.string() }) },
  },
  async () => ({ name: 'planted' }),
);

const old = routeOf(
  {
    ...readOnly,
    id: 'planted.old',
    path: '/planted/old/:name',
    auth: 'owner',
    deprecated: { since: '2026-10-01T00:00:00Z', sunset: '2026-12-31T00:00:00Z', successor: '/planted/:name/badge' },
    reply: { status: 200, schema: z.object({ name: z.string() }) },
  },
  async ({ params }) => ({ name: params.name }),
);

let planted: Awaited<ReturnType<typeof servePlanted>>;
beforeAll(async () => {
  const authenticate: Authenticate = async ({ headers }, { auth }) => {
    ensure(auth === 'public' || headers.authorization !== undefined, 'MISSING_CREDENTIALS');
    return { kind: 'anonymous' };
  };
  planted = await servePlanted(server, [orders, badge, statement, card, old], { authenticate });
});
afterAll(() => planted.close());

const post = async (item: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${planted.url}/api/v1/planted/orders`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ item }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
};

describe('a row with several success replies', () => {
  test('answers with the one that its rule names, the first where it names none', async () => {
    expect(await post('now')).toMatchObject({ status: 201, body: { made: 'now' } });
    expect(await post('later')).toMatchObject({ status: 202, body: { waitsFor: 'approval' } });
    expect(await post('nothing')).toMatchObject({ status: 204, body: null });
  });

  test('repeats status, body and headers of the first reply under its Idempotency-Key', async () => {
    const before = runs;
    const replies = [await post('later', { 'idempotency-key': 'a' }), await post('later', { 'idempotency-key': 'a' })];
    for (const { status, headers, body } of replies) {
      expect([status, body, headers.get('location')]).toEqual([202, { waitsFor: 'approval' }, '/planted/approvals/1']);
    }
    expect(replies.map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
    expect(runs).toBe(before + 1);
  });

  test('lists them all in OpenAPI', () => {
    const { paths } = openApiDocument('0.0.0', [order]) as { paths: Record<string, { post: { responses: object } }> };
    const { responses } = paths['/api/v1/planted/orders']?.post ?? {};
    expect(responses).toMatchObject({
      201: { content: { 'application/json': { schema: { required: ['made'] } } } },
      202: { content: { 'application/json': { schema: { required: ['waitsFor'] } } } },
      204: { description: 'Done' },
    });
  });
});

describe('a row with a content type of its own', () => {
  test('sends the text that its rule returns, and a picture can do nothing', async () => {
    const response = await fetch(`${planted.url}/api/v1/planted/ada/badge`);
    expect(response.headers.get('content-type')).toBe('image/svg+xml');
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await response.text()).toBe('<svg xmlns="http://www.w3.org/2000/svg"><text>ada</text></svg>');
    const etag = response.headers.get('etag') as string;
    const again = await fetch(response.url, { headers: { 'if-none-match': etag } });
    expect([again.status, await again.text()]).toEqual([304, '']);
    const head = await fetch(response.url, { method: 'HEAD' });
    expect([head.status, head.headers.get('etag')]).toEqual([200, etag]);
  });

  test('sends a signed statement as such', async () => {
    const response = await fetch(`${planted.url}/api/v1/planted/ada/statement`);
    expect(response.headers.get('content-type')).toBe('application/jose');
    expect(await response.text()).toBe('e30.YWRh.c2lnbmVk');
  });

  test('shows it in OpenAPI', () => {
    const { paths } = openApiDocument('0.0.0', [badge.operation, statement.operation]) as {
      paths: Record<string, { get: { responses: Record<string, { content: object }> } }>;
    };
    const types = Object.values(paths).map(({ get }) => Object.keys(get.responses[200]?.content ?? {}));
    expect(types).toEqual([['image/svg+xml'], ['application/jose']]);
  });
});

test('a row at the root is found there, and not under /api/v1', async () => {
  expect(await (await fetch(`${planted.url}/.well-known/planted.json`)).json()).toEqual({ name: 'planted' });
  expect((await fetch(`${planted.url}/api/v1/.well-known/planted.json`)).status).toBe(404);
  const { paths } = openApiDocument('0.0.0', [card.operation]);
  expect(Object.keys(paths as object)).toEqual(['/.well-known/planted.json']);
});

describe('a row that is announced to end', () => {
  const get = (headers: Record<string, string> = {}) => fetch(`${planted.url}/api/v1/planted/old/a%20b`, { headers });
  const announcement = (response: Response) =>
    ['deprecation', 'sunset', 'link'].map((name) => response.headers.get(name));
  const announced = ['true', 'Thu, 31 Dec 2026 00:00:00 GMT', '</api/v1/planted/a%20b/badge>; rel="successor-version"'];

  test('works until then, and says so in every reply', async () => {
    server.clock.set('2026-12-30T23:59:59.999Z');
    const works = await get({ authorization: 'Bearer x' });
    expect([works.status, await works.json()]).toEqual([200, { name: 'a b' }]);
    expect(announcement(works)).toEqual(announced);
    const refused = await get();
    expect([refused.status, ...announcement(refused)]).toEqual([401, ...announced]);
  });

  test('is 410 afterwards, whoever asks', async () => {
    server.clock.set('2026-12-31T00:00:00.000Z');
    for (const authorization of ['', 'Bearer x']) {
      const ended = await get({ authorization });
      expect([ended.status, ...announcement(ended)]).toEqual([410, ...announced]);
      expect(ended.headers.get('x-ratelimit-remaining')).not.toBeNull();
      expect(await ended.json()).toMatchObject({ error: { code: 'ENDPOINT_SUNSET' } });
    }
  });

  test('is marked in OpenAPI, and others are not', () => {
    const { paths } = openApiDocument('0.0.0', [old.operation, card.operation]) as {
      paths: Record<string, { get: { deprecated?: true; responses: Record<string, { headers: object }> } }>;
    };
    const ending = paths['/api/v1/planted/old/{name}']?.get;
    expect([ending?.deprecated, Object.keys(ending?.responses ?? {})]).toEqual([true, expect.arrayContaining(['410'])]);
    expect(ending?.responses[200]?.headers).toMatchObject({ Deprecation: {}, Sunset: {}, Link: {} });
    expect(paths['/.well-known/planted.json']?.get.deprecated).toBeUndefined();
  });
});
