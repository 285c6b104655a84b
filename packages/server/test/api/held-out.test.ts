import type { Reveal } from '@agora-market/contract';
import { verifyReceipt } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { day, goodOutput, hire, makePair, type Pair, pass, refusalOf, serverForFile } from './scene.ts';

/** What a buyer holds out from the agent, over the API: nothing the agent's side reads may hold it. */

const server = serverForFile();
const content = 'HELD-OUT-CONTENT';
const command = 'COMMAND-OF-A-CHECK';
const file = 'held/FILE-NAME.sh';
const name = 'NAME-OF-A-CHECK';

const acceptance = (reveal?: Reveal) => ({
  checks: [{ name, command: `: ${command}; sh ${file}`, weight: 1 }],
  files: { [file]: `echo ${content}; grep -q right answer` },
  rubric: 'It names the answer.',
  ...(reveal && { reveal }),
});

async function work(pair: Pair, reveal: Reveal | undefined, answer: string) {
  const { agora } = pair.agent;
  const input = { description: 'Answer', files: { question: 'Which?' }, acceptance: acceptance(reveal) };
  const { id } = await hire(pair, { input });
  const seen: unknown[] = [await agora.tasks.get(id), (await agora.tasks.assigned()).data];
  const key = { idempotencyKey: `start-${id}` };
  seen.push(await agora.tasks.start(id, { sandboxId: 'x' }, key), await agora.tasks.start(id, { sandboxId: 'x' }, key));
  const run = (text: string) => agora.sandbox.exec(id, { command: text });
  seen.push(
    await run(
      `echo ${answer} > answer; find / -name '*FILE-NAME*' 2>/dev/null; grep -rl HELD-OUT /workspace /input /tmp`,
    ),
  );
  seen.push((await agora.sandbox.list(id)).data, await agora.sandbox.diff(id));
  seen.push(await agora.tasks.complete(id, { output: goodOutput }));
  await expect.poll(async () => (await agora.tasks.get(id)).finishedAt).not.toBeNull();
  return { id, seen };
}

/** All that agent and seller can read of a task that is over. */
async function readAll({ agent, seller }: Pair, id: string): Promise<unknown[]> {
  const { agora } = agent;
  const task = await agora.tasks.get(id);
  const assessmentId = task.assessmentId as string;
  const streamed: unknown[] = [];
  for await (const event of agora.tasks.stream(id)) streamed.push(event);
  return [
    task,
    streamed,
    (await agora.tasks.list()).data,
    (await agora.tasks.events(id)).data,
    (await verifyReceipt(await agora.tasks.receipt(id), null)).statement,
    (await agora.artifacts.list(id)).data,
    ...(await Promise.all(
      [agora, seller.agora].map(async ({ courts }) => [
        await courts.getAssessment(assessmentId),
        (await courts.listAssessments({ taskId: id })).data,
      ]),
    )),
  ];
}

describe.each(['none', 'names', 'output', undefined] as const)('with reveal %s', (reveal) => {
  test("no reply to the agent's side holds files or commands; names and output as far as the buyer says", async () => {
    const pair = await makePair(server);
    const { id, seen } = await work(pair, reveal, 'wrong');
    const all = JSON.stringify([seen, await readAll(pair, id)]);
    expect(all).not.toContain(command);
    expect([all.includes(name), all.includes(file)]).toEqual([reveal !== 'none', false]);
    expect(all.includes(content)).toBe(reveal === 'output');
    const task = await pair.buyer.agora.tasks.get(id);
    expect(task).toMatchObject({ status: 'failed', input: { acceptance: acceptance(reveal) } });
    const buyers = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
    expect(buyers.criteria).toContainEqual(
      expect.objectContaining({
        ...{ name: `check: ${name}`, score: 0, exitCode: 1 },
        evidence: 'Exit code 1. What it printed is withheld.',
      }),
    );
  });
});

