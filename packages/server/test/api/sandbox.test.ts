import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { subHire } from '../support/sub-hire.ts';
import { hire, hireAndStart, makePair, minute, type Pair, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile({ config: { SANDBOX_MAX_EXEC_MS: 1_800_000 } });
const files = { 'src/add.sh': 'echo $(($1 + $2))\n', 'pixel.bin': { content: '/wD+', encoding: 'base64' as const } };

async function executing(fields: Parameters<typeof hire>[1] = { input: { description: 'Fix', code: 'old', files } }) {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair, fields);
  return { pair, id, sandbox: pair.agent.agora.sandbox, tasks: pair.agent.agora.tasks };
}

async function liveSandboxes(taskId: string): Promise<number> {
  const { rows } = await server.pool.query(
    `select count(*)::int as n from sandboxes where status in ('provisioning', 'ready', 'draining') and task_id = $1`,
    [toUuid('task', taskId)],
  );
  return rows[0].n;
}

test('provision → executing → list, read, write → exec → complete with the buyer’s checks passing', async () => {
  const pair = await makePair(server);
  const input = {
    description: 'Make add.sh multiply',
    files,
    acceptance: { checks: [{ name: 'multiplies', command: 'test "$(sh src/add.sh 6 7)" = 42' }] },
  };
  const { id } = await hire(pair, { taskType: 'general', input });
  const { sandbox, tasks } = pair.agent.agora;
  const { data: made } = await sandbox.provision(id);
  expect(made).toMatchObject({ taskId: id, status: 'ready', workspace: '/workspace', outputPath: '/workspace/output' });
  expect(made.limits).toMatchObject({ maxExecMs: server.config.SANDBOX_MAX_EXEC_MS });
  expect((await sandbox.provision(id)).data.sandboxId).toBe(made.sandboxId);
  await tasks.start(id, { sandboxId: made.sandboxId });
  expect((await sandbox.get(id)).data).toMatchObject({ sandboxId: made.sandboxId, status: 'ready' });
  const { entries } = (await sandbox.list(id)).data;
  expect(entries.map(({ name, type }) => [name, type])).toEqual(
    expect.arrayContaining([
      ['src', 'directory'],
      ['pixel.bin', 'file'],
    ]),
  );
  expect((await sandbox.read(id, { path: 'src/add.sh' })).data.content).toBe(files['src/add.sh']);
  const written = await sandbox.write(id, { path: 'src/add.sh', content: 'echo $(($1 * $2))\n' });
  expect(written.data).toMatchObject({ sizeBytes: 18 });
  // As long as the operator allows, which is more than the five minutes where nothing is set.
  expect((await sandbox.exec(id, { command: 'sh src/add.sh 6 7', timeoutMs: 1_800_000 })).data).toMatchObject({
    stdout: '42\n',
    exitCode: 0,
  });
  const done = await tasks.complete(id, { output: { result: 'It multiplies now' } });
  expect(done).toMatchObject({ status: 'completed' });
  const assessment = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
  expect(assessment.criteria).toContainEqual(expect.objectContaining({ name: 'check: multiplies', score: 100 }));
  expect(await liveSandboxes(id)).toBe(0);
});

test('a delivery that fails the buyer’s checks is rejected with their evidence, and refunded', async () => {
  const input = {
    files,
    acceptance: { checks: [{ name: 'multiplies', command: 'test "$(sh src/add.sh 6 7)" = 42' }] },
  };
  const { pair, id, sandbox, tasks } = await executing({ input });
  await sandbox.exec(id, { command: 'true' });
  const done = await tasks.complete(id, { output: { result: 'I did it, trust me' }, qualityScore: 100 });
  expect(done).toMatchObject({ status: 'failed', creditsCharged: 0 });
  const assessment = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
  expect(assessment.criteria).toContainEqual(expect.objectContaining({ name: 'check: multiplies', score: 0 }));
  expect(await liveSandboxes(id)).toBe(0);
});

