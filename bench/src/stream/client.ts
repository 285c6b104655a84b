import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';

/** An open stream on a bare socket, so that the client costs the machine little. */
export interface OpenStream {
  /** Resolves with the time at which the next status comes. */
  next(): Promise<number>;
  close(): void;
}

export async function openStream(url: string, taskId: string, token: string): Promise<OpenStream> {
  const { hostname, port } = new URL(url);
  const socket: Socket = connect(Number(port), hostname).setNoDelay(true);
  let arrived = 0;
  let expect: ((at: number) => void) | null = null;
  socket.setEncoding('utf8').on('data', (text: string) => {
    const statuses = text.split('event: status').length - 1;
    if (statuses === 0) return;
    arrived += statuses;
    expect?.(performance.now());
  });
  const first = new Promise<number>((resolve, reject) => {
    expect = resolve;
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('a stream ended early')));
  });
  socket.write(
    `GET /api/v1/tasks/${taskId}/stream HTTP/1.1\r\nhost: bench\r\nauthorization: Bearer ${token}\r\naccept: text/event-stream\r\n\r\n`,
  );
  await first;
  return {
    next: () =>
      new Promise((resolve) => {
        const seen = arrived;
        expect = (at) => {
          if (arrived > seen) resolve(at);
        };
      }),
    close: () => socket.destroy(),
  };
}

const agent = new Agent({ keepAlive: true, noDelay: true });

/** One request; gives the reply and the milliseconds until all of it had come. */
export function post(
  url: string,
  headers: Record<string, string>,
  body: object,
): Promise<{ reply: { id: string }; ms: number }> {
  return new Promise((resolve, reject) => {
    const from = performance.now();
    const sent = request(`${url}`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part) => {
        text += part;
      });
      response.on('end', () => {
        if ((response.statusCode ?? 500) >= 300) return reject(new Error(`${url}: ${response.statusCode} ${text}`));
        resolve({ reply: JSON.parse(text), ms: performance.now() - from });
      });
    });
    sent.end(JSON.stringify(body));
  });
}
