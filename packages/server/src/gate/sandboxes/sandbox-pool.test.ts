import { describe, expect, test } from 'vitest';
import { type Sandbox, SandboxError } from '../../sandbox/index.ts';
import { type Content, createSandboxPool, type Layout } from './sandbox-pool.ts';

/** Places for so many sandboxes, as a busy server has them. */
function machine(places: number) {
  const live = new Set<string>();
  const laid: string[] = [];
  const endings = new Map<string, () => void>();
  let opened = 0;
  const openSandbox = async () => {
    if (live.size >= places) throw new SandboxError('SANDBOX_UNAVAILABLE', 'none left');
    opened += 1;
    const id = `box ${opened}`;
    live.add(id);
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const destroy = async () => {
      live.delete(id);
      close();
    };
    const ending = new AbortController();
    endings.set(id, () => ending.abort());
    return { id, destroy, closed, ending: ending.signal } as unknown as Sandbox;
  };
  const lay = async (sandbox: Sandbox, content: Content) => void laid.push(`${content} in ${sandbox.id}`);
  const layout = (name: string, content: Content): Layout => {
    return { name, content, prepare: async (sandbox) => void laid.push(`${name} in ${sandbox.id}`) };
  };
  const [tests, before, check] = [
    layout('tests', 'delivery'),
    layout('before', 'originals'),
    layout('check', 'delivery'),
  ] as const;
  const poolFor = (...plan: Layout[]) => {
    const pool = createSandboxPool({ openSandbox, lay });
    pool.expect(plan);
    return pool;
  };
  const announceEnd = (id: string) => endings.get(id)?.();
  return { live, laid, opened: () => opened, openSandbox, announceEnd, poolFor, tests, before, check };
}

describe('the sandboxes of a gate run', () => {
  test('are made ready one ahead, with all that the next command is run over', async () => {
    const { poolFor, tests, before, check, laid, opened } = machine(10);
    const pool = poolFor(tests, before, check);
    expect(await pool.take(tests)).toMatchObject({ sandbox: { id: 'box 1' }, holds: 'nothing' });
    pool.lookAhead();
    pool.lookAhead();
    expect(await pool.take(before)).toMatchObject({ sandbox: { id: 'box 2' }, holds: 'all' });
    expect([laid, opened()]).toEqual([['originals in box 2', 'before in box 2'], 2]);
    await pool.close();
  });

  test('are not given to another command over the same content', async () => {
    const { poolFor, tests, before, check } = machine(10);
    const pool = poolFor(before, check, tests);
    const { sandbox } = await pool.take(before);
    pool.lookAhead();
    await sandbox.destroy();
    expect(await pool.take(tests)).toMatchObject({ holds: 'nothing' });
    expect(await pool.take(check)).toMatchObject({ holds: 'all' });
    await pool.close();
  });

  test('are not wasted on what is not ahead', async () => {
    const { poolFor, tests, opened } = machine(10);
    const pool = poolFor(tests);
    await pool.take(tests);
    pool.lookAhead();
    await pool.close();
    expect(opened()).toBe(1);
  });

  test('serve again when nothing was run in them', async () => {
    const { poolFor, tests, check, opened } = machine(10);
    const pool = poolFor(check);
    const { sandbox } = await pool.take(tests);
    pool.giveBack(sandbox);
    expect(await pool.take(check)).toEqual({ sandbox, holds: 'content' });
    expect(opened()).toBe(1);
  });

  test('serve nobody from when their end is known', async () => {
    const { poolFor, tests, check, announceEnd, live } = machine(10);
    const pool = poolFor(tests, check);
    const { sandbox } = await pool.take(tests);
    pool.lookAhead();
    await expect.poll(() => live.size).toBe(2);
    announceEnd('box 2');
    expect(await pool.take(check)).toMatchObject({ sandbox: { id: 'box 3' }, holds: 'nothing' });
    pool.giveBack(sandbox);
    announceEnd('box 1');
    expect(await pool.take(tests)).toMatchObject({ sandbox: { id: 'box 4' }, holds: 'nothing' });
    expect([...live]).toEqual(['box 3', 'box 4']);
  });

  test('wait for one that is ending, so that two live at once', async () => {
    const { poolFor, tests, before, check, live } = machine(10);
    const pool = poolFor(tests, check);
    const { sandbox } = await pool.take(tests);
    pool.lookAhead();
    const third = pool.take(before);
    await Promise.resolve();
    expect(live.size).toBe(2);
    await sandbox.destroy();
    expect(await third).toMatchObject({ holds: 'nothing' });
    expect(live.size).toBe(2);
    await pool.close();
  });

  test('need no more than one place where there is no more', async () => {
    const { poolFor, tests, before, check, live } = machine(1);
    const pool = poolFor(tests, check, before);
    const first = await pool.take(tests);
    pool.lookAhead();
    await first.sandbox.destroy();
    const second = await pool.take(check);
    await second.sandbox.destroy();
    pool.lookAhead();
    // The one that was made ready for the originals stands in the place that is needed now.
    expect(await pool.take(tests)).toMatchObject({ holds: 'nothing' });
    expect(live.size).toBe(1);
  });

  test('are all ended at the close, those too that nobody took', async () => {
    const { poolFor, tests, before, live } = machine(10);
    const pool = poolFor(tests, before);
    const { sandbox } = await pool.take(tests);
    pool.lookAhead();
    pool.giveBack(sandbox);
    await pool.close();
    await expect.poll(() => live.size).toBe(0);
  });

  test.each(['lay', 'prepare'] as const)(
    'that could not be made ready (%s) are left to the one who asks',
    async (step) => {
      const { openSandbox, tests, check, live } = machine(10);
      const fail = () => Promise.reject(new SandboxError('TOO_LARGE', 'too large'));
      const pool = createSandboxPool({ openSandbox, lay: step === 'lay' ? fail : async () => {} });
      const wanted = step === 'prepare' ? { ...check, prepare: fail } : check;
      pool.expect([tests, wanted]);
      await pool.take(tests);
      pool.lookAhead();
      expect(await pool.take(wanted)).toMatchObject({ holds: 'nothing' });
      await expect.poll(() => live.size).toBe(2);
    },
  );
});