describe('exec', () => {
  test('takes cwd, env and stdin, and keeps stdout, stderr and exit code apart', async () => {
    const { id, sandbox } = await executing();
    const { data } = await sandbox.exec(id, {
      command: 'pwd; echo "$GREETING"; cat; echo wrong >&2; exit 3',
      cwd: 'src',
      env: { GREETING: 'hello' },
      stdin: 'from stdin',
    });
    expect(data).toMatchObject({
      exitCode: 3,
      stdout: '/workspace/src\nhello\nfrom stdin',
      stderr: 'wrong\n',
      timedOut: false,
      truncated: false,
    });
  });

  test('ends a command that never ends at timeoutMs, and the sandbox lives on', async () => {
    const { id, sandbox } = await executing();
    const { data } = await sandbox.exec(id, { command: 'while :; do :; done', timeoutMs: 300 });
    expect(data.timedOut).toBe(true);
    expect(data.exitCode).not.toBe(0);
    expect((await sandbox.exec(id, { command: 'echo alive' })).data.stdout).toBe('alive\n');
  });

  test('cuts a flood of output at the limit and says so', async () => {
    const { id, sandbox } = await executing();
    const { data } = await sandbox.exec(id, { command: 'head -c 5000000 /dev/zero | tr "\\0" x', timeoutMs: 20_000 });
    expect(data.truncated).toBe(true);
    expect(data.stdout.length).toBeLessThanOrEqual(server.config.SANDBOX_MAX_OUTPUT_BYTES);
    expect(data.stdout.length).toBeGreaterThan(1000);
  });

  test('output that is no UTF-8 or holds NUL still makes a readable reply', async () => {
    const { id, sandbox } = await executing();
    const { data } = await sandbox.exec(id, { command: "printf '\\377\\376\\000ok'" });
    expect(data.stdout).toContain('ok');
  });

  test.each([
    { command: '' },
    { command: 'true', timeoutMs: 0 },
    { command: 'true', timeoutMs: 1_800_001 },
    { command: 'true', env: { '9BAD': 'x' } },
    { command: 'true', shell: '/bin/bash' } as never,
    {} as never,
  ])('%j is 400', async (body) => {
    const { id, sandbox } = await executing();
    expect(await refusalOf(sandbox.exec(id, body))).toBe('400 VALIDATION_ERROR');
  });

  test('GET without a command, or with one twice, is 400', async () => {
    const { pair, id } = await executing();
    for (const query of ['', '?command=true&command=false', '?cmd=true']) {
      const response = await fetch(`${server.url}/api/v1/tasks/${id}/sandbox/exec${query}`, {
        headers: { 'x-api-key': pair.agent.key },
      });
      expect([query, response.status]).toEqual([query, 400]);
    }
  });
});

