import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const siteKey = '1x00000000000000000000AA';
const secretKey = '1x0000000000000000000000000000000AA';

type Answer = (response: ServerResponse) => void;

/**
 * A Turnstile on this machine, which answers as Cloudflare's siteverify does: each token that it gave out passes once,
 * all others never.
 */
export async function startTurnstile() {
  const given = new Map<string, { isUsed: boolean; hostname: string; action: string }>();
  const asked: unknown[] = [];
  let answer: Answer | null = null;

  function verdictOf({ secret, response }: { secret?: string; response?: string }) {
    const refused = (code: string) => ({ success: false, 'error-codes': [code], messages: [] });
    if (secret !== secretKey) return refused('invalid-input-secret');
    const token = given.get(response ?? '');
    if (token === undefined) return refused('invalid-input-response');
    if (token.isUsed) return refused('timeout-or-duplicate');
    token.isUsed = true;
    const { hostname, action } = token;
    return { success: true, 'error-codes': [], challenge_ts: '2026-11-21T12:00:00.000Z', hostname, action, cdata: '' };
  }

  const http = createServer(async (request, response) => {
    let text = '';
    for await (const part of request) text += part;
    const body = JSON.parse(text);
    asked.push(body);
    if (answer !== null) return answer(response);
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(verdictOf(body)));
  });
  await new Promise<void>((listening) => http.listen(0, '127.0.0.1', listening));
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/siteverify`;
  let count = 0;
  return {
    settings: {
      TURNSTILE_SITE_KEY: siteKey,
      TURNSTILE_SECRET_KEY: secretKey,
      TURNSTILE_VERIFY_URL: url,
      OUTBOUND_ALLOW_LOOPBACK: true,
    },
    /** The bodies of all requests so far. */
    asked,
    /** What the widget gives to the page of somebody who has passed. */
    solve({ hostname = 'agora.example', action = '' } = {}): string {
      const token = `0.token-${++count}`;
      given.set(token, { isUsed: false, hostname, action });
      return token;
    },
    /** Answers from now on, instead of verdicts. */
    answer(next: Answer | null) {
      answer = next;
    },
    async close() {
      http.closeAllConnections();
      await new Promise((closed) => http.close(closed));
    },
  };
}
