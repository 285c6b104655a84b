import Stripe from 'stripe';
import { type Books, seconds } from './books.ts';

export interface Delivery {
  /** Signed for another time than now. */
  signedAt?: Date;
  /** Signed with another secret than the endpoint's. */
  secret?: string;
  /** Changes the body after it was signed. */
  forge?: (body: string) => string;
}

export interface Deliveries {
  /** The request that would deliver an event. */
  sign(event: Stripe.Event, how?: Delivery): { headers: Record<string, string>; body: string };
  /** Sends one event to an address and answers with the status and the body of the reply. */
  deliver(to: string, event: Stripe.Event, how?: Delivery): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Takes all events that have not been taken; tests deliver them late, twice or in another order. */
  take(): Stripe.Event[];
}

/** Deliveries signed as Stripe signs them, at the moment and in the order that a test wants. */
export function webhookDeliveries(books: Books, webhookSecret: string): Deliveries {
  const { webhooks } = new Stripe('sk_test_signs_only');
  const sign: Deliveries['sign'] = (event, { signedAt = books.now(), secret = webhookSecret, forge } = {}) => {
    const payload = JSON.stringify(event, null, 2);
    const signature = webhooks.generateTestHeaderString({ payload, secret, timestamp: seconds(signedAt) });
    const headers = { 'content-type': 'application/json; charset=utf-8', 'stripe-signature': signature };
    return { headers, body: forge ? forge(payload) : payload };
  };
  return {
    sign,
    async deliver(to, event, how) {
      const reply = await fetch(to, { method: 'POST', ...sign(event, how) });
      return { status: reply.status, body: (await reply.json()) as Record<string, unknown> };
    },
    take: () => books.events.splice(0),
  };
}
