import { afterEach, describe, expect, it, vi } from 'vitest';
import { type Answer, failure, json, startServer, type TestServer } from '../../test/support/server.ts';
import { turns } from '../../test/support/turns.ts';
import { Agora, AuthenticationError } from '../index.ts';
import { createWorker, type TaskHandler, type WorkerOptions } from './index.ts';

/** A server with one queue of tasks that keeps the states of the contract; `override` may answer in its place. */
async function market(
  ids: string[],
  override: (call: string, response: Parameters<Answer>[1]) => boolean = () => false,
) {
  const status = new Map(ids.map((id) => [id, 'submitted']));
  const view = (id: string) => ({ id, status: status.get(id), input: {} });
  const server = await startServer(async ({ method, url, body }, response) => {
    if (url === '/api/v1/agents/me') return json(response, 200, { availability: 'available' });
    const [, id = '', verb = ''] = /^\/api\/v1\/tasks\/([^/?]+)\/?([^?]*)/.exec(url) ?? [];
    if (override(`${method} ${id} ${verb}`.trim(), response)) return;
    if (id === 'assigned') {
      const data = [...status].filter(([, state]) => state === 'submitted').map(([task]) => view(task));
      return json(response, 200, { data, pagination: { pageSize: 20, nextCursor: null } });
    }
    if (verb === 'sandbox/provision') return json(response, 200, { data: { sandboxId: `sbx_${id}` } });
    if (verb === 'sandbox/destroy') return json(response, 204);
    if (verb === 'sandbox/exec') {
      if (status.get(id) !== 'executing') return failure(response, 409, 'TASK_WRONG_STATE');
      return json(response, 200, { data: { exitCode: 0, stdout: (body as { command: string }).command } });
    }
    if (verb === 'sandbox/files')
      return json(response, 200, { data: { entries: [{ name: 'a' }], pagination: { nextCursor: null } } });
    if (verb === 'sandbox/files/read') return json(response, 200, { data: { content: 'text', encoding: 'utf8' } });
    if (verb === 'sandbox/files/write') return json(response, 200, { data: { path: 'a', sizeBytes: 1 } });
    const from = verb === 'executing' ? 'submitted' : 'executing';
    const to = { executing: 'executing', complete: 'completed', fail: 'failed' }[verb];
    if (!to || status.get(id) !== from) return failure(response, 409, 'TASK_WRONG_STATE');
    status.set(id, to);
    json(response, 200, view(id));
  });
  return { server, status, sent: (verb: string) => server.seen.filter((one) => one.url.endsWith(`/${verb}`)) };
}

