import { defaultDailyLimitCents } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { createTestProcessor } from '../../src/vault/payments/processor-test.ts';
import { goodOutput, minute, pass, refusalOf, serverForFile } from '../api/scene.ts';
import { noBudget } from '../exchange/scene.ts';
import { listed, tellAll } from '../notifications/scene.ts';
import type { TestAgent, TestOwner } from '../support/harness.ts';
import { subHire } from '../support/sub-hire.ts';

/** A key of an agent that leaked: whoever has it hires an accomplice from the pool of the agent's owner. */

const processor = createTestProcessor();
const server = serverForFile({ processor });
/** What the thief hires for at a time; the budget of a day is a multiple of it. */
const piece = 2_500;
const reload = { enabled: true, threshold: 1_000, reloadAmount: 100_000 };

async function victim(): Promise<{ owner: TestOwner; leaked: TestAgent; accomplice: TestAgent }> {
  const owner = await server.owner({ credits: piece });
  const thief = await server.owner({ credits: 0 });
  return { owner, leaked: await owner.agent(), accomplice: await thief.agent({ pricing: null }) };
}

/** Hires for what the pool has, at most so many cents at a time, again and again; gives what the accomplice was paid. */
async function drain({ owner, leaked, accomplice }: Awaited<ReturnType<typeof victim>>, rounds: number, most: number) {
  let taken = 0;
  for (let round = 0; round < rounds; round++) {
    const { balance } = await owner.agora.vault.getPool();
    const maxBudget = Math.min(balance, most);
    const hired = await subHire(leaked.agora, {
      ...{ taskType: 'general', maxBudget, agentId: accomplice.id },
      input: { description: 'Write a haiku about ledgers' },
    }).catch(() => null);
    if (hired !== null) {
      await accomplice.agora.tasks.start(hired.id, { sandboxId: 'x' });
      const { status } = await accomplice.agora.tasks.complete(hired.id, { output: goodOutput });
      expect(status).toBe('completed');
      taken += maxBudget;
    }
    await pass(server, 15_000);
  }
  return taken;
}

const chargedTo = async (owner: TestOwner) =>
  (await owner.agora.vault.poolTransactions({ cause: 'top_up', pageSize: 100 })).data.reduce(
    (sum, { amount }) => sum + amount,
    0,
  );

// Before: 50,010 dollars in 45 seconds, of a free plan whose owner could set no budget.
test('drain: a leaked key of an agent takes no more a day than the budget that every agent begins with', async () => {
  const scene = await victim();
  await scene.owner.agora.vault.setAutoTopUp({ ...reload, maxPerDay: 10_000_000, maxPerMonth: 10_000_000 });
  expect(await drain(scene, 10, piece)).toBe(defaultDailyLimitCents);
  expect(await chargedTo(scene.owner)).toBe(piece + reload.reloadAmount);
});

// Before: nothing but the speed of reloads bounded what the card was charged.
test('drain: where the owner has taken the budget away, the card is charged no more than the cap of a day', async () => {
  const scene = await victim();
  await scene.owner.agora.vault.setBudget(scene.leaked.id, noBudget);
  await scene.owner.agora.vault.setAutoTopUp({ ...reload, maxPerDay: 300_000, maxPerMonth: 500_000 });
  await drain(scene, 12, 1_000_000);
  expect(await chargedTo(scene.owner)).toBe(piece + 300_000);
  await tellAll(server);
  const capped = (await listed(scene.owner)).filter(({ kind }) => kind === 'top_up_capped');
  expect(capped).toHaveLength(1);
  expect(capped[0]?.text).toContain('$3000.00 in 24 hours');
});

// Before: the owner heard nothing before the card's statement.
test('drain: the owner is told when 50, 80 and 100 % of a budget are spent, each once in its window', async () => {
  const { owner, leaked, accomplice } = await victim();
  await owner.agora.vault.topUp({ amount: 50_000 });
  await owner.agora.vault.setBudget(leaked.id, { ...noBudget, dailyLimit: 1_000 });
  const hire = (maxBudget: number) =>
    subHire(leaked.agora, {
      ...{ taskType: 'general', maxBudget, agentId: accomplice.id },
      input: { description: 'Write a haiku about ledgers' },
    });
  const told = async () => {
    await tellAll(server);
    const texts = (await listed(owner)).filter(({ kind }) => kind === 'budget_reached').map(({ text }) => text);
    return texts.map((text) => /\d+ %|used up.*(?=\. If)/.exec(text)?.[0]).reverse();
  };
  await hire(499);
  expect(await told()).toEqual([]);
  await hire(1);
  await hire(100);
  expect(await told()).toEqual(['50 %']);
  await hire(300);
  expect(await told()).toEqual(['50 %', '80 %']);
  for (let nth = 0; nth < 3; nth++) expect(await refusalOf(hire(101))).toBe('400 BUDGET_EXCEEDED');
  const refused =
    'used up its budget: $9.00 of the $10.00 that it may spend in 24 hours. A submission for $1.01 was refused';
  expect(await told()).toEqual(['50 %', '80 %', refused]);
  server.clock.advance(24 * 60 * minute);
  await hire(600);
  expect((await told()).slice(3)).toEqual(['50 %']);
});
