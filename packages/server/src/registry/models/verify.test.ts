import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { createInvoke, type Invoke, insertOwner } from '../../../test/support/invoke.ts';
import { manualClock, type OwnerCaller, readConfig } from '../../platform/index.ts';
import { registryRoutes } from '../routes.ts';
import { isSameModel } from './challenge.ts';

type Answer = (request: { token: string; sum: number; model: string }, response: ServerResponse) => void;

const { pool } = await databaseForFile();
let endpoint: string;
let server: Server;
let caller: OwnerCaller;
let answer: Answer;
const seen: { headers: IncomingMessage['headers']; content: string; url: string | undefined }[] = [];
const clock = manualClock('2026-03-01T12:00:00.000Z');

/** As an OpenAI-compatible server replies. */
const completion = (model: string, content: string) => JSON.stringify({ model, choices: [{ message: { content } }] });
const honest: Answer = ({ token, sum, model }, response) => response.end(completion(model, `${token}\n${sum}`));

beforeAll(async () => {
  caller = await insertOwner({ pool, clock }, 'enterprise');
  server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const { model, messages } = JSON.parse(text);
    const { content } = messages[0];
    seen.push({ headers: request.headers, content, url: request.url });
    const [, a, b] = /sum of (\d+) and (\d+)/.exec(content) ?? [];
    const token = /copied exactly: (\S+)/.exec(content)?.[1] ?? '';
    answer({ token, sum: Number(a) + Number(b), model }, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
});
beforeEach(() => {
  answer = honest;
  seen.length = 0;
  clock.advance(1_000);
});

const invokeWith = (settings: Record<string, string>): Invoke =>
  createInvoke(
    { pool, clock },
    registryRoutes({
      pool,
      clock,
      config: readConfig({ AGORA_ENCRYPTION_KEY: 'k'.repeat(32), ...settings }),
      verificationMs: 500,
    }),
  );
const invoke: Invoke = (...args) => invokeWith({ OUTBOUND_ALLOW_LOOPBACK: 'true' })(...args);

const register = async (modelEndpoint: string | null = endpoint, model = 'gpt-5') => {
  const body = {
    ...{ displayName: 'Ada', framework: 'custom' as const, model, modelEndpoint },
    capabilities: [{ category: 'general' as const, tags: [] }],
  };
  return (await invoke('agents.register', { caller, body })).agent;
};
const verify = (agentId: string, body: { apiKey?: string } = {}, by = invoke) =>
  by('agents.verifyModel', { caller, params: { agentId }, body });
const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'none',
    (error) => ({ code: error.code, ...error.details }),
  );
const failed = (reason: string, more: object = {}) => ({ code: 'MODEL_VERIFICATION_FAILED', reason, ...more });

