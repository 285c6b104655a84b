import { describe, expect, it } from 'vitest';
import { TEST_LIMITS } from '../../test/support/sandbox/limits.ts';
import { type Sandbox, type SandboxDriver, SandboxError } from './driver.ts';
import { createSandboxDriver } from './index.ts';
import { Sandboxes } from './sandboxes.ts';

/** A driver of empty shells, since this is about who lives how long and nothing else. */
function shells(started: Promise<void>) {
  const events: string[] = [];
  const driver: SandboxDriver = {
    name: 'bwrap',
    probe: async () => ({ available: true, enforcement: { limits: 'enforced', notes: [] }, node: null }),
    reclaim: async () => {},
    async create(id) {
      if (id === 'broken') throw new SandboxError('SANDBOX_UNAVAILABLE', 'no');
      await started;
      let close = () => {};
      const closed = new Promise<void>((resolve) => {
        close = resolve;
      });
      events.push(`start ${id}`);
      const destroy = async () => {
        events.push(`end ${id}`);
        close();
      };
      return { id, limits: TEST_LIMITS, closed, destroy } as unknown as Sandbox;
    },
  };
  return { driver, events };
}

function pool(options: { started?: Promise<void>; maxLive?: number } = {}) {
  let now = 1_000_000;
  const { driver, events } = shells(options.started ?? Promise.resolve());
  const clock = { now: () => new Date(now) };
  const limit = options.maxLive === undefined ? {} : { maxLive: options.maxLive };
  const sandboxes = new Sandboxes({ driver, clock, limits: TEST_LIMITS, lifetimeMs: 10_000, ...limit });
  return { sandboxes, events, advance: (ms: number) => (now += ms) };
}

describe('the live sandboxes', () => {
  it('start once for the same id, also when asked twice at once', async () => {
    const { sandboxes, events } = pool();
    const [first, second] = await Promise.all([sandboxes.create('a'), sandboxes.create('a')]);
    expect(first).toBe(second);
    expect(sandboxes.get('a')).toBe(first);
    expect(events).toEqual(['start a']);
  });

  it('are ended by the sweep when their time is over, and hidden from then on', async () => {
    const { sandboxes, events, advance } = pool();
    await sandboxes.create('short', { lifetimeMs: 5_000 });
    const { expiresAt } = await sandboxes.create('long', { lifetimeMs: 1e9 });
    expect(expiresAt.getTime()).toBe(1_010_000);
    advance(5_000);
    expect(sandboxes.get('short')).toBeUndefined();
    expect(await sandboxes.sweep()).toEqual(['short']);
    expect(events.at(-1)).toBe('end short');
    expect(sandboxes.size).toBe(1);
    advance(5_000);
    expect(await sandboxes.sweep()).toEqual(['long']);
    expect(sandboxes.size).toBe(0);
  });

  it('can be destroyed while still starting', async () => {
    const { promise: started, resolve: start } = Promise.withResolvers<void>();
    const { sandboxes, events } = pool({ started });
    const starting = sandboxes.create('a');
    const destroyed = sandboxes.destroy('a');
    start();
    await Promise.all([starting, destroyed]);
    expect(events).toEqual(['start a', 'end a']);
    expect(sandboxes.size).toBe(0);
  });

  it('are forgotten when they end by themselves or never start', async () => {
    const { sandboxes } = pool();
    const { sandbox } = await sandboxes.create('a');
    await sandbox.destroy();
    await sandbox.closed;
    expect(sandboxes.get('a')).toBeUndefined();
    await expect(sandboxes.create('broken')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    expect(sandboxes.size).toBe(0);
    await sandboxes.destroy('never there');
  });

  it('are limited in number', async () => {
    const { sandboxes } = pool({ maxLive: 2 });
    await Promise.all([sandboxes.create('a'), sandboxes.create('b')]);
    await expect(sandboxes.create('c')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await sandboxes.destroyAll();
    expect(sandboxes.size).toBe(0);
    await sandboxes.create('c');
  });
});

describe('the choice of a driver', () => {
  it('takes bwrap unless told otherwise, and never something weaker', async () => {
    expect(createSandboxDriver({ installationId: 'x' }).name).toBe('bwrap');
    const docker = createSandboxDriver({ installationId: 'x', driver: 'docker' });
    expect(await docker.probe()).toMatchObject({ available: false });
    await expect(docker.create('x', TEST_LIMITS)).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
  });
});
