import { exchangeRules } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { hireAndReject, refusalOf, serverForFile } from '../api/scene.ts';
import {
  agreed,
  bid,
  evaluated,
  goodText,
  hourMs,
  kindsTold,
  type Market,
  market,
  notificationsOf,
  post,
  sweep,
  trader,
  walletOf,
} from './scene.ts';

/** The life of an agreement and its money, to the cent. The ledger is verified at the end of the file. */

const server = serverForFile();
let scene: Market;
const fresh = async () => {
  scene = await market(server);
  return scene;
};

// Before: its key was refused, so that it missed the deadline of what it had agreed to.
test('a suspended agent reads and delivers what it has agreed to, and bids on nothing more', async () => {
  const { seller } = await fresh();
  const agreement = await agreed(scene);
  const buyer = await server.owner();
  const { id: open } = await post(scene);
  for (let failures = 0; failures < 3; failures++) await hireAndReject({ buyer, agent: seller });
  expect(await refusalOf(bid(scene, seller, open))).toBe('403 AGENT_SUSPENDED');
  expect((await seller.agora.exchange.getAgreement(agreement.id)).status).toBe('active');
  expect((await seller.agora.exchange.deliver(agreement.id, { result: goodText })).status).toBe('delivered');
});

describe('an agreement', () => {
  test('goes from a bid to a payout of 85 %, with dollars outside and cents inside', async () => {
    const { buyer, seller } = await fresh();
    const agreement = await agreed(scene);
    expect(agreement).toMatchObject({
      status: 'active',
      price: 199.99,
      escrowAmount: 199.99,
      platformFee: 29.99,
      refunded: 0,
      buyerAgentId: buyer.id,
      sellerAgentId: seller.id,
      version: 1,
    });
    expect(await walletOf(buyer)).toEqual({ available: 80_001, escrowed: 19_999 });
    expect((await buyer.agora.exchange.getRequest(agreement.requestId)).status).toBe('in_progress');

    const started = await seller.agora.exchange.start(agreement.id, { version: 1 });
    expect(started).toMatchObject({ status: 'active', version: 2, startedAt: expect.any(String) });
    const metadata = { words: 13 };
    const delivered = await seller.agora.exchange.deliver(agreement.id, { result: goodText, metadata });
    expect(delivered).toMatchObject({
      status: 'delivered',
      deliverable: { type: 'text', result: goodText, metadata },
      qualityScore: null,
    });

    await server.app.run('exchange.assess');
    const assessed = await buyer.agora.exchange.getAgreement(agreement.id);
    expect(assessed.status).toBe('evaluating');
    expect(assessed.qualityScore).toBeGreaterThanOrEqual(50);
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 0 });

    const done = await buyer.agora.exchange.accept(agreement.id);
    expect(done).toMatchObject({ status: 'completed', endedBecause: 'accepted', platformFee: 29.99, refunded: 0 });
    expect(await walletOf(buyer)).toEqual({ available: 80_001, escrowed: 0 });
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 17_000 });
    expect((await buyer.agora.exchange.getRequest(agreement.requestId)).status).toBe('completed');

    server.clock.advance(server.config.EARNINGS_HOLD_MS - 1);
    await sweep(server);
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 17_000 });
    server.clock.advance(1);
    await sweep(server);
    await sweep(server);
    expect(await walletOf(seller)).toEqual({ available: 17_000, escrowed: 0 });
    expect(await kindsTold(seller)).toEqual(['bid_accepted', 'work_assessed', 'agreement_completed']);
    expect(await kindsTold(buyer)).toEqual([
      'bid_received',
      'work_started',
      'work_delivered',
      'work_assessed',
      'agreement_completed',
    ]);
    const { data } = (await notificationsOf(seller))[0]!;
    expect(data).toEqual({ requestId: agreement.requestId, bidId: agreement.bidId, agreementId: agreement.id });
  });

  test('writes one event for each change, all with the correlation id of the request', async () => {
    await fresh();
    const { id } = await evaluated(scene);
    await scene.buyer.agora.exchange.accept(id);
    const { requestId } = await scene.buyer.agora.exchange.getAgreement(id);
    const { rows } = await server.pool.query(
      `select type, correlation_id from events where data->>'requestId' = $1 order by seq`,
      [requestId],
    );
    expect(rows.map(({ type }) => type)).toEqual([
      'request.posted',
      'bid.placed',
      'agreement.made',
      'agreement.delivered',
      'agreement.assessed',
      'agreement.completed',
    ]);
    expect(new Set(rows.map(({ correlation_id }) => correlation_id)).size).toBe(1);
  });

  test('is read by its two sides and their owners, and by nobody else', async () => {
    const { buyer, seller } = await fresh();
    const { id } = await agreed(scene);
    for (const agora of [buyer.agora, seller.agora, buyer.owner.agora, seller.owner.agora])
      expect((await agora.exchange.getAgreement(id)).id).toBe(id);
    const stranger = await trader(server);
    for (const agora of [stranger.agora, stranger.owner.agora])
      expect(await refusalOf(agora.exchange.getAgreement(id))).toBe('403 NOT_A_PARTY');
  });
});

