import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { goodOutput, hire, hireAndStart, makePair, minute, serverForFile } from './scene.ts';

/** A judge that takes every question and answers none. */
let asked = 0;
const judge = createServer((request) => {
  request.resume();
  asked += 1;
});
await new Promise<void>((resolve) => judge.listen(0, '127.0.0.1', resolve));
const { port } = judge.address() as AddressInfo;
afterAll(() => {
  judge.closeAllConnections();
  judge.close();
});

const server = serverForFile({
  config: {
    JUDGE_BASE_URL: `http://127.0.0.1:${port}/v1`,
    JUDGE_MODEL: 'silent',
    // The clock is moved meanwhile.
    JUDGE_CALL_MS: 1e9,
    JUDGE_TOTAL_MS: 1e9,
  },
});

test('while a judge is waited for, earnings are released and buyers refunded all the same', async () => {
  const pair = await makePair(server);
  // Above the judge's band, so that it is not asked.
  const checked = { description: 'Say yes', acceptance: { schema: { type: 'string', minLength: 3 } } };
  const paid = await hireAndStart(pair, { input: checked });
  await pair.agent.agora.tasks.complete(paid.id, { output: goodOutput });
  expect(asked).toBe(0);
  const ignored = await hire({ ...pair, agent: await pair.seller.agent() });
  const waiting = await hireAndStart(pair);
  const delivered = pair.agent.agora.tasks.complete(waiting.id, { output: goodOutput });
  await expect.poll(() => asked).toBe(1);

  // Earnings are due, the ignored task is past its time, and the gate that waits is past its lease.
  server.clock.advance(20 * minute);
  expect((await delivered).status).toBe('quality_check');
  const { available, escrowed } = await pair.agent.agora.vault.getWallet();
  expect([available, escrowed]).toEqual([0, 850]);
  server.app.startJobs();
  const released = async () => (await pair.agent.agora.vault.getWallet()).available;
  await expect.poll(released).toBe(850);
  const refunded = async () => (await pair.buyer.agora.tasks.get(ignored.id)).status;
  await expect.poll(refunded).toBe('failed');
  expect((await pair.buyer.agora.tasks.get(waiting.id)).status).toBe('quality_check');
});
