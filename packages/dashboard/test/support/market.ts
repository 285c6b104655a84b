import type { TestAgent, TestOwner } from '../../../server/test/support/harness.ts';
import type { Scene } from './scene.ts';

/** A small market in which one owner buys and sells, so that every page has something to show. */
export interface Market {
  owner: TestOwner;
  /** The owner's own, with a webhook, a delivered task and a question that waits. */
  agent: TestAgent;
  webhookId: string;
  /** What the owner has bought; the agent of the one that waits has a question. */
  tasks: { disputed: string; failed: string; waiting: string };
  /** What the owner's agent has delivered for somebody else. */
  soldTask: string;
  disputeId: string;
  approvalId: string;
  scheduleId: string;
}

const haiku = { result: 'Debits and credits\nmeet at the end of the day\nand sum to nothing' };

export async function marketFor(scene: Scene): Promise<Market> {
  const owner = await scene.server.owner();
  const worker = await scene.workingAgent({
    fields: { displayName: 'Haiku smith', description: 'Writes haiku and mends those of others.' },
    async handle({ task, sandbox }) {
      if (task.input.fails) throw new Error('The lines do not scan, whatever I do.');
      await sandbox.write('output/haiku.txt', haiku.result);
      return haiku;
    },
  });
  const agent = await owner.agent({
    displayName: 'Careful reader',
    description: 'Reads contracts and says what is odd.',
  });
  const webhook = await owner.agora.webhooks.create(agent.id, {
    url: 'http://127.0.0.1:9/hook',
    events: ['task_assigned', 'task_completed'],
  });
  await owner.agora.webhooks.test(agent.id, webhook.id);
  await owner.agora.trust.createKey({ name: 'Our own site' });
  await owner.agora.auth.createToken({ name: 'My laptop' });
  const soldTask = await sell(await scene.server.owner(), agent);
  const idle = await (await scene.server.owner({ credits: 0 })).agent();
  const tasks = await buy(owner, worker, idle);
  await idle.agora.tasks.postMessage(tasks.waiting, { kind: 'question', text: 'In how many lines?' });
  const approvalId = await ask(owner, agent, worker);
  const scheduleId = await scheduleFor(owner, worker);
  scene.server.clock.advance(10 * 60_000 + 1_000);
  const { id: disputeId } = await owner.agora.tasks.dispute(tasks.disputed, {
    reason: 'The second line has eight syllables.',
    evidence: [{ label: 'Count', text: 'meet | at | the | end | of | the | day' }],
  });
  await worker.agora.courts.respondToDispute(disputeId, { response: 'It has seven, as the count shows.' });
  await scene.server.app.run('embassy.notify');
  return { owner, agent, webhookId: webhook.id, tasks, soldTask, disputeId, approvalId, scheduleId };
}

/** One that has run. */
async function scheduleFor({ agora }: TestOwner, { id: agentId }: TestAgent): Promise<string> {
  const task = { taskType: 'general', maxBudget: 1_000, agentId, input: { description: 'Write a haiku' } } as const;
  const { id: templateId } = await agora.templates.create({ name: 'Haiku of the day', task });
  const times = { cron: '0 9 * * 1-5', timeZone: 'Europe/Berlin' };
  const budgets = { maxBudget: 1_000, monthlyBudget: 20_000 };
  const { id } = await agora.schedules.create({ name: 'Haiku of the day', templateId, ...times, ...budgets });
  await agora.schedules.run(id);
  return id;
}

/** Somebody buys from the owner's agent. */
async function sell(buyer: TestOwner, { id: agentId, agora }: TestAgent): Promise<string> {
  const input = { description: 'Read this contract' };
  const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId, maxBudget: 1_000, input });
  await agora.tasks.start(id, { sandboxId: 'mine' });
  await agora.tasks.complete(id, { output: { result: 'Clause four lets either side end it without a reason.' } });
  return id;
}

async function buy({ agora }: TestOwner, worker: TestAgent, idle: TestAgent): Promise<Market['tasks']> {
  const submit = async (agentId: string, more: object = {}) => {
    const input = { description: 'Write a haiku about ledgers', ...more };
    return (await agora.tasks.submit({ taskType: 'general', agentId, maxBudget: 1_000, input })).id;
  };
  const tasks = {
    disputed: await submit(worker.id, { files: { 'output/haiku.txt': 'An older haiku\n' } }),
    failed: await submit(worker.id, { fails: true }),
    waiting: await submit(idle.id),
  };
  for (const [id, wanted] of [
    [tasks.disputed, 'completed'],
    [tasks.failed, 'failed'],
  ] as const) {
    const { status } = await agora.tasks.wait(id, { waitMs: 60_000 });
    if (status !== wanted) throw new Error(`The task ${id} is ${status}.`);
  }
  return tasks;
}

/** The owner's agent wants to spend more than it may without being asked. */
async function ask(owner: TestOwner, agent: TestAgent, wanted: TestAgent): Promise<string> {
  await owner.agora.embassy.setOwnerPolicy({
    version: 0,
    approvalThreshold: 500,
    perTransactionMax: 5_000,
    allowedCategories: ['general', 'content_creation'],
    operatingHours: null,
    blockedCounterparties: [],
  });
  const reply = await agent.agora.tasks.submitAsAgent({
    taskType: 'general',
    agentId: wanted.id,
    maxBudget: 1_200,
    input: { description: 'Turn clause four into a haiku' },
  });
  if (!('approval' in reply)) throw new Error('The task needs no approval.');
  return reply.approval.id;
}
