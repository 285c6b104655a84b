import { request as httpRequest } from 'node:http';
import { toUuid } from '@agora-market/contract';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

let server: TestServer;
let buyer: TestOwner;
let seller: TestAgent;

beforeAll(async () => {
  server = await startTestServer();
  buyer = await server.owner();
  seller = await (await server.owner()).agent();
});
afterAll(() => server?.close());

interface Answer {
  status: number;
  body: string;
  headers: Record<string, string | string[] | undefined>;
}

/** A raw request; fetch would not send a Host or Origin of our choice. */
function send(body: string, headers: Record<string, string> = {}, method = 'POST'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const sent = httpRequest(
      new URL('/mcp', server.url),
      { method, headers: { ...accepted, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (part) => {
          text += part;
        });
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, headers: response.headers }));
      },
    );
    sent.once('error', reject);
    sent.end(body);
  });
}

const message = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const ping = message('ping');
const codeOf = ({ body }: Answer) => JSON.parse(body).error.data?.code;

describe('a request that is no message', () => {
  test.each([
    ['no JSON', '{"jsonrpc":'],
    ['nothing', ''],
    ['a number', '7'],
    ['null', 'null'],
    ['an object of something else', '{"hello":"you"}'],
    ['very deep', '['.repeat(100_000)],
  ])('of %s is refused with 400', async (_, body) => {
    const answer = await send(body);
    expect([answer.status, JSON.parse(answer.body).error.code]).toEqual([400, expect.any(Number)]);
  });

  test('of a megabyte more than the limit is 413', async () => {
    const answer = await send(message('ping', { padding: 'x'.repeat(1024 * 1024) }));
    expect([answer.status, codeOf(answer)]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('of many messages is refused, for one request would be a thousand calls', async () => {
    const answer = await send(`[${Array.from({ length: 1000 }, () => message('tools/list')).join(',')}]`);
    expect([answer.status, answer.body.length < 1000]).toEqual([400, true]);
  });

  test('of another content type is refused', async () => {
    expect((await send(ping, { 'content-type': 'text/plain' })).status).toBe(415);
  });
});

describe('a page in a browser', () => {
  test.each([
    ['a foreign origin', { origin: 'https://evil.example' }],
    ['an opaque origin', { origin: 'null' }],
    ['a name that was rebound to this machine', { host: 'evil.example', origin: 'http://evil.example' }],
    ['a rebound name without an origin', { host: 'evil.example:4000' }],
    ['a Host that is none', { host: 'a b' }],
  ])('with %s is refused', async (_, headers) => {
    const answer = await send(ping, headers as Record<string, string>);
    expect([answer.status, codeOf(answer)]).toEqual([403, 'CROSS_SITE_REQUEST']);
  });

  test.each([
    { host: 'localhost:4000' },
    { host: '[::1]:4000', origin: 'http://[::1]:4000' },
    { host: '192.168.1.7' },
    { host: 'agora:4000', origin: 'http://localhost:5173' },
  ])('or a program that says %o is served', async (headers) => {
    expect((await send(ping, headers as Record<string, string>)).status).toBe(200);
  });

  test('acts for nobody: a cookie of a session is not looked at', async () => {
    const cookie = `agora_session=${buyer.token}`;
    const answer = await send(message('tools/list'), { cookie });
    expect(answer.body).toContain('search_agents');
    expect(answer.body).not.toContain('submit_task');
  });
});

test('what belongs to sessions is 405, because there are none', async () => {
  expect((await send('', {}, 'GET')).status).toBe(405);
  expect((await send('', { 'mcp-session-id': 'a' }, 'DELETE')).status).toBe(405);
});

test('nobody can subscribe and stay', async () => {
  const client = await mcpClient(server);
  await expect(client.listen({ toolsListChanged: true })).rejects.toThrow();
});

test('an unknown tool, a tool that the credentials do not allow, and wrong arguments end in words', async () => {
  const client = await mcpClient(server);
  await expect(client.callTool({ name: 'print_money', arguments: {} })).rejects.toThrow(/print_money/);
  await expect(client.callTool({ name: 'submit_task', arguments: {} })).rejects.toThrow(/submit_task/);
  const told = await call(client, 'get_agent', { agentId: 7, colour: 'red' });
  expect(told.isError).toBe(true);
  expect(told.text).toMatch(/^VALIDATION_ERROR: .*\n- agentId: .*\n- colour: is unknown/);
});

describe('a credential of nobody is 401 before any message is looked at:', () => {
  test.each([
    ["an owner's token", () => bearer('ac_dev_wrong'), 'INVALID_SESSION'],
    ["an agent's key", () => bearer('ac_live_wrong'), 'INVALID_API_KEY'],
    ["an agent's key beside a good token", () => ({ ...bearer(buyer.token), 'x-api-key': 'old' }), 'INVALID_API_KEY'],
    ['a trust key', () => ({ 'x-trust-api-key': 'tst_wrong' }), 'INVALID_TRUST_KEY'],
    ['a token from elsewhere', () => bearer('eyJhbGciOiJIUzI1NiJ9.e30.x'), 'INVALID_SESSION'],
    ['a variable that was not set', () => ({ authorization: 'Bearer ' }), 'INVALID_SESSION'],
  ] as [string, () => Record<string, string>, string][])('%s', async (_, headers, code) => {
    const answer = await send(message('tools/list'), headers());
    expect([answer.status, codeOf(answer)]).toEqual([401, code]);
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer .*error="invalid_token"/);
    await expect(mcpClient(server, headers())).rejects.toThrow(/401|Unauthorized/);
  });
});

test('a suspended owner is told so by the tools', async () => {
  const owner = await server.owner();
  await server.pool.query(`update owners set status = 'suspended' where id = $1`, [toUuid('owner', owner.id)]);
  const client = await mcpClient(server, bearer(owner.token));
  expect((await call(client, 'get_balance')).text).toMatch(/^OWNER_SUSPENDED: /);
});

test('wrong credentials count against the address, and keep nobody out who was let in before', async () => {
  const limited = await startTestServer({ config: { RATE_LIMIT_PUBLIC: 3 } });
  onTestFinished(() => limited.close());
  const owner = await limited.owner({ credits: 0 });
  const late = await limited.owner({ credits: 0 });
  const statusOf = async (headers: Record<string, string>) => {
    const accepted = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const answer = await fetch(`${limited.url}/mcp`, {
      method: 'POST',
      headers: { ...accepted, ...headers },
      body: ping,
    });
    return answer.status;
  };
  expect(await statusOf(bearer(owner.token))).toBe(200);
  await limited.clock.advance(60_000);
  for (let nth = 1; nth <= 3; nth++) expect(await statusOf(bearer('ac_dev_wrong'))).toBe(401);
  expect(await statusOf(bearer('ac_dev_wrong'))).toBe(429);
  // A right guess is not even looked up.
  expect(await statusOf(bearer(late.token))).toBe(429);
  expect(await statusOf(bearer(owner.token))).toBe(200);
});

test('requests are counted by address, and calls by their caller', async () => {
  const limited = await startTestServer({ config: { RATE_LIMIT_MCP: 12, RATE_LIMIT_AGENT: 1 } });
  try {
    const agent = await (await limited.owner()).agent();
    const client = await mcpClient(limited, bearer(agent.key));
    expect((await call(client, 'get_balance')).isError).toBe(false);
    const told = await call(client, 'get_balance');
    expect(told.isError).toBe(true);
    expect(told.text).toMatch(/^RATE_LIMITED: [\s\S]*"scope":"agent"/);
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => fetch(`${limited.url}/mcp`, { method: 'POST', body: 'garbage' })),
    );
    const last = answers.find(({ status }) => status === 429);
    expect([last?.headers.get('retry-after'), last?.headers.get('x-ratelimit-limit')]).toEqual([
      expect.any(String),
      '12',
    ]);
  } finally {
    await limited.close();
  }
});

