import { expect, test } from 'vitest';
import { createFairSemaphore } from './fair-semaphore.ts';

/** Work that ends when it is told to. */
function desk(total: number, ownersShare?: number) {
  const slots = createFairSemaphore(total, ownersShare);
  const begun: string[] = [];
  const endings = new Map<string, () => void>();
  const queue = (name: string, owner: string | string[], share = 1, isUrgent = false, signal?: AbortSignal) =>
    slots(
      share,
      () =>
        new Promise<void>((resolve) => {
          begun.push(name);
          endings.set(name, resolve);
        }),
      owner,
      isUrgent,
      signal,
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

test('what is small goes by a large share that waits, but not for ever', async () => {
  const { queue, begun, end } = desk(4);
  void queue('a', 'one', 3);
  void queue('large', 'two', 100);
  for (let nth = 1; nth <= 20; nth += 1) void queue(`small-${nth}`, `owner-${nth}`, 1);
  await end('');
  expect(begun).toEqual(['a', 'small-1']);
  for (const name of begun) await end(name);
  // Eight have gone by; then room is kept.
  expect(begun.slice(0, 10)).toEqual(['a', ...[1, 2, 3, 4, 5, 6, 7, 8].map((nth) => `small-${nth}`), 'large']);
  for (const name of begun) await end(name);
  expect(begun).toHaveLength(22);
});

test('what is small goes by a large share of the same owner, but not for ever', async () => {
  const { queue, begun, end } = desk(8, 4);
  void queue('a', 'one', 3);
  void queue('large', 'one', 4);
  for (let nth = 1; nth <= 20; nth += 1) void queue(`small-${nth}`, 'one', 1);
  await end('');
  for (const name of begun) await end(name);
  expect(begun.slice(0, 10)).toEqual(['a', ...[1, 2, 3, 4, 5, 6, 7, 8].map((nth) => `small-${nth}`), 'large']);
  expect(begun).toHaveLength(22);
});

test('work has a share of its first owner and half a share of the others, and waits for either alone', async () => {
  const { queue, begun, end } = desk(100, 4);
  for (let nth = 1; nth <= 6; nth += 1) void queue(`hog-${nth}`, ['buyer', 'seller']);
  await end('');
  expect(begun).toEqual(['hog-1', 'hog-2', 'hog-3', 'hog-4']);
  for (let nth = 1; nth <= 6; nth += 1) void queue(`more-${nth}`, ['second', 'seller']);
  void queue('elsewhere', ['second', 'other']);
  await end('');
  // The seller has four halves more; the buyer's work for somebody else does not stand behind the rest.
  expect(begun.slice(4)).toEqual(['more-1', 'more-2', 'more-3', 'more-4']);
  await end('more-1');
  await end('more-2');
  expect(begun.slice(8)).toEqual(['more-5', 'more-6']);
  await end('more-3');
  expect(begun.slice(10)).toEqual(['elsewhere']);
});

test('work that waits for one of its owners holds up no other work of the first', async () => {
  const { queue, begun, end } = desk(100, 2);
  for (const nth of [1, 2]) void queue(`a-${nth}`, ['one', 'seller']);
  for (const nth of [1, 2]) void queue(`b-${nth}`, ['two', 'seller']);
  void queue('waits', ['three', 'seller']);
  void queue('goes', ['three', 'other']);
  await end('');
  expect(begun).toEqual(['a-1', 'a-2', 'b-1', 'b-2', 'goes']);
});

test('who leaves the queue is not run, and keeps no room from others; what runs goes on', async () => {
  const { queue, begun, end } = desk(2);
  const leaving = new AbortController();
  const running = queue('runs', 'one', 1, false, leaving.signal);
  const refused = expect(queue('leaves', 'two', 2, false, leaving.signal)).rejects.toThrow('gone');
  for (let nth = 1; nth <= 9; nth += 1) {
    void queue(`small-${nth}`, 'three');
    await end(`small-${nth - 1}`);
  }
  expect(begun.at(-1)).toBe('small-8');
  leaving.abort(new Error('gone'));
  await refused;
  await end('small-8');
  expect(begun.at(-1)).toBe('small-9');
  await end('runs');
  await running;
  await expect(queue('late', 'two', 1, false, leaving.signal)).rejects.toThrow('gone');
});

test('what fails gives its place back', async () => {
  const slots = createFairSemaphore(1);
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
