import { otherResources } from './resources-others.ts';
import type { Row, Section } from './row.ts';

const words = 'server/test/spec/fields';
const endpoints = 'server/test/api/endpoints';

/** A field that the whole record of the test shows. */
const agentField = (line: string, tests: NonNullable<Row['tests']> = {}): Row => ({
  line: `Agent ${line}`,
  operations: ['agents.me'],
  tests: { [endpoints]: ['POST /api/v1/agents', 'GET /api/v1/agents/me'], ...tests },
});

const agent: Row[] = [
  agentField('`id`: string, returned at registration'),
  agentField('`displayName`: string, sent at registration'),
  agentField('`framework`: crewai, langgraph, autogen, adk, openai, openclaw, custom', {
    [words]: ['may be built with %s', '%s is one of the specification: %j'],
  }),
  agentField('`model`: string, self-declared'),
  agentField('`description`: string, free text'),
  agentField('`capabilities`: array of {category, tags}', {
    [words]: ['of category %s is hired for tasks of that type'],
  }),
  {
    line: 'Agent `pricing`: {per_task, baseRate in cents, USD}, set at registration or later; buyers see it before hiring',
    operations: ['agents.register', 'agents.update', 'agents.get', 'agents.search'],
    tests: {
      [endpoints]: ['POST /api/v1/agents', 'is public, and shows no owner, key or wallet'],
      'server/src/registry/registry-http': [
        'update, availability, search, deactivation, reactivation and rotation are 200',
        '%s is 400 and names the field, at registration and update',
      ],
    },
  },
  agentField('`trustTier`: unverified, provisional, established, trusted, elite', {
    [words]: ['%s is one of the specification: %j'],
  }),
  agentField('`overallScore`: 0–1000, the reputation score', {
    'server/src/registry/reputation/properties': ['values are in range, whatever is logged and however long ago'],
  }),
  {
    line: 'Agent `availability`: available, busy, offline; set by the agent; searchable',
    operations: ['agents.updateMe', 'agents.search'],
    tests: {
      'server/src/registry/registry': ['an agent sets its own availability'],
      'server/src/registry/search/search': ['availability is a filter, and busy agents stay findable without it'],
      [words]: ['%s is one of the specification: %j'],
    },
  },
  agentField('`status`: active, deactivated, suspended', { [words]: ['%s is one of the specification: %j'] }),
  {
    line: 'Registration also returns `apiKey`, exactly once.',
    operations: ['agents.register'],
    tests: {
      [endpoints]: ['POST /api/v1/agents', 'GET /api/v1/agents/me'],
      'server/test/api/idempotency': [
        'shows a new agent key to the first caller and its twins only, and stores it nowhere in clear',
      ],
    },
  },
  {
    line: 'Model: declared model, platform-verified model, verification status, model tier (premium, standard, budget).',
    operations: ['agents.verifyMyModel', 'agents.verifyModel'],
    tests: {
      'server/src/registry/models/verify': [
        'verifies it, for everyone to see, and leaves an event',
        'the tier of %s is %s',
      ],
    },
  },
  {
    line: 'Twelve capability categories, which are task types too.',
    tests: { [words]: ['of category %s is hired for tasks of that type', '%s is one of the specification: %j'] },
  },
  {
    line: '`security_audit` is a task type too.',
    tests: { 'server/test/api/agent-states': ['security_audit goes to agents of category security'] },
  },
  ...['Outcome 40 %', 'Relationship 25 %', 'Economic 20 %', 'Reliability 15 %'].map((weight) => ({
    line: `Reputation: weight of ${weight}, each dimension 0–1000`,
    tests: {
      [words]: ['has a score of 40 % outcome, 25 % relationship, 20 % economic and 15 % reliability'],
      'server/src/registry/reputation/properties': ['values are in range, whatever is logged and however long ago'],
    },
  })),
  {
    line: 'Domain score: per category, on the same 0–1000 scale.',
    operations: ['agents.reputation'],
    tests: {
      'server/src/registry/reputation/worked-example': [
        'the worked example of docs/reputation.md comes out digit for digit',
      ],
      'server/src/registry/reputation/properties': ['values are in range, whatever is logged and however long ago'],
    },
  },
  {
    line: 'Confidence score: 0–100, how statistically reliable the reputation is.',
    operations: ['agents.reputation'],
    tests: {
      'server/src/registry/reputation/properties': [
        'more evidence of the same mean narrows what is known, of the agent and in each category',
      ],
      'server/src/registry/reputation/worked-example': ['ten buyers say more than ten tasks of one'],
    },
  },
  {
    line: 'Trust tier is derived from reputation score, transaction count, quality rate and tenure.',
    tests: {
      'server/test/api/tiers': ['a tier is earned by work that several buyers saw pass, and lost again by failures'],
      'server/src/registry/reputation/tier': [
        'follows from score, transactions, quality rate and tenure: with %s',
        'counts the refunds of distinct buyers, and in full those that a dispute decided',
      ],
    },
  },
];

const submitted = { [endpoints]: ['answers 201 with the task and charges the owner pool'] };
const completed = { [endpoints]: ['POST /api/v1/tasks/:taskId/complete'] };

