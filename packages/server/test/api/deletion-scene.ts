import { toUuid } from '@agora-market/contract';
import { type Agora, ConflictError } from '@agora-market/sdk';
import { bid, makeStanding, post, posting, trader } from '../exchange/scene.ts';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';
import { bind, bindAgent } from './policy.ts';
import { day, dispute, hireAndPass, hireAndStart, minute, pass } from './scene.ts';
import { enableTotp, password } from './totp-scene.ts';
import { consumerOf } from './trust-scene.ts';

/** In the name, the address and everything else by which somebody could be known; in no text of a task. */
export const ofOwner = 'markerova';
/** In the names of its agents, which others have read. */
export const ofAgents = 'thornapple';
/** In texts that others have a right to: of tasks, disputes and work requests. */
export const ofWork = 'quillwort';

export interface BusyAccount {
  owner: TestOwner;
  agent: TestAgent;
  /** Of another owner: bought from the agent, and its own agent was hired. */
  partner: TestAgent;
  /** Every credential that signed in, by what it is. */
  signedIn: Record<string, () => Promise<unknown>>;
  uuids: string[];
  recoveryCode: string;
  sold: string;
}

export async function signUp(server: TestServer, name: string, email: string): Promise<TestOwner> {
  const { owner, token } = await server.client().auth.signUp({ name, email, password });
  const agora = server.client({ ownerToken: token });
  const made: TestOwner = {
    ...{ id: owner.id, email, token, agora },
    async agent(fields = {}) {
      const { agent, apiKey } = await agora.agents.register({
        displayName: `The ${ofAgents} agent`,
        framework: 'custom',
        model: `${ofOwner}-1`,
        modelEndpoint: `https://${ofOwner}.example/v1`,
        description: `Made by ${name}`,
        capabilities: [{ category: 'general', tags: [ofOwner] }],
        pricing: { model: 'per_task', baseRate: 1000, currency: 'USD' },
        ...fields,
      });
      return { id: agent.id, key: apiKey, agora: server.client({ agentKey: apiKey }), owner: made };
    },
  };
  return made;
}

/** Work on both sides, all of it settled, and a dispute. */
async function trade(server: TestServer, owner: TestOwner, agent: TestAgent, partner: TestAgent): Promise<string> {
  const input = { description: `Write about ${ofWork}` };
  const bought = await hireAndPass({ buyer: owner, agent: partner }, { input });
  await owner.agora.tasks.feedback(bought.id, { direction: 'up', comment: ofWork });
  const { id } = await dispute(server, { buyer: owner, agent: partner }, { input });
  await server.operator().courts.resolveDispute(id, { outcome: 'dismissed', note: 'Both agree' });
  await talk(partner.owner, agent, input);
  const measured = { ...input, acceptance: { schema: { type: 'string', pattern: '^Debits' } } };
  return (await hireAndPass({ buyer: partner.owner, agent }, { input: measured })).id;
}

/** A question about a task and its answer. */
async function talk(owner: TestOwner, partner: TestAgent, input: { description: string }): Promise<void> {
  const { id } = await hireAndStart({ buyer: owner, agent: partner }, { input });
  const question = await partner.agora.tasks.postMessage(id, { kind: 'question', text: ofWork });
  await owner.agora.tasks.postMessage(id, { kind: 'answer', text: ofWork, answers: question.id });
  await partner.agora.tasks.fail(id, { reason: 'Not possible' });
}

/** A request of the agent that was cancelled, and a bid of it that waits for an answer. */
async function useExchange(server: TestServer, agent: TestAgent): Promise<void> {
  await makeStanding(server, agent.id, { tier: 'elite' });
  const { id } = await agent.agora.exchange.createRequest(posting(server, { title: ofWork }));
  const buyer = await trader(server, { wallet: 10_000 });
  await bid({ server }, buyer, id);
  await agent.agora.exchange.cancelRequest(id);
  const request = await post({ server, buyer });
  await bid({ server }, agent, request.id, { message: `${ofOwner} can do it`, amount: 20 });
}

/** What belongs to the account alone: settings, keys and what asks for a decision. */
async function furnish(server: TestServer, owner: TestOwner, agent: TestAgent, hired: string): Promise<void> {
  const { agora } = owner;
  await agora.vault.setAutoTopUp({ enabled: false, threshold: 500, reloadAmount: 1000 });
  const unlimited = { perTransactionMax: null, dailyLimit: null, weeklyLimit: null, monthlyLimit: null };
  await agora.vault.setBudget(agent.id, { ...unlimited, approvalThreshold: 0 });
  const input = { description: `${ofOwner} asks` };
  await agent.agora.tasks.submitAsAgent({ taskType: 'general', maxBudget: 1, input, agentId: hired });
  await agora.webhooks.create(agent.id, { url: `https://${ofOwner}.example/hook`, events: ['task_assigned'] });
  await agora.ownerWebhooks.create({ url: `https://${ofOwner}.example/own-hook`, events: ['task_completed'] });
  await agora.embassy.setPreferences({ preferences: {} });
  const kept = { taskType: 'general', input: { description: `${ofOwner} again` } } as const;
  const { id: templateId } = await agora.templates.create({ name: ofOwner, task: { ...kept, maxBudget: 1 } });
  const budgets = { maxBudget: 1, monthlyBudget: 1 };
  const { id: scheduleId } = await agora.schedules.create({
    ...{ name: ofOwner, cron: '0 0 1 1 *', timeZone: 'UTC', templateId, ...budgets },
  });
  await agora.schedules.pause(scheduleId);
  await bind(owner, {});
  await bindAgent(agent, {});
  await server.app.run('embassy.notify');
  await server.app.run('embassy.announceDeprecations');
}

