import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, failure, json, startServer, type TestServer } from '../test/support/server.ts';
import {
  Agora,
  ApprovalRequiredError,
  AuthenticationError,
  NotFoundError,
  TimeoutError,
  WaitEndedError,
} from './index.ts';

let server: TestServer | undefined;
afterEach(() => server?.close());

const body = { taskType: 'bug_fix', maxBudget: 500, input: {} } as const;
const events = (...lines: string[]) => lines.map((line) => `${line}\n\n`).join('');
const executing = 'id: 1\nevent: status\ndata: {"status":"executing"}';
const complete = 'id: 2\nevent: complete\ndata: {"output":{},"qualityScore":90}';

type Answers = Partial<Record<'submit' | 'stream' | 'get' | 'cancel', Answer>>;

/** A server with one task, which answers the calls as the test says. */
async function market(answers: Answers, credentials: object = { ownerToken: 'tok' }) {
  const counts: Record<string, number> = {};
  server = await startServer((seen, response) => {
    const { method, url } = seen;
    const kind = url.endsWith('/stream')
      ? 'stream'
      : url.endsWith('/cancel')
        ? 'cancel'
        : method === 'GET'
          ? 'get'
          : 'submit';
    counts[kind] = (counts[kind] ?? 0) + 1;
    const usual: Required<Answers> = {
      submit: () => json(response, 201, { id: 'tsk_1', status: 'routing', group: null }),
      stream: () => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(events(executing, complete));
      },
      get: () => json(response, 200, { id: url.split('/').at(-1), status: 'completed' }),
      cancel: () => json(response, 200, { id: 'tsk_1', status: 'failed' }),
    };
    return (answers[kind] ?? usual[kind])(seen, response, counts[kind]);
  });
  return { agora: new Agora({ baseUrl: server.baseUrl, ...credentials }), counts };
}

/** A stream that stays open. */
const open: Answer = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.write(events('retry: 1', executing));
};

const ended = (promise: Promise<unknown>): Promise<WaitEndedError> =>
  promise.then(
    () => expect.fail('the waiting should have ended early'),
    (error) => error,
  );

describe('submitting a task and waiting for it', () => {
  it('hands on the events and resolves with the task that has ended', async () => {
    const { agora, counts } = await market({});
    const seen: string[] = [];
    const task = await agora.tasks.submitAndWait(body, { onEvent: ({ event }) => seen.push(event) });
    expect(task).toEqual({ id: 'tsk_1', status: 'completed' });
    expect(seen).toEqual(['status', 'complete']);
    expect(counts).toEqual({ submit: 1, stream: 1, get: 1 });
    expect(server?.seen[0]?.body).toEqual(body);
  });

  it('follows a stream that drops', async () => {
    const { agora, counts } = await market({
      stream: (seen, response, count) => {
        if (count === 1) {
          setTimeout(() => response.socket?.destroy(), 20);
          return open(seen, response, 1);
        }
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.end(events(complete));
      },
    });
    const seen: string[] = [];
    await agora.tasks.submitAndWait(body, { onEvent: ({ event }) => seen.push(event) });
    expect(seen).toEqual(['status', 'complete']);
    expect(counts.stream).toBe(2);
    expect(server?.seen.findLast(({ url }) => url.endsWith('/stream'))?.headers['last-event-id']).toBe('1');
  });

  it.each(['failed', 'refunded'])(
    'looks at the task where a proxy lets no stream through, until it is %s',
    async (status) => {
      const { agora, counts } = await market({
        stream: (_, response) => void response.end('<html>'),
        get: (_, response, count) =>
          count === 1 ? json(response, 200, { status: 'executing' }) : json(response, 200, { id: 'tsk_1', status }),
      });
      expect(await agora.tasks.submitAndWait(body)).toEqual({ id: 'tsk_1', status });
      expect(counts.get).toBe(2);
    },
  );

  it('looks at the task where streams are refused for the rate', async () => {
    const limit: Answer = (_, response) => failure(response, 429, 'RATE_LIMITED', { 'retry-after': '0' });
    const { agora } = await market({ stream: limit });
    expect(await agora.tasks.submitAndWait(body)).toMatchObject({ status: 'completed' });
  });

  it("an agent's task that waits for its owner's approval is an error with the approval", async () => {
    const approval = { id: 'apr_1', status: 'pending' };
    const { agora } = await market(
      { submit: (_, response) => json(response, 202, { approval }) },
      { agentKey: 'ac_live_x' },
    );
    const error = await agora.tasks.submitAndWait(body).catch((refusal: unknown) => refusal);
    expect(error).toBeInstanceOf(ApprovalRequiredError);
    expect(error).toMatchObject({ status: 202, code: 'APPROVAL_REQUIRED', approval, details: { approvalId: 'apr_1' } });
    expect(server?.seen.map(({ url }) => url)).toEqual(['/api/v1/tasks/agent']);
  });

  it('of several attempts it resolves with the one that was paid', async () => {
    const taskIds = ['tsk_1', 'tsk_2', 'tsk_3'];
    const { agora } = await market({
      submit: (_, response) => json(response, 201, { id: 'tsk_1', group: { groupId: 'grp_1', taskIds } }),
      get: ({ url }, response) => {
        const id = url.split('/').at(-1);
        if (id === 'grp_1') return json(response, 200, { selectedTaskId: 'tsk_2' });
        json(response, 200, { id, status: id === 'tsk_2' ? 'completed' : 'failed' });
      },
    });
    expect(await agora.tasks.submitAndWait({ ...body, attempts: 3 })).toEqual({ id: 'tsk_2', status: 'completed' });
  });
});

