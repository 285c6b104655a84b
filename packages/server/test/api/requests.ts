import { fullPath, type Operation, type OperationId, operations, toUuid } from '@agora-market/contract';
import { posting } from '../exchange/scene.ts';
import { bundleOf } from '../support/git-server.ts';
import { operatorToken, type TestOwner, type TestServer } from '../support/harness.ts';
import { embassyBodies } from './policy.ts';
import { dispute, hire, hireAndPass, hireAndStart, makePair, type Pair } from './scene.ts';
import { jsonOf } from './watch.ts';
import { groupOf, notificationOf, ownersWebhookOf, scheduleOf, tradeOf, webhook, webhookOf } from './world-parts.ts';

/** Everything a request to any operation may need: parties, and resources that exist. */
export interface World {
  server: TestServer;
  pair: Pair;
  tokenId: string;
  trustKey: { id: string; key: string };
  /** The agent's, with a message that was never sent. */
  webhook: { id: string; deliveryId: string };
  /** The same of the buyer. */
  ownersWebhook: { id: string; deliveryId: string };
  assessmentId: string;
  /** Of another task of the pair, waiting for the seller. */
  disputeId: string;
  /** A request of an agent of the buyer, which waits for it. */
  approvalId: string;
  /** The buyer's. */
  notificationId: string;
  /** The buyer's, of which enough is in the pool. */
  topUpId: string;
  /** Attempts at a task of the buyer. */
  groupId: string;
  /** The buyer's: a template, and a schedule of it that is paused. */
  templateId: string;
  scheduleId: string;
  /** Of the legacy exchange, with an agent of somebody else: a request with a bid of the pair's agent, and its agreement. */
  requestId: string;
  /** A direct offer to the pair's agent. */
  offerId: string;
  bidId: string;
  agreementId: string;
  /** Tasks of the pair in the status that operations on them need. */
  submitted: string;
  executing: string;
  completed: string;
}

export async function makeWorld(server: TestServer): Promise<World> {
  const pair = await makePair(server);
  const { id: disputeId } = await dispute(server, pair);
  const done = await hireAndPass(pair);
  // Its tests make more agents than the free plan allows.
  await server.pool.query(`update owners set plan = 'pro' where email = $1`, [pair.buyer.email]);
  return {
    server,
    pair,
    tokenId: (await pair.buyer.agora.auth.createToken({ name: 'ci' })).id,
    trustKey: await pair.buyer.agora.trust.createKey({ name: 'a site' }),
    webhook: await webhookOf(pair),
    ownersWebhook: await ownersWebhookOf(pair),
    assessmentId: done.assessmentId as string,
    disputeId,
    approvalId: await askForApproval(server, pair.buyer, pair.agent.id),
    notificationId: await notificationOf(server, pair.buyer),
    topUpId: await topUpOf(pair.buyer),
    groupId: await groupOf(server, pair.buyer),
    ...(await scheduleOf(pair)),
    ...(await tradeOf(server, pair)),
    submitted: (await hire(pair)).id,
    executing: (await hireAndStart(pair, { deadlineMinutes: 1440 })).id,
    completed: done.id,
  };
}

/** A task of one cent that an agent of the owner may only submit with its approval. */
export async function askForApproval(
  server: TestServer,
  owner: TestOwner,
  agentId?: string,
  fields: object = {},
): Promise<string> {
  const agent = await owner.agent();
  await server.pool.query(
    'insert into agent_budgets (agent_id, approval_threshold, updated_at) values ($1, 0, now())',
    [toUuid('agent', agent.id)],
  );
  const reply = await agent.agora.tasks.submitAsAgent({
    ...{ taskType: 'general', maxBudget: 1, input: { description: 'Help' }, ...(agentId && { agentId }), ...fields },
  });
  if (!('approval' in reply)) throw new Error('the submission needed no approval');
  return reply.approval.id;
}

/** The newest top-up of an owner, as its pool's transactions list it. */
export const topUpOf = async ({ agora }: TestOwner): Promise<string> =>
  (await agora.vault.poolTransactions({ cause: 'top_up' })).data[0]?.id as string;

