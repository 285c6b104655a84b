import { readFile } from 'node:fs/promises';
import { type Operation, operations } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, startServer, type TestServer } from '../test/support/server.ts';
import { sdkVersion } from './http.ts';
import { Agora } from './index.ts';

// The payment processor calls with its own signature, and nobody else.
const rows = Object.values<Operation>(operations).filter((row) => !row.rawBody);
type Method = (...args: unknown[]) => PromiseLike<unknown> | AsyncGenerator<unknown>;

function methodOf(agora: Agora, id: string): Method {
  const [district, name] = id.split('.') as [keyof Agora, string];
  const resource = agora[district] as unknown as Record<string, Method>;
  return (...args) => resource[name]!(...args);
}

/** Methods of a resource, those of the classes that it extends included. */
function namesOf(resource: object): string[] {
  const above = Object.getPrototypeOf(resource);
  if (above === Object.prototype) return [];
  return [...Object.getOwnPropertyNames(above).filter((name) => name !== 'constructor'), ...namesOf(above)];
}

describe('the SDK and the contract', () => {
  let server: TestServer;
  let agora: Agora;

  beforeAll(async () => {
    server = await startServer((_, response) => {
      json(response, 200, { data: [], pagination: { pageSize: 20, nextCursor: null } });
    });
    const credentials = { ownerToken: 'the-token', agentKey: 'ac_live_key', operatorToken: 'operator-token' };
    agora = new Agora({ baseUrl: server.baseUrl, ...credentials, maxRetries: 0 });
  });
  afterAll(() => server.close());

  it.each(rows.map((row) => [row.id, row] as const))(
    '%s has a method that sends its method and path',
    async (_, row) => {
      const names = [...row.path.matchAll(/:(\w+)/g)].map((match) => match[1]!);
      const values = names.map((name) => `${name}/1 ?`);
      const extra = row.body ? [{ probe: 'body' }] : row.query ? [{ probe: 'query' }] : [];
      const result = methodOf(agora, row.id)(...values, ...extra);
      if (Symbol.asyncIterator in result && !('then' in result)) await result.next().catch(() => {});
      else await result;

      const sent = server.seen.at(-1)!;
      const expected = names.reduce((at, name) => at.replace(`:${name}`, encodeURIComponent(`${name}/1 ?`)), row.path);
      const query = row.query && !row.body ? '?probe=query' : '';
      expect(`${sent.method} ${sent.url}`).toBe(`${row.method} ${row.root ? '' : '/api/v1'}${expected}${query}`);
      expect(sent.body).toEqual(row.body ? { probe: 'body' } : undefined);
      expect(sent.headers['user-agent']).toBe(`agora-market-sdk/${sdkVersion}`);
      const key = sent.headers['idempotency-key'];
      if (row.method === 'GET') expect(key).toBeUndefined();
      else expect(key).toMatch(/^[0-9a-f-]{36}$/);
      const owners = 'Bearer the-token';
      const bearer = { owner: owners, party: owners, anyone: owners, operator: 'Bearer operator-token' };
      expect(sent.headers.authorization).toBe(bearer[row.auth as keyof typeof bearer]);
      expect(sent.headers['x-api-key']).toBe(row.auth === 'agent' ? 'ac_live_key' : undefined);
    },
  );

  it('has no method besides the operations, one more for a reply that can come in parts, and waiting for tasks', () => {
    const methods = Object.entries(agora).flatMap(([district, resource]) =>
      namesOf(resource).map((name) => `${district}.${name}`),
    );
    const wanted = rows.flatMap(({ id, reply }) => (reply.alsoEvents ? [id, `${id}Stream`] : [id]));
    expect(methods.toSorted()).toEqual([...wanted, 'tasks.ask', 'tasks.submitAndWait', 'tasks.wait'].toSorted());
  });

  it('needs nothing at run time but itself, and names its own version', async () => {
    const { dependencies, version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
    expect(dependencies).toBeUndefined();
    expect(sdkVersion).toBe(version);
  });
});
