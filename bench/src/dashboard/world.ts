import { Agora } from '@agora-market/sdk';
import { createWorker, type TaskHandler } from '@agora-market/sdk/worker';

/** A server as its operator knows it. */
export interface Place {
  url: string;
  operatorToken: string;
}

export interface Account {
  id: string;
  /** As the browser's cookie holds it. */
  session: string;
  agora: Agora;
}

export interface Seller extends Account {
  agents: { id: string; agora: Agora }[];
}

let serial = 0;

export async function makeAccount({ url, operatorToken }: Place, name: string, cents = 0): Promise<Account> {
  const plain = { baseUrl: url, maxRetries: 0 };
  const email = `${name.toLowerCase().replaceAll(' ', '.')}.${++serial}@example.com`;
  const { owner, token } = await new Agora(plain).auth.signUp({ name, email, password: 'correct horse battery' });
  const agora = new Agora({ ...plain, ownerToken: token });
  const operator = new Agora({ ...plain, operatorToken });
  await operator.auth.updateOwner(owner.id, { plan: 'enterprise', reason: 'has many agents' });
  if (cents > 0) {
    await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
    await agora.vault.topUp({ amount: cents });
  }
  return { id: owner.id, session: token, agora };
}

const trades = ['Refactoring', 'Test writing', 'Documentation', 'Data cleaning', 'Bug fixing'];

/** An owner with agents that take what comes at a price of ten cents. */
export async function makeSeller(place: Place, count: number): Promise<Seller> {
  const account = await makeAccount(place, 'Grace Hopper');
  const agents: Seller['agents'] = [];
  for (let nth = 0; nth < count; nth++) {
    const trade = trades[nth % trades.length]!;
    const { agent, apiKey } = await account.agora.agents.register({
      displayName: `${trade} agent ${nth + 1}`,
      framework: 'custom',
      model: 'claude-opus-4',
      description: `${trade} for small and middling projects, with tests where there are any.`,
      capabilities: [{ category: 'general', tags: ['typescript', 'python', trade.toLowerCase()] }],
      pricing: { model: 'per_task', baseRate: priceCents, currency: 'USD' },
    });
    agents.push({ id: agent.id, agora: new Agora({ baseUrl: place.url, maxRetries: 0, agentKey: apiKey }) });
  }
  return { ...account, agents };
}

const priceCents = 10;

const description = `Clean up the exporter of monthly reports

It mixes fetching, formatting and writing in one function of 400 lines. Part these three, keep the names that others
import, and leave the output as it is, byte for byte. The tests in tests/ must pass before and after.`;

export const report = `The exporter is three modules now: \`fetch.ts\`, \`format.ts\` and \`write.ts\`. Names and output are
as they were; the tests pass before and after.\n\n${'Each module has its own tests, which run without a network. '.repeat(12)}`;

const program = 'export const total = (rows) => rows.reduce((sum, { cents }) => sum + cents, 0);\n';

/** A delivery with files, notes on the way and a text. */
const work: TaskHandler = async ({ sandbox, progress }) => {
  await progress({ message: 'Reading the exporter', percent: 20 });
  await sandbox.write('src/report.js', program.replace('sum + cents', 'sum + Number(cents)'));
  for (const name of ['fetch', 'format', 'write']) await sandbox.write(`src/${name}.js`, program.repeat(20));
  await progress({ message: 'Running the tests', percent: 80 });
  await sandbox.exec('cat src/*.js');
  return { text: report };
};

export interface Town {
  buyer: Account;
  /** Completed, with files, checks and a report. */
  taskId: string;
}

/** A buyer with some twenty tasks in every state, one of them with all that a task can have. */
export async function makeTown(place: Place): Promise<Town> {
  const seller = await makeSeller(place, 12);
  const buyer = await makeAccount(place, 'Ada Lovelace', 100_000);
  const [maker, ...others] = seller.agents as [Seller['agents'][number], ...Seller['agents']];
  for (const [nth, agent] of others.slice(0, 8).entries()) {
    await passing(buyer, agent, `Write the release notes of version ${nth + 1}.0`);
  }
  const refunded = await passing(buyer, others[0]!, 'Translate the manual into Portuguese');
  await buyer.agora.tasks.feedback(refunded, { direction: 'down', comment: 'Half of it is still in English.' });
  for (const agent of others.slice(1, 3)) {
    const failed = await started(buyer, agent, 'Find out why the nightly build is slow');
    await agent.agora.tasks.fail(failed, { reason: 'The build does not start here.' });
  }
  const cancelled = await submitted(buyer, others[0]!.id, 'Draw a diagram of the modules');
  await buyer.agora.tasks.cancel(cancelled);
  for (const agent of others.slice(0, 3)) await submitted(buyer, agent.id, 'Check the links of the documentation');
  for (const agent of others.slice(3, 7)) await started(buyer, agent, 'Raise the coverage of the parser to 90 %');
  const taskId = await madeInFull(buyer, maker);
  await askApproval(place, buyer);
  return { buyer, taskId };
}

export async function submitted(buyer: Account, agentId: string, text: string): Promise<string> {
  const input = { description: text };
  return (await buyer.agora.tasks.submit({ taskType: 'general', agentId, maxBudget: priceCents, input })).id;
}

async function started(buyer: Account, agent: Seller['agents'][number], text: string): Promise<string> {
  const taskId = await submitted(buyer, agent.id, text);
  await agent.agora.tasks.start(taskId, { sandboxId: 'bench' });
  return taskId;
}

async function passing(buyer: Account, agent: Seller['agents'][number], text: string): Promise<string> {
  const taskId = await started(buyer, agent, text);
  const task = await agent.agora.tasks.complete(taskId, { output: { text: report } });
  if (task.status !== 'completed') throw new Error(`The task ${taskId} is ${task.status}: ${task.errorMessage}`);
  return taskId;
}

/** By a worker in a real sandbox, so that it has files and evidence. */
async function madeInFull(buyer: Account, agent: Seller['agents'][number]): Promise<string> {
  const stopping = new AbortController();
  const done = createWorker({ agora: agent.agora, handle: work }).run({ signal: stopping.signal });
  try {
    const task = await buyer.agora.tasks.submitAndWait(
      {
        taskType: 'general',
        agentId: agent.id,
        maxBudget: priceCents,
        input: {
          description,
          files: { 'src/report.js': program, 'README.md': '# Reports\n' },
          acceptance: { checks: [{ name: 'has its modules', command: 'test -f src/fetch.js' }] },
        },
      },
      { waitMs: 60_000 },
    );
    if (task.status !== 'completed') throw new Error(`The task ${task.id} is ${task.status}: ${task.errorMessage}`);
    return task.id;
  } finally {
    stopping.abort();
    await done;
  }
}

/** An agent of the buyer asks to hire somebody. */
async function askApproval({ url }: Place, buyer: Account): Promise<void> {
  const rules = { perTransactionMax: null, allowedCategories: null, operatingHours: null, blockedCounterparties: [] };
  await buyer.agora.embassy.setOwnerPolicy({ ...rules, version: 0, approvalThreshold: 0 });
  const { apiKey } = await buyer.agora.agents.register({
    displayName: 'Release agent',
    framework: 'custom',
    model: 'claude-opus-4',
    description: 'Prepares releases.',
    capabilities: [{ category: 'general', tags: [] }],
    pricing: { model: 'per_task', baseRate: 1_000, currency: 'USD' },
  });
  const asking = new Agora({ baseUrl: url, agentKey: apiKey });
  const input = { description: 'Write release notes, at most 400 words.' };
  await asking.tasks.submitAsAgent({ taskType: 'general', maxBudget: 500, input });
}
