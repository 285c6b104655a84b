import { connect, type Socket } from 'node:net';

/** Called with status and body of each reply; the body is only read as ASCII. */
export type OnReply = (status: number, body: string) => void;

/** One keep-alive connection with at most one request under way. */
export interface Connection {
  send(request: string): void;
  close(): void;
}

/**
 * A minimal HTTP/1.1 client: it shares the machine with what it measures, and an ordinary client costs as much as the
 * server. It understands only replies with Content-Length.
 */
export function openConnection(port: number, onReply: OnReply, onError: (error: Error) => void): Promise<Connection> {
  let pending = '';

  const receive = (text: string) => {
    const all = pending === '' ? text : pending + text;
    const headEnd = all.indexOf('\r\n\r\n');
    const end = headEnd < 0 ? Number.POSITIVE_INFINITY : headEnd + 4 + contentLength(all, headEnd);
    if (all.length < end) {
      pending = all;
      return;
    }
    pending = '';
    onReply(Number(all.slice(9, 12)), all.slice(headEnd + 4, end));
  };

  return new Promise((resolve, reject) => {
    let closing = false;
    const socket: Socket = connect({
      host: '127.0.0.1',
      port,
      noDelay: true,
      onread: {
        buffer: Buffer.allocUnsafe(64 * 1024),
        callback: (length, buffer) => {
          receive((buffer as Buffer).toString('latin1', 0, length));
          return true;
        },
      },
    });
    socket.once('connect', () =>
      resolve({
        send: (request) => void socket.write(request, 'latin1'),
        close: () => {
          closing = true;
          socket.destroy();
        },
      }),
    );
    socket.on('error', (error) => {
      reject(error);
      onError(error);
    });
    socket.on('close', () => closing || onError(new Error('the server closed a connection')));
  });
}

const header = 'content-length: ';

function contentLength(text: string, headEnd: number): number {
  const at = text.indexOf(header);
  if (at < 0 || at > headEnd) throw new Error(`a reply without ${header}: ${text.slice(0, headEnd)}`);
  return Number(text.slice(at + header.length, text.indexOf('\r', at)));
}

/** Requests are made as text once, except for the parts that differ from call to call. */
export function requestHead(method: string, path: string, credential: string): string {
  return `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n${credential}\r\n`;
}

export const jsonBody = (body: string): string =>
  `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
