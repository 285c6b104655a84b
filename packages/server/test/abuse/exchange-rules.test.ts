import { beforeEach, expect, test } from 'vitest';
import { bind, bindAgent, denied, hoursIn } from '../api/policy.ts';
import { refusalOf, serverForFile } from '../api/scene.ts';
import {
  agreed,
  bid,
  inHours,
  kindsTold,
  type Market,
  market,
  noBudget,
  post,
  sweep,
  trader,
  walletOf,
} from '../exchange/scene.ts';
import { listed, tellAll } from '../notifications/scene.ts';
import { subHire } from '../support/sub-hire.ts';

/** The legacy exchange as a way round what an owner allows. */

const server = serverForFile();
let scene: Market;
beforeEach(async () => {
  scene = await market(server);
});

const select = ({ buyer }: Market, requestId: string, bidId: string) =>
  buyer.agora.exchange.selectBid(requestId, bidId);

/** A request with the seller's bid of 199.99 dollars, from before there are rules. */
async function bidden(fields = {}) {
  const { id: requestId } = await post(scene, fields);
  return { requestId, bidId: (await bid(scene, scene.seller, requestId)).id };
}

// Before: all of these were agreed on, 40 to 50 dollars each.
test.each([
  ['a category that is not allowed', () => ({ allowedCategories: ['research' as const] }), 'allowedCategories'],
  ['an hour that is not allowed', () => ({ operatingHours: hoursIn(server, 600) }), 'operatingHours'],
  ['a price above the maximum', () => ({ perTransactionMax: 100 }), 'perTransactionMax'],
])('way round by the exchange: %s is neither posted nor agreed on', async (_, rules, rule) => {
  const { requestId, bidId } = await bidden();
  await bind(scene.buyer.owner, rules());
  expect(await denied(post(scene))).toMatchObject({ code: 'POLICY_DENIED', rule, policy: 'owner' });
  expect(await denied(select(scene, requestId, bidId))).toMatchObject({ code: 'POLICY_DENIED', rule });
  expect(await walletOf(scene.buyer)).toEqual({ available: 100_000, escrowed: 0 });
});

// Before: the bid of a blocked owner was selected for 50 dollars.
test('way round by the exchange: a blocked counterparty gets no offer, and none of its bids is selected', async () => {
  const { requestId, bidId } = await bidden();
  await bindAgent(scene.buyer, { blockedCounterparties: [scene.seller.owner.id] });
  const refusal = { code: 'POLICY_DENIED', rule: 'blockedCounterparties', policy: 'agent' };
  expect(await denied(select(scene, requestId, bidId))).toMatchObject(refusal);
  const direct = { selectionMode: 'direct', directHireAgentId: scene.seller.id };
  expect(await denied(post(scene, direct))).toMatchObject(refusal);
});

test('way round by the exchange: the platform awards no bid of a blocked counterparty', async () => {
  const { id: requestId } = await post(scene, { selectionMode: 'auto' });
  await bid(scene, scene.seller, requestId);
  const other = await trader(server, { score: 100 });
  await bid(scene, other, requestId, { amount: 450 });
  await bind(scene.buyer.owner, { blockedCounterparties: [scene.seller.id] });
  server.clock.set(inHours(server, 24));
  await sweep(server);
  expect(await kindsTold(scene.seller)).toEqual(['bid_rejected']);
  expect(await kindsTold(other)).toEqual(['bid_accepted']);
});

test('way round by the exchange: an offer from before the rules is not accepted, and does not say why', async () => {
  const direct = { selectionMode: 'direct', directHireAgentId: scene.seller.id };
  const { id } = await post(scene, direct);
  await bind(scene.buyer.owner, { allowedCategories: ['research'] });
  expect(await refusalOf(scene.seller.agora.exchange.acceptOffer(id))).toBe('400 WRONG_STATE');
});

test('way round by the exchange: a price above the threshold of a policy needs the approval that only tasks ask for', async () => {
  const { requestId, bidId } = await bidden();
  await bind(scene.buyer.owner, { approvalThreshold: 19_998 });
  expect(await refusalOf(select(scene, requestId, bidId))).toBe('400 BUDGET_EXCEEDED');
});

test('way round by the exchange: a seller takes no work there that its own owner forbids', async () => {
  const { requestId, bidId } = await bidden();
  await bind(scene.seller.owner, { blockedCounterparties: [scene.buyer.id] });
  expect(await denied(select(scene, requestId, bidId))).toEqual({ code: 'POLICY_DENIED' });
  const another = await post(scene);
  expect(await denied(bid(scene, scene.seller, another.id))).toMatchObject({ rule: 'blockedCounterparties' });
});

// Before: agreements of 50 and a task of 110 dollars passed under a limit of 120.
test('way round by the exchange: agreements and tasks count into one sum, whichever comes first', async () => {
  const { buyer, seller } = scene;
  await buyer.owner.agora.vault.topUp({ amount: 100_000 });
  const limit = { ...noBudget, dailyLimit: 30_000 };
  await buyer.owner.agora.vault.setBudget(buyer.id, limit);
  const submit = (maxBudget: number) =>
    subHire(buyer.agora, { taskType: 'general', maxBudget, input: { description: 'x' }, agentId: worker.id });
  const worker = await seller.owner.agent();
  const agreement = await agreed(scene);
  const spent = async () => (await buyer.owner.agora.vault.getBudget(buyer.id)).spent.daily;
  expect(await spent()).toBe(19_999);
  expect(await refusalOf(submit(10_002))).toBe('400 BUDGET_EXCEEDED');
  await submit(10_001);
  const { requestId, bidId } = await bidden();
  const refused = await select(scene, requestId, bidId).catch(({ code, details }) => ({ code, details }));
  const details = { window: 'day', limit: 30_000, spent: 30_000, required: 19_999 };
  expect(refused).toEqual({ code: 'BUDGET_EXCEEDED', details });
  await seller.agora.exchange.withdraw(agreement.id);
  expect(await spent()).toBe(10_001);
  expect(await refusalOf(select(scene, requestId, bidId))).toBe('no refusal');
  await tellAll(server);
  const kinds = (await listed(buyer.owner)).map(({ kind }) => kind);
  expect(kinds.filter((kind) => kind === 'budget_reached').length).toBeGreaterThan(0);
});

test('way round by the exchange: who has set nothing is held to the budget of a day that every agent begins with', async () => {
  const owner = await server.owner({ credits: 100_000 });
  const buyer = await owner.agent();
  await owner.agora.vault.allocate(buyer.id, { amount: 100_000 });
  await server.pool.query(`update reputations set trust_tier = 'established'`);
  const { id: requestId } = await post({ server, buyer });
  const { id: bidId } = await bid(scene, scene.seller, requestId);
  expect(await refusalOf(select({ ...scene, buyer }, requestId, bidId))).toBe('400 BUDGET_EXCEEDED');
});
