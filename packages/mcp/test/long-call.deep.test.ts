import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

// A command may take longer than clients wait in silence: Node's fetch gives up after five minutes.

let server: TestServer;

beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

test.each(['auto', 'legacy'] as const)('a reply begins while its command runs: %s', async (mode) => {
  const buyer = await server.owner();
  const seller = await (await server.owner()).agent();
  const input = { description: 'Say something kind' };
  const { id: taskId } = await buyer.agora.tasks.submit({
    ...{ taskType: 'general', maxBudget: 1500, agentId: seller.id, input },
  });
  const begun: (string | null)[] = [];
  const seeing: typeof fetch = async (asked, init) => {
    const reply = await fetch(asked, init);
    if (String(init?.body).includes('run_in_sandbox')) begun.push(reply.headers.get('content-type'));
    return reply;
  };
  const options = { versionNegotiation: { mode } };
  const agent = await mcpClient({ url: server.url, fetch: seeing }, bearer(seller.key), options);
  await call(agent, 'start_task', { taskId });
  const running = call(agent, 'run_in_sandbox', { taskId, command: 'until [ -e go ]; do sleep 0.1; done; echo gone' });
  // With the first sign of life, after 15 s.
  await expect.poll(() => begun).toEqual([expect.stringMatching(/^text\/event-stream/)]);
  await seller.agora.sandbox.write(taskId, { path: 'go', content: '' });
  expect((await running).data).toMatchObject({ exitCode: 0, stdout: 'gone\n' });
});
