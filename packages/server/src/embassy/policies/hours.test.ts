import type { OperatingHours } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { isOpen, staysUntil } from './hours.ts';

const berlin = (from: string, to: string, ...days: OperatingHours['days']): OperatingHours => ({
  timeZone: 'Europe/Berlin',
  days,
  from,
  to,
});
const at = (text: string) => new Date(`${text}:00.000Z`);

describe('hours of one day', () => {
  const office = berlin('09:00', '17:00', 'monday', 'friday');
  test.each([
    ['2026-11-23T07:59', false],
    ['2026-11-23T08:00', true],
    ['2026-11-23T15:59', true],
    ['2026-11-23T16:00', false],
    ['2026-11-24T10:00', false],
    ['2026-11-27T10:00', true],
    // In summer the same local time is an hour earlier.
    ['2026-07-06T07:00', true],
    ['2026-07-06T15:00', false],
  ])('at %s: %s', (time, open) => expect(isOpen(office, at(time))).toBe(open));
});

describe('hours past midnight belong to the day on which they begin', () => {
  const night = berlin('22:00', '06:00', 'sunday');
  test.each([
    ['2026-11-22T20:59', false],
    ['2026-11-22T21:00', true],
    // On Monday, in the next week.
    ['2026-11-23T04:59', true],
    ['2026-11-23T05:00', false],
    ['2026-11-23T22:00', false],
  ])('at %s: %s', (time, open) => expect(isOpen(night, at(time))).toBe(open));
});

test('hours that begin when they end last for a day', () => {
  const day = berlin('09:00', '09:00', 'monday');
  expect(isOpen(day, at('2026-11-24T07:59'))).toBe(true);
  expect(isOpen(day, at('2026-11-24T08:00'))).toBe(false);
});

describe('when clocks go forward, 02:00 to 03:00 (29 March 2026, 01:00 UTC)', () => {
  test.each<[string, string, string, boolean]>([
    ['02:15', '02:45', '2026-03-29T00:59', false],
    ['02:15', '02:45', '2026-03-29T01:00', false],
    ['01:30', '03:30', '2026-03-29T00:30', true],
    ['01:30', '03:30', '2026-03-29T01:29', true],
    ['01:30', '03:30', '2026-03-29T01:30', false],
  ])('%s to %s at %s: %s', (from, to, time, open) => expect(isOpen(berlin(from, to, 'sunday'), at(time))).toBe(open));
});

describe('when clocks go back, 03:00 to 02:00 (25 October 2026, 01:00 UTC)', () => {
  const twice = berlin('02:15', '02:45', 'sunday');
  test.each([
    ['2026-10-25T00:15', true],
    ['2026-10-25T00:45', false],
    ['2026-10-25T01:15', true],
    ['2026-10-25T01:45', false],
  ])('the hour that comes twice counts twice: at %s: %s', (time, open) => expect(isOpen(twice, at(time))).toBe(open));
});

test.each(['Europe/Berlin', 'Australia/Lord_Howe'])(
  'in %s an answer stays as long as it says, over a year with its changes of the clock',
  (timeZone) => {
    const hours: OperatingHours = { timeZone, days: ['monday', 'saturday', 'sunday'], from: '01:20', to: '02:40' };
    let [now, openMs] = [at('2026-01-01T00:00'), 0];
    while (now < at('2027-01-01T00:00')) {
      const next = staysUntil(hours, now);
      expect(next.getTime()).toBeGreaterThan(now.getTime());
      const last = new Date(next.getTime() - 1);
      if (isOpen(hours, now) !== isOpen(hours, last)) expect([now, isOpen(hours, now)]).toEqual([last, 'the same']);
      if (isOpen(hours, now)) openMs += next.getTime() - now.getTime();
      now = next;
    }
    // 156 or 157 openings of 80 minutes, but for those that a change of the clock cuts short or repeats.
    expect(Math.abs(openMs / 60_000 / 80 - 156.5)).toBeLessThan(2);
  },
);
