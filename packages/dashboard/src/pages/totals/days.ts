import type { Reply } from '@agora-market/sdk';
import type { Day } from '../vault/daily.ts';

type Totals = Reply<'tasks.totals'>;
export type Group = Totals['groups'][number];

const dayMs = 86_400_000;
const two = (part: number) => String(part).padStart(2, '0');

/** A day of the reader's calendar, as `2026-11-30`. */
export const dayKey = (at: Date): string => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;

/** What the tasks of a day cost or earned. */
export interface KeyedDay extends Day {
  key: string;
}

/** Every day from one to another, also those on which nothing was submitted, with what is counted of a day's tasks. */
export function everyDay(
  groups: readonly Group[],
  from: Date,
  to: Date,
  amountOf: (group: Group) => number,
): KeyedDay[] {
  const amounts = new Map(groups.map((group) => [group.key, amountOf(group)]));
  const days: KeyedDay[] = [];
  // At noon, so that no change of the clock moves it to another day.
  const at = new Date(from.getFullYear(), from.getMonth(), from.getDate(), 12);
  for (; dayKey(at) <= dayKey(to); at.setDate(at.getDate() + 1)) {
    const key = dayKey(at);
    days.push({ at: at.getTime(), key, cents: amounts.get(key) ?? 0 });
  }
  return days;
}

/** Whole days whose mean the forecast goes on with. */
export const paceDays = 14;

export interface Month {
  /** Cents of tasks submitted since the first. */
  soFar: number;
  /** Cents by the end of the month, at the pace of the last whole days; null before there is one with a task. */
  forecast: number | null;
}

/** The days that are given end today. */
export function monthOf(days: readonly KeyedDay[], today: Date): Month {
  const first = dayKey(new Date(today.getFullYear(), today.getMonth(), 1));
  const sum = (some: readonly KeyedDay[]) => some.reduce((total, { cents }) => total + cents, 0);
  const soFar = sum(days.filter(({ key }) => key >= first));
  const whole = days.filter(({ key }) => key < dayKey(today)).slice(-paceDays);
  const begun = whole.slice(whole.findIndex(({ cents }) => cents > 0));
  if (!whole.some(({ cents }) => cents > 0)) return { soFar, forecast: null };
  const end = new Date(today.getFullYear(), today.getMonth() + 1, 1);
  const daysLeft = (end.getTime() - today.getTime()) / dayMs;
  return { soFar, forecast: Math.round(soFar + (sum(begun) / begun.length) * daysLeft) };
}
