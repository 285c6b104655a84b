import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { toUuid } from '@agora-market/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf, type ObjectKind, type ObjectStore, openObjectStore, readWhole } from '../../src/objects/index.ts';
import { hourMs, manualClock, readConfig, systemClock } from '../../src/platform/index.ts';
import { until as untilWithin } from '../steps/world.ts';
import { newCard } from '../stripe/customer-objects.ts';
import { type StripeFake, startStripeFake } from '../stripe/fake.ts';
import { fakePayouts } from '../stripe/fake-payouts.ts';
import { type ArchivedPostgres, startArchivedPostgres } from '../support/archived-postgres.ts';
import { bucketSettings, startBucket } from '../support/bucket.ts';
import { asked } from '../support/debian-postgres.ts';
import { startTestServer } from '../support/harness.ts';
import { createInstallation, type Installation, type Reply, type RequestOptions } from './server-process.ts';
import {
  type Acknowledged,
  type Buyer,
  createBuyer,
  createSeller,
  follows,
  type Seller,
  startTraffic,
} from './traffic.ts';

/** A database that goes back to a moment before its end, under servers, a bucket and a processor that do not. */

/** Patient, for a busy machine. */
const until = (what: string, holds: () => Promise<boolean>) => untilWithin(what, holds, 180_000);
const output = { output: { result: 'It is done' } };

let postgres: ArchivedPostgres;
let bucket: Awaited<ReturnType<typeof startBucket>>;
let stripe: StripeFake;
/** What every server of the installation has in common. */
let shared: Record<string, string>;
let objects: ObjectStore;
let server: Installation;

beforeAll(async () => {
  postgres = await startArchivedPostgres();
  bucket = await startBucket();
  stripe = await startStripeFake({ moreRoutes: fakePayouts().routes });
  shared = {
    AGORA_ENCRYPTION_KEY: 'the secret of before and after, kept elsewhere',
    ...bucketSettings,
    S3_ENDPOINT: bucket.url,
  };
  objects = await openObjectStore(readConfig(shared), systemClock);
  server = await createInstallation({
    ...shared,
    DATABASE_URL: postgres.url,
    STRIPE_SECRET_KEY: stripe.secretKey,
    STRIPE_API_BASE: stripe.url,
  });
});
afterAll(async () => {
  await server?.remove();
  await stripe?.close();
  await bucket?.close();
  await postgres?.stop();
});

/** Repeated while the answer is 503, as clients do it on a busy machine. */
async function insist<R extends { status: number }>(request: () => Promise<R>): Promise<R> {
  for (;;) {
    const reply = await request();
    if (reply.status !== 503) return reply;
    await sleep(200);
  }
}

/** A request that no server may fail. */
async function ask(method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
  const repeatable = { ...(method === 'POST' && { idempotencyKey: randomUUID() }), ...options };
  const reply = await insist(() => server.request(method, path, repeatable));
  expect(reply.status, `${method} ${path}: ${JSON.stringify(reply.body)}`).toBeLessThan(500);
  return reply;
}

/** What a server logs of a delivery that is not in the bucket. */
const missed = 'the quality gate could not judge a task';
const quick = 'test -f done.txt';
/** So long that a moment of the test falls into it. */
const slow = `for i in $(seq 150); do sleep 0.1; done; ${quick}`;

/** A task in a sandbox, where its agent leaves a file. Gives its path. */
async function begin(buyer: Buyer, { agentId, key }: Seller, text: string, command = quick): Promise<string> {
  const input = { description: 'Leave done.txt', acceptance: { checks: [{ name: 'left', command }] } };
  const body = { taskType: 'general', maxBudget: 1000, agentId, input };
  const made = await ask('POST', '/tasks', { token: buyer.token, body });
  const path = `/tasks/${made.body.id}`;
  expect(await ask('POST', `${path}/executing`, { key, body: { sandboxId: 'own' } })).toMatchObject({ status: 200 });
  const work = `mkdir -p output && echo ${text} > output/made.txt && touch done.txt`;
  await ask('POST', `${path}/sandbox/exec`, { key, body: { command: work } });
  return path;
}

const statusOf = async (path: string, { key }: Seller): Promise<string> =>
  (await ask('GET', path, { key })).body.status;
const hasStatus = (path: string, seller: Seller, status: string) =>
  until(`${path} is ${status}`, async () => (await statusOf(path, seller)) === status);

