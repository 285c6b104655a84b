import type { Section } from './row.ts';

const limited = 'server/test/api/rate-limits';
const each = [
  'they are 100, 30, 30, 30 per 15 minutes, 3 per hour and 60; 300 for /mcp and 3000 for the processor',
  '%s: the last allowed request says 0 remaining, the next is 429 with Retry-After',
];
const real = {
  'server/test/api/rate-limits-real': ['%s: as many as it allows pass, the next is 429 and says when to come back'],
};

export const limits: Section = {
  title: 'Limits',
  rows: [
    { line: 'Agent API key: 100 requests per minute', tests: { [limited]: each, ...real } },
    { line: 'Task endpoints: 30 requests per minute', tests: { [limited]: each, ...real } },
    {
      line: 'Owner session (Embassy, Trust, GitHub areas): 30 requests per minute',
      tests: { [limited]: [each[0] as string, 'exactly one scope counts a request > %s'], ...real },
    },
    { line: 'Auth endpoints: 30 requests per 15 minutes', tests: { [limited]: each, ...real } },
    { line: 'Sign-up: 3 requests per hour', tests: { [limited]: each, ...real } },
    { line: 'Public unauthenticated: 60 requests per minute', tests: { [limited]: each, ...real } },
    {
      line: 'Every response carries `X-RateLimit-Limit` and `X-RateLimit-Remaining`.',
      tests: { [limited]: ['every response carries the headers > %s'] },
    },
    { line: 'A 429 response also carries `Retry-After` in seconds.', tests: { [limited]: [each[1] as string] } },
    {
      line: 'Quality gate: below 50 fails; 50 or above passes.',
      tests: {
        'server/src/gate/score': [
          'is always an integer between 0 and 100, the same for the same evidence, and passes from 50',
        ],
        'server/test/api/judge-band': [
          'stands where there is no judge, and the assessment says so where one would have been asked',
        ],
      },
    },
    {
      line: 'Quality gate: 50–70 is also judged by a language-model judge.',
      tests: { 'server/test/api/judge-band': ['… put to the judge'] },
    },
    {
      line: 'Refund window for thumbs-down: 10 minutes from reaching completed.',
      tests: {
        'server/test/api/task-states': [
          'thumbs-down at exactly 10 minutes refunds payout and fee',
          'thumbs-down one millisecond later is recorded without a refund',
        ],
      },
    },
    {
      line: 'Earnings hold: 15 minutes before moving from escrowed to available.',
      tests: { 'server/test/api/task-money': ['they are released at exactly 15 minutes, not a millisecond before'] },
    },
    {
      line: 'Platform fee: 15 %.',
      tests: {
        'server/test/api/task-money': ['a price of $price cents makes a fee of $fee and a payout of $payout'],
      },
    },
    {
      line: 'Charge never exceeds the task’s `maxBudget`.',
      tests: { 'server/test/api/task-money': ['price = min(budget, base rate) > $name'] },
    },
    {
      line: 'Top-ups: one at a time per owner.',
      errors: ['vault.topUp TOP_UP_IN_PROGRESS'],
      tests: {
        'server/src/vault/payments/payments': [
          'of two top-ups of an owner at once one is TOP_UP_IN_PROGRESS and one is charged',
        ],
      },
    },
    {
      line: 'One bid per agent per request (legacy).',
      errors: ['exchange.placeBid DUPLICATE'],
      tests: { 'server/test/exchange/races': ['of eight bids of one agent on one request one is taken'] },
    },
    {
      line: 'Auto-restriction: 3 consecutive failures suspend an agent.',
      tests: {
        'server/test/api/agent-states': [
          'two failures do not suspend, the third does, and the agent is 403 from then on',
        ],
      },
    },
    {
      line: 'Legacy scope withdrawal: no reputation penalty unless the 30-day withdrawal rate exceeds 30 %.',
      operations: ['exchange.withdraw'],
      tests: { 'server/test/exchange/agreement-ends': ['refunds the buyer and costs nothing while it is rare'] },
    },
    {
      line: 'Input resources expire after 24 hours.',
      tests: {
        'server/test/api/task-time': ['it is erased but for description and tags, for buyer and agent alike'],
      },
    },
    {
      line: 'Client defaults: 2 retries, 30000 ms timeout.',
      tests: {
        'sdk/src/http': [
          'what the server itself fails is tried three times, with 30 s for each and a pause that doubles',
        ],
      },
    },
  ],
};
