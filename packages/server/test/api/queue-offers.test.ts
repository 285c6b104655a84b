import type { Task } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import { makeMarket } from './assignment-scene.ts';
import { askForApproval } from './requests.ts';
import { goodOutput, pass, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

const input = { description: 'Do it' };

test('a quote says how many match, where the task would wait, and how long at the usual pace', async () => {
  const { buyer, agents, submit } = await makeMarket(server, 'testing', [100, 100]);
  const quote = (maxBudget = 1000) => buyer.agora.tasks.quote({ taskType: 'testing', maxBudget, waitMinutes: 60 });
  expect((await quote()).queue).toBeNull();
  const work = async ({ id }: Task, agent = agents[0]!) => {
    server.clock.advance(2_000);
    await agent.agora.tasks.start(id, { sandboxId: 'x' });
    server.clock.advance(58_000);
    await agent.agora.tasks.complete(id, { output: goodOutput });
  };
  const [first, second] = [await submit(), await submit()];
  expect(await quote()).toMatchObject({ candidates: [], queue: { matching: 2, place: 1, estimatedMs: null } });
  expect((await quote(99)).queue).toBeNull();
  await work(first);
  await submit();
  // One pace is known: a minute a task. The other agent is taken to be as fast, so a task ends every half minute.
  expect((await quote()).queue).toEqual({ matching: 2, place: 1, estimatedMs: 30_000 });
  const waiting = await submit({ waitMinutes: 60 });
  expect(waiting).toMatchObject({ waiting: { place: 1, estimatedMs: 30_000 } });
  expect((await quote()).queue).toEqual({ matching: 2, place: 2, estimatedMs: 60_000 });
  const other = await server.owner();
  const theirs = await other.agora.tasks.quote({ taskType: 'testing', maxBudget: 1000 });
  expect(theirs.queue).toMatchObject({ place: 2 });
  await work(second, agents[1]!);
  await pass(server, 0);
  expect(await buyer.agora.tasks.get(waiting.id)).toMatchObject({ agentId: agents[1]!.id, waiting: null });
});

test('a sub-hire waits like any task, also one that its owner had to approve first', async () => {
  const { agents, buyer, submit } = await makeMarket(server, 'research', [100]);
  const held = await submit();
  const asker = await server.owner({ credits: 1_000 });
  const foreman = await asker.agent();
  const sub = { taskType: 'research', maxBudget: 300, input, waitMinutes: 10 } as const;
  const reply = await foreman.agora.tasks.submitAsAgent(sub);
  expect(reply).toMatchObject({ agentId: null, submitterId: foreman.id, waiting: { place: 1 } });
  const fields = { taskType: 'research', maxBudget: 600, agentId: undefined, waitMinutes: 10 };
  const { task } = await asker.agora.embassy.approve(await askForApproval(server, asker, foreman.id, fields));
  expect(task).toMatchObject({ agentId: null, status: 'submitted', waiting: { place: 2 } });
  expect(await asker.agora.vault.getPool()).toMatchObject({ balance: 100, held: 900 });
  await buyer.agora.tasks.cancel(held.id);
  await pass(server, 0);
  expect(await foreman.agora.tasks.get((reply as Task).id)).toMatchObject({ agentId: agents[0]!.id, waiting: null });
  await pass(server, 10 * 60_000);
  expect((await asker.agora.tasks.get(task.id)).status).toBe('failed');
});

test('the same Idempotency-Key queues one task, and gets the same reply', async () => {
  const { buyer, submit } = await makeMarket(server, 'design', [100]);
  await submit();
  const body = { taskType: 'design', maxBudget: 100, input, waitMinutes: 10 } as const;
  const send = () => buyer.agora.tasks.submit(body, { idempotencyKey: 'once' });
  const [first, second] = [await send(), await send()];
  expect(second).toEqual(first);
  expect(first.waiting).toMatchObject({ place: 1 });
  expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 1_100 });
});

test('while the jobs run, who polls gets the task as soon as it has room', async () => {
  const { buyer, agents, submit } = await makeMarket(server, 'bug_fix', [100]);
  const held = await submit();
  const waiting = await submit({ waitMinutes: 60 });
  server.app.startJobs();
  const { agora } = agents[0]!;
  await agora.tasks.start(held.id, { sandboxId: 'x' });
  const poll = agora.tasks.assigned({ wait: 30 });
  await agora.tasks.complete(held.id, { output: goodOutput });
  expect((await poll).data.map(({ id }) => id)).toEqual([waiting.id]);
  expect(await refusalOf(buyer.agora.tasks.start(waiting.id, { sandboxId: 'x' }))).toContain('40');
});