/** Until no bank can send anything back any more. */
export async function untilPaid(server: TestServer): Promise<void> {
  for (let nth = 0; nth < 3; nth++) await pass(server, 4 * day);
}

/** What the pool has goes back to the card, and what the wallet has is paid out to the bank for good. */
async function takeOut(server: TestServer, { agora }: TestOwner, agent: TestAgent): Promise<void> {
  const { balance } = await agora.vault.getPool();
  await agora.vault.allocate(agent.id, { amount: balance });
  await agora.vault.reclaim(agent.id, { amount: balance });
  const { data } = await agora.vault.poolTransactions({ cause: 'top_up' });
  const reason = 'The owner leaves';
  await server.operator().vault.refundTopUp(data[0]?.id as string, { amount: balance, reason });
  await agora.vault.onboardPayouts();
  const { withdrawable } = await agent.agora.vault.getWallet();
  await agora.vault.withdraw(agent.id, { amount: withdrawable });
  await untilPaid(server);
}

/** An account with a bit of everything, the work and money of which are settled. `connect` connects it at GitHub. */
export async function busyAccount(
  server: TestServer,
  connect: (agora: Agora) => Promise<unknown>,
): Promise<BusyAccount> {
  const owner = await signUp(server, `Ada ${ofOwner}`, `ada.${ofOwner}@example.com`);
  const { agora } = owner;
  await server.pool.query(`update owners set plan = 'pro', email_verified_at = created_at where email = $1`, [
    owner.email,
  ]);
  await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await agora.vault.topUp({ amount: 5_000 });
  const agent = await owner.agent();
  const partner = await (await server.owner()).agent();
  const sold = await trade(server, owner, agent, partner);
  await pass(server, 16 * minute);
  await takeOut(server, owner, agent);
  await useExchange(server, agent);
  await furnish(server, owner, agent, partner.id);
  await connect(agora);
  const { recoveryCodes } = await enableTotp(server, owner);
  const { token } = await agora.auth.createToken({ name: `${ofOwner} at work` });
  const trust = await consumerOf(server, owner);
  await server.pool.query('update trust_keys set name = $1', [ofOwner]);
  await trust.agora.trust.getAgent(partner.id);
  // One that was mailed, and one that waits.
  await server.client().auth.forgotPassword({ email: owner.email });
  await server.app.run('auth.forgotPassword');
  await server.client().auth.forgotPassword({ email: owner.email });
  const byToken = server.client({ ownerToken: token });
  return {
    ...{ owner, agent, partner, sold, recoveryCode: recoveryCodes[0] as string },
    signedIn: {
      session: () => agora.auth.session(),
      'developer token': () => byToken.auth.session(),
      'agent key': () => agent.agora.agents.me(),
      'trust key': () => trust.agora.trust.getAgent(partner.id),
    },
    uuids: [toUuid('owner', owner.id) as string, toUuid('agent', agent.id) as string],
  };
}

export const deleteIt = ({ agora }: Pick<TestOwner, 'agora'>, code?: string) =>
  agora.auth.deleteAccount({ password, ...(code && { code }) });

/** What stands in the way of a deletion, as `kind count cents`. */
export async function obstaclesTo(owner: TestOwner): Promise<string[]> {
  const refusal = await deleteIt(owner).then(
    () => null,
    (error: unknown) => error,
  );
  if (!(refusal instanceof ConflictError)) throw new Error('nothing stood in the way', { cause: refusal });
  const { obstacles } = refusal.details as { obstacles: { kind: string; count: number; cents?: number }[] };
  return obstacles.map(({ kind, count, cents }) => [kind, count, cents].filter((part) => part !== undefined).join(' '));
}

interface Column {
  table: string;
  name: string;
  type: string;
}

const columnsOf = async ({ pool }: TestServer): Promise<Column[]> =>
  (
    await pool.query(
      `select c.table_name as table, c.column_name as name, c.data_type as type
       from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
       where c.table_schema = 'public' and t.table_type = 'BASE TABLE'`,
    )
  ).rows;

/** Tables with a column that names an owner or an agent. */
export async function tablesAbout(server: TestServer): Promise<Map<string, string[]>> {
  const found = new Map<string, string[]>();
  for (const { table, name, type } of await columnsOf(server)) {
    if (type !== 'uuid' || !/owner|agent|buyer|seller|holder|submitter|subject/.test(name)) continue;
    found.set(table, [...(found.get(table) ?? []), name]);
  }
  return found;
}

/** Tables of which a row names one of the ids. */
export async function tablesWith(server: TestServer, uuids: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const [table, columns] of await tablesAbout(server)) {
    const names = columns.map((column) => `${column} = any($1)`).join(' or ');
    const { rowCount } = await server.pool.query(`select from ${table} where ${names} limit 1`, [uuids]);
    if (rowCount) found.push(table);
  }
  return found.sort();
}

/** Tables of which a row holds the text, as text or as bytes. */
export async function tablesThatSay(server: TestServer, text: string): Promise<string[]> {
  const tables = [...new Set((await columnsOf(server)).map(({ table }) => table))];
  const hex = Buffer.from(text).toString('hex');
  const found: string[] = [];
  for (const table of tables) {
    const { rowCount } = await server.pool.query(
      `select from ${table} t where position(lower($1) in lower(t::text)) > 0 or position($2 in t::text) > 0 limit 1`,
      [text, hex],
    );
    if (rowCount) found.push(table);
  }
  return found.sort();
}
