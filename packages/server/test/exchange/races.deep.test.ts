import { describe, expect, test } from 'vitest';
import { refusalOf, serverForFile, startSecondApp } from '../api/scene.ts';
import {
  agreed,
  bid,
  evaluated,
  goodText,
  hourMs,
  makeStanding,
  market,
  post,
  sweep,
  trader,
  walletOf,
} from './scene.ts';

/** Two at once: one of them comes to pass, the other is told so, and the money moves once. */

const server = serverForFile();

const race = (...calls: (() => Promise<unknown>)[]) => Promise.all(calls.map((call) => refusalOf(call())));
const rounds = [0, 1, 2, 3, 4, 5];
/** Every second round the other one begins. */
const inTurn = async (round: number, one: () => Promise<unknown>, other: () => Promise<unknown>) => {
  if (round % 2 === 0) return race(one, other);
  const [second, first] = await race(other, one);
  return [first, second] as [string, string];
};
const won = 'no refusal';

describe.each(rounds)('round %#', (round) => {
  test('of eight bids of one agent on one request one is taken', async () => {
    const { buyer, seller } = await market(server);
    const { id } = await post({ server, buyer });
    const outcomes = await race(...Array.from({ length: 8 }, () => () => bid({ server }, seller, id)));
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('409 DUPLICATE'), won]);
    expect((await buyer.agora.exchange.listBids(id)).data).toHaveLength(1);
  });

  test('of two selections one makes an agreement', async () => {
    const { buyer, seller } = await market(server);
    const rival = await trader(server);
    const { id } = await post({ server, buyer });
    const bids = [await bid({ server }, seller, id), await bid({ server }, rival, id)];
    const outcomes = await race(...bids.map((each) => () => buyer.agora.exchange.selectBid(id, each.id)));
    expect(outcomes.toSorted()).toEqual(['400 BID_NOT_PENDING', won]);
    expect(await walletOf(buyer)).toEqual({ available: 80_001, escrowed: 19_999 });
  });

  test('a bid is selected or withdrawn, not both', async () => {
    const { buyer, seller } = await market(server);
    const { id } = await post({ server, buyer });
    const offer = await bid({ server }, seller, id);
    const [selected, withdrawn] = await inTurn(
      round,
      () => buyer.agora.exchange.selectBid(id, offer.id),
      () => seller.agora.exchange.withdrawBid(id, offer.id),
    );
    expect([selected, withdrawn].toSorted()).toEqual(['400 BID_NOT_PENDING', won]);
    expect((await walletOf(buyer)).escrowed).toBe(selected === won ? 19_999 : 0);
  });

  test('a bid is selected or its request cancelled, and a bid on a cancelled request is never pending', async () => {
    const { buyer, seller } = await market(server);
    const rival = await trader(server);
    const { id } = await post({ server, buyer });
    const offer = await bid({ server }, seller, id);
    const [selected, cancelled] = await race(
      () => buyer.agora.exchange.selectBid(id, offer.id),
      () => buyer.agora.exchange.cancelRequest(id),
      () => bid({ server }, rival, id),
    );
    expect([selected, cancelled].filter((each) => each === won)).toHaveLength(1);
    const { data } = await buyer.agora.exchange.listBids(id);
    expect(data.map(({ status }) => status)).not.toContain('pending');
    expect((await walletOf(buyer)).escrowed).toBe(selected === won ? 19_999 : 0);
  });

  test('a direct offer is accepted or cancelled, not both', async () => {
    const { buyer, seller } = await market(server);
    const { id } = await post({ server, buyer }, { selectionMode: 'direct', directHireAgentId: seller.id });
    const [accepted, cancelled] = await inTurn(
      round,
      () => seller.agora.exchange.acceptOffer(id),
      () => buyer.agora.exchange.cancelRequest(id),
    );
    expect([accepted, cancelled].toSorted()).toEqual(['400 WRONG_STATE', won]);
    expect((await walletOf(buyer)).escrowed).toBe(accepted === won ? 50_000 : 0);
  });

  test('a delivery is accepted or disputed, not both, and paid once', async () => {
    const scene = await market(server);
    const { buyer, seller } = scene;
    const { id } = await evaluated(scene);
    const [accepted, disputed] = await inTurn(
      round,
      () => buyer.agora.exchange.accept(id),
      () => buyer.agora.exchange.dispute(id, { reason: 'No' }),
    );
    expect([accepted, disputed].toSorted()).toEqual(['400 WRONG_STATE', won]);
    expect((await walletOf(seller)).escrowed).toBe(accepted === won ? 17_000 : 0);
  });

  test('of eight acceptances one pays', async () => {
    const scene = await market(server);
    const { id } = await evaluated(scene);
    const outcomes = await race(...Array.from({ length: 8 }, () => () => scene.buyer.agora.exchange.accept(id)));
    expect(outcomes.toSorted()).toEqual([...Array(7).fill('400 WRONG_STATE'), won]);
    expect(await walletOf(scene.seller)).toEqual({ available: 0, escrowed: 17_000 });
  });

  test('a seller starts or withdraws, not both', async () => {
    const scene = await market(server);
    const { id } = await agreed(scene);
    const { exchange } = scene.seller.agora;
    const outcomes = await inTurn(
      round,
      () => exchange.start(id),
      () => exchange.withdraw(id),
    );
    expect(outcomes.filter((each) => each === won)).toHaveLength(1);
    expect(await walletOf(scene.buyer)).toEqual(
      outcomes[0] === won ? { available: 80_001, escrowed: 19_999 } : { available: 100_000, escrowed: 0 },
    );
  });

  test('of two deliveries one is kept', async () => {
    const scene = await market(server);
    const { id } = await agreed(scene);
    const deliver = (result: string) => () => scene.seller.agora.exchange.deliver(id, { result });
    const outcomes = await race(deliver(goodText), deliver('Another text about ledgers, as good as the first'));
    expect(outcomes.toSorted()).toEqual(['409 DUPLICATE', won]);
  });

  test('of many requests at once as many are taken as the tier allows', async () => {
    const buyer = await trader(server, { tier: 'provisional' });
    const outcomes = await race(...Array.from({ length: 6 }, () => () => post({ server, buyer })));
    expect(outcomes.filter((each) => each === won)).toHaveLength(3);
  });

  test('a seller at its limit gets one agreement of two that are selected at once', async () => {
    const { buyer, seller } = await market(server);
    await makeStanding(server, seller.id, { tier: 'unverified' });
    const requests = [await post({ server, buyer }), await post({ server, buyer })];
    const bids: { id: string }[] = [];
    for (const { id } of requests) bids.push(await bid({ server }, seller, id, { amount: 20 }));
    const outcomes = await race(
      ...requests.map(
        ({ id }, at) =>
          () =>
            buyer.agora.exchange.selectBid(id, bids[at]!.id),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['409 BIDDER_AT_LIMIT', won]);
  });

  test('a wallet pays for one of two that it can pay for singly', async () => {
    const buyer = await trader(server, { wallet: 20_000 });
    const requests = [await post({ server, buyer }), await post({ server, buyer })];
    const bids: { id: string }[] = [];
    for (const { id } of requests) bids.push(await bid({ server }, await trader(server), id));
    const outcomes = await race(
      ...requests.map(
        ({ id }, at) =>
          () =>
            buyer.agora.exchange.selectBid(id, bids[at]!.id),
      ),
    );
    expect(outcomes.toSorted()).toEqual(['400 INSUFFICIENT_BALANCE', won]);
    expect(await walletOf(buyer)).toEqual({ available: 1, escrowed: 19_999 });
  });
});

