import { defaultDailyLimitCents } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { day, expectSoundLedger, goodOutput, minute, refusalOf, serverForFile } from '../../../test/api/scene.ts';
import type { TestAgent, TestOwner } from '../../../test/support/harness.ts';
import { subHire } from '../../../test/support/sub-hire.ts';

const server = serverForFile();
const none = {
  perTransactionMax: null,
  dailyLimit: null,
  weeklyLimit: null,
  monthlyLimit: null,
  approvalThreshold: null,
};

async function onPlan(plan: 'free' | 'pro' | 'enterprise', credits = 100_000): Promise<TestOwner> {
  const owner = await server.owner({ credits });
  await server.pool.query('update owners set plan = $2 where email = $1', [owner.email, plan]);
  return owner;
}

interface Limited {
  owner: TestOwner;
  /** The one that spends. */
  agent: TestAgent;
  /** The one that it hires. */
  worker: TestAgent;
}

async function limitedTo(limits: Partial<Record<keyof typeof none, number>>, credits?: number): Promise<Limited> {
  const [owner, seller] = await Promise.all([onPlan('pro', credits), server.owner({ credits: 0 })]);
  const [agent, worker] = [await owner.agent(), await seller.agent({ pricing: null })];
  await owner.agora.vault.setBudget(agent.id, { ...none, ...limits });
  return { owner, agent, worker };
}

const hireFor = ({ agent, worker }: Limited, maxBudget: number, fields: { agentId?: string } = {}) =>
  subHire(agent.agora, {
    taskType: 'general',
    maxBudget,
    input: { description: 'Write a haiku about ledgers' },
    agentId: worker.id,
    ...fields,
  });

/** Code and details of a refusal. */
const refusal = (call: Promise<unknown>) =>
  call.then(
    () => undefined,
    (error: { code: string; details: unknown }) => [error.code, error.details],
  );

describe('budget controls', () => {
  test('have the daily default at first, are kept as set, and say what was spent', async () => {
    const owner = await onPlan('enterprise');
    const { id } = await owner.agent();
    const spent = { daily: 0, weekly: 0, monthly: 0 };
    expect(await owner.agora.vault.getBudget(id)).toEqual({
      ...{ agentId: id, ...none, dailyLimit: defaultDailyLimitCents },
      ...{ isDefault: true, spent },
    });
    const limits = { ...none, perTransactionMax: 0, dailyLimit: 5000, approvalThreshold: 1_000_000_000 };
    expect(await owner.agora.vault.setBudget(id, limits)).toEqual({ agentId: id, ...limits, isDefault: false, spent });
    await owner.agora.vault.setBudget(id, none);
    expect(await owner.agora.vault.getBudget(id)).toEqual({ agentId: id, ...none, isDefault: false, spent });
  });

  test('are of every plan', async () => {
    const owner = await onPlan('free');
    const { id } = await owner.agent();
    expect(await owner.agora.vault.setBudget(id, { ...none, dailyLimit: 300 })).toMatchObject({ dailyLimit: 300 });
    expect(await owner.agora.vault.getBudget(id)).toMatchObject({ dailyLimit: 300, isDefault: false });
  });

  test('have a limit of a day until the owner sets a budget, also one without limits', async () => {
    const [owner, seller] = [await onPlan('free', 100_000), await server.owner({ credits: 0 })];
    const scene = { owner, agent: await owner.agent(), worker: await seller.agent({ pricing: null }) };
    await hireFor(scene, defaultDailyLimitCents);
    expect(await refusal(hireFor(scene, 1))).toEqual([
      'BUDGET_EXCEEDED',
      { limit: defaultDailyLimitCents, window: 'day', spent: defaultDailyLimitCents, required: 1 },
    ]);
    await owner.agora.vault.setBudget(scene.agent.id, none);
    await hireFor(scene, 50_000);
  });

  test('of an agent of somebody else are 403, of one that does not exist 404', async () => {
    const [owner, other] = [await onPlan('pro'), await onPlan('pro')];
    const { id } = await other.agent();
    for (const [agentId, code] of [
      [id, '403 NOT_AGENT_OWNER'],
      ['agt_01jxyz3k9mf5t8v2q7h4n6p0rs', '404 AGENT_NOT_FOUND'],
    ] as const) {
      expect(await refusalOf(owner.agora.vault.getBudget(agentId))).toBe(code);
      expect(await refusalOf(owner.agora.vault.setBudget(agentId, none))).toBe(code);
    }
  });

  test.each([
    { dailyLimit: -1 },
    { weeklyLimit: 0.5 },
    { perTransactionMax: 1_000_000_001 },
    { monthlyLimit: '5' },
    { yearlyLimit: 5 },
  ])('with %j are 400', async (fields) => {
    const owner = await onPlan('pro');
    const { id } = await owner.agent();
    const limits = { ...none, ...fields } as typeof none;
    expect(await refusalOf(owner.agora.vault.setBudget(id, limits))).toBe('400 VALIDATION_ERROR');
  });
});

