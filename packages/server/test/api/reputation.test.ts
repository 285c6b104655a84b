import { expect, test } from 'vitest';
import { recomputeReputations } from '../../src/registry/reputation/recompute.ts';
import { hireAndPass, makePair, serverForFile } from './scene.ts';

const server = serverForFile();

test('what a task says of its agent is read by itself within a second, and recomputing finds the same', async () => {
  server.app.startJobs();
  const pair = await makePair(server);
  // Without the reply of a task's end, before which tests have the reader run.
  const { id } = await hireAndPass(pair);
  await expect
    .poll(async () => (await server.pool.query('select completed from reputations where completed > 0')).rows.length, {
      timeout: 5_000,
    })
    .toBe(1);
  expect((await pair.agent.agora.agents.me()).completedTasks).toBe(1);
  expect((await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
  expect(await recomputeReputations(server.pool)).toMatchObject({ agents: 1, differences: [] });
});
