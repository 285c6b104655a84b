import type { Notice } from './texts.ts';

/** What is told of an agent once a day, and counted: by kind and agent, the notification that counts. */
export type Daily = Record<string, Told>;

interface Told {
  /** UTC. */
  day: string;
  notificationId: string;
  times: number;
  cents: number;
}

/** The day's notification with one more told in it; of the first, the one that it is to be. */
export function countIn(daily: Daily, { kind, agentId, at, cents }: Notice, newId: () => string): Told {
  const [key, day] = [`${kind} ${agentId}`, at.slice(0, 10)];
  const before = daily[key]?.day === day ? daily[key] : { day, notificationId: newId(), times: 0, cents: 0 };
  const told = { ...before, times: before.times + 1, cents: before.cents + cents };
  daily[key] = told;
  return told;
}

/** Without the days before the last one that something was told of, so that it does not grow. */
export function lately(daily: Daily): Daily {
  const last = Object.values(daily)
    .map(({ day }) => day)
    .sort()
    .at(-1);
  return Object.fromEntries(Object.entries(daily).filter(([, { day }]) => day === last));
}
