import type { Operations, ReplyOf } from '@agora-market/contract';
import { requireAccount } from '../../auth/index.ts';
import { appendEvent } from '../../events/index.ts';
import { type Call, type OwnerCaller, transaction } from '../../platform/index.ts';
import { callProcessor, type GuardedDeps, requireProcessor, within } from '../payments/calls.ts';
import { instrumentOf } from '../payments/instrument.ts';
import type { AccountStatus } from '../payments/pay-out.ts';
import type { PaymentProcessor } from '../payments/payment-processor.ts';
import {
  findAccount,
  findAccountByRef,
  findPayee,
  type PayoutAccountRow,
  refreshAccount,
  removeAccount,
  saveAccount,
} from './account-sql.ts';

export interface PayoutDeps extends GuardedDeps {
  /** Where browsers find this service. */
  publicUrl: string;
}

type AccountView = ReplyOf<Operations['vault.onboardPayouts']>['account'];

/** How an account is shown; null if the owner has none. */
export const accountView = (account: Pick<PayoutAccountRow, 'status' | 'missing'> | null): AccountView => ({
  connected: account !== null,
  onboarded: account !== null && account.status !== 'onboarding',
  payoutsEnabled: account?.status === 'ready',
  missing: account?.missing ?? [],
});

/**
 * The whole talk with the processor comes first and is kept after, in one transaction: an account that a crash keeps
 * from being kept is answered again to the next request of its owner.
 */
export async function onboardPayouts(deps: PayoutDeps, call: Call<Operations['vault.onboardPayouts']>) {
  const processor = requireProcessor(deps);
  const { ownerId } = call.caller;
  const known = await findAccount(deps.pool, ownerId, processor.name);
  const payee = await findPayee(deps.pool, ownerId);
  const returnUrl = call.body?.returnUrl ?? deps.publicUrl;
  const askedAt = deps.clock.now();
  const { link, account } = await callProcessor(deps, async (signal) => {
    const standing = known && (await processor.accountStatus(known.accountRef, signal));
    const { accountRef } = standing ?? (await processor.createAccount({ ownerId, ...payee }, signal));
    const link = await processor.onboardingLink({ accountRef, returnUrl, refreshUrl: returnUrl }, signal);
    const account = standing ?? (await processor.accountStatus(accountRef, signal));
    if (!account) throw new Error(`the processor has no account of owner ${ownerId} after making it`);
    return { link, account };
  });
  const { credential } = call.caller;
  await keepStatus(deps, processor, { ownerId, credential, account, askedAt, correlationId: call.correlationId });
  return { url: link.url, expiresAt: link.expiresAt.toISOString(), account: accountView(account) };
}

const bankOf = (deps: GuardedDeps, processor: PaymentProcessor, { fingerprint }: AccountStatus): string | null =>
  fingerprint === null ? null : instrumentOf(deps, processor, fingerprint);

interface Answer {
  ownerId: string;
  /** Of whoever connects the account; nobody else makes one. */
  credential?: OwnerCaller['credential'];
  account: AccountStatus;
  askedAt: Date;
  correlationId: string;
}

const keepStatus = (
  deps: GuardedDeps,
  processor: PaymentProcessor,
  { ownerId, credential, account, askedAt, correlationId }: Answer,
) =>
  transaction(deps.pool, 'write', async (tx) => {
    await requireAccount(tx, ownerId, credential);
    const instrument = bankOf(deps, processor, account);
    const save = credential === undefined ? refreshAccount : saveAccount;
    const saved = await save(tx, { ...account, ownerId, processor: processor.name, instrument, askedAt });
    if (saved === 'nothing') return;
    await appendEvent(tx, {
      type: saved === 'account' ? 'payout_account.connected' : 'payout_account.changed',
      district: 'vault',
      at: deps.clock.now(),
      correlationId,
      ownerId,
      data: { status: account.status, instrument },
    });
  });

/** Asks the processor for the state of an account and stores the answer; null if the account no longer exists. */
async function ask(
  deps: GuardedDeps,
  processor: PaymentProcessor,
  { ownerId, accountRef }: PayoutAccountRow,
  correlationId: string,
): Promise<(AccountStatus & { instrument: string | null }) | null> {
  const askedAt = deps.clock.now();
  const account = await callProcessor(deps, (signal) => processor.accountStatus(accountRef, signal));
  if (account) await keepStatus(deps, processor, { ownerId, account, askedAt, correlationId });
  else await removeAccount(deps.pool, processor.name, accountRef);
  return account && { ...account, instrument: bankOf(deps, processor, account) };
}

/** A withdrawal waits for the account and the payout, at most 15 s for both. */
const statusTimeoutMs = 4_000;

/**
 * The owner's account. One that was ready is used without asking: the processor reports changes, and refuses a payout
 * that it cannot make. For any other the processor is asked, because its owner has just come back from the onboarding.
 */
export async function currentAccount(
  deps: GuardedDeps,
  ownerId: string,
  correlationId: string,
): Promise<Pick<PayoutAccountRow, 'accountRef' | 'instrument' | 'status' | 'missing'> | null> {
  const { processor } = deps;
  const known = processor && (await findAccount(deps.pool, ownerId, processor.name));
  if (!processor || !known || (known.status === 'ready' && known.instrument !== null)) return known;
  return ask(within(deps, statusTimeoutMs), processor, known, correlationId);
}

/** The processor says that an account has changed; accounts that are not ours are none of our business. */
export async function accountChanged(deps: GuardedDeps, accountRef: string, correlationId: string): Promise<void> {
  const processor = requireProcessor(deps);
  const known = await findAccountByRef(deps.pool, processor.name, accountRef);
  if (known) await ask(deps, processor, known, correlationId);
}
