import type { Agora, Body, RequestOptions } from '@agora-market/sdk';
import { afterAll, afterEach, expect } from 'vitest';
import { topUpOf } from '../api/requests.ts';
import { expectSoundLedger, refusalOf } from '../api/scene.ts';
import type { TestOwner } from '../support/harness.ts';
import { hour } from '../vault/reconciliation-scene.ts';
import { idOf } from './books.ts';
import { type StripeScene, stripeScene } from './scene.ts';

export interface Paid {
  owner: TestOwner;
  /** The top-up, as its owner's transactions list it. */
  topUpId: string;
  /** The charge at Stripe. */
  intentId: string;
}

export interface RefundScene {
  scene: StripeScene;
  /** An owner with so many cents, all of one top-up. */
  paid(amount?: number): Promise<Paid>;
  refund(paid: Pick<Paid, 'topUpId'>, body?: Partial<Body<'vault.refundTopUp'>>, options?: RequestOptions): Refunding;
  /** What became of it: `202 succeeded`, or the refusal. */
  outcomeOf(refunding: Refunding): Promise<string>;
  /** What the owner has and how it came about, and what went back at Stripe. */
  stateOf(paid: Paid): Promise<{ balance: number; moves: string[]; atStripe: string[] }>;
  /** Refunds of the top-up whose outcome is still to be asked for. */
  openOf(paid: Paid): Promise<number>;
  /** Lets what is young come of age, and reconciles: our books must be Stripe's. */
  expectNothingRaised(): Promise<void>;
}

type Refunding = ReturnType<Agora['vault']['refundTopUp']>;

/** Top-ups by Stripe, and the operator who refunds them; the ledger must be sound after each test, and our books Stripe's at the end. */
export function refundScene(options?: Parameters<typeof stripeScene>[0]): RefundScene {
  const scene = stripeScene(options);
  async function expectNothingRaised() {
    scene.server.clock.advance(2 * hour);
    expect(await scene.server.operator().vault.reconcile()).toMatchObject({ processor: 'checked', raised: 0 });
  }
  afterAll(expectNothingRaised);
  afterEach(async () => {
    scene.stripe.books.refundsAre = 'succeeded';
    await expectSoundLedger(scene.server);
  });
  return {
    scene,
    async paid(amount = 1000) {
      const owner = await scene.payer();
      await owner.agora.vault.topUp({ amount });
      scene.stripe.webhooks.take();
      return { owner, topUpId: await topUpOf(owner), intentId: await scene.intentOf(owner) };
    },
    refund: ({ topUpId }, body, settings) =>
      scene.server.operator().vault.refundTopUp(topUpId, { reason: 'The owner asked for it', ...body }, settings),
    async outcomeOf(refunding) {
      const refusal = await refusalOf(refunding);
      return refusal === 'no refusal' ? `202 ${(await refunding).status}` : refusal;
    },
    async stateOf({ owner, intentId }) {
      const { data } = await owner.agora.vault.poolTransactions();
      return {
        balance: await scene.balanceOf(owner),
        moves: data.map(({ cause, amount }) => `${cause} ${amount}`).reverse(),
        atStripe: [...scene.stripe.books.refunds.values()]
          .filter(({ payment_intent }) => idOf(payment_intent) === intentId)
          .map(({ amount, status }) => `${amount} ${status}`),
      };
    },
    expectNothingRaised,
    async openOf({ intentId }) {
      const { rows } = await scene.server.pool.query(
        `select count(*)::int as open from top_up_reversals r join top_ups u on u.id = r.top_up_id
         where u.processor_ref = $1 and r.due_at is not null`,
        [intentId],
      );
      return rows[0].open;
    },
  };
}
