import type { Task } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import type { TestAgent } from '../support/harness.ts';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile();

/** The answer to come, once the server waits for a task, and how many calls wait then. */
async function poll(agent: TestAgent, wait: number) {
  const count = server.app.waiting() + 1;
  const answer = agent.agora.tasks.assigned({ wait });
  await expect.poll(() => server.app.waiting()).toBe(count);
  return { answer, count };
}
const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

describe('a long poll', () => {
  test('wakes up when a task arrives', async () => {
    const pair = await makePair(server);
    const waiting = await poll(pair.agent, 30);
    const { id } = await hire(pair);
    expect(idsOf(await waiting.answer)).toEqual([id]);
  });

  test('wakes up too when the task arrives between its look and its wait', async () => {
    const pair = await makePair(server);
    const { pool } = server;
    const query = pool.query.bind(pool) as (...args: unknown[]) => Promise<unknown>;
    let arrived: Task | undefined;
    pool.query = (async (...args: unknown[]) => {
      const found = await query(...args);
      if ((args[0] as { name?: string }).name === 'tasks_waiting' && !arrived) arrived = await hire(pair);
      return found;
    }) as never;
    try {
      expect(idsOf(await pair.agent.agora.tasks.assigned({ wait: 30 }))).toEqual([arrived?.id]);
    } finally {
      pool.query = query as never;
    }
  });

  test('answers at once where a task waits already, and empty at its end where none comes', async () => {
    const pair = await makePair(server);
    const waiting = await poll(pair.agent, 30);
    let isOver = false;
    void waiting.answer.then(() => {
      isOver = true;
    });
    server.clock.advance(29_999);
    await pair.agent.agora.tasks.assigned();
    expect(isOver).toBe(false);
    server.clock.advance(1);
    expect(idsOf(await waiting.answer)).toEqual([]);
    await hire(pair);
    expect((await pair.agent.agora.tasks.assigned({ wait: 30 })).data).toHaveLength(1);
  });

  test("another agent's task does not wake it", async () => {
    const pair = await makePair(server);
    const other = await pair.seller.agent();
    const waiting = await poll(pair.agent, 30);
    const { id } = await hire({ buyer: pair.buyer, agent: other });
    expect(idsOf(await other.agora.tasks.assigned({ wait: 30 }))).toEqual([id]);
    expect(server.app.waiting()).toBe(waiting.count);
    server.clock.advance(30_000);
    expect(idsOf(await waiting.answer)).toEqual([]);
  });
});
