import { verifyReceipt } from '@agora-market/sdk';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { type Contest, type Entry, entriesOf, makeContest, settle } from './attempts-scene.ts';
import { refusalOf, serverForFile } from './scene.ts';

/**
 * One price buys one result. What an attempt delivers is read by its submitter once it is paid, and nowhere before or
 * otherwise, while the agent goes on reading its own.
 */

const server = serverForFile();

const secret = 'WORK-OF-THE-AGENT';
const check = 'cat answer.txt; ls output; test -f answer.txt';

/** Works in the sandbox and delivers; everything that it makes names the secret. */
async function work({ id, agent: { agora } }: Entry, score: number): Promise<void> {
  await agora.tasks.start(id, { sandboxId: 'mine' });
  const files = `echo ${secret} > answer.txt; mkdir -p output; echo ${secret} > output/${secret}.txt`;
  expect((await agora.sandbox.exec(id, { command: files })).data.exitCode).toBe(0);
  await agora.tasks.complete(id, { output: { result: `The answer is ${secret}` }, qualityScore: score });
  await until('it is judged', async () => (await agora.tasks.get(id)).qualityScore !== null, 30_000);
}

let contest: Contest;
let best: Entry;
let second: Entry;
let rejected: Entry;

const input = {
  description: 'Find the answer',
  files: { question: 'Which?' },
  acceptance: { checks: [{ name: 'there is an answer', command: check }] },
};

beforeAll(async () => {
  contest = await makeContest(server, 'general', [300, 400, 500]);
  const task = await contest.submit(3, { input });
  [best, second, rejected] = (await entriesOf(contest, task)) as [Entry, Entry, Entry];
});

const { signal } = new AbortController();

/** All that a party reads of an attempt, wherever there is anything to read. */
async function readAll(agora: Contest['buyer']['agora'], id: string): Promise<string> {
  const task = await agora.tasks.get(id);
  const { assessmentId } = task;
  const streamed: unknown[] = [];
  for await (const event of agora.tasks.stream(id, { signal })) {
    streamed.push(event);
    if (task.finishedAt === null && streamed.length === 3) break;
  }
  const receipt = await agora.tasks.receipt(id).then(
    async (signed) => [signed.entries, (await verifyReceipt(signed, null)).statement],
    ({ code }) => code,
  );
  const seen = [
    task,
    streamed,
    receipt,
    (await agora.tasks.list()).data.filter((each) => each.id === id),
    (await agora.tasks.list({ status: task.status })).data.filter((each) => each.id === id),
    (await agora.tasks.events(id, { pageSize: 100 })).data,
    assessmentId && (await agora.courts.getAssessment(assessmentId)),
    (await agora.courts.listAssessments({ taskId: id })).data,
    await agora.artifacts.list(id).then(
      ({ data }) => data,
      ({ code }) => code,
    ),
    await agora.tasks.routing(id),
  ];
  return JSON.stringify(seen);
}

const asBuyer = ({ id }: Entry) => readAll(contest.buyer.agora, id);
const asAgent = ({ id, agent }: Entry) => readAll(agent.agora, id);

/** What the submitter is told where only the agent is let in, or who has the work is. */
async function refusalsOf({ id, agent }: Entry): Promise<string[]> {
  const [artifact] = (await agent.agora.artifacts.list(id)).data;
  const paths = [
    'artifacts',
    `artifacts/${artifact?.id}/content`,
    ...['', '/diff', '/files?path=.', '/files/read?path=answer.txt', '/processes'].map((path) => `sandbox${path}`),
  ];
  const headers = { authorization: `Bearer ${contest.buyer.token}` };
  return Promise.all(
    paths.map(async (path) => `${(await fetch(`${server.url}/api/v1/tasks/${id}/${path}`, { headers })).status}`),
  );
}

describe('while the others work, a delivery that passed', () => {
  beforeAll(() => work(best, 90));

  test('is in quality_check with its score, and the submitter reads nothing of the work', async () => {
    const { buyer } = contest;
    const task = await buyer.agora.tasks.get(best.id);
    expect(task).toMatchObject({ status: 'quality_check', output: null, qualityScore: 90, creditsCharged: null });
    expect(await asBuyer(best)).not.toContain(secret);
    expect(await refusalOf(buyer.agora.artifacts.list(best.id))).toBe('409 TASK_WRONG_STATE');
  });

  test('has an assessment of which the submitter reads the score and the names of the criteria', async () => {
    const { courts, tasks } = contest.buyer.agora;
    const { assessmentId } = await tasks.get(best.id);
    const seen = await courts.getAssessment(assessmentId as string);
    expect(seen).toMatchObject({ score: 90, passed: true, judge: null, gateCpuMs: null });
    expect(seen.criteria.map(({ name }) => name)).toContain('check: there is an answer');
    expect(new Set(seen.criteria.map(({ score, evidence }) => `${score} ${evidence}`)).size).toBe(1);
    const own = await best.agent.agora.courts.getAssessment(assessmentId as string);
    expect(own.criteria.some(({ score }) => score === 100)).toBe(true);
  });
});

describe('after the decision', () => {
  beforeAll(async () => {
    await work(second, 80);
    const { agora } = rejected.agent;
    await agora.tasks.start(rejected.id, { sandboxId: 'mine' });
    await agora.tasks.complete(rejected.id, { output: { result: 'I could not find it' } });
    await until('it is rejected', async () => (await agora.tasks.get(rejected.id)).status === 'failed', 30_000);
    await settle(server);
  });

  test('the submitter reads the delivery that it pays for', async () => {
    expect(await contest.buyer.agora.tasks.get(best.id)).toMatchObject({ status: 'completed' });
    expect(await asBuyer(best)).toContain(secret);
    expect((await contest.buyer.agora.artifacts.list(best.id)).data).toHaveLength(1);
  });

  test('and nothing of the one that was not selected', async () => {
    expect(await contest.buyer.agora.tasks.get(second.id)).toMatchObject({ status: 'failed', qualityScore: 80 });
    expect(await asBuyer(second)).not.toContain(secret);
    expect(await refusalsOf(second)).toEqual(['409', '409', ...Array(5).fill('401')]);
    const { statement } = await verifyReceipt(await contest.buyer.agora.tasks.receipt(second.id), null);
    expect(statement).toMatchObject({
      subject: [{ name: 'events' }],
      predicate: { assessment: { score: 80, passed: true, checks: [], judge: null } },
    });
  });

  test('of what the gate rejected the submitter reads how it was judged, as of any other task', async () => {
    const task = await contest.buyer.agora.tasks.get(rejected.id);
    expect(task).toMatchObject({ status: 'failed', output: null, outputWithheld: true });
    const { criteria } = await contest.buyer.agora.courts.getAssessment(task.assessmentId as string);
    expect(criteria.find(({ name }) => name === 'check: there is an answer')).toMatchObject({ score: 0 });
  });

  test('each agent goes on reading its own work, and its receipt tells what it delivered', async () => {
    for (const entry of [best, second]) {
      expect(await asAgent(entry)).toContain(secret);
      expect((await entry.agent.agora.artifacts.list(entry.id)).data).toHaveLength(1);
    }
    const { statement } = await verifyReceipt(await second.agent.agora.tasks.receipt(second.id), null);
    expect(statement?.subject[0]).toMatchObject({ name: `output/${secret}.txt` });
  });
});
