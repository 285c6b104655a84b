import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Seen {
  method: string;
  /** Path and query. */
  url: string;
  headers: IncomingMessage['headers'];
  body: unknown;
}

export type Answer = (seen: Seen, response: ServerResponse, count: number) => void | Promise<void>;

/** A real HTTP server for the SDK's own tests: remembers what it saw and answers as the test says. */
export async function startServer(answer: Answer) {
  const seen: Seen[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const one: Seen = {
      method: request.method ?? '',
      url: request.url ?? '',
      headers: request.headers,
      body: text === '' ? undefined : JSON.parse(text),
    };
    seen.push(one);
    await answer(one, response, seen.length);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

export type TestServer = Awaited<ReturnType<typeof startServer>>;

/** Answers with JSON. */
export function json(response: ServerResponse, status: number, body?: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body === undefined ? '' : JSON.stringify(body));
}

/** Answers with an error as the service writes it. */
export function failure(response: ServerResponse, status: number, code: string, headers: Record<string, string> = {}) {
  json(response, status, { success: false, error: { code, message: `it is ${code}`, details: { code } } }, headers);
}
