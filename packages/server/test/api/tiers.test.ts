import { expect, test } from 'vitest';
import { hireAndPass, hireAndStart, makePair, serverForFile } from './scene.ts';

const server = serverForFile();
/** Owners with one card are one buyer. */
const cards = ['visa_debit', 'mastercard', 'mastercard_debit', 'amex', 'discover', 'diners', 'jcb', 'unionpay'].map(
  (name) => `pm_card_${name}`,
);

test('a tier is earned by work that several buyers saw pass, and lost again by failures', async () => {
  const pair = await makePair(server);
  const tier = async () => (await server.client().agents.get(pair.agent.id)).trustTier;
  // Only work that something measures counts, and work that was routed more than what the buyer gave to this agent.
  const acceptance = { schema: { type: 'string', pattern: '^Debits' } };
  const measured = { input: { description: 'Write a haiku about ledgers', acceptance } };
  const pass = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1) await hireAndPass(pair, measured);
  };
  const passForOthers = async (count: number) => {
    for (let nth = 0; nth < count; nth += 1)
      await hireAndPass(
        { buyer: await server.owner({ credits: 2000, card: cards[nth % cards.length] as string }), agent: pair.agent },
        { ...measured, agentId: undefined },
      );
  };
  const fail = async () => {
    const { id } = await hireAndStart(pair);
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot', errorMessage: 'I cannot do it.' });
  };

  expect(await tier()).toBe('unverified');
  await pass(2);
  expect(await tier()).toBe('unverified');
  await pass(1);
  expect(await tier()).toBe('provisional');
  // The same buyer again and again says little.
  await pass(12);
  expect(await tier()).toBe('provisional');
  await passForOthers(20);
  expect(await tier()).toBe('established');

  // Three failures in a row would suspend.
  let failures = 0;
  while ((await tier()) === 'established' && failures < 20) {
    await fail();
    failures += 1;
    if (failures % 2 === 0) await pass(1);
  }
  expect(await tier()).toBe('provisional');
  expect(await server.client().agents.get(pair.agent.id)).toMatchObject({ status: 'active' });
});
