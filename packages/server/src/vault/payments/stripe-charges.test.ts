import type Stripe from 'stripe';
import { expect, test } from 'vitest';
import { chargeOf } from './stripe-charges.ts';

const intent = (latest_charge: unknown) => ({ id: 'pi_1', status: 'succeeded', latest_charge }) as Stripe.PaymentIntent;

test('a charge says when Stripe has its money, if Stripe told that with it', () => {
  const told = chargeOf(intent({ balance_transaction: { available_on: 1_764_115_200 } }));
  expect(told).toEqual({ status: 'succeeded', ref: 'pi_1', availableAt: new Date('2025-11-26T00:00:00.000Z') });
  for (const charge of [null, 'ch_1', { balance_transaction: 'txn_1' }, { balance_transaction: null }])
    expect(chargeOf(intent(charge))).toEqual({ status: 'succeeded', ref: 'pi_1' });
});
