import { expect, test } from 'vitest';
import { createFairSemaphore } from './fair-semaphore.ts';

test('who queues much makes nobody’s turn dearer: ten times as many cost ten times as much, not a hundred times', () => {
  const cpuMs = (many: number) => {
    const slots = createFairSemaphore(4, 2);
    const before = process.cpuUsage();
    for (let nth = 0; nth < many; nth += 1) void slots(1, () => new Promise(() => {}), ['greedy', `other-${nth % 50}`]);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  cpuMs(2_000);
  expect(cpuMs(20_000)).toBeLessThan(30 * cpuMs(2_000) + 50);
});
