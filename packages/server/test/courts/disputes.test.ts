import { describe, expect, test } from 'vitest';
import {
  day,
  dispute,
  hireAndPass,
  hireAndReject,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
} from '../api/scene.ts';
import { answered, courtServer, fresh, overWindow } from './scene.ts';

const server = courtServer();
const reason = 'It is no haiku';

describe('a task is disputed', () => {
  test('by its submitter after the refund window; both parties read the dispute, with all that was said', async () => {
    const pair = await fresh(server);
    const { id: taskId } = await hireAndPass(pair);
    server.clock.advance(overWindow);
    const evidence = [{ label: 'Line 1', text: 'Six syllables' }];
    const filed = await pair.buyer.agora.tasks.dispute(taskId, { reason, evidence });
    const now = server.clock.now();
    expect(filed).toEqual({
      id: expect.stringMatching(/^dsp_/),
      taskId,
      agentId: pair.agent.id,
      openedBy: pair.buyer.id,
      status: 'filed',
      reason,
      price: 1000,
      respondBy: new Date(now.getTime() + 3 * day).toISOString(),
      response: null,
      statements: [{ by: 'buyer', text: reason, evidence, createdAt: now.toISOString() }],
      assessmentId: null,
      decideBy: null,
      proofBy: null,
      proofs: [],
      outcome: null,
      share: null,
      refunded: 0,
      decidedBy: null,
      note: null,
      createdAt: now.toISOString(),
      respondedAt: null,
      resolvedAt: null,
    });
    for (const { agora } of [pair.buyer, pair.agent, pair.seller]) {
      expect(await agora.courts.getDispute(filed.id)).toEqual(filed);
    }
    expect(await server.operator().courts.docketEntry(filed.id)).toEqual(filed);
    expect((await pair.buyer.agora.tasks.get(taskId)).status).toBe('completed');
    const told = (await pair.agent.agora.tasks.events(taskId)).data.at(-1);
    expect(told).toMatchObject({ eventType: 'dispute.filed', data: { disputeId: filed.id, earningsFrozen: true } });
    expect(JSON.stringify(told)).not.toContain(reason);
  });

  test('not before the window is over, with the hint that a thumbs-down refunds at once', async () => {
    const pair = await fresh(server);
    const { id, finishedAt } = await hireAndPass(pair);
    server.clock.advance(10 * minute);
    const refundUntil = server.clock.now().toISOString();
    expect(Date.parse(refundUntil) - Date.parse(finishedAt ?? '')).toBe(10 * minute);
    await expect(pair.buyer.agora.tasks.dispute(id, { reason })).rejects.toMatchObject({
      status: 409,
      code: 'TASK_WRONG_STATE',
      message: expect.stringMatching(/thumbs-down.*refunds at once/),
      details: { refundUntil },
    });
    expect((await pair.buyer.agora.tasks.feedback(id, { direction: 'down' })).refunded).toBe(true);
    server.clock.advance(1);
    expect(await refusalOf(pair.buyer.agora.tasks.dispute(id, { reason }))).toBe('409 TASK_WRONG_STATE');
  });

  test('to the last millisecond of 14 days after completion', async () => {
    const pair = await fresh(server);
    const inTime = await hireAndPass(pair);
    server.clock.advance(14 * day);
    expect((await pair.buyer.agora.tasks.dispute(inTime.id, { reason })).status).toBe('filed');
    const late = await hireAndPass(pair);
    server.clock.advance(14 * day + 1);
    expect(await refusalOf(pair.buyer.agora.tasks.dispute(late.id, { reason }))).toBe('410 DISPUTE_DEADLINE_PASSED');
  });

  test('once, also after the dispute was resolved', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair);
    expect(await refusalOf(pair.buyer.agora.tasks.dispute(taskId, { reason }))).toBe('409 DUPLICATE');
    await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'No' });
    expect(await refusalOf(pair.buyer.agora.tasks.dispute(taskId, { reason }))).toBe('409 DUPLICATE');
  });

  test('only when it is completed', async () => {
    const pair = await fresh(server);
    const { id } = await hireAndReject(pair);
    server.clock.advance(overWindow);
    expect(await refusalOf(pair.buyer.agora.tasks.dispute(id, { reason }))).toBe('409 TASK_WRONG_STATE');
  });

  test('only by its submitter', async () => {
    const pair = await fresh(server);
    const { id } = await hireAndPass(pair);
    server.clock.advance(overWindow);
    const stranger = await fresh(server);
    for (const { agora } of [pair.agent, pair.seller, stranger.buyer, stranger.agent]) {
      expect(await refusalOf(agora.tasks.dispute(id, { reason }))).toBe('403 NOT_A_PARTY');
    }
  });

  /** A dispute of an agent that hired `pair`'s agent. */
  async function disputedByAgent(pair: Pair) {
    const boss = await (await server.owner({ credits: 5000 })).agent();
    const worker = { buyer: { agora: { tasks: { submit: boss.agora.tasks.submitAsAgent.bind(boss.agora.tasks) } } } };
    const done = await hireAndPass({ ...worker, agent: pair.agent } as never);
    server.clock.advance(overWindow);
    return { boss, filed: await boss.agora.tasks.dispute(done.id, { reason }) };
  }

  test.each([
    { outcome: 'seller_wins', penalised: 'hirer' },
    { outcome: 'dismissed', penalised: 'hirer' },
    { outcome: 'split', share: 50, penalised: 'nobody' },
    { outcome: 'buyer_wins', penalised: 'worker' },
  ] as const)('$outcome costs $penalised reputation where an agent had hired', async ({ penalised, ...ruling }) => {
    const pair = await fresh(server);
    const { boss, filed } = await disputedByAgent(pair);
    const standing = async () => ({ hirer: await boss.agora.agents.me(), worker: await pair.agent.agora.agents.me() });
    const before = await standing();
    await server.operator().courts.resolveDispute(filed.id, { ...ruling, note: 'Decided' });
    const after = await standing();
    // One bad opinion beside the eight middling ones of the prior: 4 of 9.
    expect(after.hirer.dimensions.relationship).toBe(penalised === 'hirer' ? 444 : 500);
    expect(after.hirer.overallScore < before.hirer.overallScore).toBe(penalised === 'hirer');
    expect(after.hirer).toMatchObject({ consecutiveFailures: 0, status: 'active' });
    expect(before.worker.completedTasks - after.worker.completedTasks).toBe(penalised === 'worker' ? 1 : 0);
  });

  test('at most three at once, and fewer after lost ones, but always one', async () => {
    const pair = await makePair(server, { credits: 9000 });
    const file = async () => {
      const { id } = await hireAndPass(pair, { maxBudget: 1000 });
      server.clock.advance(overWindow);
      return pair.buyer.agora.tasks.dispute(id, { reason });
    };
    const open = [await file(), await file(), await file()];
    await expect(file()).rejects.toMatchObject({
      code: 'DISPUTE_LIMIT_REACHED',
      details: { open: 3, atMost: 3, lost: 0 },
    });
    for (const { id } of open) {
      await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'Nothing to it' });
    }
    await file();
    await expect(file()).rejects.toMatchObject({ details: { open: 1, atMost: 1, lost: 3 } });
  });

  test('an operator who stays silent lets no hiring agent lose', async () => {
    const pair = await fresh(server);
    const { boss, filed } = await disputedByAgent(pair);
    await pass(server, 16 * minute);
    await pair.agent.agora.courts.respondToDispute(filed.id, { response: 'It is one' });
    await pass(server, 0);
    await pass(server, 14 * day + 1);
    expect((await boss.agora.courts.getDispute(filed.id)).decidedBy).toBe('operator_silent');
    expect((await boss.agora.agents.me()).dimensions.relationship).toBe(500);
  });

  test('by the agent that hired, too; its owner is on its side, and the pool of that owner is refunded', async () => {
    const { boss, filed } = await disputedByAgent(await fresh(server));
    expect(filed.openedBy).toBe(boss.id);
    await boss.owner.agora.courts.supplementDispute(filed.id, { statement: 'Look at line 2' });
    await server.operator().courts.resolveDispute(filed.id, { outcome: 'buyer_wins', note: 'Indeed' });
    expect((await boss.owner.agora.vault.getPool()).balance).toBe(5000);
    expect((await boss.agora.courts.listDisputes()).data.map((each) => each.id)).toEqual([filed.id]);
  });
});

