import { afterAll, beforeAll, expect, test } from 'vitest';
import { hire, makePair } from '../../server/test/api/scene.ts';
import { startTestServer, type TestServer } from '../../server/test/support/harness.ts';
import { bearer, call, mcpClient } from './clients.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server?.close());

/** An agent's client with a started task. */
async function started(options?: Parameters<typeof mcpClient>[2]) {
  const pair = await makePair(server);
  const { id: taskId } = await hire(pair);
  const client = await mcpClient(server, bearer(pair.agent.key), options);
  await call(client, 'start_task', { taskId });
  const count = 'cat /proc/[0-9]*/comm | grep -c "^sleep" || true';
  const { sandbox } = pair.agent.agora;
  const sleepers = async () => (await sandbox.exec(taskId, { command: count })).data.stdout;
  return { taskId, client, sleepers, key: pair.agent.key };
}

test.each(['auto', 'legacy'] as const)('a call that its client cancels ends its command: %s', async (mode) => {
  const { taskId, client, sleepers } = await started({ versionNegotiation: { mode } });
  const giveUp = new AbortController();
  const params = { name: 'run_in_sandbox', arguments: { taskId, command: 'sleep 600' } };
  const running = client.callTool(params, { signal: giveUp.signal });
  await expect.poll(sleepers).toBe('1\n');
  giveUp.abort();
  await expect(running).rejects.toThrow();
  await expect.poll(sleepers).toBe('0\n');
});

test.each(['run_in_sandbox', 'POST /tasks/:taskId/sandbox/exec'])(
  'a command ends with the connection of its caller: %s',
  async (way) => {
    const { taskId, sleepers, key } = await started();
    const leave = new AbortController();
    const [path, body] =
      way === 'run_in_sandbox'
        ? [
            '/mcp',
            {
              jsonrpc: '2.0',
              id: 1,
              method: 'tools/call',
              params: { name: way, arguments: { taskId, command: 'sleep 600' } },
            },
          ]
        : [`/api/v1/tasks/${taskId}/sandbox/exec`, { command: 'sleep 600' }];
    const sent = fetch(new URL(path, server.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'x-api-key': key },
      body: JSON.stringify(body),
      signal: leave.signal,
    }).then((reply) => reply.text());
    await expect.poll(sleepers).toBe('1\n');
    leave.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(sleepers).toBe('0\n');
  },
);

test('a command in the background is followed, and ended', async () => {
  const { taskId, client, sleepers } = await started();
  const run = async (args: object) => (await call(client, 'run_in_sandbox', { taskId, ...args })).data;
  const { processId } = await run({
    command: 'echo begun; until [ -e go ]; do sleep 0.1; done; exit 3',
    background: true,
  });
  const followed = run({ processId });
  await call(client, 'write_sandbox_file', { taskId, path: 'go', content: '' });
  expect(await followed).toMatchObject({ processId, exitCode: 3, stdout: 'begun\n' });
  const other = await run({ command: 'sleep 600', background: true });
  await expect.poll(sleepers).toBe('1\n');
  expect(await run({ processId: other.processId, kill: true })).toMatchObject({ exitCode: 137 });
  expect(await sleepers()).toBe('0\n');
});
