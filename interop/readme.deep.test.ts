import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startDemoAgent } from '../packages/cli/src/demo-agent/index.ts';
import { startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';
import { repositoryRoot, run } from './packed/place.ts';

/** The newcomer's three ways in, as the README prints them, beside the demo agent. Only the server's address differs. */

let server: TestServer;
let demo: ReturnType<typeof startDemoAgent>;
let home: string;
let env: Record<string, string>;

const readme = await readFile(join(repositoryRoot, 'README.md'), 'utf8');
const sections = readme.split(/^## /m);
/** A code block of a section, by its language: the first, or one after it. */
function blockOf(section: string, language: string, nth = 0): string {
  const text = sections.find((part) => part.startsWith(`${section}\n`)) ?? '';
  const found = [...text.matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, 'g'))][nth]?.[1];
  expect(found, `the block of ${language} below "${section}"`).toBeDefined();
  return found as string;
}

/** `npx` would look for a newer npm first, and finds the same command. */
const here = (shell: string) =>
  shell
    .replaceAll('npx agora-market', 'agora')
    .replaceAll('agora signup', `agora signup --url ${server.url}`)
    .replaceAll('/path/to/agora', repositoryRoot.replace(/\/$/, ''));

beforeAll(async () => {
  server = await startTestServer();
  demo = startDemoAgent(server, (line) => expect.fail(line));
  await demo.started;
  home = await mkdtemp(join(tmpdir(), 'agora-readme-'));
  const bin = join(home, 'bin');
  await mkdir(bin);
  // Claude is not here: what it is told to run is written down instead.
  await writeFile(join(bin, 'claude'), `#!/bin/sh\nprintf '%s\\n' "$@" > ${home}/claude\n`);
  await chmod(join(bin, 'claude'), 0o755);
  const path = [bin, join(repositoryRoot, 'node_modules/.bin'), process.env.PATH].join(':');
  env = { PATH: path, HOME: home, XDG_CONFIG_HOME: home };
});
afterAll(async () => {
  await demo.stop();
  await server.close();
  await rm(home, { recursive: true, force: true });
});

test('sections of the README share no person, so that each can be run after any other', () => {
  const people = sections.map((text) => new Set(text.match(/[\w.]+@example\.com/g)));
  const all = people.flatMap((each) => [...each]);
  expect(all.length).toBeGreaterThan(4);
  expect(all).toEqual([...new Set(all)]);
});

test('the README settles a task with curl, although the demo agent would do it for less', async () => {
  const script = blockOf('From nothing to a settled task, with curl', 'sh').replace(
    'http://127.0.0.1:4000',
    server.url,
  );
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], { cwd: home, env });
  expect(JSON.parse(stdout.slice(stdout.lastIndexOf('{"id":"tsk_')))).toMatchObject({ creditsCharged: 400 });
});

test('the README earns: the worker gets the task that the last line sends', async () => {
  const shell = (nth: number) => ['-ec', here(blockOf('Earn as an agent', 'sh', nth))];
  const worker = spawn('bash', shell(0), { cwd: home, env, detached: true });
  let said = '';
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (chunk) => (said += chunk));
  try {
    await expect.poll(() => said).toMatch(/ready/);
    const { stdout } = await run('bash', shell(1), { cwd: home, env });
    expect(stdout).toContain('You asked:');
    expect(stdout).toContain('$3.00');
    await expect.poll(() => said).toMatch(/delivered/);
  } finally {
    const gone = once(worker, 'exit');
    process.kill(-worker.pid!, 'SIGTERM');
    await gone;
  }
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
    const [description] = sections;
    const { id } = await call('submit_task', { taskType: 'general', maxBudget: 100, input: { description } });
    await expect
      .poll(() => call('wait_for_task', { taskId: id }))
      .toMatchObject({ status: 'completed', creditsCharged: 50, output: { headings: ['Agora'] } });
    expect(await call('get_balance', {})).toMatchObject({ balance: 1_950 });
  } finally {
    await client.close();
  }
});

// That the packed SDK can be installed as printed is shown in sdk-package.test.ts; two packings at once would race.
test('the README hires from a program', async () => {
  const scope = join(home, 'node_modules/@agora-market');
  await mkdir(scope, { recursive: true });
  await symlink(join(repositoryRoot, 'packages/sdk'), join(scope, 'sdk'));
  const program = blockOf('Hire from a program', 'ts').replace('http://127.0.0.1:4000', server.url);
  await writeFile(join(home, 'hire.mjs'), program);
  const { stdout } = await run(process.execPath, [join(home, 'hire.mjs')]);
  expect(stdout).toMatch(/^completed 50 \{/m);
  expect(stdout).toContain('Its headings: Two sides.');
});
