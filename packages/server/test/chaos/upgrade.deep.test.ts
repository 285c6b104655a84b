import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { verifyLedger } from '../../src/audit/index.ts';
import { makeNextRelease, type NextRelease } from '../support/next-release.ts';
import { createCluster } from './cluster.ts';
import { ended, startJourney } from './proxied-journey.ts';

/** Servers are upgraded one after the other under traffic: nobody gets a refusal that one server alone would not have given. */

let next: NextRelease;
beforeAll(() => {
  next = makeNextRelease(
    {
      next: 'alter table tasks add column of_next text; select pg_sleep(3);',
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
  onTestFinished(async () => {
    await cluster.remove();
  });
  const client = new pg.Client({ connectionString: cluster.databaseUrl });
  await client.connect();
  const one = async (sql: string) => Object.values((await client.query(sql)).rows[0] ?? {})[0];
  const schemas = "select count(*)::int from pg_namespace where nspname like 'agora\\_functions\\_%'";
  await Promise.all(servers.map((server) => server.start()));
  const journey = await startJourney(cluster);
  let over = false;
  const submitting = (async () => {
    while (!over) {
      await journey.submit();
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  const goOn = async () => {
    const at = journey.submitted.length;
    await expect.poll(() => journey.submitted.length).toBeGreaterThan(at + 6);
  };

  await goOn();
  await first.end('SIGTERM');
  const crashing = first.start(next.program).catch(() => 'crashed');
  const migrating =
    "select count(*)::int from pg_stat_activity where datname = current_database() and query like '%pg_sleep(3)%' and pid <> pg_backend_pid()";
  await expect.poll(() => one(migrating), { interval: 50 }).toBe(1);
  await first.end('SIGKILL');
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
  over = true;
  await submitting;
  const tasks = await ended(journey);
  await journey.stop();
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
  await client.end();
});
