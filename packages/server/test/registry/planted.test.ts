import { type Operation, openApiDocument } from '@agora/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { RuleReply, routeOf } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';
import { servePlanted } from '../support/planted.ts';

/** What a row may say that no row of the contract says today, shown by rows that are planted here. */

const server = serverForFile();

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

let planted: Awaited<ReturnType<typeof servePlanted>>;
beforeAll(async () => {
  planted = await servePlanted(server, [orders]);
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
