import { randomUUID } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { A2A_ERROR_CODE } from '@a2a-js/sdk/errors';
import { describe, expect, test } from 'vitest';
import { makePair, startSecondApp } from '../api/scene.ts';
import { a2aServer } from './scene.ts';

const server = a2aServer();

interface Sent {
  token?: string | undefined;
  headers?: Record<string, string>;
  method?: string;
  body?: unknown;
}

/** A bare request; a body that is no text is JSON. */
async function ask(path: string, { token, headers = {}, method = 'POST', body }: Sent, url = server.url) {
  const reply = await fetch(`${url}${path}`, {
    method,
    headers: {
      'a2a-version': '1.0',
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await reply.text();
  return { status: reply.status, headers: reply.headers, text, json: text === '' ? null : JSON.parse(text) };
}

const rpc = (method: string, params: unknown = {}) => ({ jsonrpc: '2.0', id: 7, method, params });
const message = (parts: unknown[], more: object = {}) => ({
  message: { messageId: randomUUID(), role: 'ROLE_USER', parts, ...more },
});

describe('JSON-RPC', () => {
  test.each<[string, unknown, number]>([
    ['no JSON', '{"jsonrpc":', A2A_ERROR_CODE.PARSE_ERROR],
    ['a batch', [rpc('ListTasks')], A2A_ERROR_CODE.PARSE_ERROR],
    ['no call', {}, A2A_ERROR_CODE.INVALID_REQUEST],
    ['a number', 3, A2A_ERROR_CODE.INVALID_REQUEST],
    ['nothing', undefined, A2A_ERROR_CODE.INVALID_REQUEST],
    ['an unknown method', rpc('Nonsense'), A2A_ERROR_CODE.METHOD_NOT_FOUND],
    ['no parameters', rpc('GetTask', null), A2A_ERROR_CODE.INVALID_PARAMS],
    ['no message', rpc('SendMessage'), A2A_ERROR_CODE.INVALID_PARAMS],
    ['a message of an agent', rpc('SendMessage', message([{ text: 'x' }], { role: 'ROLE_AGENT' })), -32602],
    ['a message without its id', rpc('SendMessage', message([{ text: 'x' }], { messageId: '' })), -32602],
    ['a context of the client', rpc('SendMessage', message([{ text: 'x' }], { contextId: 'mine' })), -32602],
    ['an empty part', rpc('SendMessage', message([{}])), A2A_ERROR_CODE.INVALID_PARAMS],
    ['a file without a name', rpc('SendMessage', message([{ raw: 'AA==' }])), A2A_ERROR_CODE.INVALID_PARAMS],
    [
      'an address',
      rpc('SendMessage', message([{ url: 'https://example.com' }])),
      A2A_ERROR_CODE.CONTENT_TYPE_NOT_SUPPORTED,
    ],
    [
      'an unknown field',
      rpc('SendMessage', { ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 5, x: 1 } } }),
      -32602,
    ],
    [
      'a budget of text',
      rpc('SendMessage', { ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 'all' } } }),
      -32602,
    ],
    [
      'several attempts',
      rpc('SendMessage', { ...message([{ text: 'x' }]), metadata: { agora: { attempts: 2 } } }),
      -32602,
    ],
    ['no object for Agora', rpc('SendMessage', { ...message([{ text: 'x' }]), metadata: { agora: 5 } }), -32602],
    ['an unknown task', rpc('GetTask', { id: 'nonsense' }), A2A_ERROR_CODE.TASK_NOT_FOUND],
    ['a history below nothing', rpc('GetTask', { id: 'nonsense', historyLength: -1 }), A2A_ERROR_CODE.INVALID_PARAMS],
    ['an extended card', rpc('GetExtendedAgentCard'), A2A_ERROR_CODE.UNSUPPORTED_OPERATION],
    [
      'a push notification about an unknown task',
      rpc('CreateTaskPushNotificationConfig', { taskId: 'x', url: 'https://a.example' }),
      A2A_ERROR_CODE.TASK_NOT_FOUND,
    ],
    [
      'a push notification to a private address',
      rpc('SendMessage', {
        ...{ ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 500 } } },
        configuration: { taskPushNotificationConfig: { url: 'https://10.0.0.1' } },
      }),
      A2A_ERROR_CODE.INVALID_PARAMS,
    ],
    ['a stream of an unknown task', rpc('SubscribeToTask', { id: 'nonsense' }), A2A_ERROR_CODE.TASK_NOT_FOUND],
  ])('answers %s by the standard’s code', async (_, body, code) => {
    const { buyer } = await makePair(server);
    const { json } = await ask('/a2a', { token: buyer.token, body });
    expect(json).toMatchObject({ jsonrpc: '2.0', error: { code, message: expect.any(String) } });
    const isCall = typeof body === 'object' && body !== null && 'id' in body;
    expect(json.id).toBe(isCall ? 7 : null);
    expect((await buyer.agora.tasks.list()).data).toEqual([]);
  });

  const misshapen = [
    { message: 5 },
    { message: { messageId: {}, role: 'ROLE_USER', parts: 'x' } },
    { message: { messageId: 'x', role: 'user', parts: [null] } },
    { message: { messageId: 'x', role: 'user', parts: [{ kind: 'file', file: null }] } },
    { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ raw: {} }] } },
    { message: { messageId: 'x', role: 'ROLE_USER', parts: [{ text: { deep: 1 } }] }, metadata: 'x' },
    { message: null, configuration: 7 },
  ];
  test.each(misshapen)('takes no fault of its own for parameters like %j', async (params) => {
    const { buyer } = await makePair(server);
    for (const [version, methods] of [
      ['1.0', ['SendMessage', 'SendStreamingMessage']],
      ['0.3', ['message/send', 'message/stream']],
    ] as const) {
      for (const method of methods) {
        const headers = { 'a2a-version': version };
        const { json } = await ask('/a2a', { token: buyer.token, headers, body: rpc(method, params) });
        expect([method, json.id, json.error?.code]).toEqual([method, 7, A2A_ERROR_CODE.INVALID_PARAMS]);
      }
    }
  });

  test('names the versions that it serves', async () => {
    const { buyer } = await makePair(server);
    const headers = { 'a2a-version': '2.0' };
    const { json } = await ask('/a2a', { token: buyer.token, headers, body: rpc('ListTasks') });
    expect(json).toMatchObject({ id: 7, error: { code: A2A_ERROR_CODE.VERSION_NOT_SUPPORTED } });
    expect(json.error.message).toContain('1.0 and 0.3');
  });

  test('keeps the code and the details of a refusal by the API', async () => {
    const { buyer, agent } = await makePair(server, { credits: 500 });
    const params = { ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 1000 } } };
    const path = `/a2a/agents/${agent.id}`;
    const { json } = await ask(path, { token: buyer.token, body: rpc('SendMessage', params) });
    expect(json.error).toMatchObject({
      code: A2A_ERROR_CODE.INVALID_PARAMS,
      data: [
        { reason: 'INVALID_PARAMS', metadata: { code: 'INSUFFICIENT_CREDITS', required: '1000', available: '500' } },
      ],
    });
    const rest = await ask(`${path}/message:send`, { token: buyer.token, body: params });
    expect([rest.status, rest.json.error.code]).toEqual([402, 402]);
  });
});

