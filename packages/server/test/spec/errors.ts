import type { Section } from './row.ts';

const file = 'server/test/registry/contract-errors';
const auth = 'server/test/api/auth';

export const errorShape: Section = {
  title: 'Errors',
  rows: [
    {
      line: 'Every error response: `success` false; `error` with `code`, `message` and `details`.',
      tests: {
        'server/test/api/rate-limits': ['every response carries the headers > %s'],
        'server/test/registry/contract': ['%s stands in it with parameters, body, replies, errors and security'],
      },
    },
    {
      line: 'INSUFFICIENT_BALANCE, 400: wallet too low; details has `required` and `available` in cents.',
      errors: ['vault.transfer INSUFFICIENT_BALANCE'],
      tests: {
        'server/src/vault/wallets/wallets-http': [
          'takes the last cent, and then is INSUFFICIENT_BALANCE with required and available',
          'from a wallet too low is 400 with required and available, to a deactivated agent 400',
        ],
      },
    },
    {
      line: 'INSUFFICIENT_CREDITS, 402: caller’s pool cannot hold credits for the task.',
      errors: ['tasks.submit INSUFFICIENT_CREDITS', 'tasks.submitAsAgent INSUFFICIENT_CREDITS'],
      tests: {
        'server/test/api/task-states': [
          'a budget of exactly the balance is held, one cent more is INSUFFICIENT_CREDITS and stores nothing',
        ],
      },
    },
    {
      line: 'NO_AGENTS_AVAILABLE, 404: no active agent matches, also when only same-owner agents match.',
      errors: ['tasks.submit NO_AGENTS_AVAILABLE', 'tasks.submitAsAgent NO_AGENTS_AVAILABLE'],
      tests: {
        'server/test/api/agent-states': ['skips an agent that is %s'],
        'server/test/api/task-states': [
          'where only agents of the same owner match, it is NO_AGENTS_AVAILABLE and nothing is held or stored',
        ],
      },
    },
    {
      line: 'Clients do not retry 400, 401, 403, 404, 409 and 410.',
      tests: { 'sdk/src/http': ['%i becomes its class with code, details and correlation id, and is never retried'] },
    },
    {
      line: 'Clients retry 429 after `Retry-After`.',
      tests: { 'sdk/src/http': ['429 is retried after Retry-After and not before'] },
    },
    {
      line: 'Clients retry 5xx and network errors with exponential backoff.',
      tests: {
        'sdk/src/http': [
          '%i is retried and the idempotency key and body stay the same',
          'a connection that breaks is retried, in the middle of a body too',
          'what the server itself fails is tried three times, with 30 s for each and a pause that doubles',
        ],
      },
    },
  ],
};

export const unauthenticated: Section = {
  title: 'Errors: conditions of status 401',
  status: 401,
  rows: [
    {
      line: 'Missing or invalid agent key.',
      tests: { [auth]: ['%s without any is 401', '%s with an unmatched key, or an owner’s token for one, is 401'] },
    },
    {
      line: 'Rotated agent key.',
      tests: { 'server/test/api/agent-states': ['a rotated key is 401 at once and the new one works'] },
    },
    {
      line: 'Deactivated agent key.',
      tests: {
        'server/test/api/agent-states': ['the agent is deactivated, its key is 401, and it cannot be hired'],
      },
    },
    {
      line: 'Missing or invalid trust key.',
      tests: {
        'server/test/api/trust': [
          'that are missing or unknown are 401, and other credentials do not read reputation',
          'that are revoked are refused with 401 at once, and revoking again is 400',
        ],
      },
    },
    {
      line: 'Missing, invalid or expired owner session.',
      tests: {
        [auth]: [
          '%s without any is 401',
          '%s with a wrong token, or an agent’s key for one, is 401',
          'a session ends after seven days without use, and use keeps it',
        ],
      },
    },
    {
      line: 'Owner account gone.',
      tests: { [auth]: ['session and developer token of a removed owner are 401'] },
    },
  ],
};

export const paymentRequired: Section = {
  title: 'Errors: conditions of status 402',
  status: 402,
  rows: [
    {
      line: 'Credit pool cannot hold the task credits.',
      errors: ['tasks.submit INSUFFICIENT_CREDITS', 'embassy.approve INSUFFICIENT_CREDITS'],
    },
  ],
};

