import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts';
import { createHub } from '../hub.ts';
import { createLog } from '../log.ts';
import { createSharedHub, inParts, notifyAtCommit, type SharedHub } from './notify.ts';

const hubs: SharedHub[] = [];
const databases: TestDatabase[] = [];
afterEach(async () => {
  await Promise.all(hubs.splice(0).map((hub) => hub.close()));
  await Promise.all(databases.splice(0).map((database) => database.drop()));
});

/** The hubs of so many processes on one database, all knowing of each other. */
async function processes(count: number) {
  const database = await createTestDatabase();
  databases.push(database);
  const made = Array.from({ length: count }, () => createSharedHub(createHub(), database.url, createLog('silent')));
  hubs.push(...made);
  await expect.poll(() => made.map((hub) => hub.peers())).toEqual(made.map(() => count - 1));
  return { database, made };
}

/** Counts the wake-ups of a topic. */
function wakes(hub: SharedHub, topic: string) {
  const heard = vi.fn();
  hub.subscribe(topic, heard);
  return heard;
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

describe('wake-ups', () => {
  test('reach every other process, each topic alone, and the own one at once', async () => {
    const { made } = await processes(3);
    const [mine, other, third] = made.map((hub) => wakes(hub, 'task:1'));
    const elsewhere = made.map((hub) => wakes(hub, 'task:2'));
    made[0]?.notify(['task:1']);
    expect(mine).toHaveBeenCalledTimes(1);
    await expect.poll(() => [other, third].map((each) => each?.mock.calls.length)).toEqual([1, 1]);
    // The own process does not hear itself, and nobody hears of what was not named.
    expect(mine).toHaveBeenCalledTimes(1);
    for (const each of elsewhere) expect(each).not.toHaveBeenCalled();
  });

  test('thousands at once arrive, all of them, in payloads that PostgreSQL takes', async () => {
    const { made } = await processes(2);
    const topics = Array.from({ length: 3_000 }, () => `task:${randomUUID()}`);
    const heard = topics.map((topic) => wakes(made[1] as SharedHub, topic));
    for (const topic of topics) made[0]?.notify([topic]);
    await expect.poll(() => heard.every((each) => each.mock.calls.length === 1)).toBe(true);
    const payloads = inParts(topics).map((part) => Buffer.byteLength(part.join('\n')));
    expect(payloads.length).toBeGreaterThan(1);
    expect(Math.max(...payloads)).toBeLessThan(7_950);
  });

  test('one process alone sends nothing', async () => {
    const { database, made } = await processes(1);
    const listener = new pg.Client({ connectionString: database.url });
    await listener.connect();
    await expect.poll(async () => await sessions(database.url, 'count')).toBe(1);
    const heard: string[] = [];
    listener.on('notification', ({ payload = '' }) => heard.push(payload));
    await listener.query('listen agora');
    made[0]?.notify(['task:1']);
    // What comes after it has been heard, and it has not.
    await listener.query(`select pg_notify('agora', 'somebody\nhello')`);
    await expect.poll(() => heard.length).toBe(2);
    expect(heard[0]).toBe('somebody\nhello');
    expect(heard[1]).toMatch(/^\w{12}\nhere$/);
    await listener.end();
  });

  test('of an ordinary transaction come with its commit, to the own process too, and never without', async () => {
    const { database, made } = await processes(2);
    const heard = made.map((hub) => wakes(hub, 'task:1'));
    const undone = made.map((hub) => wakes(hub, 'task:2'));
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    await client.query('begin');
    await notifyAtCommit(client, ['task:2']);
    await client.query('rollback');
    await client.query('begin');
    await notifyAtCommit(client, ['task:1']);
    for (const each of heard) expect(each).not.toHaveBeenCalled();
    await client.query('commit');
    await expect.poll(() => heard.map((each) => each.mock.calls.length)).toEqual([1, 1]);
    for (const each of undone) expect(each).not.toHaveBeenCalled();
    await client.end();
  });
});

describe('a lost connection', () => {
  test('is opened again, and everybody looks at what may have been missed', async () => {
    const { database, made } = await processes(2);
    const heard = made.map((hub) => wakes(hub, 'task:1'));
    expect(await sessions(database.url, 'cut')).toBe(2);
    await expect.poll(() => heard.every((each) => each.mock.calls.length > 0)).toBe(true);
    for (const each of heard) each.mockClear();
    const timesHeard = () => {
      made[0]?.notify(['task:1']);
      return heard[1]?.mock.calls.length;
    };
    await expect.poll(timesHeard, { interval: 200 }).toBeGreaterThan(0);
  });

  test('a process that joins makes the others look, and one that leaves is told no more', async () => {
    const { database, made } = await processes(1);
    const heard = wakes(made[0] as SharedHub, 'task:1');
    const joined = createSharedHub(createHub(), database.url, createLog('silent'));
    const heardThere = wakes(joined, 'task:1');
    await expect.poll(() => [heard, heardThere].every((each) => each.mock.calls.length > 0)).toBe(true);
    await expect.poll(() => made[0]?.peers()).toBe(1);
    await joined.close();
    await expect.poll(() => made[0]?.peers()).toBe(0);
  });

  test('a hub of a database that is not there closes all the same', async () => {
    const hub = createSharedHub(createHub(), 'postgres://nobody@127.0.0.1:1/none', createLog('silent'));
    const heard = wakes(hub, 'task:1');
    hub.notify(['task:1']);
    expect(heard).toHaveBeenCalledTimes(1);
    await hub.close();
  });
});