describe('a sub-hire', () => {
  test('at the per-transaction maximum is held, one cent above is 400 BUDGET_EXCEEDED and holds nothing', async () => {
    const scene = await limitedTo({ perTransactionMax: 700 });
    await hireFor(scene, 700);
    expect(await refusal(hireFor(scene, 701))).toEqual([
      'BUDGET_EXCEEDED',
      { limit: 700, window: 'transaction', spent: 0, required: 701 },
    ]);
    expect(await refusalOf(hireFor(scene, 701))).toBe('400 BUDGET_EXCEEDED');
    expect(await scene.owner.agora.vault.getPool()).toMatchObject({ balance: 99_300, held: 700 });
  });

  test.each([
    ['dailyLimit', 'day', 1],
    ['weeklyLimit', 'week', 7],
    ['monthlyLimit', 'month', 30],
  ] as const)('counts against the %s for exactly that time', async (limit, window, days) => {
    const scene = await limitedTo({ [limit]: 1000 });
    await hireFor(scene, 600);
    expect(await refusal(hireFor(scene, 401))).toEqual([
      'BUDGET_EXCEEDED',
      { limit: 1000, window, spent: 600, required: 401 },
    ]);
    server.clock.advance(days * day - 1);
    expect(await refusalOf(hireFor(scene, 401))).toBe('400 BUDGET_EXCEEDED');
    server.clock.advance(1);
    await hireFor(scene, 1000);
    expect(await refusalOf(hireFor(scene, 1))).toBe('400 BUDGET_EXCEEDED');
  });

  test('is told the window with the least left of several', async () => {
    const scene = await limitedTo({ dailyLimit: 1000, weeklyLimit: 1500, monthlyLimit: 9000 });
    await hireFor(scene, 900);
    server.clock.advance(day);
    expect(await refusal(hireFor(scene, 601))).toEqual([
      'BUDGET_EXCEEDED',
      { limit: 1500, window: 'week', spent: 900, required: 601 },
    ]);
    expect((await scene.owner.agora.vault.getBudget(scene.agent.id)).spent).toEqual({
      daily: 0,
      weekly: 900,
      monthly: 900,
    });
  });

  test('counts with its hold while open, with its charge once paid, with nothing once failed or refunded', async () => {
    const scene = await limitedTo({ dailyLimit: 5000 });
    const { agent, worker } = scene;
    const spent = async () => (await scene.owner.agora.vault.getBudget(agent.id)).spent.daily;
    const cheap = await worker.owner.agent({ pricing: { model: 'per_task', baseRate: 200, currency: 'USD' } });
    const paid = await hireFor(scene, 1000, { agentId: cheap.id });
    expect(await spent()).toBe(1000);
    await cheap.agora.tasks.start(paid.id, { sandboxId: 'x' });
    await cheap.agora.tasks.complete(paid.id, { output: goodOutput });
    expect(await spent()).toBe(200);
    await agent.agora.tasks.feedback(paid.id, { direction: 'down' });
    expect(await spent()).toBe(0);
    const failed = await hireFor(scene, 4000);
    await worker.agora.tasks.start(failed.id, { sandboxId: 'x' });
    await worker.agora.tasks.fail(failed.id, { reason: 'cannot' });
    expect(await spent()).toBe(0);
    await hireFor(scene, 5000);
  });

  test('that no approval could save is BUDGET_EXCEEDED; one that the pool cannot pay is still 402', async () => {
    const scene = await limitedTo({ dailyLimit: 700, approvalThreshold: 500 }, 600);
    expect(await refusalOf(hireFor(scene, 701))).toBe('400 BUDGET_EXCEEDED');
    await scene.owner.agora.vault.setBudget(scene.agent.id, { ...none, dailyLimit: 700 });
    expect(await refusalOf(hireFor(scene, 601))).toBe('402 INSUFFICIENT_CREDITS');
  });

  test('by smart routing is bound too', async () => {
    const scene = await limitedTo({ dailyLimit: 100 });
    const { agora } = scene.agent;
    const submission = { taskType: 'general', maxBudget: 101, input: { description: 'x' } } as const;
    expect(await refusalOf(agora.tasks.submitAsAgent(submission))).toBe('400 BUDGET_EXCEEDED');
  });

  test('of another agent, and what the owner submits, is not bound', async () => {
    const scene = await limitedTo({ perTransactionMax: 0, dailyLimit: 0 });
    const free = await scene.owner.agent();
    await hireFor({ ...scene, agent: free }, 900);
    const input = { description: 'x' };
    await scene.owner.agora.tasks.submit({ taskType: 'general', maxBudget: 900, input, agentId: scene.worker.id });
    expect(await refusalOf(hireFor(scene, 1))).toBe('400 BUDGET_EXCEEDED');
  });

  test('is bound from the next one on when the owner lowers the limit, and by what was set before the plan ended', async () => {
    const scene = await limitedTo({ dailyLimit: 1000 });
    await hireFor(scene, 500);
    await scene.owner.agora.vault.setBudget(scene.agent.id, { ...none, dailyLimit: 500 });
    await server.pool.query(`update owners set plan = 'free' where email = $1`, [scene.owner.email]);
    expect(await refusalOf(hireFor(scene, 1))).toBe('400 BUDGET_EXCEEDED');
  });

  test('refused under an Idempotency-Key is refused alike when repeated, although there is room again', async () => {
    const scene = await limitedTo({ dailyLimit: 10 });
    const { agent, worker } = scene;
    const body = { taskType: 'general', maxBudget: 11, input: {}, agentId: worker.id } as const;
    const submit = () => agent.agora.tasks.submitAsAgent(body, { idempotencyKey: 'budget' });
    expect(await refusalOf(submit())).toBe('400 BUDGET_EXCEEDED');
    await scene.owner.agora.vault.setBudget(agent.id, none);
    expect(await refusalOf(submit())).toBe('400 BUDGET_EXCEEDED');
  });
});

