import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { makeContest, rival } from './attempts-scene.ts';
import { askForApproval } from './requests.ts';
import { makePair, refusalOf, serverForFile } from './scene.ts';

/** Attempts are all submitted or none: whatever lacks is refused before anything is held. */

const server = serverForFile();

const input = { description: 'Do it' };
const refused = (call: Promise<unknown>) =>
  call.then(
    () => 'no refusal',
    ({ status, code, details }) => ({ status, code, details }),
  );

/** Nothing is held, and nothing was stored. */
async function expectNothing({ agora }: TestOwner, credits: number): Promise<void> {
  expect(await agora.vault.getPool()).toMatchObject({ balance: credits, held: 0 });
  expect((await agora.tasks.list()).data).toEqual([]);
}

describe('attempts are refused', () => {
  test.each([0, 6, 1.5, '2'])('where they are %j', async (attempts) => {
    const { buyer, submit } = await makeContest(server, 'general', []);
    expect(await refused(submit(attempts as number))).toMatchObject({
      status: 400,
      details: { fields: [{ path: 'attempts' }] },
    });
    await expectNothing(buyer, 10_000);
  });

  test('where the submitter names the agent: 400 VALIDATION_ERROR', async () => {
    const { buyer, agent } = await makePair(server, { credits: 5000 });
    const body = { taskType: 'general' as const, maxBudget: 1000, input, agentId: agent.id, attempts: 2 };
    const refusal = { status: 400, code: 'VALIDATION_ERROR', details: { fields: [{ path: 'attempts' }] } };
    expect(await refused(buyer.agora.tasks.submit(body))).toMatchObject(refusal);
    expect(await refused(buyer.agora.tasks.quote(body))).toMatchObject(refusal);
    await expectNothing(buyer, 5000);
    expect((await buyer.agora.tasks.submit({ ...body, attempts: 1 })).group).toBeNull();
  });

  test('where they may wait: 400 VALIDATION_ERROR', async () => {
    const { buyer } = await makeContest(server, 'general', [1, 1]);
    const body = { taskType: 'general' as const, maxBudget: 1000, input, attempts: 2, waitMinutes: 5 };
    const refusal = { status: 400, code: 'VALIDATION_ERROR', details: { fields: [{ path: 'waitMinutes' }] } };
    expect(await refused(buyer.agora.tasks.submit(body))).toMatchObject(refusal);
    expect(await refused(buyer.agora.tasks.quote(body))).toMatchObject(refusal);
    await expectNothing(buyer, 10_000);
  });

  test('beyond the plan: 403 PLAN_REQUIRED, for its agents too', async () => {
    const { buyer, submit } = await makeContest(server, 'design', [1, 1, 1, 1]);
    const refusal = { status: 403, code: 'PLAN_REQUIRED', details: { plan: 'free', limit: 3 } };
    expect(await refused(submit(4))).toMatchObject(refusal);
    const { agora } = await buyer.agent();
    const body = { taskType: 'design' as const, maxBudget: 10, input, attempts: 4 };
    expect(await refused(agora.tasks.submitAsAgent(body))).toMatchObject(refusal);
    await expectNothing(buyer, 10_000);
    await server.pool.query(`update owners set plan = 'pro' where id = $1`, [toUuid('owner', buyer.id)]);
    expect((await submit(4)).group).toMatchObject({ attempts: 4 });
  });

  test('beyond the pool: 402 INSUFFICIENT_CREDITS with what all of them need', async () => {
    const { buyer, submit } = await makeContest(server, 'devops', [300, 300, 300], { credits: 2999 });
    expect(await refused(submit(3))).toMatchObject({
      status: 402,
      code: 'INSUFFICIENT_CREDITS',
      details: { required: 3000, available: 2999 },
    });
    await expectNothing(buyer, 2999);
    await submit(2);
  });

  test('beyond the owners with a free agent: 404 NO_AGENTS_AVAILABLE with how many there are', async () => {
    const { buyer, rivals, submit } = await makeContest(server, 'testing', [300, 300]);
    // Neither a second agent of one owner nor an agent of the buyer counts.
    await rivals[0]?.owner.agent(rival('testing', 300));
    await buyer.agent(rival('testing', 300));
    const refusal = { status: 404, code: 'NO_AGENTS_AVAILABLE', details: { attempts: 3, free: 2 } };
    expect(await refused(submit(3))).toMatchObject(refusal);
    await expectNothing(buyer, 10_000);
    await submit(2);
  });

  test('beyond the limits of the submitting agent: 400 BUDGET_EXCEEDED, for all of them count', async () => {
    const { buyer } = await makeContest(server, 'research', [300, 300, 300, 300]);
    const { id, agora } = await buyer.agent();
    await server.pool.query(
      'insert into agent_budgets (agent_id, daily_limit, per_transaction_max, updated_at) values ($1, 3999, 3000, now())',
      [toUuid('agent', id)],
    );
    const submit = (maxBudget: number) =>
      agora.tasks.submitAsAgent({ taskType: 'research', maxBudget, input, attempts: 2 });
    const details = (fields: object) => ({ status: 400, code: 'BUDGET_EXCEEDED', details: fields });
    expect(await refused(submit(1501))).toMatchObject(details({ window: 'transaction', limit: 3000, required: 3002 }));
    await expectNothing(buyer, 10_000);
    await submit(1000);
    expect(await refused(submit(1000))).toMatchObject(
      details({ window: 'day', limit: 3999, spent: 2000, required: 2000 }),
    );
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 2000 });
  });
});

