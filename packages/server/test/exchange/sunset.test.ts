import { exchangeEnd, fullPath, type Operation, operations } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../src/platform/index.ts';
import { serverForFile } from '../api/scene.ts';

/** How the exchange ends: by the default date, for every path, before anything is asked of the caller. */

const { EXCHANGE_SUNSET } = readConfig({});
const server = serverForFile({ config: { EXCHANGE_SUNSET }, at: '2026-06-29T23:59:59.000Z' });
const rows = Object.values<Operation>(operations).filter(({ path }) => path.startsWith('/exchange'));
const headersOf = (response: Response) => ['deprecation', 'sunset', 'link'].map((name) => response.headers.get(name));
const announced = ['true', 'Tue, 30 Jun 2026 00:00:00 GMT', '</api/v1/tasks>; rel="successor-version"'];

const known = rows.map((row) => [row.method, fullPath(row).replace(/:\w+/g, 'x')] as const);
const unknown = [
  ['GET', '/api/v1/exchange'],
  ['GET', '/api/v1/exchange/'],
  ['GET', '/api/v1/exchange?since=yesterday'],
  ['GET', '/api/v1/exchange/nothing/at/all'],
  ['DELETE', '/api/v1/exchange/requests'],
  ['PATCH', '/api/v1/exchange/agreements/x'],
  ['PUT', '/api/v1/exchange/notifications'],
  ['OPTIONS', '/api/v1/exchange/requests'],
  ['HEAD', '/api/v1/exchange/requests'],
  ['GET', '/api/v1/exch%61nge/requests/x/y'],
  ['GET', '/api/v1/exchange/%zz'],
  ['GET', `/api/v1/exchange/requests/${'x'.repeat(600)}`],
] as const;
const ask = (method: string, path: string, init: RequestInit = {}) => fetch(server.url + path, { method, ...init });

test('the date is the one of the specification unless the operator sets another', () => {
  expect(EXCHANGE_SUNSET).toBe('2026-06-30T00:00:00Z');
  expect(EXCHANGE_SUNSET).toBe(exchangeEnd.sunset);
  expect(readConfig({ EXCHANGE_SUNSET: '2027-01-31T00:00:00+01:00' }).EXCHANGE_SUNSET).toBe(
    '2027-01-31T00:00:00+01:00',
  );
  expect(() => readConfig({ EXCHANGE_SUNSET: 'next year' })).toThrow('takes a time');
});

test('every operation of the exchange is marked as deprecated', () => {
  expect(rows).toHaveLength(18);
  for (const { deprecated } of rows) expect(deprecated).toEqual(exchangeEnd);
});

describe('a second before', () => {
  test.each([...known, ...unknown])('%s %s still gets its own answer, with the announcement', async (method, path) => {
    server.clock.set('2026-06-29T23:59:59.000Z');
    const response = await ask(method, path);
    expect([401, 404]).toContain(response.status);
    expect(headersOf(response)).toEqual(announced);
  });
});

describe('from the date on', () => {
  test.each([...known, ...unknown])('%s %s is 410 with the announcement', async (method, path) => {
    server.clock.set('2026-06-30T00:00:00.000Z');
    const credentials: Record<string, string>[] = [{}, { 'x-api-key': 'ac_live_wrong' }, { authorization: 'Bearer x' }];
    for (const headers of credentials) {
      const response = await ask(method, path, { headers });
      expect([response.status, ...headersOf(response)]).toEqual([410, ...announced]);
      if (method === 'HEAD') continue;
      expect(await response.json()).toMatchObject({
        success: false,
        error: { code: 'ENDPOINT_SUNSET', details: { sunset: '2026-06-30T00:00:00.000Z' } },
      });
    }
  });

  test('no body is read', async () => {
    server.clock.set('2026-06-30T00:00:00.000Z');
    for (const body of ['{', 'x'.repeat(3_000_000), '{"title":""}']) {
      const response = await ask('POST', '/api/v1/exchange/requests', {
        body,
        headers: { 'content-type': 'text/plain' },
      }).catch(() => null);
      // A server that answers before a large body has been sent may close the connection on it.
      if (response !== null || body.length < 1_000) expect(response?.status).toBe(410);
    }
  });

  test('other paths go on, also those that look alike', async () => {
    server.clock.set('2026-06-30T00:00:00.000Z');
    const health = await ask('GET', '/api/v1/health');
    expect([health.status, ...headersOf(health)]).toEqual([200, null, null, null]);
    const alike = await ask('GET', '/api/v1/exchanges');
    expect([alike.status, ...headersOf(alike)]).toEqual([404, null, null, null]);
  });
});

describe('a later date', () => {
  const later = serverForFile({ config: { EXCHANGE_SUNSET: '2027-01-31T00:00:00+01:00' } });

  test('is announced and counts instead', async () => {
    const get = () => fetch(`${later.url}/api/v1/exchange/requests`);
    const before = await get();
    expect([before.status, before.headers.get('sunset')]).toEqual([401, 'Sat, 30 Jan 2027 23:00:00 GMT']);
    later.clock.set('2027-01-30T22:59:59.999Z');
    expect((await get()).status).toBe(401);
    later.clock.set('2027-01-30T23:00:00.000Z');
    expect((await get()).status).toBe(410);
  });
});
