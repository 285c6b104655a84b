import { describe, expect, it } from 'vitest';
import { TEST_LIMITS, until } from '../../test/support/sandbox/limits.ts';
import { OutputTail } from './agent/output-tail.ts';
import type { Sandbox, SandboxDriver, SandboxUsage } from './driver.ts';
import { Quota } from './quota.ts';
import { Sandboxes } from './sandboxes.ts';
import { WARM_AGE_MS } from './warm-pool.ts';

/** Who gets which sandbox and when one is paused, with a driver of empty shells. */
function house(options: { warm: number; maxLive?: number; cannotStart?: boolean; driver?: 'kubernetes' }) {
  const started: string[] = [];
  const ended: string[] = [];
  const paused = new Set<string>();
  const endings = new Map<string, () => void>();
  const used: SandboxUsage = { cpuMs: 0, diskBytes: 0 };
  let now = 1_000_000;
  let hold: Promise<void> = Promise.resolve();
  let endsFail = false;
  const driver: SandboxDriver = {
    name: options.driver ?? 'bwrap',
    probe: async () => ({ available: true, enforcement: { limits: 'enforced', notes: [] }, node: null }),
    reclaim: async () => {},
    async create(id, _limits, start) {
      started.push(id);
      const { signal } = start ?? {};
      await Promise.race([hold, new Promise((_resolve, refuse) => signal?.addEventListener('abort', refuse))]);
      if (options.cannotStart) throw new Error('no');
      let close = () => {};
      const closed = new Promise<void>((resolve) => {
        close = resolve;
      });
      const destroy = async () => {
        ended.push(id);
        if (endsFail) throw new Error('the API is away');
        close();
      };
      const usage = async () => ({ ...used });
      const pause = async () => void paused.add(id);
      const resume = async () => void paused.delete(id);
      const ending = new AbortController();
      endings.set(id, () => ending.abort());
      const { signal: announced } = ending;
      return {
        id,
        limits: TEST_LIMITS,
        ending: announced,
        closed,
        destroy,
        usage,
        pause,
        resume,
      } as unknown as Sandbox;
    },
  };
  const clock = { now: () => new Date(now) };
  const quota = { cpuMs: 1_000, diskBytes: 500, resumes: 2 };
  const limits = { limits: TEST_LIMITS, lifetimeMs: 1e9, maxLive: options.maxLive ?? 100 };
  const sandboxes = new Sandboxes({ driver, clock, ...limits, warm: { bwrap: options.warm }, quota });
  const advance = (ms: number) => {
    now += ms;
  };
  const holdStarts = () => {
    let letGo = () => {};
    hold = new Promise((resolve) => {
      letGo = resolve;
    });
    return letGo;
  };
  const failEnds = (fail: boolean) => {
    endsFail = fail;
  };
  const announceEnd = (id: string) => endings.get(id)?.();
  return { sandboxes, started, ended, paused, used, advance, holdStarts, failEnds, announceEnd };
}

