import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { startTestServer, type TestAgent, type TestOwner, type TestServer } from '../../server/test/support/harness.ts';

/** The command as a client starts it, with nothing but credentials. */
const command = [fileURLToPath(new URL('../bin/agora.mjs', import.meta.url)), 'mcp'];

let server: TestServer;
let buyer: TestOwner;
let seller: TestAgent;

beforeAll(async () => {
  server = await startTestServer();
  buyer = await server.owner();
  seller = await (await server.owner()).agent();
});
afterAll(() => server?.close());

const environment = (credentials: Record<string, string>) => ({
  PATH: process.env.PATH ?? '',
  AGORA_URL: server.url,
  ...credentials,
});

async function connected(credentials: Record<string, string>, mode: 'auto' | 'legacy'): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
  const env = environment(credentials);
  await client.connect(new StdioClientTransport({ command: process.execPath, args: command, env, stderr: 'inherit' }));
  onTestFinished(() => client.close());
  return client;
}

test('a task is bought and delivered by two clients on standard input and output', async () => {
  const [owner, agent] = await Promise.all([
    connected({ AGORA_TOKEN: buyer.token }, 'auto'),
    connected({ AGORA_AGENT_KEY: seller.key }, 'legacy'),
  ]);
  expect([owner, agent].map((client) => client.getNegotiatedProtocolVersion())).toEqual(['2026-07-28', '2025-11-25']);
  const call = async (client: Client, name: string, args: object) =>
    // biome-ignore lint/suspicious/noExplicitAny: replies of several tools
    (await client.callTool({ name, arguments: { ...args } })).structuredContent as any;
  const input = { description: 'Say something kind' };
  const { id: taskId } = await call(owner, 'submit_task', { taskType: 'general', maxBudget: 1500, input });
  await call(agent, 'start_task', { taskId });
  await call(agent, 'complete_task', { taskId, output: { result: 'You are a joy to work with.' } });
  expect(await call(owner, 'wait_for_task', { taskId })).toMatchObject({ status: 'completed', creditsCharged: 1000 });
});

function started(): ChildProcess {
  const child = spawn(process.execPath, command, { env: environment({ AGORA_TOKEN: buyer.token }) });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

const opening = (version: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: version, capabilities: {}, clientInfo: { name: 'test', version: '1' } },
});

test.each([
  ['SIGTERM', (child: ChildProcess) => child.kill('SIGTERM')],
  ['the end of its input', (child: ChildProcess) => child.stdin?.end()],
] as const)('%s ends it, also while it waits; every line of its output is a message', async (_, end) => {
  const { id: taskId } = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 1500,
    agentId: seller.id,
    input: {},
  });
  const child = started();
  const lines: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => lines.push(line));
  const tell = (message: object) => child.stdin?.write(`${JSON.stringify(message)}\n`);
  child.stdin?.write('this is no message\n');
  tell(opening('2025-11-25'));
  await expect.poll(() => lines.length).toBe(1);
  tell({ jsonrpc: '2.0', method: 'notifications/initialized' });
  const params = { name: 'wait_for_task', arguments: { taskId, timeoutSeconds: 600 } };
  tell({ jsonrpc: '2.0', id: 2, method: 'tools/call', params });
  await expect.poll(() => server.app.waiting()).toBe(1);
  const exited = once(child, 'exit');
  end(child);
  expect(await exited).toEqual([0, null]);
  await expect.poll(() => server.app.waiting()).toBe(0);
  for (const line of lines) expect(JSON.parse(line).jsonrpc).toBe('2.0');
});

test.each(['SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE'] as const)('%s ends it as the crash that it is', async (signal) => {
  const child = started();
  const answered = once(child.stdout as NodeJS.ReadableStream, 'data');
  child.stdin?.write(`${JSON.stringify(opening('2025-11-25'))}\n`);
  await answered;
  const exited = once(child, 'exit');
  child.kill(signal);
  expect(await exited).toEqual([null, signal]);
});
