import type { Row, Section } from './row.ts';

const life = 'server/test/api/task-states';
const agents = 'server/test/api/agent-states';

const task: Row[] = [
  {
    line: 'Task states: submitted, routing, executing, quality_check, completed, failed, refunded.',
    tests: {
      'server/test/spec/fields': ['%s is one of the specification: %j'],
      'server/test/steps/transitions': ['answers %s as the contract says'],
    },
  },
  {
    line: '(none) → submitted: a caller submits a task, with sufficient pool balance; credits held.',
    operations: ['tasks.submit'],
    errors: ['tasks.submit INSUFFICIENT_CREDITS'],
    tests: {
      [life]: [
        'a direct hire is submitted and its whole budget is held',
        'a budget of exactly the balance is held, one cent more is INSUFFICIENT_CREDITS and stores nothing',
      ],
    },
  },
  {
    line: 'submitted → routing: platform routing where no agentId is given.',
    operations: ['tasks.submit'],
    tests: { [life]: ['the platform assigns an agent of another owner'] },
  },
  {
    line: 'Routing scores agents by reputation, capability match, availability, capacity and assigns the best.',
    operations: ['tasks.routing'],
    tests: {
      [agents]: ['skips an agent that is %s', 'takes the agent with the better reputation'],
      'server/src/tasks/routing/choose': [
        'the record adds up: utility is draw, history, price, load and tags, and the choice is the first',
      ],
    },
  },
  {
    line: 'routing or submitted → executing: the assigned agent marks the task executing with a sandboxId.',
    operations: ['tasks.start'],
    errors: ['tasks.start NOT_A_PARTY', 'tasks.start TASK_WRONG_STATE'],
    tests: {
      [life]: [
        'from submitted, and the input becomes visible to the agent',
        'from routing',
        'only the assigned agent may, and only once',
      ],
    },
  },
  {
    line: 'On executing the buyer’s code becomes accessible in the sandbox.',
    operations: ['tasks.start', 'sandbox.read'],
    tests: {
      'server/test/api/visibility': [
        'before executing the agent sees the description, names and sizes, wherever it looks',
        'from executing on, and after the end, the agent also sees the free-form keys; code never stands in JSON',
      ],
    },
  },
  {
    line: 'executing → quality_check: the agent reports completion; the quality gate runs.',
    operations: ['tasks.complete'],
    tests: {
      'server/test/api/stream': ['follows a task live: each status as it happens, then complete with output and score'],
    },
  },
  {
    line: 'quality_check → completed: score 50 or above; charged, 15 % fee deducted, earnings held 15 minutes.',
    tests: {
      [life]: [
        'a score of 50 or above completes: charged, assessed, escrowed',
        'a declared score of 49 fails a delivery that the gate would pass; 50 does not',
      ],
      'server/test/api/judge-band': [
        'stands where there is no judge, and the assessment says so where one would have been asked',
      ],
    },
  },
  {
    line: 'quality_check → completed: reputation updated.',
    tests: {
      'server/test/api/reputation': [
        'what a task says of its agent is read by itself within a second, and recomputing finds the same',
      ],
    },
  },
  {
    line: 'quality_check → failed: score below 50; caller refunded, agent reputation affected.',
    tests: { [life]: ['a score below 50 fails: the hold returns whole and the message says why'] },
  },
  {
    line: 'executing → failed: the agent reports failure; caller not charged, credits refunded.',
    operations: ['tasks.fail'],
    tests: { [life]: ['the caller is refunded, the reason is shown, and the agent is blamed'] },
  },
  {
    line: 'completed → refunded: thumbs-down within 10 minutes of reaching completed; instant refund.',
    operations: ['tasks.feedback'],
    tests: { [life]: ['thumbs-down at exactly 10 minutes refunds payout and fee'] },
  },
  {
    line: 'completed → completed: thumbs-up; agent reputation boost.',
    operations: ['tasks.feedback'],
    tests: { [life]: ['thumbs-up keeps the task completed and raises the reputation'] },
  },
  {
    line: 'completed → completed: thumbs-down after 10 minutes; negative feedback recorded, no refund.',
    operations: ['tasks.feedback'],
    tests: { [life]: ['thumbs-down one millisecond later is recorded without a refund'] },
  },
  {
    line: 'After the window a dispute call is the fallback.',
    operations: ['tasks.dispute'],
    tests: {
      'server/test/courts/disputes': [
        'by its submitter after the refund window; both parties read the dispute, with all that was said',
      ],
      'server/test/courts/dispute-exits': ['feedback after the window leaves a dispute open to the buyer'],
    },
  },
  {
    line: 'The score band 50–70 is additionally judged by a language-model judge.',
    tests: {
      'server/test/api/judge-band': ['… put to the judge'],
    },
  },
  {
    line: 'Completing an already completed task is 409.',
    errors: ['tasks.complete TASK_WRONG_STATE'],
    tests: { [life]: ['completing an already completed task is 409'] },
  },
  {
    line: 'Failing a terminal task is 409.',
    errors: ['tasks.fail TASK_WRONG_STATE'],
    tests: { [life]: ['failing a terminal task is 409, whichever end it came to'] },
  },
  {
    line: 'Feedback on a non-completed task is 409.',
    errors: ['tasks.feedback TASK_WRONG_STATE'],
    tests: { [life]: ['feedback on a task that is not completed is 409'] },
  },
];

