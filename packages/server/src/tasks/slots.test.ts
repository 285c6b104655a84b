import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

/** Work that ends when it is told to. */
function desk(total: number, ownersShare?: number) {
  const slots = createSlots(total, ownersShare);
  const begun: string[] = [];
  const endings = new Map<string, () => void>();
  const queue = (name: string, owner: string, share = 1, isUrgent = false) =>
    slots(
      share,
      () =>
        new Promise<void>((resolve) => {
          begun.push(name);
          endings.set(name, resolve);
        }),
      owner,
      isUrgent,
    );
  const end = async (name: string) => {
    endings.get(name)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { queue, begun, end };
}

test('an owner who queues much keeps nobody waiting longer than one turn', async () => {
  const { queue, begun, end } = desk(1);
  for (const n of [1, 2, 3, 4]) void queue(`greedy-${n}`, 'greedy');
  void queue('modest-1', 'modest');
  void queue('other-1', 'other');
  for (let turn = 0; turn < 6; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    await end(begun.at(-1) ?? '');
  }
  expect(begun).toEqual(['greedy-1', 'greedy-2', 'modest-1', 'other-1', 'greedy-3', 'greedy-4']);
});

test('no more runs than fits, a large share is not passed by for ever, and what fails gives its place back', async () => {
  const { queue, begun, end } = desk(4);
  void queue('a', 'one', 3);
  void queue('large', 'two', 100);
  void queue('b', 'three', 1);
  await end('');
  expect(begun).toEqual(['a']);
  await end('a');
  expect(begun).toEqual(['a', 'large']);
  await end('large');
  expect(begun).toEqual(['a', 'large', 'b']);
  const slots = createSlots(1);
  await expect(slots(1, () => Promise.reject(new Error('failed')), 'one')).rejects.toThrow('failed');
  expect(await slots(1, async () => 'served', 'two')).toBe('served');
});

test('an owner has no more than its share at once, however much is free, and what is urgent goes before its other work', async () => {
  const { queue, begun, end } = desk(3, 1);
  for (const n of [1, 2]) void queue(`greedy-${n}`, 'greedy');
  for (const n of [1, 2]) void queue(`urgent-${n}`, 'greedy', 1, true);
  void queue('modest-1', 'modest');
  await end('');
  expect(begun).toEqual(['greedy-1', 'modest-1']);
  for (const name of ['greedy-1', 'urgent-1', 'urgent-2']) await end(name);
  expect(begun).toEqual(['greedy-1', 'modest-1', 'urgent-1', 'urgent-2', 'greedy-2']);
});
