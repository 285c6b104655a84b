import type Stripe from 'stripe';
import type { FakeRoutes } from './answers.ts';
import { type Books, seconds } from './books.ts';
import { newAccount, newPayout, newReversal, newTransfer } from './payout-objects.ts';
import { group, listOf, metadataOf, missing, refused, required, StripeFailure, text } from './wire.ts';

/** What Stripe knows of accounts, and of money that left the platform. */
export interface PayoutBooks {
  accounts: Map<string, Stripe.Account>;
  transfers: Map<string, Stripe.Transfer>;
  /** Payouts of all accounts, with the account of each. */
  payouts: Map<string, Stripe.Payout & { account: string }>;
  /** What each account has, in cents. */
  balances: Map<string, number>;
  /** What the platform may transfer, in cents; tests take it away. */
  platformBalance: number;
  /** The next payouts are refused, as where an account is restricted without our knowing; null if they are not. */
  refuses: { code: string | undefined; message: string } | null;
}

export interface FakePayouts {
  books: PayoutBooks;
  routes(books: Books): FakeRoutes;
  /** The owner finishes the onboarding; with `open` something is still missing, or the account is under review. */
  onboard(accountRef: string, open?: 'something is missing' | 'under review'): void;
  /** The bank's word on the payout of an intent; it may come twice, and a failure after the money had arrived. */
  decide(intentId: string, status: 'paid' | 'failed'): void;
  /** The payout of an intent, if one was made. */
  payoutOf(intentId: string): Stripe.Payout | undefined;
}

const noAccess = (account: string) =>
  new StripeFailure(403, {
    type: 'invalid_request_error',
    code: 'account_invalid',
    message: `The provided key does not have access to account '${account}'.`,
  });

/** Connected accounts, transfers and payouts; `routes` goes to the fake as `moreRoutes`. */
export function fakePayouts(): FakePayouts {
  let books: Books;
  const own: PayoutBooks = {
    accounts: new Map(),
    transfers: new Map(),
    payouts: new Map(),
    balances: new Map(),
    platformBalance: 1_000_000_000,
    refuses: null,
  };
  const payoutOf = (intentId: string) =>
    [...own.payouts.values()].find(({ metadata }) => metadata?.agora_intent_id === intentId);
  return {
    books: own,
    routes: (given) => {
      books = given;
      return { ...accountRoutes(books, own), ...transferRoutes(books, own), ...payoutRoutes(books, own) };
    },
    onboard(accountRef, open) {
      const account = own.accounts.get(accountRef) as Stripe.Account;
      const due = open === 'something is missing' ? ['individual.verification.document'] : [];
      const requirements = { ...account.requirements, past_due: [], currently_due: due } as Stripe.Account.Requirements;
      const isOpen = open !== undefined;
      Object.assign(account, { details_submitted: true, payouts_enabled: !isOpen, requirements });
      account.capabilities = { transfers: isOpen ? 'pending' : 'active' };
      books.emit('account.updated', account, accountRef);
    },
    decide(intentId, status) {
      const payout = payoutOf(intentId);
      if (!payout) throw new Error(`no payout of ${intentId} was made`);
      if (payout.status === 'failed') return;
      const failure = { failure_code: 'account_closed', failure_message: 'The bank account has been closed.' };
      Object.assign(payout, { status, ...(status === 'failed' && failure) });
      const { account, ...shown } = payout;
      if (status === 'failed') own.balances.set(account, (own.balances.get(account) ?? 0) + payout.amount);
      books.emit(`payout.${status}`, shown, account);
    },
    payoutOf,
  };
}

