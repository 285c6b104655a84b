import { readdir } from 'node:fs/promises';
import { verifyReceipt } from '@agora-market/sdk';
import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { day, goodOutput, hireAndPass, hireAndStart, minute, type Pair, pass, refusalOf } from '../api/scene.ts';
import { reputationsSettled } from '../support/reputations.ts';
import { courtServer, fresh, moneyOf, proven } from './scene.ts';

/** A judge's changing mind is what lets a delivery fail first and pass on appeal. */
const mock = new LLMock({ port: 0, logLevel: 'silent' });
await mock.start();
afterAll(() => mock.stop());
const server = courtServer({
  config: { JUDGE_BASE_URL: `${mock.url}/v1`, JUDGE_API_KEY: 'a-key-of-the-judge', JUDGE_MODEL: 'judge-1' },
});
beforeEach(() => mock.clearFixtures());

function judgeSays(score: number) {
  mock.clearFixtures();
  mock.onMessage(/Score this delivery by the rules/, { content: JSON.stringify({ reasons: 'So.', score }) });
}

/** A delivery that the rules give 60 and the judge so few that it fails. */
async function fail(pair: Pair): Promise<{ taskId: string; assessmentId: string }> {
  judgeSays(10);
  const { id } = await hireAndStart(pair);
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  return { taskId: id, assessmentId: (await pair.buyer.agora.tasks.get(id)).assessmentId as string };
}

const recordOf = async ({ seller }: Pair) => {
  await reputationsSettled(server);
  const { rows } = await server.pool.query(
    `select s.completed, s.failed, s.failures_in_a_row as row, s.overall_score as score, a.status
     from reputations s join agents a on a.id = s.agent_id join owners o on o.id = a.owner_id where o.email = $1`,
    [seller.email],
  );
  return rows[0];
};

/** Appeals, has the gate look again with the judge of this opinion, and tells what came of it. */
async function appeal(pair: Pair, assessmentId: string, opinion: number) {
  judgeSays(opinion);
  const asked = await pair.agent.agora.courts
    .appealAssessment(assessmentId)
    // A suspended agent is not let in; its owner is.
    .catch(() => pair.seller.agora.courts.appealAssessment(assessmentId));
  expect(asked).toMatchObject({ assessmentId, status: 'pending', resultId: null, decidedAt: null });
  await pass(server, 0);
  const seen = await pair.buyer.agora.courts.getAssessment(assessmentId);
  await expect
    .poll(async () => (await pair.buyer.agora.courts.getAssessment(assessmentId)).appeal?.status)
    .not.toBe('pending');
  return pair.buyer.agora.courts.getAssessment(seen.id);
}

/** A decided appeal has a status of its own, which neither receipt nor stream takes for the task's. */
async function expectTold(pair: Pair, taskId: string): Promise<void> {
  const receipt = await pair.buyer.agora.tasks.receipt(taskId);
  const { told } = await verifyReceipt(receipt, null);
  expect([told?.status, receipt.entries.at(-1)?.event.eventType]).toEqual(['failed', 'assessment.appeal_decided']);
  const statuses: unknown[] = [];
  // A stream that is taken up again after the failure comes to what was told since.
  const first: (string | null)[] = [];
  for await (const event of pair.buyer.agora.tasks.stream(taskId)) first.push(event.id);
  const lastEventId = first.at(-1);
  for await (const event of pair.buyer.agora.tasks.stream(taskId, lastEventId ? { lastEventId } : {})) {
    if (event.event === 'status') statuses.push(event.data.status);
  }
  expect(statuses.filter((status) => status !== 'failed')).toEqual([]);
}

