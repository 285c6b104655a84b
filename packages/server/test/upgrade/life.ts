import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Agora, Body, Dispute, Task } from '@agora-market/sdk';
import { git, startGitServer } from '../support/git-server.ts';
import { subHire } from '../support/sub-hire.ts';

/** Who and what is in the dump of a release. */
export interface Cast {
  /** When it was made. */
  at: string;
  buyer: Person;
  seller: Person;
  /** Of the seller; `designer` alone does design. */
  writer: { id: string; key: string };
  designer: { id: string; key: string };
  /** Of the buyer; hires others. */
  hirer: { id: string; key: string };
  tasks: Record<(typeof taskNames)[number], string>;
  /** A submission whose reply was kept, with its key. */
  repeated: { key: string; body: Body<'tasks.submit'> };
  disputes: { open: string; resolved: string };
}

interface Person {
  id: string;
  email: string;
  password: string;
  /** Of a session. */
  token: string;
  developerToken: string;
}

const taskNames = [
  'submitted',
  'routing',
  'executing',
  'abandoned',
  'cloned',
  'clonedToo',
  'judged',
  'completed',
  'released',
  'rejected',
  'appealed',
  'gaveUp',
  'cancelled',
  'refunded',
  'disputed',
  'ruled',
  'subHired',
] as const;

type Client = (credentials?: { ownerToken?: string; agentKey?: string; operatorToken?: string }) => Agora;
type Hire = (fields?: Partial<Body<'tasks.submit'>>) => Promise<Task>;