const profile = {
  displayName: 'Made by a test',
  framework: 'custom',
  model: 'any',
  description: 'text',
  capabilities: [{ category: 'general', tags: ['tag'] }],
  pricing: { model: 'per_task', baseRate: 1, currency: 'USD' },
};

const submission = ({ pair }: World) => ({
  taskType: 'general',
  maxBudget: 1,
  input: { description: 'x', code: 'y', files: { 'a/b': 'c' }, tags: ['t'], acceptance: { rubric: 'r' } },
  agentId: pair.agent.id,
  deadlineMinutes: 5,
});

/** A body that each operation with one takes. */
export const bodies: Partial<Record<OperationId, (world: World) => unknown>> = {
  'auth.signUp': () => ({ name: 'Ada', email: 'ada@example.com', password: 'correct horse' }),
  'auth.signIn': ({ pair }) => ({ email: pair.buyer.email, password: 'not the one' }),
  'auth.verifyEmail': () => ({ token: 'ac_mail_x' }),
  'auth.forgotPassword': () => ({ email: 'nobody@example.com' }),
  'auth.endCredentials': () => ({ token: 'ac_mail_x' }),
  'auth.resetPassword': () => ({ token: 'ac_mail_x', password: 'correct horse' }),
  'auth.changePassword': () => ({ currentPassword: 'not the one', newPassword: 'correct horse' }),
  'auth.beginTotp': () => ({ password: 'not the one' }),
  'auth.confirmTotp': () => ({ code: '123456' }),
  'auth.renewRecoveryCodes': () => ({ password: 'not the one', code: '123456' }),
  'auth.disableTotp': () => ({ password: 'not the one', code: '123456' }),
  'auth.deleteAccount': () => ({ password: 'not the one' }),
  'auth.createToken': () => ({ name: 'ci' }),
  'trust.createKey': () => ({ name: 'a site' }),
  'webhooks.create': () => webhook,
  'webhooks.createMine': () => webhook,
  'ownerWebhooks.create': () => webhook,
  'templates.create': () => ({
    name: 'Report',
    task: { taskType: 'general', maxBudget: 1, input: { description: 'x' } },
  }),
  'templates.update': () => ({ name: 'Monthly report' }),
  'schedules.create': ({ templateId }) => ({
    ...{ name: 'Monthly', cron: '0 9 1 * *', timeZone: 'UTC', templateId, maxBudget: 1, monthlyBudget: 1 },
  }),
  'schedules.update': () => ({ name: 'Monthly' }),
  'tasks.saveView': () => ({ name: 'Open', filter: { status: 'open' } }),
  'github.connect': () => ({ token: 'github_pat_of_nobody' }),
  'packageRegistries.set': () => ({ kind: 'npm', url: 'https://npm.example.com', token: 'secret' }),
  'github.setIntake': () => ({ repository: 'octocat/alpha', maxBudget: 500, dailyBudget: 1000 }),
  'auth.updateOwner': () => ({ plan: 'pro', reason: 'Has paid' }),
  'agents.register': () => profile,
  'agents.update': () => ({ ...profile, availability: 'busy' }),
  'agents.updateMe': () => ({ availability: 'available' }),
  'agents.verifyModel': () => ({ apiKey: 'k' }),
  'agents.verifyMyModel': () => ({ apiKey: 'k' }),
  'vault.clearFinding': () => ({ reason: 'known', by: 'Ada' }),
  'vault.releaseHeldPayment': () => ({ reason: 'known', by: 'Ada' }),
  'vault.refuseHeldPayment': () => ({ reason: 'known', by: 'Ada' }),
  'vault.clearFlag': () => ({ reason: 'known', by: 'Ada' }),
  'operator.retryJobs': () => ({ kind: 'mail.send', reason: 'mended', by: 'Ada' }),
  'vault.topUp': () => ({ amount: 500 }),
  'vault.refundTopUp': () => ({ amount: 100, reason: 'asked for', by: 'Ada' }),
  'vault.addPaymentMethod': () => ({ paymentMethodId: 'pm_card_visa' }),
  'vault.openPaymentMethodPage': () => ({ returnUrl: 'https://agora.example/' }),
  'vault.onboardPayouts': () => ({}),
  'vault.withdraw': () => ({ amount: 100 }),
  'vault.allocate': () => ({ amount: 1 }),
  'vault.reclaim': () => ({ amount: 1 }),
  'vault.transfer': ({ pair }) => ({ fromAgentId: pair.agent.id, toAgentId: pair.agent.id, amount: 1 }),
  'vault.setAutoTopUp': () => ({ enabled: false, threshold: 0, reloadAmount: 500 }),
  'vault.setBudget': () => ({
    perTransactionMax: null,
    dailyLimit: null,
    weeklyLimit: null,
    monthlyLimit: null,
    approvalThreshold: null,
  }),
  'tasks.submit': submission,
  'tasks.submitAsAgent': submission,
  'tasks.start': () => ({ sandboxId: 'x' }),
  'tasks.complete': () => ({ output: { result: 'x' }, executionTimeMs: 1, qualityScore: 70 }),
  'tasks.fail': () => ({ reason: 'r', errorMessage: 'm' }),
  'tasks.decline': () => ({ reason: 'r' }),
  'tasks.quote': (world) => ({ ...submission(world), maxBudget: 1000, waitMinutes: 0 }),
  'tasks.tryChecks': () => ({ input: { acceptance: { checks: [{ name: 'runs', command: 'true' }] } } }),
  'tasks.progress': () => ({ percent: 50, message: 'half of it' }),
  'tasks.postMessage': () => ({ kind: 'note', text: 't', attachments: [{ name: 'a.txt', content: 'YQ==' }] }),
  'tasks.feedback': () => ({ direction: 'up', comment: 'c' }),
  'tasks.dispute': () => ({ reason: 'r', evidence: [{ label: 'l', text: 't' }] }),
  'embassy.setPreferences': () => ({ preferences: { task_failed: { inApp: true, email: false } } }),
  ...embassyBodies,
  'courts.respondToDispute': () => ({ response: 'r', evidence: [] }),
  'courts.supplementDispute': () => ({ statement: 's', evidence: [] }),
  'courts.resolveDispute': () => ({ outcome: 'split', share: 30, note: 'n' }),
  'courts.appealAssessment': () => ({ reason: 'r' }),
  'exchange.createRequest': ({ server }) => ({
    ...posting(server),
    selectionMode: 'manual',
    eligibility: { minScore: 0 },
    sandboxConfig: { cpus: 1 },
  }),
  'exchange.placeBid': ({ server }) => ({
    amount: 20,
    estimatedDelivery: posting(server).biddingClosesAt,
    message: 'm',
  }),
  'exchange.start': () => ({ version: 1 }),
  'exchange.deliver': () => ({ type: 'text', result: 'r', metadata: { a: 1 }, version: 1 }),
  'exchange.accept': () => ({ version: 1 }),
  'exchange.withdraw': () => ({ version: 1 }),
  'exchange.dispute': () => ({ reason: 'r', version: 1 }),
  'exchange.resolve': () => ({ outcome: 'split', share: 30, note: 'n' }),
  'sandbox.destroy': () => ({ sandboxId: 'another' }),
  'sandbox.startProcess': () => ({ command: 'true', cwd: '.', env: { A: 'b' } }),
  'sandbox.write': () => ({ path: 'a', content: 'x', encoding: 'utf8', executable: false }),
  'sandbox.exec': () => ({ command: 'true', cwd: '.', env: { A: 'b' }, stdin: 'x', timeoutMs: 1000 }),
};

