import { expect, test } from 'vitest';
import { freeAt } from './gate-cpu.ts';

const at = (hour: number) => new Date(Date.UTC(2026, 10, 21, hour));
const spent = (...hours: [hour: number, cpuMs: number][]) =>
  hours.map(([hour, cpuMs]) => ({ hour: at(hour).toISOString(), cpuMs }));

test.each([
  ['the only hour', spent([3, 100]), 27],
  ['an hour that alone is past the limit', spent([1, 10], [5, 300], [9, 10]), 29],
  ['as many hours as it takes', spent([1, 30], [2, 30], [3, 60], [4, 60]), 27],
  ['one hour of many small ones', spent([1, 60], [2, 30], [3, 60]), 25],
])('an owner has an allowance again a window after %s', (_, hours, freeHour) => {
  expect(freeAt(hours, 100)).toBe(at(freeHour).getTime());
});
