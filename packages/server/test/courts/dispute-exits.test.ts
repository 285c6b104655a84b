import { toUuid } from '@agora-market/contract';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { day, dispute, hireAndPass, minute, pass, refusalOf } from '../api/scene.ts';
import { answered, courtServer, fresh, moneyOf, overWindow, proven } from './scene.ts';

const server = courtServer();
const note = 'Decided';
const operator = () => server.operator().courts;

describe('every dispute has an exit', () => {
  test('a seller who stays silent loses after 3 days', async () => {
    const pair = await fresh(server);
    const { id, respondBy } = await dispute(server, pair);
    await pass(server, Date.parse(respondBy) - server.clock.now().getTime());
    expect((await pair.buyer.agora.courts.getDispute(id)).status).toBe('filed');
    await pass(server, 1);
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({
      status: 'resolved',
      outcome: 'buyer_wins',
      decidedBy: 'seller_silent',
      refunded: 1000,
      resolvedAt: server.clock.now().toISOString(),
    });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
  });

  test('the silence of either takes one lock of the task', async () => {
    const pair = await fresh(server);
    const filed = await dispute(server, pair);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const locks = () =>
      query.mock.calls.filter(
        ([each]) => (each as unknown as { name?: string } | undefined)?.name === 'courts_lock_task',
      ).length;
    try {
      await pass(server, 3 * day + 1);
      expect(locks()).toBe(1);
      const waiting = await answered(server, await fresh(server));
      expect(waiting.status).toBe('under_review');
      const before = locks();
      await pass(server, 14 * day + 1);
      expect(locks() - before).toBe(1);
    } finally {
      query.mockRestore();
    }
    expect((await pair.buyer.agora.courts.getDispute(filed.id)).outcome).toBe('buyer_wins');
  });

  test('a silent seller whose money is gone leaves it to the operator, and without one pays what it has', async () => {
    const late = async (left: number) => {
      const pair = await fresh(server);
      const { id: taskId } = await hireAndPass(pair);
      await pass(server, 16 * minute);
      await pair.seller.agora.vault.reclaim(pair.agent.id, { amount: 850 - left });
      const { id } = await pair.buyer.agora.tasks.dispute(taskId, { reason: 'It is not what I asked for' });
      await pass(server, 3 * day + 1);
      await pass(server, 0);
      expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({ status: 'under_review', outcome: null });
      expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: left });
      return { pair, id };
    };
    const ruled = await late(0);
    await operator().resolveDispute(ruled.id, { outcome: 'buyer_wins', note });
    expect(await moneyOf(ruled.pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
    const [partly, empty] = [await late(85), await late(0)];
    await pass(server, 14 * day + 1);
    await pass(server, 0);
    const silent = { status: 'resolved', decidedBy: 'operator_silent' };
    expect(await partly.pair.buyer.agora.courts.getDispute(partly.id)).toMatchObject({ ...silent, share: 10 });
    expect(await moneyOf(partly.pair)).toEqual({ buyer: 4100, escrowed: 0, available: 0 });
    expect(await empty.pair.buyer.agora.courts.getDispute(empty.id)).toMatchObject({ ...silent, outcome: 'dismissed' });
    expect(await moneyOf(empty.pair)).toEqual({ buyer: 4000, escrowed: 0, available: 0 });
  });

  test('a re-assessment of 71 and more repeats the measure that is disputed, and leaves it to the operator', async () => {
    const pair = await fresh(server);
    const { id, assessmentId, status } = await answered(server, pair, proven);
    expect(status).toBe('under_review');
    expect(await pair.agent.agora.courts.getAssessment(assessmentId ?? '')).toMatchObject({ score: 87 });
    await pass(server, 14 * day + 1);
    const silent = { outcome: 'seller_wins', decidedBy: 'operator_silent', refunded: 0 };
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject(silent);
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: 850 });
  });

  test('one that the gate can see no more is assessed by what it wrote down', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair, proven);
    await server.pool.query('update tasks set input_expires_at = null where id = $1', [toUuid('task', taskId)]);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It fits your schema' });
    await pass(server, 0);
    const seen = await pair.buyer.agora.courts.getDispute(id);
    expect(seen).toMatchObject({ status: 'under_review', outcome: null });
    expect(await pair.buyer.agora.courts.getAssessment(seen.assessmentId ?? '')).toMatchObject({
      score: 87,
      purpose: 'dispute',
      criteria: expect.arrayContaining([expect.objectContaining({ name: 'schema', score: 100 })]),
    });
  });

  test('one below 50 decides for the buyer', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    // As if the gate's rules had become stricter since.
    await server.pool.query(`update tasks set output = '{}' where status = 'completed' and finished_at > $1`, [
      new Date(server.clock.now().getTime() - 11 * minute),
    ]);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It is one' });
    await pass(server, 0);
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({
      outcome: 'buyer_wins',
      decidedBy: 'reassessment',
      refunded: 1000,
    });
    expect(await moneyOf(pair)).toEqual({ buyer: 5000, escrowed: 0, available: 0 });
  });

  test('where the operator stays silent for 14 days after the answer the last verdict stands', async () => {
    const pair = await fresh(server);
    const { id, decideBy } = await answered(server, pair);
    await pass(server, Date.parse(decideBy ?? '') - server.clock.now().getTime());
    expect((await pair.buyer.agora.courts.getDispute(id)).status).toBe('under_review');
    await pass(server, 1);
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({
      outcome: 'seller_wins',
      share: null,
      decidedBy: 'operator_silent',
      refunded: 0,
    });
    expect(await moneyOf(pair)).toEqual({ buyer: 4000, escrowed: 0, available: 850 });
  });

  test('also where the gate can never run again: the operator decides, or the time does', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    await pair.agent.agora.courts.respondToDispute(id, { response: 'It is one' });
    await server.pool.query('alter table assessments rename to assessments_away');
    for (let run = 0; run < 9; run++) await pass(server, 10 * minute);
    await server.pool.query('alter table assessments_away rename to assessments');
    await pass(server, day);
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({ status: 'under_review', assessmentId: null });
    await pass(server, 14 * day);
    expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({ decidedBy: 'operator_silent' });
  });

  test('a lost task takes no feedback any more, and a shared one still does', async () => {
    const pair = await fresh(server);
    const lost = await dispute(server, pair);
    await operator().resolveDispute(lost.id, { outcome: 'buyer_wins', note });
    expect(await refusalOf(pair.buyer.agora.tasks.feedback(lost.taskId, { direction: 'down' }))).toBe(
      '409 TASK_WRONG_STATE',
    );
    const shared = await dispute(server, pair);
    await operator().resolveDispute(shared.id, { outcome: 'split', share: 40, note });
    const given = await pair.buyer.agora.tasks.feedback(shared.taskId, { direction: 'down' });
    expect(given).toMatchObject({ refunded: false, task: { creditsCharged: 600 } });
  });
});

test('feedback after the window leaves a dispute open to the buyer', async () => {
  const pair = await fresh(server);
  const { id } = await hireAndPass(pair);
  server.clock.advance(overWindow);
  expect((await pair.buyer.agora.tasks.feedback(id, { direction: 'down' })).refunded).toBe(false);
  expect((await pair.buyer.agora.tasks.dispute(id, { reason: 'It is no haiku' })).status).toBe('filed');
});
