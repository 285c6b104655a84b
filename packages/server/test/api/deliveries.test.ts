import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFairSemaphore, systemClock } from '../../src/platform/index.ts';
import { createDeliveries, placesOnDisk } from '../../src/tasks/index.ts';
import { day, hire, hireAndStart, makePair, pass, serverForFile } from './scene.ts';

const task = '0192f0c1-0000-7000-8000-00000000000a';
const another = '0192f0c1-0000-7000-8000-00000000000b';
/** Larger than any process id the kernel gives out. */
const nobody = 2 ** 22 + 1;

describe('kept deliveries', () => {
  let dataDir: string;
  let dir: string;
  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'agora-deliveries-'));
    dir = join(dataDir, 'deliveries');
    await mkdir(dir);
  });
  afterEach(() => rm(dataDir, { recursive: true, force: true }));
  const open = async () => {
    const places = await placesOnDisk(dataDir, 'here', systemClock);
    return createDeliveries(places.deliveries, { note: async () => {} });
  };

  test('are found again after a start; other files in the directory are no tasks', async () => {
    await open().then((deliveries) => deliveries.keep(task, Buffer.from('work')));
    await mkdir(join(dir, 'lost+found'));
    await writeFile(join(dir, 'notes.txt'), 'x');
    const deliveries = await open();
    expect(deliveries.list()).toEqual([task]);
    expect(String(await deliveries.read(task))).toBe('work');
    expect([await deliveries.size(task), await deliveries.size(another)]).toEqual([4, null]);
    await deliveries.drop(task);
    expect([deliveries.list(), await deliveries.read(task)]).toEqual([[], null]);
    expect(await readdir(join(dataDir, 'archives'))).toEqual([task]);
  });

  test('a start removes partial files of dead processes and old ones, but not one that is being written', async () => {
    const [dead, old, written] = [`${task}.${nobody}.4.7`, `${task}.${process.pid}.5`, `${another}.${process.pid}.6`];
    for (const name of [dead, old, written]) await writeFile(join(dir, name), 'half');
    await utimes(join(dir, old), 1, 1);
    const deliveries = await open();
    expect(await readdir(dir)).toEqual([written]);
    expect(deliveries.list()).toEqual([]);
  });

  test('a failed write leaves no partial file, and a failed removal is retried', async () => {
    const deliveries = await open();
    await deliveries.keep(task, Buffer.from('work'));
    // A directory in its place can be neither replaced by a file nor removed as one.
    for (const id of [task, another]) {
      await rm(join(dir, id), { force: true });
      await mkdir(join(dir, id, 'full'), { recursive: true });
    }
    await expect(deliveries.keep(another, Buffer.from('work'))).rejects.toThrow();
    expect((await readdir(dir)).sort()).toEqual([task, another]);
    // Nor can it be moved to where the archives were.
    await rm(join(dataDir, 'archives'), { recursive: true });
    await writeFile(join(dataDir, 'archives'), 'x');
    await expect(deliveries.drop(task)).rejects.toThrow();
    expect(deliveries.list()).toEqual([task]);
  });
});

describe('slots', () => {
  test('let through what fits together, what is small past what is too large for now, and what is larger than all alone', async () => {
    const slots = createFairSemaphore(4);
    const running: string[] = [];
    const ends: Record<string, () => void> = {};
    const work = (name: string, share: number) =>
      slots(share, async () => {
        running.push(name);
        await new Promise<void>((resolve) => {
          ends[name] = resolve;
        });
        running.splice(running.indexOf(name), 1);
        if (name === 'fails') throw new Error('failed');
      });
    const all = [work('a', 2), work('fails', 2), work('huge', 9), work('b', 1)];
    const settled = Promise.allSettled(all);
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    await turn();
    expect(running).toEqual(['a', 'fails']);
    ends.fails?.();
    await turn();
    expect(running).toEqual(['a', 'b']);
    ends.a?.();
    await turn();
    expect(running).toEqual(['b']);
    ends.b?.();
    await turn();
    expect(running).toEqual(['huge']);
    ends.huge?.();
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  });
});

describe('the sweep', () => {
  const server = serverForFile();

  test('does every other job when one fails, and the failed one later', async () => {
    const pair = await makePair(server);
    const ended = await hireAndStart(pair, { input: { description: 'Erase me', code: 'x' } });
    await pair.agent.agora.tasks.fail(ended.id, { reason: 'cannot' });
    const { id } = await hire(pair);
    // Without this function no task can be ended.
    await server.pool.query('alter function tasks_finish rename to tasks_finish_away');
    await pass(server, day);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('submitted');
    expect((await pair.buyer.agora.tasks.get(ended.id)).input).toEqual({ description: 'Erase me' });
    await server.pool.query('alter function tasks_finish_away rename to tasks_finish');
    await pass(server, 0);
    expect((await pair.buyer.agora.tasks.get(id)).status).toBe('failed');
  });
});