export const notFound: Section = {
  title: 'Errors: conditions of status 404',
  status: 404,
  rows: [
    {
      line: 'Any id unknown, or of another kind.',
      tests: { 'server/test/api/bad-input': ['%s answers 404 to ids that name nothing and to ids of other kinds'] },
    },
    { line: 'Agent id unknown.', errors: ['agents.get AGENT_NOT_FOUND', 'tasks.submit AGENT_NOT_FOUND'] },
    { line: 'Work request id unknown.', errors: ['exchange.getRequest WORK_REQUEST_NOT_FOUND'] },
    { line: 'Bid id unknown.', errors: ['exchange.selectBid BID_NOT_FOUND', 'exchange.withdrawBid BID_NOT_FOUND'] },
    { line: 'Agreement id unknown.', errors: ['exchange.getAgreement AGREEMENT_NOT_FOUND'] },
    { line: 'Task id unknown.', errors: ['tasks.get TASK_NOT_FOUND'] },
    { line: 'Assessment id unknown.', errors: ['courts.getAssessment ASSESSMENT_NOT_FOUND'] },
    { line: 'Dispute id unknown.', errors: ['courts.getDispute DISPUTE_NOT_FOUND'] },
    {
      line: 'Approval id unknown.',
      errors: ['embassy.getApproval APPROVAL_NOT_FOUND', 'embassy.approve APPROVAL_NOT_FOUND'],
    },
    { line: 'Wallet unknown.', errors: ['vault.getAgentWallet AGENT_NOT_FOUND'] },
    { line: 'Payment method id unknown.', errors: ['vault.removePaymentMethod PAYMENT_METHOD_NOT_FOUND'] },
    {
      line: 'Trust key id unknown, or not accessible to the caller.',
      errors: ['trust.revokeKey TRUST_KEY_NOT_FOUND'],
      tests: { 'server/test/api/trust': ['of others, and unknown ones, are 404 to whoever would revoke them'] },
    },
  ],
};

export const conflict: Section = {
  title: 'Errors: conditions of status 409',
  status: 409,
  rows: [
    {
      line: 'Task not in correct state.',
      errors: [
        'tasks.start TASK_WRONG_STATE',
        'tasks.complete TASK_WRONG_STATE',
        'tasks.fail TASK_WRONG_STATE',
        'tasks.feedback TASK_WRONG_STATE',
        'tasks.dispute TASK_WRONG_STATE',
        'sandbox.provision TASK_WRONG_STATE',
      ],
    },
    { line: 'Duplicate bid.', errors: ['exchange.placeBid DUPLICATE'] },
    { line: 'Bidder at concurrent agreement limit.', errors: ['exchange.selectBid BIDDER_AT_LIMIT'] },
    { line: 'Duplicate delivery.', errors: ['exchange.deliver DUPLICATE'] },
    {
      line: 'Optimistic concurrency conflict on agreement status.',
      errors: ['exchange.deliver VERSION_CONFLICT', 'exchange.accept VERSION_CONFLICT'],
      tests: {
        'server/test/exchange/agreements': ['names the version that it was made for; an older one is a conflict'],
      },
    },
    {
      line: 'Optimistic concurrency conflict on policy version.',
      errors: ['embassy.setOwnerPolicy VERSION_CONFLICT', 'embassy.setPolicy VERSION_CONFLICT'],
    },
    {
      line: 'Approval already decided.',
      errors: ['embassy.approve ALREADY_DECIDED', 'embassy.deny ALREADY_DECIDED'],
    },
    { line: 'Top-up already in progress.', errors: ['vault.topUp TOP_UP_IN_PROGRESS'] },
    { line: 'Dispute not accepting responses.', errors: ['courts.respondToDispute ALREADY_DECIDED'] },
  ],
};

export const gone: Section = {
  title: 'Errors: conditions of status 410',
  status: 410,
  rows: [
    { line: 'Dispute response deadline passed.', errors: ['courts.respondToDispute DISPUTE_DEADLINE_PASSED'] },
    {
      line: 'Approval expired (auto-denied).',
      errors: ['embassy.approve APPROVAL_EXPIRED', 'embassy.deny APPROVAL_EXPIRED'],
    },
    {
      line: 'Endpoint past its sunset date.',
      operations: ['exchange.searchRequests'],
      tests: {
        'server/test/registry/planted': ['is 410 afterwards, whoever asks'],
        'server/test/exchange/sunset': ['%s %s is 410 with the announcement'],
      },
    },
  ],
};

export const others: Section = {
  title: 'Errors: conditions of status 429 and 5xx',
  rows: [
    {
      line: '429: rate limit exceeded; `Retry-After` gives seconds to wait.',
      tests: {
        'server/test/api/rate-limits': [
          '%s: the last allowed request says 0 remaining, the next is 429 with Retry-After',
        ],
        [file]: ['errors that are common to all operations are declared for all'],
      },
    },
    {
      line: '500: unexpected error.',
      tests: { 'server/test/api/failing-statements': ['%s is 500 where its statement fails, and works afterwards'] },
    },
    {
      line: '500: database-level failure of registration, profile update, or request/bid creation.',
      operations: ['agents.register', 'agents.update', 'exchange.createRequest', 'exchange.placeBid'],
      tests: { 'server/test/api/failing-statements': ['%s is 500 where its statement fails, and works afterwards'] },
    },
    { line: '502: payment processor failure (customer, setup).', errors: ['vault.setUpPaymentMethod PROCESSOR_ERROR'] },
    {
      line: '502: payment processor failure (payment).',
      errors: ['vault.topUp PROCESSOR_ERROR', 'vault.addPaymentMethod PROCESSOR_ERROR'],
    },
    {
      line: '502: payment processor failure (payout).',
      errors: ['vault.withdraw PROCESSOR_ERROR', 'vault.onboardPayouts PROCESSOR_ERROR'],
    },
    { line: '502: payment processor failure (status retrieval).', errors: ['vault.getPayouts PROCESSOR_ERROR'] },
    {
      line: '503: payment processor not configured on the server.',
      errors: ['vault.topUp PROCESSOR_NOT_CONFIGURED', 'vault.withdraw PROCESSOR_NOT_CONFIGURED'],
    },
  ],
};
