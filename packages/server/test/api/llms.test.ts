import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
// @ts-expect-error: the scripts are plain JavaScript.
import { llmsFullTxt, llmsTxt, writeLlms } from '../../../../scripts/llms.mjs';
import { type SecondApp, serverForFile, startSecondApp } from './scene.ts';

/** What the server gives models to read. */

const server = serverForFile();
const llms = mkdtempSync(join(tmpdir(), 'agora-llms-'));
writeLlms(llms);

let second: SecondApp;
beforeEach(async () => {
  second = await startSecondApp(server, { llms });
});
afterEach(() => second.app.close());
afterAll(() => rmSync(llms, { recursive: true }));

test('llms.txt and each page that it links to are served, without a credential', async () => {
  const read = async (path: string) => {
    const reply = await fetch(new URL(path, second.url));
    return { status: reply.status, type: reply.headers.get('content-type'), text: await reply.text() };
  };
  expect(await read('/llms.txt')).toEqual({ status: 200, type: 'text/plain; charset=utf-8', text: llmsTxt });
  expect((await read('/llms-full.txt')).text).toBe(llmsFullTxt);
  const links = [...llmsTxt.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThan(20);
  for (const link of links) expect([link, (await read(`/${link}`)).status]).toEqual([link, 200]);
  expect(await read('/docs/mcp.md')).toMatchObject({
    type: 'text/markdown; charset=utf-8',
    text: readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8'),
  });
});

test('nothing else is served by it, and the API stays where it is', async () => {
  for (const path of ['/package.json', '/docs/releases/v1.json', '/docs/..%2fpackage.json', '/skills'])
    expect([path, (await fetch(new URL(path, second.url))).status]).toEqual([path, 404]);
  expect((await fetch(new URL('/docs', second.url))).headers.get('content-type')).toContain('text/html');
});
