import fc from 'fast-check';
import type pg from 'pg';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import {
  anyLog,
  endedTasks,
  expectEachCountedOnce,
  type Logged,
  parties,
  readerSees,
  registerParties,
  store,
} from '../../../test/support/reputation-log.ts';
import { holdReader } from '../../events/index.ts';
import { createPool, type Pool } from '../../platform/index.ts';
import { enterEvents, followLog, reputationReader } from './reader.ts';
import { recomputeReputations, tables } from './recompute.ts';

const { pool, url } = await databaseForFile();
const never = new AbortController().signal;

beforeAll(async () => {
  await registerParties(pool);
});
beforeEach(async () => {
  await pool.query(`truncate ${Object.keys(tables).join(', ')}, events`);
  await pool.query('insert into reputations (agent_id) select id from agents');
  await pool.query('delete from outbox_readers');
  await pool.query('update reputation_clock set announced = null, closed = null');
});

/** Every stored value of the tables of reputations. */
async function stored(db: pg.ClientBase | Pool): Promise<Record<string, string[]>> {
  const found: Record<string, string[]> = {};
  for (const table of Object.keys(tables)) {
    const { rows } = await db.query(`select to_jsonb(t)::text as text from ${table} t order by 1`);
    found[table] = rows.map(({ text }) => text);
  }
  return found;
}

/** What the tables hold after the log has come in so many parts; nothing of it stays. */
async function afterParts(parts: Logged[][]): Promise<Record<string, string[]>> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const events = readerSees(parts.flat());
    let from = 0;
    for (const part of parts) {
      const until = from + part.length;
      await enterEvents(client, events.slice(from, until), async () => {});
      from = until;
    }
    return await stored(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('the tables hold the same, however the log is cut into readings', async () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(anyLog(), cuts, async (log, at) => {
      const places = [0, ...at.map((place) => Math.min(place, log.length)).sort((a, b) => a - b), log.length];
      const parts = places.slice(1).map((end, nth) => log.slice(places[nth], end));
      expect(await afterParts(parts)).toEqual(await afterParts([log]));
    }),
    { numRuns: 40 },
  );
});

/** Writes as servers do: several transactions at once, some of which linger, and some come to nothing. */
async function writeBeside(turns: number, width = 6): Promise<void> {
  const write = async (nth: number) => {
    for (let turn = 0; turn < turns; turn++) {
      const client = await pool.connect();
      await client.query('begin');
      await store(client, endedTasks(1 + ((nth + turn) % 4)));
      for (let trip = (nth + turn) % 3 === 0 ? (nth * turn) % 5 : 0; trip > 0; trip--) await client.query('select');
      await client.query((nth * turn) % 7 === 6 ? 'rollback' : 'commit');
      client.release();
    }
  };
  await Promise.all(Array.from({ length: width }, (_, nth) => write(nth)));
}

/** The reader comes to the end of the log, once nobody writes any more. */
async function toTheEnd(): Promise<void> {
  const place = async () => (await pool.query('select seq from outbox_readers')).rows[0]?.seq;
  const { rows } = await pool.query('select max(seq) as seq from events');
  await expect.poll(() => followLog(pool, never).then(place)).toBe(rows[0].seq);
}

test('servers that follow one log while others write to it count each fact once', async () => {
  const servers = [1, 2, 3].map(() => createPool(url, () => {}));
  let isWriting = true;
  const following = servers.map(async (server) => {
    while (isWriting) await followLog(server, never);
  });
  await writeBeside(40);
  isWriting = false;
  await Promise.all(following);
  await toTheEnd();
  await expectEachCountedOnce(pool);
  expect(await recomputeReputations(pool)).toMatchObject({ agents: 4, differences: [] });
  for (const server of servers) await server.end();
});

test('a reader that has not read yet waits while it is held', async () => {
  const holder = await pool.connect();
  onTestFinished(() => holder.release(true));
  await holder.query('begin');
  await holdReader(holder, reputationReader);
  await store(pool, endedTasks(3));
  const following = followLog(pool, never);
  const waiting = async () =>
    (await pool.query("select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"))
      .rowCount;
  await expect.poll(waiting).toBe(1);
  await holder.query('commit');
  await following;
  await toTheEnd();
  expect((await recomputeReputations(pool)).differences).toEqual([]);
});

test('days are closed and the log goes on while reputations are recomputed and written', async () => {
  const log = fc.sample(anyLog(400), { numRuns: 1, seed: 7 })[0] as Logged[];
  expect(log.filter(({ type }) => type === 'reputation.day_closed').length).toBeGreaterThan(10);
  const server = createPool(url, () => {});
  let isWriting = true;
  const following = (async () => {
    while (isWriting) await followLog(server, never);
  })();
  const recomputing = (async () => {
    for (let times = 0; times < 8; times++) {
      // Something is wrong each time, so that there is something to write.
      await pool.query('update owner_flows set spent = spent + 1 where owner_id = $1', [parties.buyers[0]]);
      await recomputeReputations(pool, { write: true });
    }
  })();
  for (let from = 0; from < log.length; from += 5) await store(pool, log.slice(from, from + 5));
  await recomputing;
  isWriting = false;
  await following;
  await server.end();
  await toTheEnd();
  expect((await recomputeReputations(pool)).differences).toEqual([]);
  const { rows } = await pool.query('select count(distinct day)::int as days from reputation_days');
  expect(rows[0].days).toBeGreaterThan(10);
});
