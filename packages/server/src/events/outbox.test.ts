import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeEach, describe, expect, test } from 'vitest';
import { databaseForFile } from '../../test/support/database.ts';
import { type Queryable, transaction } from '../platform/index.ts';
import { appendEvent, expandEvents, readOutbox } from './index.ts';

const { pool } = await databaseForFile();
let reader: string;
beforeEach(async () => {
  reader = randomUUID();
  // What earlier tests logged is not this one's.
  while ((await read(1000)).length > 0);
});

const log = (db: Queryable, note: string) =>
  appendEvent(db, {
    type: 'owner.updated',
    district: 'auth',
    at: new Date('2026-11-21T12:00:00.000Z'),
    correlationId: 'c',
    data: { note },
  });
const notesOf = (events: { data: Record<string, unknown> }[]) => events.map(({ data }) => data.note);
const read = async (limit = 100, by = reader) =>
  notesOf((await transaction(pool, 'write', (tx) => readOutbox(tx, by, limit))).events);

/** A transaction that stays open until it is told how to end. */
async function open() {
  const client: pg.PoolClient = await pool.connect();
  await client.query('begin');
  const end = async (how: 'commit' | 'rollback') => {
    await client.query(how);
    client.release();
  };
  return {
    client,
    log: (note: string) => log(client, note),
    /** Stays open for so many round trips, in which others go on. */
    linger: async (trips: number) => {
      for (let trip = 0; trip < trips; trip++) await client.query('select');
    },
    commit: () => end('commit'),
    rollback: () => end('rollback'),
  };
}

describe('what is committed late', () => {
  test('is read in its place, though later numbers were there before it', async () => {
    const late = await open();
    await late.log('late');
    await log(pool, 'early');
    expect(await read()).toEqual([]);
    await late.commit();
    expect(await read()).toEqual(['late', 'early']);
    expect(await read()).toEqual([]);
  });

  test('holds back nothing that comes before it', async () => {
    await log(pool, 'before');
    const late = await open();
    await late.log('late');
    await log(pool, 'after');
    expect(await read()).toEqual(['before']);
    expect(await read()).toEqual([]);
    await late.commit();
    expect(await read()).toEqual(['late', 'after']);
  });

  test('is read also where its transaction began to log before it had a number', async () => {
    const late = await open();
    await late.log('first');
    const other = await open();
    await other.log('second');
    await late.log('third');
    await late.commit();
    expect(await read()).toEqual(['first']);
    await log(pool, 'fourth');
    expect(await read()).toEqual([]);
    await other.commit();
    expect(await read()).toEqual(['second', 'third', 'fourth']);
  });

  test('is waited for however long, and whoever asks meanwhile', async () => {
    const late = await open();
    await late.log('late');
    for (const note of ['a', 'b', 'c']) {
      await log(pool, note);
      expect([await read(), await read(1)]).toEqual([[], []]);
    }
    await late.commit();
    expect(await read(2)).toEqual(['late', 'a']);
    expect(await read(2)).toEqual(['b', 'c']);
  });
});

describe('a number that never comes', () => {
  test('is passed over once its transaction was rolled back', async () => {
    const undone = await open();
    await undone.log('undone');
    await log(pool, 'kept');
    expect(await read()).toEqual([]);
    await undone.rollback();
    expect(await read()).toEqual(['kept']);
  });

  test('is passed over where its session was cut', async () => {
    const cut = await open();
    await cut.log('cut');
    await log(pool, 'kept');
    expect(await read()).toEqual([]);
    const { rows } = await cut.client.query<{ pid: number }>('select pg_backend_pid() as pid');
    cut.client.on('error', () => {});
    await pool.query('select pg_terminate_backend($1, 10000)', [rows[0]?.pid]);
    cut.client.release(true);
    expect(await read()).toEqual(['kept']);
  });

  test('is passed over at once where nobody is logging', async () => {
    await pool.query(`select nextval(pg_get_serial_sequence('events', 'seq')) from generate_series(1, 40)`);
    await log(pool, 'kept');
    expect(await read()).toEqual(['kept']);
  });

  test('is not waited for because of transactions that began to log after it was missed', async () => {
    const undone = await open();
    await undone.log('undone');
    await log(pool, 'kept');
    expect(await read()).toEqual([]);
    const busy = await open();
    await busy.log('busy');
    await undone.rollback();
    expect(await read()).toEqual(['kept']);
    await busy.commit();
    expect(await read()).toEqual(['busy']);
  });
});

