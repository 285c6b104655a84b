import Stripe from 'stripe';
import type { AccountStatus, FailedPayout, PayOut, Payout, PayoutRequest } from './pay-out.ts';
import { payoutReason, saidBy } from './payout-reasons.ts';
import {
  type AskStripe,
  fromSeconds,
  idOf,
  intentIdOf,
  isMissing,
  ofKind,
  ofRequest,
  toSeconds,
} from './stripe-client.ts';

const { StripeInvalidRequestError, StripePermissionError } = Stripe.errors;

/**
 * Money reaches the bank in two steps: a transfer from the platform to the owner's account at Stripe, and a payout from
 * there. Accounts pay out manually only. Otherwise Stripe would pay on its own schedule what we are taking back.
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
    fingerprint: account.external_accounts?.data.find(({ fingerprint }) => fingerprint)?.fingerprint ?? null,
  };
}

/** Gone, or not ours any longer; a key that may not ask is another matter. */
export const isGone = (error: unknown) =>
  isMissing(error) || (error instanceof StripePermissionError && error.code === 'account_invalid');

/**
 * Why Stripe refused for good; null if the effect is unknown. Stripe keeps a refusal under its key for a day, so it
 * stays the same when asked again.
 */
function refusalOf(error: unknown): FailedPayout | null {
  if (isGone(error)) return accountGone(error);
  const isRefusal = error instanceof StripeInvalidRequestError;
  return isRefusal ? { status: 'failed', reason: payoutReason(error.code), said: saidBy(error) } : null;
}

const accountGone = (error: unknown): FailedPayout => ({
  status: 'failed',
  reason: 'The payment processor no longer has the account. Onboard again.',
  said: saidBy(error),
});

/** The transfer of an intent; found by its group also when its idempotency key is long forgotten. */
async function findTransfer(stripe: Stripe, request: PayoutRequest): Promise<Stripe.Transfer | null> {
  const { intentId } = request;
  for await (const transfer of stripe.transfers.list({ transfer_group: intentId, limit: 100 })) {
    if (intentIdOf(transfer.metadata) === intentId) return ofRequest(transfer, 'transfer', request);
  }
  return null;
}

async function makeTransfer(stripe: Stripe, request: PayoutRequest) {
  const { intentId, accountRef, amountCents } = request;
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
  return ofRequest(made, 'transfer', request);
}

async function makePayout(stripe: Stripe, request: PayoutRequest) {
  const { intentId, accountRef, amountCents } = request;
  const made = await stripe.payouts.create(
    { amount: amountCents, currency: 'usd', metadata: { agora_intent_id: intentId } },
    { stripeAccount: accountRef, idempotencyKey: `payout-${intentId}` },
  );
  return ofRequest(made, 'payout', request);
}

/** Metadata takes 500 characters. */
const maxReason = 500;

/** Takes the money back from the owner's account, and stores the reason there for a process that asks after a crash. */
async function takeBack(
  stripe: Stripe,
  transfer: Stripe.Transfer,
  intentId: string,
  failure: FailedPayout,
): Promise<Payout> {
  if (!transfer.reversed) {
    const metadata = { agora_reason: failure.reason.slice(0, maxReason) };
    const key = { idempotencyKey: `reversal-${intentId}` };
    const made = await stripe.transfers.createReversal(transfer.id, { metadata }, key);
    const isOurs = idOf(ofKind(made, 'transfer_reversal').transfer) === transfer.id;
    if (!isOurs) throw new Error(`Stripe answered with the reversal of another transfer than ${transfer.id}.`);
  }
  return failure;
}

const takenBack = (transfer: Stripe.Transfer): FailedPayout => ({
  status: 'failed',
  reason: transfer.reversals.data[0]?.metadata?.agora_reason ?? 'The payment processor took the money back.',
});

export const hasFailed = ({ status, reversed_by }: Stripe.Payout): boolean =>
  status === 'failed' || status === 'canceled' || reversed_by !== null;

const failureOf = ({
  status,
  reversed_by,
  failure_code: code,
  failure_message: message,
}: Stripe.Payout): FailedPayout =>
  code === null
    ? { status: 'failed', reason: `The payout was ${reversed_by ? 'reversed' : status}.` }
    : { status: 'failed', reason: payoutReason(code), said: `${message ?? ''} (${code})` };

