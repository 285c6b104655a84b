import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { atOnce, hubConformance, sharedHubConformance, wakes } from '../../../test/support/hub-conformance.ts';
import { manualClock } from '../clock.ts';
import { createLog } from '../log.ts';
import { createHub } from './hub.ts';
import { placeOfNats } from './nats-url.ts';
import { postgresWire } from './postgres-wire.ts';
import { createSharedHub, inParts } from './shared-hub.ts';
import type { Wire } from './wire.ts';

const silent = createLog('silent');

/** The hubs of so many processes on one database, all knowing of each other. */
async function processes(count = 3) {
  const database = await createTestDatabase();
  const join = async () => createSharedHub(postgresWire(database.url), silent, atOnce);
  const hubs = await Promise.all(Array.from({ length: count }, join));
  await expect.poll(() => hubs.map((hub) => hub.peers())).toEqual(hubs.map(() => count - 1));
  return {
    ...{ database, hubs, join },
    cut: () => sessions(database.url, 'cut'),
    async close() {
      await Promise.all(hubs.map((hub) => hub.close()));
      await database.drop();
    },
  };
}

async function sessions(url: string, action: 'count' | 'cut'): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const what = action === 'cut' ? 'pg_terminate_backend(pid)' : 'pid';
  const found = await client.query(
    `select ${what} from pg_stat_activity where datname = current_database() and (query = 'listen agora' or query like 'select pg_notify%')`,
  );
  await client.end();
  return found.rowCount ?? 0;
}

describe('within one process', () => {
  hubConformance(async () => {
    const hub = createHub();
    return { hubs: [hub, hub, hub], close: async () => {} };
  });
});

describe('through PostgreSQL', () => {
  hubConformance(processes);
  sharedHubConformance(processes);

  test('topics go in payloads that it takes', () => {
    const topics = Array.from({ length: 3_000 }, (_, nth) => `task:${nth}`.padEnd(41, '0'));
    const parts = inParts(topics, postgresWire('postgres://').maxPayload);
    expect(parts.flat()).toEqual(topics);
    expect(parts.length).toBeGreaterThan(1);
    expect(Math.max(...parts.map((part) => Buffer.byteLength(part.join('\n'))))).toBeLessThan(7_950);
  });

  test('one process alone sends nothing, nor does one that the others have left', async () => {
    const { database, hubs, join, close } = await processes(1);
    onTestFinished(close);
    const other = await join();
    await expect.poll(() => hubs[0]?.peers()).toBe(1);
    await other.close();
    await expect.poll(() => hubs[0]?.peers()).toBe(0);
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('listen agora');
    hubs[0]?.notify(['task:1']);
    // What comes after it has been heard, and it has not.
    await listener.query(`select pg_notify('agora', 'somebody\nhello')`);
    await expect.poll(() => heard.length).toBe(2);
    expect(heard[0]).toBe('somebody\nhello');
    expect(heard[1]).toMatch(/^\w{12}\nhere$/);
    await listener.end();
  });

  test('a hub of a database that is not there closes all the same', async () => {
    const hub = createSharedHub(postgresWire('postgres://nobody@127.0.0.1:1/none'), silent, atOnce);
    const heard = wakes(hub, 'task:1');
    hub.notify(['task:1']);
    expect(heard).toHaveBeenCalledTimes(1);
    await hub.close();
  });
});

test('of many processes that say hello at once everybody looks once', async () => {
  const clock = manualClock('2026-11-28T12:00:00Z');
  const sent: string[] = [];
  let heard: (payload: string) => void = () => {};
  const wire: Wire = {
    maxPayload: 100,
    async dial(ears) {
      heard = ears;
      const { promise: ended, resolve } = Promise.withResolvers<void>();
      return { ended, end: async () => resolve(), send: async (payload) => void sent.push(payload) };
    },
  };
  const hub = createSharedHub(wire, silent, clock);
  await expect.poll(() => sent.length).toBe(1);
  const woken = wakes(hub, 'task:1');
  for (const sender of ['one', 'two', 'three']) heard(`${sender}\nhello`);
  heard('four\nhere');
  expect(hub.peers()).toBe(4);
  expect(woken).not.toHaveBeenCalled();
  clock.advance(1_000);
  expect(woken).toHaveBeenCalledTimes(1);
  clock.advance(1_000);
  expect(woken).toHaveBeenCalledTimes(1);
  await hub.close();
});

describe('NATS_URL', () => {
  test.each([
    ['nats://one:4222', { servers: ['one:4222'], isTls: false }],
    ['tls://one,two:5000/', { servers: ['one', 'two:5000'], isTls: true }],
    ['nats://me:p%40ss:w@one', { servers: ['one'], isTls: false, user: 'me', pass: 'p@ss:w' }],
    ['nats://t0ken@[::1]:4222', { servers: ['[::1]:4222'], isTls: false, token: 't0ken' }],
  ])('%s is read', (url, place) => expect(placeOfNats(url)).toEqual(place));

  test.each([
    'http://one',
    'nats://',
    'nats://one,',
    'nats://one:port',
    'nats://me:%@one',
    'nats://one/path',
    'one:4222',
  ])('%s is refused', (url) => expect(placeOfNats(url)).toBeNull());
});
