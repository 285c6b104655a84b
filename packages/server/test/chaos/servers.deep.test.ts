import { rm } from 'node:fs/promises';
import { Agora, type AgoraError } from '@agora-market/sdk';
import pg from 'pg';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { bucketSettings, startBucket } from '../support/bucket.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { checks, startJourney } from './proxied-journey.ts';
import type { Installation } from './server-process.ts';

/**
 * Servers of one database behind a proxy that asks one after the other, each stopped or killed in turn and started again
 * while buyers and workers of the SDK go on: nobody gets a refusal that one server alone would not have given.
 */

let cluster: Cluster;
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') for (const each of cluster.servers) console.error(each.log().slice(-3000));
  await cluster?.remove();
});

/** What one server refuses too where it is killed: the work in its sandboxes is gone, and the worker begins again. */
const ofAnyKill = /SANDBOX_LOST/;

test.each([
  [2, 'SIGTERM'],
  [3, 'SIGKILL'],
] as const)(
  '%i servers that end by %s one after the other and come back lose nothing and refuse nothing',
  async (count, signal) => {
    cluster = await createCluster(count);
    await Promise.all(cluster.servers.map((server) => server.start()));
    const journey = await startJourney(cluster);
    for (const server of cluster.servers) {
      // In the middle of work.
      await journey.goOn(5);
      await server.end(signal);
      await server.start();
    }
    const tasks = await journey.end();
    const refused = signal === 'SIGKILL' ? journey.refusals.filter((each) => !ofAnyKill.test(each)) : journey.refusals;
    expect(refused).toEqual([]);
    expect(tasks.filter(({ status }) => status !== 'completed')).toEqual([]);
    for (const check of await verifyLedger(cluster.databaseUrl)) expect(check).toMatchObject({ broken: [] });
    const client = new pg.Client({ connectionString: cluster.databaseUrl });
    await client.connect();
    const { rows } = await client.query(`select
      (select count(*)::int from hosts where ended_at is null) as hosts,
      (select count(*)::int from sandboxes where status in ('provisioning', 'ready', 'draining')) as sandboxes,
      (select coalesce(sum(balance), 0)::int from ledger_accounts where kind = 'pool_held') as held`);
    await client.end();
    expect(rows).toEqual([{ hosts: count, sandboxes: 0, held: 0 }]);
  },
  300_000,
);

/** A buyer with credits and the worker of another owner, through one server. */
async function parties(first: string | null) {
  const at = (url: string | null, credentials: object) =>
    new Agora({ baseUrl: url ?? '', maxRetries: 8, ...credentials });
  const owner = async (name: string) => {
    const email = `${name}@example.com`;
    return (await at(first, {}).auth.signUp({ name, email, password: 'correct horse' })).token;
  };
  const [buying, selling] = [await owner('buyer'), await owner('seller')];
  const buyer = at(first, { ownerToken: buying });
  await buyer.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await buyer.vault.topUp({ amount: 100_000 });
  const { agent, apiKey } = await at(first, { ownerToken: selling }).agents.register({
    displayName: 'Worker',
    framework: 'custom',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 100, currency: 'USD' },
  });
  const worker = (url: string | null) => at(url, { agentKey: apiKey });
  /** A task that the worker has started, at the first server unless another is named, whose check takes so many seconds. */
  async function started(seconds = 0, url = first) {
    const acceptance = { checks: checks.map((each) => ({ ...each, command: `sleep ${seconds}; ${each.command}` })) };
    const input = { description: 'Copy', files: { 'want.txt': 'wanted\n' }, acceptance };
    const { id } = await buyer.tasks.submit({ taskType: 'general', maxBudget: 500, input, agentId: agent.id });
    await worker(url).tasks.start(id, { sandboxId: 'mine' });
    await worker(url).sandbox.exec(id, { command: 'cp want.txt done.txt' });
    return id;
  }
  return { buying, worker, started };
}

