import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { makeTool } from '../support/toolchain.ts';
import { hire, makePair, serverForFile } from './scene.ts';

/** What a task asks for its sandboxes: tools, size, time, and a command that prepares the files. */

const tools = await mkdtemp(join(tmpdir(), 'agora-tools-'));
await chmod(tools, 0o755);
afterAll(() => rm(tools, { recursive: true }));

for (const version of ['1.2.9', '1.2.10', '2.0.1']) await makeTool(tools, 'spark', version);
await makeTool(tools, 'ruby', '9.9.9');

const server = serverForFile({ config: { SANDBOX_TOOLS: tools, SANDBOX_MAX_MEMORY_BYTES: 768 * 1024 ** 2 } });

type Environment = Record<string, unknown>;

async function begun(environment: Environment | undefined, files: Record<string, string> = { 'a.txt': 'a' }) {
  const pair = await makePair(server);
  const input = { description: 'Mend it.', files, ...(environment && { environment }) };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data } = await sandbox.provision(id);
  const waiting = (await pair.agent.agora.tasks.get(id)).input;
  await tasks.start(id, { sandboxId: data.sandboxId });
  const run = async (command: string) => (await sandbox.exec(id, { command })).data;
  return { pair, id, data, waiting, run, sandbox };
}

test('the list names the tools of the system and those that were added, with the sizes by plan', async () => {
  const { data } = await server.client().system.environments().withResponse();
  expect(data.driver).toBe('bwrap');
  expect(data.tools).toContainEqual({ name: 'git', version: expect.stringMatching(/^\d+\.\d+/), isOrdinary: true });
  const added = data.tools.filter(({ isOrdinary }) => !isOrdinary);
  expect(added.map(({ name, version }) => `${name}@${version}`)).toEqual([
    ...['ruby@9.9.9', 'spark@2.0.1', 'spark@1.2.10', 'spark@1.2.9'],
  ]);
  expect(data.ordinary).toEqual({ memoryMb: 512, cpus: 1, diskMb: 1024, commandMs: 300_000 });
  expect(data.most.free).toMatchObject({ memoryMb: 768, cpus: 2, diskMb: 2048 });
  expect(data.most.enterprise).toMatchObject({ memoryMb: 768 });
});

test.each([
  ['spark', 'spark 2.0.1 /opt/tools/spark/home'],
  ['spark@1.2', 'spark 1.2.10 /opt/tools/spark/home'],
  ['spark@1.2.9', 'spark 1.2.9 /opt/tools/spark/home'],
])('%s is the newest version that fits', async (tool, says) => {
  const { run, waiting } = await begun({ tools: [tool] });
  // The agent knows before it commits.
  expect(waiting).toMatchObject({ redacted: true, environment: { tools: [tool] } });
  expect((await run('spark')).stdout.trim()).toBe(says);
  expect(await run('echo x > /opt/tools/spark/bin/spark')).toMatchObject({ exitCode: 2 });
});

test('a project has the tool of its files without asking, and none that the system has', async () => {
  const { run } = await begun(undefined, { Gemfile: '', 'a.rb': '' });
  expect((await run('ruby')).stdout).toContain('ruby 9.9.9');
  const other = await begun(undefined, { 'lib/Gemfile': '' });
  expect(await other.run('ls /opt/tools')).toMatchObject({ exitCode: 2 });
});

test('memory, disk and the time of a command are as the task asks', async () => {
  const { data, run } = await begun({ memoryMb: 700, diskMb: 1100, timeouts: { commandMs: 1_500 } });
  expect(data.limits).toMatchObject({ memoryBytes: 700 * 1024 ** 2, diskBytes: 1100 * 1024 ** 2 });
  expect((await run('df -m --output=size /workspace | tail -n 1')).stdout.trim()).toBe('1100');
  expect(await run('sleep 60')).toMatchObject({ timedOut: true });
});

test('its sandboxes have the CPUs that the task asks for', async () => {
  const { id, data, run, sandbox } = await begun({ cpus: 0.5 });
  expect(data.limits).toMatchObject({ cpus: 0.5 });
  expect((await sandbox.get(id)).data.limits).toMatchObject({ cpus: 0.5 });
  // Two processes that are busy for three seconds get half of that together, with a margin for the last period.
  const { stdout } = await run(`perl -e 'use Time::HiRes "time"; my $end = time + 3;
    for (1, 2) { fork or do { while (time < $end) {} exit } } 1 while wait > 0;
    my @t = times; printf "%.2f", $t[2] + $t[3]'`);
  expect(Number(stdout)).toBeGreaterThan(0);
  expect(Number(stdout)).toBeLessThan(3 * 0.5 + 0.6);
});

describe('is refused by submission, quote and dry run alike', () => {
  const cases: [Environment, string, RegExp][] = [
    [{ tools: ['spark@3'] }, 'VALIDATION_ERROR', /spark@2\.0\.1, spark@1\.2\.10.*agora tools add/],
    [{ tools: ['sparc'] }, 'VALIDATION_ERROR', /Did you mean spark\?/],
    [{ tools: ['../../etc'] }, 'VALIDATION_ERROR', /must be a name such as go/],
    [{ memoryMb: 2_000 }, 'VALIDATION_ERROR', /must be at most 768 on this server/],
    [{ cpus: 3 }, 'PLAN_REQUIRED', /free plan allows .*"path":"input\.environment\.cpus"/],
    [{ timeouts: { setupMs: 300_001 } }, 'VALIDATION_ERROR', /timeouts\.setupMs: must be at most 300000 ms/],
    [{ image: 'debian:13' }, 'VALIDATION_ERROR', /only for servers that run sandboxes as containers/],
    [{ memory: 1 }, 'VALIDATION_ERROR', /memory/],
  ];
  test.each(cases)('%j', async (environment, code, says) => {
    const { buyer, agent } = await makePair(server);
    const checks = [{ name: 'one', command: 'true' }];
    const input = { description: 'Mend it.', files: { a: '' }, environment, acceptance: { checks } };
    const { tasks } = buyer.agora;
    for (const refused of [
      () => tasks.submit({ taskType: 'bug_fix', maxBudget: 100, agentId: agent.id, input }),
      () => tasks.quote({ taskType: 'bug_fix', agentId: agent.id, input }),
      () => tasks.tryChecks({ input }),
    ]) {
      const error = await refused().then(
        () => null,
        (reason: unknown) => reason as { code: string; message: string; details?: unknown },
      );
      expect(error?.code).toBe(code);
      expect(`${error?.message} ${JSON.stringify(error?.details ?? '')}`).toMatch(says);
    }
  });
});

