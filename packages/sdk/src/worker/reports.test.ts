import { afterEach, describe, expect, it, vi } from 'vitest';
import { failure, json, startServer, type TestServer } from '../../test/support/server.ts';
import { Agora, type ExecEvent } from '../index.ts';
import { createWorker, type TaskHandler, type WorkerOptions } from './index.ts';

/** What a worker does besides tasks: for who runs it, for routing, and with all that a sandbox offers. */

let server: TestServer | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = undefined;
});

/** A server with so many tasks, and an agent with this availability; down for as long as `isDown` says. */
async function place(count: number, { availability = 'available', isDown = (): boolean => false } = {}) {
  const state = {
    availability,
    polls: 0,
    open: new Set(Array.from({ length: count }, (_, n) => `t${n}`)),
    ended: 0,
    failed: 0,
  };
  server = await startServer(async ({ method, url, body }, response) => {
    const [, id = '', verb = ''] = /^\/api\/v1\/tasks\/([^/?]+)\/?([^?]*)/.exec(url) ?? [];
    if (url === '/api/v1/agents/me') {
      if (method === 'PATCH') state.availability = (body as { availability: string }).availability;
      return json(response, 200, { availability: state.availability });
    }
    if (id === 'assigned') {
      state.polls++;
      if (isDown()) return void response.socket?.destroy();
      const data = [...state.open].map((task) => ({ id: task, status: 'submitted', input: {} }));
      return json(response, 200, { data, pagination: { pageSize: 20, nextCursor: null } });
    }
    if (verb === 'sandbox/provision') return json(response, 200, { data: { sandboxId: `sbx_${id}` } });
    if (verb === 'sandbox/exec') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      return void response.end('event: stdout\ndata: {"text":"hi"}\n\nevent: exit\ndata: {"exitCode":0}\n\n');
    }
    if (verb === 'sandbox/diff') return json(response, 200, { data: { files: [{ path: 'a' }], truncated: false } });
    if (verb.startsWith('sandbox/processes')) {
      const data = verb.endsWith('/output') ? { content: 'out', next: 3 } : { processId: 'p1', processes: [{}] };
      return json(response, 200, { data });
    }
    if (verb === 'executing') state.open.delete(id);
    if (verb === 'complete') state.ended++;
    if (verb === 'fail') {
      state.failed++;
      return failure(response, 409, 'TASK_WRONG_STATE');
    }
    json(response, 200, { id, status: 'executing', input: {} });
  });
  return { state, agora: new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k' }) };
}

/** Runs a worker until something holds, then stops it. */
async function workUntil(
  agora: Agora,
  until: () => boolean,
  handle: TaskHandler,
  options: Partial<WorkerOptions> = {},
) {
  const stop = new AbortController();
  const done = createWorker({ agora, handle, ...options }).run({ signal: stop.signal });
  await expect.poll(until, { interval: 5 }).toBe(true);
  stop.abort();
  await done;
}

const idle: TaskHandler = async () => ({});

describe('a worker tells its people', () => {
  it('at once that it has no key, and asks the server nothing', async () => {
    await place(0);
    const keyless = new Agora({ baseUrl: server!.baseUrl });
    await expect(createWorker({ agora: keyless, handle: idle }).run()).rejects.toMatchObject({
      name: 'AuthenticationError',
      code: 'MISSING_CREDENTIALS',
      message: expect.stringContaining('agentKey'),
    });
    expect(server!.seen).toEqual([]);
  });

  it('a line when the server is lost, however long, and one when it is back; no stack', async () => {
    const said = vi.spyOn(console, 'error').mockImplementation(() => {});
    let lost = 0;
    const { agora, state } = await place(0, { isDown: () => lost++ < 3 });
    await workUntil(agora.withOptions({ maxRetries: 0 }), () => state.polls > 4, idle);
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/^agora worker: GET \/tasks\/assigned got no complete reply: .*\. Trying again/)],
      ['agora worker: The server answers again.'],
    ]);
  });
});

