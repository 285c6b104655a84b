import { toUuid } from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { askForApproval } from './requests.ts';
import { day, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();

/** An owner whose agent has asked for an approval to hire a worker of another owner. */
async function scene(credits = 1000) {
  const [owner, seller] = await Promise.all([server.owner({ credits }), server.owner({ credits: 0 })]);
  const worker = await seller.agent();
  return { owner, seller, worker, id: await askForApproval(server, owner, worker.id, { maxBudget: 600 }) };
}

const statusOf = async ({ agora }: TestOwner, id: string) => (await agora.embassy.getApproval(id)).status;
const eventsOf = async (id: string) =>
  (await server.pool.query(`select type from events where data ->> 'approvalId' = $1 order by seq`, [id])).rows.map(
    ({ type }) => type,
  );

describe('a sub-hire above the approval threshold', () => {
  test('waits: 202 with the request, nothing is held, and both the owner and the agent can read it', async () => {
    const { owner, worker, id } = await scene();
    expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 1000, held: 0 });
    const request = { id, status: 'pending', maxBudget: 600, taskType: 'general', taskId: null, decidedAt: null };
    const { data } = await owner.agora.embassy.listApprovals({ status: 'pending' });
    expect(data).toMatchObject([{ ...request, description: 'Help', reason: { rule: 'approvalThreshold', limit: 0 } }]);
    const seen = await owner.agora.embassy.getApproval(id);
    expect(seen).toMatchObject({ ...request, submission: { agentId: worker.id, input: { description: 'Help' } } });
    expect(await refusalOf(worker.agora.embassy.getApproval(id))).toBe('403 NOT_AGENT_OWNER');
    expect((await owner.agora.tasks.list()).data).toEqual([]);
  });

  test('is submitted by the approval, for the agent that asked, and the submission is erased', async () => {
    const { owner, worker, id } = await scene();
    const { approval, task } = await owner.agora.embassy.approve(id);
    expect(approval).toMatchObject({ status: 'approved', taskId: task.id });
    expect(task).toMatchObject({ status: 'submitted', agentId: worker.id, submitterId: approval.agentId });
    expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 400, held: 600 });
    expect((await owner.agora.embassy.getApproval(id)).submission).toBeNull();
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.approved']);
    await worker.agora.tasks.start(task.id, { sandboxId: 'x' });
  });

  test('is approved once, however often and wherever the owner clicks', async () => {
    const { owner, id } = await scene();
    const second = await startSecondApp(server);
    try {
      const there = new Agora({ baseUrl: second.url, ownerToken: owner.token, maxRetries: 0 });
      const clicks = [owner.agora, there, owner.agora, there].map((agora) => refusalOf(agora.embassy.approve(id)));
      expect((await Promise.all(clicks)).sort()).toEqual([...Array(3).fill('409 ALREADY_DECIDED'), 'no refusal']);
      expect((await owner.agora.tasks.list()).data).toHaveLength(1);
      expect(await owner.agora.vault.getPool()).toMatchObject({ balance: 400, held: 600 });
    } finally {
      await second.app.close();
    }
  });

  test('is either approved or denied where both are asked at once', async () => {
    const { owner, id } = await scene();
    const asked = [() => owner.agora.embassy.approve(id), () => owner.agora.embassy.deny(id)];
    const [approved, denied] = await Promise.all(asked.map((ask) => refusalOf(ask())));
    expect([approved, denied].sort()).toEqual(['409 ALREADY_DECIDED', 'no refusal']);
    const won = approved === 'no refusal';
    expect(await statusOf(owner, id)).toBe(won ? 'approved' : 'denied');
    expect(await owner.agora.vault.getPool()).toMatchObject({ held: won ? 600 : 0 });
  });

  test('repeated under one Idempotency-Key asks once, and approves once', async () => {
    const { owner, worker } = await scene();
    const agent = await owner.agent();
    await server.pool.query(
      'insert into agent_budgets (agent_id, approval_threshold, updated_at) values ($1, 0, now())',
      [toUuid('agent', agent.id)],
    );
    const body = { taskType: 'general', maxBudget: 5, input: {}, agentId: worker.id } as const;
    const ask = () => agent.agora.tasks.submitAsAgent(body, { idempotencyKey: 'ask' });
    const first = await ask();
    expect(await ask()).toEqual(first);
    const { id } = (first as { approval: { id: string } }).approval;
    const approve = () => owner.agora.embassy.approve(id, { idempotencyKey: 'yes' });
    expect(await approve()).toEqual(await approve());
  });

  test('stays pending where the approval cannot submit it', async () => {
    const { owner, id } = await scene(500);
    expect(await refusalOf(owner.agora.embassy.approve(id))).toBe('402 INSUFFICIENT_CREDITS');
    expect(await statusOf(owner, id)).toBe('pending');
    await owner.agora.vault.topUp({ amount: 500 });
    expect(await refusalOf(owner.agora.embassy.approve(id))).toBe('no refusal');
  });

  test('is denied with a note, and then for good', async () => {
    const { owner, id } = await scene();
    expect(await owner.agora.embassy.deny(id, { note: 'Too dear' })).toMatchObject({
      status: 'denied',
      note: 'Too dear',
    });
    expect(await refusalOf(owner.agora.embassy.approve(id))).toBe('409 ALREADY_DECIDED');
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.denied']);
  });

  test('that nobody decides within a day is denied: 410 before the sweep and after', async () => {
    const { owner, id } = await scene();
    server.clock.advance(day);
    expect(await refusalOf(owner.agora.embassy.approve(id))).toBe('410 APPROVAL_EXPIRED');
    await server.app.sweep();
    expect(await statusOf(owner, id)).toBe('expired');
    expect(await refusalOf(owner.agora.embassy.deny(id))).toBe('410 APPROVAL_EXPIRED');
    expect(await eventsOf(id)).toEqual(['approval.requested', 'approval.expired']);
  });

  test('is the business of its owner alone', async () => {
    const { seller, id } = await scene();
    expect(await refusalOf(seller.agora.embassy.approve(id))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(seller.agora.embassy.deny(id))).toBe('403 NOT_AGENT_OWNER');
    expect(await refusalOf(seller.agora.embassy.getApproval(id))).toBe('403 NOT_AGENT_OWNER');
    expect((await seller.agora.embassy.listApprovals()).data).toEqual([]);
  });
});
