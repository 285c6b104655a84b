import { type OperatingHours, weekdays } from '@agora-market/contract';
import { minuteMs } from '../../platform/index.ts';

const dayMinutes = 24 * 60;
const weekMinutes = 7 * dayMinutes;
/** Clocks are put forward and back on whole quarters of an hour, in every time zone of today. */
const quarterMs = 15 * minuteMs;

/** Making a format costs some 50 µs, so they are kept; there are some 600 zones. */
const formats = new Map<string, Intl.DateTimeFormat>();
const mostFormats = 1_000;

function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone);
  if (known !== undefined) return known;
  if (formats.size >= mostFormats) formats.clear();
  const made = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  formats.set(timeZone, made);
  return made;
}

/** The minute of the week that clocks in a zone show, from Monday 00:00 on. */
function localMinute(timeZone: string, at: Date): number {
  const parts = formatOf(timeZone).formatToParts(at);
  const part = (type: string) => parts.find((each) => each.type === type)?.value ?? '';
  const day = weekdays.indexOf(part('weekday').toLowerCase() as (typeof weekdays)[number]);
  return day * dayMinutes + Number(part('hour')) * 60 + Number(part('minute'));
}

const minutesOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));

/** How far each opening is behind, and how long it lasts, in minutes of the week. */
function openings({ days, from, to }: OperatingHours, minute: number) {
  const start = minutesOf(from);
  const length = (minutesOf(to) - start + dayMinutes) % dayMinutes || dayMinutes;
  return days.map((day) => {
    const since = minute - weekdays.indexOf(day) * dayMinutes - start;
    return { since: (since + weekMinutes) % weekMinutes, length };
  });
}

/**
 * Whether a time is within the hours, as the clocks of their zone show it. An hour that is left out in spring is not
 * waited for, and one that comes twice in autumn counts twice. `to` equal to `from` is the 24 hours from then.
 */
export const isOpen = (hours: OperatingHours, at: Date): boolean =>
  openings(hours, localMinute(hours.timeZone, at)).some(({ since, length }) => since < length);

/** Until when the answer of `isOpen` surely stays: the next begin or end, or the next quarter, when clocks may jump. */
export function staysUntil(hours: OperatingHours, at: Date): Date {
  const next = openings(hours, localMinute(hours.timeZone, at)).map(({ since, length }) =>
    since < length ? length - since : weekMinutes - since,
  );
  const minute = Math.floor(at.getTime() / minuteMs) * minuteMs;
  const quarter = Math.floor(at.getTime() / quarterMs) * quarterMs + quarterMs;
  return new Date(Math.min(quarter, minute + Math.min(...next) * minuteMs));
}
