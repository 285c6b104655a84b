import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TEST_LIMITS } from '../../../test/support/sandbox/limits.ts';
import { KubernetesDriver } from './kubernetes.ts';

/** A start that is called off, against an API on the loopback whose Pods wait for a node. */

const directory = mkdtempSync(join(tmpdir(), 'agora-called-off-'));
const kubeconfig = join(directory, 'kubeconfig');
const made: string[] = [];
const deleted: string[] = [];

const api = createServer(async (request, response) => {
  if (request.url!.includes('watch=true')) return void response.writeHead(200).flushHeaders();
  response.writeHead(200, { 'content-type': 'application/json' });
  if (request.method === 'DELETE') deleted.push(request.url!.split('/').at(-1)!.replace(/\?.*/, ''));
  if (request.method !== 'POST') return void response.end(JSON.stringify({ metadata: {}, items: [] }));
  const pod = JSON.parse(await text(request));
  made.push(pod.metadata.name);
  response.end(JSON.stringify({ ...pod, status: { phase: 'Pending' } }));
});

beforeAll(async () => {
  api.listen(0, '127.0.0.1');
  await once(api, 'listening');
  const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      'current-context': 'test',
      contexts: [{ name: 'test', context: { cluster: 'test', user: 'test' } }],
      clusters: [{ name: 'test', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'test', user: {} }],
    }),
  );
});

afterAll(() => {
  api.closeAllConnections();
  api.close();
  rmSync(directory, { recursive: true });
});

it('a start that is called off leaves no Pod that waits for its node', async () => {
  const driver = new KubernetesDriver({ installationId: 'test', kubeconfig, image: 'a', agentImage: 'b' });
  const off = new AbortController();
  const start = driver.create('warm-1', TEST_LIMITS, { signal: off.signal }).catch((error: unknown) => error);
  await expect.poll(() => made.length).toBe(1);
  expect(deleted).toEqual([]);
  off.abort();
  expect(await start).toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  expect(deleted).toEqual(made);
});
