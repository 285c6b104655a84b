import { onAbort } from './abort.ts';
import { TimeoutError, UnansweredError } from './errors.ts';
import type { Http } from './http.ts';
import { path } from './path.ts';
import { streamTask } from './task-stream.ts';
import { longestTimerMs } from './task-wait.ts';
import type { ItemOf, Reply, RequestOptions } from './types.ts';

/** Options of asking the other party of a task. `signal` ends the waiting; the question stays. */
export interface AskOptions extends RequestOptions {
  /** Pauses the deadline until the answer, which only the agent of an executing task can. Default true. */
  blocking?: boolean;
  /** Milliseconds to wait for the answer at most. Default: as long as it can come. */
  waitMs?: number;
}

type Message = ItemOf<'tasks.listMessages'>;

/** Posts a question and resolves with the text of its answer. */
export async function askAndWait(http: Http, taskId: string, text: string, options: AskOptions): Promise<string> {
  const { blocking = true, waitMs, signal, idempotencyKey, ...request } = options;
  const asked = await http.request<Reply<'tasks.postMessage'>>(
    {
      method: 'POST',
      path: path`/tasks/${taskId}/messages`,
      auth: 'party',
      body: { kind: 'question', text, ...(blocking && { blocking }) },
    },
    { ...request, ...(signal && { signal }), ...(idempotencyKey && { idempotencyKey }) },
  );
  const over = new AbortController();
  const stop = () => over.abort(signal?.reason);
  if (signal?.aborted) stop();
  const forget = onAbort(signal, stop);
  const late = () => over.abort(new TimeoutError({ status: null, code: 'TIMEOUT', message: `${waitMs} ms are over` }));
  const timer = waitMs === undefined ? undefined : setTimeout(late, Math.min(waitMs, longestTimerMs));
  try {
    const limited = { ...request, signal: over.signal };
    const answer = asked.answeredBy ?? (await answerTo(http, taskId, asked.id, limited));
    return await textOf(http, taskId, answer, limited);
  } finally {
    clearTimeout(timer);
    forget();
  }
}

/** The id of the answer, once it has come. */
async function answerTo(http: Http, taskId: string, question: string, request: RequestOptions): Promise<string> {
  for await (const { event, data } of streamTask(http, taskId, request)) {
    if (event === 'message' && data.answers === question) return data.messageId;
    if (event === 'unanswered' && data.messageId === question)
      throw new UnansweredError(taskId, 'The time for the answer is over');
  }
  throw new UnansweredError(taskId, 'The task has ended');
}

async function textOf(http: Http, taskId: string, id: string, request: RequestOptions): Promise<string> {
  const query = { pageSize: 100 };
  const all = http.list<Message>(
    { method: 'GET', path: path`/tasks/${taskId}/messages`, auth: 'party', query },
    request,
  );
  for await (const message of all) if (message.id === id) return message.text;
  throw new UnansweredError(taskId, 'The answer is gone');
}
