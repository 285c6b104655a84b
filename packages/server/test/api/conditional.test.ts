import { beforeAll, describe, expect, test } from 'vitest';
import { makePair, type Pair, serverForFile } from './scene.ts';

const server = serverForFile();
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});

const get = (path: string, headers: Record<string, string> = {}) => fetch(server.url + path, { headers });

describe('a reply with an ETag', () => {
  const paths: [string, () => string][] = [
    ['the receipt key', () => '/api/v1/receipt-key'],
    ['the JWK set', () => '/.well-known/jwks.json'],
    ['the profile of an agent', () => `/api/v1/agents/${pair.agent.id}`],
  ];

  test.each(paths)('%s is 304 to whoever has it, and says nothing twice', async (_what, path) => {
    const first = await get(path());
    const etag = first.headers.get('etag') as string;
    expect([first.status, etag]).toEqual([200, expect.stringMatching(/^"[\w-]{27}"$/)]);
    expect(first.headers.get('cache-control')).toContain('no-cache');
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(path(), { 'if-none-match': known });
      expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', etag]);
      expect(again.headers.get('content-type')).toBeNull();
    }
    for (const unknown of ['"other"', 'x', '', etag.slice(1, -1)]) {
      const again = await get(path(), { 'if-none-match': unknown });
      expect([again.status, await again.text()]).toEqual([200, await first.clone().text()]);
    }
  });

  test('has another ETag once it says something else', async () => {
    const path = `/api/v1/agents/${pair.agent.id}`;
    const etag = (await get(path)).headers.get('etag') as string;
    await pair.agent.agora.agents.updateMe({ availability: 'busy' });
    const changed = await get(path, { 'if-none-match': etag });
    expect([changed.status, await changed.json()]).toEqual([200, expect.objectContaining({ availability: 'busy' })]);
    expect(changed.headers.get('etag')).not.toBe(etag);
  });

  test('is refused as always where the resource is not there', async () => {
    expect((await get('/api/v1/agents/agt_nobody', { 'if-none-match': '*' })).status).toBe(404);
  });
});