describe('HTTP+JSON', () => {
  const at = async () => {
    const { buyer, agent } = await makePair(server);
    const path = `/a2a/agents/${agent.id}`;
    return { agent, to: (below: string, sent: Sent) => ask(`${path}/${below}`, { token: buyer.token, ...sent }) };
  };

  test('answers by the status of the standard, and takes its media type', async () => {
    const { agent, to } = await at();
    const params = { ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 1000 } } };
    const headers = { 'content-type': 'application/a2a+json' };
    const made = await to('message:send', { headers, body: { ...params, configuration: { returnImmediately: true } } });
    expect([made.status, made.headers.get('content-type')]).toEqual([
      200,
      expect.stringMatching(/^application\/a2a\+json/),
    ]);
    const { id } = made.json.task;
    await agent.agora.tasks.start(id, { sandboxId: 'mine' });
    const cancelled = await to(`tasks/${id}:cancel`, {});
    expect([cancelled.status, cancelled.json.error]).toMatchObject([
      400,
      { code: 400, status: 'FAILED_PRECONDITION', details: [{ reason: 'TASK_NOT_CANCELABLE' }] },
    ]);
    const get = { method: 'GET' };
    expect((await to('tasks?includeArtifacts=false', get)).json.tasks[0]).not.toHaveProperty('artifacts');
    const statuses = async (...paths: string[]) => Promise.all(paths.map(async (path) => (await to(path, get)).status));
    expect(await statuses('tasks/nonsense', 'nonsense', 'message:send', 'extendedAgentCard')).toEqual([
      404, 404, 404, 400,
    ]);
    expect(await statuses('tasks?pageSize=0', 'tasks?pageSize=x', `tasks/${id}?historyLength=x`)).toEqual([
      400, 400, 400,
    ]);
    const pushes = `tasks/${id}/pushNotificationConfigs`;
    expect(await to(pushes, get)).toMatchObject({ status: 200, json: {} });
    expect(await to(`${pushes}/x`, { method: 'DELETE' })).toMatchObject({ status: 200, json: {} });
    expect(await statuses(`${pushes}/x`, `${pushes}/x/y`)).toEqual([404, 404]);
    const old = await to('tasks', { ...get, headers: { 'a2a-version': '' } });
    expect([old.status, old.json.error.details[0].reason]).toEqual([400, 'VERSION_NOT_SUPPORTED']);
  });
});

