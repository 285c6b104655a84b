import Stripe from 'stripe';
import type { AccountStatus, FailedPayout, PayOut, Payout, PayoutRequest } from './pay-out.ts';
import type { PayoutRecord, ProcessorRecords } from './payment-processor.ts';
import { payoutReason, saidBy } from './payout-reasons.ts';
import { type AskStripe, fromSeconds, intentIdOf, isMissing, ofKind, toSeconds } from './stripe-client.ts';

const { StripeInvalidRequestError, StripePermissionError } = Stripe.errors;

/**
 * Money goes to the bank in two steps: a transfer from the platform to the owner's account at Stripe, and a payout from
 * there. Accounts pay out by hand only, or Stripe would pay by its own timetable what we are taking back.
 */
const accountParams = (ownerId: string, email: string): Stripe.AccountCreateParams => ({
  email,
  controller: {
    fees: { payer: 'application' },
    losses: { payments: 'application' },
    requirement_collection: 'stripe',
    stripe_dashboard: { type: 'express' },
  },
  capabilities: { transfers: { requested: true } },
  settings: { payouts: { schedule: { interval: 'manual' } } },
  metadata: { agora_owner_id: ownerId },
});

function statusOf(account: Stripe.Account): AccountStatus {
  const { currently_due, past_due } = account.requirements ?? {};
  const missing = [...new Set([...(past_due ?? []), ...(currently_due ?? [])])];
  const isReady = account.payouts_enabled && account.capabilities?.transfers === 'active';
  const isTold = account.details_submitted && missing.length === 0;
  return {
    accountRef: account.id,
    status: isReady ? 'ready' : isTold ? 'restricted' : 'onboarding',
    missing: isReady ? [] : missing,
  };
}

/** Gone, or not ours any longer; a key that may not ask is another matter. */
const isGone = (error: unknown) =>
  isMissing(error) || (error instanceof StripePermissionError && error.code === 'account_invalid');

/**
 * Why Stripe refused for good; null where nobody knows what it did. A refusal is kept under its key for a day, so that it
 * is the same however often it is asked for.
 */
function refusalOf(error: unknown): FailedPayout | null {
  const failed = (reason: string) => ({ status: 'failed', reason, said: saidBy(error) }) as const;
  if (isGone(error)) return failed('The payment processor no longer has the account; onboard again.');
  return error instanceof StripeInvalidRequestError ? failed(payoutReason(error.code)) : null;
}

const destinationOf = ({ destination }: Stripe.Transfer): string | null =>
  typeof destination === 'object' ? (destination?.id ?? null) : destination;

/** The transfer of an intent; found by its group also when its idempotency key is long forgotten. */
async function findTransfer(stripe: Stripe, { intentId }: PayoutRequest): Promise<Stripe.Transfer | null> {
  for await (const transfer of stripe.transfers.list({ transfer_group: intentId, limit: 100 })) {
    if (intentIdOf(ofKind(transfer, 'transfer').metadata) === intentId) return transfer;
  }
  return null;
}

async function makeTransfer(stripe: Stripe, { intentId, accountRef, amountCents }: PayoutRequest) {
  const made = await stripe.transfers.create(
    {
      amount: amountCents,
      currency: 'usd',
      destination: accountRef,
      transfer_group: intentId,
      metadata: { agora_intent_id: intentId },
    },
    { idempotencyKey: `transfer-${intentId}` },
  );
  return ofKind(made, 'transfer');
}

async function makePayout(stripe: Stripe, { intentId, accountRef, amountCents }: PayoutRequest) {
  const made = await stripe.payouts.create(
    { amount: amountCents, currency: 'usd', metadata: { agora_intent_id: intentId } },
    { stripeAccount: accountRef, idempotencyKey: `payout-${intentId}` },
  );
  return ofKind(made, 'payout');
}

/** Metadata takes 500 characters. */
const maxReason = 500;

/** Takes the money back from the owner's account, and leaves the reason there for whoever asks after a crash. */
async function takeBack(
  stripe: Stripe,
  transfer: Stripe.Transfer,
  intentId: string,
  failure: FailedPayout,
): Promise<Payout> {
  if (!transfer.reversed) {
    const metadata = { agora_reason: failure.reason.slice(0, maxReason) };
    const key = { idempotencyKey: `reversal-${intentId}` };
    ofKind(await stripe.transfers.createReversal(transfer.id, { metadata }, key), 'transfer_reversal');
  }
  return failure;
}

const takenBack = (transfer: Stripe.Transfer): FailedPayout => ({
  status: 'failed',
  reason: transfer.reversals.data[0]?.metadata?.agora_reason ?? 'The payment processor took the money back.',
});

/** What a payout that was made has come to. What failed is said to have failed once its money is back. */
async function outcomeOf(
  stripe: Stripe,
  transfer: Stripe.Transfer,
  payout: Stripe.Payout,
  intentId: string,
): Promise<Payout> {
  const { id: ref, status, failure_code: code, failure_message: message, reversed_by } = payout;
  if (status === 'failed' || status === 'canceled' || reversed_by !== null) {
    const reason = code === null ? `The payout was ${reversed_by ? 'reversed' : status}.` : payoutReason(code);
    const said = code === null ? undefined : `${message ?? ''} (${code})`;
    return takeBack(stripe, transfer, intentId, { status: 'failed', reason, said });
  }
  return { status: status === 'paid' ? 'paid' : 'in_transit', ref };
}

