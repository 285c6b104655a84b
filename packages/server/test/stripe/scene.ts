import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { expectSoundLedger } from '../api/scene.ts';
import { startTestServer, type TestOwner, type TestServer, type TestServerOptions } from '../support/harness.ts';
import { type CardBehaviour, idOf } from './books.ts';
import { newCard } from './customer-objects.ts';
import { type StripeFake, startStripeFake } from './fake.ts';
import { fakePayouts } from './fake-payouts.ts';
import type { Delivery } from './fake-webhooks.ts';

export interface StripeScene {
  server: TestServer;
  stripe: StripeFake;
  /** Where withdrawals go. */
  bank: ReturnType<typeof fakePayouts>;
  /** An owner with a saved card that behaves like this. */
  payer(behaviour?: CardBehaviour): Promise<TestOwner>;
  balanceOf(owner: TestOwner): Promise<number>;
  /** What Stripe took from the owner's cards, in cents, a charge each. */
  chargesOf(owner: TestOwner): Promise<number[]>;
  /** States of the owner's top-ups, oldest first. */
  topUpsOf(owner: TestOwner): Promise<string[]>;
  /** The newest intent of the owner at Stripe. */
  intentOf(owner: TestOwner): Promise<string>;
  /** Delivers an event to our webhook. */
  deliver(
    event: StripeFake['books']['events'][number],
    how?: Delivery,
  ): Promise<{ status: number; body: Record<string, unknown> }>;
  /** Time passes, and what only time makes happen is done. */
  sweepLater(): Promise<void>;
}

interface StripeSceneOptions {
  attemptTimeoutMs?: number;
  config?: TestServerOptions['config'];
}

/**
 * One server for the test file, whose processor is Stripe's and sends to the fake; the ledger must be sound at the end.
 * A test of a Stripe that hangs makes attempts short.
 */
export function stripeScene({ attemptTimeoutMs = 10_000, config = {} }: StripeSceneOptions = {}): StripeScene {
  const scene = {} as StripeScene;
  beforeAll(async () => {
    const bank = fakePayouts();
    const stripe = await startStripeFake({ now: () => scene.server.clock.now(), moreRoutes: bank.routes });
    const { url: apiBase, secretKey, webhookSecret } = stripe;
    const server = await startTestServer({
      processor: createStripeProcessor({ apiBase, secretKey, webhookSecret, attemptTimeoutMs, retries: 0 }),
      // Disputes take months.
      config: { SESSION_IDLE_MS: 1e12, ...config },
    });
    Object.assign(scene, { server, stripe, bank, ...doings(server, stripe) });
  });
  beforeEach(() => {
    scene.stripe.mend();
    scene.stripe.webhooks.take();
    scene.server.clock.advance(1000);
  });
  afterAll(async () => {
    try {
      await expectSoundLedger(scene.server);
    } finally {
      await scene.server.close();
      await scene.stripe.close();
    }
  });
  return scene;
}

function doings(server: TestServer, stripe: StripeFake): Omit<StripeScene, 'server' | 'stripe' | 'bank'> {
  const customerOf = async ({ email }: TestOwner): Promise<string> => {
    const { rows } = await server.pool.query(
      'select customer_ref from payment_customers c join owners o on o.id = c.owner_id where o.email = $1',
      [email],
    );
    return rows[0].customer_ref;
  };
  const intentsOf = async (owner: TestOwner) => {
    const customer = await customerOf(owner);
    return [...stripe.books.intents.values()].filter((intent) => idOf(intent.customer) === customer);
  };
  return {
    async payer(behaviour = 'accepts') {
      const owner = await server.owner({ credits: 0 });
      await owner.agora.vault.addPaymentMethod({ paymentMethodId: newCard(stripe.books, behaviour) });
      return owner;
    },
    balanceOf: async (owner) => (await owner.agora.vault.getPool()).balance,
    chargesOf: async (owner) =>
      (await intentsOf(owner)).filter(({ status }) => status === 'succeeded').map(({ amount }) => amount),
    topUpsOf: async ({ email }) =>
      (
        await server.pool.query(
          'select t.status from top_ups t join owners o on o.id = t.owner_id where o.email = $1 order by t.created_at',
          [email],
        )
      ).rows.map((row) => row.status),
    intentOf: async (owner) => (await intentsOf(owner)).at(-1)?.id as string,
    deliver: (event, how) => stripe.webhooks.deliver(`${server.url}/api/v1/vault/processor/webhook`, event, how),
    async sweepLater() {
      server.clock.advance(60_000);
      await server.app.sweep();
    },
  };
}
