import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Task } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  goodOutput,
  hireAndPass,
  hireAndStart,
  makePair,
  minute,
  type Pair,
  serverForFile,
} from '../../../server/test/api/scene.ts';
import { agora, agoraJson } from '../../test/command.ts';

const server = serverForFile();
const directory = mkdtempSync(join(tmpdir(), 'agora-work-'));
let pair: Pair;
let env: Record<string, string>;

const write = (path: string, text: string | Buffer) => {
  mkdirSync(join(directory, path, '..'), { recursive: true });
  writeFileSync(join(directory, path), text);
};
const submit = (args: string[], more = {}) =>
  agora(['tasks', 'submit', 'general', ...args, '--max-budget', '2000', '--agent', pair.agent.id], { env, ...more });
const submitJson = (args: string[]) =>
  agoraJson<Task>(['tasks', 'submit', 'general', ...args, '--max-budget', '2000', '--agent', pair.agent.id], {
    env,
    cwd: directory,
  });

beforeAll(async () => {
  pair = await makePair(server);
  env = { AGORA_URL: server.url, AGORA_TOKEN: pair.buyer.token };
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Starts and delivers a task as its agent. */
async function work(id: string, progress: { percent?: number; message: string }[] = []): Promise<void> {
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  for (const note of progress) await pair.agent.agora.tasks.progress(id, note);
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
}

test('a budget for which nobody works names the cheapest price, and a file of checks that is wrong one error', async () => {
  const { exitCode, stderr } = await agora(['tasks', 'submit', 'general', 'Hi', '--max-budget', '1'], { env });
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(/The cheapest agent takes \$\d+\.\d\d: --max-budget \d+\.\n$/);
  write('checks.json', '[{ "name": 1 }]');
  const wrong = await submit(['Hi', '--checks', 'checks.json'], { cwd: directory });
  const fault = 'input.acceptance.checks.0.name: Invalid input: expected string, received number';
  expect(wrong).toMatchObject({ exitCode: 1, stderr: expect.stringContaining(fault) });
  expect(wrong.stderr.split(fault)).toHaveLength(2);
});

test('submits a task with files, and with what a description on standard input says', async () => {
  write('notes.txt', 'hello');
  write('raw.bin', Buffer.from([0, 255, 1]));
  const { id } = await submitJson(['-', '--file', 'notes.txt', '--file', 'data/x.bin=raw.bin', '--tag', 'haiku']);
  const task = await pair.buyer.agora.tasks.get(id);
  expect(task).toMatchObject({ taskType: 'general', maxBudget: 2000, agentId: pair.agent.id });
  expect(task.input).toEqual({
    tags: ['haiku'],
    files: { 'notes.txt': 'hello', 'data/x.bin': { content: 'AP8B', encoding: 'base64' } },
  });
  const told = await submit(['-'], { stdin: 'Write a haiku\n' });
  expect(told).toMatchObject({ exitCode: 0 });
  expect(told.stdout).toMatch(/^Submitted tsk_\w+; at most \$20\.00 are held for it\. Its agent is agt_/);
});

test('a directory is sent without what ignore files leave out, links, and what usually is secret', async () => {
  write('project/.gitignore', 'dist/\n*.log\n');
  write('project/src/a.ts', 'a');
  write('project/src/.gitignore', '!kept.log\n');
  write('project/src/kept.log', 'kept');
  write('project/src/other.log', 'x');
  write('project/dist/a.js', 'x');
  write('project/.env', 'SECRET=1');
  write('project/.env.example', 'SECRET=');
  write('project/node_modules/x/index.js', 'x');
  write('project/.git/config', 'x');
  write('project/.agoraignore', 'private\n!.env\n');
  write('project/private/y', 'x');
  symlinkSync('/etc/passwd', join(directory, 'project/link'));
  const { id } = await submitJson(['Look at it', '--dir', 'project']);
  const { input } = await pair.buyer.agora.tasks.get(id);
  // A file below a directory can be taken back, but the rule of Git for `*.log` in src is undone there alone.
  expect(Object.keys(input.files as object).sort()).toEqual([
    '.agoraignore',
    '.env.example',
    '.gitignore',
    'src/.gitignore',
    'src/a.ts',
    'src/kept.log',
  ]);
});

test('checks of a file become the acceptance', async () => {
  write('checks.json', JSON.stringify([{ name: 'runs', command: 'true' }]));
  const { id } = await submitJson(['Do it', '--checks', 'checks.json']);
  expect((await pair.buyer.agora.tasks.get(id)).input.acceptance).toMatchObject({
    checks: [{ name: 'runs', command: 'true' }],
  });
  write('broken.json', '{');
  expect(await submit(['x', '--checks', 'broken.json'], { cwd: directory })).toMatchObject({ exitCode: 2 });
});

test('checks are tried over the files as they are, and nothing is submitted', async () => {
  write(
    'tried.json',
    JSON.stringify([
      { name: 'says hello', command: 'cat notes.txt' },
      { name: 'is always well', command: 'true' },
      { name: 'is\u001b[2J red', command: 'printf "a\\nb"; exit 4' },
    ]),
  );
  const before = await pair.buyer.agora.tasks.list();
  const args = ['tasks', 'try-checks', '--checks', 'tried.json', '--file', 'notes.txt'];
  const told = await agora(args, { env, cwd: directory });
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(told.stdout).toMatch(
    /^passed {2}says hello {2}\(exit code 0, \d+\.\d s\)\n {4}hello\npassed {2}is always well {2}.*\n {4}It ends in success.*\nfailed {2}is red {2}\(exit code 4, .*\n {4}It ends in failure.*\n {4}a\n {4}b\n$/,
  );
  const { checks } = await agoraJson<{ checks: object[] }>(args, { env, cwd: directory });
  expect(checks).toMatchObject([
    { passed: true, exitCode: 0 },
    { passed: true, fault: { code: 'cannot_fail' } },
    { passed: false, exitCode: 4 },
  ]);
  expect((await pair.buyer.agora.tasks.list()).data).toEqual(before.data);
  const looked = await agora(['tasks', 'try-checks', '--file', 'notes.txt'], { env, cwd: directory });
  expect(looked).toMatchObject({ exitCode: 0, stdout: 'Nothing is known to be missing.\n' });
  // The server of these tests installs no packages.
  write('package.json', '{"dependencies": {"left-pad": "1.3.0"}}');
  const lacking = await agora(['tasks', 'try-checks', '--file', 'package.json'], { env, cwd: directory });
  expect(lacking).toMatchObject({
    exitCode: 0,
    stdout: expect.stringMatching(/^This server installs no packages of package\.json\./),
  });
});

test.each([
  [['--file', 'missing.txt'], 'missing.txt cannot be read: there is no such file'],
  [['--file', '../../etc/passwd'], 'has no name inside the workspace'],
  [['--file', '/etc/hostname'], '--file name=/etc/hostname'],
  [['--dir', 'nowhere'], 'there is no such directory'],
  [['--ref', 'main'], '--repo'],
  [['--dir', 'large'], 'has more than 1 MiB (at b.bin)'],
])('%j is refused before anything is sent', async (args, says) => {
  write('large/a.bin', Buffer.alloc(700_000));
  write('large/b.bin', Buffer.alloc(700_000));
  const { exitCode, stderr, stdout } = await submit(['x', ...args], { cwd: directory });
  expect({ exitCode, stdout }).toEqual({ exitCode: 2, stdout: '' });
  expect(stderr).toContain(says);
});

test('mistakes in arguments exit 2, and refusals of the server 1, as JSON too', async () => {
  const base = ['tasks', 'submit', 'general', 'x'];
  for (const args of [['--max-budget', '5.00'], ['--max-budget', '0'], [], ['--max-budget', '5', '--bugdet', '3']]) {
    expect(await agora([...base, ...args], { env })).toMatchObject({ exitCode: 2, stdout: '' });
  }
  const { stderr } = await agora(['tasks', 'submit', 'genral', 'x', '--max-budget', '5'], { env });
  expect(stderr).toContain('code_generation');
  const refused = await agora([...base, '--max-budget', '99999999', '--json'], { env });
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(JSON.parse(refused.stderr)).toEqual({
    error: {
      code: 'INSUFFICIENT_CREDITS',
      message: expect.stringContaining('available'),
      details: expect.objectContaining({ required: 99999999 }),
      correlationId: expect.any(String),
      server: server.url,
    },
  });
});

test('--wait tells what happens as plain lines, then prints the result; a terminal’s codes in it are gone', async () => {
  const ran = submit(['One that is waited for', '--wait']);
  const id = await assignedTask('One that is waited for');
  await work(id, [{ percent: 40, message: 'half \u001b]0;title\u0007\u001b[2Jdone\u202e' }]);
  const { exitCode, stdout, stderr } = await ran;
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/^Submitted tsk_/m);
  expect(stderr).toContain('executing: the agent works\n  40 % half done\nquality_check: the result is checked\n');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: none may be left
  expect(stderr + stdout).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f]/);
  expect(stdout).toContain('status       completed');
  expect(stdout).toContain(`\n\n${goodOutput.result}\n`);
});