test('other servers take over the tasks of a killed server that does not come back', async () => {
  cluster = await createCluster(2, { PEER_DEAD_MS: '4000' });
  const [first, second] = cluster.servers as [(typeof cluster.servers)[0], (typeof cluster.servers)[0]];
  await first.start();
  const { worker, started } = await parties(first.url());
  const id = await started();
  await second.start();
  const there = worker(second.url());
  expect((await there.sandbox.exec(id, { command: 'cat done.txt' })).data.stdout).toBe('wanted\n');
  await first.end('SIGKILL');
  // Until it is certain that the first is dead, nobody is told anything that may not be true.
  const told = await there
    .withOptions({ maxRetries: 0 })
    .sandbox.get(id)
    .then(
      ({ data }) => data.status,
      (error) => (error as AgoraError).code,
    );
  expect(['NOT_READY', 'lost']).toContain(told);
  await expect.poll(async () => (await there.sandbox.get(id).catch(() => null))?.data.status).toBe('lost');
  expect((await there.sandbox.provision(id)).data.status).toBe('ready');
  await there.sandbox.exec(id, { command: 'cp want.txt done.txt' });
  await there.tasks.complete(id, { output: { result: 'x' } });
  await expect.poll(async () => (await there.tasks.get(id)).status).toBe('completed');
});

/** What servers with a bucket have in common. */
async function withBucket() {
  const bucket = await startBucket();
  onTestFinished(() => bucket.close());
  return { ...bucketSettings, PEER_DEAD_MS: '4000', S3_ENDPOINT: bucket.url };
}

test('with a bucket, others judge and go on with what a killed server took that is gone with its disk', async () => {
  cluster = await createCluster(2, { ...(await withBucket()), SANDBOX_LIFETIME_MS: '24000' });
  const [first, second] = cluster.servers as [(typeof cluster.servers)[0], (typeof cluster.servers)[0]];
  await first.start();
  const { buying, worker, started } = await parties(first.url());
  const kept = await started();
  await expect.poll(async () => (await worker(first.url()).sandbox.get(kept)).data.status).toBe('kept');
  const delivered = await started(8);
  await second.start();
  // Its gate runs for longer than the reply waits.
  const reply = await worker(first.url()).tasks.complete(delivered, { output: { result: 'x' } });
  expect(reply.status).toBe('quality_check');
  await first.end('SIGKILL');
  await rm(first.dataDir, { recursive: true, force: true, maxRetries: 5 });

  const there = worker(second.url());
  expect((await there.sandbox.provision(kept)).data.status).toBe('ready');
  expect((await there.sandbox.exec(kept, { command: 'cat done.txt' })).data.stdout).toBe('wanted\n');
  await there.tasks.complete(kept, { output: { result: 'x' } });
  for (const id of [kept, delivered]) {
    await expect.poll(async () => (await there.tasks.get(id)).status).toBe('completed');
  }
  const buyer = new Agora({ baseUrl: second.url() ?? '', ownerToken: buying });
  expect((await buyer.tasks.get(delivered)).creditsCharged).toBeGreaterThan(0);
  for (const check of await verifyLedger(cluster.databaseUrl)) expect(check).toMatchObject({ broken: [] });
});

test('two servers that took twenty deliveries each and never come back: a third one judges all', async () => {
  // Nobody judges before the two are gone.
  const roles = (nth: number): Record<string, string> => (nth < 2 ? { ROLES: 'api,sandboxes,webhooks,jobs' } : {});
  cluster = await createCluster(3, await withBucket(), roles);
  const [first, second, third] = cluster.servers as [Installation, Installation, Installation];
  const lost = [first, second];
  await Promise.all(lost.map((server) => server.start()));
  const { worker, started } = await parties(first.url());
  const deliver = async ({ url }: Installation) => {
    const id = await started(0, url());
    const { status } = await worker(url()).tasks.complete(id, { output: { result: 'x' } });
    expect(status).toBe('quality_check');
    return id;
  };
  const lanes = lost.flatMap((server) => Array.from({ length: 5 }, () => server));
  const delivered = await Promise.all(
    lanes.map(async (server) => {
      const ids: string[] = [];
      while (ids.length < 4) ids.push(await deliver(server));
      return ids;
    }),
  );
  await Promise.all(lost.map((server) => server.end('SIGKILL')));
  await Promise.all(lost.map(({ dataDir }) => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })));
  await third.start();
  const statuses = async () => {
    const tasks = await Promise.all(delivered.flat().map((id) => worker(third.url()).tasks.get(id)));
    return tasks.map(({ status }) => status);
  };
  await expect.poll(statuses, { interval: 1_000 }).toEqual(Array(40).fill('completed'));
  for (const check of await verifyLedger(cluster.databaseUrl)) expect(check).toMatchObject({ broken: [] });
}, 600_000);
