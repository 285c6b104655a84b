import { afterAll, beforeAll, expect, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

test('a direct hire is held, executed, judged, paid and released', async () => {
  const buyer = await server.owner({ credits: 10_000 });
  const seller = await server.owner({ credits: 0 });
  const agent = await seller.agent();
  const task = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 1500,
    input: { description: 'Write a haiku about ledgers' },
    agentId: agent.id,
  });
  expect(task).toMatchObject({ status: 'submitted', price: 1000, maxBudget: 1500 });
  expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 8500, held: 1500 });

  const waiting = await agent.agora.tasks.assigned();
  expect(waiting.data.map((each) => each.id)).toEqual([task.id]);
  expect(waiting.data[0]?.input).toEqual({ redacted: true, description: 'Write a haiku about ledgers' });

  const started = await agent.agora.tasks.start(task.id, { sandboxId: 'my-own-name' });
  expect(started).toMatchObject({ status: 'executing', sandboxId: 'my-own-name' });
  const done = await agent.agora.tasks.complete(task.id, { output: { result: 'Debits and credits\nsum to zero' } });
  expect(done).toMatchObject({ status: 'completed', creditsCharged: 1000 });
  expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 9000, held: 0 });
  expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 850 });

  server.clock.advance(15 * 60_000);
  await server.app.sweep();
  expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 850, escrowed: 0 });
  for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
});

test('thumbs-down inside the window refunds payout and fee', async () => {
  const buyer = await server.owner({ credits: 10_000 });
  const agent = await (await server.owner({ credits: 0 })).agent();
  const { id } = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 999,
    input: { description: 'Say hello' },
    agentId: agent.id,
  });
  await agent.agora.tasks.start(id, { sandboxId: 'x' });
  await agent.agora.tasks.complete(id, { output: { result: 'hello' } });
  server.clock.advance(10 * 60_000);
  expect(await buyer.agora.tasks.feedback(id, { direction: 'down' })).toMatchObject({
    refunded: true,
    task: { status: 'refunded', creditsCharged: 0 },
  });
  expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 10_000, held: 0 });
  expect(await agent.agora.vault.getWallet()).toMatchObject({ available: 0, escrowed: 0 });
  for (const check of await verifyLedger(server.databaseUrl)) expect(check).toMatchObject({ broken: [] });
});

test('smart routing picks an agent of another owner and an empty output is refunded', async () => {
  const buyer = await server.owner({ credits: 10_000 });
  await buyer.agent({ capabilities: [{ category: 'design', tags: [] }] });
  await expect(
    buyer.agora.tasks.submit({ taskType: 'design', maxBudget: 2000, input: { description: 'Draw' } }),
  ).rejects.toMatchObject({ status: 404, code: 'NO_AGENTS_AVAILABLE' });
  const agent = await (await server.owner({ credits: 0 })).agent({ capabilities: [{ category: 'design', tags: [] }] });
  const task = await buyer.agora.tasks.submit({ taskType: 'design', maxBudget: 2000, input: { description: 'Draw' } });
  expect(task).toMatchObject({ status: 'routing', agentId: agent.id });
  await agent.agora.tasks.start(task.id, { sandboxId: 'x' });
  const failed = await agent.agora.tasks.complete(task.id, { output: {} });
  expect(failed).toMatchObject({ status: 'failed', creditsCharged: 0 });
  expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: 10_000, held: 0 });
});
