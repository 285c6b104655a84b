import { scheduleLimits } from '@agora-market/contract';
import { Cron } from 'croner';
import { invalidField, minuteMs } from '../platform/index.ts';

/** Times that one day of the least distance between runs has. */
const mostInADay = (24 * 60) / scheduleLimits.leastMinutes;

/**
 * Read as Vixie cron does. At a change of the clock, a time that does not exist is the first one after the gap, and one that
 * there is twice is the first of the two; minutes or hours with `*` go by the time that passes.
 */
const read = (cron: string, timeZone: string): Cron =>
  new Cron(cron, { mode: '5-part', timezone: timeZone, fixedTimeRule: 'no-wildcard' });

/** The next times after one; none if there are none. */
export const nextTimes = (cron: string, timeZone: string, after: Date, count: number): Date[] =>
  read(cron, timeZone).nextRuns(count, after);

/** When the calendar month of a time began in a time zone. */
export function monthStart(timeZone: string, at: Date): Date {
  // The start itself is in its month.
  const [start] = read('0 0 1 * *', timeZone).previousRuns(1, new Date(at.getTime() + 1_000));
  if (start === undefined) throw new Error(`no month of ${timeZone} has begun`);
  return start;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const daysOfMonth = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** The most days that one of the months of a field has; 31 where the field is none that this reads. */
function mostDays(months: string): number {
  const most = months.split(',').map((item) => {
    const [from, to = from] = item
      .split('-')
      .map((one) => monthNames.indexOf(one.toLowerCase()) + 1 || (/^\d+$/.test(one) ? Number(one) : Number.NaN));
    const days = from && to && from <= to ? daysOfMonth.slice(from - 1, to) : [];
    return days.length > 0 ? Math.max(...days) : 31;
  });
  return Math.max(...most);
}

/** Whether no month of those has any of the days, as 30 February: the search for such a time would take long. */
function neverComes(cron: string): boolean {
  const [, , days = '*', months = '*', weekday = '*'] = cron.trim().split(/ +/);
  // Else the days of the week come besides.
  if (!/^([*?]$|\+)/.test(weekday)) return false;
  const first = Math.min(...days.split(',').map((item) => Number(/^\d+/.exec(item)?.[0] ?? 1)));
  return first > mostDays(months);
}

/** Refuses what is no schedule, never comes, or comes too often; gives the next times. */
export function requireTimes(cron: string, timeZone: string, after: Date, count: number): Date[] {
  if (neverComes(cron)) throw invalidField('cron', 'never comes');
  let times: Date[];
  try {
    times = nextTimes(cron, timeZone, after, count);
  } catch (error) {
    throw invalidField('cron', `cannot be read: ${wordsOf(error)}`);
  }
  if (times.length === 0) throw invalidField('cron', 'never comes');
  const { leastMinutes } = scheduleLimits;
  if (leastGapMs(cron) < leastMinutes * minuteMs)
    throw invalidField('cron', `must leave at least ${leastMinutes} minutes between two runs`);
  return times;
}

const wordsOf = (error: unknown): string => (error as Error).message.replace(/^Cron\w+: /, '');

/** The least time between two runs on days that follow each other: minutes and hours are the same on all. */
function leastGapMs(cron: string): number {
  const [minute, hour] = cron.split(/ +/);
  const daily = nextTimes(`${minute} ${hour} * * *`, 'UTC', new Date(0), mostInADay + 2);
  return Math.min(...daily.slice(1).map((time, at) => time.getTime() - (daily[at] as Date).getTime()));
}
