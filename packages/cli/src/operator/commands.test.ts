import { toId } from '@agora-market/contract';
import { readConfig } from '@agora-market/server';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { enableTotp } from '../../../server/test/api/totp-scene.ts';
import { makeOwner, startTestServer, type TestAgent, type TestServer } from '../../../server/test/support/harness.ts';
import { uuidOf } from '../../../server/test/vault/plant.ts';
import { clearFlagCommand } from './clear-flag.ts';
import { decideHeldCommand, listHeldCommand } from './held.ts';
import { ownerCommand } from './owner.ts';
import { ownersCommand } from './owners.ts';
import { reconcileCommand } from './reconcile.ts';
import { retryJobsCommand } from './retry-jobs.ts';
import { revenueCommand } from './revenue.ts';
import { stuckCommand } from './stuck.ts';

/** The operator's commands, on the database of a server at work. */

let server: TestServer;
let agent: TestAgent;
let printed: string[];

beforeAll(async () => {
  server = await startTestServer();
  vi.stubEnv('DATABASE_URL', server.databaseUrl);
  vi.stubEnv('LOG_LEVEL', 'silent');
  agent = await (await server.owner({ credits: 1000 })).agent();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});
beforeEach(() => {
  printed = [];
  vi.spyOn(console, 'log').mockImplementation((line) => printed.push(...String(line).split('\n')));
});
afterEach(() => {
  vi.restoreAllMocks();
  process.exitCode = undefined;
});

test('reads the settings of the test', () => {
  expect(readConfig().DATABASE_URL).toBe(server.databaseUrl);
});

test('reconcile says what is in order, although the test processor is in another process', async () => {
  await reconcileCommand({});
  expect(printed).toEqual([
    expect.stringMatching(/^Recomputed \d+ balances; compared 0 records of the payment processor\.$/),
    'Nothing is open.',
  ]);
  expect(process.exitCode).toBeUndefined();
});

test('reconcile prints what it finds and exits 1, also as JSON', async () => {
  await server.pool.query(`insert into ledger_accounts (holder, kind, balance) values ($1, 'wallet_available', 7)`, [
    uuidOf(agent),
  ]);
  await reconcileCommand({});
  expect(printed[0]).toMatch(new RegExp(`^OPEN   fnd_\\w+ balance of ${agent.id} wallet_available: 7 here, 0 there$`));
  expect(printed.at(-1)).toBe('1 findings are open, 1 of them new.');
  expect(process.exitCode).toBe(1);
  printed = [];
  await reconcileCommand({ json: true });
  expect(JSON.parse(printed.join('\n'))).toMatchObject({ raised: 0, open: [{ agentId: agent.id, here: 7 }] });
});

test('clear-flag needs a reason, takes the flag off, and leaves who and why behind', async () => {
  expect((await agent.agora.vault.getWallet()).flagged).toBe(true);
  await expect(clearFlagCommand(agent.id, { reason: ' ' })).rejects.toThrow('--reason');
  await clearFlagCommand(agent.id, { reason: 'A drill', by: 'Ada' });
  expect(printed[0]).toMatch(
    new RegExp(`^The wallet of ${agent.id} is cleared by Ada; it was flagged at .* for balance`),
  );
  expect((await agent.agora.vault.getWallet()).flagged).toBe(false);
  const { rows } = await server.pool.query(`select data from events where type = 'wallet.flag_cleared'`);
  expect(rows).toMatchObject([{ data: { by: 'Ada', reason: 'A drill' } }]);
  await expect(clearFlagCommand(agent.id, { reason: 'Again' })).rejects.toThrow('The wallet is not flagged.');
  await expect(clearFlagCommand('agt_nobody', { reason: 'x' })).rejects.toThrow('No such agent.');
});

test('stuck says what does not go on, why and what to do, and exits 1 then', async () => {
  // The command goes by the real time, days after that of the server.
  await server.app.sweep();
  await server.pool.query('delete from queued_jobs');
  await stuckCommand({});
  expect([printed, process.exitCode]).toEqual([['Nothing is stuck.'], undefined]);
  await server.pool.query(
    `insert into queued_jobs (id, kind, key, payload, error, created_at) values (gen_random_uuid(), 'mail.send', 'x', '{}', 'Refused', now())`,
  );
  printed = [];
  await stuckCommand({});
  expect(printed[0]).toBe('job_given_up: 1');
  expect(printed.join('\n')).toMatch(/failed as often as it may[\s\S]*agora retry-jobs[\s\S]*mail\.send[\s\S]*Refused/);
  expect(process.exitCode).toBe(1);
  printed = [];
  await stuckCommand({ json: true });
  expect(JSON.parse(printed.join('\n'))).toMatchObject({ data: [{ kind: 'job_given_up', count: 1 }] });
  await expect(retryJobsCommand('mail.send', { reason: ' ' })).rejects.toThrow('--reason');
  printed = [];
  await retryJobsCommand('mail.send', { reason: 'The mail server is back', by: 'Ada' });
  await retryJobsCommand('mail.send', { reason: 'Again' });
  expect(printed).toEqual(['1 run again.', 'No job of the kind mail.send was given up.']);
  const { rows } = await server.pool.query(`select data from events where type = 'jobs.retried'`);
  expect(rows).toEqual([{ data: { kind: 'mail.send', retried: 1, reason: 'The mail server is back', by: 'Ada' } }]);
  await server.pool.query('delete from queued_jobs');
});