// Of the older protocol the server hears no cancelling over HTTP, so such a wait goes on to its own end.
describe.each([
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }, 600],
  ['2025-11-25', {}, 5],
] as const)('a wait by protocol %s', (_, options, timeoutSeconds) => {
  const submit = async () =>
    (await buyer.agora.tasks.submit({ taskType: 'general', maxBudget: 1500, agentId: seller.id, input: {} })).id;

  test('ends here when the client cancels it', async () => {
    const client = await mcpClient(server, bearer(buyer.token), options);
    const taskId = await submit();
    const cancel = new AbortController();
    const wait = client.callTool(
      { name: 'wait_for_task', arguments: { taskId, timeoutSeconds } },
      { signal: cancel.signal },
    );
    const ended = wait.then(
      () => 'answered',
      () => 'cancelled',
    );
    await expect.poll(() => server.app.waiting()).toBe(1);
    cancel.abort();
    expect(await ended).toBe('cancelled');
    await expect.poll(() => server.app.waiting()).toBe(0);
    await buyer.agora.tasks.cancel(taskId);
  });

  test('ends here when the client vanishes', async () => {
    const client = new Client({ name: 'test', version: '1' }, options);
    const transport = new StreamableHTTPClientTransport(new URL('/mcp', server.url), {
      requestInit: { headers: bearer(buyer.token) },
    });
    await client.connect(transport);
    const taskId = await submit();
    const wait = client.callTool({ name: 'wait_for_task', arguments: { taskId } }).catch(() => 'gone');
    await expect.poll(() => server.app.waiting()).toBe(1);
    await transport.close();
    expect(await wait).toBe('gone');
    await expect.poll(() => server.app.waiting()).toBe(0);
    await buyer.agora.tasks.cancel(taskId);
  });
});

test('a stop ends waits at once', async () => {
  const stopped = await startTestServer();
  let closed: Promise<void> | undefined;
  try {
    const [owner, agent] = [await stopped.owner(), await (await stopped.owner()).agent()];
    const { id: taskId } = await owner.agora.tasks.submit({
      taskType: 'general',
      maxBudget: 1500,
      agentId: agent.id,
      input: {},
    });
    const client = await mcpClient(stopped, bearer(owner.token));
    const wait = call(client, 'wait_for_task', { taskId, timeoutSeconds: 600 }).then(
      ({ isError }) => isError,
      () => true,
    );
    await expect.poll(() => stopped.app.waiting()).toBe(1);
    closed = stopped.close();
    expect(await wait).toBe(true);
  } finally {
    await (closed ?? stopped.close());
  }
});
