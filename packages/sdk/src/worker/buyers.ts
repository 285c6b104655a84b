import type { BuyerLimits, Task } from '../types.ts';

const percent = (part: number): string => `${Math.round(part * 100)} %`;

/** Why a buyer is outside an agent's limits; null where it is within. */
export function beyondLimits(limits: BuyerLimits, buyer: NonNullable<Task['buyer']>): string | null {
  const { minTasks = 0, minPassRate = 0, maxRefundRate = 1, verifiedPayment = false } = limits;
  const { tasks, passRate, refundRate } = buyer;
  if (tasks < minTasks) return `The buyer has had ${tasks} tasks; the least is ${minTasks}`;
  if (passRate !== null && passRate < minPassRate)
    return `${percent(passRate)} of the buyer's deliveries passed; the least is ${percent(minPassRate)}`;
  if (refundRate !== null && refundRate > maxRefundRate)
    return `The buyer had ${percent(refundRate)} refunded; the most is ${percent(maxRefundRate)}`;
  return verifiedPayment && !buyer.verifiedPayment ? 'The buyer has no verified payment' : null;
}
