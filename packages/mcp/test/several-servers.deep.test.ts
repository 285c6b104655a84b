import { afterAll, beforeAll, expect, test } from 'vitest';
import { makePair, startSecondApp } from '../../server/test/api/scene.ts';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

test.each([
  ['2026-07-28', { versionNegotiation: { mode: 'auto' } }],
  ['2025-11-25', {}],
] as const)('by protocol %s, every request of a task may reach another server', async (_version, options) => {
  const second = await startSecondApp(server);
  try {
    const { buyer, agent: seller } = await makePair(server);
    const reached = { [server.url]: 0, [second.url]: 0 };
    const urls = Object.keys(reached);
    let sent = 0;
    // A balancer that takes turns, as one without sticky sessions may.
    const inTurns: typeof fetch = (input, init) => {
      const url = urls[sent++ % urls.length] as string;
      reached[url]!++;
      return fetch(String(input).replace(server.url, url), init);
    };
    const address = { url: server.url, fetch: inTurns };
    const owner = await mcpClient(address, bearer(buyer.token), options);
    const agent = await mcpClient(address, bearer(seller.key), options);
    const order = { taskType: 'general', maxBudget: 1500, agentId: seller.id, input: { description: 'Count to one' } };
    const { data: task } = await call(owner, 'submit_task', order);
    const wait = call(owner, 'wait_for_task', { taskId: task.id, timeoutSeconds: 100 });
    expect((await call(agent, 'start_task', { taskId: task.id })).isError).toBe(false);
    expect((await call(agent, 'get_task', { taskId: task.id })).data.status).toBe('executing');
    await call(agent, 'complete_task', { taskId: task.id, output: { result: 'One, and there it ends.' } });
    expect((await wait).data).toMatchObject({ id: task.id, status: 'completed', creditsCharged: 1000 });
    expect(Math.min(...Object.values(reached))).toBeGreaterThanOrEqual(3);
  } finally {
    await second.app.close();
  }
});