/** A query that each operation needs where it needs one. */
const queries: Partial<Record<OperationId, (world: World) => string>> = {
  'courts.listAssessments': ({ completed }) => `?taskId=${completed}`,
  'sandbox.read': () => '?path=code',
  'schedules.preview': () => '?cron=0%209%20*%20*%20*&timeZone=UTC',
  'agents.names': ({ pair }) => `?ids=${pair.agent.id}`,
  'trust.getAgents': ({ pair }) => `?ids=${pair.agent.id}`,
};

export const allOperations = Object.values<Operation>(operations) as (Operation & { id: OperationId })[];
export const withBody = allOperations.filter((row) => row.body);

/** Operations of direct offers, and one that refuses strangers only there. */
const ofOffers = ['exchange.getRequest', 'exchange.acceptOffer', 'exchange.declineOffer'];

export function pathOf(row: Operation, world: World, given: Record<string, string> = {}): string {
  const task =
    row.id === 'tasks.feedback' ? world.completed : row.id === 'tasks.start' ? world.submitted : world.executing;
  const hook = row.id.startsWith('ownerWebhooks.') ? world.ownersWebhook : world.webhook;
  const known: Record<string, string> = {
    taskId: task,
    // An owner acts on agents of its own.
    agentId: world.pair.agent.id,
    tokenId: world.tokenId,
    keyId: world.trustKey.id,
    assessmentId: world.assessmentId,
    disputeId: world.disputeId,
    approvalId: world.approvalId,
    notificationId: world.notificationId,
    topUpId: world.topUpId,
    groupId: world.groupId,
    templateId: world.templateId,
    scheduleId: world.scheduleId,
    requestId: ofOffers.includes(row.id) ? world.offerId : world.requestId,
    bidId: world.bidId,
    agreementId: world.agreementId,
    webhookId: hook.id,
    deliveryId: hook.deliveryId,
    paymentMethodId: 'pm_card_visa',
    processId: 'prc_01jxyz3k9mf5t8v2q7h4n6p0rs',
    messageId: 'msg_01jxyz3k9mf5t8v2q7h4n6p0rs',
    attachmentId: 'att_01jxyz3k9mf5t8v2q7h4n6p0rs',
    month: '2026-11',
    ...given,
  };
  return fullPath(row).replace(/:(\w+)/g, (_, name: string) => known[name] ?? `no-value-for-${name}`);
}

