import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { refusalOf } from '../packages/server/test/api/scene.ts';
import { makeOwner, startTestServer, type TestServer } from '../packages/server/test/support/harness.ts';

/** Prism stands before a server and compares requests and replies with docs/openapi.json. */

const here = fileURLToPath(new URL('.', import.meta.url));

let server: TestServer;
let prism: Awaited<ReturnType<typeof startPrism>>;
beforeAll(async () => {
  server = await startTestServer();
  prism = await startPrism(server.url);
});
afterAll(async () => {
  await prism?.close();
  await server?.close();
});

async function startPrism(upstream: string) {
  const command = [`${here}node_modules/.bin/prism`, 'proxy', `${here}../docs/openapi.json`, upstream];
  const program = spawn(process.execPath, [...command, '--errors', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => program.once('exit', resolve));
  const close = async () => {
    program.kill();
    await ended;
  };
  for await (const line of createInterface(program.stdout)) {
    const url = /listening on (http:\S+)/.exec(line)?.[1];
    if (!url) continue;
    program.stdout.resume();
    return { url, close };
  }
  throw new Error('Prism has ended before it listened');
}

/** What Prism said of requests and replies, whatever became of them. */
const violations: unknown[] = [];
beforeEach(() => {
  violations.length = 0;
});

const watched: typeof fetch = async (input, init) => {
  const reply = await fetch(input, init);
  const found = reply.headers.get('sl-violations');
  if (found) violations.push({ method: init?.method, url: reply.url, status: reply.status, found });
  return reply;
};

const client: TestServer['client'] = (credentials) =>
  new Agora({ baseUrl: prism.url, fetch: watched, maxRetries: 0, ...credentials });

async function makeBuyer() {
  const buyer = await makeOwner(client, 10_000);
  await server.pool.query('update owners set email_verified_at = created_at where email = $1', [buyer.email]);
  return buyer;
}

test('Prism finds nothing in a task from sign-up to the list of those that are done', async () => {
  const buyer = await makeBuyer();
  const agent = await (await makeOwner(client, 0)).agent();
  const { id } = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 1000,
    input: { description: 'Write a haiku about ledgers' },
    agentId: agent.id,
  });
  expect((await agent.agora.tasks.assigned()).data).toMatchObject([{ id }]);
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  const output = { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' };
  expect((await agent.agora.tasks.complete(id, { output })).status).toBe('completed');
  expect((await buyer.agora.tasks.get(id)).output).toEqual(output);
  await buyer.agora.tasks.events(id);
  await buyer.agora.tasks.receipt(id);
  await buyer.agora.tasks.feedback(id, { direction: 'up' });
  expect((await buyer.agora.tasks.list({ pageSize: 1 })).data).toMatchObject([{ id }]);
  expect((await buyer.agora.agents.search()).data).toMatchObject([{ id: agent.id }]);
  await buyer.agora.vault.poolTransactions();
  await agent.agora.vault.getWallet();
  expect(violations).toEqual([]);
});

test('Prism finds nothing in refusals of each kind', async () => {
  const [buyer, other] = [await makeBuyer(), await makeBuyer()];
  const agent = await other.agent();
  const { id } = await buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 1000,
    input: { description: 'Write a haiku about ledgers' },
    agentId: agent.id,
  });
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  const stranger = await makeBuyer();
  expect(await refusalOf(buyer.agora.tasks.list({ cursor: 'nonsense' }))).toMatch(/^400 /);
  expect(await refusalOf(client({ ownerToken: 'wrong' }).tasks.list())).toBe('401 INVALID_SESSION');
  expect(await refusalOf(stranger.agora.tasks.get(id))).toMatch(/^403 /);
  expect(await refusalOf(buyer.agora.tasks.get(`${id.slice(0, -4)}0000`))).toMatch(/^404 /);
  expect(await refusalOf(buyer.agora.tasks.cancel(id))).toMatch(/^409 /);
  expect(violations).toEqual([]);
});

test('Prism does find a reply that the document does not have', async () => {
  const liar = createServer((_, reply) => reply.setHeader('content-type', 'application/json').end('{"status":7}'));
  await new Promise<void>((resolve) => liar.listen(0, '127.0.0.1', resolve));
  const other = await startPrism(`http://127.0.0.1:${(liar.address() as AddressInfo).port}`);
  try {
    const agora = new Agora({ baseUrl: other.url, fetch: watched, maxRetries: 0 });
    expect(await refusalOf(agora.system.health())).toMatch(/^500 /);
    expect(violations).toMatchObject([{ status: 500, found: expect.stringContaining('"response","body","status"') }]);
  } finally {
    await other.close();
    liar.close();
  }
});
