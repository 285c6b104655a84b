import { expect, test } from 'vitest';
import { hire, hireAndStart, makePair, type Pair, serverForFile } from './scene.ts';

const server = serverForFile();
const checks = (command: string) => ({ acceptance: { checks: [{ name: 'check', command }] } });

async function deliver(pair: Pair, check: string | null, prepare: string) {
  const input = { description: 'Work', files: { a: 'buyer' }, ...(check !== null && checks(check)) };
  const { id } = await hireAndStart(pair, { input });
  const { data } = await pair.agent.agora.sandbox.exec(id, { command: prepare });
  expect(data).toMatchObject({ exitCode: 0 });
  const done = await pair.agent.agora.tasks.complete(id, { output: { result: 'I have done the work' } });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
  return { done, criteria };
}

test.each([
  [
    'a closed directory and file',
    'mkdir -p shut/in; echo mine >shut/in/f; chmod 0 shut/in/f shut/in shut',
    'shut/in/f',
  ],
  ['a directory that can be listed only', 'mkdir half; echo mine >half/f; chmod 400 half', 'half/f'],
  ['a closed workspace', 'echo mine >f; chmod 0 /workspace', 'f'],
])('%s keeps no work from being delivered and judged', async (_what, prepare, path) => {
  const { done, criteria } = await deliver(await makePair(server), `grep mine ${path}`, prepare);
  expect(done.status).toBe('completed');
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: check', score: 100 }));
});

const tooDeep = 'i=0; while [ $i -lt 210 ]; do mkdir d; cd d; i=$((i+1)); done; echo x >f';

test('a workspace that cannot be exported can be delivered; the gate counts it and says so', async () => {
  const pair = await makePair(server);
  const { done, criteria } = await deliver(pair, 'true', tooDeep);
  expect(done).toMatchObject({ status: 'failed', creditsCharged: 0 });
  const evidence = expect.stringContaining('the delivered workspace cannot be read');
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: check', score: 0, evidence }));
  // Where nothing was to be measured in the workspace, it says nothing about the work.
  expect((await deliver(await makePair(server), null, tooDeep)).done.status).toBe('completed');
});

test('a page of large tasks ends early, and its cursor leads through all of them', async () => {
  const pair = await makePair(server, { credits: 500_000 });
  const code = 'x'.repeat(250_000);
  const ids: string[] = [];
  for (let n = 0; n < 25; n++) ids.push((await hire(pair, { maxBudget: 100, input: { code } })).id);
  const page = await pair.buyer.agora.tasks.list({ pageSize: 100, include: 'content' });
  expect(page.data).toHaveLength(5);
  expect(page.pagination).toMatchObject({ pageSize: 100, nextCursor: expect.any(String) });
  const walked: string[] = [];
  for await (const task of pair.buyer.agora.tasks.list({ pageSize: 100, include: 'content' })) walked.push(task.id);
  expect(walked).toEqual([...ids].reverse());
  // Before it has committed the agent sees no code, so its page is small.
  const waiting = await pair.agent.agora.tasks.assigned({ pageSize: 24 });
  expect(waiting.data.map((task) => task.id)).toEqual(ids.slice(0, 24));
  const rest = await pair.agent.agora.tasks.assigned({ pageSize: 24, cursor: waiting.pagination.nextCursor as string });
  expect(rest).toMatchObject({ data: [{ id: ids[24] }], pagination: { nextCursor: null } });
});

const failingTests = { Makefile: 'test:\n\tsh tests/add.sh\n', 'tests/add.sh': 'test "$(sh add.sh 2 3)" = 5\n' };

test.each([
  ['never opens its sandbox', 'bug_fix', () => undefined],
  ['never opens its sandbox', 'code_generation', () => undefined],
  ['looks and changes nothing', 'bug_fix', ({ agora }, id) => agora.sandbox.exec(id, { command: 'ls' })],
  [
    'destroys its sandbox',
    'bug_fix',
    async ({ agora }, id) => {
      await agora.sandbox.exec(id, { command: 'ls' });
      await agora.sandbox.destroy(id);
    },
  ],
] as const satisfies [string, string, (agent: Pair['agent'], id: string) => unknown][])(
  'an agent that %s gets out of no tests that a %s was to turn green',
  async (_what, taskType, work) => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { taskType, input: { description: 'Add', files: failingTests } });
    await work(pair.agent, id);
    // Refused or failed: it is not paid.
    await pair.agent.agora.tasks.complete(id, { output: { result: 'It adds now' } }).catch(() => undefined);
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).not.toBe('quality_check');
    const task = await pair.buyer.agora.tasks.get(id);
    expect(task.status).not.toBe('completed');
    if (task.status !== 'failed') return;
    const { criteria } = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'tests', score: 0 }));
  },
);
