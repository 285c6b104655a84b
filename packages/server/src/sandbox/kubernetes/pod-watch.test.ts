import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { connectCluster } from './cluster.ts';

/** The watch over Pods, against an API on the loopback and a program that gives the token. */

const directory = mkdtempSync(join(tmpdir(), 'agora-watch-'));
const [token, asked, kubeconfig] = ['token', 'asked', 'kubeconfig'].map((name) => join(directory, name)) as [
  string,
  string,
  string,
];
let pods: string[];
let answer: 'works' | 'fails' | 'hangs';
let requests: number;
let held: ServerResponse | undefined;
let seen: string[];
let stop: () => void;

const podOf = (name: string) => ({ metadata: { name } });
const tell = (type: string, object: object) => held!.write(`${JSON.stringify({ type, object })}\n`);
const isHeld = () => held !== undefined;
const tokensAsked = () => readFileSync(asked, 'utf8').length;
const giveTokens = () =>
  // One that has expired, so that the next request asks again.
  writeFileSync(token, JSON.stringify({ status: { token: 'x', expirationTimestamp: '2000-01-01T00:00:00Z' } }));

const api = createServer((request, response) => {
  requests++;
  if (answer === 'hangs') return hold(response);
  if (answer === 'fails') return void response.writeHead(500).end('{}');
  if (!request.url!.includes('watch=true')) {
    return void response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ metadata: { resourceVersion: '7' }, items: pods.map(podOf) }));
  }
  response.writeHead(200).flushHeaders();
  hold(response);
});

function hold(response: ServerResponse): void {
  held = response;
  response.once('close', () => {
    if (held === response) held = undefined;
  });
}

beforeEach(async () => {
  [pods, answer, requests, seen] = [['a'], 'works', 0, []];
  held = undefined;
  writeFileSync(asked, '');
  giveTokens();
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  const exec = {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'sh',
    args: ['-c', `printf x >> ${asked}; cat ${token}`],
  };
  const config = {
    clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
    users: [{ name: 'u', user: { exec } }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
  writeFileSync(kubeconfig, JSON.stringify(config));
});
afterEach(async () => {
  stop();
  api.closeAllConnections();
  await new Promise((resolve) => api.close(resolve));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function watch(): Promise<void> {
  const cluster = await connectCluster({ kubeconfig, namespace: 'n', watchAgainMs: 10 });
  stop = cluster.watchPods('a=b', ({ metadata }, isGone) => void seen.push(`${isGone ? '-' : '+'}${metadata!.name}`));
}

it('begins again after whatever fails, and misses nothing', async () => {
  await watch();
  await expect.poll(isHeld).toBe(true);
  expect(seen).toEqual(['+a']);

  rmSync(token);
  const before = tokensAsked();
  held!.destroy();
  await expect.poll(tokensAsked).toBeGreaterThan(before + 2);
  answer = 'fails';
  giveTokens();
  const failed = requests;
  await expect.poll(() => requests).toBeGreaterThan(failed + 2);
  pods = ['b'];
  answer = 'works';
  await expect.poll(isHeld).toBe(true);
  tell('ADDED', podOf('c'));
  await expect.poll(() => seen).toEqual(['+a', '-a', '+b', '+c']);

  pods = ['b', 'c', 'd'];
  tell('ERROR', { kind: 'Status', code: 410 });
  await expect.poll(() => seen.slice(4)).toEqual(['+b', '+c', '+d']);
  await expect.poll(isHeld).toBe(true);
  tell('DELETED', podOf('d'));
  await expect.poll(() => seen.at(-1)).toBe('-d');
});

it.each([
  ['watch', 'works', 2],
  ['list', 'hangs', 1],
] as const)('ends its %s when it is stopped', async (_what, now, made) => {
  answer = now;
  await watch();
  await expect.poll(isHeld).toBe(true);
  stop();
  await expect.poll(isHeld).toBe(false);
  expect(requests).toBe(made);
});