export const queryOf = (row: Operation & { id: OperationId }, world: World) => queries[row.id]?.(world) ?? '';

/** The credential an operation takes; agents' paths belong to the seller, everything else of owners to the buyer. */
export function credentialOf(row: Operation, { pair, trustKey }: World): Record<string, string> {
  if (row.auth === 'public') return {};
  if (row.auth === 'operator') return { authorization: `Bearer ${operatorToken}` };
  if (row.auth === 'trust') return { 'x-trust-api-key': trustKey.key };
  if (row.auth === 'agent') return { 'x-api-key': pair.agent.key };
  const owner = row.path.includes(':agentId') ? pair.seller : pair.buyer;
  return { authorization: `Bearer ${owner.token}` };
}

export interface Sent {
  /** Another server than the world's. */
  url?: string;
  method?: string;
  path?: string;
  query?: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array<ArrayBuffer>;
}

/** Sends a request to an operation as it should be, but for what is given. */
export async function send(row: Operation & { id: OperationId }, world: World, given: Sent = {}) {
  const { method = row.method, path = pathOf(row, world), query = queryOf(row, world) } = given;
  const takesBody = method !== 'GET' && row.body !== undefined;
  const ordinary = () =>
    row.maxBytes ? bundleOf({ a: 'a' }) : takesBody ? JSON.stringify(bodies[row.id]?.(world)) : undefined;
  const body = given.body ?? ordinary();
  const response = await fetch((given.url ?? world.server.url) + path + query, {
    method,
    headers: {
      ...credentialOf(row, world),
      ...(body !== undefined && { 'content-type': row.maxBytes ? 'application/octet-stream' : 'application/json' }),
      ...given.headers,
    },
    ...(body !== undefined && { body }),
  });
  // The stream of an owner has no end.
  const isEndless = row.id === 'tasks.follow' && response.ok;
  if (isEndless) await response.body?.cancel();
  const text = isEndless ? '' : await response.text();
  const code = (jsonOf(text) as { error?: { code?: string } } | undefined)?.error?.code;
  return { status: response.status, code, text };
}

/** How many rows each table that matters has; a refused request changes none of them. */
export async function rowCounts({ server }: World): Promise<Record<string, number>> {
  const tables = [
    'tasks',
    'earnings',
    'ledger_entries',
    'events',
    'agents',
    'owners',
    'developer_tokens',
    'top_ups',
    'withdrawals',
    'payout_accounts',
  ];
  const columns = tables.map((table) => `(select count(*)::int from ${table}) as ${table}`);
  return (await server.pool.query(`select ${columns.join(', ')}`)).rows[0];
}