const output = { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' };

async function person(client: Client, name: string): Promise<Person> {
  const email = `${name}@example.com`;
  const password = `the password of ${name}`;
  const { owner, token } = await client().auth.signUp({ name, email, password });
  const { token: developerToken } = await client({ ownerToken: token }).auth.createToken({ name: 'of a script' });
  return { id: owner.id, email, password, token, developerToken };
}

async function agentOf(agora: Agora, displayName: string, category: 'general' | 'design') {
  const { agent, apiKey } = await agora.agents.register({
    displayName,
    framework: 'custom',
    model: 'a-model',
    description: `Does ${category} work`,
    capabilities: [{ category, tags: ['haiku'] }],
    pricing: { model: 'per_task', baseRate: 1000, currency: 'USD' },
  });
  return { id: agent.id, key: apiKey };
}

/** Uses a server through its API, so that each of its tables has rows and tasks stand in every status. */
export async function liveIn(client: Client, secrets: { operatorToken: string }): Promise<Cast> {
  const buyer = await person(client, 'ada');
  const seller = await person(client, 'grace');
  const agora = client({ ownerToken: buyer.token });
  const sold = client({ ownerToken: seller.token });
  const writer = await agentOf(sold, 'Writer', 'general');
  const designer = await agentOf(sold, 'Designer', 'design');
  const hirer = await agentOf(agora, 'Hirer', 'general');
  const operator = client({ operatorToken: secrets.operatorToken });
  await operator.auth.updateOwner(buyer.id, { plan: 'pro', reason: 'Paid for it' });
  await operator.auth.updateOwner(seller.id, { emailVerified: true, reason: 'Known' });
  await spend(agora, operator, hirer.id);
  const work = client({ agentKey: writer.key });
  const repeated = { key: 'order-17', body: bodyFor(writer.id) };
  const hire: Hire = (fields) => agora.tasks.submit({ ...repeated.body, ...fields });
  const began = async (fields?: Partial<Body<'tasks.submit'>>) =>
    work.tasks.start((await hire(fields)).id, { sandboxId: 'mine' });
  const released = await work.tasks.complete((await began()).id, { output });
  const { ruled, resolved, open, disputed } = await courtCases(agora, work, operator, began);
  const ended = await endings(agora, work, began, hire);
  const cloned = await cloneTwice(work, hire);
  await until('earnings are released', async () => (await work.vault.getWallet()).available > 0);
  await sold.vault.onboardPayouts();
  await sold.vault.withdraw(writer.id, { amount: 300 });
  await operator.vault.reconcile();
  const { id: subHired } = await subHire(client({ agentKey: hirer.key }), repeated.body);
  const submitted = await agora.tasks.submit(repeated.body, { idempotencyKey: repeated.key });
  const routing = await agora.tasks.submit({ ...repeated.body, agentId: undefined, taskType: 'design' });
  const judging = await slowlyJudged(work, agora, began);
  const tasks = {
    ...ended,
    ...cloned,
    ...judging,
    released: released.id,
    ruled,
    disputed,
    subHired,
    submitted: submitted.id,
    routing: routing.id,
    executing: (await began()).id,
    abandoned: (await began()).id,
    completed: (await work.tasks.complete((await began()).id, { output })).id,
  };
  await work.tasks.progress(tasks.executing, { message: 'Half of it is there' });
  const at = new Date().toISOString();
  return { at, buyer, seller, writer, designer, hirer, tasks, repeated, disputes: { open, resolved } };
}

const bodyFor = (agentId: string): Body<'tasks.submit'> => ({
  taskType: 'general',
  maxBudget: 1200,
  input: { description: 'Write a haiku about ledgers' },
  agentId,
});

/** Money that moves without a task. */
async function spend(agora: Agora, operator: Agora, agentId: string): Promise<void> {
  await agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_visa' });
  await agora.vault.topUp({ amount: 100_000 });
  const { data } = await agora.vault.poolTransactions();
  await operator.vault.refundTopUp(data[0]?.id as string, { amount: 700, reason: 'Asked for it' });
  await agora.vault.setAutoTopUp({
    ...{ enabled: true, threshold: 500, reloadAmount: 2000 },
    ...{ maxPerDay: 10_000, maxPerMonth: 40_000 },
  });
  await agora.vault.allocate(agentId, { amount: 4000 });
  await agora.vault.reclaim(agentId, { amount: 500 });
  await agora.vault.setBudget(agentId, {
    perTransactionMax: 2000,
    dailyLimit: 10_000,
    weeklyLimit: null,
    monthlyLimit: null,
    approvalThreshold: null,
  });
}

type Began = (fields?: Partial<Body<'tasks.submit'>>) => Promise<Task>;

/** A dispute that the operator has decided, and one that the seller has yet to answer. */
async function courtCases(agora: Agora, work: Agora, operator: Agora, began: Began) {
  const done = async () => (await work.tasks.complete((await began()).id, { output })).id;
  const file = async (taskId: string): Promise<Dispute> => {
    await sleep(2500);
    return agora.tasks.dispute(taskId, { reason: 'It is no haiku' });
  };
  const ruled = await done();
  const disputed = await done();
  const first = await file(ruled);
  await work.courts.respondToDispute(first.id, { response: 'It has five, seven and five' });
  await until('the gate has looked again', async () => {
    const { status } = await agora.courts.getDispute(first.id);
    if (status === 'resolved') return true;
    const ruling = { outcome: 'split' as const, share: 50, note: 'Both are right' };
    return operator.courts.resolveDispute(first.id, ruling).then(
      () => true,
      () => false,
    );
  });
  const open = await agora.tasks.dispute(disputed, { reason: 'It is no haiku' });
  return { ruled, resolved: first.id, disputed, open: open.id };
}

/** The ways in which a task ends without pay. */
async function endings(agora: Agora, work: Agora, began: Began, hire: Hire) {
  const { id: rejected } = await work.tasks.complete((await began()).id, { output: {} });
  const { id: gaveUp } = await work.tasks.fail((await began()).id, { reason: 'I cannot count' });
  const { id: cancelled } = await agora.tasks.cancel((await hire()).id);
  const { id: refunded } = await work.tasks.complete((await began()).id, { output });
  await agora.tasks.feedback(refunded, { direction: 'down', comment: 'Six, seven, five' });
  return { rejected, gaveUp, cancelled, refunded };
}

/** Two tasks on the same commit, in sandboxes; one is delivered with an artifact, the other goes on. */
async function cloneTwice(work: Agora, hire: Hire) {
  const remote = await startGitServer();
  try {
    const project = join(remote.root, 'project');
    mkdirSync(project);
    git(project, 'init', '--initial-branch=main');
    writeFileSync(join(project, 'README'), 'What a repository says\n');
    git(project, 'add', '-A');
    git(project, 'commit', '--quiet', '-m', 'one');
    const input = { description: 'Improve it', repo: { url: `${remote.url}/project` } };
    const clone = async () => {
      const { id } = await hire({ input });
      const { sandboxId } = (await work.sandbox.provision(id)).data;
      await work.tasks.start(id, { sandboxId });
      await work.sandbox.exec(id, { command: 'mkdir -p output && echo better > output/note.txt' });
      return id;
    };
    const cloned = await clone();
    const clonedToo = await clone();
    await work.tasks.complete(cloned, { output });
    await until('artifacts are there', async () => (await work.artifacts.list(cloned)).data.length > 0);
    return { cloned, clonedToo };
  } finally {
    await remote.close();
  }
}

/** One task that the gate works on and one failure of it that it assesses again, both while the dump is made; later both are quick. */
async function slowlyJudged(work: Agora, agora: Agora, began: Began) {
  const from = Math.ceil(Date.now() / 1000) + 2;
  const slow = (command: string) => ({
    input: { description: 'Write a haiku', acceptance: { checks: [{ name: 'slow', command }] } },
  });
  const whileDumped = (then: string) =>
    `now=$(date +%s); [ $now -lt ${from} ] || [ $now -gt ${from + 60} ] || sleep 50; ${then}`;
  const appealed = await began(slow(whileDumped('false')));
  await work.tasks.complete(appealed.id, { output });
  const statusOf = async (id: string) => (await agora.tasks.get(id)).status;
  await until('the gate has failed it', async () => (await statusOf(appealed.id)) === 'failed');
  const judged = await began(slow(whileDumped('true')));
  await sleep(Math.max(0, from * 1000 - Date.now()));
  const assessment = (await agora.tasks.get(appealed.id)).assessmentId as string;
  await work.courts.appealAssessment(assessment, { reason: 'It was right' });
  // The reply only comes once the gate is done, or the server stops.
  work.tasks.complete(judged.id, { output }).catch(() => undefined);
  await until('it is delivered', async () => (await statusOf(judged.id)) === 'quality_check');
  return { judged: judged.id, appealed: appealed.id };
}

async function until(what: string, met: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await met()); tries++) {
    if (tries > 300) throw new Error(`It was waited in vain until ${what}.`);
    await sleep(100);
  }
}