describe('an endpoint that answers as the declared model', () => {
  test('verifies it, for everyone to see, and leaves an event', async () => {
    const { id } = await register();
    const verified = await verify(id);
    const proof = { status: 'verified', verifiedModel: 'gpt-5', verifiedAt: clock.now().toISOString() };
    expect(verified).toMatchObject({ modelEndpoint: endpoint, modelTier: 'premium', modelVerification: proof });
    const shown = await invoke('agents.get', { params: { agentId: id } });
    expect(shown).toMatchObject({ model: 'gpt-5', modelTier: 'premium', modelVerification: proof });
    expect(shown).not.toHaveProperty('modelEndpoint');
    const { rows } = await pool.query(`select data from events where type = 'agent.model_verified'`);
    expect(rows.at(-1).data).toEqual({ agentId: id, model: 'gpt-5', verifiedModel: 'gpt-5' });
    expect((await invoke('agents.search', { query: { modelVerified: 'true' } })).data).toEqual([shown]);
    expect((await invoke('agents.search', { query: { modelVerified: 'true', modelTier: 'budget' } })).data).toEqual([]);
  });

  test('gets the key of the request, which is stored nowhere', async () => {
    const { id } = await register();
    await verify(id, { apiKey: 'sk-secret-of-mine' });
    expect(seen[0]).toMatchObject({
      url: '/v1/chat/completions',
      headers: { authorization: 'Bearer sk-secret-of-mine' },
    });
    const { rows } = await pool.query(`select (select string_agg(a::text, '') from agents a)
      || (select string_agg(data::text, '') from events) as everything`);
    expect(rows[0].everything).not.toContain('sk-secret-of-mine');
  });

  test('may be verified by the agent itself, and name a snapshot', async () => {
    const { id } = await register(endpoint, 'openai/gpt-5');
    answer = ({ token, sum }, response) => response.end(completion('gpt-5-2026-01-01', `Sure!\n${token}\n${sum}.`));
    const { rows } = await pool.query('select id, owner_id from agents order by id desc limit 1');
    const agent = { kind: 'agent', agentId: rows[0].id, ownerId: rows[0].owner_id } as const;
    const verified = await invoke('agents.verifyMyModel', { caller: agent });
    expect(verified).toMatchObject({ id, modelVerification: { verifiedModel: 'gpt-5-2026-01-01' } });
  });

  test.each([
    [{ model: 'gpt-4o-mini' }, 'stale'],
    [{ modelEndpoint: 'https://example.com/v1' }, 'stale'],
    [{ modelEndpoint: null }, 'stale'],
    [{ description: 'Another', model: 'gpt-5' }, 'verified'],
  ])('after the change %j it is %s', async (change, status) => {
    const { id } = await register();
    await verify(id);
    const changed = await invoke('agents.update', { caller, params: { agentId: id }, body: change });
    expect(changed.modelVerification.status).toBe(status);
    if (status === 'verified') return;
    expect(changed.modelVerification.verifiedModel).toBeNull();
    const { rows } = await pool.query(`select type from events order by seq desc limit 1`);
    expect(rows[0].type).toBe('agent.model_stale');
  });
});

