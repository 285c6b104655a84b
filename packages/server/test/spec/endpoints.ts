import type { OperationId } from '@agora-market/contract';
import type { Row, Section } from './row.ts';

const file = 'server/test/api/endpoints';
const endpoint = (line: string, id: OperationId, ...titles: string[]): Row => ({
  line,
  operations: [id],
  tests: { [file]: titles },
});

const table: Row[] = [
  {
    line: 'All bodies are JSON.',
    tests: { 'server/test/api/bad-input': ['%s refuses every spoiled body and writes nothing'] },
  },
  {
    line: 'Sandbox read responses carry their payload under `data`.',
    operations: ['sandbox.list', 'sandbox.read'],
    tests: { [file]: ['GET /api/v1/tasks/:taskId/sandbox/files, …/files/read and …/sandbox/exec'] },
  },
  endpoint('POST /api/v1/auth/sign-up', 'auth.signUp', 'POST /api/v1/auth/sign-up'),
  endpoint('POST /api/v1/auth/sign-in: session token in `token`', 'auth.signIn', 'POST /api/v1/auth/sign-in'),
  endpoint('POST /api/v1/agents by an owner: agent with id, and apiKey', 'agents.register', 'POST /api/v1/agents'),
  endpoint('GET /api/v1/agents/me by agent key: own profile', 'agents.me', 'GET /api/v1/agents/me'),
  endpoint(
    'GET /api/v1/agents/search, public or authenticated; filters (availability is one); list of agents',
    'agents.search',
    'is public, and shows no owner, key or wallet',
    'answers with credentials as well',
  ),
  endpoint(
    'POST /api/v1/tasks by an owner: task with id and status; charges the owner pool',
    'tasks.submit',
    'answers 201 with the task and charges the owner pool',
  ),
  endpoint(
    'POST /api/v1/tasks/agent by agent key: same body; agent-to-agent sub-hiring',
    'tasks.submitAsAgent',
    'POST /api/v1/tasks/agent takes the same body from an agent',
  ),
  endpoint(
    'POST /api/v1/tasks/:taskId/executing by agent key: sandboxId; updated task',
    'tasks.start',
    'POST /api/v1/tasks/:taskId/executing',
  ),
  endpoint(
    'GET /api/v1/tasks/:taskId/sandbox/files?path: data.entries',
    'sandbox.list',
    'GET /api/v1/tasks/:taskId/sandbox/files, …/files/read and …/sandbox/exec',
  ),
  endpoint(
    'GET /api/v1/tasks/:taskId/sandbox/files/read?path: data.content',
    'sandbox.read',
    'GET /api/v1/tasks/:taskId/sandbox/files, …/files/read and …/sandbox/exec',
  ),
  {
    line: 'POST /api/v1/tasks/:taskId/complete: output, executionTimeMs, optional qualityScore; triggers the quality gate',
    operations: ['tasks.complete'],
    tests: {
      [file]: [
        'POST /api/v1/tasks/:taskId/complete',
        'assessments: by task and by id, with evidence for each criterion, for buyer and seller only',
      ],
    },
  },
  endpoint(
    'any /api/v1/tasks/:taskId/sandbox/exec: command execution inside the sandbox',
    'sandbox.exec',
    'GET /api/v1/tasks/:taskId/sandbox/files, …/files/read and …/sandbox/exec',
  ),
  endpoint('GET /api/v1/vault/wallet by agent key: available, escrowed', 'vault.getWallet', 'GET /api/v1/vault/wallet'),
  endpoint('GET /api/v1/health without credentials: status and timestamp', 'system.health', 'GET /api/v1/health'),
];

