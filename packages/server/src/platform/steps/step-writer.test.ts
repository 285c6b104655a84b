import pg from 'pg';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { databaseForFile } from '../../../test/support/database.ts';
import { silentLog } from '../../../test/support/invoke.ts';
import {
  codes,
  decidedStep,
  installNotes,
  type Note,
  noLock,
  noteStep,
  otherStep,
} from '../../../test/support/platform/notes.ts';
import { createHub, type Hub } from '../hub/hub.ts';
import type { Step } from './step.ts';
import { createStepWriter, type StepWriter } from './step-writer.ts';

const { url, pool } = await databaseForFile();
let hub: Hub;
let writer: StepWriter;

beforeAll(() => installNotes(pool));
beforeEach(async () => {
  await pool.query('truncate notes; truncate idempotency_keys');
  hub = createHub();
  writer = createStepWriter(url, hub, silentLog, { lock: noLock });
});
afterEach(() => writer.close());

const write = (note: Note, step = noteStep) => writer.write(step, note);
const keys = async () =>
  (await pool.query<{ key: string }>('select key from notes order by key')).rows.map((row) => row.key);

const writers = `from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
  and (query in ('commit', 'begin') or query like '%note%' or query like '%advisory%')`;

/** Ends the writer's sessions as an administrator would; gives how many there were. */
const terminateWriters = async () => (await pool.query(`select pg_terminate_backend(pid) ${writers}`)).rows.length;
const countWriters = async () => (await pool.query(`select ${writers}`)).rows.length;

/** Until a session of this database waits for this: `PgSleep` while it is in pg_sleep, `transactionid` for a locked row. */
const untilOneWaits = (event: string) =>
  expect
    .poll(async () => {
      const sql = 'select from pg_stat_activity where datname = current_database() and wait_event = $1';
      return (await pool.query(sql, [event])).rows.length;
    })
    .toBeGreaterThan(0);

test('steps of one key are written in the order they came, whatever waits beside them', async () => {
  const work = Array.from({ length: 900 }, (_, at) =>
    write({ key: `k${at % 7}` }, at % 3 === 0 ? otherStep : noteStep),
  );
  const results = await Promise.all(work);
  expect(results.map((result) => result.nth)).toEqual(results.map((_, at) => Math.floor(at / 7) + 1));
});

test('steps that wait together share a transaction', async () => {
  await Promise.all(Array.from({ length: 100 }, (_, at) => write({ key: `k${at}` })));
  const { rows } = await pool.query('select count(distinct xmin::text)::int as n from notes');
  expect(rows[0].n).toBe(1);
});

test('a bad item among fifty fails alone, whatever is wrong with it', async () => {
  const once = '00000000-0000-7000-8000-000000000001';
  await write({ key: 'first', once });
  const bad = new Map<number, [Partial<Note>, string]>([
    [3, [{ text: 'a\u0000b' }, '22P05']],
    [11, [{ text: 'a\ud800b' }, '22P02']],
    [20, [{ once }, '23505']],
    [21, [{ once: 'not a uuid' }, '22P02']],
    [49, [{ text: 10n }, 'error']],
  ]);
  const work = Array.from({ length: 50 }, (_, at) => write({ key: `k${at}`, ...bad.get(at)?.[0] }));
  const expected = work.map((_, at) => bad.get(at)?.[1] ?? 'ok');
  expect(await codes(work)).toEqual(expected);
  expect((await keys()).length).toBe(1 + 45);
});

test('an item that the function passes over fails alone, and the rest of its batch is not written twice', async () => {
  const work = [write({ key: 'a' }), write({ key: 'b', skip: true }), write({ key: 'c' }, otherStep)];
  expect(await codes(work)).toEqual(['ok', 'error', 'ok']);
  expect(await keys()).toEqual(['a', 'b', 'c']);
});

test('a listener or a step that fails after the commit costs nobody the answer, nor is anything written twice', async () => {
  hub.subscribe('note:a', () => {
    throw new Error('a listener of the test');
  });
  const speechless = { ...noteStep, topics: () => JSON.parse('{') };
  expect(await codes([write({ key: 'a' }), write({ key: 'b' }, speechless), write({ key: 'c' })])).toEqual([
    'ok',
    'ok',
    'ok',
  ]);
  expect(await keys()).toEqual(['a', 'b', 'c']);
});

test('a rule in TypeScript decides in order on what is stored, and what it refuses is not written', async () => {
  // These are written before those that were decided beside them: what no longer holds then is decided again.
  const others = Array.from({ length: 4 }, (_, at) => write({ key: `other${at}` }));
  const decided = Array.from({ length: 30 }, (_, at) => write({ key: `k${at}` }, decidedStep));
  await Promise.all(others);
  const outcomes = (await Promise.all(decided)).map(({ outcome }) => outcome);
  expect(outcomes).toEqual(outcomes.map((_, at) => (at < 6 ? 'ok' : 'unwanted')));
  expect(await keys()).toHaveLength(10);
});

test.each([
  ['throws', 'throw', 'error'],
  ['cannot read', 'sql', '22012'],
])('a decision that %s fails the steps it was about, and no other', async (_, text, code) => {
  const work = [
    write({ key: 'plain' }),
    write({ key: 'bad', text }, decidedStep),
    write({ key: 'other' }, otherStep),
    write({ key: 'after' }),
  ];
  expect(await codes(work)).toEqual(['ok', code, 'ok', 'ok']);
  expect(await keys()).toEqual(['after', 'other', 'plain']);
});

