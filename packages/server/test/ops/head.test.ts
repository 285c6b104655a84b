import { apiPrefix } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ config: { RATE_LIMIT_PUBLIC: 1_000 } });
});
afterAll(() => server.close());

test.each(['/health', '/ready', '/agents', '/agents?q=x', '/tasks', '/openapi.json'])(
  'HEAD %s answers as GET does, without the body',
  async (path) => {
    const url = server.url + apiPrefix + path;
    const [get, head] = await Promise.all([fetch(url), fetch(url, { method: 'HEAD' })]);
    expect([head.status, await head.text()]).toEqual([get.status, '']);
    for (const name of ['content-type', 'x-ratelimit-limit'])
      expect(head.headers.get(name)).toBe(get.headers.get(name));
    expect(head.headers.get('x-correlation-id')).not.toBeNull();
  },
);

test('HEAD neither runs a command nor opens a stream', async () => {
  for (const path of ['/tasks/x/sandbox/exec?command=true', '/tasks/x/stream']) {
    // A route would ask for credentials first.
    expect((await fetch(server.url + apiPrefix + path, { method: 'HEAD' })).status).toBe(404);
  }
});
