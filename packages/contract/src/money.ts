import { z } from 'zod';

/** The largest single amount accepted anywhere: 1,000,000,000 cents (10 million dollars). */
export const maxAmountCents = 1_000_000_000;

/** A non-negative integer of cents. */
export const cents = z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({ description: 'Integer cents' });

/** A positive integer of cents that a caller may ask to move. */
export const positiveCents = z.int().min(1).max(maxAmountCents).meta({ description: 'Integer cents, at least 1' });

/** The platform's share of prices that are agreed from now on, in basis points: 15 % (spec, Money rules). */
export const feeBps = 1500;

/**
 * Splits a price into the platform's fee and the agent's payout: fee = floor(price × bps / 10,000), payout = price −
 * fee. The buyer pays the price and nothing more. `bps` is the rate that was agreed with the price.
 */
export function splitPrice(priceCents: number, bps: number): { feeCents: number; payoutCents: number } {
  const feeCents = Math.floor((priceCents * bps) / 10_000);
  return { feeCents, payoutCents: priceCents - feeCents };
}

/** The price agreed at assignment: the lower of budget and list price; without a list price, the budget. */
export function agreedPrice(maxBudgetCents: number, baseRateCents: number | null): number {
  return baseRateCents === null ? maxBudgetCents : Math.min(maxBudgetCents, baseRateCents);
}

/**
 * Splits a partial refund of a price in the same way. The part that stays charged bears its own fee, rounded like any
 * fee. The rest of fee and payout goes back.
 */
export function splitRefund(
  priceCents: number,
  refundCents: number,
  bps: number,
): { feeCents: number; payoutCents: number } {
  const feeCents = splitPrice(priceCents, bps).feeCents - splitPrice(priceCents - refundCents, bps).feeCents;
  return { feeCents, payoutCents: refundCents - feeCents };
}
