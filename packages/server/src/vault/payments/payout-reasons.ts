import Stripe from 'stripe';

const { StripeError } = Stripe.errors;

/**
 * Why a payout was refused or returned, in words for the owner. Stripe's own sentences may reveal the platform's
 * balance, rights or keys. So only these are shown.
 */
const later = 'The money is not available at the payment processor yet. Try again later.';
const onboardAgain = 'The payment processor makes no payouts to the account at present. Continue the onboarding.';
const closed = 'The bank account has been closed. Continue the onboarding to name another one.';
const wrongAccount =
  'The bank account does not exist or its details are wrong. Continue the onboarding to correct them.';
const refusedByBank =
  'The bank refused the payout. Ask the bank for the reason, or continue the onboarding to name another account.';

const reasons: Record<string, string> = {
  // Error codes about the platform's balance or the owner's account.
  balance_insufficient: later,
  insufficient_funds: later,
  payouts_not_allowed: onboardAgain,
  transfers_not_allowed: onboardAgain,
  insufficient_capabilities_for_transfer: onboardAgain,
  payouts_limit_exceeded: 'The payment processor pays out no more today. Try again later.',
  amount_too_small: 'The payment processor pays out no amount this small.',
  amount_too_large: 'The payment processor pays out no amount this large at once; withdraw it in parts.',
  // Codes of payouts that failed: the bank's word.
  account_closed: closed,
  bank_account_unusable: closed,
  no_account: wrongAccount,
  invalid_account_number: wrongAccount,
  invalid_account_number_length: wrongAccount,
  incorrect_account_holder_name: wrongAccount,
  incorrect_account_holder_address: wrongAccount,
  incorrect_account_holder_tax_id: wrongAccount,
  bank_ownership_changed: wrongAccount,
  invalid_currency: 'The bank account does not accept US dollars. Continue the onboarding to name another one.',
  account_frozen: refusedByBank,
  bank_account_restricted: refusedByBank,
  could_not_process: refusedByBank,
  debit_not_authorized: refusedByBank,
  declined: refusedByBank,
};
const plainRefusal = 'The payment processor refused the payout. Try again later, or ask the operator for the reason.';

export const payoutReason = (code: string | null | undefined): string => reasons[code ?? ''] ?? plainRefusal;

/** Stripe's words, for the operator's log. */
export const saidBy = (error: unknown): string =>
  error instanceof StripeError
    ? [error.message, error.code && `(${error.code})`, error.requestId].filter(Boolean).join(' ')
    : String(error);
