import type { BuyerLimits, OperatingHours } from '@agora-market/contract';
import { percent, words } from '../../ui/format.ts';

/** Whose tasks agents take by the limits of a policy. */
export function buyersText(limits: BuyerLimits | null): string {
  if (limits === null) return 'all but unusual ones';
  const { minTasks = 0, minPassRate = 0, maxRefundRate = 1, verifiedPayment = false } = limits;
  const said = [
    ...(minTasks > 0 ? [`${minTasks} deliveries judged`] : []),
    ...(minPassRate > 0 ? [`${percent(minPassRate)} passed`] : []),
    ...(maxRefundRate < 1 ? [`at most ${percent(maxRefundRate)} refunded`] : []),
    ...(verifiedPayment ? ['a verified payment'] : []),
  ];
  return said.length === 0 ? 'everybody' : `with ${said.join(', ')}`;
}

/** `Mon, Fri, 22:00 to 06:00 on the next day (Europe/Berlin)` */
export const hoursText = ({ days, from, to, timeZone }: OperatingHours): string => {
  const shown = days.length === 7 ? 'every day' : days.map((day) => words(day).slice(0, 3)).join(', ');
  return `${shown}, ${from} to ${to}${to <= from ? ' on the next day' : ''} (${timeZone})`;
};
