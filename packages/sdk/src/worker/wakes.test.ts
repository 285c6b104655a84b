import { createHmac } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { json, startServer, type TestServer } from '../../test/support/server.ts';
import { Agora } from '../index.ts';
import { createWorker, type TaskHandler, type WorkerOptions, type WorkerStep } from './index.ts';

/** What reaches a worker besides its polls: webhooks, the deadline, and the end of a task elsewhere. */

const secret = `whsec_${Buffer.from('a secret of the tests').toString('base64')}`;

let server: TestServer | undefined;
afterEach(() => server?.close());

/** A server with tasks that tests add, and a worker on it. */
async function scene(handle: TaskHandler, options: Partial<WorkerOptions> = {}, task: Record<string, unknown> = {}) {
  const tasks = new Map<string, Record<string, unknown>>();
  const add = (id: string, fields: object = {}) =>
    tasks.set(id, { id, status: 'submitted', taskType: 'general', input: {}, ...task, ...fields });
  server = await startServer(({ url }, response) => {
    const [, id = '', verb = ''] = /^\/api\/v1\/tasks\/([^/?]+)\/?([^?]*)/.exec(url) ?? [];
    if (url === '/api/v1/agents/me') return json(response, 200, { availability: 'available' });
    const pagination = { pageSize: 20, nextCursor: null };
    const data = [...tasks.values()].filter(({ status }) => status === 'submitted');
    if (id === 'assigned') return json(response, 200, { data, pagination });
    if (verb === 'sandbox/provision') return json(response, 200, { data: { sandboxId: 'sbx' } });
    const one = tasks.get(id)!;
    const next = { executing: 'executing', complete: 'completed', fail: 'failed', decline: 'failed' }[verb];
    one.status = next ?? one.status;
    json(response, 200, one);
  });
  const steps: WorkerStep[] = [];
  const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k' });
  const onError = vi.fn();
  const worker = createWorker({ agora, handle, onError, onStep: (step) => steps.push(step), ...options });
  const stop = new AbortController();
  const done = worker.run({ signal: stop.signal });
  const polls = () => server!.seen.filter(({ url }) => url.includes('/assigned')).length;
  const end = async () => {
    stop.abort();
    await done;
    return steps.map(({ step, task: { id } }) => `${step} ${id}`);
  };
  return { worker, tasks, add, polls, end, steps };
}

/** A request as the platform sends it. */
function message(body: object, key = 'a secret of the tests'): Request {
  const text = JSON.stringify(body);
  const at = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', key).update(`msg_1.${at}.${text}`).digest('base64');
  const headers = { 'webhook-id': 'msg_1', 'webhook-timestamp': String(at), 'webhook-signature': `v1,${signature}` };
  return new Request('http://agent.example/hook', { method: 'POST', headers, body: text });
}

const untilAborted: TaskHandler = ({ signal }) =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

describe('a worker that webhooks wake', () => {
  it('looks for tasks once and then when a message is verified, not by long polls', async () => {
    const { worker, add, polls, end } = await scene(async () => ({ result: 'done' }), { pollEveryMs: 3_600_000 });
    await expect.poll(polls).toBe(1);
    add('t1');
    const endpoint = worker.endpoint(secret);
    const forged = await endpoint(message({ type: 'task_assigned', data: { id: 't1' } }, 'another secret'));
    expect([forged.status, await forged.text()]).toEqual([400, expect.stringContaining('another secret')]);
    expect((await endpoint(message({ type: 'task_assigned', data: { id: 't1' } }))).status).toBe(204);
    await expect.poll(() => server!.seen.some(({ url }) => url.endsWith('/complete'))).toBe(true);
    expect(server!.seen.filter(({ url }) => /assigned/.test(url)).every(({ url }) => url.endsWith('wait=0'))).toBe(
      true,
    );
    expect(await end()).toEqual(['started t1', 'delivered t1']);
  });

  it('tells the handler of a task that has failed elsewhere, and of no other', async () => {
    const { worker, add, end, steps } = await scene(untilAborted, { pollEveryMs: 5, concurrency: 2 });
    add('t1');
    add('t2');
    await expect.poll(() => steps.length).toBe(2);
    worker.deliver({ type: 'task_failed', timestamp: '', sequence: 1, data: { id: 't1' } });
    await expect.poll(() => steps.length).toBe(3);
    expect(steps[2]).toMatchObject({ step: 'failed', task: { id: 't1' }, reason: 'The task has failed' });
    await end();
  });
});

describe('a handler gets its signal', () => {
  it("at the deadline, by the server's own times", async () => {
    const times = { startedAt: '2001-01-01T00:00:00.000Z', deadline: '2001-01-01T00:00:00.050Z' };
    const { add, end, steps } = await scene(untilAborted, { pollEveryMs: 5 }, times);
    add('t1');
    await expect.poll(() => steps.length).toBe(2);
    expect(steps[1]).toMatchObject({ step: 'failed', reason: "The task's deadline has passed" });
    await end();
  });

  // Before: the handler was told that its time was over, though the server had moved the deadline.
  it('not at a deadline that the server has moved, because it was away', async () => {
    const times = { startedAt: '2001-01-01T00:00:00.000Z', deadline: '2001-01-01T00:00:00.050Z' };
    const asked = () => server!.seen.some(({ method, url }) => method === 'GET' && url.endsWith('/tasks/t1'));
    const handle: TaskHandler = async (work) => {
      scened.tasks.get('t1')!.deadline = '2001-01-02T00:00:00.000Z';
      await Promise.race([untilAborted(work), expect.poll(asked).toBe(true)]);
      return {};
    };
    const scened = await scene(handle, { pollEveryMs: 5 }, times);
    scened.add('t1');
    await expect.poll(() => scened.steps.length).toBe(2);
    expect(await scened.end()).toEqual(['started t1', 'delivered t1']);
  });

  it('when the task has ended elsewhere, and one that does not heed it does not block the worker', async () => {
    const never: TaskHandler = ({ task }) => (task.id === 't1' ? new Promise(() => {}) : Promise.resolve({}));
    const { tasks, add, end, steps } = await scene(never, { pollEveryMs: 5, watchEveryMs: 5, graceMs: 5 });
    add('t1');
    await expect.poll(() => steps.length).toBe(1);
    tasks.get('t1')!.status = 'failed';
    await expect.poll(() => steps.length).toBe(2);
    add('t2');
    await expect.poll(() => steps.length).toBe(4);
    expect(await end()).toEqual(['started t1', 'failed t1', 'started t2', 'delivered t2']);
  });
});

it('a task of another category is declined; security covers audits', async () => {
  const { add, end, steps } = await scene(async () => ({}), { pollEveryMs: 5, categories: ['security', 'testing'] });
  add('t1', { taskType: 'research' });
  add('t2', { taskType: 'security_audit' });
  await expect.poll(() => steps.length).toBe(3);
  expect((await end()).sort()).toEqual(['declined t1', 'delivered t2', 'started t2']);
  expect(steps.find(({ step }) => step === 'declined')).toMatchObject({
    reason: 'The agent does security, testing here',
  });
});
