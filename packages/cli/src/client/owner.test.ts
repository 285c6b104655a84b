import { rmSync } from 'node:fs';
import type { OwnAgent, Wallet } from '@agora-market/sdk';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { serverForFile } from '../../../server/test/api/scene.ts';
import { earn } from '../../../server/test/support/earn.ts';
import type { TestOwner } from '../../../server/test/support/harness.ts';
import { agora, agoraJson, profilesFile, profilesText } from '../../test/command.ts';

/** Agents, credits and approvals of an owner, and what every command does where it cannot. */

const server = serverForFile();
let owner: TestOwner;
let env: Record<string, string>;

beforeAll(async () => {
  owner = await server.owner({ credits: 0 });
  env = { AGORA_URL: server.url, AGORA_TOKEN: owner.token };
});
afterEach(() => rmSync(profilesFile, { force: true }));

const run = (...args: string[]) => agora(args, { env });
const json = <T = Record<string, unknown>>(...args: string[]) => agoraJson<T>(args, { env });

test('registers an agent, shows its key once, and keeps it in the profile on demand', async () => {
  const made = await run(
    ...['agents', 'register', '--name', 'Ada\u001b[31m’s agent', '--category', 'bug_fix:typescript,node'],
    ...['--category', 'testing', '--price', '250', '--save'],
  );
  expect(made).toMatchObject({ exitCode: 0, stderr: '' });
  const key = /^key {2}(ac_live_\S+)$/m.exec(made.stdout)?.[1];
  expect(made.stdout).not.toContain('\u001b');
  expect(JSON.parse(profilesText()).profiles.default).toEqual({ url: server.url, agentKey: key });
  expect(await agoraJson(['whoami'])).toMatchObject({ agent: { displayName: expect.stringContaining('agent') } });
  const { data } = await json<{ data: OwnAgent[] }>('agents', 'list');
  expect(data[0]).toMatchObject({
    capabilities: [
      { category: 'bug_fix', tags: ['typescript', 'node'] },
      { category: 'testing', tags: [] },
    ],
    pricing: { baseRate: 250 },
  });
  const rotated = await json<{ apiKey: string }>('agents', 'rotate-key', data[0]?.id as string);
  expect(rotated.apiKey).not.toBe(key);
  expect(await agora(['whoami'])).toMatchObject({ exitCode: 3 });
  expect(await run('agents', 'register', '--name', 'x')).toMatchObject({ exitCode: 2 });
  expect(await run('agents', 'register', '--name', 'x', '--category', 'cooking')).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('bug_fix'),
  });
});

test('finds, shows, updates and deactivates agents', async () => {
  const { id } = await owner.agent({
    displayName: 'Grace',
    capabilities: [{ category: 'research', tags: ['physics'] }],
  });
  const found = await agora(['agents', 'search', 'Grace', '--category', 'research', '--url', server.url]);
  expect(found.stdout).toContain(id);
  const none = await agora(['agents', 'search', '--tag', 'nothing-has-it', '--url', server.url]);
  expect(none.stdout).toBe('There are none.\n');
  expect((await run('agents', 'get', id)).stdout).toContain('research (physics)');
  expect(await json('agents', 'update', id, '--description', 'New', '--price', '700')).toMatchObject({
    description: 'New',
    pricing: { baseRate: 700 },
  });
  expect(await run('agents', 'update', id)).toMatchObject({ exitCode: 2 });
  expect((await run('agents', 'status', id, 'busy')).stdout).toBe(`${id} is active, busy.\n`);
  expect(await json('agents', 'status', id, 'deactivated')).toMatchObject({ status: 'deactivated' });
  expect(await json('agents', 'status', id, 'active')).toMatchObject({ status: 'active' });
  expect(await run('agents', 'status', id, 'active')).toMatchObject({ exitCode: 1 });
});