describe('the seller answers', () => {
  test('by its agent or its owner, within 3 days; the delivery is then assessed again', async () => {
    const pair = await fresh(server);
    const { id, taskId } = await dispute(server, pair);
    server.clock.advance(3 * day);
    const given = await pair.seller.agora.courts.respondToDispute(id, { response: 'It is one' });
    expect(given).toMatchObject({
      status: 'under_review',
      response: 'It is one',
      respondedAt: server.clock.now().toISOString(),
      decideBy: new Date(server.clock.now().getTime() + 14 * day).toISOString(),
    });
    await pass(server, 0);
    const seen = await pair.agent.agora.courts.getDispute(id);
    expect(seen).toMatchObject({ status: 'under_review', outcome: null, assessmentId: expect.stringMatching(/^asm_/) });
    const [latest, first] = (await pair.buyer.agora.courts.listAssessments({ taskId })).data;
    expect(latest).toMatchObject({ id: seen.assessmentId, purpose: 'dispute', score: 60 });
    expect(first).toMatchObject({ purpose: 'gate', score: 60 });
    expect((await pair.buyer.agora.tasks.get(taskId)).assessmentId).toBe(first?.id);
  });

  test('not a millisecond after 3 days, whether the sweep has been there or not', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    server.clock.advance(3 * day + 1);
    const answer = () => refusalOf(pair.agent.agora.courts.respondToDispute(id, { response: 'Late' }));
    expect(await answer()).toBe('410 DISPUTE_DEADLINE_PASSED');
    await pass(server, 0);
    expect(await answer()).toBe('410 DISPUTE_DEADLINE_PASSED');
    expect((await pair.buyer.agora.courts.getDispute(id)).status).toBe('resolved');
  });

  test('and adds to it while the dispute is open, as the buyer does; not after', async () => {
    const pair = await fresh(server);
    const { id } = await answered(server, pair);
    await pair.buyer.agora.courts.supplementDispute(id, { statement: 'Count again' });
    const evidence = [{ label: 'Count', text: '5, 7, 5' }];
    const seen = await pair.seller.agora.courts.respondToDispute(id, { response: 'I did', evidence });
    expect(seen.response).toBe('It has five, seven and five');
    expect(seen.statements.map(({ by, text }) => `${by}: ${text}`)).toEqual([
      `buyer: ${reason}`,
      'seller: It has five, seven and five',
      'buyer: Count again',
      'seller: I did',
    ]);
    expect(seen.statements.at(-1)?.evidence).toEqual(evidence);
    await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'No' });
    const after = [
      pair.seller.agora.courts.respondToDispute(id, { response: 'More' }),
      pair.buyer.agora.courts.supplementDispute(id, { statement: 'More' }),
    ];
    expect(await Promise.all(after.map(refusalOf))).toEqual(['409 ALREADY_DECIDED', '409 ALREADY_DECIDED']);
  });
});

