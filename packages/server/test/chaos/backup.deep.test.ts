import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { QueryResultRow } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until as untilWithin } from '../steps/world.ts';
import { lookInto } from './look.ts';
import { createInstallation, type Installation } from './server-process.ts';
import { type Buyer, createBuyer, createSeller, type Seller, startTraffic } from './traffic.ts';

/** A backup that is made in the middle of traffic, and an installation that goes on from it. */

/** Patient, for a busy machine. */
const until = (what: string, holds: () => Promise<boolean>) => untilWithin(what, holds, 60_000);
const directory = mkdtempSync(join(tmpdir(), 'agora-backups-'));
const AGORA_ENCRYPTION_KEY = 'the secret of both installations, kept elsewhere';
let server: Installation;
let restored: Installation;
let file: string;
let buyers: Buyer[];
let sellers: Seller[];
let executing: string;
let judged: string;
let receiptKeys: unknown;

const query = <R extends QueryResultRow>(of: Installation, text: string) => lookInto(of, (ask) => ask<R>(text));
const accounts = `select kind, sum(balance)::int as balance from ledger_accounts group by 1 order by 1`;

/** A task in a sandbox whose work the buyer's check looks for. */
async function begin(command: string): Promise<string> {
  const acceptance = { checks: [{ name: 'left', command }] };
  const made = await server.request('POST', '/tasks', {
    token: buyers[0]!.token,
    body: {
      taskType: 'general',
      maxBudget: 1000,
      agentId: sellers[0]!.agentId,
      input: { description: 'Leave done.txt', acceptance },
    },
  });
  const path = `/tasks/${made.body.id}`;
  const key = sellers[0]!.key;
  expect(await server.request('POST', `${path}/executing`, { key, body: { sandboxId: 'own' } })).toMatchObject({
    status: 200,
  });
  await server.request('POST', `${path}/sandbox/exec`, {
    key,
    body: { command: 'mkdir -p output && echo made > output/made.txt && touch done.txt' },
  });
  return path;
}

const output = { output: { result: 'It is done' } };

beforeAll(async () => {
  server = await createInstallation({ AGORA_ENCRYPTION_KEY });
  restored = await createInstallation({ AGORA_ENCRYPTION_KEY });
  await server.start();
  buyers = await Promise.all([1, 2].map(() => createBuyer(server, 1_000_000)));
  sellers = await Promise.all([1, 2].map(() => createSeller(server)));
  executing = await begin('true');
  receiptKeys = (await server.request('GET', '/receipt-key')).body;
});
afterAll(async () => {
  await server?.remove();
  await restored?.remove();
  rmSync(directory, { recursive: true });
});

test('a backup is made while tasks are submitted, judged and settled', async () => {
  const kept = await begin('true');
  await server.request('POST', `${kept}/complete`, { key: sellers[0]!.key, body: output });
  judged = await begin('for i in $(seq 100); do sleep 0.1; done; test -f done.txt');
  const verdict = server.request('POST', `${judged}/complete`, { key: sellers[0]!.key, body: output });
  verdict.catch(() => undefined);
  await until('it is delivered', async () => {
    const { body } = await server.request('GET', judged, { key: sellers[0]!.key });
    return body.status === 'quality_check';
  });
  const traffic = startTraffic(server, buyers, sellers, 4);
  await until('some tasks are over', async () => {
    const all = [...traffic.acknowledged.values()];
    return all.filter(({ status }) => status === 'completed').length > 5;
  });
  const { code, text } = await server.command('backup', directory);
  expect({ code, log: server.log() }).toMatchObject({ code: 0 });
  expect(text).toMatch(/agora-\d{8}T\d{6}Z\.tar\.gz: \d+ KiB.*Keep AGORA_ENCRYPTION_KEY too/s);
  await traffic.finish();
  const names = readdirSync(directory);
  expect(names).toHaveLength(1);
  file = join(directory, names[0] as string);
  expect(readdirSync(server.dataDir).filter((name) => name.startsWith('backup-'))).toEqual([]);
  expect(await server.command('backup', file)).toMatchObject({ code: 1 });
  expect(server.log()).toMatch(/is there already/);
});