test('saves a card, tops up, and moves credits between pool, wallets and bank', async () => {
  const earner = await owner.agent();
  const [one, other] = [earner.id, (await owner.agent()).id];
  await earn(server, earner, 1100);
  expect(await run('vault', 'cards', 'add')).toMatchObject({ exitCode: 2 });
  expect((await run('vault', 'cards', 'add', '--test')).stdout).toContain('visa ending in 4242');
  const { data: cards } = await json<{ data: { id: string }[] }>('vault', 'cards', 'list');
  expect((await run('vault', 'top-up', '2500')).stdout).toBe('Charged $25.00; the pool has $25.00.\n');
  expect(await run('vault', 'top-up', '12.50')).toMatchObject({ exitCode: 2 });
  expect((await run('vault', 'allocate', one, '1500')).stdout).toContain('The pool has $10.00');
  expect(await json('vault', 'transfer', one, other, '400')).toMatchObject({ to: { available: 400 } });
  expect(await json('vault', 'reclaim', other, '100')).toMatchObject({ pool: { balance: 1100 } });
  await owner.agora.vault.onboardPayouts();
  expect(await json('vault', 'withdraw', one, '1000')).toMatchObject({ amount: 1000 });
  expect((await run('vault', 'withdraw', one, '1000')).stderr).toContain(
    'What you allocated to it cannot be withdrawn',
  );
  const { data: wallets } = await json<{ data: Wallet[] }>('vault', 'wallets', '--all');
  expect(wallets.find(({ agentId }) => agentId === other)).toMatchObject({ available: 300 });
  expect((await run('vault', 'wallets')).stdout).toContain('$3.00');
  expect((await run('vault', 'balance')).stdout).toMatch(/^pool {12}\$11\.00$/m);
  const moves = await json<{ data: { cause: string }[] }>('vault', 'transactions', '--page-size', '3');
  expect(moves.data.map(({ cause }) => cause)).toEqual(['reclaim_allocated', 'allocation', 'top_up']);
  expect((await run('vault', 'transactions', '--agent', other)).stdout).toContain('wallet_transfer');
  const card = cards[0]?.id as string;
  expect((await run('vault', 'cards', 'default', card)).stdout).toContain('is charged from now on');
  expect((await run('vault', 'cards', 'remove', card)).stdout).toBe(`${card} is removed.\n`);
});

test('decides what an agent may only do with approval', async () => {
  const rich = await server.owner({ credits: 10_000 });
  await server.operator().auth.updateOwner(rich.id, { plan: 'pro', reason: 'Test' } as never);
  const seller = await (await server.owner({ credits: 0 })).agent();
  const buyer = await rich.agent();
  const none = { perTransactionMax: null, dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
  await rich.agora.vault.setBudget(buyer.id, { ...none, approvalThreshold: 100 });
  const asked = async () => {
    const made = await buyer.agora.tasks.submitAsAgent({
      taskType: 'general',
      maxBudget: 2000,
      agentId: seller.id as never,
      input: { description: 'Write a poem' },
    });
    return (made as unknown as { approval: { id: string } }).approval.id;
  };
  const [first, second] = [await asked(), await asked()];
  const as = { env: { AGORA_URL: server.url, AGORA_TOKEN: rich.token } };
  expect((await agora(['approvals', 'list', '--status', 'pending'], as)).stdout).toContain(second);
  expect((await agora(['approvals', 'approve', first], as)).stdout).toMatch(/is approved; tsk_\w+ is submitted/);
  expect(await agoraJson(['approvals', 'deny', second, '--note', 'Too dear'], as)).toMatchObject({
    status: 'denied',
    note: 'Too dear',
  });
  expect(await agora(['approvals', 'approve', second], as)).toMatchObject({ exitCode: 1 });
});

test.each([
  [['tasks', 'list']],
  [['tasks', 'get', 'tsk_x']],
  [['tasks', 'watch', 'tsk_x']],
  [['tasks', 'submit', 'general', 'x', '--max-budget', '5']],
  [['agents', 'list']],
  [['vault', 'balance']],
  [['approvals', 'list']],
])('%j exits 3 without a credential and 4 without a server, naming it', async (args) => {
  const signedOut = await agora([...args, '--url', server.url]);
  expect(signedOut).toMatchObject({ exitCode: 3, stdout: '' });
  expect(signedOut.stderr).toContain(`agora login\`, or set AGORA_TOKEN`);
  expect(signedOut.stderr).toContain(server.url);
  // Port 9 (discard) answers nobody.
  const gone = await agora([...args, '--url', 'http://127.0.0.1:9', '--json'], { env: { AGORA_TOKEN: 'x' } });
  expect(gone).toMatchObject({ exitCode: 4, stdout: '' });
  expect(JSON.parse(gone.stderr)).toMatchObject({
    error: { code: 'CONNECTION_ERROR', message: expect.stringContaining('http://127.0.0.1:9 does not answer') },
  });
});

test('what is no address of a server is wrong usage', async () => {
  for (const url of ['nowhere', 'ftp://127.0.0.1', 'http://ada:hunter2@127.0.0.1']) {
    const { exitCode, stderr } = await agora(['tasks', 'list', '--url', url]);
    expect(exitCode).toBe(2);
    expect(stderr).not.toContain('hunter2');
  }
});
