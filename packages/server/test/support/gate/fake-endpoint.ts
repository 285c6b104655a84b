import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach } from 'vitest';

/** What the fake was asked, as it came over the wire. */
export interface Asked {
  path: string;
  headers: IncomingMessage['headers'];
  body: {
    model: string;
    temperature: number;
    max_tokens: number;
    messages: Array<{ role: string; content: string }>;
    response_format: { type: string; json_schema: { strict?: boolean; schema: Record<string, unknown> } };
  };
}

export type Turn = (response: ServerResponse, asked: Asked) => void;

export interface FakeEndpoint {
  url: string;
  asked: Asked[];
  /** What happens at the next calls, in turn; the last one goes on. */
  script(...turns: Turn[]): void;
}

const completion = (message: object, more: { finish?: string; usage?: object | null } = {}) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'some-other-name',
  choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: more.finish ?? 'stop' }],
  ...(more.usage !== null && { usage: more.usage ?? { prompt_tokens: 700, completion_tokens: 50, total_tokens: 750 } }),
});

const send = (response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
};

/** Turns of an OpenAI-compatible endpoint, good and bad. */
export const says = {
  verdict:
    (score: unknown, reasons: unknown = 'It does what was asked.'): Turn =>
    (response) =>
      send(response, 200, completion({ content: JSON.stringify({ reasons, score }) })),
  content:
    (content: string | null, more: { finish?: string; usage?: object | null; refusal?: string } = {}): Turn =>
    (response) =>
      send(response, 200, completion({ content, refusal: more.refusal ?? null }, more)),
  status:
    (status: number, headers: Record<string, string> = {}): Turn =>
    (response, { headers: sent }) =>
      // Some endpoints repeat the key in what they say about it.
      send(response, status, { error: { message: `no: ${sent.authorization}`, type: 'x', code: 'x' } }, headers),
  body:
    (body: string): Turn =>
    (response) =>
      send(response, 200, body),
  nothing: (): Turn => () => undefined,
  half: (): Turn => (response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
    response.write('{"id":"x","choices":[');
    response.socket?.end();
  },
  hangUp: (): Turn => (response) => {
    response.socket?.destroy();
  },
  drip: (): Turn => (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => response.write(' '), 20);
    response.on('close', () => clearInterval(timer));
  },
  flood: (): Turn => (response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  },
};

const open: Array<() => void> = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

/** A real HTTP server that answers as a script says; it ends with the test. */
export async function fakeEndpoint(...turns: Turn[]): Promise<FakeEndpoint> {
  let script = turns;
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = { path: request.url ?? '', headers: request.headers, body: text === '' ? null : JSON.parse(text) };
      asked.push(one as Asked);
      const turn = script.length > 1 ? script.shift() : script[0];
      turn?.(response, one as Asked);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    script: (...next) => {
      script = next;
    },
  };
}
