import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { sceneForFile } from './support/scene.ts';

/** The dashboard behind a proxy that serves it below a path of its own. */

const path = '/agora';
const asked: string[] = [];
const proxy = createServer((incoming, outgoing) => {
  const { method, headers, url = '' } = incoming;
  asked.push(url);
  if (!url.startsWith(`${path}/`)) return outgoing.writeHead(404).end();
  const passed = request(new URL(url.slice(path.length), scene.server.url), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  passed.on('error', () => outgoing.destroy());
  return incoming.pipe(passed);
});
await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
const home = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}${path}`;
afterAll(() => new Promise((closed) => proxy.close(closed)));

const scene = sceneForFile({ config: { PUBLIC_URL: home } });

test.each(['/', '/agents', '/tasks/task_unknown'])('%s and all it loads are found below the path', async (place) => {
  asked.length = 0;
  const page = await scene.openPage({ path: `${home}${place}` });
  await page.getByRole('heading', { level: 1 }).waitFor();
  expect(asked.some((url) => url.startsWith(`${path}/assets/`))).toBe(true);
  expect(asked.filter((url) => !url.startsWith(`${path}/`))).toEqual([]);
});

test('links stay below the path', async () => {
  const page = await scene.openPage({ path: `${home}/` });
  await page.getByRole('link', { name: 'Agents', exact: true }).first().click();
  await page.waitForURL(`${home}/agents`);
});
