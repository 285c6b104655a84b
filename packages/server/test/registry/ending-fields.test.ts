import { apiChangelog, ending, openApiDocument } from '@agora/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Authenticate } from '../../src/platform/http/index.ts';
import { routeOf } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';
import { servePlanted } from '../support/planted.ts';

/** What a row may say of fields that end, shown by rows that are planted here. */

const server = serverForFile();
const since = '2026-10-01T00:00:00Z';
const early = { since, sunset: '2026-12-31T00:00:00Z', instead: 'note' };
const late = { since, sunset: '2027-03-31T00:00:00Z' };

const row = { auth: 'agent', area: 'general', summary: 'Planted', errors: ['VALIDATION_ERROR'] } as const;
const noteRow = {
  ...row,
  id: 'planted.note',
  method: 'POST',
  path: '/planted/notes',
  tx: 'write',
  query: z.strictObject({ loud: ending(z.string().optional(), late) }),
  body: z.strictObject({
    note: z.string().optional(),
    text: ending(z.string().optional(), early),
    parts: z
      .array(z.strictObject({ old: ending(z.string().optional(), late), new: z.string().optional() }))
      .default([]),
  }),
  reply: { status: 201, schema: z.object({ note: z.string() }) },
} as const;
const notes = routeOf(noteRow, async ({ body }) => ({ note: body.note ?? body.text ?? '' }));

const showRow = {
  ...row,
  id: 'planted.show',
  method: 'GET',
  path: '/planted/show',
  tx: 'read',
  reply: { status: 200, schema: z.object({ note: z.string(), text: ending(z.string(), early) }) },
} as const;
const show = routeOf(showRow, async () => ({ note: 'a', text: 'a' }));

let planted: Awaited<ReturnType<typeof servePlanted>>;
const noted: string[] = [];
beforeAll(async () => {
  const authenticate: Authenticate = async () => ({ kind: 'agent', agentId: 'agent', ownerId: 'its owner' });
  const used = (ownerId: string, subject: string) => void noted.push(`${ownerId}: ${subject}`);
  planted = await servePlanted(server, [notes, show], { authenticate, used });
});
afterAll(() => planted.close());
beforeEach(() => {
  noted.length = 0;
  server.clock.set('2026-12-01T00:00:00.000Z');
});

const send = async (body: object, query = '') => {
  const response = await fetch(`${planted.url}/api/v1/planted/notes${query}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, announced: announced(response), body: await response.json() };
};
const announced = (response: Response) => ['deprecation', 'sunset'].map((name) => response.headers.get(name));
const earlyDate = 'Thu, 31 Dec 2026 00:00:00 GMT';
const lateDate = 'Wed, 31 Mar 2027 00:00:00 GMT';

describe('a field of a request that ends', () => {
  test('is not announced to those that do not use it', async () => {
    expect(await send({ note: 'a', parts: [{ new: 'b' }] })).toMatchObject({ status: 201, announced: [null, null] });
    expect(noted).toEqual([]);
  });

  test('works until then, with its end in the headers, and counts as used by the owner', async () => {
    expect(await send({ text: 'a' })).toEqual({ status: 201, announced: ['true', earlyDate], body: { note: 'a' } });
    expect(noted).toEqual(['its owner: planted.note body.text']);
  });

  test('is found in lists and queries too; of several the headers have the first end', async () => {
    expect(await send({ parts: [{ new: 'a' }, { old: 'b' }] })).toMatchObject({ announced: ['true', lateDate] });
    expect(await send({}, '?loud=yes')).toMatchObject({ status: 201, announced: ['true', lateDate] });
    expect(await send({ text: 'a' }, '?loud=yes')).toMatchObject({ announced: ['true', earlyDate] });
    expect(new Set(noted)).toEqual(
      new Set([
        'its owner: planted.note body.parts.[].old',
        'its owner: planted.note query.loud',
        'its owner: planted.note body.text',
      ]),
    );
  });

  test('is 410 afterwards; the operation works without it', async () => {
    server.clock.set('2026-12-31T00:00:00.000Z');
    expect(await send({ text: 'a' })).toMatchObject({
      status: 410,
      announced: ['true', earlyDate],
      body: {
        error: {
          code: 'ENDPOINT_SUNSET',
          message: 'The field text ended on 2026-12-31. Use note instead.',
          details: { sunset: '2026-12-31T00:00:00.000Z', in: 'body', field: 'text' },
        },
      },
    });
    expect(await send({ note: 'a' })).toMatchObject({ status: 201, announced: [null, null] });
  });
});

test('a field of a reply that ends is announced in every reply, and never refused', async () => {
  const get = () => fetch(`${planted.url}/api/v1/planted/show`);
  for (const at of ['2026-12-01T00:00:00.000Z', '2026-12-31T00:00:00.000Z']) {
    server.clock.set(at);
    const response = await get();
    expect([response.status, ...announced(response)]).toEqual([200, 'true', earlyDate]);
  }
  expect(new Set(noted)).toEqual(new Set(['its owner: planted.show reply.text']));
});

test('fields that end are marked in the document and listed in the page of changes', () => {
  const { paths } = openApiDocument('0.0.0', [noteRow, showRow]) as {
    paths: Record<string, Record<string, { parameters: object[]; responses: object; requestBody: object }>>;
  };
  const { parameters, requestBody, responses } = paths['/api/v1/planted/notes']?.post ?? {};
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'loud', deprecated: true }));
  const text = { deprecated: true, 'x-sunset': early.sunset, 'x-instead': 'note' };
  const properties = { text, note: expect.not.objectContaining({ deprecated: true }) };
  expect(requestBody).toMatchObject({ content: { 'application/json': { schema: { properties } } } });
  expect(responses).toMatchObject({ 201: { headers: { Sunset: {} } }, 410: {} });
  expect(apiChangelog([noteRow, showRow])).toContain(
    '| `text` in the body of `POST /api/v1/planted/notes` | 2026-10-01 | 2026-12-31 | `note` |',
  );
});