/** The id of the open task with this description, once the agent sees it. */
async function assignedTask(description: string): Promise<string> {
  const idOf = async () =>
    (await pair.agent.agora.tasks.assigned()).data.find(({ input }) => input.description === description)?.id;
  await expect.poll(idOf).toBeDefined();
  return (await idOf()) as string;
}

test('watch exits 1 for a task that failed, with one document on stdout for --json', async () => {
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.fail(id, { reason: 'Cannot', errorMessage: '' });
  const { exitCode, stdout, stderr } = await agora(['tasks', 'watch', id, '--json'], { env });
  expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ id, status: 'failed' });
});

test('Ctrl-C ends the watching and not the task, and says so', async () => {
  const { id } = await hireAndStart(pair);
  const { exitCode, stderr } = await agora(['tasks', 'watch', id], {
    env,
    kill: { signal: 'SIGINT', when: /executing/ },
  });
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`the task goes on. Continue with \`agora tasks watch ${id}\``);
  expect(stderr).toContain(`agora tasks cancel ${id}`);
  expect((await pair.buyer.agora.tasks.get(id)).status).toBe('executing');
});

test('lists with filters, by pages that go on where one ended', async () => {
  await hireAndPass(pair);
  const page = (more: string[]) =>
    agoraJson<{ data: Task[]; pagination: { nextCursor: string | null } }>(['tasks', 'list', ...more], { env });
  const first = await page(['--page-size', '2']);
  expect(first.data).toHaveLength(2);
  const second = await page(['--page-size', '2', '--cursor', first.pagination.nextCursor as string]);
  const all = await page(['--all']);
  expect(all.data.slice(0, 4).map(({ id }) => id)).toEqual([...first.data, ...second.data].map(({ id }) => id));
  expect(all.pagination.nextCursor).toBeNull();
  const done = await page(['--all', '--status', 'completed']);
  expect(new Set(done.data.map(({ status }) => status))).toEqual(new Set(['completed']));
  const text = await agora(['tasks', 'list', '--page-size', '1'], { env });
  expect(text.stdout.split('\n')).toHaveLength(3);
  const named = await page([
    '--agent',
    pair.agent.id,
    '--type',
    'general',
    '--sort',
    'oldest',
    '--from',
    '2020-01-01T00:00:00Z',
  ]);
  expect(named.data[0]).toEqual(all.data.at(-1));
  const dear = await page(['--sort', 'highest', '--page-size', '1']);
  const amounts = all.data.map(({ creditsCharged, price, maxBudget }) => creditsCharged ?? price ?? maxBudget);
  expect(dear.data[0]?.creditsCharged ?? dear.data[0]?.price).toBe(Math.max(...amounts));
  const { stdout } = await agora(['tasks', 'export', '--status', 'completed'], { env });
  expect(stdout.trimEnd().split('\r\n')).toHaveLength(done.data.length + 1);
  const lines = await agora(['tasks', 'export', '--format', 'ndjson', '--failure', 'infrastructure'], { env });
  expect(lines.stdout).toBe('');
  const totals = await agoraJson<{ total: { tasks: number } }>(['tasks', 'totals', '--by', 'status'], { env });
  expect(totals.total.tasks).toBe(all.data.length);
  const byAgent = await agora(['tasks', 'totals', '--by', 'agent'], { env });
  expect(byAgent.stdout).toMatch(/^agent +tasks +cost +held\n(.+\n)+all +\d+ +\$/);
  const sold = { env: { AGORA_URL: server.url, AGORA_TOKEN: pair.seller.token } };
  const earned = await agora(['tasks', 'totals', '--by', 'agent', '--role', 'assigned'], sold);
  expect(earned.stdout).toMatch(/^agent +tasks +cost +held +earned\n(.+\n)+all +\d+ +\$\S+ +\$\S+ +\$\d/);
  expect(text.stderr).toMatch(/^More: --cursor \S+, or --all\n$/);
});