test.each([
  ['of one size', () => 100, 10],
  ['of many sizes', (at: number) => 1 + ((at * 37) % 150), null],
])('64 sub-hires %s at once never exceed the limit by a cent', async (_name, size, fitting) => {
  const scene = await limitedTo({ dailyLimit: 1000, weeklyLimit: 1001 });
  const outcomes = await Promise.all(Array.from({ length: 64 }, (_, at) => refusalOf(hireFor(scene, size(at)))));
  expect(new Set(outcomes)).toEqual(new Set(['no refusal', '400 BUDGET_EXCEEDED']));
  const { held } = await scene.owner.agora.vault.getPool();
  const { spent } = await scene.owner.agora.vault.getBudget(scene.agent.id);
  expect(spent.daily).toBe(held);
  expect(held).toBeLessThanOrEqual(1000);
  if (fitting !== null) expect(outcomes.filter((outcome) => outcome === 'no refusal')).toHaveLength(fitting);
  // Whatever was refused does not fit now either.
  const smallest = Math.min(...outcomes.flatMap((outcome, at) => (outcome === 'no refusal' ? [] : [size(at)])));
  expect(held + smallest).toBeGreaterThan(1000);
  await expectSoundLedger(server);
});

test('what expires before anybody started it frees the budget', async () => {
  const scene = await limitedTo({ dailyLimit: 1000 });
  await hireFor(scene, 1000);
  server.clock.advance(16 * minute);
  await server.app.sweep();
  expect((await hireFor(scene, 1000)).status).toBe('submitted');
});
