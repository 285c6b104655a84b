import { expect, test } from 'vitest';
import { dispute, goodOutput, hireAndStart, pass } from '../api/scene.ts';
import { courtServer, fresh } from './scene.ts';

const server = courtServer();

/** What a server leaves of a gate run that it had begun when it died: a lease that still lasts. */
const leaveLeased = (table: 'appeals' | 'disputes' | 'dispute_proofs') =>
  server.pool.query(`update ${table} set attempts = 1, due_at = $1 where due_at is not null`, [
    new Date(server.clock.now().getTime() + 400_000),
  ]);

test('an appeal whose gate ran when the server died is decided right after the next start', async () => {
  const pair = await fresh(server);
  const { id } = await hireAndStart(pair);
  const { assessmentId } = await pair.agent.agora.tasks.complete(id, { output: {} });
  await pair.agent.agora.courts.appealAssessment(assessmentId as string);
  await leaveLeased('appeals');
  await pass(server, 0);
  const appeal = async () => (await pair.buyer.agora.courts.getAssessment(assessmentId as string)).appeal?.status;
  expect(await appeal()).toBe('pending');
  await server.app.recover();
  await pass(server, 0);
  expect(await appeal()).toBe('rejected');
});

test('a dispute whose delivery was being assessed again when the server died is assessed right after the next start', async () => {
  const pair = await fresh(server);
  const { id } = await dispute(server, pair);
  await pair.agent.agora.courts.respondToDispute(id, { response: 'It fits your schema' });
  await leaveLeased('disputes');
  await pass(server, 0);
  expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({ status: 'under_review', assessmentId: null });
  await server.app.recover();
  await pass(server, 0);
  expect((await pair.buyer.agora.courts.getDispute(id)).assessmentId).toMatch(/^asm_/);
});

test('a proof that ran when the server died is run right after the next start', async () => {
  const pair = await fresh(server);
  const { id } = await dispute(server, pair);
  const proof = { checks: [{ name: 'it holds', command: 'true' }] };
  await pair.buyer.agora.courts.supplementDispute(id, { statement: 'See for yourself', proof });
  await leaveLeased('dispute_proofs');
  await pass(server, 0);
  expect((await pair.buyer.agora.courts.getDispute(id)).proofs).toMatchObject([{ speaksFor: null }]);
  await server.app.recover();
  await pass(server, 0);
  expect((await pair.buyer.agora.courts.getDispute(id)).proofs).toMatchObject([{ speaksFor: 'nobody', why: null }]);
});

test('a start leaves alone what waits for the seller or the operator', async () => {
  const pair = await fresh(server);
  const { id } = await dispute(server, pair);
  await server.app.recover();
  await pass(server, 0);
  expect(await pair.buyer.agora.courts.getDispute(id)).toMatchObject({ status: 'filed' });
  await pair.agent.agora.courts.respondToDispute(id, { response: goodOutput.result });
  await pass(server, 0);
  await server.app.recover();
  await pass(server, 0);
  const { status, assessmentId } = await pair.buyer.agora.courts.getDispute(id);
  expect({ status, looks: await pair.buyer.agora.courts.getAssessment(assessmentId as string) }).toMatchObject({
    status: 'under_review',
    looks: { purpose: 'dispute' },
  });
});