describe('an endpoint fails the verification, and nothing changes,', () => {
  const tokens: string[] = [];
  test.each<[string, Answer, object]>([
    [
      'that names another model',
      ({ token, sum }, r) => r.end(completion('gpt-5-mini', `${token} ${sum}`)),
      failed('other_model', { reported: 'gpt-5-mini' }),
    ],
    [
      'that repeats no challenge',
      ({ sum, model }, r) => r.end(completion(model, `ok ${sum}`)),
      failed('wrong_challenge'),
    ],
    [
      'that repeats it changed',
      ({ token, sum, model }, r) => r.end(completion(model, `${token.slice(0, -1)}x ${sum}`)),
      failed('wrong_challenge'),
    ],
    [
      'that adds wrongly',
      ({ token, sum, model }, r) => r.end(completion(model, `${token}\n${sum + 1}`)),
      failed('wrong_answer'),
    ],
    ['that does not add', ({ token, model }, r) => r.end(completion(model, token)), failed('wrong_answer')],
    ['that answers no JSON', (_, r) => r.end('<html>'), failed('malformed')],
    ['whose JSON is no completion', (_, r) => r.end('{"choices":[]}'), failed('malformed')],
    [
      'whose model has a NUL',
      ({ token, sum }, r) => r.end(completion('a\0/gpt-5', `${token} ${sum}`)),
      failed('malformed'),
    ],
    ['that breaks', (_, r) => r.writeHead(500).end('{}'), failed('http_error', { status: 500 })],
    ['that wants a key', (_, r) => r.writeHead(401).end('{}'), failed('http_error', { status: 401 })],
    ['that redirects', (_, r) => r.writeHead(307, { location: endpoint }).end(), failed('redirected')],
    ['that says too much', (_, r) => r.end('x'.repeat(40_000)), failed('too_large')],
    ['that is silent', () => undefined, failed('timed_out')],
    ['that drips', (_, r) => void setInterval(() => r.write(' '), 50).unref(), failed('timed_out')],
    ['that hangs up', (_, r) => void r.destroy(), failed('unreachable')],
  ])('%s', async (_what, how, expected) => {
    const { id } = await register();
    await verify(id);
    const before = await invoke('agents.get', { params: { agentId: id } });
    answer = (request, response) => {
      tokens.push(request.token);
      how(request, response);
    };
    clock.advance(60_000);
    expect(await failure(verify(id))).toEqual(expected);
    expect(await invoke('agents.get', { params: { agentId: id } })).toEqual(before);
  });

  test('that replays the reply to an earlier challenge', async () => {
    const { id } = await register();
    let first = '';
    answer = ({ token, sum, model }, response) => {
      first ||= completion(model, `${token}\n${sum}`);
      response.end(first);
    };
    await verify(id);
    expect(await failure(verify(id))).toEqual(failed('wrong_challenge'));
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test.each([
    ['at an address of this machine', () => endpoint.replace('http:', 'https:')],
    ['whose name leads to this machine', () => endpoint.replace('http://127.0.0.1', 'https://localhost')],
    ['in a private network', () => 'https://10.1.2.3/v1'],
    ['at the metadata of a cloud', () => 'https://169.254.169.254/v1'],
  ])('%s, and nothing is sent', async (_what, url) => {
    const { id } = await register(url());
    const strict = invokeWith({ OUTBOUND_ALLOW_LOOPBACK: 'false' });
    expect(await failure(verify(id, {}, strict))).toEqual(failed('private_address'));
    expect(seen).toEqual([]);
  });

  test('that is plain HTTP elsewhere, or that is not declared', async () => {
    expect(await failure(verify((await register('http://example.com/v1')).id))).toEqual(failed('invalid_endpoint'));
    expect(await failure(verify((await register(null)).id))).toEqual(failed('no_endpoint'));
  });

  test('that is no longer the declared one when it answers', async () => {
    const { id } = await register();
    answer = async (request, response) => {
      await invoke('agents.update', { caller, params: { agentId: id }, body: { model: 'other' } });
      honest(request, response);
    };
    expect(await failure(verify(id))).toEqual(failed('changed'));
  });
});

test('an agent has ten tries an hour on all servers together, and 429 says how long to wait', async () => {
  const { id } = await register();
  const servers = [1, 2].map(() => invokeWith({ OUTBOUND_ALLOW_LOOPBACK: 'true' }));
  for (let nth = 0; nth < 10; nth++) await verify(id, {}, servers[nth % 2]);
  clock.advance(3_000_000);
  for (const server of servers)
    expect(await failure(verify(id, {}, server))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 600 });
  expect(seen).toHaveLength(10);
  clock.advance(599_999);
  expect(await failure(verify(id))).toMatchObject({ code: 'RATE_LIMITED', retryAfter: 1 });
  clock.advance(1);
  await verify(id);
  expect(seen).toHaveLength(11);
});

test.each(['https://u:p@example.com/v1', 'ftp://example.com', 'example.com', 'https://example.com/v1?key=x'])(
  'the endpoint %s is refused when it is declared',
  async (url) => {
    await expect(register(url)).rejects.toThrow();
  },
);

test.each([
  ['gpt-5', 'gpt-5', true],
  ['OpenAI/GPT-5', 'gpt-5', true],
  ['gpt-5', 'gpt-5-2026-01-01', true],
  ['claude-sonnet-4', 'claude-sonnet-4-20250514', true],
  ['gpt-5', 'gpt-5-mini', false],
  ['gpt-5-2026-01-01', 'gpt-5', false],
  ['gpt-5', 'gpt-51', false],
])('declared %s, reported %s: the same: %s', (declared, reported, same) => {
  expect(isSameModel(declared, reported)).toBe(same);
});

test.each([
  ['gpt-5', 'premium'],
  ['anthropic/Claude-Opus-4.1', 'premium'],
  ['gpt-5-mini', 'budget'],
  ['claude-3-5-haiku-latest', 'budget'],
  ['gemini-2.5-pro', 'premium'],
  ['gemini-2.0', 'standard'],
  ['gpt-4o', 'standard'],
  ['unspecified', null],
  ['gpt-50', null],
])('the tier of %s is %s', async (model, tier) => {
  expect(await register(null, model)).toMatchObject({ model, modelTier: tier });
});