describe('a reader', () => {
  test('that crashes before it commits gets the same events again', async () => {
    await log(pool, 'a');
    const crash = transaction(pool, 'write', async (tx) => {
      expect(notesOf((await readOutbox(tx, reader, 10)).events)).toEqual(['a']);
      throw new Error('of the test');
    });
    await expect(crash).rejects.toThrow('of the test');
    expect(await read()).toEqual(['a']);
  });

  test('has a place of its own, which begins with the first event', async () => {
    const note = randomUUID();
    await log(pool, note);
    const other = randomUUID();
    while (!(await read(1000, other)).includes(note));
    expect(await read(100, other)).toEqual([]);
    expect(await read()).toEqual([note]);
  });

  test('that two transactions read for at once gives each event to one of them', async () => {
    await log(pool, 'a');
    await transaction(pool, 'write', async (tx) => {
      expect(notesOf((await readOutbox(tx, reader, 10)).events)).toEqual(['a']);
      expect(await read()).toEqual([]);
    });
    expect(await read()).toEqual([]);
  });

  test('gets events as they are stored, with whom they are about; each part can be told from that', async () => {
    const [taskId, agentId, ownerId] = [randomUUID(), randomUUID(), randomUUID()];
    const data = { status: 'failed', amount: 5 };
    const event = { type: 'task.failed', district: 'tasks', at: new Date(0), correlationId: 'c', data } as const;
    await appendEvent(pool, { ...event, taskId, agentId, ownerId });
    const { events } = await transaction(pool, 'write', (tx) => readOutbox(tx, reader, 1));
    expect(events).toMatchObject([{ type: 'task.failed', taskId, agentId, ownerId, data }]);
    const told = expandEvents(events);
    expect(told).toMatchObject([
      { type: 'credits.released', district: 'vault', taskId, agentId, ownerId, data: { amount: 5 } },
      { type: 'task.failed', district: 'tasks', taskId, agentId, ownerId, data: { status: 'failed' } },
    ]);
    expect(new Set(told.map(({ id }) => id)).size).toBe(2);
  });
});

test('under writers that commit, linger and roll back, two servers read each event once and in order', async () => {
  const committed = new Set<string>();
  let writing = true;
  const write = async (nth: number) => {
    for (let turn = 0; turn < 60; turn++) {
      const tx = await open();
      const notes = Array.from({ length: 1 + ((nth + turn) % 3) }, (_, part) => `${nth}.${turn}.${part}`);
      for (const note of notes) await tx.log(note);
      if ((nth + turn) % 4 === 0) await tx.linger((nth * turn) % 7);
      if ((nth * turn) % 5 === 4) await tx.rollback();
      else {
        await tx.commit();
        for (const note of notes) committed.add(note);
      }
    }
  };
  const seen: { seq: number; note: string }[] = [];
  const follow = async () => {
    for (let last = false; !last; ) {
      last = !writing;
      for (let more = true; more; ) {
        await transaction(pool, 'write', async (tx) => {
          const { events } = await readOutbox(tx, reader, 7);
          more = events.length > 0;
          // Inside the transaction, so that the order is that in which they were read.
          seen.push(...events.map(({ seq, data }) => ({ seq, note: data.note as string })));
        });
      }
    }
  };
  const following = [follow(), follow()];
  await Promise.all(Array.from({ length: 8 }, (_, nth) => write(nth)));
  writing = false;
  await Promise.all(following);
  // What one of them read when the other asked for the last time.
  await follow();
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).sort((a, b) => a - b));
  expect(seen.map(({ note }) => note).sort()).toEqual([...committed].sort());
});