test('work that passes the held-out files is paid; appeals and disputes do not reveal the measure', async () => {
  const pair = await makePair(server);
  const good = await work(pair, 'none', 'right');
  expect(await pair.buyer.agora.tasks.get(good.id)).toMatchObject({ status: 'completed' });
  const bad = await work(pair, 'none', 'wrong');
  const { assessmentId } = await pair.agent.agora.tasks.get(bad.id);
  await pair.agent.agora.courts.appealAssessment(assessmentId as string);
  await pass(server, 0);
  const decided = async () => (await pair.agent.agora.courts.getAssessment(assessmentId as string)).appeal?.status;
  await expect.poll(decided).toBe('rejected');
  const { data } = await pair.agent.agora.courts.listAssessments({ taskId: bad.id });
  expect(data).toHaveLength(2);
  expect(JSON.stringify([data, await readAll(pair, bad.id)])).not.toMatch(new RegExp(`${content}|${command}|${name}`));
});

test('a day after submission nothing of it is kept', async () => {
  const pair = await makePair(server);
  const { id } = await work(pair, 'output', 'wrong');
  await pass(server, day + 60_000);
  const { rows } = await server.pool.query(
    `select t.input::text as input, (select string_agg(a.criteria::text, '') from assessments a where a.task_id = t.id) as criteria,
       (select string_agg(e.data::text, '') from events e where e.task_id = t.id) as events
     from tasks t where t.id = (select task_id from assessments order by id desc limit 1)`,
  );
  expect(JSON.stringify(rows)).not.toMatch(new RegExp(`${content}|${command}`));
  expect(JSON.parse(rows[0].input)).toEqual({ description: 'Answer' });
  expect(await refusalOf(pair.agent.agora.sandbox.list(id))).toMatch(/^4/);
});

test.each([
  ['../out', 'input.acceptance.files.../out'],
  ['a//b', 'input.acceptance.files.a//b'],
  ['/etc/passwd', 'input.acceptance.files./etc/passwd'],
])('the path %s is refused like any other of an input', async (path, field) => {
  const pair = await makePair(server);
  const refused = await hire(pair, { input: { acceptance: { files: { [path]: '' } } } }).catch((error) => error);
  expect(refused).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
  expect(JSON.stringify(refused.details)).toContain(field);
});

describe("the gate's own words name nothing of the measure", () => {
  const sum = 'export const sum = (a, b) => a - b;\n';
  const suite = "import test from 'node:test';\nimport { sum } from '../sum.js';\nsum(1, 2);\ntest('t', () => {});\n";
  const module = (scripts = {}) => JSON.stringify({ type: 'module', scripts });

  test.each([
    [
      'a test file that ended early',
      { 'held/HELD-NAME.test.js': suite, 'held/package.json': module() },
      "node --test 'held/*.test.js'",
      /Not passed: 1 test that passed over the buyer's untouched files no longer passes; no other does\./,
    ],
    [
      'a program that is missing',
      { held: '' },
      'HELD-NAME --strict',
      /Not run: a program that it starts is not in the sandbox\./,
    ],
    [
      'a project that is held out',
      { 'HELD-NAME/a.test.js': suite, 'HELD-NAME/package.json': module({ test: 'node --test' }) },
      'true',
      /npm test: 1 test that passed over the buyer's untouched files no longer passes; no other does\./,
    ],
  ])('%s', async (_what, files, command, said) => {
    const pair = await makePair(server);
    const { agora } = pair.agent;
    const acceptance = { files, checks: [{ name: 'measures', command, weight: 1 }] };
    const input = { description: 'Answer', files: { 'sum.js': sum, 'package.json': module() }, acceptance };
    const { id } = await hire(pair, { taskType: 'bug_fix', input });
    await agora.tasks.start(id, { sandboxId: 'x' });
    await agora.sandbox.exec(id, { command: 'echo "export const sum = () => process.exit(0);" > sum.js' });
    await agora.tasks.complete(id, { output: goodOutput });
    await expect.poll(async () => (await agora.tasks.get(id)).finishedAt).not.toBeNull();
    const all = JSON.stringify(await readAll(pair, id));
    expect(all).toMatch(said);
    expect(all).not.toContain('HELD-NAME');
  });
});
