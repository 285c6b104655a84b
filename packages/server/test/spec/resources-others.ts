import type { Row } from './row.ts';

const words = 'server/test/spec/fields';
const endpoints = 'server/test/api/endpoints';

/** Webhooks, trust keys, courts, policies, the legacy exchange and events. */
export const otherResources: Row[] = [
  {
    line: 'Webhook registration `url`: string, absolute URL',
    operations: ['webhooks.createMine', 'webhooks.create'],
    tests: { 'server/test/webhooks/manage': ['a URL that the server must not call is refused by name > %s'] },
  },
  {
    line: 'Webhook registration `events`: task_assigned, task_completed, feedback_received',
    operations: ['webhooks.createMine', 'webhooks.create'],
    tests: {
      [words]: ['a webhook may be told of the three kinds of the specification'],
      'server/test/webhooks/manage': ['unknown, repeated and missing kinds are refused'],
    },
  },
  {
    line: 'Trust API key: prefix `tst_`, read-only, separate from agent keys; can be revoked.',
    operations: ['trust.createKey', 'trust.revokeKey'],
    tests: {
      'server/test/api/trust': [
        'are shown once, listed by their beginning, and stored as a hash',
        'that are revoked are refused with 401 at once, and revoking again is 400',
        'that are missing or unknown are 401, and other credentials do not read reputation',
      ],
    },
  },
  {
    line: 'Assessment: a 0–100 score and per-criteria breakdowns, produced after delivery.',
    operations: ['courts.getAssessment', 'courts.listAssessments'],
    tests: {
      [endpoints]: ['assessments: by task and by id, with evidence for each criterion, for buyer and seller only'],
    },
  },
  {
    line: 'Dispute: outcomes buyer_wins, seller_wins, split, dismissed.',
    operations: ['courts.resolveDispute'],
    tests: {
      'server/test/courts/dispute-money': ['$outcome $share: buyer $buyer, agent $available, fee $fee'],
      [words]: ['%s is one of the specification: %j'],
    },
  },
  {
    line: 'The losing party of a dispute gets a reputation penalty.',
    tests: {
      'server/test/courts/dispute-money': ['a lost dispute counts as a refunded task, and costs reputation'],
      'server/test/courts/disputes': ['$outcome costs $penalised reputation where an agent had hired'],
    },
  },
  {
    line: 'Policy: budget limits, approval requirements, allowed categories, operating hours.',
    operations: ['embassy.setOwnerPolicy', 'embassy.setPolicy'],
    errors: ['tasks.submit POLICY_DENIED', 'tasks.submitAsAgent POLICY_DENIED'],
    tests: {
      'server/test/api/policies': [
        '%s is 403 with the rule, routed or not, and nothing is held',
        'is allowed only within the hours, to the minute',
        'above the lowest threshold waits; the approval checks the policy of that moment, and racing ones submit once',
      ],
      'server/test/api/policies-work': ['is no task %s: no candidate, and a direct hire is 403 without the reason'],
    },
  },
  {
    line: 'A policy carries a `version` number for optimistic concurrency.',
    errors: ['embassy.setOwnerPolicy VERSION_CONFLICT', 'embassy.setPolicy VERSION_CONFLICT'],
    tests: {
      'server/test/api/policies': ['of one version are changed once, however many try; the others learn the version'],
    },
  },
  {
    line: 'An approval request can expire, which means auto-denial.',
    errors: ['embassy.approve APPROVAL_EXPIRED', 'embassy.deny APPROVAL_EXPIRED'],
    tests: {
      'server/test/api/approvals': ['that nobody decides within a day is denied: 410 before the sweep and after'],
    },
  },
  {
    line: 'Budget controls are of the Pro and Enterprise plans, and of the free one too.',
    tests: { 'server/src/tasks/budgets/budgets-http': ['are of every plan'] },
  },
  {
    line: 'Budget controls: per-transaction maximum.',
    errors: ['tasks.submitAsAgent BUDGET_EXCEEDED'],
    tests: {
      'server/src/tasks/budgets/budgets-http': [
        'at the per-transaction maximum is held, one cent above is 400 BUDGET_EXCEEDED and holds nothing',
      ],
    },
  },
  {
    line: 'Budget controls: daily, weekly and monthly rolling limits.',
    operations: ['vault.setBudget'],
    tests: { 'server/src/tasks/budgets/budgets-http': ['counts against the %s for exactly that time'] },
  },
  {
    line: 'Budget controls: approval thresholds.',
    operations: ['vault.setBudget', 'embassy.getApproval'],
    tests: {
      'server/test/api/approvals': [
        'waits: 202 with the request, nothing is held, and both the owner and the agent can read it',
      ],
    },
  },
  {
    line: 'Legacy work request: title, description, category, budget range, deadline, `biddingClosesAt`, eligibility, sandbox configuration.',
    operations: ['exchange.createRequest', 'exchange.getRequest'],
    tests: { 'server/test/exchange/requests': ['keeps every field as it was given'] },
  },
  {
    line: 'Legacy selection mode manual.',
    operations: ['exchange.selectBid'],
    tests: { 'server/test/exchange/bids': ['is for the agent that posted, once, and not for the mode auto'] },
  },
  {
    line: 'Legacy selection mode auto.',
    tests: {
      'server/test/exchange/bids': ['selects by reputation, price and speed when bidding closes, and not before'],
    },
  },
  {
    line: 'Legacy selection mode direct, with `directHireAgentId`.',
    operations: ['exchange.acceptOffer', 'exchange.declineOffer'],
    tests: { 'server/test/exchange/requests': ['is accepted at the top of the budget, which goes into escrow'] },
  },
  {
    line: 'Legacy bid: amount, estimated delivery, message.',
    operations: ['exchange.placeBid'],
    tests: {
      'server/test/exchange/bids': [
        'is read by the buyer with the reputation of the bidder, and stays unseen by other bidders',
      ],
    },
  },
  {
    line: 'Legacy agreement: work, price, deadline, escrow amount, platform fee.',
    operations: ['exchange.getAgreement'],
    tests: {
      'server/test/exchange/agreements': ['goes from a bid to a payout of 85 %, with dollars outside and cents inside'],
    },
  },
  {
    line: 'Legacy deliverable types: text, file, structured_data.',
    operations: ['exchange.deliver'],
    tests: { 'server/test/exchange/agreements': ['of %s is kept as it was sent, and assessed'] },
  },
  {
    line: 'Event record: `eventId`, `eventType`, `sourceDistrict`, `timestamp`, `data`, `metadata`.',
    operations: ['tasks.events', 'embassy.audit'],
    tests: { 'server/test/api/stream': ['all events of one task carry the correlation id of its submission'] },
  },
  {
    line: '`metadata.correlationId` links all events of one transaction lifecycle.',
    operations: ['tasks.events'],
    tests: { 'server/test/api/stream': ['all events of one task carry the correlation id of its submission'] },
  },
];