describe('a delivery', () => {
  test.each([
    ['text', { result: goodText }, 'text'],
    ['structured_data', { result: { haiku: ['Debits', 'and credits', 'meet'] } }, 'structured_data'],
    ['a file', { type: 'file', result: { name: 'haiku.txt', content: goodText, encoding: 'utf8' } } as const, 'file'],
  ])('of %s is kept as it was sent, and assessed', async (_name, delivery, type) => {
    await fresh();
    const { id } = await agreed(scene);
    await scene.seller.agora.exchange.deliver(id, delivery);
    await server.app.run('exchange.assess');
    const read = await scene.buyer.agora.exchange.getAgreement(id);
    expect(read.deliverable).toEqual({ type, result: delivery.result, metadata: {} });
    expect(read.status).toBe('evaluating');
  });

  test.each([
    ['a text that is an object', { type: 'text', result: { a: 1 } }],
    ['data that are a string', { type: 'structured_data', result: 'x' }],
    ['a file without a name', { type: 'file', result: { content: 'x', encoding: 'utf8' } }],
    ['a result above the cap', { result: 'x'.repeat(262_144) }],
    ['an unknown field', { result: 'x', more: 1 }],
  ])('of %s is refused', async (_name, body) => {
    await fresh();
    const { id } = await agreed(scene);
    expect(await refusalOf(scene.seller.agora.exchange.deliver(id, body as never))).toBe('400 VALIDATION_ERROR');
  });

  test('that the gate fails is refunded in full and counts against the seller', async () => {
    const { buyer, seller } = await fresh();
    const { id } = await agreed(scene);
    await seller.agora.exchange.deliver(id, { result: 'TODO' });
    await server.app.run('exchange.assess');
    const ended = await buyer.agora.exchange.getAgreement(id);
    expect(ended).toMatchObject({ status: 'cancelled', endedBecause: 'rejected', refunded: 199.99, platformFee: 0 });
    expect(ended.qualityScore).toBeLessThan(50);
    expect(await walletOf(buyer)).toEqual({ available: 100_000, escrowed: 0 });
    expect(await walletOf(seller)).toEqual({ available: 0, escrowed: 0 });
    await server.app.run('registry.followLog');
    const { rows } = await server.pool.query(
      'select failed from reputations where agent_id = (select seller_agent_id from agreements order by id desc limit 1)',
    );
    expect(rows[0].failed).toBe(1);
  });

  test('has an assessment that buyer and seller read at the courts, and nobody else', async () => {
    const { buyer, seller } = await fresh();
    const { assessmentId, qualityScore, id } = await evaluated(scene);
    for (const { agora } of [buyer, seller, buyer.owner, seller.owner]) {
      const read = await agora.courts.getAssessment(assessmentId as string);
      expect(read).toMatchObject({ id: assessmentId, taskId: id, score: qualityScore, passed: true, appeal: null });
      expect(read.criteria.length).toBeGreaterThan(0);
    }
    const stranger = await trader(server);
    expect(await refusalOf(stranger.agora.courts.getAssessment(assessmentId as string))).toBe('403 NOT_A_PARTY');
  });

  test('is not taken after the deadline, and the sweep then refunds', async () => {
    const { buyer, seller } = await fresh();
    const { id } = await agreed(scene);
    server.clock.advance(72 * hourMs + 1);
    expect(await refusalOf(seller.agora.exchange.deliver(id, { result: goodText }))).toBe('400 WRONG_STATE');
    await sweep(server);
    expect(await buyer.agora.exchange.getAgreement(id)).toMatchObject({
      status: 'cancelled',
      endedBecause: 'not_delivered',
      refunded: 199.99,
    });
    expect(await walletOf(buyer)).toEqual({ available: 100_000, escrowed: 0 });
    expect((await kindsTold(buyer)).at(-1)).toBe('agreement_cancelled');
  });

  test('is erased 30 days after the end', async () => {
    const { buyer } = await fresh();
    const { id } = await evaluated(scene);
    await buyer.agora.exchange.accept(id);
    server.clock.advance(exchangeRules.keptMs + 1);
    await server.app.run('exchange.purge');
    expect((await buyer.agora.exchange.getAgreement(id)).deliverable).toBeNull();
    expect(await notificationsOf(buyer)).toEqual([]);
    await sweep(server);
  });
});

describe('a change', () => {
  test('names the version that it was made for; an older one is a conflict', async () => {
    const { seller } = await fresh();
    const { id } = await agreed(scene);
    await seller.agora.exchange.start(id, { version: 1 });
    expect(await refusalOf(seller.agora.exchange.deliver(id, { result: goodText, version: 1 }))).toBe(
      '409 VERSION_CONFLICT',
    );
    expect((await seller.agora.exchange.deliver(id, { result: goodText, version: 2 })).version).toBe(3);
  });

  test('under an Idempotency-Key is made once', async () => {
    const { seller } = await fresh();
    const { id } = await agreed(scene);
    const body = { result: goodText };
    const options = { idempotencyKey: `deliver-${id}` };
    const replies = [
      await seller.agora.exchange.deliver(id, body, options),
      await seller.agora.exchange.deliver(id, body, options),
    ];
    expect(replies[1]).toEqual(replies[0]);
    expect(await refusalOf(seller.agora.exchange.deliver(id, body))).toBe('409 DUPLICATE');
  });
});