/** A task that is judged and paid, with its artifact. */
async function done(buyer: Buyer, seller: Seller, text: string): Promise<string> {
  const path = await begin(buyer, seller, text);
  await ask('POST', `${path}/complete`, { key: seller.key, body: output });
  await hasStatus(path, seller, 'completed');
  return path;
}

async function artifactOf(path: string, { token }: Buyer) {
  const { body } = await ask('GET', `${path}/artifacts`, { token });
  const [{ id, dropped }] = body.data;
  const download = () =>
    fetch(`${server.url()}/api/v1${path}/artifacts/${id}/content`, { headers: { authorization: `Bearer ${token}` } });
  return { dropped, download };
}

const text = async (download: () => Promise<Response>) => {
  const reply = await insist(download);
  return { status: reply.status, text: await reply.text() };
};

const idOf = (path: string) => toUuid('task', path.split('/').at(-1) as string) as string;

/** Where the delivered workspace of a task lies in the bucket. */
async function workspaceOf(path: string): Promise<string> {
  const [row] = await asked<{ id: string }>(
    postgres.url,
    `select object_id as id from deliveries where task_id = '${idOf(path)}'`,
  );
  return keyOf('workspaces', row?.id as string);
}

const artifactKey = async (path: string): Promise<string> => {
  const [row] = await asked<{ id: string }>(
    postgres.url,
    `select id from artifacts where kind = 'output' and task_id = '${idOf(path)}'`,
  );
  return keyOf('artifacts', row?.id as string);
};

/** Keeps the content, as the versions of a bucket do. */
async function erase(key: string): Promise<() => Promise<void>> {
  const content = (await readWhole(objects, key)) as Buffer;
  await objects.delete(key);
  return () => objects.put(key, content);
}

async function keysOf(kind: ObjectKind): Promise<string[]> {
  const found: string[] = [];
  for await (const key of objects.list(kind)) found.push(key);
  return found;
}

const taken = async <R>(work: () => R | Promise<R>): Promise<[R, number]> => {
  const began = performance.now();
  return [await work(), Math.round(performance.now() - began)];
};

/** What there is when the database comes back to its moment, and what became of it since. */
let buyers: Buyer[];
let sellers: Seller[];
let acknowledged: Acknowledged[];
const before = { kept: '', erased: '', unread: '', returned: '', executing: '', judged: '', unjudged: '', retried: '' };
const after = { task: '', retried: '', token: '', objects: [] as string[] };
const submission = () => ({
  taskType: 'general',
  maxBudget: 1000,
  agentId: sellers[0]?.agentId,
  input: { description: 'Say it' },
});
const keys = { before: randomUUID(), after: randomUUID() };
const bringBack = { artifact: async () => {}, workspace: async () => {} };
const figures: Record<string, string> = {};
let moment: string;

const mebibytes = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