describe('waiting that ends early', () => {
  it('the signal ends it, and the error says that the task goes on', async () => {
    const { agora, counts } = await market({ stream: open });
    const controller = new AbortController();
    const onEvent = () => controller.abort(new Error('the user left'));
    const error = await ended(agora.tasks.submitAndWait(body, { signal: controller.signal, onEvent }));
    expect(error).toBeInstanceOf(WaitEndedError);
    expect(error).toMatchObject({ code: 'WAIT_ENDED', taskId: 'tsk_1', cancelled: false });
    expect(error.cause).toMatchObject({ message: 'the user left' });
    expect(error.message).toContain('goes on');
    expect(counts.cancel).toBeUndefined();
  });

  it('a signal that fires during the submission does not hide the id of the task', async () => {
    const controller = new AbortController();
    const { agora } = await market({
      submit: (_, response) => {
        controller.abort(new Error('the user left'));
        json(response, 201, { id: 'tsk_7', status: 'routing', group: null });
      },
    });
    const error = await ended(agora.tasks.submitAndWait(body, { signal: controller.signal }));
    expect(error).toMatchObject({ code: 'WAIT_ENDED', taskId: 'tsk_7' });
  });

  it('nothing is submitted after the signal has fired', async () => {
    const { agora } = await market({});
    await expect(agora.tasks.submitAndWait(body, { signal: AbortSignal.abort(new Error('no')) })).rejects.toThrow('no');
    expect(server?.seen).toEqual([]);
  });

  it('waitMs ends it, and cancel cancels the task', async () => {
    const { agora, counts } = await market({ stream: open });
    const error = await ended(agora.tasks.submitAndWait(body, { waitMs: 50, cancel: true }));
    expect(error).toMatchObject({ code: 'WAIT_ENDED', cancelled: true });
    expect(error.cause).toBeInstanceOf(TimeoutError);
    expect(counts.cancel).toBe(1);
  });

  it('a task that an agent has started is not cancelled, and the error says so', async () => {
    const { agora } = await market({
      stream: open,
      cancel: (_, response) => failure(response, 409, 'TASK_WRONG_STATE'),
    });
    const error = await ended(agora.tasks.wait('tsk_1', { waitMs: 50, cancel: true }));
    expect(error).toMatchObject({ cancelled: false });
  });

  it('a session that ends meanwhile is the cause, with the id of the task', async () => {
    const { agora } = await market({ stream: (_, response) => failure(response, 401, 'INVALID_SESSION') });
    const error = await ended(agora.tasks.submitAndWait(body));
    expect(error).toMatchObject({ code: 'WAIT_ENDED', taskId: 'tsk_1' });
    expect(error.cause).toBeInstanceOf(AuthenticationError);
  });

  it('a task that is not there is NotFoundError, and what onEvent throws comes through', async () => {
    const missing = await market({ stream: (_, response) => failure(response, 404, 'TASK_NOT_FOUND') });
    await expect(missing.agora.tasks.wait('tsk_9')).rejects.toBeInstanceOf(NotFoundError);
    await server?.close();
    const { agora } = await market({});
    const onEvent = () => {
      throw new RangeError('mine');
    };
    await expect(agora.tasks.wait('tsk_1', { onEvent })).rejects.toBeInstanceOf(RangeError);
  });
});