describe('who and when', () => {
  const uses = ({ agent, buyer }: Pair, id: string, as: 'agent' | 'buyer' | 'other', other: Pair) => {
    const { sandbox } = { agent, buyer, other: other.agent }[as].agora;
    return [
      () => sandbox.exec(id, { command: 'true' }),
      () => sandbox.list(id),
      () => sandbox.read(id, { path: 'code' }),
      () => sandbox.write(id, { path: 'x', content: 'x' }),
    ];
  };

  test('nothing before executing (409), nothing for another agent (403) or the submitter (401), nothing after', async () => {
    const pair = await makePair(server);
    const other = await makePair(server);
    const { id } = await hire(pair, { input: { code: 'x' } });
    for (const use of uses(pair, id, 'agent', other)) expect(await refusalOf(use())).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    for (const use of uses(pair, id, 'other', other)) expect(await refusalOf(use())).toBe('403 NOT_A_PARTY');
    // An owner has no credential that the sandbox takes.
    for (const use of uses(pair, id, 'buyer', other)) expect(await refusalOf(use())).toBe('401 MISSING_CREDENTIALS');
    await pair.agent.agora.tasks.complete(id, { output: { result: 'Done' } });
    for (const use of uses(pair, id, 'agent', other)) expect(await refusalOf(use())).toBe('409 TASK_WRONG_STATE');
    expect(await refusalOf(pair.agent.agora.sandbox.provision(id))).toBe('409 TASK_WRONG_STATE');
  });

  test('the agent that submitted a sub-hire is 403, for the sandbox is the worker’s alone', async () => {
    const pair = await makePair(server);
    const boss = await pair.buyer.agent();
    const fields = { taskType: 'general', maxBudget: 1000, input: { code: 'x' }, agentId: pair.agent.id } as const;
    const { id } = await subHire(boss.agora, fields);
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await refusalOf(boss.agora.sandbox.exec(id, { command: 'cat code' }))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(boss.agora.sandbox.provision(id))).toBe('403 NOT_A_PARTY');
  });

  test('a sandboxId that contradicts the provisioned one is 409, and the task stays where it was', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
    const start = (name: string) => pair.agent.agora.tasks.start(id, { sandboxId: name });
    expect(await refusalOf(start('another'))).toBe('409 SANDBOX_MISMATCH');
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('submitted');
    expect((await start(sandboxId)).status).toBe('executing');
  });

  test('a sandbox provisioned again before executing has its own id, which start accepts', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const { sandbox, tasks } = pair.agent.agora;
    const first = (await sandbox.provision(id)).data.sandboxId;
    await sandbox.destroy(id);
    const second = (await sandbox.provision(id)).data.sandboxId;
    expect(second).not.toBe(first);
    expect(await refusalOf(tasks.start(id, { sandboxId: first }))).toBe('409 SANDBOX_MISMATCH');
    expect((await tasks.start(id, { sandboxId: second })).sandboxId).toBe(second);
  });

  test('destroy: a different id is 409, the right one 204, and 404 if the task has no sandbox', async () => {
    const { pair, id, sandbox } = await executing();
    expect(await refusalOf(sandbox.destroy(id))).toBe('404 SANDBOX_NOT_FOUND');
    await sandbox.write(id, { path: 'mine', content: 'x' });
    expect(await refusalOf(sandbox.destroy(id, { sandboxId: 'another' }))).toBe('409 SANDBOX_MISMATCH');
    expect(await liveSandboxes(id)).toBe(1);
    await sandbox.destroy(id, { sandboxId: 'mine' });
    expect((await sandbox.get(id)).data.status).toBe('destroyed');
    expect(await liveSandboxes(id)).toBe(0);
    // The next use starts a fresh one with the buyer's inputs, without the agent's work.
    const { entries } = (await sandbox.list(id)).data;
    expect(entries.map((entry) => entry.name)).toEqual(expect.arrayContaining(['src', 'code']));
    expect(entries.map((entry) => entry.name)).not.toContain('mine');
    await pair.agent.agora.tasks.fail(id, { reason: 'enough' });
    expect(await liveSandboxes(id)).toBe(0);
  });
});

describe('no sandbox is left', () => {
  test.each<[string, (at: Awaited<ReturnType<typeof executing>>) => Promise<unknown>]>([
    ['completion', ({ id, tasks }) => tasks.complete(id, { output: { result: 'Done' } })],
    ['rejection', ({ id, tasks }) => tasks.complete(id, { output: {} })],
    ['failure', ({ id, tasks }) => tasks.fail(id, { reason: 'cannot' })],
    ['the deadline', () => pass(server, 60 * minute)],
    ['its lifetime', () => pass(server, 120 * minute)],
  ])('after %s, even with a command still running', async (end, bring) => {
    const at = await executing({ input: { code: 'x' }, deadlineMinutes: end === 'its lifetime' ? 1440 : 60 });
    await at.sandbox.write(at.id, { path: 'x', content: 'x' });
    const command = 'touch running; sleep 100 & sleep 100';
    const endless = refusalOf(at.sandbox.exec(at.id, { command, timeoutMs: 60_000 }));
    const { id } = at;
    await expect
      .poll(() =>
        at.sandbox
          .read(id, { path: 'running' })
          .then(() => true)
          .catch(() => false),
      )
      .toBe(true);
    expect(await liveSandboxes(id)).toBe(1);
    await bring(at);
    expect(await liveSandboxes(id)).toBe(0);
    // The task outlives its sandbox only here.
    const refusal = end === 'its lifetime' ? '503 SANDBOX_UNAVAILABLE' : '409 TASK_WRONG_STATE';
    expect(['no refusal', refusal]).toContain(await endless);
    await server.app.sweep();
    expect(await liveSandboxes(id)).toBe(0);
    await at.tasks.fail(at.id, { reason: 'tidy' }).catch(() => undefined);
  });

  test('after acceptance ran out on a provisioned one', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    await pair.agent.agora.sandbox.provision(id);
    expect(await liveSandboxes(id)).toBe(1);
    await pass(server, 15 * minute);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
    expect(await liveSandboxes(id)).toBe(0);
  });
});
