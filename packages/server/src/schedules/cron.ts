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

/** Refuses what is no schedule, never comes, or comes too often; gives the next times. */
export function requireTimes(cron: string, timeZone: string, after: Date, count: number): Date[] {
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
