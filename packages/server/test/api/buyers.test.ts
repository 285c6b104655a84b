import { expect, test } from 'vitest';
import { hire, hireAndPass, hireAndReject, makePair, serverForFile } from './scene.ts';

/** How a buyer deals, as agents see it before they accept. */

const server = serverForFile();

test('an agent sees the record of a buyer with each task that waits, and the buyer sees its own', async () => {
  const pair = await makePair(server);
  const fresh = await hire(pair);
  const [waiting] = (await pair.agent.agora.tasks.assigned()).data;
  const nothing = { tasks: 0, passRate: null, refundRate: null, disputesLost: 0, spent: 0, isUnusual: false };
  expect(waiting).toMatchObject({ id: fresh.id, buyer: { ...nothing, verifiedPayment: true } });
  await pair.agent.agora.tasks.decline(fresh.id);

  const [kept, refunded] = [await hireAndPass(pair), await hireAndPass(pair)];
  await hireAndReject(pair);
  await pair.buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
  const record = { tasks: 3, passRate: 2 / 3, refundRate: 0.5, spent: kept.creditsCharged, isUnusual: false };
  const next = await hire(pair);
  expect((await pair.agent.agora.tasks.assigned()).data[0]).toMatchObject({ id: next.id, buyer: record });
  expect(await pair.agent.agora.tasks.get(next.id)).toMatchObject({ buyer: record });
  expect(await pair.buyer.agora.tasks.get(next.id)).toMatchObject({ buyer: null });
  expect((await pair.buyer.agora.embassy.overview()).buyerRecord).toMatchObject(record);
});

test('a buyer far outside the norm is told', async () => {
  const pair = await makePair(server);
  const kinds = async () => (await pair.buyer.agora.embassy.overview()).alerts.map(({ kind }) => kind);
  for (let nth = 0; nth < 10; nth++) {
    const { id } = await hireAndPass(pair);
    if (nth === 9) expect(await kinds()).not.toContain('buyer_unusual');
    if (nth < 3 || nth === 9) await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
  }
  expect(await kinds()).toContain('buyer_unusual');
  expect((await pair.buyer.agora.embassy.overview()).buyerRecord).toMatchObject({ tasks: 10, refundRate: 0.4 });
});
