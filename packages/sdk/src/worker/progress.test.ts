import { afterEach, expect, it, vi } from 'vitest';
import { failure, json, startServer, type TestServer } from '../../test/support/server.ts';
import { turns } from '../../test/support/turns.ts';
import { Agora } from '../index.ts';
import { createWorker, type Work } from './index.ts';

let server: TestServer | undefined;
afterEach(() => server?.close());

/** Runs a worker over one task; the server answers its notes with these statuses and codes, then with 201. */
async function workOnOne(refusals: [number, string][], handler: (work: Work) => Promise<Record<string, unknown>>) {
  const stop = new AbortController();
  const ended = vi.fn();
  let state = 'submitted';
  let answered = 0;
  server = await startServer(async ({ url }, response) => {
    if (url === '/api/v1/agents/me') return json(response, 200, { availability: 'available' });
    const view = { id: 't1', status: state, input: {} };
    if (url.includes('/assigned')) {
      const data = state === 'submitted' ? [view] : [];
      return json(response, 200, { data, pagination: { pageSize: 20, nextCursor: null } });
    }
    if (url.endsWith('/provision')) return json(response, 200, { data: { sandboxId: 'sbx' } });
    if (url.endsWith('/progress')) {
      const [status, code] = refusals.shift() ?? [];
      // What does not wait for the note comes meanwhile.
      await turns(50);
      answered += 1;
      return status === undefined ? json(response, 201, {}) : failure(response, status, code as string);
    }
    state = url.split('/').at(-1) as string;
    json(response, 200, view);
    if (state === 'executing') return;
    ended(state, answered);
    stop.abort();
  });
  const onError = vi.fn();
  const agora = new Agora({ baseUrl: server.baseUrl, agentKey: 'ac_live_k', timeoutMs: 2000 });
  await createWorker({ agora, handle: handler, onError }).run({ signal: stop.signal });
  const notes = server.seen.filter((one) => one.url.endsWith('/progress')).map((one) => one.body);
  return { notes, onError, ended };
}

it('a handler tells how far it is', async () => {
  const { notes, onError, ended } = await workOnOne([], async ({ progress }) => {
    await progress({ percent: 50 });
    await progress({ message: 'nearly there' });
    return { result: 'done' };
  });
  expect(notes).toEqual([{ percent: 50 }, { message: 'nearly there' }]);
  expect(onError).not.toHaveBeenCalled();
  expect(ended).toHaveBeenCalledWith('complete', expect.any(Number));
});

it('a note that nobody waited for is there before the delivery', async () => {
  const { ended } = await workOnOne([], async ({ progress }) => {
    void progress({ message: 'almost' });
    return { result: 'done' };
  });
  expect(ended).toHaveBeenCalledWith('complete', 1);
});

it('a note that nobody waited for is there before the failure', async () => {
  const { ended, onError } = await workOnOne([], async ({ progress }) => {
    void progress({ message: 'almost' });
    throw new Error('no');
  });
  expect(ended).toHaveBeenCalledWith('fail', 1);
  expect(onError).not.toHaveBeenCalled();
});

it('a note that is refused is reported, sent once, and does not fail the task', async () => {
  const { notes, onError, ended } = await workOnOne(
    [
      [429, 'RATE_LIMITED'],
      [409, 'PROGRESS_LIMIT_REACHED'],
      [500, 'INTERNAL_ERROR'],
    ],
    async ({ progress, signal }) => {
      for (const percent of [1, 2, 3, 4]) await progress({ percent });
      expect(signal.aborted).toBe(false);
      return { result: 'done' };
    },
  );
  expect(notes).toHaveLength(4);
  expect(onError.mock.calls.map(([error]) => error.code)).toEqual([
    ...['RATE_LIMITED', 'PROGRESS_LIMIT_REACHED', 'INTERNAL_ERROR'],
  ]);
  expect(ended).toHaveBeenCalledWith('complete', expect.any(Number));
});

it('a note for a task that moved on tells the handler so', async () => {
  const { onError } = await workOnOne([[409, 'TASK_WRONG_STATE']], async ({ progress, signal }) => {
    await progress({ percent: 1 });
    expect(signal.aborted).toBe(true);
    return { result: 'too late' };
  });
  expect(onError.mock.calls.map(([error]) => error.code)).toEqual(['TASK_WRONG_STATE']);
});
