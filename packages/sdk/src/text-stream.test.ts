import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, failure, json, startServer, type TestServer } from '../test/support/server.ts';
import { Agora, AgoraError, ConnectionError, PermissionDeniedError } from './index.ts';

let answer: Answer;
let server: TestServer;
let agora: Agora;

beforeAll(async () => {
  server = await startServer((...request) => answer(...request));
  agora = new Agora({ baseUrl: server.baseUrl, ownerToken: 'token', maxRetries: 0 });
});
afterAll(() => server.close());

async function textOf(chunks: AsyncGenerator<string>): Promise<string> {
  let text = '';
  for await (const chunk of chunks) text += chunk;
  return text;
}

const csv = { 'content-type': 'text/csv; charset=utf-8' };

describe('an export', () => {
  it('is asked for as CSV, and comes whole where a character is cut in two', async () => {
    answer = (_, response) => {
      const bytes = Buffer.from('name\r\nJosé\r\n');
      response.writeHead(200, csv);
      response.write(bytes.subarray(0, 10), () => response.end(bytes.subarray(10)));
    };
    expect(await textOf(agora.vault.exportPoolTransactions({ cause: 'top_up' }))).toBe('name\r\nJosé\r\n');
    const { url, headers } = server.seen.at(-1)!;
    expect(url).toBe('/api/v1/vault/pool/transactions/export?cause=top_up');
    expect([headers.accept, headers.authorization]).toEqual(['text/csv', 'Bearer token']);
  });

  it('that breaks off is a ConnectionError, so that half of it is not taken for all', async () => {
    answer = (_, response) => {
      response.writeHead(200, csv);
      response.write('name\r\n', () => response.destroy());
    };
    await expect(textOf(agora.vault.exportPoolTransactions())).rejects.toBeInstanceOf(ConnectionError);
  });

  it('that is refused is the error of the refusal, and a reply of another kind is none', async () => {
    answer = (_, response) => failure(response, 403, 'NOT_AGENT_OWNER');
    await expect(textOf(agora.vault.exportAgentWalletTransactions('agt_x'))).rejects.toBeInstanceOf(
      PermissionDeniedError,
    );
    answer = (_, response) => json(response, 200, {});
    await expect(textOf(agora.vault.exportMonthlyStatement('2026-11'))).rejects.toMatchObject({
      code: 'MALFORMED_REPLY',
    });
    await expect(textOf(agora.vault.exportMonthlyStatement('2026-11'))).rejects.toBeInstanceOf(AgoraError);
  });

  it('ends with its signal, also while it waits for more, and closes the connection', async () => {
    let closed = () => {};
    const isClosed = new Promise<void>((resolve) => {
      closed = resolve;
    });
    answer = (_, response) => {
      response.on('close', closed);
      response.writeHead(200, csv);
      response.write('name\r\n');
    };
    const stop = new AbortController();
    const chunks = agora.vault.exportPoolTransactions({}, { signal: stop.signal });
    expect((await chunks.next()).value).toBe('name\r\n');
    const more = chunks.next();
    stop.abort(new Error('enough'));
    await expect(more).rejects.toThrow('enough');
    await isClosed;
  });
});