test('get prints a task; --output writes result and files to an empty directory, and to no other place', async () => {
  const { id } = await hireAndStart(pair);
  const command = 'mkdir -p output/deep; printf hello > output/deep/note.txt; printf x > output/output.json';
  await pair.agent.agora.sandbox.exec(id, { command });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  expect((await agora(['tasks', 'get', id], { env })).stdout).toContain(goodOutput.result);
  const output = join(directory, 'delivered');
  const told = await agora(['tasks', 'get', id, '--output', output], { env });
  expect(told).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readFileSync(join(output, 'files/deep/note.txt'), 'utf8')).toBe('hello');
  expect(JSON.parse(readFileSync(join(output, 'output.json'), 'utf8'))).toEqual(goodOutput);
  expect(await agora(['tasks', 'get', id, '--output', output], { env })).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('is not empty'),
  });
  expect(await agora(['tasks', 'get', 'tsk_nothing'], { env })).toMatchObject({ exitCode: 1 });
});

test('cancels, judges, disputes, and gives the receipt that verify-receipt takes', async () => {
  const { id } = await submitJson(['Nobody starts it']);
  expect((await agora(['tasks', 'cancel', id], { env })).stdout).toContain('is cancelled');
  expect(await agora(['tasks', 'cancel', id], { env })).toMatchObject({ exitCode: 1 });

  const bad = await hireAndPass(pair);
  const down = await agora(['tasks', 'feedback', bad.id, 'down', '--comment', 'No haiku'], { env });
  expect(down.stdout).toContain('$10.00 are back in your pool');
  expect(await agora(['tasks', 'feedback', bad.id, 'sideways'], { env })).toMatchObject({ exitCode: 2 });

  const good = await hireAndPass(pair);
  const receipt = join(directory, 'receipt.json');
  writeFileSync(receipt, (await agora(['tasks', 'receipt', good.id], { env })).stdout);
  const { publicKey } = await server.client().tasks.receiptKey();
  expect(await agora(['verify-receipt', receipt, '--public-key', publicKey])).toMatchObject({ exitCode: 0 });

  server.clock.advance(11 * minute);
  const dispute = ['tasks', 'dispute', good.id, '--reason', 'It does not rhyme'];
  expect(await agora([...dispute, '--evidence', 'no text'], { env })).toMatchObject({ exitCode: 2 });
  const opened = await agoraJson([...dispute, '--evidence', 'line 1=No rhyme'], { env });
  expect(opened).toMatchObject({
    taskId: good.id,
    statements: [{ evidence: [{ label: 'line 1', text: 'No rhyme' }] }],
  });
});