describe('an address of A2A', () => {
  test('takes no call without a credential that counts, and says how to send one', async () => {
    const { buyer, agent } = await makePair(server);
    const path = `/a2a/agents/${agent.id}`;
    for (const token of [undefined, 'ac_dev_dead', 'ac_live_dead']) {
      for (const [to, body] of [
        [path, rpc('ListTasks')],
        [`${path}/message:send`, message([{ text: 'x' }])],
      ] as const) {
        const { status, headers, json } = await ask(to, { token, body });
        expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')]);
        expect(json.error.message).toBeTypeOf('string');
      }
    }
    // A cookie would let pages of strangers act for an owner.
    const cookie = { cookie: `agora_session=${buyer.token}` };
    expect((await ask(path, { headers: cookie, body: rpc('ListTasks') })).status).toBe(401);
    const withKey = { headers: { 'x-api-key': agent.key }, body: rpc('ListTasks') };
    const { json, headers } = await ask(path, withKey);
    expect([json.result.tasks, headers.get('cache-control')]).toEqual([[], 'no-store']);
  });

  test('refuses pages of strangers and bodies that are too large', async () => {
    const { buyer } = await makePair(server);
    const call = { token: buyer.token, body: rpc('ListTasks') };
    const foreign = await ask('/a2a', { ...call, headers: { origin: 'https://evil.example' } });
    expect([foreign.status, foreign.json.error.data[0].metadata.code]).toEqual([403, 'CROSS_SITE_REQUEST']);
    const large = await ask('/a2a', { token: buyer.token, body: 'x'.repeat(1024 * 1024 + 1) });
    expect([large.status, large.json.error.data[0].metadata.code]).toEqual([413, 'PAYLOAD_TOO_LARGE']);
  });

  test('has the card of its agent for everybody, in the version of the client', async () => {
    const { agent } = await makePair(server);
    const get = (path: string, version: string) =>
      ask(`${path}/.well-known/agent-card.json`, { method: 'GET', headers: { 'a2a-version': version } });
    const path = `/a2a/agents/${agent.id}`;
    const { json: signed } = await get(path, '1.0');
    expect(signed).toEqual(await server.client().agents.card(agent.id));
    expect((await get('/a2a', '1.0')).json).toEqual(await server.client().system.agentCard());
    const { json: legacy } = await get(path, '');
    expect(legacy).toMatchObject({
      ...{ url: signed.supportedInterfaces[0].url, preferredTransport: 'JSONRPC', protocolVersion: '0.3' },
      supportedInterfaces: signed.supportedInterfaces,
    });
    expect((await get('/a2a/agents/nobody', '1.0')).status).toBe(404);
  });

  test('counts requests by address, and what they call by caller', async () => {
    const { buyer } = await makePair(server);
    const config = { ...server.config, RATE_LIMIT_A2A: 2, RATE_LIMIT_OWNER: 1 };
    const { app, url } = await startSecondApp(server, { config });
    const call = () => ask('/a2a', { token: buyer.token, body: rpc('ListTasks') }, url);
    expect((await call()).json.result.tasks).toEqual([]);
    const limited = await call();
    expect([limited.status, limited.json.error.data[0].metadata.code]).toEqual([200, 'RATE_LIMITED']);
    const refused = await call();
    expect([refused.status, refused.json.error.data[0].metadata.code]).toEqual([429, 'RATE_LIMITED']);
    await app.close();
  });

  test('ends its streams with the service', async () => {
    const { buyer, agent } = await makePair(server);
    const { app, url } = await startSecondApp(server);
    const reply = await fetch(`${url}/a2a/agents/${agent.id}/message:stream`, {
      method: 'POST',
      headers: {
        ...{ 'a2a-version': '1.0', 'content-type': 'application/json' },
        authorization: `Bearer ${buyer.token}`,
      },
      body: JSON.stringify({ ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 1000 } } }),
    });
    const text = reply.text();
    await app.close();
    expect(await text).toMatch(/^data: \{"task":[\s\S]*event: error\ndata: .*The service stops/);
  });

  test('lets a stream go with its client', async () => {
    const { buyer, agent } = await makePair(server);
    const params = { ...message([{ text: 'x' }]), metadata: { agora: { maxBudget: 1000 } } };
    const before = server.app.waiting();
    const headers = {
      ...{ 'a2a-version': '1.0', 'content-type': 'application/json' },
      authorization: `Bearer ${buyer.token}`,
    };
    const sent = httpRequest(`${server.url}/a2a/agents/${agent.id}/message:stream`, { method: 'POST', headers });
    sent.on('error', () => {});
    sent.end(JSON.stringify(params));
    await expect.poll(() => server.app.waiting()).toBe(before + 1);
    sent.destroy();
    await expect.poll(() => server.app.waiting()).toBe(before);
  });
});