describe('an appeal that is upheld', () => {
  test('strikes the failure from the record of the agent, and charges the buyer nothing', async () => {
    const pair = await fresh(server);
    const before = await recordOf(pair);
    const { taskId, assessmentId } = await fail(pair);
    expect(await recordOf(pair)).toMatchObject({ failed: 1, row: 1 });
    const first = await appeal(pair, assessmentId, 90);
    expect(first).toMatchObject({ passed: false, purpose: 'gate', appeal: { status: 'upheld' } });
    const [again] = (await pair.agent.agora.courts.listAssessments({ taskId })).data;
    expect(again).toMatchObject({
      id: first.appeal?.resultId,
      purpose: 'appeal',
      score: 75,
      passed: true,
      appeal: null,
    });
    const samples = (await server.client().courts.sampleAssessments(pair.agent.id)).data;
    expect(samples).toMatchObject([{ score: 75, passed: true, judged: true }]);
    expect(await recordOf(pair)).toEqual(before);
    const task = await pair.buyer.agora.tasks.get(taskId);
    expect(task).toMatchObject({ status: 'failed', creditsCharged: 0, assessmentId });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    const told = (await pair.buyer.agora.tasks.events(taskId)).data.map((event) => event.eventType);
    expect(told.slice(-2)).toEqual(['assessment.appealed', 'assessment.appeal_decided']);
    await expectTold(pair, taskId);
  });

  test('lifts the suspension for which a failure is missing now', async () => {
    const pair = await fresh(server);
    const failures: string[] = [];
    for (let count = 0; count < 3; count++) failures.push((await fail(pair)).assessmentId);
    expect(await recordOf(pair)).toMatchObject({ failed: 3, row: 3, status: 'suspended' });
    // The agent is not let in any more; its owner reads what it is to appeal.
    expect((await pair.seller.agora.courts.getAssessment(failures[1] as string)).passed).toBe(false);
    await appeal(pair, failures[1] as string, 90);
    expect(await recordOf(pair)).toMatchObject({ failed: 2, row: 2, status: 'active' });
  });

  test('leaves those in a row that came after the row was broken', async () => {
    const pair = await fresh(server);
    const { assessmentId } = await fail(pair);
    judgeSays(90);
    const { id } = await hireAndStart(pair);
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
    server.clock.advance(1);
    await fail(pair);
    expect(await recordOf(pair)).toMatchObject({ failed: 2, row: 1 });
    await appeal(pair, assessmentId, 90);
    expect(await recordOf(pair)).toMatchObject({ failed: 1, row: 1 });
  });

  test('leaves an agent suspended that has three failures in a row without it', async () => {
    const pair = await fresh(server);
    const first = await fail(pair);
    await fail(pair);
    const last = [await fail(pair)];
    await pair.seller.agora.agents.reactivate(pair.agent.id);
    for (let count = 0; count < 3; count++) {
      server.clock.advance(1);
      last.push(await fail(pair));
    }
    expect(await recordOf(pair)).toMatchObject({ failed: 6, row: 3, status: 'suspended' });
    await appeal(pair, first.assessmentId, 90);
    expect(await recordOf(pair)).toMatchObject({ failed: 5, row: 3, status: 'suspended' });
  });
});

