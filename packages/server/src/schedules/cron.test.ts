import { describe, expect, test } from 'vitest';
import { monthStart, nextTimes, requireTimes } from './cron.ts';

const next = (cron: string, zone: string, after: string, count = 3) =>
  nextTimes(cron, zone, new Date(after), count).map((time) => time.toISOString());

describe('where the clock changes', () => {
  test('a time that does not exist is the first one after the gap', () => {
    expect(next('30 2 * * *', 'Europe/Berlin', '2027-03-27T12:00:00Z', 2)).toEqual([
      '2027-03-28T01:00:00.000Z',
      '2027-03-29T00:30:00.000Z',
    ]);
    expect(next('0 0 * * *', 'America/Sao_Paulo', '2018-11-03T12:00:00Z', 1)).toEqual(['2018-11-04T03:00:00.000Z']);
  });

  test('a time that there is twice is the first of the two, also one of a list', () => {
    for (const cron of ['30 2 * * *', '30 2,20 * * *']) {
      const times = next(cron, 'Europe/Berlin', '2027-10-30T19:00:00Z');
      expect(times.filter((at) => at.startsWith('2027-10-31T0'))).toEqual(['2027-10-31T00:30:00.000Z']);
    }
  });

  test('hours with a star go by the time that passes', () => {
    expect(next('0 * * * *', 'Europe/Berlin', '2027-10-30T23:30:00Z', 4)).toEqual([
      '2027-10-31T00:00:00.000Z',
      '2027-10-31T01:00:00.000Z',
      '2027-10-31T02:00:00.000Z',
      '2027-10-31T03:00:00.000Z',
    ]);
  });
});

test('a month begins at midnight of its time zone, and its first moment is in it', () => {
  const of = (zone: string, at: string) => monthStart(zone, new Date(at)).toISOString();
  expect(of('Europe/Berlin', '2027-04-15T12:00:00.000Z')).toBe('2027-03-31T22:00:00.000Z');
  expect(of('Europe/Berlin', '2027-03-31T22:00:00.000Z')).toBe('2027-03-31T22:00:00.000Z');
  expect(of('Europe/Berlin', '2027-03-31T21:59:59.000Z')).toBe('2027-02-28T23:00:00.000Z');
  expect(of('Pacific/Auckland', '2027-01-01T00:00:00.000Z')).toBe('2026-12-31T11:00:00.000Z');
});

test('a day that none of its months has is refused, and one that comes seldom is not', () => {
  const of = (cron: string) => requireTimes(cron, 'UTC', new Date('2026-11-30T00:00:00Z'), 1)[0]?.toISOString();
  for (const cron of ['0 0 30 2 *', '0 0 31W 2,4,6,9,11 *', '0 0 31 apr,jun *', '0 0 30-31 FEB +1', '0 0 31/2 4-4 ?'])
    expect(() => of(cron), cron).toThrow(
      expect.objectContaining({ details: { fields: [{ path: 'cron', message: 'never comes' }] } }),
    );
  expect(of('0 0 29 2 *')).toBe('2028-02-29T00:00:00.000Z');
  expect(of('0 0 31 2,4,7 *')).toBe('2027-07-31T00:00:00.000Z');
  expect(of('0 0 30 2 1')).toBe('2027-02-01T00:00:00.000Z');
});