test('owners finds by a part of the address, and by plan and status', async () => {
  const someone = await server.owner({ credits: 0 });
  await ownersCommand(someone.email.slice(0, -4), {});
  expect(printed.join('\n')).toContain(someone.id);
  printed = [];
  await ownersCommand(someone.email, { json: true, status: 'suspended' });
  expect(JSON.parse(printed.join('\n'))).toEqual([]);
  await expect(ownersCommand(undefined, { plan: 'gold' })).rejects.toThrow(/^plan: /);
});

test('owner changes the plan and the status, by id or address, and leaves who and why behind', async () => {
  const someone = await server.owner();
  const { owner } = await someone.agora.auth.session();
  const hired = await someone.agent();
  const wish = { taskType: 'general', maxBudget: 500, input: { description: 'A haiku' }, attempts: 5 } as const;
  const submit = () => someone.agora.tasks.submit(wish);
  await expect(submit()).rejects.toMatchObject({ code: 'PLAN_REQUIRED' });
  await expect(ownerCommand(owner.id, { reason: 'x' })).rejects.toThrow(
    'must name a plan, a status, emailVerified or totp',
  );
  await expect(ownerCommand(owner.id, { plan: 'gold', reason: 'x' })).rejects.toThrow('plan: ');
  await expect(ownerCommand('nobody@example.com', { plan: 'pro', reason: 'x' })).rejects.toThrow('No such owner.');
  await ownerCommand(owner.email.toUpperCase(), { plan: 'pro', reason: 'Has paid', by: 'Ada' });
  expect(printed).toEqual([`${owner.id} (${owner.email}) is active, on the pro plan.`]);
  await expect(submit()).rejects.toMatchObject({ code: 'NO_AGENTS_AVAILABLE' });
  await ownerCommand(owner.id, { status: 'suspended', reason: 'Fraud', by: 'Ada' });
  await expect(someone.agora.auth.session()).rejects.toThrow('suspended');
  await expect(hired.agora.agents.me()).rejects.toThrow('suspended');
  for (let twice = 0; twice < 2; twice++)
    await ownerCommand(owner.id, { status: 'active', reason: 'Not so', by: 'Ada' });
  expect(await someone.agora.auth.session()).toMatchObject({ owner: { plan: 'pro', status: 'active' } });
  const { rows } = await server.pool.query(`select data from events where type = 'owner.updated' order by seq`);
  expect(rows.map(({ data }) => [data.plan, data.status, data.reason, data.by])).toEqual([
    ['pro', 'active', 'Has paid', 'Ada'],
    ['pro', 'suspended', 'Fraud', 'Ada'],
    ['pro', 'active', 'Not so', 'Ada'],
  ]);
});

test('owner turns the second factor off for one who has lost it', async () => {
  const someone = await server.owner({ credits: 0 });
  await enableTotp(server, someone);
  await expect(ownerCommand(someone.id, { totp: 'on', reason: 'x' })).rejects.toThrow('totp: ');
  await ownerCommand(someone.email, { totp: 'off', reason: 'Has lost the phone', by: 'Ada' });
  expect(await someone.agora.auth.totp()).toMatchObject({ enabled: false });
  const { rows } = await server.pool.query(`select data from events where type = 'owner.totp_disabled'`);
  expect(rows).toMatchObject([{ data: { by: 'Ada', reason: 'Has lost the phone' } }]);
});

test('revenue prints a line for each period in which anything moved and a total, in cents, and says what is wrong with a date', async () => {
  await revenueCommand({ from: '2026-10-31', to: '2026-11-01', by: 'month' });
  expect(printed.map((line) => line.split(/ +/)[0])).toEqual(['period', 'total', '', 'All']);
  expect(printed.at(-1)).toContain('in cents');
  printed = [];
  await revenueCommand({ from: '2026-10-31', to: '2026-10-31', by: 'day', json: true });
  expect(JSON.parse(printed.join('\n'))).toMatchObject({ total: { fees: 0 }, periods: [{ period: '2026-10-31' }] });
  await expect(revenueCommand({ from: 'yesterday' })).rejects.toThrow('from:');
});

test('owner --verified takes an address for verified, once, and says so in the audit trail', async () => {
  const { id, email } = await makeOwner(server.client, 0);
  const reason = 'Known in person';
  await ownerCommand(email, { verified: true, reason, by: 'Grace', json: true });
  expect(JSON.parse(printed.join('\n'))).toMatchObject({ id, emailVerified: true });
  await ownerCommand(id, { verified: true, reason, by: 'Grace' });
  const { rows } = await server.pool.query(`select data from events where type = 'owner.email_verified'`);
  expect(rows).toEqual([{ data: { ownerId: id, reason, by: 'Grace' } }]);
});

test('held lists what waits with its reason, and decides it once', async () => {
  const owner = await server.owner({ credits: 0 });
  const { rows } = await server.pool.query(
    `insert into held_payments (id, kind, owner_id, amount, reason, held_at)
     values (gen_random_uuid(), 'top_up', $1, 700, 'too much within a day', $2) returning id`,
    [uuidOf(owner), server.clock.now()],
  );
  const id = toId('heldPayment', rows[0].id);
  await listHeldCommand({});
  expect(printed.join('\n')).toContain(id);
  expect(printed.join('\n')).toContain('too much within a day');
  printed = [];
  await decideHeldCommand(id, 'refuse', { reason: 'Nobody knows them', by: 'Grace' });
  expect(printed).toEqual([`${id}: the top_up of $7.00 is refused.`]);
  await expect(decideHeldCommand(id, 'release', { reason: 'Too late' })).rejects.toThrow('refused already');
  await expect(decideHeldCommand('hld_x', 'release', { reason: 'None' })).rejects.toThrow('No held payment');
});