describe('attempts that an agent submits', () => {
  test('wait for the approval of the owner where all together are above the threshold, and are then submitted', async () => {
    const { buyer } = await makeContest(server, 'code_review', [300, 300]);
    const fields = { taskType: 'code_review', maxBudget: 600, attempts: 2 };
    const id = await askForApproval(server, buyer, undefined, fields);
    await server.pool.query('update agent_budgets set approval_threshold = 1199');
    expect(await buyer.agora.embassy.getApproval(id)).toMatchObject({ maxBudget: 600, attempts: 2 });
    await expectNothing(buyer, 10_000);
    const { approval, task } = await buyer.agora.embassy.approve(id);
    expect(approval).toMatchObject({ status: 'approved', taskId: task.id });
    expect(task).toMatchObject({ submitterId: approval.agentId, group: { attempt: 1, attempts: 2 } });
    expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 8800, held: 1200 });
    expect(await refusalOf(buyer.agora.embassy.approve(id))).toBe('409 ALREADY_DECIDED');
  });

  test('stay a request where they cannot be submitted when the owner approves', async () => {
    const { buyer, rivals } = await makeContest(server, 'bug_fix', [300, 300]);
    const id = await askForApproval(server, buyer, undefined, { taskType: 'bug_fix', maxBudget: 600, attempts: 2 });
    await rivals[0]?.agora.agents.updateMe({ availability: 'offline' });
    expect(await refusalOf(buyer.agora.embassy.approve(id))).toBe('404 NO_AGENTS_AVAILABLE');
    expect(await buyer.agora.embassy.getApproval(id)).toMatchObject({ status: 'pending' });
    await expectNothing(buyer, 10_000);
  });

  test('are below the threshold where all together are', async () => {
    const { buyer } = await makeContest(server, 'refactor', [300, 300]);
    const { id, agora } = await buyer.agent();
    await server.pool.query(
      'insert into agent_budgets (agent_id, approval_threshold, updated_at) values ($1, 1200, now())',
      [toUuid('agent', id)],
    );
    const submit = (maxBudget: number) =>
      agora.tasks.submitAsAgent({ taskType: 'refactor', maxBudget, input, attempts: 2 });
    expect(await submit(601)).toHaveProperty('approval');
    const task = await submit(600);
    expect(task).toMatchObject({ group: { attempts: 2 } });
  });
});

test('a quote says what all attempts would hold, and for how many there is an owner with a free agent', async () => {
  const { buyer, rivals } = await makeContest(server, 'data_analysis', [300, 300], { credits: 2500 });
  await rivals[0]?.owner.agent(rival('data_analysis', 300));
  const quote = (attempts?: number) =>
    buyer.agora.tasks.quote({ taskType: 'data_analysis', maxBudget: 1000, ...(attempts && { attempts }) });
  expect(await quote()).toMatchObject({ pool: { required: 1000, canHold: true }, attempts: { wanted: 1, free: 1 } });
  expect(await quote(2)).toMatchObject({ pool: { required: 2000, canHold: true }, attempts: { wanted: 2, free: 2 } });
  expect(await quote(3)).toMatchObject({ pool: { required: 3000, canHold: false }, attempts: { wanted: 3, free: 2 } });
});

test('a group that does not exist, or is of others, is refused', async () => {
  const { submit } = await makeContest(server, 'content_creation', [300, 300]);
  const { group } = await submit(2);
  const { agora } = await server.owner({ credits: 0 });
  expect(await refusalOf(agora.tasks.getGroup(group?.groupId as string))).toBe('403 NOT_A_PARTY');
  for (const id of ['grp_01jxyz3k9mf5t8v2q7h4n6p0rs', 'nonsense', group?.taskIds?.[1]?.replace('tsk', 'grp')]) {
    expect(await refusalOf(agora.tasks.getGroup(id as string))).toBe('404 GROUP_NOT_FOUND');
  }
});
