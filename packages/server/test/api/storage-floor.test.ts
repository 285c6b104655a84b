import { errorsOf, underTheFloor } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mountSmallDisk, type SmallDisk } from '../ops/small-disk.ts';
import { listed } from './artifacts-scene.ts';
import { allOperations, makeWorld, send } from './requests.ts';
import { goodOutput, hireAndStart, makePair, minute, pass, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const MIB = 1024 ** 2;

describe('while the disk has less free space than the floor', () => {
  const server = serverForFile();
  const table = underTheFloor as Record<string, string>;

  /** What takes away credentials that the other operations need comes last. */
  const spoils = (id: string) => ['auth.signOut', 'agents.rotateKey', 'agents.deactivate'].indexOf(id);

  test('every operation that adds data is refused, and no other is', async () => {
    const world = await makeWorld(server);
    const config = { ...server.config, STORAGE_FLOOR_BYTES: 1e15 };
    const { app, url } = await startSecondApp(server, { config });
    try {
      const refused: string[] = [];
      for (const row of [...allOperations].sort((a, b) => spoils(a.id) - spoils(b.id))) {
        const { status, code } = await send(row, world, { url });
        if (status === 503 && code === 'STORAGE_FULL') refused.push(row.id);
        expect(errorsOf(row)).toContain('STORAGE_FULL');
      }
      const listedSo = allOperations.filter(({ id }) => table[id] === 'refused').map(({ id }) => id);
      expect(refused.filter((id) => id !== 'system.ready').sort()).toEqual(listedSo.sort());
      expect(refused).toContain('system.ready');
    } finally {
      await app.close();
    }
  });

  test('each refusal says when to try again', async () => {
    const config = { ...server.config, STORAGE_FLOOR_BYTES: 1e15 };
    const { app, url } = await startSecondApp(server, { config });
    const body = JSON.stringify({ name: 'x', email: 'x@example.com', password: 'correct horse' });
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${url}/api/v1/auth/sign-up`, { method: 'POST', headers, body });
    expect([reply.status, reply.headers.get('retry-after')]).toEqual([503, '10']);
    await app.close();
  });
});

describe('an agent whose delivery finds no room', () => {
  let disk: SmallDisk;
  const config: Record<string, unknown> = { STORAGE_FLOOR_BYTES: 16 * MIB };
  beforeAll(async () => {
    disk = await mountSmallDisk(64);
    config.AGORA_DATA_DIR = disk.path;
  });
  const server = serverForFile({ config });
  afterAll(() => disk.remove());

  const until = (wanted: string, work: () => Promise<unknown>) => expect.poll(() => refusalOf(work())).toBe(wanted);

  test('is not to blame: its deadline moves, and it delivers when there is room', async () => {
    const pair = await makePair(server);
    const { tasks, sandbox } = pair.agent.agora;
    const { id } = await hireAndStart(pair, { deadlineMinutes: 5 });
    const late = await hireAndStart({ ...pair, agent: await pair.seller.agent() }, { deadlineMinutes: 5 });
    await sandbox.exec(id, { command: 'mkdir -p output; echo a haiku > output/haiku' });
    server.clock.advance(4 * minute);
    disk.fill();
    await until('503 STORAGE_FULL', () => tasks.complete(id, { output: goodOutput }));
    // What it has in its sandbox it can still work on; a new sandbox would need room.
    expect((await sandbox.exec(id, { command: 'cat output/haiku' })).data.stdout).toBe('a haiku\n');
    await pass(server, 2 * minute);
    expect(await tasks.get(id)).toMatchObject({ status: 'executing', deadline: '2026-11-21T12:19:00.000Z' });
    // One that was refused nothing had its time.
    expect(await pair.buyer.agora.tasks.get(late.id)).toMatchObject({ status: 'failed' });
    disk.free();
    await until('no refusal', () => tasks.complete(id, { output: goodOutput }));
    expect(await tasks.get(id)).toMatchObject({ status: 'completed', creditsCharged: 1000 });
    expect((await listed(pair, id)).map(({ path, dropped }) => [path, dropped])).toEqual([['haiku', null]]);
  });

  test('nor where it has not opened its sandbox yet', async () => {
    const pair = await makePair(server);
    const { tasks, sandbox } = pair.agent.agora;
    const { id } = await hireAndStart(pair, { deadlineMinutes: 5 });
    disk.fill();
    await until('503 STORAGE_FULL', () => server.client().system.ready());
    await until('503 STORAGE_FULL', () => sandbox.exec(id, { command: 'true' }));
    await pass(server, 6 * minute);
    expect((await tasks.get(id)).status).toBe('executing');
    disk.free();
    await until('no refusal', () => sandbox.exec(id, { command: 'true' }));
    expect((await tasks.complete(id, { output: goodOutput })).status).toBe('completed');
  });
});
