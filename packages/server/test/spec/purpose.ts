import type { Section } from './row.ts';

export const purpose: Section = {
  title: 'What the service does',
  rows: [
    {
      line: 'Callers submit tasks; registered agents perform them.',
      operations: ['tasks.submit', 'tasks.assigned', 'tasks.start', 'tasks.complete'],
      tests: { 'server/test/journeys/paid-task': ['a direct hire is held, executed, judged, paid and released'] },
    },
    {
      line: 'A task is routed to an agent chosen by the platform, or sent directly to a named agent.',
      operations: ['tasks.submit'],
      tests: {
        'server/test/api/task-states': [
          'the platform assigns an agent of another owner',
          'a direct hire is submitted and its whole budget is held',
        ],
      },
    },
    {
      line: 'It runs in an isolated sandbox, is scored by an automated quality gate, and is paid for in credits.',
      operations: ['sandbox.exec', 'tasks.complete', 'courts.getAssessment'],
      tests: {
        'server/test/api/sandbox': [
          'provision → executing → list, read, write → exec → complete with the buyer’s checks passing',
        ],
      },
    },
    {
      line: 'Agents accumulate a reputation score and a trust tier.',
      operations: ['agents.reputation'],
      tests: {
        'server/test/api/reputation': [
          'anybody reads it: scores, counts, what the next tier takes, and the days that have ended',
        ],
      },
    },
    {
      line: 'Owner: a human account; registers agents, holds the credit pool, manages policies and budget controls.',
      operations: ['auth.signUp', 'agents.register', 'vault.getPool', 'vault.setBudget', 'embassy.setPolicy'],
      tests: {
        'server/src/auth/auth-http': ['sign-up is 201, sign-in 200, session 200, sign-out 204 and then 401'],
        'server/src/tasks/budgets/budgets-http': [
          'have the daily default at first, are kept as set, and say what was spent',
        ],
        'server/test/api/policies': [
          'allow everything at first, are listed owner first, and go up a version with each change',
        ],
      },
    },
    {
      line: 'Agent: a registered worker with its own API key and its own wallet.',
      operations: ['agents.register', 'vault.getWallet'],
      tests: {
        'server/src/registry/registry-http': ['registration is 201 with agent and apiKey, and the key opens agents/me'],
        'server/src/vault/wallets/wallets-http': ['a wallet is private to its agent and its owner'],
      },
    },
    {
      line: 'Trust consumer: an external party that holds a read-only key and queries reputation.',
      operations: ['trust.getAgent', 'trust.getAgents'],
      tests: {
        'server/test/api/trust': [
          'counts work and disputes, and how these ended',
          'that are missing or unknown are 401, and other credentials do not read reputation',
        ],
      },
    },
    {
      line: 'Channel: a tool-protocol server exposing 31 tools.',
      tests: {
        'mcp/src/tools': ['has exactly 31 names'],
        'mcp/test/every-tool': ['no tool was left out'],
        'mcp/test/whole-task': ['a task is bought, delivered in the sandbox, judged and praised'],
      },
    },
    {
      line: 'Channel: a web dashboard.',
      tests: {
        'dashboard/test/agent-owner': [
          'an owner signs up, registers an agent, puts it to work, sees what it earned and withdraws a part',
        ],
        'server/test/api/serving': ['is at / for programs too, which find it at no other path'],
      },
    },
    {
      line: 'Channel: a client SDK. All channels use the HTTP interface.',
      tests: {
        'sdk/src/registry': ['%s has a method that sends its method and path'],
        '../interop/sdk-package': ['%s buys and delivers a task'],
      },
    },
    {
      line: 'Registry at `/api/v1/agents`: profiles, reputation, trust tiers, search.',
      operations: ['agents.get', 'agents.reputation', 'agents.search'],
      tests: { 'server/test/registry/contract': ['%s is mounted, for every method it answers'] },
    },
    {
      line: 'Exchange at `/api/v1/exchange`: legacy bidding, deprecated.',
      operations: ['exchange.createRequest'],
      tests: { 'server/test/exchange/sunset': ['every operation of the exchange is marked as deprecated'] },
    },
    {
      line: 'Vault at `/api/v1/vault`: wallets, credits, payments, budget enforcement.',
      operations: ['vault.getWallet', 'vault.getPool', 'vault.topUp', 'vault.setBudget'],
      tests: {
        'server/src/tasks/budgets/budgets-http': [
          'at the per-transaction maximum is held, one cent above is 400 BUDGET_EXCEEDED and holds nothing',
        ],
        'server/src/vault/payments/payments-http': [
          'a card is saved with 201, a top-up is 200 and shows in pool and transactions',
        ],
      },
    },
    {
      line: 'Courts at `/api/v1/courts`: quality assessment, disputes.',
      operations: ['courts.getAssessment', 'courts.getDispute'],
      tests: {
        'server/test/courts/disputes': [
          'by its submitter after the refund window; both parties read the dispute, with all that was said',
        ],
      },
    },
    {
      line: 'Embassy at `/api/v1/embassy`: owner oversight, policies, approvals.',
      operations: [
        ...(['embassy.listApprovals', 'embassy.approve', 'embassy.deny', 'embassy.overview', 'embassy.audit'] as const),
        ...(['embassy.listPolicies', 'embassy.setOwnerPolicy', 'embassy.setPolicy'] as const),
      ],
      tests: {
        'server/test/api/approvals': [
          'is submitted by the approval, for the agent that asked, and the submission is erased',
        ],
        'server/test/api/oversight': ['says what needs attention, until it is seen to'],
        'server/test/api/policies': ["obeys its owner's policy and that of its agent"],
      },
    },
    {
      line: 'Trust at `/api/v1/trust`: read-only reputation queries for external platforms.',
      operations: ['trust.getAgent', 'trust.attestation'],
      tests: { 'server/test/api/trust': ['counts work and disputes, and how these ended'] },
    },
    {
      line: 'Tasks at `/api/v1/tasks`.',
      operations: ['tasks.submit'],
      tests: { 'server/test/api/endpoints': ['answers 201 with the task and charges the owner pool'] },
    },
    {
      line: 'Task budgets, wallet balances and charged credits are integers in cents.',
      tests: {
        'server/test/api/bad-input': ['a budget of %j is 400 and names maxBudget'],
        'server/test/api/task-money': ['a price of $price cents makes a fee of $fee and a payout of $payout'],
      },
    },
    {
      line: 'Legacy bid amounts are in dollars.',
      operations: ['exchange.placeBid'],
      tests: {
        'server/test/exchange/agreements': [
          'goes from a bid to a payout of 85 %, with dollars outside and cents inside',
        ],
      },
    },
    {
      line: 'When a task is submitted, credits are held from the caller’s pool.',
      operations: ['tasks.submit', 'tasks.submitAsAgent'],
      tests: {
        'server/test/api/task-states': ['a direct hire is submitted and its whole budget is held'],
        'server/test/api/task-money': ["its owner's pool pays, and the agent and its owner are the submitter"],
      },
    },
    {
      line: 'Credits are charged only if the task passes the quality gate.',
      operations: ['tasks.complete'],
      tests: {
        'server/test/api/task-states': [
          'a score of 50 or above completes: charged, assessed, escrowed',
          'a score below 50 fails: the hold returns whole and the message says why',
        ],
      },
    },
    {
      line: 'They are refunded when the task fails.',
      operations: ['tasks.fail'],
      tests: {
        'server/test/api/task-states': ['the caller is refunded, the reason is shown, and the agent is blamed'],
        'server/test/api/task-time': ['after 60 minutes: failed, refunded and counted against the agent'],
      },
    },
    {
      line: 'They are refunded on thumbs-down feedback inside the refund window.',
      operations: ['tasks.feedback'],
      tests: { 'server/test/api/task-states': ['thumbs-down at exactly 10 minutes refunds payout and fee'] },
    },
    {
      line: 'The fee is 15 % of the seller’s payout: the agent receives 85 % of the task value.',
      tests: {
        'server/test/api/task-money': ['a price of $price cents makes a fee of $fee and a payout of $payout'],
      },
    },
    {
      line: 'The buyer pays the agreed price with no extra fee.',
      tests: {
        'server/test/api/task-money': [
          'a price of $price cents makes a fee of $fee and a payout of $payout',
          'a new list price does not touch a task that was agreed before',
        ],
      },
    },
    {
      line: 'An owner cannot transact with its own agents: same-owner tasks and direct hires are blocked.',
      errors: ['tasks.submit SAME_OWNER', 'tasks.submitAsAgent SAME_OWNER', 'exchange.createRequest SAME_OWNER'],
      tests: { 'server/test/api/task-money': ['an agent of the same owner is refused by name and skipped by routing'] },
    },
    {
      line: 'Same-owner bids are blocked.',
      errors: ['exchange.placeBid SAME_OWNER'],
      tests: {
        'server/test/exchange/bids': [
          'is refused on an own request, on one of the same owner, and at and after the end of bidding',
        ],
      },
    },
    {
      line: 'Smart routing skips agents of the submitting owner.',
      tests: {
        'server/test/api/task-states': [
          'where only agents of the same owner match, it is NO_AGENTS_AVAILABLE and nothing is held or stored',
        ],
      },
    },
    {
      line: 'Sandbox: an isolated environment per task with no outbound network.',
      tests: {
        'server/test/api/sandbox-limits': [
          'no way leads to %s',
          'there is no interface but the loopback, and no name is resolved',
        ],
      },
    },
    {
      line: 'Sandbox: an ephemeral filesystem.',
      tests: {
        'server/test/api/sandbox-warm': [
          'a task gets a warm sandbox as its own, new like any other, and nobody gets it afterwards',
        ],
        'server/test/api/sandbox-kept': ['the end of the task removes its kept workspace'],
      },
    },
    {
      line: 'Sandbox: resource limits.',
      tests: {
        'server/test/api/sandbox-limits': [
          'SANDBOX_CPUS: two busy processes get half a CPU together',
          'SANDBOX_MEMORY_BYTES: a command that takes more is ended, and the sandbox lives on',
          'SANDBOX_PROCESSES: no more can be started than that',
          'SANDBOX_DISK_BYTES: the workspace is full then',
        ],
      },
    },
    {
      line: 'Sandbox: container isolation.',
      tests: {
        'server/src/sandbox/bwrap/host': ['never runs as root, and gives each live sandbox a user of its own'],
        'server/test/api/containers': ['a task is worked on, checked and paid in containers, and none is left'],
      },
    },
    {
      line: 'The sandbox is destroyed after the task.',
      operations: ['sandbox.destroy'],
      tests: { 'server/test/api/sandbox': ['after %s, even with a command still running'] },
    },
    {
      line: 'The buyer’s code is reachable only through the sandbox endpoints, and only after the agent marks executing.',
      operations: ['tasks.start', 'sandbox.read'],
      tests: {
        'server/test/api/visibility': [
          'before executing the agent sees the description, names and sizes, wherever it looks',
          'from executing on, and after the end, the agent also sees the free-form keys; code never stands in JSON',
        ],
      },
    },
    {
      line: 'Inputs given as files or text are mounted read-only in the sandbox.',
      tests: {
        'server/test/api/sandbox-files': ['the buyer’s inputs can be listed and read at /input, and not written'],
      },
    },
    {
      line: 'Inputs auto-expire after 24 hours.',
      tests: {
        'server/test/api/task-time': ['it is erased but for description and tags, for buyer and agent alike'],
        'server/test/api/repositories': ['is erased with the input after 24 hours: the row, and the bytes on disk'],
      },
    },
  ],
};
