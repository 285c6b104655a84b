import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { day, hireAndStart, minute, type Pair, pass, refusalOf } from '../api/scene.ts';
import { reputationsSettled } from '../support/reputations.ts';
import { courtServer, fresh, moneyOf, platform } from './scene.ts';

/** A buyer pays for work that the gate has failed, because it wants it after all. */

const server = courtServer();
const secret = 'the whole of the work';

/** Work of which a check prints all, and that it then fails. */
async function failed(pair: Pair): Promise<{ id: string; assessmentId: string }> {
  const acceptance = { checks: [{ name: 'none passes', command: 'cat "$AGORA_RESULT"; exit 1' }] };
  const { id } = await hireAndStart(pair, { input: { description: 'Write a line', acceptance } });
  await pair.agent.agora.tasks.complete(id, { output: { result: secret } });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  return { id, assessmentId: (await pair.buyer.agora.tasks.get(id)).assessmentId as string };
}

async function isSound(): Promise<void> {
  for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
}

async function recordOf({ seller }: Pair): Promise<{ failed: number; completed: number }> {
  await reputationsSettled(server);
  const { rows } = await server.pool.query(
    `select s.failed, s.completed from reputations s join agents a on a.id = s.agent_id
     join owners o on o.id = a.owner_id where o.email = $1`,
    [seller.email],
  );
  return rows[0];
}

const readByBuyer = async ({ buyer }: Pair, { id, assessmentId }: { id: string; assessmentId: string }) =>
  JSON.stringify([
    await buyer.agora.tasks.get(id),
    (await buyer.agora.tasks.list({ pageSize: 100 })).data,
    await buyer.agora.courts.getAssessment(assessmentId),
    (await buyer.agora.courts.listAssessments({ taskId: id })).data,
    (await buyer.agora.tasks.events(id, { pageSize: 100 })).data,
    await buyer.agora.tasks.receipt(id),
  ]);

describe('work that the gate has failed', () => {
  test('is not for its buyer to read, who learns how each check ended; its agent reads all', async () => {
    const pair = await fresh(server);
    const task = await failed(pair);
    expect(await readByBuyer(pair, task)).not.toContain(secret);
    expect(await pair.buyer.agora.tasks.get(task.id)).toMatchObject({
      output: null,
      outputWithheld: true,
      accepted: null,
    });
    const { criteria } = await pair.buyer.agora.courts.getAssessment(task.assessmentId);
    expect(criteria.find(({ name }) => name.startsWith('check'))).toMatchObject({
      ...{ score: 0, exitCode: 1, durationMs: expect.any(Number) },
      evidence: 'Exit code 1. What it printed is withheld.',
    });
    expect(await pair.agent.agora.tasks.get(task.id)).toMatchObject({
      output: { result: secret },
      outputWithheld: false,
    });
  });

  test('is paid for its price, read, and no failure of its agent any more; twice changes nothing', async () => {
    const pair = await fresh(server);
    const task = await failed(pair);
    const before = await moneyOf(pair);
    const { fees } = await platform(server);
    expect(await recordOf(pair)).toMatchObject({ failed: 1, completed: 0 });
    const [one, other] = await Promise.all(
      [1, 2].map(() => pair.buyer.agora.tasks.accept(task.id, { idempotencyKey: randomUUID() })),
    );
    expect(one).toEqual(other);
    const { price } = one as { price: number };
    expect(one).toMatchObject({
      ...{ status: 'failed', output: { result: secret }, outputWithheld: false, creditsCharged: price },
      accepted: { at: expect.any(String), price },
    });
    expect(await readByBuyer(pair, task)).toContain(secret);
    const after = await moneyOf(pair);
    expect(before.buyer - after.buyer).toBe(price);
    expect(after.escrowed - before.escrowed + ((await platform(server)).fees - fees)).toBe(price);
    expect(await recordOf(pair)).toMatchObject({ failed: 0, completed: 0 });
    await pass(server, 16 * minute);
    expect((await moneyOf(pair)).available).toBe(before.available + after.escrowed - before.escrowed);
    await isSound();
  });

  test('cannot be appealed once it is paid, and an appeal that waits has won', async () => {
    const pair = await fresh(server);
    const first = await failed(pair);
    await pair.agent.agora.courts.appealAssessment(first.assessmentId);
    await pair.buyer.agora.tasks.accept(first.id);
    const { appeal } = await pair.agent.agora.courts.getAssessment(first.assessmentId);
    expect(appeal).toEqual({ status: 'upheld', resultId: null });
    await pass(server, minute);
    expect(await recordOf(pair)).toMatchObject({ failed: 0 });
    const second = await failed(pair);
    await pair.buyer.agora.tasks.accept(second.id);
    expect(await refusalOf(pair.agent.agora.courts.appealAssessment(second.assessmentId))).toBe('409 TASK_WRONG_STATE');
    await isSound();
  });

  test('is for its buyer alone to accept, for 24 hours, and only where it was delivered', async () => {
    const pair = await fresh(server);
    const stranger = await fresh(server);
    const task = await failed(pair);
    expect(await refusalOf(stranger.buyer.agora.tasks.accept(task.id))).toBe('403 NOT_A_PARTY');
    const given = await hireAndStart(pair);
    await pair.agent.agora.tasks.fail(given.id, { reason: 'cannot' });
    expect(await refusalOf(pair.buyer.agora.tasks.accept(given.id))).toBe('409 TASK_WRONG_STATE');
    await pass(server, day + 1);
    expect(await refusalOf(pair.buyer.agora.tasks.accept(task.id))).toBe('410 DISPUTE_DEADLINE_PASSED');
    await isSound();
  });
});
