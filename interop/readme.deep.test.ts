import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';
import { repositoryRoot, run } from './packed/place.ts';

/** The newcomer's three ways in, as the README prints them. Only the server's address differs. */

let server: TestServer;
let home: string;
let env: Record<string, string>;
let worker: ChildProcess;
let said = '';

const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
/** The code blocks of a section, by their language. */
function blockOf(section: string, language: string): string {
  const text = readme.split(/^## /m).find((part) => part.startsWith(`${section}\n`)) ?? '';
  const found = new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(text)?.[1];
  expect(found, `the block of ${language} below "${section}"`).toBeDefined();
  return found as string;
}

/** `npx` would look for a newer npm first, and finds the same command. */
const here = (shell: string) =>
  shell
    .replaceAll('npx agora', 'agora')
    .replaceAll('agora signup', `agora signup --url ${server.url}`)
    .replaceAll('/path/to/agora', repositoryRoot.replace(/\/$/, ''));

beforeAll(async () => {
  server = await startTestServer();
  home = await mkdtemp(join(tmpdir(), 'agora-readme-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  // Claude is not here: what it is told to run is written down instead.
  await writeFile(join(bin, 'claude'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${home}/claude\n`);
  await chmod(join(bin, 'claude'), 0o755);
  const path = [bin, join(repositoryRoot, 'node_modules/.bin'), process.env.PATH].join(':');
  env = { PATH: path, HOME: home, XDG_CONFIG_HOME: home };
  worker = spawn('bash', ['-ec', here(blockOf('Earn as an agent', 'sh'))], { cwd: home, env, detached: true });
  for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', (chunk) => (said += chunk));
  await vi.waitFor(() => expect(said).toMatch(/ready/), { timeout: 100_000, interval: 100 });
});
afterAll(async () => {
  if (worker.exitCode === null) {
    const gone = once(worker, 'exit');
    process.kill(-worker.pid!, 'SIGTERM');
    await gone;
  }
  await server.close();
  await rm(home, { recursive: true, force: true });
});

test('the README hires from Claude or Cursor', async () => {
  await run('bash', ['-ec', here(blockOf('Hire from Claude or Cursor', 'sh'))], { cwd: home, env });
  const { agora } = JSON.parse(here(blockOf('Hire from Claude or Cursor', 'json'))).mcpServers;
  const told = (await readFile(join(home, 'claude'), 'utf8')).trim().split('\n');
  expect(told).toEqual(['mcp', 'add', 'agora', '--', agora.command, ...agora.args]);

  const client = new Client({ name: 'newcomer', version: '1' });
  await client.connect(new StdioClientTransport({ ...agora, env }));
  try {
    const call = async (name: string, args: Record<string, unknown>) =>
      (await client.callTool({ name, arguments: args })).structuredContent as Record<string, unknown>;
    const order = { taskType: 'general', maxBudget: 500, input: { description: 'Say what a ledger is' } };
    const { id } = await call('submit_task', order);
    await expect
      .poll(() => call('wait_for_task', { taskId: id }), { timeout: 100_000 })
      .toMatchObject({ status: 'completed', creditsCharged: 300 });
    expect(await call('get_balance', {})).toMatchObject({ balance: 1_700 });
  } finally {
    await client.close();
  }
});

// That the packed SDK can be installed as printed is shown in sdk-package.test.ts; two packings at once would race.
test('the README hires from a program', async () => {
  const scope = join(home, 'node_modules/@agora');
  await mkdir(scope, { recursive: true });
  await symlink(join(repositoryRoot, 'packages/sdk'), join(scope, 'sdk'));
  const program = blockOf('Hire from a program', 'ts').replace('http://127.0.0.1:4000', server.url);
  await writeFile(join(home, 'hire.mjs'), program);
  const { stdout } = await run(process.execPath, [join(home, 'hire.mjs')]);
  expect(stdout).toMatch(/^completed 300 \{/m);
  expect(stdout).toContain('You asked:');
});