test('a backup is made under traffic, and the archive follows until the machine is lost', async () => {
  await server.start();
  const cards = [1, 2].map(() => newCard(stripe.books));
  buyers = await Promise.all(cards.map((card) => createBuyer(server, 500_000, card)));
  sellers = await Promise.all([1, 2].map(() => createSeller(server)));
  const [buyer, other] = buyers as [Buyer, Buyer];
  const [seller] = sellers as [Seller];
  const traffic = startTraffic(server, buyers, sellers, 4);
  const [, backupMs] = await taken(() => postgres.backUp('full'));
  const { database, repository } = await postgres.sizes();
  Object.assign(figures, { database: mebibytes(database), backup: `${backupMs} ms, ${mebibytes(repository)}` });

  [before.kept, before.erased, before.unread, before.returned] = (await Promise.all(
    ['kept', 'erased', 'unread', 'returned'].map((each) => done(buyer, seller, each)),
  )) as [string, string, string, string];
  before.executing = await begin(buyer, seller, 'executing');
  [before.judged, before.unjudged] = (await Promise.all(
    ['judged', 'unjudged'].map((each) => begin(buyer, seller, each, slow)),
  )) as [string, string];
  const retried = { token: buyer.token, body: submission(), idempotencyKey: keys.before };
  before.retried = (await ask('POST', '/tasks', retried)).body.id;
  const delivered = [before.judged, before.unjudged];
  for (const path of delivered)
    server.request('POST', `${path}/complete`, { key: seller.key, body: output }).catch(() => undefined);
  await Promise.all(delivered.map((path) => hasStatus(path, seller, 'quality_check')));
  acknowledged = [...traffic.acknowledged.values()].map((each) => ({ ...each }));
  expect(acknowledged.filter(({ status }) => status === 'completed').length).toBeGreaterThan(5);
  moment = await postgres.moment();
  const began = performance.now();
  expect(await statusOf(before.unjudged, seller)).toBe('quality_check');

  after.task = await done(buyer, seller, 'later');
  after.retried = (await ask('POST', '/tasks', { ...retried, body: submission(), idempotencyKey: keys.after })).body.id;
  after.token = (await createBuyer(server, 1_000, newCard(stripe.books))).token;
  expect((await ask('POST', '/vault/pool/top-up', { token: other.token, body: { amount: 7_000 } })).status).toBe(200);
  await hasStatus(before.judged, seller, 'completed');
  await hasStatus(before.unjudged, seller, 'completed');
  after.objects = [await artifactKey(after.task), await artifactKey(before.judged)];
  for (const each of ['erased', 'unread'] as const) await erase(await artifactKey(before[each]));
  bringBack.artifact = await erase(await artifactKey(before.returned));
  bringBack.workspace = await erase(await workspaceOf(before.unjudged));
  await traffic.finish();
  expect(traffic.crashes).toEqual([]);

  const [, lagMs] = await taken(() => postgres.archived());
  await postgres.lose();
  figures['given up'] = `${Math.round(performance.now() - began)} ms`;
  figures['archived after'] = `${lagMs} ms`;
  await server.end('SIGTERM');
});

test('the database comes back as it was at that moment, and its ledger is clean', async () => {
  const [, copyMs] = await taken(() => postgres.restore(moment));
  const [, replayMs] = await taken(() => postgres.start());
  figures.restore = `${copyMs} ms for files, ${replayMs} ms for the log`;
  console.info(`restored to ${moment}:`, figures);
  const { code, text: told } = await server.command('verify-ledger');
  expect({ code, told }).toMatchObject({ code: 0 });
});

test('before a server starts, reconciliation credits what owners have paid since, and tells of who is unknown', async () => {
  const [, other] = buyers as [Buyer, Buyer];
  const credits = async () => {
    const [row] = await asked<{ balance: string }>(
      postgres.url,
      `select balance from ledger_accounts where kind = 'pool_available' and holder = '${toUuid('owner', other.id)}'`,
    );
    return Number(row?.balance);
  };
  const had = await credits();
  const unknown = [...stripe.books.intents.values()].find(({ amount }) => amount === 1_000)?.id;
  const { code, text: told } = await server.command('reconcile');
  expect({ code, told }).toMatchObject({ code: 1, told: expect.stringContaining('Booked 1 of them') });
  expect(told.match(/OPEN.*/g)).toEqual([
    expect.stringContaining(`charge_missing_here of ${unknown}: nothing here, 1000 there`),
  ]);
  expect(await credits()).toBe(had + 7_000);
});

