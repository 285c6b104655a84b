import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';

/** How the ledger's lock is used, as samples of `pg_locks` show it. */
export interface LockUse {
  /** Share of the time in which one session holds it alone. */
  held: number;
  /** Sessions that wait for a lock of any kind, on the average. */
  waiting: number;
  /** Transactions, those of timed jobs included. */
  commits: number;
}

/** Seldom enough that the looks are no load of their own. */
const everyMs = 20;
/** PostgreSQL's sessions report their counters once a second. */
const statisticsMs = 1_500;

const sample = `select
  exists (select from pg_locks where locktype = 'advisory' and objid = 4151 and granted and mode = 'ExclusiveLock') as held,
  (select count(*)::int from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()) as waiting`;

const commits = 'select xact_commit::int as n from pg_stat_database where datname = current_database()';
const connections =
  'select count(*)::int as n from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()';

/** What servers cost PostgreSQL that have nothing to do: transactions a second, and connections. */
export async function watchIdle(
  databaseUrl: string,
  seconds: number,
): Promise<{ perSecond: number; connections: number }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const numberOf = async (text: string): Promise<number> => (await client.query(text)).rows[0].n;
  const before = await numberOf(commits);
  await sleep(seconds * 1000);
  const after = await numberOf(commits);
  const idle = { perSecond: (after - before) / seconds, connections: await numberOf(connections) };
  await client.end();
  return idle;
}

/** Samples from `begin` on. */
export async function watchLocks(databaseUrl: string): Promise<{ begin(): void; end(): Promise<LockUse> }> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const samples: { held: boolean; waiting: number }[] = [];
  const commitsNow = async (): Promise<number> => (await client.query(commits)).rows[0].n;
  const before = await commitsNow();
  let running = true;
  let watching: Promise<void> | undefined;
  const watch = async () => {
    while (running) {
      samples.push((await client.query({ name: 'sample', text: sample })).rows[0]);
      await sleep(everyMs);
    }
  };
  return {
    begin() {
      watching = watch();
    },
    async end() {
      running = false;
      await watching;
      await sleep(statisticsMs);
      const after = await commitsNow();
      await client.end();
      const mean = (value: (one: (typeof samples)[number]) => number) =>
        samples.reduce((sum, one) => sum + value(one), 0) / samples.length;
      return {
        held: mean(({ held }) => Number(held)),
        waiting: mean(({ waiting }) => waiting),
        commits: after - before,
      };
    },
  };
}
