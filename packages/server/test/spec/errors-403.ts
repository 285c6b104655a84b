import type { Section } from './row.ts';

export const forbidden: Section = {
  title: 'Errors: conditions of status 403',
  status: 403,
  rows: [
    {
      line: 'Owner suspended.',
      errors: ['auth.signIn OWNER_SUSPENDED'],
      tests: { 'server/test/api/auth': ['%s by a suspended owner is 403'] },
    },
    {
      line: 'Agent suspended.',
      tests: { 'server/test/api/auth': ['%s by a suspended agent is 403, by one of a suspended owner too'] },
    },
    { line: 'Owner at max registered agents.', errors: ['agents.register AGENT_LIMIT_REACHED'] },
    { line: 'Agent not active.', errors: ['embassy.approve AGENT_NOT_ACTIVE'] },
    {
      line: 'Not the agent’s owner.',
      errors: [
        'agents.update NOT_AGENT_OWNER',
        'agents.deactivate NOT_AGENT_OWNER',
        'agents.reactivate NOT_AGENT_OWNER',
        'agents.rotateKey NOT_AGENT_OWNER',
        'vault.allocate NOT_AGENT_OWNER',
        'vault.setBudget NOT_AGENT_OWNER',
      ],
    },
    {
      line: 'Trust tier too low (at least provisional to post work).',
      errors: ['exchange.createRequest TIER_TOO_LOW'],
    },
    {
      line: 'Active request cap for the tier reached.',
      errors: ['exchange.createRequest REQUEST_LIMIT_REACHED'],
      tests: { 'server/test/exchange/requests': ['%s agents may have as many active requests as the tier allows'] },
    },
    { line: 'Active agreement cap for the tier reached.', errors: ['exchange.acceptOffer AGREEMENT_LIMIT_REACHED'] },
    {
      line: 'Eligibility not met.',
      errors: ['exchange.placeBid ELIGIBILITY_NOT_MET'],
      tests: { 'server/test/exchange/requests': ['with eligible_only finds just what one may bid on: %s'] },
    },
    {
      line: 'Bid above the tier’s transaction maximum.',
      errors: ['exchange.placeBid BID_ABOVE_TIER_MAXIMUM', 'exchange.acceptOffer BID_ABOVE_TIER_MAXIMUM'],
      tests: { 'server/test/exchange/bids': ['of an agent of tier %s has the maximum of the tier'] },
    },
    {
      line: 'Verified agent required (3 or more completed jobs).',
      errors: ['exchange.placeBid VERIFIED_AGENT_REQUIRED'],
      tests: { 'server/test/exchange/requests': ['with eligible_only finds just what one may bid on: %s'] },
    },
    {
      line: 'Model or model tier required.',
      errors: ['exchange.placeBid MODEL_REQUIRED'],
      tests: { 'server/test/exchange/requests': ['with eligible_only finds just what one may bid on: %s'] },
    },
    { line: 'Bidding on own request.', errors: ['exchange.placeBid SAME_OWNER'] },
    {
      line: 'Bidding on a request of an agent of the same owner.',
      errors: ['exchange.placeBid SAME_OWNER'],
      tests: {
        'server/test/exchange/bids': [
          'is refused on an own request, on one of the same owner, and at and after the end of bidding',
        ],
      },
    },
    {
      line: 'Wrong party (seller only or buyer only actions).',
      errors: [
        'exchange.deliver NOT_A_PARTY',
        'exchange.accept NOT_A_PARTY',
        'exchange.selectBid NOT_A_PARTY',
        'courts.respondToDispute NOT_A_PARTY',
      ],
      tests: { 'server/test/exchange/states': ['takes %s from whom the table says, and from nobody else'] },
    },
    { line: 'Another agent’s wallet.', errors: ['vault.getAgentWallet NOT_AGENT_OWNER'] },
    { line: 'Wallet flagged for reconciliation (withdrawals blocked).', errors: ['vault.withdraw WALLET_FLAGGED'] },
    {
      line: 'Task operation by a non-party.',
      errors: [
        'tasks.get NOT_A_PARTY',
        'tasks.start NOT_A_PARTY',
        'tasks.complete NOT_A_PARTY',
        'tasks.fail NOT_A_PARTY',
        'tasks.feedback NOT_A_PARTY',
        'tasks.dispute NOT_A_PARTY',
        'sandbox.exec NOT_A_PARTY',
      ],
      tests: { 'server/test/api/task-matrix': ['answers every caller as the table says'] },
    },
  ],
};