describe('disputes are listed', () => {
  test('for either side and nobody else, newest first, by status and page', async () => {
    const pair = await fresh(server);
    const ids: string[] = [];
    for (let count = 0; count < 3; count++) ids.unshift((await dispute(server, pair)).id);
    await server.operator().courts.resolveDispute(ids[1] as string, { outcome: 'dismissed', note: 'No' });
    for (const { agora } of [pair.buyer, pair.agent, pair.seller]) {
      const found: string[] = [];
      for await (const each of agora.courts.listDisputes({ pageSize: 2 })) found.push(each.id);
      expect(found).toEqual(ids);
      const resolved = (await agora.courts.listDisputes({ status: 'resolved' })).data;
      expect(resolved.map((each) => [each.id, each.outcome])).toEqual([[ids[1], 'dismissed']]);
      expect(resolved[0]).not.toHaveProperty('statements');
    }
    const stranger = await fresh(server);
    expect((await stranger.buyer.agora.courts.listDisputes()).data).toEqual([]);
    const first = ids[0] as string;
    for (const { agora } of [stranger.buyer, stranger.agent]) {
      expect(await refusalOf(agora.courts.getDispute(first))).toBe('403 NOT_A_PARTY');
    }
  });

  test('for the operator, who finds what waits for a decision', async () => {
    const pair = await fresh(server);
    const waiting = await answered(server, pair);
    const { id: silent } = await dispute(server, pair);
    const { courts } = server.operator();
    const ids = async (query?: Parameters<typeof courts.docket>[0]) => {
      const found: string[] = [];
      for await (const each of courts.docket(query)) found.push(each.id);
      return found;
    };
    expect(await ids()).toContain(waiting.id);
    expect(await ids()).not.toContain(silent);
    expect(await ids({ status: 'filed' })).toContain(silent);
  });

  test('a split names a share from 1 to 99, and no other outcome does', async () => {
    const pair = await fresh(server);
    const { id } = await dispute(server, pair);
    for (const body of [
      { outcome: 'split' },
      { outcome: 'split', share: 0 },
      { outcome: 'split', share: 100 },
      { outcome: 'split', share: 12.5 },
      { outcome: 'buyer_wins', share: 50 },
    ]) {
      const call = server.operator().courts.resolveDispute(id, { note: 'n', ...body } as never);
      expect(await refusalOf(call)).toBe('400 VALIDATION_ERROR');
    }
  });
});

test('both sides and the operator read the same history, which counts their other disputes', async () => {
  const pair = await fresh(server);
  for (const outcome of ['buyer_wins', 'dismissed'] as const) {
    const { id } = await dispute(server, pair);
    await server.operator().courts.resolveDispute(id, { outcome, note: 'n' });
  }
  const { id: open } = await dispute(server, pair);
  const { id } = await dispute(server, pair);
  await server.app.sweep();
  const { history } = await pair.buyer.agora.courts.disputedWork(id);
  expect(history).toMatchObject({
    buyer: { disputes: { open: 1, won: 1, lost: 1, split: 0 }, disputesLost: 1 },
    seller: { completedTasks: 3, refundedTasks: 1, disputes: { open: 1, won: 1, lost: 1, split: 0 } },
  });
  for (const { agora } of [pair.agent, pair.seller]) {
    expect((await agora.courts.disputedWork(id)).history).toEqual(history);
  }
  expect((await server.operator().courts.docketWork(id)).history).toEqual(history);
  expect(JSON.stringify(history)).not.toContain(open);
});