test('a damaged, cut or foreign file, and a backup without its secret, are refused before anything is made', async () => {
  const whole = readFileSync(file);
  const damaged = join(directory, 'damaged');
  const flipped = Buffer.from(whole);
  flipped[Math.floor(whole.length / 2)]! ^= 1;
  for (const content of [flipped, whole.subarray(0, whole.length - 30), whole.subarray(0, 40), Buffer.from('text')]) {
    writeFileSync(damaged, content);
    expect(await restored.command('restore', damaged)).toMatchObject({ code: 1 });
    expect(restored.log()).toMatch(/is no backup, or it is damaged or cut short: .*\. Nothing was changed\.\n$/);
  }
  const other = await createInstallation();
  try {
    expect(await other.command('restore', file)).toMatchObject({ code: 1 });
    expect(other.log()).toMatch(/secret .* is not at hand/);
    expect(readdirSync(other.dataDir)).toEqual([]);
  } finally {
    await other.remove();
  }
  expect(readdirSync(restored.dataDir)).toEqual([]);
});

test('a restore into a fresh directory has a clean ledger, and one over a server at work is refused', async () => {
  const { code, text } = await restored.command('restore', file);
  expect({ code, text }).toMatchObject({
    code: 0,
    text: expect.stringMatching(/Restored as of .*The ledger is clean\./s),
  });
  expect(await restored.command('restore', file)).toMatchObject({ code: 1 });
  expect(restored.log()).toMatch(/The database is not empty/);
  expect(await server.command('restore', '--force', file)).toMatchObject({ code: 1 });
  expect(server.log()).toMatch(/is served already/);
});

test('with --force it replaces what is there, and a damaged file leaves it', async () => {
  const [before] = await query<{ n: number }>(restored, 'select count(*)::int as n from events');
  await lookInto(restored, async (ask) => {
    await ask(`insert into events (type, district, at, correlation_id, data)
      values ('task.submitted', 'tasks', now(), 'x', '{}')`);
  });
  expect(await restored.command('restore', '--force', join(directory, 'damaged'))).toMatchObject({ code: 1 });
  const [kept] = await query<{ n: number }>(restored, 'select count(*)::int as n from events');
  expect(kept?.n).toBe((before?.n ?? 0) + 1);
  expect(await restored.command('restore', '--force', file)).toMatchObject({ code: 0 });
  expect(await query(restored, 'select count(*)::int as n from events')).toEqual([before]);
});

test('a server starts on it and goes on: nothing stays held or stuck, and every credential lets in', async () => {
  const [held] = await query<{ n: number }>(restored, `select count(*)::int as n from tasks where finished_at is null`);
  expect(held?.n).toBeGreaterThan(1);
  await restored.start();
  const key = sellers[0]!.key;
  expect((await restored.request('GET', '/receipt-key')).body).toEqual(receiptKeys);
  const statusOf = async (path: string) => (await restored.request('GET', path, { key })).body.status;
  await until(
    'the gate judges what was delivered, over its workspace',
    async () => (await statusOf(judged)) === 'completed',
  );
  // Its sandbox is not in the backup, so the agent begins again, as after a crash.
  await restored.request('POST', `${executing}/sandbox/provision`, { key });
  expect(await restored.request('POST', `${executing}/complete`, { key, body: output })).toMatchObject({
    body: { status: 'completed', creditsCharged: 700 },
  });
  const { body } = await restored.request('GET', `${judged}/artifacts`, { key });
  expect(body.data.map(({ path }: { path: string }) => path)).toEqual(['made.txt']);
  const { data } = (await restored.request('GET', '/tasks?pageSize=100', { token: buyers[0]!.token })).body;
  const others = (await restored.request('GET', '/tasks?pageSize=100', { token: buyers[1]!.token })).body.data;
  for (const { id, agentId, status } of [...data, ...others]) {
    const agent = { key: sellers.find((each) => each.agentId === agentId)!.key };
    if (status === 'submitted')
      await restored.request('POST', `/tasks/${id}/executing`, { ...agent, body: { sandboxId: 'own' } });
    if (['submitted', 'executing'].includes(status))
      await restored.request('POST', `/tasks/${id}/complete`, { ...agent, body: output });
  }
  await until('every task is over', async () => {
    const [left] = await query<{ n: number }>(
      restored,
      `select count(*)::int as n from tasks where finished_at is null`,
    );
    return left?.n === 0;
  });
  expect(await query(restored, accounts)).toContainEqual({ kind: 'pool_held', balance: 0 });
  const traffic = startTraffic(restored, buyers, sellers, 4);
  await until('new tasks are completed', async () => {
    const all = [...traffic.acknowledged.values()];
    return all.filter(({ status }) => status === 'completed').length > 5;
  });
  await traffic.finish();
  expect(traffic.crashes).toEqual([]);
  expect(await restored.command('verify-ledger')).toMatchObject({ code: 0 });
});
