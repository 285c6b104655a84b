import { describe, expect, test } from 'vitest';
import { type Sandbox, SandboxError } from '../../sandbox/index.ts';
import { type Content, createSupply } from './supply.ts';

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
  return { live, laid, opened: () => opened, source: { openSandbox, lay } };
}

describe('the sandboxes of a gate run', () => {
  test('are made ready one ahead, with what the next command is run over', async () => {
    const { source, laid, opened } = machine(10);
    const supply = createSupply({ ...source, plan: ['delivery', 'originals', 'delivery'] });
    expect(await supply.take('delivery')).toMatchObject({ sandbox: { id: 'box 1' }, laid: false });
    supply.lookAhead();
    supply.lookAhead();
    expect(await supply.take('originals')).toMatchObject({ sandbox: { id: 'box 2' }, laid: true });
    expect([laid, opened()]).toEqual([['originals in box 2'], 2]);
    await supply.close();
  });

  test('are not wasted on what is not ahead', async () => {
    const { source, opened } = machine(10);
    const supply = createSupply({ ...source, plan: ['delivery'] });
    await supply.take('delivery');
    supply.lookAhead();
    await supply.close();
    expect(opened()).toBe(1);
  });

  test('serve again when nothing was run in them', async () => {
    const { source, opened } = machine(10);
    const supply = createSupply({ ...source, plan: ['delivery'] });
    const { sandbox } = await supply.take('delivery');
    supply.giveBack(sandbox);
    expect(await supply.take('delivery')).toEqual({ sandbox, laid: true });
    expect(opened()).toBe(1);
  });

  test('need no more than one place where there is no more', async () => {
    const { source, live } = machine(1);
    const supply = createSupply({ ...source, plan: ['delivery', 'delivery', 'originals'] });
    const first = await supply.take('delivery');
    supply.lookAhead();
    await first.sandbox.destroy();
    const second = await supply.take('delivery');
    await second.sandbox.destroy();
    supply.lookAhead();
    // The one that was made ready for the originals stands in the place that is needed now.
    expect(await supply.take('delivery')).toMatchObject({ laid: false });
    expect(live.size).toBe(1);
  });

  test('are all ended at the close, those too that nobody took', async () => {
    const { source, live } = machine(10);
    const supply = createSupply({ ...source, plan: ['delivery', 'originals'] });
    const { sandbox } = await supply.take('delivery');
    supply.lookAhead();
    supply.giveBack(sandbox);
    await supply.close();
    await expect.poll(() => live.size).toBe(0);
  });

  test('that could not be laid are left to the one who asks for them', async () => {
    const { source, live } = machine(10);
    const lay = () => Promise.reject(new SandboxError('TOO_LARGE', 'too large'));
    const supply = createSupply({ ...source, lay, plan: ['delivery', 'delivery'] });
    await supply.take('delivery');
    supply.lookAhead();
    expect(await supply.take('delivery')).toMatchObject({ laid: false });
    await expect.poll(() => live.size).toBe(2);
  });
});
