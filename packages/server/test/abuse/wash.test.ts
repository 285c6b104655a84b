import { expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, serverForFile } from '../api/scene.ts';

/** A tier for a few dollars: one person, one card, and as many accounts as it takes. */

const server = serverForFile();
const acceptance = { checks: [{ name: 'there', command: 'true' }] };

/** Buys four tasks of an agent with each of the cards, and says what the agent has of the next tiers. */
async function boughtWith(cards: readonly string[], cardsOfSeller: { before?: string; after?: string } = {}) {
  const { agent, seller } = await makePair(server, {
    credits: 0,
    agent: { pricing: { model: 'per_task', baseRate: 37, currency: 'USD' } },
  });
  const pays = async (card: string | undefined) => {
    if (card === undefined) return;
    await seller.agora.vault.addPaymentMethod({ paymentMethodId: card });
    await server.app.run('registry.followLog');
  };
  await pays(cardsOfSeller.before);
  for (const card of cards) {
    const buyer = await server.owner({ credits: 500, card });
    for (let nth = 0; nth < 4; nth++) {
      const input = { description: 'A haiku about ledgers', acceptance };
      const { id } = await hireAndStart({ buyer, agent }, { maxBudget: 37, input });
      expect((await agent.agora.tasks.complete(id, { output: goodOutput })).status).toBe('completed');
    }
  }
  await pays(cardsOfSeller.after);
  return seller.agora.agents.reputation(agent.id);
}

// Before: six fresh accounts with one card made an agent established for nine dollars.
test('six accounts with one card are one payer, and make nobody established', async () => {
  const washed = await boughtWith(Array(6).fill('pm_card_visa'));
  expect(washed).toMatchObject({ trustTier: 'provisional', tasks: { completed: 24 } });
  expect(washed.nextTier).toMatchObject({ tier: 'established', missing: expect.arrayContaining(['payers']) });

  const cards = ['visa_debit', 'mastercard', 'amex', 'discover', 'diners', 'jcb'].map((card) => `pm_card_${card}`);
  const honest = await boughtWith(cards);
  expect(honest.nextTier?.missing ?? []).not.toContain('payers');
});

// Before: who sold with one card and bought with it from another account was one of the three payers.
test.each(['before', 'after'])(
  'the card that is seen with the seller %s the work pays for none of it',
  async (when) => {
    const [own, ...others] = ['mastercard_debit', 'mastercard', 'amex', 'discover'].map((card) => `pm_card_${card}`);
    const washed = await boughtWith([own as string, ...others.slice(1)], { [when]: own });
    expect(washed.nextTier?.missing).toContain('payers');
    const honest = await boughtWith(others, { [when]: own });
    expect(honest.nextTier?.missing ?? []).not.toContain('payers');
  },
);