/** What Stripe has of the platform's money for a transfer. */
export const netOf = ({ amount, amount_reversed }: Stripe.Transfer): number => amount - amount_reversed;

/**
 * The state of an existing payout. A failed one is reported as failed once its money is back. If the money was taken
 * back while the bank was being paid, the bank's result is still unknown, so it waits for that.
 */
async function outcomeOf(
  stripe: Stripe,
  transfer: Stripe.Transfer,
  payout: Stripe.Payout,
  intentId: string,
): Promise<Payout> {
  if (hasFailed(payout)) return takeBack(stripe, transfer, intentId, failureOf(payout));
  const { id: ref, status } = payout;
  if (status !== 'paid') return { status: 'in_transit', ref };
  const netCents = netOf(transfer);
  return { status, ref, ...(netCents !== transfer.amount && { netCents }) };
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
 * The state of a transfer; null if it exists and no payout was made. Nobody can ask about payouts of an account that is
 * gone. If one was reported, it may have reached the bank, so nothing is taken back. Otherwise none will be made, and
 * Stripe returns only what the account still has.
 */
async function progressOf(
  stripe: Stripe,
  transfer: Stripe.Transfer,
  request: PayoutRequest,
  sinceSeconds: number,
): Promise<Payout | null> {
  let payout: Stripe.Payout | null;
  try {
    payout = await findPayout(stripe, request, sinceSeconds);
  } catch (error) {
    if (!isGone(error)) throw error;
    if (request.payoutRef) return { status: 'pending' };
    return transfer.reversed ? takenBack(transfer) : takeBack(stripe, transfer, request.intentId, accountGone(error));
  }
  if (payout) return outcomeOf(stripe, transfer, payout, request.intentId);
  return transfer.reversed ? takenBack(transfer) : null;
}

/**
 * Continues from what an earlier call under the same intent has reached. Idempotency keys last a day, so existing
 * transfers and payouts are looked for first. Otherwise an old intent would be paid again, with money that the account
 * holds for another one.
 */
async function payOut(stripe: Stripe, request: PayoutRequest): Promise<Payout> {
  const known = await findTransfer(stripe, request);
  const progress = known && (await progressOf(stripe, known, request, known.created));
  if (progress) return progress;
  let transfer = known;
  let payout: Stripe.Payout;
  try {
    transfer ??= await makeTransfer(stripe, request);
    payout = await makePayout(stripe, request);
  } catch (error) {
    const failure = refusalOf(error);
    if (failure === null) throw error;
    return transfer ? takeBack(stripe, transfer, request.intentId, failure) : failure;
  }
  return outcomeOf(stripe, transfer, payout, request.intentId);
}

async function lookUpPayout(stripe: Stripe, request: PayoutRequest & { madeAt: Date }): Promise<Payout | null> {
  const transfer = await findTransfer(stripe, request);
  return transfer && progressOf(stripe, transfer, request, toSeconds(request.madeAt));
}

export const stripePayouts = (ask: AskStripe): PayOut => ({
  createAccount: ({ ownerId, email, since = null }, signal) =>
    ask(signal, async (stripe) => {
      // A stranger may have connected its bank before; that account is not given to the owner.
      const key = { idempotencyKey: `account-${ownerId}${since === null ? '' : `-${since}`}` };
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
      const { object, url, expires_at } = link;
      const isLink = object === 'account_link' && typeof url === 'string' && Number.isInteger(expires_at);
      if (!isLink) throw new Error('Stripe gave no link to the onboarding.');
      return { url, expiresAt: fromSeconds(expires_at) };
    }),

  accountStatus: (accountRef, signal) =>
    ask(signal, async (stripe) => {
      try {
        const account = ofKind(await stripe.accounts.retrieve(accountRef), 'account');
        if (account.id !== accountRef) throw new Error(`Stripe answered with another account than ${accountRef}.`);
        return 'deleted' in account && account.deleted ? null : statusOf(account);
      } catch (error) {
        if (isGone(error)) return null;
        throw error;
      }
    }),

  payOut: (request, signal) => ask(signal, (stripe) => payOut(stripe, request)),
  lookUpPayout: (request, signal) => ask(signal, (stripe) => lookUpPayout(stripe, request)),
});