test('quotes without submitting', async () => {
  const before = await agoraJson<{ data: unknown[] }>(['tasks', 'list', '--all'], { env });
  const quoted = await agora(['tasks', 'quote', 'general', 'x', '--agent', pair.agent.id], { env });
  expect(quoted.stdout).toContain(pair.agent.id);
  expect(quoted.stdout).toContain('$10.00');
  const after = await agoraJson<{ data: unknown[] }>(['tasks', 'list', '--all'], { env });
  expect(after.data).toHaveLength(before.data.length);
});

test('parties ask and answer; the watching of a task shows what they say', async () => {
  const { id } = await hireAndStart(pair);
  const asAgent = { env: { AGORA_URL: server.url, AGORA_AGENT_KEY: pair.agent.key } };
  const asked = agora(['tasks', 'ask', id, 'Which \u001b[2Jcolour?', '--blocking', '--wait'], asAgent);
  const messages = async () => (await pair.buyer.agora.tasks.listMessages(id)).data;
  await expect.poll(messages).toHaveLength(1);
  const shown = await agora(['tasks', 'messages', id], { env });
  expect(shown.stdout).toMatch(/msg_\w+ +\S+ \S+ +agent +open question +Which colour\?/);
  const inbox = (args: string[]) => agora(['tasks', 'inbox', ...args], { env });
  const waiting = await inbox(['--open']);
  expect(waiting.stdout).toMatch(/^task +title +at \(UTC\) +from +kind +until \(UTC\) +text\n/);
  expect(waiting.stdout).toMatch(new RegExp(`${id} +.* open question +20\\S+ \\S+ +Which colour\\?`));
  expect(await agora(['tasks', 'answer', id, 'Red'], { env })).toMatchObject({ exitCode: 0 });
  expect((await inbox(['--open'])).stdout).not.toContain(id);
  expect((await inbox(['--kind', 'answer'])).stdout).toMatch(new RegExp(`${id} +.* you +answer +Red`));
  expect(await asked).toMatchObject({ exitCode: 0, stdout: 'Red\n' });
  expect(await agora(['tasks', 'answer', id, 'Blue'], { env })).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has no open question'),
  });
  await agora(['tasks', 'ask', id, 'When?'], { env });
  expect(await agora(['tasks', 'answer', id, 'Soon'], asAgent)).toMatchObject({ exitCode: 0 });
  expect(await agora(['tasks', 'note', id, 'Thanks'], { env })).toMatchObject({ exitCode: 0 });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  const watched = await agora(['tasks', 'watch', id], { env });
  expect(watched.stderr).toContain('agent, blocking question: Which colour?');
  expect(watched.stderr).toContain('submitter, answer: Red');
});

test('a change is asked for, taken back, and accepted as a follow-up task', async () => {
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  const asAgent = { env: { AGORA_URL: server.url, AGORA_AGENT_KEY: pair.agent.key } };
  const request = (text: string) => agora(['tasks', 'request-change', id, text, '--price', '300'], { env });
  expect((await request('In red')).stdout).toMatch(/^Offered msg_\w+\. The agent may accept it until 20/);
  expect(await agora(['tasks', 'decline-change', id], { env })).toMatchObject({ exitCode: 0 });
  expect(await agora(['tasks', 'accept-change', id], asAgent)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('has no open change request'),
  });
  await request('In green');
  expect((await agora(['tasks', 'accept-change', id], asAgent)).stdout).toMatch(
    /^Accepted\. The follow-up task is tsk_/,
  );
  const { stdout } = await agora(['tasks', 'messages', id], { env });
  expect(stdout).toMatch(/change for \$3\.00 \(declined\) +In red[\s\S]*change for \$3\.00 \(accepted\) +In green/);
});