describe('sandboxes that stand ready', () => {
  it('are handed out once each, replaced in the background, and ended at the stop', async () => {
    const { sandboxes, started, ended } = house({ warm: 2 });
    await sandboxes.fill();
    expect(started).toEqual(['warm-1', 'warm-2']);
    const first = await sandboxes.create('a');
    const second = await sandboxes.create('b');
    expect([first.sandbox.id, second.sandbox.id]).toEqual(['warm-1', 'warm-2']);
    await until(async () => started.length === 4);
    await sandboxes.destroy('a');
    expect((await sandboxes.create('a')).sandbox.id).toBe('warm-3');
    await sandboxes.destroyAll();
    expect(new Set(ended)).toEqual(new Set(started));
    await sandboxes.fill();
    expect(started.length).toBe(ended.length);
  });

  it('never take the place of one that is wanted, nor go past the machine’s limit', async () => {
    const { sandboxes, started, ended, holdStarts } = house({ warm: 5, maxLive: 3 });
    await sandboxes.fill();
    expect(started).toHaveLength(3);
    for (const id of ['a', 'b', 'c']) expect((await sandboxes.create(id)).sandbox.id).toMatch(/^warm/);
    await sandboxes.fill();
    expect(started).toHaveLength(3);
    await expect(sandboxes.create('d')).rejects.toMatchObject({ code: 'SANDBOX_UNAVAILABLE' });
    await sandboxes.destroy('a');
    // The last place is being filled: who wants it waits for that one.
    const letGo = holdStarts();
    const filling = sandboxes.fill();
    const wanted = sandboxes.create('e');
    letGo();
    expect((await wanted).sandbox.id).toBe('warm-4');
    await filling;
    expect(started.length - ended.length).toBe(3);
    await sandboxes.destroyAll();
  });

  it('are not given to who asks for other limits, nor when they have ended', async () => {
    const { sandboxes } = house({ warm: 1 });
    await sandboxes.fill();
    const other = await sandboxes.create('other', { limits: { ...TEST_LIMITS, cpus: 2 } });
    expect(other.sandbox.id).toBe('other');
    const { sandbox } = await sandboxes.create('a');
    expect(sandbox.id).toBe('warm-1');
    await sandboxes.fill();
    await sandboxes.destroyAll();
  });

  it('are replaced when they have stood for long, and none so old is given to anybody', async () => {
    const { sandboxes, started, ended, advance } = house({ warm: 2 });
    await sandboxes.fill();
    advance(WARM_AGE_MS);
    expect((await sandboxes.create('a')).sandbox.id).toBe('warm-1');
    advance(1);
    expect((await sandboxes.create('b')).sandbox.id).toBe('b');
    expect(ended).toEqual(['warm-2']);
    await sandboxes.fill();
    advance(WARM_AGE_MS + 1);
    const before = [started.length, ended.length] as const;
    // Those of one age, one after the other.
    for (const times of [1, 2]) {
      await sandboxes.fill();
      expect([started.length, ended.length]).toEqual(before.map((count) => count + times));
    }
    await sandboxes.destroyAll();
  });

  it('end in the background when they are too old, though their end fails, and first where there is no room', async () => {
    const { sandboxes, ended, advance, failEnds } = house({ warm: 2, maxLive: 3 });
    await sandboxes.fill();
    advance(WARM_AGE_MS + 1);
    expect(sandboxes.hasReady({})).toBe(false);
    failEnds(true);
    expect((await sandboxes.create('a')).sandbox.id).toBe('a');
    expect(ended).toEqual(['warm-1', 'warm-2']);
    failEnds(false);
    await sandboxes.fill();
    advance(WARM_AGE_MS + 1);
    expect((await sandboxes.create('b')).sandbox.id).toBe('b');
    expect(ended).toEqual(['warm-1', 'warm-2', 'warm-4']);
    await sandboxes.destroyAll();
  });

  it('are given to nobody from when their end is known, and are replaced', async () => {
    const { sandboxes, ended, announceEnd } = house({ warm: 2 });
    await sandboxes.fill();
    announceEnd('warm-1');
    expect(ended).toEqual(['warm-1']);
    await sandboxes.fill();
    expect((await sandboxes.create('a')).sandbox.id).toBe('warm-2');
    announceEnd('warm-2');
    expect((await sandboxes.create('b')).sandbox.id).toBe('warm-3');
    // Whoever has it takes out its work first.
    expect(ended).toEqual(['warm-1']);
    await sandboxes.destroyAll();
  });

  it('are called off at the stop while they start, so that nobody waits for them', async () => {
    const { sandboxes, started, ended, holdStarts } = house({ warm: 1 });
    holdStarts();
    const filling = sandboxes.fill();
    await sandboxes.destroyAll();
    await filling;
    expect([started, ended]).toEqual([['warm-1'], []]);
  });

  it('are only those of the driver that runs', async () => {
    const { sandboxes, started } = house({ warm: 2, driver: 'kubernetes' });
    await sandboxes.fill();
    expect(started).toEqual([]);
  });

  it('that cannot be started are not tried again at once, and whoever asks learns why', async () => {
    const { sandboxes, started } = house({ warm: 2, cannotStart: true });
    await sandboxes.fill();
    await sandboxes.fill();
    expect(started).toEqual(['warm-1']);
    await expect(sandboxes.create('a')).rejects.toThrow('no');
  });
});

describe('a quota', () => {
  it('pauses what has used it up, and grants as much again at each resume, no more often than it may', async () => {
    const { sandboxes, used, paused } = house({ warm: 0 });
    await sandboxes.create('a', { hasQuota: true });
    await sandboxes.create('gate');
    used.cpuMs = 1_001;
    await sandboxes.sweep();
    expect([...paused]).toEqual(['a']);
    expect(sandboxes.pauseOf('a')).toMatchObject({ reason: 'cpu', resumesLeft: 2 });
    await sandboxes.resume('a');
    used.cpuMs = 2_000;
    await sandboxes.sweep();
    expect(sandboxes.pauseOf('a')).toBeUndefined();
    used.cpuMs = 2_100;
    await sandboxes.sweep();
    await sandboxes.resume('a');
    used.cpuMs = 9_000;
    await sandboxes.sweep();
    expect(sandboxes.pauseOf('a')).toMatchObject({ resumesLeft: 0 });
    await expect(sandboxes.resume('a')).rejects.toMatchObject({ code: 'PAUSED' });
    expect([...paused]).toEqual(['a']);
    await sandboxes.destroyAll();
  });

  it('of the disk leaves a minute to make room', () => {
    const quota = new Quota({ cpuMs: 0, diskBytes: 500, resumes: 2 });
    const full = { cpuMs: 1e9, diskBytes: 501 };
    const at = (ms: number) => new Date(ms);
    expect(quota.isExceeded({ ...full, diskBytes: 500 }, at(0))).toBe(false);
    expect(quota.isExceeded(full, at(0))).toBe(true);
    expect(quota.isExceeded(full, at(0))).toBe(false);
    quota.resume(full, at(1_000));
    expect(quota.isExceeded(full, at(60_999))).toBe(false);
    expect(quota.isExceeded(full, at(61_000))).toBe(true);
    expect(quota.pause?.reason).toBe('disk');
  });
});

describe('the tail of an output', () => {
  it('is its last bytes, whatever the pieces it came in', () => {
    for (const size of [1, 3, 7, 10, 23, 64]) {
      const tail = new OutputTail(10);
      let all = Buffer.alloc(0);
      for (let n = 0; n < 30; n++) {
        const piece = Buffer.from(Array.from({ length: (n * size) % 29 }, (_, at) => (n + at) % 256));
        tail.append(piece);
        all = Buffer.concat([all, piece]);
        const kept = Math.min(10, all.length);
        for (const after of [0, all.length - 3, all.length, all.length + 5]) {
          const { from, bytes } = tail.read(Math.max(0, after));
          expect(from).toBe(Math.max(all.length - kept, Math.min(Math.max(0, after), all.length)));
          expect(bytes.equals(all.subarray(from))).toBe(true);
        }
      }
    }
  });
});