const byPrefix: Row[] = [
  {
    line: 'Get task: the task fields.',
    operations: ['tasks.get'],
    tests: {
      'server/test/api/task-states': ['thumbs-down at exactly 10 minutes refunds payout and fee'],
      'server/test/api/visibility': [
        'before executing the agent sees the description, names and sizes, wherever it looks',
      ],
    },
  },
  {
    line: 'List tasks: optional `status` and `pageSize`; `data` array.',
    operations: ['tasks.list'],
    tests: {
      'server/test/api/visibility': [
        'the status filter shows exactly the tasks in that status',
        'a walk by cursor sees every task once, newest first, also while new ones arrive',
      ],
    },
  },
  {
    line: 'Agent polling of assigned tasks: redacted input; taskType, maxBudget, id.',
    operations: ['tasks.assigned'],
    tests: {
      'server/test/api/visibility': [
        'before executing the agent sees the description, names and sizes, wherever it looks',
      ],
    },
  },
  {
    line: 'Provision sandbox: `sandboxId`; clones the buyer’s repository if any.',
    operations: ['sandbox.provision'],
    tests: {
      'server/test/api/sandbox': [
        'provision → executing → list, read, write → exec → complete with the buyer’s checks passing',
      ],
      'server/test/api/repositories': ['is cloned by %s'],
    },
  },
  {
    line: 'Destroy sandbox: task id and sandboxId; no reply.',
    operations: ['sandbox.destroy'],
    tests: {
      'server/test/api/sandbox': [
        'destroy: a different id is 409, the right one 204, and 404 if the task has no sandbox',
      ],
    },
  },
  endpoint('Fail task: `reason`, `errorMessage`; updated task.', 'tasks.fail', 'fail task answers the updated task'),
  {
    line: 'Give feedback: direction `up` or `down`; `refunded` boolean.',
    operations: ['tasks.feedback'],
    tests: {
      'server/test/api/task-states': [
        'thumbs-down at exactly 10 minutes refunds payout and fee',
        'thumbs-up keeps the task completed and raises the reputation',
      ],
    },
  },
  {
    line: 'Task dispute: task id; dispute result.',
    operations: ['tasks.dispute'],
    tests: {
      'server/test/courts/disputes': [
        'by its submitter after the refund window; both parties read the dispute, with all that was said',
      ],
    },
  },
  {
    line: 'Live progress stream (Server-Sent Events) for the owner.',
    operations: ['tasks.stream'],
    tests: {
      'server/test/api/stream': ['follows a task live: each status as it happens, then complete with output and score'],
    },
  },
  {
    line: 'Update agent: partial fields, for example pricing; updated agent.',
    operations: ['agents.update', 'agents.updateMe'],
    tests: { 'server/src/registry/registry': ['changes the named fields and no others, and says in its event which'] },
  },
  {
    line: 'Deactivate and reactivate agent: updated agent.',
    operations: ['agents.deactivate', 'agents.reactivate'],
    tests: {
      'server/src/registry/registry-http': [
        'update, availability, search, deactivation, reactivation and rotation are 200',
      ],
    },
  },
  {
    line: 'Rotate agent key: new key.',
    operations: ['agents.rotateKey'],
    tests: { 'server/test/api/agent-states': ['a rotated key is 401 at once and the new one works'] },
  },
  {
    line: 'Register webhook: registration.',
    operations: ['webhooks.createMine', 'webhooks.create'],
    tests: {
      'server/test/webhooks/manage': [
        'an agent registers, lists and deletes webhooks; the secret is in the first reply alone',
      ],
    },
  },
  endpoint('Top up owner pool: amount; result.', 'vault.topUp', 'top up owner pool: newBalance and amountCharged'),
];

const bids = 'server/test/exchange/bids';

const legacy: Row[] = [
  {
    line: 'POST /api/v1/exchange/requests: create a work request.',
    operations: ['exchange.createRequest'],
    tests: { 'server/test/exchange/requests': ['keeps every field as it was given'] },
  },
  {
    line: 'GET /api/v1/exchange/requests: filters `category`, `eligible_only`, `sort` (`newest`).',
    operations: ['exchange.searchRequests'],
    tests: {
      'server/test/exchange/requests': [
        'orders by newest, deadline and budget, page by page, without the descriptions',
        'filters by category, and leaves out what takes no bids',
        'with eligible_only finds just what one may bid on: %s',
      ],
    },
  },
  {
    line: 'POST /api/v1/exchange/requests/:id/bids: amount in dollars, estimatedDelivery, message.',
    operations: ['exchange.placeBid'],
    tests: {
      [bids]: [
        'is read by the buyer with the reputation of the bidder, and stays unseen by other bidders',
        'a bid > %s is refused',
      ],
    },
  },
  {
    line: 'GET /api/v1/exchange/requests/:id/bids: buyer sees bidder reputation; bids are blind between bidders.',
    operations: ['exchange.listBids'],
    tests: {
      [bids]: [
        'is read by the buyer with the reputation of the bidder, and stays unseen by other bidders',
        'stays unseen once another was selected',
      ],
    },
  },
  {
    line: 'GET /api/v1/exchange/agreements/:id: only buyer and seller may read.',
    errors: ['exchange.getAgreement NOT_A_PARTY'],
    tests: { 'server/test/exchange/agreements': ['is read by its two sides and their owners, and by nobody else'] },
  },
  {
    line: 'GET /api/v1/exchange/notifications?since: polling; invalid `since` is 400.',
    errors: ['exchange.listNotifications VALIDATION_ERROR'],
    tests: { [bids]: ['are read from a time on, which counts too, page by page'] },
  },
  {
    line: 'GET /api/v1/courts/assessments/:id: only buyer and seller.',
    errors: ['courts.getAssessment NOT_A_PARTY'],
    tests: {
      'server/test/exchange/agreements': [
        'has an assessment that buyer and seller read at the courts, and nobody else',
      ],
      [file]: ['assessments: by task and by id, with evidence for each criterion, for buyer and seller only'],
    },
  },
  {
    line: 'Legacy delivery takes a result and metadata object for an agreement.',
    operations: ['exchange.deliver'],
    tests: {
      'server/test/exchange/agreements': ['goes from a bid to a payout of 85 %, with dollars outside and cents inside'],
    },
  },
];

export const endpoints: Section = { title: 'Endpoints', rows: [...table, ...byPrefix, ...legacy] };
