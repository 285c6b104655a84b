import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, failure, json, startServer, type TestServer } from '../test/support/server.ts';
import {
  Agora,
  AgoraError,
  type AgoraOptions,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  GoneError,
  NotFoundError,
  PayloadTooLargeError,
  PaymentRequiredError,
  PermissionDeniedError,
  RateLimitError,
  ServerError,
  TimeoutError,
} from './index.ts';

let server: TestServer | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = undefined;
});

async function client(answer: Answer, options: Partial<AgoraOptions> = {}) {
  server = await startServer(answer);
  return { agora: new Agora({ baseUrl: server.baseUrl, ...options }), seen: server.seen };
}

const ok: Answer = (_, response) => json(response, 200, { ok: true });
const submission = { taskType: 'bug_fix', maxBudget: 500, input: {} } as const;
const within = (least: number, most: number) =>
  expect.toSatisfy((ms: number) => ms >= least && ms <= most, `${least} to ${most}`);
const rejection = (promise: Promise<unknown>): Promise<AgoraError> =>
  promise.then(
    () => expect.fail('the call should have been refused'),
    (error) => error,
  );

describe('errors', () => {
  it.each([
    [400, BadRequestError],
    [401, AuthenticationError],
    [402, PaymentRequiredError],
    [403, PermissionDeniedError],
    [404, NotFoundError],
    [409, ConflictError],
    [410, GoneError],
    [413, PayloadTooLargeError],
    [415, AgoraError],
  ])('%i becomes its class with code, details and correlation id, and is never retried', async (status, ErrorClass) => {
    const { agora, seen } = await client((_, response) =>
      failure(response, status, 'SOME_CODE', { 'x-correlation-id': 'cor-1', 'retry-after': '0' }),
    );
    const error = await rejection(agora.tasks.submit(submission));
    expect(error).toBeInstanceOf(ErrorClass);
    expect(error).toMatchObject({
      name: ErrorClass.name,
      status,
      code: 'SOME_CODE',
      message: 'it is SOME_CODE',
      details: { code: 'SOME_CODE' },
      correlationId: 'cor-1',
    });
    expect(seen).toHaveLength(1);
  });

  it.each(['', '<html>Bad gateway</html>', '{"error":', 'null', '[]', '{"error":"x"}', '{"error":{"code":7}}'])(
    'an error whose body is %j still becomes an error of its status',
    async (body) => {
      const { agora } = await client((_, response) => response.writeHead(502).end(body) as never, { maxRetries: 0 });
      const error = await rejection(agora.system.health());
      expect(error).toBeInstanceOf(ServerError);
      expect(error).toMatchObject({ status: 502, code: 'HTTP_502', details: {}, correlationId: null });
    },
  );

  it('a success that is not JSON is a malformed reply and is not sent again', async () => {
    const { agora, seen } = await client((_, response) => response.end('<html>') as never);
    expect(await rejection(agora.tasks.submit(submission))).toMatchObject({ status: 200, code: 'MALFORMED_REPLY' });
    expect(seen).toHaveLength(1);
  });

  it('does not follow a redirect, which would take the key elsewhere', async () => {
    const answer: Answer = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end() as never;
    const { agora, seen } = await client(answer, { agentKey: 'ac_live_x' });
    expect(await rejection(agora.agents.me())).toMatchObject({ status: 307, code: 'HTTP_307' });
    expect(seen).toHaveLength(1);
  });

  it('an unreachable server is a ConnectionError with its cause', async () => {
    const probe = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => probe.once('listening', resolve));
    const { port } = probe.address() as { port: number };
    await new Promise((resolve) => probe.close(resolve));
    const agora = new Agora({ baseUrl: `http://127.0.0.1:${port}`, maxRetries: 0 });
    const error = await rejection(agora.system.health());
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ status: null, code: 'CONNECTION_ERROR' });
    expect(error.message).toContain('ECONNREFUSED');
  });

  it.each(['', '.', '..'])('refuses the id %j before anything is sent', async (id) => {
    const { agora, seen } = await client(ok);
    expect(() => agora.agents.get(id)).toThrow(TypeError);
    expect(seen).toHaveLength(0);
  });
});

