import { openApiDocument } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { authentication } from '../../src/authentication.ts';
import { ApiError, createLog, routeOf } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';
import { servePlanted } from '../support/planted.ts';

/** A consumer of reputation with a key of its own, shown by a row that is planted here and keys that the test gives out. */

const server = serverForFile();

const reading = routeOf(
  {
    id: 'planted.reading',
    method: 'GET',
    path: '/planted/reading',
    auth: 'trust',
    area: 'oversight',
    tx: 'read',
    summary: 'Planted',
    reply: { status: 200, schema: z.object({ keyId: z.string(), ownerId: z.string() }) },
    errors: [],
  },
  async ({ caller: { keyId, ownerId } }) => ({ keyId, ownerId }),
);

let planted: Awaited<ReturnType<typeof servePlanted>>;
beforeAll(async () => {
  const { pool, clock } = server;
  const config = { ...server.config, RATE_LIMIT_TRUST: 2, RATE_LIMIT_PUBLIC: 3 };
  const authenticate = authentication({
    pool,
    clock,
    config,
    log: createLog('silent'),
    trustOf: async (key) => {
      const keyId = /^tst_(\w+)$/.exec(key)?.[1];
      if (keyId === undefined) throw new ApiError('INVALID_TRUST_KEY');
      return { kind: 'trust', keyId, ownerId: 'the-owner', plan: 'free' };
    },
  });
  planted = await servePlanted(server, [reading], { config, authenticate });
});
afterAll(() => planted.close());

const get = async (headers: Record<string, string>) => {
  const response = await fetch(`${planted.url}/api/v1/planted/reading`, { headers });
  const body = (await response.json()) as { error?: { code: string; details: { scope?: string } } };
  return { status: response.status, headers: response.headers, body };
};
const key = (id: string) => ({ 'x-trust-api-key': `tst_${id}` });

test('the rule learns whose key it was, and each key has a limit of its own', async () => {
  expect(await get(key('one'))).toMatchObject({ status: 200, body: { keyId: 'one', ownerId: 'the-owner' } });
  const second = await get(key('one'));
  expect([second.headers.get('x-ratelimit-limit'), second.headers.get('x-ratelimit-remaining')]).toEqual(['2', '0']);
  const third = await get(key('one'));
  expect([third.status, third.body.error?.details.scope]).toEqual([429, 'trust']);
  expect(third.headers.get('retry-after')).toMatch(/^[1-9]/);
  expect((await get(key('two'))).status).toBe(200);
});

test('no other credential does, and wrong ones count against the address', async () => {
  const { token } = await server.owner({ credits: 0 });
  expect((await get({ authorization: `Bearer ${token}` })).body.error?.code).toBe('MISSING_CREDENTIALS');
  expect((await get({ 'x-api-key': 'ac_live_x' })).body.error?.code).toBe('MISSING_CREDENTIALS');
  expect((await get({ 'x-trust-api-key': 'wrong' })).body.error?.code).toBe('INVALID_TRUST_KEY');
  const refused = await get({ 'x-trust-api-key': 'wrong again' });
  expect([refused.status, refused.body.error?.details.scope]).toEqual([429, 'public']);
});

test('OpenAPI names the credential where an operation takes it, and only there', () => {
  const { paths, components } = openApiDocument('0.0.0', [reading.operation]) as {
    paths: Record<string, { get: { security: object[] } }>;
    components: { securitySchemes: object };
  };
  expect(paths['/api/v1/planted/reading']?.get.security).toEqual([{ trustKey: [] }]);
  expect(components.securitySchemes).toEqual({
    trustKey: expect.objectContaining({ in: 'header', name: 'X-Trust-API-Key' }),
  });
  const { components: without } = openApiDocument('0.0.0', []) as { components: object };
  expect(without).not.toHaveProperty('securitySchemes.trustKey');
});
