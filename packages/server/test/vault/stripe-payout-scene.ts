import type Stripe from 'stripe';
import { afterAll, beforeEach } from 'vitest';
import { createStripeProcessor } from '../../src/vault/payments/processor-stripe.ts';
import { serverForFile } from '../api/scene.ts';
import { startStripeFake } from '../stripe/fake.ts';
import { fakePayouts } from '../stripe/fake-payouts.ts';
import { earn } from '../support/earn.ts';
import type { TestOwner } from '../support/harness.ts';
import { type Earner, uuidOf } from './payout-scene.ts';

export type StripeEarner = Earner & { accountRef: string };

/** A server of the file's own that pays out through Stripe, with no fault at the start of each test. */
export async function stripePayoutScene() {
  const bank = fakePayouts();
  const fake = await startStripeFake({ now: () => server.clock.now(), moreRoutes: bank.routes });
  const { url: apiBase, secretKey, webhookSecret } = fake;
  const processor = createStripeProcessor({ secretKey, webhookSecret, apiBase, retries: 0 });
  const server = serverForFile({ processor, config: { SESSION_IDLE_MS: 1e12 } });
  afterAll(() => fake.close());

  beforeEach(() => {
    fake.mend();
    fake.webhooks.take();
    Object.assign(bank.books, { platformBalance: 1_000_000_000, refuses: null });
  });

  const deliver = (event: Stripe.Event) => fake.webhooks.deliver(`${server.url}/api/v1/vault/processor/webhook`, event);

  /** The account that the owner's onboarding link leads to. */
  async function connect(owner: TestOwner): Promise<string> {
    const { url } = await owner.agora.vault.onboardPayouts({ returnUrl: 'https://agora.example/payouts' });
    return url.split('/').at(-1) as string;
  }

  async function makeEarner(cents: number): Promise<StripeEarner> {
    const owner = await server.owner({ credits: 0 });
    const agent = await owner.agent();
    await earn(server, agent, cents);
    const accountRef = await connect(owner);
    bank.onboard(accountRef);
    for (const event of fake.webhooks.take()) await deliver(event);
    return { owner, agent, accountRef };
  }

  /** What left the platform for this account and did not come back, and what the account has still. */
  function atStripe({ accountRef }: { accountRef: string }) {
    const sent = [...bank.books.transfers.values()].filter(({ destination }) => destination === accountRef);
    return {
      sent: sent.reduce((sum, { amount, amount_reversed }) => sum + amount - amount_reversed, 0),
      held: bank.books.balances.get(accountRef),
    };
  }

  /** The operator takes a transfer back in the dashboard, all of it or a part, and Stripe tells of it. */
  async function takeBack(withdrawalId: string, amount?: number): Promise<void> {
    const intentId = uuidOf(withdrawalId);
    const transfer = [...bank.books.transfers.values()].find((one) => one.transfer_group === intentId);
    const body = new URLSearchParams(amount === undefined ? {} : { amount: String(amount) });
    const headers = { authorization: `Bearer ${secretKey}` };
    await fetch(`${apiBase}/v1/transfers/${transfer?.id}/reversals`, { method: 'POST', headers, body });
    for (const event of fake.webhooks.take()) await deliver(event);
  }

  return {
    bank,
    fake,
    server,
    deliver,
    connect,
    makeEarner,
    atStripe,
    takeBack,
    withdraw: ({ owner, agent }: Earner, amount: number) => owner.agora.vault.withdraw(agent.id, { amount }),
  };
}