test('a server goes on from it: what was acknowledged is there, what came since is gone, and nothing fails', async () => {
  const [buyer] = buyers as [Buyer];
  const [seller] = sellers as [Seller];
  await bringBack.artifact();
  const logged = server.log().length;
  await server.start();
  await Promise.all(
    acknowledged.map(async ({ taskId, seller: by, status, output: delivered }) => {
      const { body } = await ask('GET', `/tasks/${taskId}`, { key: by.key });
      expect(follows(status, body.status), `${taskId}: ${status}, then ${body.status}`).toBe(true);
      if (delivered !== null) expect(body.output.result).toBe(delivered);
    }),
  );
  for (const path of [`${after.task}`, `${after.task}/artifacts`, `/tasks/${after.retried}`])
    expect((await ask('GET', path, { token: buyer.token })).status, path).toBe(404);
  expect((await ask('GET', '/vault/pool', { token: after.token })).status).toBe(401);
  const retry = async (idempotencyKey: string) =>
    (await ask('POST', '/tasks', { token: buyer.token, body: submission(), idempotencyKey })).body.id;
  expect(await retry(keys.before)).toBe(before.retried);
  const anew = await retry(keys.after);
  expect(anew).not.toBe(after.retried);
  expect(await retry(keys.after)).toBe(anew);

  for (const each of ['kept', 'returned'] as const)
    expect(await text((await artifactOf(before[each], buyer)).download)).toEqual({ status: 200, text: `${each}\n` });
  const lost = await artifactOf(before.erased, buyer);
  expect(await text(lost.download)).toMatchObject({ status: 404, text: expect.stringContaining('lost') });
  expect((await artifactOf(before.erased, buyer)).dropped).toBe('lost');
  expect((await artifactOf(before.unread, buyer)).dropped).toBeNull();

  await hasStatus(before.judged, seller, 'completed');
  expect(await text((await artifactOf(before.judged, buyer)).download)).toEqual({ status: 200, text: 'judged\n' });
  await ask('POST', `${before.executing}/sandbox/provision`, { key: seller.key });
  await ask('POST', `${before.executing}/sandbox/exec`, { key: seller.key, body: { command: 'touch done.txt' } });
  await ask('POST', `${before.executing}/complete`, { key: seller.key, body: output });
  await hasStatus(before.executing, seller, 'completed');
  await until('the gate misses a delivery', async () => server.log().slice(logged).includes(missed));
  expect(await statusOf(before.unjudged, seller)).toBe('quality_check');
  await bringBack.workspace();
  await hasStatus(before.unjudged, seller, 'completed');
  expect(await text((await artifactOf(before.unjudged, buyer)).download)).toEqual({ status: 200, text: 'unjudged\n' });

  await finishAll();
  const traffic = startTraffic(server, buyers, sellers, 4);
  await until('new tasks are completed', async () => {
    const all = [...traffic.acknowledged.values()];
    return all.filter(({ status }) => status === 'completed').length > 5;
  });
  await traffic.finish();
  expect(traffic.crashes).toEqual([]);
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
  const failures = server
    .log()
    .slice(logged)
    .split('\n')
    .filter((line) => line.includes('"level":50'));
  expect(failures.filter((line) => !line.includes(missed))).toEqual([]);
  // The archive goes on along the new timeline.
  await postgres.backUp('diff');
  await server.end('SIGTERM');
});

/** Those that were on their way at that moment are done by their agents. */
async function finishAll() {
  for (const status of ['submitted', 'executing']) {
    for (const { token } of buyers) {
      const { data } = (await ask('GET', `/tasks?pageSize=100&status=${status}`, { token })).body;
      for (const { id, agentId } of data) {
        const agent = { key: sellers.find((each) => each.agentId === agentId)?.key as string };
        if (status === 'submitted')
          await ask('POST', `/tasks/${id}/executing`, { ...agent, body: { sandboxId: 'own' } });
        await ask('POST', `/tasks/${id}/complete`, { ...agent, body: output });
      }
    }
  }
  await until('every task is over', async () => {
    const left = await asked(postgres.url, 'select from tasks where finished_at is null');
    return left.length === 0;
  });
  expect(await asked(postgres.url, `select from ledger_accounts where kind = 'pool_held' and balance <> 0`)).toEqual(
    [],
  );
}

test('objects that no row knows are kept for an hour, and then erased; all that rows name are there', async () => {
  const named = async (kind: ObjectKind, rows: string) =>
    (await asked<{ id: string }>(postgres.url, rows)).map(({ id }) => keyOf(kind, id)).sort();
  const artifacts = () => named('artifacts', 'select id from artifacts where dropped is null');
  const workspaces = () =>
    named('workspaces', 'select object_id as id from deliveries union select object_id from kept_workspaces');
  const known = await artifacts();
  expect(after.objects.filter((key) => known.includes(key))).toEqual([]);
  expect(await keysOf('artifacts')).toEqual(expect.arrayContaining(after.objects));
  const later = await startTestServer({
    database: { url: postgres.url, drop: async () => {} },
    clock: manualClock(new Date(Date.now() + 2 * hourMs)),
    config: shared,
  });
  const dropped = `select dropped from artifacts where kind = 'output' and task_id = '${idOf(before.unread)}'`;
  expect(await asked(postgres.url, dropped)).toEqual([{ dropped: null }]);
  try {
    await later.app.sweep();
    expect(await asked(postgres.url, dropped)).toEqual([{ dropped: 'lost' }]);
    expect(await keysOf('artifacts')).toEqual(await artifacts());
    expect(await keysOf('workspaces')).toEqual(await workspaces());
  } finally {
    await later.close();
  }
});
