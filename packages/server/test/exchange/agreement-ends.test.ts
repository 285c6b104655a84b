import { describe, expect, test } from 'vitest';
import { day, refusalOf, serverForFile } from '../api/scene.ts';
import {
  agreed,
  bid,
  evaluated,
  goodText,
  type Market,
  market,
  noBudget,
  post,
  sweep,
  trader,
  walletOf,
} from './scene.ts';

/** How agreements end otherwise than by acceptance, and what keeps one from being made. */

const server = serverForFile();
let scene: Market;
const fresh = async () => {
  scene = await market(server);
  return scene;
};

describe('a buyer that', () => {
  test('is silent has accepted after 3 days', async () => {
    const { buyer, seller } = await fresh();
    const { id, acceptBy } = await evaluated(scene);
    server.clock.set(new Date(Date.parse(acceptBy as string) - 1).toISOString());
    await sweep(server);
    expect((await buyer.agora.exchange.getAgreement(id)).status).toBe('evaluating');
    server.clock.advance(1);
    await sweep(server);
    expect(await buyer.agora.exchange.getAgreement(id)).toMatchObject({
      status: 'completed',
      endedBecause: 'not_answered',
    });
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 17_000 });
  });

  test.each([
    ['buyer_wins', undefined, 'cancelled', 199.99, 0, { buyer: 100_000, seller: 0 }],
    ['seller_wins', undefined, 'completed', 0, 29.99, { buyer: 80_001, seller: 17_000 }],
    ['dismissed', undefined, 'completed', 0, 29.99, { buyer: 80_001, seller: 17_000 }],
    ['split', 30, 'completed', 59.99, 21, { buyer: 86_000, seller: 11_900 }],
  ] as const)(
    'disputes gets what the operator decides: %s',
    async (outcome, share, status, refunded, platformFee, money) => {
      const { buyer, seller } = await fresh();
      const { id } = await evaluated(scene);
      const disputed = await buyer.agora.exchange.dispute(id, { reason: 'Four lines' });
      expect(disputed).toMatchObject({
        status: 'disputed',
        dispute: { reason: 'Four lines', note: null },
        acceptBy: null,
      });
      const body = { outcome, note: 'Counted', ...(share && { share }) };
      const resolved = await server.operator().exchange.resolve(id, body);
      expect(resolved).toMatchObject({
        status,
        refunded,
        platformFee,
        endedBecause: 'dispute',
        dispute: { note: 'Counted' },
      });
      server.clock.advance(server.config.EARNINGS_HOLD_MS);
      await sweep(server);
      expect([await walletOf(buyer), await walletOf(seller)]).toEqual([
        { available: money.buyer, escrowed: 0 },
        { available: money.seller, escrowed: 0 },
      ]);
      expect(await refusalOf(server.operator().exchange.resolve(id, body))).toBe('400 WRONG_STATE');
    },
  );

  test('disputes, with a silent operator, bears half', async () => {
    const { buyer, seller } = await fresh();
    const { id } = await evaluated(scene);
    const { decideBy } = await buyer.agora.exchange.dispute(id, { reason: 'No' });
    server.clock.set(decideBy as string);
    await sweep(server);
    expect(await buyer.agora.exchange.getAgreement(id)).toMatchObject({ status: 'completed', refunded: 99.99 });
    expect(await walletOf(buyer)).toEqual({ available: 90_000, escrowed: 0 });
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 8_500 });
    server.clock.advance(day);
    await sweep(server);
  });
});

describe('a withdrawal', () => {
  const reliabilityOf = async (id: string) => {
    await server.app.run('registry.followLog');
    return (await scene.seller.owner.agora.agents.reputation(id)).dimensions.reliability;
  };

  test('refunds the buyer and costs nothing while it is rare', async () => {
    const { buyer, seller } = await fresh();
    const rows = 3;
    for (let count = 0; count < rows; count++) {
      const { id } = await evaluated(scene);
      await buyer.agora.exchange.accept(id);
    }
    const before = await reliabilityOf(seller.id);
    const { id } = await agreed(scene);
    const withdrawn = await seller.agora.exchange.withdraw(id);
    expect(withdrawn).toMatchObject({ status: 'cancelled', endedBecause: 'withdrawn', refunded: 199.99 });
    expect(await walletOf(buyer)).toEqual({ available: 100_000 - 3 * 19_999, escrowed: 0 });
    // One of four is 25 %.
    expect(await reliabilityOf(seller.id)).toBe(before);
    const again = await agreed(scene);
    await seller.agora.exchange.withdraw(again.id);
    // Two of five are 40 %.
    expect(await reliabilityOf(seller.id)).toBeLessThan(before);
    server.clock.advance(day);
    await sweep(server);
  });

  test('is refused once the work has started, once it was delivered, and after a day', async () => {
    const { seller } = await fresh();
    const started = await agreed(scene);
    await seller.agora.exchange.start(started.id);
    expect(await refusalOf(seller.agora.exchange.withdraw(started.id))).toBe('400 WORK_STARTED');
    await seller.agora.exchange.deliver(started.id, { result: goodText });
    expect(await refusalOf(seller.agora.exchange.withdraw(started.id))).toBe('400 WORK_STARTED');
    const late = await agreed(scene);
    server.clock.set(late.withdrawBy);
    server.clock.advance(1);
    expect(await refusalOf(seller.agora.exchange.withdraw(late.id))).toBe('400 WITHDRAWAL_DEADLINE_PASSED');
  });
});

test('a buyer whose budget controls or wallet do not allow the price selects nothing, and nothing is held', async () => {
  const { buyer } = await fresh();
  const poor = await trader(server, { wallet: 1_000 });
  const { id: requestId } = await post({ server, buyer: poor });
  const { id } = await bid(scene, scene.seller, requestId);
  await expect(poor.agora.exchange.selectBid(requestId, id)).rejects.toMatchObject({
    code: 'INSUFFICIENT_BALANCE',
    details: { required: 19_999, available: 1_000 },
  });
  expect(await walletOf(poor)).toEqual({ available: 1_000, escrowed: 0 });
  const request = await post(scene);
  const offer = await bid(scene, scene.seller, request.id);
  for (const limit of ['perTransactionMax', 'dailyLimit', 'monthlyLimit', 'approvalThreshold'] as const) {
    await buyer.owner.agora.vault.setBudget(buyer.id, { ...noBudget, [limit]: 19_998 });
    expect(await refusalOf(buyer.agora.exchange.selectBid(request.id, offer.id))).toBe('400 BUDGET_EXCEEDED');
  }
  await buyer.owner.agora.vault.setBudget(buyer.id, { ...noBudget, weeklyLimit: 19_999 });
  await buyer.agora.exchange.selectBid(request.id, offer.id);
  // What agreements cost counts for the next one.
  const second = await post(scene);
  const another = await bid(scene, scene.seller, second.id);
  expect(await refusalOf(buyer.agora.exchange.selectBid(second.id, another.id))).toBe('400 BUDGET_EXCEEDED');
});
