import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agora } from '@agora-market/sdk';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Peer, shared, startPeer } from './peer.ts';
import { hireToFix, refusalOf, serverForFile } from './scene.ts';

/** A sandbox starts where there is room. Each of two servers has one place, and every call comes in at the first. */

// Ties between servers with as much room are drawn.
const server = serverForFile({ config: { ...shared, SANDBOX_MAX_LIVE: 1 }, random: Math.random });
let peer: Peer;
beforeAll(async () => {
  peer = await startPeer(server);
});
afterAll(() => peer?.close());

const full = '503 SANDBOX_UNAVAILABLE';
const begun: { end(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const { end } of begun.splice(0)) await end();
});

/** A task whose agent works through the first server. */
async function task() {
  const { pair, id, uuid } = await hireToFix(server);
  const at = (url: string) => new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
  const agora = at(server.url);
  const one = {
    ...{ id, uuid, agora, there: at(peer.url) },
    run: async (command = 'cat state.txt') => (await agora.sandbox.exec(id, { command })).data.stdout,
    refusal: () => refusalOf(agora.sandbox.exec(id, { command: 'echo begun > state.txt' })),
    /** Where the sandbox is that it had last. */
    async holder() {
      const { rows } = await server.pool.query(
        `select h.address from sandboxes s join hosts h on h.id = s.host
         where s.task_id = $1 and s.status <> 'failed' order by s.id desc limit 1`,
        [uuid],
      );
      return rows[0]?.address;
    },
    /** Both servers let go of what they have of it. */
    async end() {
      await agora.tasks.fail(id, { reason: 'The test is over' }).catch(() => undefined);
      for (const { app } of [server, peer]) await app.run('tasks.clearEnded');
    },
  };
  begun.push(one);
  return one;
}

/** A task whose sandbox is at the server that it came to. */
async function atTheFirst() {
  const one = await task();
  expect(await one.refusal()).toBe('no refusal');
  expect(await one.holder()).toBe(server.url);
  return one;
}

/** One that found no room there. How much the other has is told with its heartbeat. */
async function atTheSecond() {
  const one = await task();
  await expect.poll(one.refusal).toBe('no refusal');
  expect(await one.holder()).toBe(peer.url);
  return one;
}

/** Resolves when the first server has heard how much room the second one has, by two heartbeats of its own. */
async function heard(room: number, meanwhile: () => Promise<unknown> = async () => undefined): Promise<void> {
  const looks = async () => {
    await meanwhile();
    const { rows } = await server.pool.query(
      `select a.beats::int as beats from hosts a, hosts b where a.address = $1 and b.address = $2 and b.room = $3`,
      [server.url, peer.url, room],
    );
    return rows[0]?.beats ?? 0;
  };
  await expect.poll(looks).toBeGreaterThan(0);
  const before = await looks();
  await expect.poll(looks).toBeGreaterThan(before + 1);
}

describe('a start at a server without room', () => {
  test('is passed on to one that has some, where every later call finds the sandbox', async () => {
    await atTheFirst();
    const { run, id, agora, there, uuid } = await atTheSecond();
    expect(await run('cat state.txt; echo more >> state.txt')).toBe('begun\n');
    expect((await there.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('begun\nmore\n');
    expect((await agora.sandbox.provision(id)).data.sandboxId).toBe((await there.sandbox.get(id)).data.sandboxId);
    const { rows } = await server.pool.query('select status from sandboxes where task_id = $1', [uuid]);
    expect(rows).toEqual([{ status: 'ready' }]);
  });

  test('that comes several times at once has one sandbox, and each call is served by it', async () => {
    const third = await startPeer(server);
    onTestFinished(() => third.close());
    await atTheFirst();
    const { refusal, uuid } = await task();
    const seen = new Set<string>();
    // Until the first server has heard of the others.
    await expect
      .poll(async () => {
        const outcomes = new Set(await Promise.all(Array.from({ length: 6 }, refusal)));
        for (const each of outcomes) seen.add(each);
        return [...outcomes];
      })
      .toEqual(['no refusal']);
    expect([full, 'no refusal']).toEqual(expect.arrayContaining([...seen]));
    const { rows } = await server.pool.query(
      `select count(*)::int as n from sandboxes where task_id = $1 and status = 'ready'`,
      [uuid],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('is refused where nobody has room, and served as soon as somebody has', async () => {
    await atTheFirst();
    const second = await atTheSecond();
    const third = await task();
    expect(await third.refusal()).toBe(full);
    expect(await refusalOf(third.agora.sandbox.provision(third.id))).toBe(full);
    expect(await refusalOf(third.there.sandbox.provision(third.id))).toBe(full);
    await second.end();
    await expect.poll(third.refusal).toBe('no refusal');
    expect(await third.holder()).toBe(peer.url);
  });

  test('stays where its work is kept on a disk, which is not lost for it', async () => {
    const first = await atTheFirst();
    server.clock.advance(server.config.SANDBOX_LIFETIME_MS);
    await server.app.sweep();
    const other = await atTheFirst();
    expect(await refusalOf(first.agora.sandbox.exec(first.id, { command: 'true' }))).toBe(full);
    expect(await refusalOf(first.agora.sandbox.provision(first.id))).toBe(full);
    expect(await refusalOf(first.there.sandbox.provision(first.id))).toBe(full);
    await other.end();
    expect(await first.run()).toBe('begun\n');
    expect(await first.holder()).toBe(server.url);
  });

  test('goes on elsewhere when the server is taken for dead that was asked first', async () => {
    await atTheFirst();
    const second = await atTheSecond();
    const third = await task();
    // Or it would be asked as well, and not once more.
    await heard(0);
    let asked = 0;
    // As a suspended process does: the system takes the connection, and nobody answers.
    const suspended = createServer(() => void asked++).listen(0, '127.0.0.1');
    onTestFinished(() => {
      suspended.closeAllConnections();
      suspended.close();
    });
    await once(suspended, 'listening');
    const address = `http://127.0.0.1:${(suspended.address() as AddressInfo).port}`;
    const { rows } = await server.pool.query(
      `insert into hosts (id, store, process, address, secret_mark, objects_mark, started_at, beat_at, room)
       select gen_random_uuid(), gen_random_uuid(), 'another', $1, secret_mark, objects_mark, now(), now(), 5
       from hosts where ended_at is null limit 1 returning id`,
      [address],
    );
    const beat = () => server.pool.query('update hosts set beats = beats + 1 where id = $1', [rows[0].id]);
    let last = Promise.resolve('');
    // It lives until it has been asked, for which the first server must have heard of it.
    const isAsked = async () => {
      await beat();
      let isOver = false;
      last = third.refusal().finally(() => {
        isOver = true;
      });
      await expect.poll(() => isOver || asked > 0).toBe(true);
      return asked;
    };
    await expect.poll(isAsked).toBe(1);
    const ended = second.end();
    await heard(1, beat);
    await ended;
    // From here on it is silent.
    expect(await last).toBe('no refusal');
    expect(asked).toBe(1);
    expect(await third.holder()).toBe(peer.url);
  });
});