describe('an appeal', () => {
  test('that fails again is rejected, and the failure stands', async () => {
    const pair = await fresh(server);
    const { assessmentId, taskId } = await fail(pair);
    const before = await recordOf(pair);
    const seen = await appeal(pair, assessmentId, 20);
    await expectTold(pair, taskId);
    expect(seen.appeal).toMatchObject({ status: 'rejected', resultId: expect.stringMatching(/^asm_/) });
    expect(await recordOf(pair)).toEqual(before);
  });

  test('is taken once, also when it was rejected', async () => {
    const pair = await fresh(server);
    const { assessmentId } = await fail(pair);
    const calls = [1, 2, 3, 4].map(() => refusalOf(pair.seller.agora.courts.appealAssessment(assessmentId)));
    expect((await Promise.all(calls)).toSorted()).toEqual([...Array(3).fill('409 DUPLICATE'), 'no refusal']);
    await pass(server, 0);
    expect(await refusalOf(pair.seller.agora.courts.appealAssessment(assessmentId))).toBe('409 DUPLICATE');
  });

  test('is for the agent and its owner alone', async () => {
    const pair = await fresh(server);
    const { assessmentId } = await fail(pair);
    const stranger = await fresh(server);
    for (const { agora } of [pair.buyer, stranger.buyer, stranger.agent]) {
      expect(await refusalOf(agora.courts.appealAssessment(assessmentId))).toBe('403 NOT_A_PARTY');
    }
  });

  test('applies to failures at the gate, not to passes or to the new run itself', async () => {
    const pair = await fresh(server);
    const passed = await hireAndPass(pair, proven);
    const { assessmentId } = await fail(pair);
    const { appeal: done } = await appeal(pair, assessmentId, 20);
    for (const id of [passed.assessmentId, done?.resultId]) {
      expect(await refusalOf(pair.agent.agora.courts.appealAssessment(id as string))).toBe('409 TASK_WRONG_STATE');
    }
  });

  test('comes before the input of the task expires', async () => {
    const pair = await fresh(server);
    const early = await fail(pair);
    const late = await fail(pair);
    server.clock.advance(day - 1);
    expect((await pair.agent.agora.courts.appealAssessment(early.assessmentId)).status).toBe('pending');
    server.clock.advance(1);
    expect(await refusalOf(pair.agent.agora.courts.appealAssessment(late.assessmentId))).toBe('410 INPUT_EXPIRED');
    server.clock.advance(1);
    expect(await refusalOf(pair.agent.agora.courts.appealAssessment(late.assessmentId))).toBe(
      '410 DISPUTE_DEADLINE_PASSED',
    );
    await pass(server, 0);
    const { appeal: decided } = await pair.agent.agora.courts.getAssessment(early.assessmentId);
    // The input went before the gate could run: what it found first stands.
    expect(decided).toEqual({ status: 'rejected', resultId: null });
  });
});

test('the delivered workspace is there for an appeal, and goes with the input', async () => {
  const pair = await fresh(server);
  const acceptance = { checks: [{ name: 'flag', command: 'test -e fixed && test ! -e /tmp/none' }] };
  const { id } = await hireAndStart(pair, { input: { description: 'Make a file', acceptance } });
  await pair.agent.agora.sandbox.write(id, { path: 'other', content: 'x' });
  await pair.agent.agora.tasks.complete(id, { output: { result: 'Made a file called other' } });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  const { assessmentId } = await pair.buyer.agora.tasks.get(id);
  await pair.agent.agora.courts.appealAssessment(assessmentId as string);
  await pass(server, 0);
  await expect
    .poll(async () => (await pair.agent.agora.courts.getAssessment(assessmentId as string)).appeal?.status, {
      timeout: 60_000,
    })
    .toBe('rejected');
  const { appeal: decided } = await pair.agent.agora.courts.getAssessment(assessmentId as string);
  const again = await pair.agent.agora.courts.getAssessment(decided?.resultId as string);
  // The check ran again over what was delivered.
  expect(again.criteria).toContainEqual(expect.objectContaining({ name: expect.stringContaining('flag'), score: 0 }));
  expect(await readdir(`${server.dataDir}/archives`)).toHaveLength(1);
  await pass(server, day);
  await pass(server, minute);
  expect(await readdir(`${server.dataDir}/archives`)).toEqual([]);
});

test('an appeal whose lease got lost with the database is decided by the next sweep, not after eight minutes', async () => {
  const pair = await fresh(server);
  const { assessmentId } = await fail(pair);
  judgeSays(90);
  await pair.agent.agora.courts.appealAssessment(assessmentId);
  // As if the lease was committed and the server never heard of it.
  await server.pool.query(
    `update appeals set due_at = $1, leased_by = (select id from hosts where ended_at is null) where status = 'pending'`,
    [new Date(server.clock.now().getTime() + 8 * minute)],
  );
  await pass(server, 0);
  await expect
    .poll(async () => (await pair.buyer.agora.courts.getAssessment(assessmentId)).appeal?.status)
    .toBe('upheld');
});
