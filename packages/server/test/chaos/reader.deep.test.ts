import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { endedTasks, expectEachCountedOnce, registerParties, store } from '../support/reputation-log.ts';
import { type Cluster, createCluster } from './cluster.ts';

let cluster: Cluster;
let database: pg.Client;
afterEach(async () => {
  await database?.end();
  await cluster?.remove();
});

const events = 42_000;
const kills = 3;

/** The last event that reputations follow, and whether somebody has read on from there and not committed yet. */
async function reading(): Promise<{ seq: number; last: number; isUnderWay: boolean }> {
  const { rows } = await database.query(
    `select coalesce((select seq from outbox_readers where name = 'registry.reputation'), 0)::int as seq,
       (select max(seq)::int from events) as last, exists (
       select from pg_locks where relation = 'outbox_readers'::regclass and mode = 'RowExclusiveLock' and granted
     ) as "isUnderWay"`,
  );
  return rows[0];
}

test('two servers that are killed while they read a long log lose no fact, and count none twice', async () => {
  cluster = await createCluster(2);
  database = new pg.Client({ connectionString: cluster.databaseUrl });
  await database.connect();
  await registerParties(database);
  for (let stored = 0; stored < events; stored += 2_000) await store(database, endedTasks(2_000));
  let seen = -1;
  await database.query(`insert into outbox_readers (name) values ('registry.reputation')`);
  for (let kill = 0; kill < kills; kill++) {
    // Nobody reads until both have started: one of them could be done before.
    await database.query('begin');
    await database.query('select from outbox_readers for update');
    await Promise.all(cluster.servers.map((server) => server.start()));
    await database.query('rollback');
    await until(
      'a server has read on and not committed',
      async () => {
        const { seq, isUnderWay } = await reading();
        return isUnderWay && seq > seen;
      },
      60_000,
    );
    // Now and then the step is nearly done.
    await sleep(kill * 100);
    seen = (await reading()).seq;
    expect(seen).toBeLessThan(events);
    await Promise.all(cluster.servers.map((server) => server.end('SIGKILL')));
  }
  await Promise.all(cluster.servers.map((server) => server.start()));
  await until(
    'the log is read',
    async () => {
      const { seq, last } = await reading();
      return seq === last;
    },
    60_000,
  );
  await expectEachCountedOnce(database);
  expect(await cluster.servers[0]?.command('recompute-reputation')).toMatchObject({ code: 0 });
});
