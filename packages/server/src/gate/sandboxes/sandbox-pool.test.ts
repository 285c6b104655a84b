import { describe, expect, test } from 'vitest';
import { type Sandbox, SandboxError } from '../../sandbox/index.ts';
import { type Content, createSandboxPool, type Layout } from './sandbox-pool.ts';

/** Places for so many sandboxes, as a busy server has them. */
function machine(places: number) {
  const live = new Set<string>();
  const laid: string[] = [];
  let opened = 0;
  const openSandbox = async () => {
    if (live.size >= places) throw new SandboxError('SANDBOX_UNAVAILABLE', 'none left');
    opened += 1;
    const id = `box ${opened}`;
    live.add(id);
    return { id, destroy: async () => void live.delete(id) } as unknown as Sandbox;
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
  const supplyFor = (...plan: Layout[]) => {
    const supply = createSandboxPool({ openSandbox, lay });
    supply.expect(plan);
    return supply;
  };
  return { live, laid, opened: () => opened, openSandbox, supplyFor, tests, before, check };
}

describe('the sandboxes of a gate run', () => {
  test('are made ready one ahead, with all that the next command is run over', async () => {
    const { supplyFor, tests, before, check, laid, opened } = machine(10);
    const supply = supplyFor(tests, before, check);
    expect(await supply.take(tests)).toMatchObject({ sandbox: { id: 'box 1' }, holds: 'nothing' });
    supply.lookAhead();
    supply.lookAhead();
    expect(await supply.take(before)).toMatchObject({ sandbox: { id: 'box 2' }, holds: 'all' });
    expect([laid, opened()]).toEqual([['originals in box 2', 'before in box 2'], 2]);
    await supply.close();
  });

  test('are not given to another command over the same content', async () => {
    const { supplyFor, tests, before, check } = machine(10);
    const supply = supplyFor(before, check, tests);
    await supply.take(before);
    supply.lookAhead();
    expect(await supply.take(tests)).toMatchObject({ holds: 'nothing' });
    expect(await supply.take(check)).toMatchObject({ holds: 'all' });
    await supply.close();
  });

  test('are not wasted on what is not ahead', async () => {
    const { supplyFor, tests, opened } = machine(10);
    const supply = supplyFor(tests);
    await supply.take(tests);
    supply.lookAhead();
    await supply.close();
    expect(opened()).toBe(1);
  });

  test('serve again when nothing was run in them', async () => {
    const { supplyFor, tests, check, opened } = machine(10);
    const supply = supplyFor(check);
    const { sandbox } = await supply.take(tests);
    supply.giveBack(sandbox);
    expect(await supply.take(check)).toEqual({ sandbox, holds: 'content' });
    expect(opened()).toBe(1);
  });

  test('need no more than one place where there is no more', async () => {
    const { supplyFor, tests, before, check, live } = machine(1);
    const supply = supplyFor(tests, check, before);
    const first = await supply.take(tests);
    supply.lookAhead();
    await first.sandbox.destroy();
    const second = await supply.take(check);
    await second.sandbox.destroy();
    supply.lookAhead();
    // The one that was made ready for the originals stands in the place that is needed now.
    expect(await supply.take(tests)).toMatchObject({ holds: 'nothing' });
    expect(live.size).toBe(1);
  });

  test('are all ended at the close, those too that nobody took', async () => {
    const { supplyFor, tests, before, live } = machine(10);
    const supply = supplyFor(tests, before);
    const { sandbox } = await supply.take(tests);
    supply.lookAhead();
    supply.giveBack(sandbox);
    await supply.close();
    await expect.poll(() => live.size).toBe(0);
  });

  test.each(['lay', 'prepare'] as const)(
    'that could not be made ready (%s) are left to the one who asks',
    async (step) => {
      const { openSandbox, tests, check, live } = machine(10);
      const fail = () => Promise.reject(new SandboxError('TOO_LARGE', 'too large'));
      const supply = createSandboxPool({ openSandbox, lay: step === 'lay' ? fail : async () => {} });
      const wanted = step === 'prepare' ? { ...check, prepare: fail } : check;
      supply.expect([tests, wanted]);
      await supply.take(tests);
      supply.lookAhead();
      expect(await supply.take(wanted)).toMatchObject({ holds: 'nothing' });
      await expect.poll(() => live.size).toBe(2);
    },
  );
});