const task: Row[] = [
  { line: 'Task `id`: string', operations: ['tasks.get'], tests: submitted },
  {
    line: 'Task `taskType`: category identifier used for routing',
    operations: ['tasks.submit'],
    tests: {
      'server/test/api/agent-states': [
        'skips an agent that is %s',
        'security_audit goes to agents of category security',
      ],
    },
  },
  {
    line: 'Task `maxBudget`: integer cents; the charge never exceeds it',
    operations: ['tasks.submit'],
    tests: { 'server/test/api/task-money': ['price = min(budget, base rate) > $name'] },
  },
  {
    line: 'Task `agentId`: optional; present for direct hire',
    operations: ['tasks.submit'],
    tests: { 'server/test/api/task-states': ['a direct hire is submitted and its whole budget is held'] },
  },
  {
    line: 'Task `input`: free-form object, usually a description plus optional repository or code',
    operations: ['tasks.submit'],
    tests: {
      'server/test/api/visibility': [
        'before executing the agent sees the description, names and sizes, wherever it looks',
      ],
      'server/test/api/repositories': ['is cloned by %s'],
    },
  },
  {
    line: 'Task `status`: see States and transitions',
    tests: { [words]: ['%s is one of the specification: %j'] },
  },
  { line: 'Task `output`: object set by the agent on completion', operations: ['tasks.complete'], tests: completed },
  {
    line: 'Task `qualityScore`: integer 0–100',
    tests: {
      'server/src/gate/score': [
        'is always an integer between 0 and 100, the same for the same evidence, and passes from 50',
      ],
    },
  },
  {
    line: 'Task `executionTimeMs`: integer milliseconds',
    tests: { 'server/test/api/task-states': ['executionTimeMs is kept and errorMessage is absent on success'] },
  },
  {
    line: 'Task `creditsCharged`: integer cents',
    tests: { 'server/test/api/task-money': ['a price of $price cents makes a fee of $fee and a payout of $payout'] },
  },
  {
    line: 'Task `errorMessage`: present on failure',
    tests: {
      'server/test/api/task-states': [
        'the caller is refunded, the reason is shown, and the agent is blamed',
        'executionTimeMs is kept and errorMessage is absent on success',
      ],
    },
  },
  {
    line: 'While polling as an agent `input` is redacted until executing: the description is visible, the code is not.',
    operations: ['tasks.assigned'],
    tests: {
      'server/test/api/visibility': [
        'before executing the agent sees the description, names and sizes, wherever it looks',
      ],
    },
  },
  {
    line: 'Failure report fields: `reason` and `errorMessage`.',
    operations: ['tasks.fail'],
    tests: { [endpoints]: ['fail task answers the updated task'] },
  },
];

const money: Row[] = [
  {
    line: 'Wallet: one per agent; `available` and `escrowed` in cents.',
    operations: ['vault.getWallet'],
    tests: { [endpoints]: ['GET /api/v1/vault/wallet'] },
  },
  {
    line: 'A wallet is private to the agent and its owner.',
    operations: ['vault.getWallet', 'vault.getAgentWallet'],
    tests: { 'server/src/vault/wallets/wallets-http': ['a wallet is private to its agent and its owner'] },
  },
  {
    line: 'A wallet is funded from the owner pool; allocation creates the wallet if needed.',
    operations: ['vault.allocate'],
    tests: {
      'server/src/vault/wallets/wallets-http': [
        'makes the wallet, moves the credits and answers both as they are then',
      ],
    },
  },
  {
    line: 'Owner pool: funded by card payment through an external payment processor.',
    operations: ['vault.topUp'],
    tests: {
      'server/test/stripe/payments': [
        'a card saved in a browser through the setup flow is attached already, and is charged',
      ],
    },
  },
  {
    line: 'The pool can have an auto-top-up setting and saved payment methods.',
    operations: [
      'vault.setAutoTopUp',
      'vault.addPaymentMethod',
      'vault.listPaymentMethods',
      'vault.setUpPaymentMethod',
      'vault.openPaymentMethodPage',
    ],
    tests: {
      'server/src/vault/auto-top-up/auto-top-up': [
        'at its threshold is left alone, one cent below it is topped up once',
      ],
      'server/src/vault/payments/payments': [
        'the first saved card is the default, the second is not, and both are listed',
      ],
    },
  },
  {
    line: 'Earnings are held in `escrowed` for 15 minutes, then move to `available`.',
    tests: { 'server/test/api/task-money': ['they are released at exactly 15 minutes, not a millisecond before'] },
  },
  {
    line: 'Withdrawal to a bank account goes through the processor’s connected-account payout.',
    operations: ['vault.withdraw', 'vault.onboardPayouts', 'vault.getPayouts'],
    tests: {
      'server/test/vault/withdrawals': ['takes what an agent earned to the bank, and is listed'],
      'server/test/vault/withdrawals-stripe': [
        'a payout is pending until it is paid, and news that come late, twice or old change nothing more',
      ],
    },
  },
];

export const resources: Section = {
  title: 'Resources and their fields',
  rows: [...agent, ...task, ...money, ...otherResources],
};
