import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { makeNextRelease, type NextRelease } from '../support/next-release.ts';
import { createCluster } from './cluster.ts';
import { startJourney } from './proxied-journey.ts';

/** Servers are upgraded one after the other under traffic: nobody gets a refusal that one server alone would not have given. */

/** The advisory lock for which the migration of the next release waits, once it has changed a table. */
const gate = 4154;

let next: NextRelease;
beforeAll(() => {
  next = makeNextRelease(
    {
      next: `alter table tasks add column of_next text; select pg_advisory_xact_lock(${gate});`,
      'next_less.contract': "comment on table tasks is 'contracted';",
    },
    // What a server of this release calls would fail.
    {
      file: 'tasks/steps/finish.sql',
      change: (text) => text.replace('begin', 'begin\n  update tasks set of_next = null where false;'),
    },
  );
});
afterAll(() => next?.remove());

test('three servers go to the next release and one of them back, with a crash in the middle of a migration', async () => {
  const cluster = await createCluster(3);
  const { servers } = cluster;
  const [first, second, third] = servers as [(typeof servers)[0], (typeof servers)[0], (typeof servers)[0]];
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  onTestFinished(async () => {
    await client.end();
    await cluster.remove();
  });
  await client.connect();
  const one = async (sql: string) => Object.values((await client.query(sql)).rows[0] ?? {})[0];
  const schemas = "select count(*)::int from pg_namespace where nspname like 'agora\\_functions\\_%'";
  await Promise.all(servers.map((server) => server.start()));
  const journey = await startJourney(cluster);
  const goOn = () => journey.goOn(7);

  await goOn();
  await first.end('SIGTERM');
  await one(`select pg_advisory_lock(${gate})`);
  const crashing = first.start(next.program).catch(() => 'crashed');
  const waiting = `select count(*)::int from pg_locks
    where locktype = 'advisory' and objid = ${gate} and not granted
      and database = (select oid from pg_database where datname = current_database())`;
  await expect.poll(() => one(waiting)).toBe(1);
  await first.end('SIGKILL');
  await one(`select pg_advisory_unlock(${gate})`);
  expect(await crashing).toBe('crashed');
  expect(await one("select count(*)::int from information_schema.columns where column_name = 'of_next'")).toBe(0);
  await goOn();
  await first.start(next.program);
  expect(await one(schemas)).toBe(2);
  await goOn();
  // One of this release restarts beside the next one.
  await second.end('SIGTERM');
  await second.start();
  await goOn();
  // Back, and then for good.
  await first.end('SIGTERM');
  await first.start();
  await goOn();
  for (const server of servers) {
    await server.end('SIGTERM');
    await server.start(next.program);
    await goOn();
  }
  const tasks = await journey.end();
  expect(journey.refusals).toEqual([]);
  expect(tasks.filter(({ status }) => status !== 'completed')).toEqual([]);
  for (const check of await verifyLedger(cluster.databaseUrl)) expect(check).toMatchObject({ broken: [] });

  const contracted = await third.command('migrate', '--contract');
  expect(contracted).toMatchObject({ code: 1 });
  expect(third.log()).toMatch(/has to wait: a server of another release/);
  expect(await third.commandOf(next.program, 'migrate', '--contract')).toMatchObject({ code: 0 });
  expect(await one(schemas)).toBe(1);
  await second.end('SIGTERM');
  await expect(second.start()).rejects.toThrow(/migrated by a newer version of Agora/);
}, 900_000);