const agent: Row[] = [
  {
    line: 'Agent states: active, deactivated, suspended.',
    tests: { 'server/test/spec/fields': ['%s is one of the specification: %j'] },
  },
  {
    line: 'active → deactivated: deactivate operation.',
    operations: ['agents.deactivate'],
    tests: { [agents]: ['the agent is deactivated, its key is 401, and it cannot be hired'] },
  },
  {
    line: 'deactivated → active: reactivate operation.',
    operations: ['agents.reactivate'],
    tests: { [agents]: ['the agent is active, and its old key works again'] },
  },
  {
    line: 'active → suspended: 3 consecutive task failures (auto-restriction).',
    tests: {
      [agents]: [
        'two failures do not suspend, the third does, and the agent is 403 from then on',
        'a gate that rejects, a reported failure and a missed deadline count alike',
        'a success between resets the count',
      ],
    },
  },
  {
    line: 'suspended → active: owner reactivation.',
    operations: ['agents.reactivate'],
    tests: { [agents]: ['the key works again, and the next failure alone does not suspend'] },
  },
  {
    line: 'Deactivating an already deactivated agent is 400.',
    errors: ['agents.deactivate ALREADY_DEACTIVATED'],
    tests: { [agents]: ['deactivating a deactivated agent is 400'] },
  },
  {
    line: 'Reactivating an already active agent is 400.',
    errors: ['agents.reactivate ALREADY_ACTIVE'],
    tests: { [agents]: ['reactivating an active agent is 400'] },
  },
  {
    line: 'Auto-restriction also restricts an agent to the provisional tier when its overall score is below 100.',
    tests: { 'server/src/registry/reputation/tier': ['a score below 100 leaves no tier above provisional'] },
  },
  {
    line: 'Trust tier changes are automatic.',
    tests: {
      'server/test/api/tiers': ['a tier is earned by work that several buyers saw pass, and lost again by failures'],
      'server/test/api/audit': ['a change of tier is logged once, with the task that caused it'],
    },
  },
];

const legacy: Row[] = [
  {
    line: 'Work request statuses: open, in_progress, direct_offer, completed, cancelled.',
    operations: ['exchange.cancelRequest'],
    tests: {
      'server/test/spec/fields': ['%s is one of the specification: %j'],
      'server/test/exchange/states': ['of %s name only statuses that exist, and reach every one'],
    },
  },
  {
    line: 'Agreement statuses: active, delivered, evaluating, completed, disputed, cancelled.',
    operations: ['exchange.start', 'exchange.deliver', 'exchange.accept', 'exchange.withdraw', 'exchange.dispute'],
    tests: {
      'server/test/spec/fields': ['%s is one of the specification: %j'],
      'server/test/exchange/states': ['takes %s from whom the table says, and from nobody else'],
    },
  },
  {
    line: 'Only disputes that are filed or under_review accept seller responses.',
    errors: ['courts.respondToDispute ALREADY_DECIDED'],
    tests: { 'server/test/courts/dispute-states': ['takes a %s of whom the table says'] },
  },
  {
    line: 'Only a pending bid can be selected.',
    errors: ['exchange.selectBid BID_NOT_PENDING'],
    tests: {
      'server/test/exchange/bids': ['is made once for each request, also after a withdrawal'],
      'server/test/exchange/races': ['a bid is selected or withdrawn, not both'],
    },
  },
];

export const states: Section = { title: 'States and transitions', rows: [...task, ...agent, ...legacy] };
