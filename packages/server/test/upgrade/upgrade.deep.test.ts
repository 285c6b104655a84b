import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { type Agora, verifyReceipt } from '@agora-market/sdk';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate, migrationsDirectory } from '../../src/platform/postgres/index.ts';
import { schemaFunctions } from '../../src/schema.ts';
import { expectSoundLedger, pass } from '../api/scene.ts';
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts';
import { startTestServer, type TestServer } from '../support/harness.ts';
import type { Cast } from './life.ts';

// What `make-dump.ts` beside this file made of the last release.
const release = join(import.meta.dirname, 'release-0.1.0');
const releasedMigrations = 14;
const cast = JSON.parse(readFileSync(`${release}.json`, 'utf8')) as Cast & { encryptionKey: string };
const { tasks } = cast;
const output = { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' };
const hour = 3_600_000;

let server: TestServer;
let applied: string[];
let queuedAfterMigration: unknown;
let sumsAfterMigration: unknown;
let countAfterMigration: unknown;
let buyer: Agora;
let writer: Agora;

const names = readdirSync(migrationsDirectory)
  .filter((name) => name.endsWith('.sql'))
  .sort();

/** The database as the release left it: its migrations, then its functions and rows. */
async function load(client: pg.Client): Promise<void> {
  for (const name of names.slice(0, releasedMigrations)) {
    await client.query(readFileSync(join(migrationsDirectory, name), 'utf8'));
  }
  await client.query(readFileSync(`${release}.sql`, 'utf8'));
  // The processor had answered each removal of a card at once.
  await client.query(
    `insert into method_detachments (owner_id, payment_method_id, processor, customer_ref, due_at)
     select id, 'pm_removed', 'stripe', 'cus_1', '2100-01-01' from owners where id = $1`,
    [toUuid('owner', cast.buyer.id)],
  );
}

/** What `storage_sums` must say: by the rows that are summed up, and, as they were released, by artifacts and trees. */
const counted = `with stored as (
    select t.owner_id as buyer, a.owner_id as seller, f.size_bytes as bytes
    from artifacts f join tasks t on t.id = f.task_id join agents a on a.id = t.agent_id where f.dropped is null
    union all select s.buyer_id, s.seller_id, s.set_aside from task_storage s
    union all select k.owner_id, null, k.size_bytes from kept_trees k
  ), sides as (
    select buyer as owner_id, 'buyer' as role, bytes from stored
    union all select seller, 'seller', bytes from stored where seller is not null
    union all select '00000000-0000-0000-0000-000000000000', 'all', bytes from stored
  )
  select owner_id, role, sum(bytes)::bigint as bytes from sides group by 1, 2 having sum(bytes) > 0 order by 1, 2`;
const summed = 'select owner_id, role, bytes from storage_sums where bytes > 0 order by 1, 2';

beforeAll(async () => {
  const database: TestDatabase = await createEmptyDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    // The table that notes which migrations there are is made by whoever migrates first.
    await client.query(
      `create table schema_migrations (version int primary key, name text not null, checksum text not null,
         applied_at timestamptz not null default now());
       create table schema_functions (singleton boolean primary key default true check (singleton),
         checksum text not null, applied_at timestamptz not null default now())`,
    );
    await load(client);
    applied = (await migrate(database.url, { functions: schemaFunctions })).applied;
    sumsAfterMigration = (await client.query(summed)).rows;
    queuedAfterMigration = (await client.query('select kind, key, payload, due_at from queued_jobs')).rows;
    countAfterMigration = (await client.query(counted)).rows;
  } catch (error) {
    await client.end();
    await database.drop();
    throw error;
  }
  await client.end();
  const config = { AGORA_ENCRYPTION_KEY: cast.encryptionKey };
  server = await startTestServer({ database, at: cast.at, config });
  buyer = server.client({ ownerToken: cast.buyer.token });
  writer = server.client({ agentKey: cast.writer.key });
});
afterAll(() => server?.close());

const statusOf = async (id: string) => (await buyer.tasks.get(id)).status;

/** What is seen once all that is due was done. */
const swept = <T>(look: () => Promise<T>): Promise<T> => server.app.sweep().then(look);

test('the migrations of the release are taken as they were, and those after it are applied', () => {
  expect(applied).toEqual(names.slice(releasedMigrations));
});

test('the ledger adds up', () => expectSoundLedger(server));

test('what was allocated to a wallet is set apart from what its agent earned', async () => {
  const hirer = await buyer.vault.getAgentWallet(cast.hirer.id);
  expect(hirer).toMatchObject({ available: 3500, allocated: 3500, withdrawable: 0 });
  const { available, allocated, withdrawable } = await writer.vault.getWallet();
  expect([allocated, withdrawable]).toEqual([0, available]);
  expect(available).toBeGreaterThan(0);
});

test('what is stored is summed up as a count of it says', () => {
  expect(sumsAfterMigration).toEqual(countAfterMigration);
  expect(sumsAfterMigration).toHaveLength(3);
});

test('of the trees of one commit one is kept, and both tasks have it', async () => {
  const { rows } = await server.pool.query(
    `select count(*)::int as tasks, count(distinct k.object_id)::int as trees
     from task_repositories r join kept_trees k using (owner_id, commit_id)`,
  );
  expect(rows).toEqual([{ tasks: 2, trees: 1 }]);
  expect((await server.pool.query('select from kept_trees')).rowCount).toBe(1);
});

