import { notificationLimits } from '@agora-market/contract';
import pg from 'pg';
import { afterEach, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { endedTasks, parties, registerParties, store } from '../support/reputation-log.ts';
import { type Cluster, createCluster } from './cluster.ts';

let cluster: Cluster;
const clients: pg.Client[] = [];
afterEach(async () => {
  await Promise.all(clients.map((client) => client.end()));
  await cluster?.remove();
});

async function connect(): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  clients.push(client);
  await client.connect();
  return client;
}

/** More than an owner's list keeps. */
const events = 12_000;
const kills = 3;

test('servers that are killed while they tell owners of what happened tell each of it once', async () => {
  cluster = await createCluster(2);
  const [database, blocker] = [await connect(), await connect()];
  await registerParties(database);
  await database.query('insert into notification_owners (owner_id) select id from owners');
  for (let kill = 0; kill < kills; kill++) {
    // Whoever has read the log now waits for its owners.
    await blocker.query('begin');
    await blocker.query('select from notification_owners for update');
    await Promise.all(cluster.servers.map((server) => server.start()));
    for (let stored = 0; stored < events / kills; stored += 2_000) await store(database, endedTasks(2_000));
    await until(
      'a server waits in the middle of its transaction',
      async () => {
        const waiting = await database.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%notification_owners n join owners%'`,
        );
        return (waiting.rowCount ?? 0) > 0;
      },
      60_000,
    );
    await Promise.all(cluster.servers.map((server) => server.end('SIGKILL')));
    await blocker.query('rollback');
  }
  await Promise.all(cluster.servers.map((server) => server.start()));
  const told = async (): Promise<number> =>
    (await database.query('select coalesce(sum(made), 0)::int as told from notification_owners')).rows[0].told;
  await until('all is told', async () => (await told()) >= events, 60_000);
  const { rows } = await database.query(
    `select n.owner_id, n.made::int, (select count(*)::int from events e where e.owner_id = n.owner_id) as logged,
       (select count(*)::int from events e where e.owner_id = n.owner_id and type = 'task.failed') as failed,
       (n.put_off ->> 'task_failed')::int as "putOff", jsonb_array_length(n.mailed) as mailed,
       (select count(*)::int from notifications l where l.owner_id = n.owner_id) as kept
     from notification_owners n where n.made > 0 and not exists (select from agents a where a.owner_id = n.owner_id)`,
  );
  expect(rows).toHaveLength(parties.buyers.length - parties.agents.length);
  for (const { made, logged, failed, putOff, mailed, kept } of rows) {
    expect(made).toBe(logged);
    expect(kept).toBe(Math.min(logged, notificationLimits.keptPerOwner));
    expect(mailed).toBe(notificationLimits.mailsPerHour);
    expect(putOff + mailed).toBe(failed);
  }
  // Sellers are told of sales once a day, by a notification that counts them.
  const sales = await database.query(
    `select n.made::int, s.days::int, (select (value ->> 'times')::int from json_each(n.daily)) as counted, s.last::int as sold
     from notification_owners n join agents a on a.owner_id = n.owner_id cross join lateral (
       select count(distinct day) as days, count(*) filter (where day = newest) as last
       from (select day, max(day) over () as newest from events, date_trunc('day', at, 'UTC') as day
         where agent_id = a.id and type = 'task.completed') d
     ) s`,
  );
  expect(sales.rows).toHaveLength(parties.agents.length);
  for (const { made, days, counted, sold } of sales.rows) expect([made, counted]).toEqual([days, sold]);
}, 180_000);
