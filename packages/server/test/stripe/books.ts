import { randomBytes } from 'node:crypto';
import type Stripe from 'stripe';

/** How a card behaves: what its bank says when it is charged without its holder there, or when it is saved. */
export type CardBehaviour = 'accepts' | 'asks its holder' | 'takes its time' | 'cannot be saved' | { declines: string };

/** Everything that the fake knows, in the SDK's own types. */
export interface Books {
  now(): Date;
  newId(prefix: string): string;
  customers: Map<string, Stripe.Customer>;
  methods: Map<string, Stripe.PaymentMethod>;
  behaviours: Map<string, CardBehaviour>;
  setups: Map<string, Stripe.SetupIntent>;
  intents: Map<string, Stripe.PaymentIntent>;
  charges: Map<string, Stripe.Charge>;
  refunds: Map<string, Stripe.Refund>;
  disputes: Map<string, Stripe.Dispute>;
  /** What becomes of refunds at once; banks take some days to refuse one. */
  refundsAre: 'succeeded' | 'pending' | 'failed';
  /** Events that have happened, in their order; webhooks deliver them. */
  events: Stripe.Event[];
  emit(type: Stripe.Event['type'], object: object, account?: string): Stripe.Event;
}

export function emptyBooks(now: () => Date): Books {
  const events: Stripe.Event[] = [];
  const newId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`;
  return {
    now,
    newId,
    customers: new Map(),
    methods: new Map(),
    behaviours: new Map(),
    setups: new Map(),
    intents: new Map(),
    charges: new Map(),
    refunds: new Map(),
    disputes: new Map(),
    refundsAre: 'succeeded',
    events,
    emit(type, object, account) {
      const event = {
        id: newId('evt'),
        object: 'event',
        api_version: '2026-10-28.endive',
        created: seconds(now()),
        // As it is now: what becomes of the object later does not change what was said of it.
        data: { object: structuredClone(object) },
        livemode: false,
        pending_webhooks: 1,
        request: null,
        type,
        ...(account !== undefined && { account }),
      } as Stripe.Event;
      events.push(event);
      return event;
    },
  };
}

export const seconds = (at: Date): number => Math.floor(at.getTime() / 1000);

/** The id of a reference that Stripe gives as an id or, expanded, as the object. */
export const idOf = (reference: string | { id: string } | null): string | null =>
  typeof reference === 'string' || reference === null ? reference : reference.id;
