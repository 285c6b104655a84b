import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import { type Clock, type Hub, systemClock } from '../../src/platform/index.ts';

/** Hubs that belong together, each of a process of its own or all of one. */
export interface HubGroup {
  hubs: Hub[];
  close(): Promise<void>;
}

/** Without the moment in which processes that say hello are gathered: each look is done when it was asked for. */
export const atOnce: Clock = {
  ...systemClock,
  after(_, act) {
    act();
    return () => {};
  },
};

/** Counts the wake-ups of a topic. */
export function wakes(hub: Hub, topic: string) {
  const heard = vi.fn();
  hub.subscribe(topic, heard);
  return heard;
}

/** The promises of every hub. `open` gives three that know of each other. */
export function hubConformance(open: () => Promise<HubGroup>): void {
  async function three() {
    const { hubs, close } = await open();
    onTestFinished(close);
    return hubs as [Hub, Hub, Hub];
  }

  test('a topic wakes all who wait for it, wherever they are, once, and the own process at once', async () => {
    const hubs = await three();
    const elsewhere = hubs.map((hub) => wakes(hub, 'task:2'));
    const last = hubs.map((hub) => wakes(hub, 'task:3'));
    const heard = hubs.map((hub) => wakes(hub, 'task:1'));
    hubs[0].notify(['task:1']);
    expect(heard[0]).toHaveBeenCalledTimes(1);
    hubs[0].notify(['task:3']);
    // What comes after it has been heard.
    for (const each of last) await expect.poll(() => each.mock.calls.length).toBe(1);
    for (const each of heard) expect(each).toHaveBeenCalledTimes(1);
    for (const each of elsewhere) expect(each).not.toHaveBeenCalled();
  });

  test('whoever listens no more is not woken', async () => {
    const hubs = await three();
    const gone = vi.fn();
    const stays = wakes(hubs[1], 'task:1');
    const leave = hubs[1].subscribe('task:1', gone);
    expect(hubs[1].waiting()).toBeGreaterThan(1);
    leave();
    leave();
    hubs[0].notify(['task:1']);
    await expect.poll(() => stays.mock.calls.length).toBe(1);
    expect(gone).not.toHaveBeenCalled();
  });

  test('all topics that begin alike can be overheard, wherever they are named, until one listens no more', async () => {
    const hubs = await three();
    const heard = vi.fn();
    const leave = hubs[1].overhear('task:', heard);
    const last = wakes(hubs[1], 'last:1');
    hubs[0].notify(['task:1', 'agent:1']);
    hubs[0].notify(['task:2', 'last:1']);
    await expect.poll(() => last.mock.calls.length).toBe(1);
    expect(heard.mock.calls.flat().filter((topic) => topic !== null)).toEqual(['task:1', 'task:2']);
    leave();
    hubs[0].notify(['task:3', 'last:1']);
    await expect.poll(() => last.mock.calls.length).toBe(2);
    expect(heard).not.toHaveBeenCalledWith('task:3');
  });

  test('thousands of topics at once arrive, all of them, from all sides', async () => {
    const hubs = await three();
    const topics = Array.from({ length: 3_000 }, () => `task:${randomUUID()}`);
    const heard = hubs.map((hub) => topics.map((topic) => wakes(hub, topic)));
    for (const [nth, topic] of topics.entries()) hubs[nth % 3]?.notify([topic]);
    for (const each of heard) {
      await expect.poll(() => each.filter(({ mock }) => mock.calls.length === 1).length).toBe(topics.length);
    }
  });
}

/** The promises of hubs that reach other processes, beyond those of every hub. `cut` ends the line of each. */
export function sharedHubConformance(
  open: () => Promise<HubGroup & { join(): Promise<Hub & { close(): Promise<void> }>; cut(): Promise<unknown> }>,
): void {
  test('after a lost line everybody looks at what may have been missed, and hears again', async () => {
    const { hubs, cut, close } = await open();
    onTestFinished(close);
    const heard = hubs.map((hub) => wakes(hub, 'task:1'));
    await cut();
    for (const each of heard) await expect.poll(() => each.mock.calls.length).toBeGreaterThan(0);
    for (const each of heard) each.mockClear();
    const timesHeard = () => {
      hubs[0]?.notify(['task:1']);
      return Math.min(...heard.slice(1).map((each) => each.mock.calls.length));
    };
    await expect.poll(timesHeard, { interval: 200 }).toBeGreaterThan(0);
  });

  test('when a process joins, it and the others look', async () => {
    const { hubs, join, close } = await open();
    onTestFinished(close);
    const heard = hubs.map((hub) => wakes(hub, 'task:1'));
    const joined = await join();
    const there = wakes(joined, 'task:1');
    for (const each of [...heard, there]) await expect.poll(() => each.mock.calls.length).toBeGreaterThan(0);
    await joined.close();
  });
}