describe('two servers', () => {
  test('sweep the same awards, lapses and releases once', async () => {
    const { app } = await startSecondApp(server);
    try {
      const scene = await market(server);
      const { id } = await evaluated(scene);
      const auto = await post(scene, { selectionMode: 'auto' });
      await bid(scene, await trader(server), auto.id, { amount: 100 });
      for (const hours of [73, 1]) {
        server.clock.advance(hours * hourMs);
        await Promise.all([sweep(server), sweep({ app }), sweep(server), sweep({ app })]);
      }
      expect((await scene.buyer.agora.exchange.getAgreement(id)).status).toBe('completed');
      expect(await walletOf(scene.seller)).toEqual({ available: 17_000, escrowed: 0 });
    } finally {
      await app.close();
    }
  });

  test('assess a delivery once', async () => {
    const { app } = await startSecondApp(server);
    try {
      const scene = await market(server);
      const ids = [];
      for (let count = 0; count < 3; count++) {
        const { id } = await agreed(scene);
        await scene.seller.agora.exchange.deliver(id, { result: goodText });
        ids.push(id);
      }
      await Promise.all([server.app.run('exchange.assess'), app.run('exchange.assess')]);
      for (const id of ids) {
        expect((await scene.buyer.agora.exchange.getAgreement(id)).status).toBe('evaluating');
      }
      const { rows } = await server.pool.query('select max(attempts) from agreements');
      expect(rows[0].max).toBe(1);
    } finally {
      await app.close();
    }
  });
});

test('an acceptance in the instant of the sweep ends the agreement once', async () => {
  for (const round of rounds) {
    const scene = await market(server);
    const { id, acceptBy } = await evaluated(scene);
    server.clock.set(acceptBy as string);
    const [accepted] = await inTurn(
      round,
      () => scene.buyer.agora.exchange.accept(id),
      () => sweep(server),
    );
    const { endedBecause } = await scene.buyer.agora.exchange.getAgreement(id);
    expect([accepted, endedBecause]).toEqual(
      accepted === won ? [won, 'accepted'] : ['400 WRONG_STATE', 'not_answered'],
    );
    expect((await walletOf(scene.seller)).escrowed).toBe(17_000);
  }
});