describe('setup', () => {
  const files = {
    'package.json': JSON.stringify({ name: 'made', version: '1.0.0', scripts: { test: 'node --test' } }),
    'src/total.js': "exports.total = () => require('../gen/rate.js') + 1;\n",
    'src/keep.txt': 'as it was',
    'total.test.js': [
      "const { test } = require('node:test');",
      "const { equal } = require('node:assert');",
      "test('total', () => equal(require('./src/total.js').total(), 42));",
      "test('rate', () => equal(require('./gen/rate.js'), 42));",
    ].join('\n'),
  };
  const setup = [
    "mkdir -p gen && echo 'module.exports = 42;' > gen/rate.js",
    'echo changed > src/keep.txt; echo new > src/made.txt; date +%N > gen/when',
  ].join('; ');

  test('runs once; what it makes is in each sandbox and no part of a delivery', async () => {
    const { pair, id, run, sandbox } = await begun({ setup }, files);
    expect((await run('cat src/keep.txt src/made.txt')).stdout).toBe('as it wasnew\n');
    const when = (await run('cat gen/when')).stdout;
    expect((await sandbox.get(id)).data.packages).toEqual({ installed: ['gen', 'src/made.txt'], lacking: [] });
    expect(await run('npm test')).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('pass 1') });
    await run('echo "exports.total = () => require(\'../gen/rate.js\');" > src/total.js; echo x > gen/rate.js');
    const done = await pair.agent.agora.tasks.complete(id, { output: { result: 'total() is the rate now.' } });
    expect(done).toMatchObject({ status: 'completed' });
    const { data } = await pair.buyer.agora.tasks.changes(id);
    expect(data.map(({ path }) => path)).toEqual(['src/total.js']);
    const used = async () => (await pair.buyer.agora.tasks.quote({ taskType: 'bug_fix' })).gateCpu.usedMs;
    await expect.poll(used).toBeGreaterThan(0);
    const other = await begun({ setup }, files);
    expect((await other.run('cat gen/when')).stdout).toBe(when);
    const changed = await begun({ setup }, { ...files, 'src/keep.txt': 'otherwise' });
    expect((await changed.run('cat gen/when')).stdout).not.toBe(when);
  });

  test('one that fails is told to the agent and in the assessment, and counts against nobody', async () => {
    const { pair, id, run, sandbox } = await begun({ setup: 'echo no compiler >&2; exit 3' }, files);
    const said = 'input.environment.setup fails: no compiler';
    expect((await sandbox.get(id)).data.packages).toEqual({ installed: [], lacking: [said] });
    await run('echo mended > src/keep.txt');
    const { assessmentId } = await pair.agent.agora.tasks.complete(id, { output: { result: 'Done.' } });
    const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
    expect(JSON.stringify(criteria)).toContain(said);
  });

  test('one that does not end is ended', async () => {
    const environment = { setup: 'sleep 600', timeouts: { setupMs: 1_000 } };
    const { id, sandbox } = await begun(environment, files);
    const { data } = await sandbox.get(id);
    expect(data.packages?.lacking).toEqual([expect.stringMatching(/setup took more than 1 s/)]);
    // Its end is nobody's but that of this time: with more time, or more memory, there is another try.
    const longer = { setup: 'sleep 2; mkdir made; echo x > made/y' };
    const tooShort = await begun({ ...longer, timeouts: { setupMs: 1_000 } }, files);
    expect((await tooShort.sandbox.get(tooShort.id)).data.packages?.lacking).toHaveLength(1);
    const enough = await begun({ ...longer, timeouts: { setupMs: 60_000 } }, files);
    expect((await enough.sandbox.get(enough.id)).data.packages).toEqual({ installed: ['made'], lacking: [] });
  });
});

test('a tool that the operator adds in the middle of a task changes it for nobody', async () => {
  const pair = await makePair(server);
  const input = {
    description: 'Mend it.',
    files: { 'a.txt': 'a' },
    environment: { tools: ['spark'] },
    acceptance: { checks: [{ name: 'version', command: 'spark | grep -q "spark 2.0.1 " && grep -q b a.txt' }] },
  };
  const { id } = await hire(pair, { taskType: 'bug_fix', input });
  const later = await makeTool(tools, 'spark', '3.0.0', '2999-01-01T00:00:00.000Z');
  const { sandbox, tasks } = pair.agent.agora;
  await tasks.start(id, { sandboxId: (await sandbox.provision(id)).data.sandboxId });
  expect((await sandbox.exec(id, { command: 'spark; echo b > a.txt' })).data.stdout).toMatch(/^spark 2\.0\.1 /);
  const { assessmentId } = await tasks.complete(id, { output: { result: 'The letter is b now.' } });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: version', score: 100 }));
  await rm(later, { recursive: true });
});
