import { describe, expect, test } from 'vitest';
import { everyDay as daysOf, type Group, monthOf } from './days.ts';

const group = (key: string, charged: number) => ({ key, name: null, tasks: 1, charged, held: 0, earned: null });
const everyDay = (groups: Group[], from: Date, to: Date) => daysOf(groups, from, to, ({ charged }) => charged);

describe('what tasks of each day cost', () => {
  test('has every day, also those without a task, over a change of the clock', () => {
    const days = everyDay([group('2026-03-29', 300)], new Date(2026, 2, 27), new Date(2026, 3, 2));
    expect(days.map(({ key, cents }) => [key, cents])).toEqual([
      ['2026-03-27', 0],
      ['2026-03-28', 0],
      ['2026-03-29', 300],
      ['2026-03-30', 0],
      ['2026-03-31', 0],
      ['2026-04-01', 0],
      ['2026-04-02', 0],
    ]);
  });

  test('is foreseen by the mean of the last whole days, and not by today', () => {
    const today = new Date(2026, 3, 21);
    const groups = [group('2026-04-11', 1_000), group('2026-04-20', 1_000), group('2026-04-21', 50)];
    const month = monthOf(everyDay(groups, new Date(2026, 2, 1), today), today);
    // Ten days since the first task cost 2,000 cents; ten days are left.
    expect(month).toEqual({ soFar: 2_050, forecast: 4_050 });
  });

  test('is not foreseen before a whole day had a task', () => {
    const today = new Date(2026, 3, 21, 18);
    const days = everyDay([group('2026-04-21', 50)], new Date(2026, 2, 1), today);
    expect(monthOf(days, today)).toEqual({ soFar: 50, forecast: null });
  });
});