describe('retries', () => {
  it.each([500, 502, 503])('%i is retried and the idempotency key and body stay the same', async (status) => {
    const { agora, seen } = await client((_, response, count) =>
      count < 3 ? failure(response, status, 'X', { 'retry-after': '0' }) : json(response, 201, { id: 'tsk_1' }),
    );
    const { data, response } = await agora.tasks.submit(submission).withResponse();
    expect(data).toEqual({ id: 'tsk_1' });
    expect(response.attempts).toBe(3);
    expect(new Set(seen.map((one) => one.headers['idempotency-key'])).size).toBe(1);
    expect(seen.map((one) => one.body)).toEqual([submission, submission, submission]);
  });

  it('two calls have two idempotency keys', async () => {
    const { agora, seen } = await client(ok);
    await Promise.all([agora.tasks.submit(submission), agora.tasks.submit(submission)]);
    expect(seen[0]?.headers['idempotency-key']).not.toBe(seen[1]?.headers['idempotency-key']);
  });

  it('429 is retried after Retry-After and not before', async () => {
    const { agora, seen } = await client((_, response, count) => {
      if (count === 1) failure(response, 429, 'RATE_LIMITED', { 'retry-after': '1' });
      else json(response, 200, {});
    });
    const timer = vi.spyOn(globalThis, 'setTimeout');
    await agora.system.health();
    expect(timer.mock.calls.map(([, ms]) => ms)).toContainEqual(within(1_000, 1_250));
    expect(seen).toHaveLength(2);
  });

  it('Retry-After may be an HTTP date', async () => {
    const date = 'Sat, 21 Nov 2026 12:00:01 GMT';
    const { agora } = await client((_, response, count) => {
      if (count === 1) failure(response, 429, 'RATE_LIMITED', { 'retry-after': date });
      else json(response, 200, {});
    });
    vi.spyOn(Date, 'now').mockReturnValue(Date.parse('2026-11-21T12:00:00.000Z'));
    const timer = vi.spyOn(globalThis, 'setTimeout');
    await agora.system.health();
    expect(timer.mock.calls.map(([, ms]) => ms)).toContainEqual(within(1_000, 1_250));
  });

  it('a Retry-After beyond a minute is left to the caller, and the error says how long it is', async () => {
    const { agora, seen } = await client((_, response) =>
      failure(response, 429, 'RATE_LIMITED', { 'retry-after': '3600' }),
    );
    const error = await rejection(agora.system.health());
    expect(error).toBeInstanceOf(RateLimitError);
    expect(error.retryAfterSeconds).toBe(3600);
    expect(error.message).toContain('Try again in 3600 s.');
    expect(seen).toHaveLength(1);
  });

  it('a caller that may wait longer obeys a longer Retry-After', async () => {
    const { agora, seen } = await client(
      (_, response, count) =>
        count === 1 ? failure(response, 429, 'X', { 'retry-after': '3600' }) : json(response, 200, {}),
      { longestWaitMs: 3_600_000 },
    );
    const { setTimeout: real } = globalThis;
    const timer = vi.spyOn(globalThis, 'setTimeout');
    timer.mockImplementation(((run: () => void, ms?: number) =>
      real(run, ms === 3_600_000 ? 0 : ms)) as typeof setTimeout);
    await agora.system.health();
    expect(timer.mock.calls.map(([, ms]) => ms)).toContain(3_600_000);
    expect(seen).toHaveLength(2);
  });

  it.each([429, 503])('a pause after %i that is longer than the client may wait is not awaited', async (status) => {
    const { agora, seen } = await client((_, response) => failure(response, status, 'X', { 'retry-after': '30' }), {
      longestWaitMs: 2_000,
    });
    const error = await rejection(agora.system.health());
    expect(error).toMatchObject({ status, retryAfterSeconds: 30 });
    expect(seen).toHaveLength(1);
  });

  it('a pause as long as the client may wait is awaited, and without Retry-After the usual one counts', async () => {
    const patient = await client(
      (_, response, count) =>
        count === 1 ? failure(response, 429, 'X', { 'retry-after': '1' }) : json(response, 200, {}),
      { longestWaitMs: 1_000 },
    );
    await patient.agora.system.health();
    expect(patient.seen).toHaveLength(2);
    const hasty = await client((_, response) => failure(response, 500, 'X'), { longestWaitMs: 0 });
    expect(await rejection(hasty.agora.system.health())).toMatchObject({ status: 500 });
    expect(hasty.seen).toHaveLength(1);
  });

  it('a connection that breaks is retried, in the middle of a body too', async () => {
    const { agora, seen } = await client((_, response, count) => {
      if (count === 1) response.socket?.destroy();
      else if (count === 2) {
        response.writeHead(200, { 'content-length': '100' }).write('{"half":');
        setTimeout(() => response.socket?.destroy(), 20);
      } else json(response, 200, { whole: true });
    });
    expect(await agora.tasks.submit(submission)).toEqual({ whole: true });
    expect(new Set(seen.map((one) => one.headers['idempotency-key'])).size).toBe(1);
  });

  it.each([
    ['a proxy’s 502', (response: ServerResponse) => response.writeHead(502).end('<html>Bad gateway</html>')],
    ['a server that starts', (response: ServerResponse) => failure(response, 503, 'NOT_READY', { 'retry-after': '0' })],
    ['a connection that breaks', (response: ServerResponse) => response.socket?.destroy()],
  ])('%s is outlasted: the call goes on for retryForMs, under one idempotency key', async (_, fail) => {
    const { agora, seen } = await client((__, response, count) =>
      count <= 4 ? void fail(response) : json(response, 200, { id: 't1' }),
    );
    expect(await agora.tasks.submit(submission)).toEqual({ id: 't1' });
    expect(seen).toHaveLength(5);
    expect(new Set(seen.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  });

  it('gives up after retryForMs or maxRetries with the last error', async () => {
    const { agora, seen } = await client((_, response) => failure(response, 503, 'NOT_READY', { 'retry-after': '0' }));
    expect(await rejection(agora.system.health({ maxRetries: 2 }))).toBeInstanceOf(ServerError);
    expect(seen).toHaveLength(3);
    await rejection(agora.system.health({ retryForMs: 0 }));
    expect(seen).toHaveLength(4);
    await rejection(agora.system.health({ maxRetries: 0 }));
    expect(seen).toHaveLength(5);
  });

  it('what the server itself fails is tried three times, with 30 s for each and a pause that doubles', async () => {
    const { agora, seen } = await client((_, response) => failure(response, 503, 'SANDBOX_UNAVAILABLE'));
    const timer = vi.spyOn(globalThis, 'setTimeout');
    await rejection(agora.system.health());
    const times = timer.mock.calls.map(([, ms]) => ms as number);
    const pauses = times.filter((ms) => ms >= 125 && ms <= 500);
    expect(times.filter((ms) => ms === 30_000)).toHaveLength(3);
    expect(seen).toHaveLength(3);
    // Half of each pause is random.
    expect(pauses.map((ms, nth) => ms >= 125 * 2 ** nth && ms <= 250 * 2 ** nth)).toEqual([true, true]);
  });

  it('without idempotency keys a changing call is repeated after 429 only', async () => {
    const { agora, seen } = await client(
      (_, response, count) =>
        failure(response, count === 1 ? 429 : 500, count === 1 ? 'RATE_LIMITED' : 'X', { 'retry-after': '0' }),
      { idempotencyKeys: false },
    );
    expect(await rejection(agora.tasks.submit(submission))).toBeInstanceOf(ServerError);
    expect(seen).toHaveLength(2);
    expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
  });

  it("the caller's idempotency key is used as it is", async () => {
    const { agora, seen } = await client(ok, { idempotencyKeys: false });
    await agora.tasks.submit(submission, { idempotencyKey: 'order-17' });
    expect(seen[0]?.headers['idempotency-key']).toBe('order-17');
  });
});

describe('a server that is away', () => {
  const unavailable = (headers: Record<string, string> = {}) =>
    new Response('{"error":{"code":"NOT_READY","message":"away"}}', { status: 503, headers });

  /** Answers with `away` until so long after the first call, by a clock that only the test moves. */
  async function outage(awayMs: number, away: () => Response | Promise<never>, options: Partial<AgoraOptions> = {}) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance', 'Date'] });
    const now = () => vi.getMockedSystemTime()!.getTime();
    const keys: (string | null)[] = [];
    const asked: number[] = [];
    const answering: typeof fetch = async (_, init) => {
      keys.push(new Headers(init?.headers).get('idempotency-key'));
      asked.push(now());
      return now() - asked[0]! < awayMs ? away() : Response.json({ id: 'tsk_1' });
    };
    const agora = new Agora({ baseUrl: 'http://agora.test', fetch: answering, ...options });
    const result = agora.tasks.submit(submission).catch((error: unknown) => error);
    try {
      await vi.advanceTimersByTimeAsync(120_000);
      return { result: await result, keys, asked };
    } finally {
      vi.useRealTimers();
    }
  }

  it.each<[string, () => Response | Promise<never>]>([
    ['refuses connections', () => Promise.reject(new TypeError('fetch failed'))],
    ['stands behind a proxy that says 502', () => new Response('<html>', { status: 502 })],
    ['stands behind a proxy that says 504', () => new Response('', { status: 504 })],
    ['says 503 with Retry-After', () => unavailable({ 'retry-after': '1' })],
    ['says 429 with Retry-After', () => new Response('{}', { status: 429, headers: { 'retry-after': '2' } })],
  ])('for 50 s and %s costs no submission, and all its attempts have one key', async (_, away) => {
    const { result, keys, asked } = await outage(50_000, away);
    expect(result).toEqual({ id: 'tsk_1' });
    expect(new Set(keys).size).toBe(1);
    expect(keys[0]).toEqual(expect.any(String));
    expect(asked.length).toBeLessThan(25);
  });

  it('for longer is told with its last error, after a minute', async () => {
    const { result, asked } = await outage(Number.POSITIVE_INFINITY, () => unavailable({ 'retry-after': '1' }));
    expect(result).toMatchObject({ status: 503, code: 'NOT_READY' });
    expect(asked.at(-1)! - asked[0]!).toEqual(within(50_000, 70_000));
  });

  it('is not asked again by those who were asked to wait all at the same moment', async () => {
    const firsts = new Set<number>();
    for (let nth = 0; nth < 8; nth++) {
      const { asked } = await outage(500, () => unavailable({ 'retry-after': '1' }));
      firsts.add(asked[1]! - asked[0]!);
    }
    expect([...firsts].every((ms) => ms >= 1_000)).toBe(true);
    expect(firsts.size).toBeGreaterThan(1);
  });

  it('is asked once by a changing call without a key, whose first attempt may have been done', async () => {
    const { asked } = await outage(5_000, () => unavailable({ 'retry-after': '1' }), { idempotencyKeys: false });
    expect(asked).toHaveLength(1);
  });
});

describe('time', () => {
  it('a silent server is a TimeoutError, and each attempt has its own time', async () => {
    let attempts = 0;
    // On a busy machine an attempt may be over before the server hears of it.
    const counted: typeof fetch = (...request) => {
      attempts += 1;
      return fetch(...request);
    };
    const { agora } = await client(() => {}, { timeoutMs: 60, maxRetries: 1, fetch: counted });
    expect(await rejection(agora.system.health())).toBeInstanceOf(TimeoutError);
    expect(attempts).toBe(2);
  });

  it('the time-out covers the body', async () => {
    const { agora } = await client((_, response) => void response.writeHead(200).write('{'));
    expect(await rejection(agora.system.health({ timeoutMs: 60, maxRetries: 0 }))).toBeInstanceOf(TimeoutError);
  });

  it('calls that wait by design get their time on top', async () => {
    const late: Answer = (_, response) => void setTimeout(() => json(response, 200, { data: [], pagination: {} }), 150);
    const { agora } = await client(late, { timeoutMs: 50, maxRetries: 0 });
    await agora.tasks.assigned({ wait: 1 });
    await agora.sandbox.exec('tsk_1', { command: 'true', timeoutMs: 1000 });
    expect(await rejection(agora.tasks.get('tsk_1'))).toBeInstanceOf(TimeoutError);
  });

  it("a call outlasts the five minutes of Node's fetch, before its reply and amid it", async () => {
    const global = globalThis as unknown as {
      [name: symbol]: { dispatch(options: object, handler: unknown): boolean };
    };
    const name = Symbol.for('undici.globalDispatcher.1');
    const held: ServerResponse[] = [];
    const hold: Answer = ({ url }, response) => {
      if (url.includes('tsk_2')) response.writeHead(200, { 'content-type': 'application/json' }).write('{');
      held.push(response);
    };
    const { agora } = await client(hold, { maxRetries: 0 });
    const node = global[name]!;
    const hasty = { headersTimeout: 200, bodyTimeout: 200 };
    global[name] = { dispatch: (options, handler) => node.dispatch({ ...hasty, ...options }, handler) };
    try {
      const calls = ['tsk_1', 'tsk_2'].map((id) => agora.sandbox.exec(id, { command: 'make', timeoutMs: 600_000 }));
      await expect.poll(() => held).toHaveLength(2);
      // What begins later is given up: so would the calls be by now.
      await expect(fetch(`${server!.baseUrl}/tsk_1`)).rejects.toMatchObject({ cause: { name: 'HeadersTimeoutError' } });
      const amid = fetch(`${server!.baseUrl}/tsk_2`).then((response) => response.text());
      await expect(amid).rejects.toMatchObject({ cause: { name: 'BodyTimeoutError' } });
      held[0]!.writeHead(200, { 'content-type': 'application/json' }).end('{"data":{}}');
      held[1]!.end('"data":{}}');
      expect(await Promise.all(calls)).toEqual([{ data: {} }, { data: {} }]);
    } finally {
      global[name] = node;
    }
  });

  it('a command that names no time has the time of its environment, so its call waits longer than others', async () => {
    const timer = vi.spyOn(globalThis, 'setTimeout');
    const { agora } = await client(ok, { maxRetries: 0 });
    await agora.sandbox.exec('tsk_1', { command: 'make' });
    expect(timer.mock.calls.map(([, ms]) => ms)).toContain(1_830_000);
  });

  it('the signal ends a running call with its own reason', async () => {
    const { agora, seen } = await client(() => {});
    const controller = new AbortController();
    const call = rejection(agora.tasks.submit(submission, { signal: controller.signal }));
    await expect.poll(() => seen).toHaveLength(1);
    controller.abort(new Error('enough'));
    expect((await call).message).toBe('enough');
  });

  it('the signal ends the pause before a retry', async () => {
    const { agora, seen } = await client((_, response) =>
      failure(response, 429, 'RATE_LIMITED', { 'retry-after': '30' }),
    );
    const controller = new AbortController();
    const call = rejection(agora.system.health({ signal: controller.signal }));
    await expect.poll(() => seen).toHaveLength(1);
    setTimeout(() => controller.abort(new Error('enough')), 30);
    expect((await call).message).toBe('enough');
  });

  it('a signal that has fired sends nothing', async () => {
    const { agora, seen } = await client(ok);
    await rejection(agora.system.health({ signal: AbortSignal.abort() }));
    expect(seen).toHaveLength(0);
  });
});