describe('a worker tells routing', () => {
  it('that its agent is not there when it stops, before its last task is done', async () => {
    const { agora, state } = await place(1);
    let atEnd = '';
    const handler: TaskHandler = ({ signal }) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', async () => {
          await expect.poll(() => state.availability).toBe('offline');
          atEnd = state.availability;
          resolve({});
        });
      });
    await workUntil(agora, () => state.open.size === 0, handler);
    expect([atEnd, state.availability, state.ended]).toEqual(['offline', 'offline', 1]);
  });

  it('that its agent is there again, where it was offline and not where it is busy', async () => {
    for (const [before, then] of [
      ['offline', 'available'],
      ['busy', 'busy'],
    ] as const) {
      const { agora, state } = await place(0, { availability: before });
      const changes = () => server!.seen.filter((one) => one.method === 'PATCH').map((one) => one.body);
      await workUntil(agora, () => state.availability === then && state.polls > 3, idle);
      expect(changes()).toEqual([
        ...(before === 'offline' ? [{ availability: 'available' }] : []),
        { availability: 'offline' },
      ]);
      await server!.close();
    }
    server = undefined;
  });

  it('nothing where it is not to', async () => {
    const { agora, state } = await place(0, { availability: 'offline' });
    await workUntil(agora, () => state.polls > 2, idle, { presence: false });
    expect(server!.seen.filter((one) => one.url.endsWith('/agents/me'))).toEqual([]);
  });
});

it('one signal for many workers, tasks and calls makes Node warn of nothing', async () => {
  const warned = vi.fn();
  process.on('warning', warned);
  const stop = new AbortController();
  const { agora, state } = await place(15);
  let begun = 0;
  const handler: TaskHandler = async ({ sandbox, signal }) => {
    begun += 1;
    await Promise.all(Array.from({ length: 12 }, () => sandbox.diff()));
    await Promise.all(Array.from({ length: 12 }, () => agora.sandbox.diff('t1', { signal })));
    await expect.poll(() => begun).toBe(15);
    return {};
  };
  const workers = Array.from({ length: 12 }, (_, n) =>
    createWorker({
      agora,
      handle: n === 0 ? handler : idle,
      concurrency: 15,
      accepts: () => n === 0 || 'no',
    }).run({ signal: stop.signal }),
  );
  await expect.poll(() => state.ended, { interval: 5 }).toBe(15);
  stop.abort();
  await Promise.all(workers);
  // Warnings are emitted in a tick of their own.
  await new Promise((resolve) => setImmediate(resolve));
  process.off('warning', warned);
  expect(warned).not.toHaveBeenCalled();
});

it('a handler can stream commands, run processes and see the diff', async () => {
  const { agora, state } = await place(1);
  const found: unknown[] = [];
  await workUntil(
    agora,
    () => state.ended === 1,
    async ({ sandbox }) => {
      const events: ExecEvent[] = [];
      for await (const event of sandbox.execStream('make', { cwd: 'src' })) events.push(event);
      found.push(events.map(({ event }) => event));
      const { processId } = await sandbox.processes.start('serve', { cwd: 'src' });
      found.push(await sandbox.processes.list(), await sandbox.processes.output(processId, { after: 1 }));
      await sandbox.processes.kill(processId);
      found.push((await sandbox.diff()).files);
      return {};
    },
  );
  expect(found).toEqual([['stdout', 'exit'], [{}], { content: 'out', next: 3 }, [{ path: 'a' }]]);
  const calls = server!.seen.filter((one) => one.url.includes('/sandbox/')).map((one) => `${one.method} ${one.url}`);
  const base = '/api/v1/tasks/t0/sandbox';
  expect(calls.slice(1)).toEqual([
    `POST ${base}/exec`,
    `POST ${base}/processes`,
    `GET ${base}/processes`,
    `GET ${base}/processes/p1/output?after=1`,
    `POST ${base}/processes/p1/kill`,
    `GET ${base}/diff`,
  ]);
  expect(server!.seen.find((one) => one.url.endsWith('/exec'))?.body).toEqual({ command: 'make', cwd: 'src' });
});

it('ends a started task whose steps the caller cannot take', async () => {
  const { state, agora } = await place(1);
  const onStep = () => {
    throw new Error('The log is full');
  };
  await workUntil(
    agora,
    () => state.failed === 1,
    async () => ({ result: 'never' }),
    { onStep, onError: () => {} },
  );
  expect(state.ended).toBe(0);
});
