import { expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, serverForFile } from './scene.ts';

const server = serverForFile();

const sleeping = { checks: [{ name: 'sleeps', command: 'sleep 25' }] };
const quick = { checks: [{ name: 'quick', command: 'true' }] };
const description = 'Write a haiku about ledgers';

test("one buyer's checks that sleep keep nobody else's deliveries waiting", async () => {
  const [greedy, other] = await Promise.all([makePair(server), makePair(server)]);
  const sellers = [greedy.seller, await server.owner({ credits: 0 })];
  // As many as this process runs gates at once, and more; an agent has one task at a time.
  const agents = await Promise.all(sellers.flatMap((seller) => Array.from({ length: 9 }, () => seller.agent())));
  const held = await Promise.all(
    agents.map(async (agent) => {
      const { id } = await hireAndStart({ ...greedy, agent }, { input: { description, acceptance: sleeping } });
      // The reply waits for the verdict, which this test does not.
      void agent.agora.tasks.complete(id, { output: goodOutput }).catch(() => undefined);
      await expect.poll(async () => (await greedy.buyer.agora.tasks.get(id)).status).toBe('quality_check');
      return id;
    }),
  );
  const mine = await hireAndStart(other, { input: { description, acceptance: quick } });
  let { status } = await other.agent.agora.tasks.complete(mine.id, { output: goodOutput });
  const stillJudged = async () =>
    (await Promise.all(held.map((id) => greedy.buyer.agora.tasks.get(id)))).filter(
      (task) => task.status === 'quality_check',
    );
  // At the latest when the first of the others' gates are over, the modest buyer's is too.
  while (status === 'quality_check' && (await stillJudged()).length === held.length) {
    ({ status } = await other.buyer.agora.tasks.get(mine.id));
  }
  expect(status).toBe('completed');
  expect((await stillJudged()).length).toBeGreaterThan(10);
});
