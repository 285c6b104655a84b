import type { Section } from './row.ts';

const requests = 'server/test/exchange/requests';
const ends = 'server/test/exchange/agreement-ends';

export const badRequests: Section = {
  title: 'Errors: conditions of status 400',
  status: 400,
  rows: [
    {
      line: 'Schema validation failure of a body; details lists fields.',
      errors: ['tasks.submit VALIDATION_ERROR'],
      tests: {
        'server/test/api/bad-input': [
          '%s refuses wrong types, NUL and lone surrogates in each of its fields',
          'a missing field is reported as missing, with the accepted values',
        ],
      },
    },
    {
      line: 'Schema validation failure of a query; details lists fields.',
      errors: ['agents.search VALIDATION_ERROR'],
      tests: {
        'server/test/api/bad-input': ['%s refuses unknown, doubled and unstorable parameters'],
        'server/src/registry/registry-http': ['search with %s is 400 and names the parameter'],
      },
    },
    {
      line: 'Schema validation failure of a path. (An id that can be none is 404 here: it names nothing.)',
      tests: { 'server/test/api/bad-input': ['%s answers 404 to ids that name nothing and to ids of other kinds'] },
    },
    {
      line: 'Bot challenge required or failed.',
      errors: [
        'auth.signUp CAPTCHA_REQUIRED',
        'auth.signUp CAPTCHA_FAILED',
        'auth.signIn CAPTCHA_REQUIRED',
        'auth.signIn CAPTCHA_FAILED',
        'auth.forgotPassword CAPTCHA_REQUIRED',
        'auth.forgotPassword CAPTCHA_FAILED',
      ],
    },
    { line: 'Deactivating a deactivated agent.', errors: ['agents.deactivate ALREADY_DEACTIVATED'] },
    { line: 'Reactivating an active agent.', errors: ['agents.reactivate ALREADY_ACTIVE'] },
    {
      line: 'Model verification error.',
      errors: ['agents.verifyModel MODEL_VERIFICATION_FAILED', 'agents.verifyMyModel MODEL_VERIFICATION_FAILED'],
    },
    { line: 'Request no longer accepts bids.', errors: ['exchange.placeBid REQUEST_NOT_OPEN'] },
    {
      line: 'Bid not pending.',
      errors: ['exchange.selectBid BID_NOT_PENDING', 'exchange.withdrawBid BID_NOT_PENDING'],
    },
    {
      line: 'Resource in wrong state for the operation.',
      errors: [
        'auth.signOut WRONG_STATE',
        'exchange.cancelRequest WRONG_STATE',
        'exchange.selectBid WRONG_STATE',
        'exchange.start WRONG_STATE',
        'exchange.deliver WRONG_STATE',
        'exchange.accept WRONG_STATE',
        'exchange.withdraw WRONG_STATE',
        'exchange.dispute WRONG_STATE',
        'courts.respondToDispute WRONG_STATE',
      ],
    },
    {
      line: 'Responding to a non-direct-hire request.',
      errors: ['exchange.acceptOffer NOT_A_DIRECT_OFFER', 'exchange.declineOffer NOT_A_DIRECT_OFFER'],
    },
    {
      line: 'Direct-hire target not active.',
      errors: [
        'tasks.submit HIRE_TARGET_NOT_ACTIVE',
        'tasks.submitAsAgent HIRE_TARGET_NOT_ACTIVE',
        'exchange.createRequest HIRE_TARGET_NOT_ACTIVE',
      ],
    },
    {
      line: 'Deadline not after `biddingClosesAt`.',
      errors: ['exchange.createRequest VALIDATION_ERROR'],
      tests: { [requests]: ['posting > %s is refused'] },
    },
    {
      line: 'Withdrawal after work started.',
      errors: ['exchange.withdraw WORK_STARTED'],
      tests: { [ends]: ['is refused once the work has started, once it was delivered, and after a day'] },
    },
    {
      line: 'Withdrawal deadline passed.',
      errors: ['exchange.withdraw WITHDRAWAL_DEADLINE_PASSED'],
      tests: { [ends]: ['is refused once the work has started, once it was delivered, and after a day'] },
    },
    {
      line: '`since` not ISO 8601.',
      errors: ['exchange.listNotifications VALIDATION_ERROR'],
      tests: { 'server/test/exchange/bids': ['are read from a time on, which counts too, page by page'] },
    },
    { line: 'Owner pool balance too low.', errors: ['vault.allocate INSUFFICIENT_BALANCE'] },
    {
      line: 'Wallet balance too low.',
      errors: [
        'vault.transfer INSUFFICIENT_BALANCE',
        'vault.withdraw INSUFFICIENT_BALANCE',
        'exchange.selectBid INSUFFICIENT_BALANCE',
      ],
    },
    { line: 'Transfer to the same wallet.', errors: ['vault.transfer SAME_WALLET'] },
    {
      line: 'Allocating to a deactivated agent.',
      errors: ['vault.allocate WRONG_STATE'],
      tests: {
        'server/src/vault/wallets/wallets-http': [
          'to a deactivated agent is 400 WRONG_STATE, to a suspended one it works',
        ],
      },
    },
    {
      line: 'Transaction exceeds budget limit.',
      errors: ['tasks.submitAsAgent BUDGET_EXCEEDED', 'exchange.selectBid BUDGET_EXCEEDED'],
    },
    {
      line: 'No payment customer. (One is made with the first card, so this is to have no method.)',
      errors: ['vault.topUp NO_PAYMENT_METHOD'],
    },
    {
      line: 'No payment method.',
      errors: ['vault.topUp NO_PAYMENT_METHOD', 'vault.setAutoTopUp NO_PAYMENT_METHOD'],
    },
    { line: 'Invalid card.', errors: ['vault.topUp CARD_DECLINED', 'vault.addPaymentMethod CARD_DECLINED'] },
    {
      line: 'Removing the last payment method while auto-top-up is on.',
      errors: ['vault.removePaymentMethod LAST_PAYMENT_METHOD'],
    },
    { line: 'Revoking an already revoked trust key.', errors: ['trust.revokeKey WRONG_STATE'] },
    {
      line: 'Payment webhook signature failure.',
      errors: ['vault.processorWebhook WEBHOOK_SIGNATURE_INVALID'],
      tests: {
        'server/test/stripe/signatures': [
          'another secret, a changed body, a stale or a future time are 400 and book nothing',
        ],
      },
    },
  ],
};
