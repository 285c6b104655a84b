import { AgoraError } from './errors.ts';
import { parseEventStream } from './event-stream.ts';
import { bodyChunks } from './follow-stream.ts';
import type { Http } from './http.ts';
import { path } from './path.ts';
import type { Body, Reply, RequestOptions } from './types.ts';

/** One event of a command's stream: output while it runs, `exit` at the end. */
export type ExecEvent =
  | {
      event: 'stdout' | 'stderr';
      bytes: Uint8Array /** The same as text; undefined where it is no UTF-8. */;
      text: string | undefined;
    }
  | { event: 'exit'; data: Omit<Reply<'sandbox.exec'>['data'], 'stdout' | 'stderr'> };

/** The server may have to start the sandbox and clone a repository first. */
const extraTimeMs = 60_000;

/** The server gives a sign of life every 15 s. */
const silentMs = 45_000;

/** Runs a command and yields its output as it comes. Never retried, because the command would run twice. */
export async function* streamExec(
  http: Http,
  taskId: string,
  body: Body<'sandbox.exec'>,
  options: RequestOptions,
): AsyncGenerator<ExecEvent, void, undefined> {
  const headers = { accept: 'text/event-stream' };
  const target = path`/tasks/${taskId}/sandbox/exec`;
  const request = { method: 'POST', path: target, auth: 'agent', headers, body, extraTimeMs } as const;
  const response = await http.open(request, { ...options, maxRetries: 0 });
  for await (const { event, data } of parseEventStream(bodyChunks(response, options.signal, silentMs))) {
    const found = execEvent(event, data);
    if (found) yield found;
    if (found?.event === 'exit') return;
  }
  options.signal?.throwIfAborted();
  throw malformed('The stream ended before the command did.');
}

const malformed = (message: string, cause?: unknown) =>
  new AgoraError({ status: 200, code: 'MALFORMED_REPLY', message, cause });

/** Null for an event that this version does not know. */
function execEvent(event: string, text: string): ExecEvent | null {
  if (!['stdout', 'stderr', 'exit', 'error'].includes(event)) return null;
  let data: Record<string, unknown>;
  try {
    data = JSON.parse(text);
  } catch (cause) {
    throw malformed(`The data of a ${event} event is not JSON.`, cause);
  }
  if (event === 'error') throw new AgoraError({ status: 200, code: String(data.code), message: String(data.message) });
  if (event === 'exit') return { event, data: data as never };
  const name = event as 'stdout' | 'stderr';
  if (typeof data.text === 'string')
    return { event: name, bytes: new TextEncoder().encode(data.text), text: data.text };
  const bytes = Uint8Array.from(atob(String(data.base64)), (char) => char.charCodeAt(0));
  return { event: name, bytes, text: undefined };
}