function accountRoutes(books: Books, own: PayoutBooks): FakeRoutes {
  const accountOf = (id: string): Stripe.Account => {
    const account = own.accounts.get(id);
    if (!account) throw noAccess(id);
    return account;
  };
  return {
    'POST /v1/accounts': ({ form }) => {
      const interval = text(group(group(group(form, 'settings'), 'payouts'), 'schedule'), 'interval');
      if (interval !== 'manual') throw new Error('an account that pays out by itself would pay what is taken back');
      const account = newAccount(books, form);
      own.accounts.set(account.id, account);
      own.balances.set(account.id, 0);
      return account;
    },
    'GET /v1/accounts/:id': ({ params }) => accountOf(params.id as string),
    'POST /v1/account_links': ({ form }): Stripe.AccountLink => {
      const account = accountOf(required(form, 'account'));
      required(form, 'return_url');
      required(form, 'refresh_url');
      const created = seconds(books.now());
      return {
        object: 'account_link',
        created,
        expires_at: created + 300,
        url: `https://connect.stripe.example/setup/${account.id}`,
      };
    },
  };
}

function transferRoutes(books: Books, own: PayoutBooks): FakeRoutes {
  return {
    'POST /v1/transfers': ({ form }) => {
      const amount = Number(required(form, 'amount'));
      const destination = required(form, 'destination');
      const account = own.accounts.get(destination);
      if (!account) throw refused(`No such destination: '${destination}'`, 'resource_missing');
      if (account.capabilities?.transfers !== 'active') {
        throw refused(
          'Your destination account needs the transfers capability.',
          'insufficient_capabilities_for_transfer',
        );
      }
      if (own.platformBalance < amount) {
        throw refused(`You have $${own.platformBalance / 100} in your account.`, 'balance_insufficient');
      }
      const group = text(form, 'transfer_group') ?? null;
      const transfer = newTransfer(books, { amount, destination, group, metadata: metadataOf(form) });
      own.transfers.set(transfer.id, transfer);
      own.platformBalance -= amount;
      own.balances.set(destination, (own.balances.get(destination) ?? 0) + amount);
      return transfer;
    },
    'GET /v1/transfers': ({ form }) => {
      const wanted = text(form, 'transfer_group');
      const found = [...own.transfers.values()].filter((one) => wanted === undefined || one.transfer_group === wanted);
      return listOf('/v1/transfers', found, form);
    },
    'POST /v1/transfers/:id/reversals': ({ params, form }) => {
      const transfer = own.transfers.get(params.id as string);
      if (!transfer) throw missing('transfer', params.id as string);
      if (transfer.reversed) throw refused('This transfer has already been fully reversed.');
      const account = transfer.destination as string;
      const balance = own.balances.get(account) ?? 0;
      const { id } = transfer;
      const amount = Number(text(form, 'amount') ?? transfer.amount - transfer.amount_reversed);
      if (balance < amount) throw refused('Insufficient funds in the connected account.', 'balance_insufficient');
      const reversal = newReversal(books, { amount, transfer: id, metadata: metadataOf(form) });
      transfer.reversals.data.unshift(reversal);
      transfer.amount_reversed += amount;
      transfer.reversed = transfer.amount_reversed === transfer.amount;
      own.balances.set(account, balance - amount);
      own.platformBalance += amount;
      books.emit('transfer.reversed', transfer);
      return reversal;
    },
  };
}

function payoutRoutes(books: Books, own: PayoutBooks): FakeRoutes {
  const held = (account: string | null): string => {
    if (account === null) throw new Error('a payout of the platform itself would be our own money');
    if (!own.accounts.has(account)) throw noAccess(account);
    return account;
  };
  return {
    'POST /v1/payouts': ({ form, account }) => {
      const ref = held(account);
      const amount = Number(required(form, 'amount'));
      const balance = own.balances.get(ref) ?? 0;
      if (own.refuses) throw refused(own.refuses.message, own.refuses.code);
      if (balance < amount)
        throw refused('You have insufficient funds in your Stripe account.', 'balance_insufficient');
      const payout = newPayout(books, { amount, metadata: metadataOf(form) });
      own.payouts.set(payout.id, { ...payout, account: ref });
      own.balances.set(ref, balance - amount);
      books.emit('payout.created', payout, ref);
      return payout;
    },
    'GET /v1/payouts': ({ form, account }) => {
      const ref = held(account);
      const found = [...own.payouts.values()].filter((one) => one.account === ref).map(({ account: _, ...one }) => one);
      return listOf('/v1/payouts', found, form);
    },
  };
}