describe('the worker loop', () => {
  let server: TestServer | undefined;
  let controller: AbortController;
  afterEach(async () => {
    vi.restoreAllMocks();
    await server?.close();
  });

  /** Runs a worker until every task is ended (or `until` holds), and returns what it left. */
  async function work(
    place: Awaited<ReturnType<typeof market>>,
    handle: TaskHandler,
    options: Partial<WorkerOptions> & { until?: () => boolean } = {},
  ) {
    server = place.server;
    controller = new AbortController();
    const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k', timeoutMs: 2000, retryForMs: 1000 });
    const { until = () => [...place.status.values()].every((one) => /completed|failed/.test(one)), ...rest } = options;
    const onError = vi.fn();
    const done = createWorker({ agora, handle, onError, ...rest }).run({ signal: controller.signal });
    await expect.poll(until, { interval: 5 }).toBe(true);
    controller.abort();
    await done;
    return { onError };
  }

  it('provisions, starts, works in the sandbox and delivers with the measured time', async () => {
    const place = await market(['t1']);
    const clock = vi.spyOn(performance, 'now').mockReturnValue(1_000.2);
    const { onError } = await work(place, async ({ task, sandbox }) => {
      expect(task.status).toBe('executing');
      const { stdout } = await sandbox.exec('echo hi', { cwd: 'src', timeoutMs: 5 });
      await sandbox.write('a.sh', 'x', { executable: true });
      clock.mockReturnValue(1_050.4);
      return { result: stdout, names: (await sandbox.list()).length, text: (await sandbox.read('a')).content };
    });
    expect(place.sent('executing').map((one) => one.body)).toEqual([{ sandboxId: 'sbx_t1' }]);
    const delivered = place.sent('complete')[0]?.body as { output: unknown; executionTimeMs: number };
    expect(delivered.output).toEqual({ result: 'echo hi', names: 1, text: 'text' });
    expect(delivered.executionTimeMs).toBe(50);
    expect(place.sent('exec')[0]?.body).toEqual({ command: 'echo hi', cwd: 'src', timeoutMs: 5 });
    expect(place.sent('write')[0]?.body).toEqual({ path: 'a.sh', content: 'x', executable: true });
    expect(onError).not.toHaveBeenCalled();
  });

  it('a handler that throws fails its task with a reason the server takes, and the next task is done', async () => {
    const place = await market(['t1', 't2']);
    await work(place, async ({ task }) => {
      if (task.id === 't1') throw new Error(`no\0 good \ud800 ${'x'.repeat(300)}`);
      return {};
    });
    expect(Object.fromEntries(place.status)).toEqual({ t1: 'failed', t2: 'completed' });
    const { reason, errorMessage } = place.sent('fail')[0]!.body as Record<string, string>;
    expect(reason).toMatch(/^no good \ufffd x+$/);
    expect(reason!.length).toBeLessThanOrEqual(200);
    expect(errorMessage!.length).toBeGreaterThan(300);
  });

  it('a handler that throws something without a message still ends its task', async () => {
    const place = await market(['t1']);
    await work(place, async () => Promise.reject(''));
    expect(place.sent('fail')[0]?.body).toEqual({ reason: 'The agent failed', errorMessage: '', cause: 'agent' });
  });

  it.each([
    [1, 2, 'completed'],
    [3, 4, 'completed'],
    [4, 4, 'failed'],
  ])('a handler whose work is lost %i times with its sandbox is called %i times: %s', async (times, calls, end) => {
    let losses = times;
    const place = await market(['t1'], (call, response) => {
      const takes = call === 'POST t1 sandbox/exec' && losses-- > 0;
      if (takes) failure(response, 409, 'SANDBOX_LOST');
      return takes;
    });
    const handler = vi.fn<TaskHandler>(async ({ sandbox }) => ({ result: (await sandbox.exec('make it')).stdout }));
    const { onError } = await work(place, handler);
    expect(handler).toHaveBeenCalledTimes(calls);
    expect(place.status.get('t1')).toBe(end);
    expect([place.sent('destroy').length, place.sent('provision').length]).toEqual([calls - 1, calls]);
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'SANDBOX_LOST' }), expect.anything());
    const reasons = place.sent('fail').map((one) => (one.body as { reason: string }).reason);
    expect(reasons).toEqual(end === 'failed' ? ['it is SANDBOX_LOST'] : []);
  });

  it('a handler that does not heed the loss of its work delivers nothing in its place', async () => {
    let losses = 1;
    const place = await market(['t1'], (call, response) => {
      const takes = call === 'POST t1 complete' && losses-- > 0;
      if (takes) failure(response, 409, 'SANDBOX_LOST');
      return takes;
    });
    const results = ['of lost work', 'of new work'];
    await work(place, async () => ({ result: results.shift() }));
    expect(place.sent('complete').map((one) => (one.body as { output: unknown }).output)).toEqual([
      { result: 'of lost work' },
      { result: 'of new work' },
    ]);
    expect(place.status.get('t1')).toBe('completed');
  });

  // Before: two retries within a second, then the finished task was failed.
  it.each(['complete', 'fail'])('an end that the server fails is told again and again: %s', async (verb) => {
    let failures = 3;
    const place = await market(['t1'], (call, response) => {
      const takes = call === `POST t1 ${verb}` && failures-- > 0;
      if (takes) failure(response, 503, 'SANDBOX_UNAVAILABLE');
      return takes;
    });
    await work(place, async () => (verb === 'fail' ? Promise.reject(new Error('No idea')) : { result: 'done' }));
    expect(place.status.get('t1')).toBe(verb === 'fail' ? 'failed' : 'completed');
    expect(place.sent(verb)).toHaveLength(4);
  });

  it("another task's conflict does not keep the own task from being ended", async () => {
    const place = await market(['t1']);
    await work(place, async () => {
      const agora = new Agora({ baseUrl: place.server.baseUrl });
      await agora.tasks.fail('other', { reason: 'x' });
      return {};
    });
    expect(place.status.get('t1')).toBe('failed');
  });

  it('does as many tasks at once as it may, and each once', async () => {
    const place = await market(['t1', 't2', 't3', 't4', 't5']);
    let now = 0;
    let most = 0;
    const handler: TaskHandler = async () => {
      most = Math.max(most, ++now);
      await expect.poll(() => most).toBeGreaterThan(1);
      // A third would come meanwhile.
      await turns(50);
      now--;
      return {};
    };
    await work(place, handler, { concurrency: 2 });
    expect(most).toBe(2);
    expect(place.sent('complete')).toHaveLength(5);
    expect(place.sent('executing')).toHaveLength(5);
  });

  it('a task that moved on is tolerated, and its handler is told', async () => {
    const place = await market(['t1', 't2']);
    let reason: unknown;
    const { onError } = await work(place, async ({ task, sandbox, signal }) => {
      if (task.id === 't2') return {};
      place.status.set('t1', 'failed');
      await sandbox.exec('true').catch(() => {});
      reason = signal.reason;
      return {};
    });
    expect(reason).toMatchObject({ code: 'TASK_WRONG_STATE' });
    expect(place.status.get('t2')).toBe('completed');
    expect(onError).not.toHaveBeenCalled();
  });

  it('stopping lets a handler finish within its grace', async () => {
    const place = await market(['t1']);
    const handler: TaskHandler = ({ sandbox, signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', async () => resolve({ late: (await sandbox.exec('sum up')).stdout }));
      });
    await work(place, handler, { until: () => place.status.get('t1') === 'executing' });
    expect(place.sent('complete')[0]?.body).toMatchObject({ output: { late: 'sum up' } });
  });

  it('stopping fails the task of a handler that does not return', async () => {
    const place = await market(['t1', 't2']);
    const handler: TaskHandler = () => new Promise(() => {});
    await work(place, handler, { graceMs: 30, until: () => place.status.get('t1') === 'executing' });
    expect(Object.fromEntries(place.status)).toEqual({ t1: 'failed', t2: 'submitted' });
    expect(place.sent('fail')[0]?.body).toMatchObject({ reason: 'The agent was stopped before it was done' });
  });

  it('stopping before a task is started leaves it to the platform', async () => {
    const place = await market(['t1'], (call) => {
      if (call === 'POST t1 sandbox/provision') controller.abort();
      return false;
    });
    await work(place, async () => ({}), { until: () => controller.signal.aborted });
    expect(place.status.get('t1')).toBe('submitted');
  });

  it('stopping while a start is under way still ends the task it started', async () => {
    const place = await market(['t1'], (call) => {
      if (call === 'POST t1 executing') controller.abort();
      return false;
    });
    await work(place, ({ signal }) => Promise.reject(signal.reason), { until: () => controller.signal.aborted });
    expect(place.status.get('t1')).toBe('failed');
  });

  it('a start whose reply is lost for good does not leave the task executing', async () => {
    const place = await market(['t1'], (call, response) => {
      if (call !== 'POST t1 executing') return false;
      place.status.set('t1', 'executing');
      response.socket?.destroy();
      return true;
    });
    const { onError } = await work(place, async () => ({}));
    expect(place.status.get('t1')).toBe('failed');
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'CONNECTION_ERROR' }), expect.anything());
  });

  it('an output the server refuses fails the task', async () => {
    const place = await market(['t1'], (call, response) => {
      if (call === 'POST t1 complete') failure(response, 413, 'PAYLOAD_TOO_LARGE');
      return call === 'POST t1 complete';
    });
    await work(place, async () => ({}));
    expect(place.sent('fail')[0]?.body).toMatchObject({ reason: 'The output is too large' });
  });

  it('a task that cannot be started is left alone for a while and reported', async () => {
    const place = await market(['t1'], (call, response) => {
      if (call === 'POST t1 sandbox/provision') failure(response, 410, 'INPUT_EXPIRED');
      return call === 'POST t1 sandbox/provision';
    });
    const polls = () => place.server.seen.filter((one) => one.url.includes('assigned')).length;
    const { onError } = await work(place, async () => ({}), { until: () => polls() >= 3 });
    expect(place.sent('provision')).toHaveLength(1);
    expect(onError).toHaveBeenCalledTimes(1);
  });

  it('polling goes on after an outage', async () => {
    let outages = 0;
    const place = await market(['t1'], (call, response) => {
      if (call !== 'GET assigned' || outages >= 4) return false;
      outages++;
      failure(response, 503, 'NOT_READY', { 'retry-after': '0' });
      return true;
    });
    const { onError } = await work(place, async () => ({}));
    expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: 'NOT_READY' }), null);
  });

  it('a refused key ends the worker with its error, after the running task is ended', async () => {
    let refuse = false;
    let refused = 0;
    const place = await market(['t1', 't2'], (call, response) => {
      const refuses = call === 'GET assigned' && refuse;
      if (refuses) failure(response, 401, 'INVALID_API_KEY');
      if (refuses) refused += 1;
      return refuses;
    });
    server = place.server;
    const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k' });
    const handler: TaskHandler = async ({ task }) => {
      refuse ||= task.id === 't2';
      await expect.poll(() => refused).toBe(1);
      return {};
    };
    const worker = createWorker({ agora, handle: handler, concurrency: 3 });
    await expect(worker.run()).rejects.toBeInstanceOf(AuthenticationError);
    expect(Object.fromEntries(place.status)).toEqual({ t1: 'completed', t2: 'completed' });
  });

  it('a worker that is stopped before it starts takes nothing', async () => {
    const place = await market(['t1']);
    server = place.server;
    const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k' });
    await createWorker({ agora, handle: async () => ({}) }).run({ signal: AbortSignal.abort() });
    expect(server.seen).toHaveLength(0);
  });
});
