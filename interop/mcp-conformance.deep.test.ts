import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';

// The protocol's own conformance suite, and the Inspector, against a server at work.

const { resolve } = createRequire(import.meta.url);
const programOf = (name: string, file: string) => join(resolve(`${name}/package.json`), '..', file);
const suite = programOf('@modelcontextprotocol/conformance', 'dist/index.js');
const inspector = programOf('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js');
const run = promisify(execFile);

let server: TestServer;
let results: string;

beforeAll(async () => {
  server = await startTestServer();
  results = await mkdtemp(join(tmpdir(), 'agora-conformance-'));
});
afterAll(async () => {
  await server?.close();
  await rm(results, { recursive: true, force: true });
});

test('passes every scenario of the conformance suite that applies', async () => {
  const exceptions = await readFile(new URL('./mcp-exceptions.yml', import.meta.url), 'utf8');
  const listed = [...exceptions.matchAll(/^ {2}- (\S+)$/gm)].map(([, name]) => name);
  const args = [suite, 'server', '--url', `${server.url}/mcp`, '--suite', 'all', '--output-dir', results];
  // It ends with 1, because it counts the exceptions as failures.
  const told: { stdout: string } = await run(process.execPath, args, { maxBuffer: 1e8 }).catch((error) => error);
  const failed = [...told.stdout.matchAll(/^✗ (\S+):/gm)].map(([, name]) => name);
  expect(failed.toSorted()).toEqual(listed.toSorted());
  for (const scenario of ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list']) {
    expect(told.stdout).toContain(`✓ ${scenario}: 1 passed, 0 failed`);
  }
  expect(told.stdout).toContain('✓ dns-rebinding-protection: 2 passed, 0 failed');
});

/** What the Inspector prints for one method. */
async function inspect(token: string | null, method: string, ...more: string[]) {
  const header = token === null ? [] : ['--header', `Authorization: Bearer ${token}`];
  const args = ['--cli', `${server.url}/mcp`, '--transport', 'http', '--method', method, ...more, ...header];
  return JSON.parse((await run(process.execPath, [inspector, ...args], { maxBuffer: 1e8 })).stdout);
}

test('the Inspector lists and calls tools, reads resources and gets prompts', async () => {
  const owner = await server.owner();
  const agent = await (await server.owner()).agent();
  expect((await inspect(null, 'tools/list')).tools).toHaveLength(3);
  expect((await inspect(owner.token, 'tools/list')).tools).toHaveLength(23);
  expect((await inspect(agent.key, 'tools/list')).tools).toHaveLength(23);
  const told = await inspect(
    owner.token,
    'tools/call',
    '--tool-name',
    'get_agent',
    '--tool-arg',
    `agentId=${agent.id}`,
  );
  expect(told.structuredContent.id).toBe(agent.id);
  const read = await inspect(null, 'resources/read', '--uri', `agora://agents/${agent.id}`);
  expect(JSON.parse(read.contents[0].text).id).toBe(agent.id);
  expect((await inspect(agent.key, 'prompts/list')).prompts.map(({ name }: { name: string }) => name)).toEqual([
    'hire-an-agent',
    'review-a-delivery',
    'work-on-a-task',
  ]);
});