test('a session ended while idle is replaced before the next step', async () => {
  await write({ key: 'before' });
  expect(await terminateWriters()).toBeGreaterThan(0);
  await expect.poll(countWriters).toBe(0);
  await write({ key: 'after' });
  expect(await keys()).toEqual(['after', 'before']);
});

test('a session ended in the middle of a step fails its callers, and nothing of theirs is stored', async () => {
  const answers = codes([write({ key: 'a', sleepMs: 60_000 }), write({ key: 'b' })]);
  await untilOneWaits('PgSleep');
  await terminateWriters();
  expect(await answers).toEqual(['NOT_READY', 'NOT_READY']);
  await write({ key: 'after' });
  expect(await keys()).toEqual(['after']);
});

test('a session ended in the middle of its commit fails its callers rather than write them again', async () => {
  await pool.query(`create function dawdle() returns trigger language plpgsql as $$ begin perform pg_sleep(60); return null; end $$;
    create constraint trigger dawdle after insert on notes deferrable initially deferred for each row
    when (new.text = 'slow') execute function dawdle()`);
  const answers = codes([write({ key: 'a', text: 'slow' }), write({ key: 'b' })]);
  await untilOneWaits('PgSleep');
  await terminateWriters();
  expect(await answers).toEqual(['NOT_READY', 'NOT_READY']);
  expect(await keys()).toEqual([]);
  await write({ key: 'after' });
});

test('a commit that a deferred constraint refuses fails only the item it is about', async () => {
  await pool.query(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;
    create constraint trigger refuse after insert on notes deferrable initially deferred for each row
    when (new.text = 'refused') execute function refuse()`);
  const work = Array.from({ length: 9 }, (_, at) => write({ key: `k${at}`, text: at === 4 ? 'refused' : 'fine' }));
  expect(await codes(work)).toEqual(work.map((_, at) => (at === 4 ? 'P0001' : 'ok')));
});

test('while sessions end all the time every caller is answered, and what was acknowledged is stored once', async () => {
  const acknowledged: string[] = [];
  let answered = 0;
  // One after the other: the pool's second connection would look like one of the writer's.
  let killing = Promise.resolve(0);
  const clients = Array.from({ length: 30 }, async (_, client) => {
    for (let at = 0; at < 40; at++) {
      const key = `c${client}-${at}`;
      await write({ key }, at % 2 ? noteStep : otherStep).then(
        () => acknowledged.push(key),
        () => undefined,
      );
      if (++answered % 15 === 0) killing = killing.then(terminateWriters);
      await killing;
    }
  });
  await Promise.all(clients);
  const stored = await keys();
  expect(new Set(stored).size).toBe(stored.length);
  expect(acknowledged.filter((key) => !stored.includes(key))).toEqual([]);
  // A session that was ended last may still take the next step with it.
  const after = () =>
    write({ key: `after ${++answered}` }).then(
      () => true,
      () => false,
    );
  await expect.poll(after).toBe(true);
});

test('a database that lets nobody in refuses steps at once and takes them when it is back', async () => {
  const name = new URL(url).pathname.slice(1);
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  await client.query(`alter database ${name} allow_connections false`);
  const down = await codes(Array.from({ length: 60 }, (_, at) => write({ key: `down${at}` })));
  await client.query(`alter database ${name} allow_connections true`);
  await client.end();
  expect(new Set(down)).toEqual(new Set(['NOT_READY']));
  await write({ key: 'back' });
  expect(await keys()).toEqual(['back']);
});

test('a deadlock with another transaction costs no step', async () => {
  await pool.query(`create table pair (id int primary key, n int not null); insert into pair values (1, 0), (2, 0);
    create function note_pair(p_items json) returns table (ord int, outcome text) language plpgsql as $$ begin
      update pair set n = n + 1 where id = 1;
      while not pg_try_advisory_xact_lock(7) loop perform pg_sleep(0.01); end loop;
      update pair set n = n + 1 where id = 2;
      return query select i.ord::int, 'ok' from json_array_elements(p_items) with ordinality as i(item, ord);
    end $$`);
  const both: Step<{ key: string }, { outcome: string }> = {
    name: 'note_pair',
    sql: '',
    key: (item) => item.key,
    locks: () => ({}),
    topics: () => [],
  };
  const other = await pool.connect();
  // The other one waits longer before it looks for deadlocks, so that the writer is the victim.
  await other.query(`set deadlock_timeout = '20s'`);
  await other.query('begin');
  await other.query('update pair set n = n + 10 where id = 2');
  // Until each waits for the other's row, the writer waits at the gate.
  const gate = await pool.connect();
  await gate.query('select pg_advisory_lock(7)');
  const answers = codes([writer.write(both, { key: 'a' })]);
  await untilOneWaits('PgSleep');
  const updated = other.query('update pair set n = n + 10 where id = 1');
  await untilOneWaits('transactionid');
  await gate.query('select pg_advisory_unlock(7)');
  gate.release(true);
  await updated;
  await other.query('commit');
  other.release(true);
  expect(await answers).toEqual(['ok']);
  expect((await pool.query('select n from pair')).rows).toEqual([{ n: 11 }, { n: 11 }]);
});

test('close writes what waits, ends its sessions and refuses what comes later', async () => {
  const work = Array.from({ length: 700 }, (_, at) => write({ key: `k${at % 90}` }));
  const closed = Promise.all([writer.close(), writer.close()]);
  const late = write({ key: 'late' });
  await expect(late).rejects.toMatchObject({ code: 'NOT_READY' });
  expect(new Set(await codes(work))).toEqual(new Set(['ok']));
  await closed;
  expect((await keys()).length).toBe(700);
  expect(await terminateWriters()).toBe(0);
});
