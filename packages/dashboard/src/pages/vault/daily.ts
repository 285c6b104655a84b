import type { Movement } from './data.ts';

/** A day's end, or now, in ms, and the balance then in cents. */
export interface Day {
  at: number;
  cents: number;
}

export const daysShown = 30;

/**
 * Balances at the ends of the last days, in local time, from movements that stand newest first. `isCut`: there are
 * older movements, so days before the oldest one given are left out.
 */
export function dailyBalances(movements: readonly Movement[], nowCents: number, isCut: boolean, nowMs: number): Day[] {
  const oldest = movements.at(-1);
  const start = isCut && oldest ? Date.parse(oldest.createdAt) : Number.NEGATIVE_INFINITY;
  const days: Day[] = [];
  let next = 0;
  let cents = movements[0]?.balanceAfter ?? nowCents;
  for (let back = 0; back < daysShown; back++) {
    const end = new Date(nowMs);
    if (back > 0) {
      end.setDate(end.getDate() - back);
      end.setHours(23, 59, 59, 999);
    }
    for (; next < movements.length && Date.parse(movements[next]!.createdAt) > end.getTime(); next++) {
      cents = movements[next]!.balanceBefore;
    }
    if (end.getTime() < start) break;
    days.unshift({ at: end.getTime(), cents });
  }
  return days;
}
