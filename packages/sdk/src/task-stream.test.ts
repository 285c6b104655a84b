import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, failure, startServer, type TestServer } from '../test/support/server.ts';
import { parseEventStream, type ServerSentEvent } from './event-stream.ts';
import { Agora, NotFoundError, type TaskStreamEvent } from './index.ts';

async function parse(...chunks: Uint8Array[]): Promise<ServerSentEvent[]> {
  const source = async function* () {
    yield* chunks;
  };
  const events: ServerSentEvent[] = [];
  for await (const event of parseEventStream(source())) events.push(event);
  return events;
}

describe('the event stream parser', () => {
  const text =
    '\u{feff}: hello\r\n\r\nretry: 1500\nid: 1\nevent: status\ndata: {"a":\ndata:  "ü€😀"}\n\n' +
    'data:no space\r\rid: bad\0id\r\nevent:error\r\n\r\nunknown: x\ndata\n\nid\ndata: next to\r\ndata: last\r\n\r\ndata: cut off';
  const expected: ServerSentEvent[] = [
    { event: 'status', data: '{"a":\n "ü€😀"}', id: '1', retryMs: 1500 },
    { event: 'message', data: 'no space', id: '1', retryMs: 1500 },
    { event: 'error', data: '', id: '1', retryMs: 1500 },
    { event: 'message', data: '', id: '1', retryMs: 1500 },
    { event: 'message', data: 'next to\nlast', id: '', retryMs: 1500 },
  ];
  const bytes = new TextEncoder().encode(text);

  it('reads every line end, comments, several data lines, ids and retry', async () => {
    expect(await parse(bytes)).toEqual(expected);
  });

  it('gives the same events wherever the bytes are cut in two', async () => {
    for (let at = 0; at <= bytes.length; at++) {
      expect(await parse(bytes.subarray(0, at), bytes.subarray(at)), `cut at ${at}`).toEqual(expected);
    }
  });

  it('gives the same events byte by byte, empty chunks in between', async () => {
    const chunks = [...bytes].flatMap((byte) => [Uint8Array.of(byte), new Uint8Array()]);
    expect(await parse(...chunks)).toEqual(expected);
  });
});

describe('following a task', () => {
  let server: TestServer | undefined;
  afterEach(() => server?.close());

  const start = async (answer: Answer) => {
    server = await startServer(answer);
    return new Agora({ baseUrl: server.baseUrl, ownerToken: 'tok' });
  };
  const sse: Answer = (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' });
  const status = (id: number, name: string) => `id: ${id}\nevent: status\ndata: {"status":"${name}"}\n\n`;

  async function collect(events: AsyncIterable<TaskStreamEvent>): Promise<TaskStreamEvent[]> {
    const all: TaskStreamEvent[] = [];
    for await (const event of events) all.push(event);
    return all;
  }

  it('ends with complete and skips kinds it does not know', async () => {
    const agora = await start((seen, response, count) => {
      sse(seen, response, count);
      response.write(`${status(1, 'executing')}event: novelty\ndata: x\n\n`);
      response.write('id: 2\nevent: complete\ndata: {"output":{"result":1},"qualityScore":80}\n\n');
    });
    expect(await collect(agora.tasks.stream('tsk_1'))).toEqual([
      { event: 'status', id: '1', data: { status: 'executing' } },
      { event: 'complete', id: '2', data: { output: { result: 1 }, qualityScore: 80 } },
    ]);
    expect(server?.seen[0]?.headers.accept).toBe('text/event-stream');
    expect(server?.seen[0]?.headers.authorization).toBe('Bearer tok');
  });

  it('resumes after the last event when the connection drops, ends early or is refused for a while', async () => {
    const agora = await start((seen, response, count) => {
      if (count === 3) return failure(response, 503, 'NOT_READY', { 'retry-after': '0' });
      sse(seen, response, count);
      response.write('retry: 1\n\n');
      if (count === 1) response.write(status(1, 'routing'), () => response.socket?.destroy());
      else if (count === 2) response.end(`${status(2, 'executing')}id: 3\nevent: complete\nda`);
      else response.end('id: 3\nevent: error\n\n');
    });
    expect(await collect(agora.tasks.stream('tsk_1', { lastEventId: '0' }))).toEqual([
      { event: 'status', id: '1', data: { status: 'routing' } },
      { event: 'status', id: '2', data: { status: 'executing' } },
      { event: 'error', id: '3', data: {} },
    ]);
    expect(server?.seen.map((one) => one.headers['last-event-id'])).toEqual(['0', '1', '2', '2']);
  });

  it('a refusal ends it at once', async () => {
    const agora = await start((_, response) => failure(response, 404, 'TASK_NOT_FOUND'));
    await expect(collect(agora.tasks.stream('tsk_1'))).rejects.toBeInstanceOf(NotFoundError);
    expect(server?.seen).toHaveLength(1);
  });

  it('a reply that is no event stream, or data that is no JSON, is a malformed reply', async () => {
    const page = await start((_, response) => void response.end('<html>'));
    await expect(collect(page.tasks.stream('tsk_1'))).rejects.toMatchObject({ code: 'MALFORMED_REPLY' });
    await server?.close();
    const broken = await start((seen, response, count) => {
      sse(seen, response, count);
      response.write('event: status\ndata: {\n\n');
    });
    await expect(collect(broken.tasks.stream('tsk_1'))).rejects.toMatchObject({ code: 'MALFORMED_REPLY' });
  });

  it('the signal ends it with its reason, and leaving the loop closes the connection', async () => {
    let closed = 0;
    const agora = await start((seen, response, count) => {
      sse(seen, response, count);
      response.on('close', () => closed++);
      response.write(status(1, 'executing'));
    });
    const controller = new AbortController();
    const follow = async () => {
      for await (const _ of agora.tasks.stream('tsk_1', { signal: controller.signal })) {
        controller.abort(new Error('enough'));
      }
    };
    await expect(follow()).rejects.toThrow('enough');
    for await (const _ of agora.tasks.stream('tsk_1')) break;
    await expect.poll(() => closed).toBe(2);
    expect(server?.seen).toHaveLength(2);
  });
});