test('a card that is still to be detached at the processor is a queued job', () => {
  const ownerId = toUuid('owner', cast.buyer.id);
  expect(queuedAfterMigration).toEqual([
    {
      kind: 'vault.detachMethod',
      key: `${ownerId} pm_removed`,
      payload: { ownerId, paymentMethodId: 'pm_removed', processor: 'stripe', customerRef: 'cus_1' },
      due_at: new Date('2100-01-01T00:00:00.000Z'),
    },
  ]);
});

test('every credential still lets in', async () => {
  const { owner } = await server.client({ ownerToken: cast.buyer.developerToken }).auth.session();
  expect(owner.id).toBe(cast.buyer.id);
  const { email, password } = cast.seller;
  expect((await server.client().auth.signIn({ email, password })).owner.id).toBe(cast.seller.id);
  expect((await writer.agents.me()).id).toBe(cast.writer.id);
});

test('tasks in every status are read as they were', async () => {
  const seen: Record<string, string> = {};
  for (const [name, id] of Object.entries(tasks)) seen[name] = await statusOf(id);
  expect(seen).toEqual({
    submitted: 'submitted',
    subHired: 'submitted',
    routing: 'routing',
    executing: 'executing',
    abandoned: 'executing',
    clonedToo: 'executing',
    judged: 'quality_check',
    completed: 'completed',
    released: 'completed',
    cloned: 'completed',
    disputed: 'completed',
    ruled: 'completed',
    rejected: 'failed',
    appealed: 'failed',
    gaveUp: 'failed',
    cancelled: 'failed',
    refunded: 'refunded',
  });
  const listed = await buyer.tasks.list({ pageSize: 100 });
  expect(listed.data.map(({ id }) => id).sort()).toEqual(Object.values(tasks).sort());
  expect((await buyer.artifacts.list(tasks.cloned)).data.map(({ path }) => path)).toEqual(['note.txt']);
  const receipt = await verifyReceipt(await buyer.tasks.receipt(tasks.completed), await buyer.system.jwks());
  expect(receipt).toMatchObject({ valid: true, origin: 'proved', told: { status: 'completed' } });
});

test('a submission sent again has the reply that was kept', async () => {
  const again = await buyer.tasks.submit(cast.repeated.body, { idempotencyKey: cast.repeated.key });
  expect(again.id).toBe(tasks.submitted);
});

test('what the gate was about when the release stopped is judged', async () => {
  await pass(server, 60_000);
  await expect.poll(() => swept(() => statusOf(tasks.judged))).toBe('completed');
  const { assessmentId } = await buyer.tasks.get(tasks.appealed);
  const appeal = async () => (await buyer.courts.getAssessment(assessmentId as string)).appeal?.status;
  await expect.poll(() => swept(appeal)).toBe('rejected');
});

test('tasks that were under way are completed and paid', async () => {
  const designer = server.client({ agentKey: cast.designer.key });
  await designer.tasks.start(tasks.routing, { sandboxId: 'mine' });
  await writer.tasks.start(tasks.subHired, { sandboxId: 'mine' });
  for (const [agent, id] of [
    [writer, tasks.executing],
    [writer, tasks.subHired],
    [designer, tasks.routing],
  ] as const) {
    expect(await agent.tasks.complete(id, { output })).toMatchObject({ status: 'completed', creditsCharged: 1000 });
  }
  expect(await designer.vault.getWallet()).toMatchObject({ escrowed: 850 });
});

test('a new task runs to its end, in a sandbox', async () => {
  const { id } = await buyer.tasks.submit(cast.repeated.body);
  const { sandboxId } = (await writer.sandbox.provision(id)).data;
  await writer.tasks.start(id, { sandboxId });
  await writer.sandbox.exec(id, { command: 'mkdir -p output && echo new > output/new.txt' });
  expect(await writer.tasks.complete(id, { output })).toMatchObject({ status: 'completed' });
  await expect.poll(async () => (await buyer.artifacts.list(id)).data.map(({ path }) => path)).toEqual(['new.txt']);
});

test('a dispute of the release is answered and decided', async () => {
  expect(await buyer.courts.getDispute(cast.disputes.resolved)).toMatchObject({ status: 'resolved', share: 50 });
  await writer.courts.respondToDispute(cast.disputes.open, { response: 'It has five, seven and five' });
  await server.app.sweep();
  await expect
    .poll(async () => {
      const note = { outcome: 'buyer_wins' as const, note: 'It has six' };
      await server
        .operator()
        .courts.resolveDispute(cast.disputes.open, note)
        .catch(() => undefined);
      return (await buyer.courts.getDispute(cast.disputes.open)).status;
    })
    .toBe('resolved');
});

test('what nobody goes on with expires and is refunded, and nothing stays held', async () => {
  await pass(server, 2 * hour);
  await pass(server, 2 * hour);
  const ended = [tasks.abandoned, tasks.clonedToo, tasks.submitted];
  for (const id of ended) expect(await buyer.tasks.get(id)).toMatchObject({ status: 'failed', creditsCharged: 0 });
  expect(await buyer.vault.getPool()).toMatchObject({ held: 0 });
  const { rows } = await server.pool.query(
    `select (select count(*) from tasks where due_at is not null)::int as tasks,
       (select count(*) from earnings where status in ('pending', 'frozen'))::int as earnings,
       (select coalesce(sum(set_aside), 0) from task_storage)::int as "setAside",
       (select sum(open_tasks) from agent_stats)::int as "openTasks"`,
  );
  expect(rows).toEqual([{ tasks: 0, earnings: 0, setAside: 0, openTasks: 0 }]);
  await expectSoundLedger(server);
  expect((await server.pool.query(summed)).rows).toEqual((await server.pool.query(counted)).rows);
});