/** An hour in which our clock and Stripe's may differ. */
const clockSlackSeconds = 3_600;

async function findPayout(
  stripe: Stripe,
  { intentId, accountRef }: PayoutRequest,
  sinceSeconds: number,
): Promise<Stripe.Payout | null> {
  const created = { gte: sinceSeconds - clockSlackSeconds };
  for await (const payout of stripe.payouts.list({ created, limit: 100 }, { stripeAccount: accountRef })) {
    if (intentIdOf(ofKind(payout, 'payout').metadata) === intentId) return payout;
  }
  return null;
}

/**
 * Goes on from whatever an earlier call under the same intent has reached. Keys are good for a day; what was made before
 * is therefore looked for, or an old intent would be paid out again of what the account holds for another one.
 */
async function payOut(stripe: Stripe, request: PayoutRequest): Promise<Payout> {
  const { intentId } = request;
  const known = await findTransfer(stripe, request);
  let transfer: Stripe.Transfer;
  try {
    transfer = known ?? (await makeTransfer(stripe, request));
  } catch (error) {
    const failure = refusalOf(error);
    if (failure === null) throw error;
    return failure;
  }
  if (transfer.reversed) return takenBack(transfer);
  const paid = known && (await findPayout(stripe, request, known.created));
  if (paid) return outcomeOf(stripe, transfer, paid, intentId);
  let payout: Stripe.Payout;
  try {
    payout = await makePayout(stripe, request);
  } catch (error) {
    const failure = refusalOf(error);
    if (failure === null) throw error;
    return takeBack(stripe, transfer, intentId, failure);
  }
  return outcomeOf(stripe, transfer, payout, intentId);
}

async function lookUpPayout(stripe: Stripe, request: PayoutRequest & { madeAt: Date }): Promise<Payout | null> {
  const transfer = await findTransfer(stripe, request);
  if (!transfer) return null;
  if (transfer.reversed) return takenBack(transfer);
  const payout = await findPayout(stripe, request, toSeconds(request.madeAt));
  return payout && outcomeOf(stripe, transfer, payout, request.intentId);
}

async function all<T>(pages: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of pages) found.push(one);
  return found;
}

/** Stripe's books of payouts: every transfer of ours, with the payout that it was for. */
async function* listPayouts(ask: AskStripe, since: Date, signal: AbortSignal): AsyncGenerator<PayoutRecord> {
  const query = { created: { gte: toSeconds(since) }, limit: 100 };
  const transfers = await ask(signal, (stripe) => all(stripe.transfers.list(query)));
  const accounts = new Map<string, Stripe.Transfer[]>();
  for (const transfer of transfers) {
    const account = destinationOf(transfer);
    if (account !== null) accounts.set(account, [...(accounts.get(account) ?? []), transfer]);
  }
  for (const [accountRef, sent] of accounts) {
    const payouts = await ask(signal, (stripe) => all(stripe.payouts.list(query, { stripeAccount: accountRef })));
    const made = new Map(payouts.map((payout) => [intentIdOf(payout.metadata), payout]));
    for (const transfer of sent) {
      const intentId = intentIdOf(transfer.metadata);
      const payout = intentId === null ? undefined : made.get(intentId);
      yield {
        ref: payout?.id ?? transfer.id,
        intentId,
        accountRef,
        amountCents: transfer.amount,
        status: transfer.reversed ? 'failed' : payout?.status === 'paid' ? 'paid' : 'in_transit',
        at: fromSeconds(transfer.created),
      };
    }
  }
}

export const stripePayouts = (ask: AskStripe): PayOut & Pick<ProcessorRecords, 'listPayouts'> => ({
  createAccount: ({ ownerId, email }, signal) =>
    ask(signal, async (stripe) => {
      const key = { idempotencyKey: `account-${ownerId}` };
      const account = await stripe.accounts.create(accountParams(ownerId, email), key);
      return { accountRef: ofKind(account, 'account').id };
    }),

  onboardingLink: ({ accountRef, returnUrl, refreshUrl }, signal) =>
    ask(signal, async (stripe) => {
      const link = await stripe.accountLinks.create({
        account: accountRef,
        type: 'account_onboarding',
        return_url: returnUrl,
        refresh_url: refreshUrl,
        collection_options: { fields: 'currently_due' },
      });
      const { url, expires_at } = ofKind(link, 'account_link');
      return { url, expiresAt: fromSeconds(expires_at) };
    }),

  accountStatus: (accountRef, signal) =>
    ask(signal, async (stripe) => {
      try {
        const account = ofKind(await stripe.accounts.retrieve(accountRef), 'account');
        return 'deleted' in account && account.deleted ? null : statusOf(account);
      } catch (error) {
        if (isGone(error)) return null;
        throw error;
      }
    }),

  payOut: (request, signal) => ask(signal, (stripe) => payOut(stripe, request)),
  lookUpPayout: (request, signal) => ask(signal, (stripe) => lookUpPayout(stripe, request)),
  listPayouts: (since, signal) => listPayouts(ask, since, signal),
});
