import type { TaskHandler } from '@agora-market/sdk/worker';
import type { TestAgent, TestOwner } from '../../../server/test/support/harness.ts';
import { corpus, corpusIn, drawingAttack, markdownAttacks, payloads, pdfAttack, terminalAttacks } from './payloads.ts';
import type { Scene } from './scene.ts';

/** A marketplace whose every text is an attack. */
export interface Strangers {
  buyer: TestOwner;
  seller: TestOwner;
  agent: TestAgent;
  webhookId: string;
  /** Completed and disputed, failed, waiting for an agent, and completed with texts of every kind. */
  tasks: { disputed: string; failed: string; waiting: string; shaped: string };
  disputeId: string;
  approvalId: string;
}

/** As a delivery: what only repeats the task's description does not pass. */
const unlike = [...payloads].reverse().join('\n\n');

/** What a name may be: a path has no slash inside a name. */
const fileName = (payload: string) => payload.replaceAll('/', '∕');

/** Fills each field that a stranger can write with all payloads, or, where the field is short, as many of it as there are. */
export async function strangersFor(scene: Scene, hookUrl: string): Promise<Strangers> {
  const buyer = await scene.server.owner();
  const agent = await scene.workingAgent({
    fields: fieldsOf(payloads[0]!),
    async handle({ task, sandbox, progress }) {
      for (const message of corpusIn(1_900)) await progress({ message });
      if (task.input.fails) throw new Error(corpus);
      if (task.input.shapes) return deliverShapes(sandbox);
      for (const payload of payloads) await sandbox.write(`output/${fileName(payload)}`, payload);
      return { result: unlike, ...Object.fromEntries(payloads.map((each) => [`key ${each}`, each])) };
    },
  });
  const seller = agent.owner;
  const crowd = await registerCrowd(scene, seller);
  const webhook = await seller.agora.webhooks.create(agent.id, { url: hookUrl, events: ['task_assigned'] });
  await seller.agora.webhooks.test(agent.id, webhook.id);
  await Promise.all(
    [buyer, seller].map(({ agora }) =>
      Promise.all([
        agora.auth.createToken({ name: corpusIn(200)[0]! }),
        agora.trust.createKey({ name: corpusIn(200)[1]! }),
      ]),
    ),
  );
  const tasks = await submitTasks(buyer, agent, crowd[0]!);
  await ended(buyer, tasks.failed);
  await ended(buyer, tasks.disputed);
  await ended(buyer, tasks.shaped);
  await buyer.agora.tasks.feedback(tasks.disputed, { direction: 'up', comment: corpus });
  const approvalId = await askApproval(buyer, agent);
  scene.server.clock.advance(10 * 60_000 + 1_000);
  const evidence = corpusIn(200)
    .slice(0, 10)
    .map((label) => ({ label, text: corpus }));
  const { id: disputeId } = await buyer.agora.tasks.dispute(tasks.disputed, { reason: corpus, evidence });
  await seller.agora.courts.respondToDispute(disputeId, { response: corpus, evidence });
  return { buyer, seller, agent, webhookId: webhook.id, tasks, disputeId, approvalId };
}

/** Files whose shape a page knows, each with all payloads in it, and changes in files that are named by them. */
export const shapes: Record<string, string> = {
  'corpus.md': `${markdownAttacks}\n\n${corpus}`,
  'keys.json': JSON.stringify({ list: [Object.fromEntries(payloads.map((each) => [each, { [each]: each }]))] }),
  'rows.json': JSON.stringify(payloads.map((each) => ({ [payloads[11]!]: each, name: each }))),
  'corpus.log': terminalAttacks,
  'corpus.svg': drawingAttack,
  'corpus.js': payloads.map((each) => `const text = '${each}'; // ${each}`).join('\n'),
  'corpus.diff': payloads
    .map(
      (each) =>
        `diff --git a/${each} b/${each}\nrename from ${each}\nrename to new ${each}\n@@ -1 +1 @@ ${each}\n-${each}\n+${each} more\n`,
    )
    .join(''),
  'corpus.pdf': pdfAttack,
  'not.pdf': `%PDF-1.7\n${corpus}`,
  'not.png': corpus,
};

async function deliverShapes(sandbox: Parameters<TaskHandler>[0]['sandbox']) {
  for (const payload of payloads) await sandbox.write(`tree/${fileName(payload)}`, `${payload}\n${payload}\n`);
  for (const [path, text] of Object.entries(shapes)) await sandbox.write(`output/${path}`, text);
  return { result: markdownAttacks };
}

const fieldsOf = (payload: string) => ({
  displayName: payload,
  description: corpus,
  model: payload,
  capabilities: [{ category: 'testing' as const, tags: payloads.slice(0, 20).map((each) => each.slice(0, 50).trim()) }],
});

/** An agent for each payload, so that each stands in every list. */
async function registerCrowd(scene: Scene, seller: TestOwner): Promise<TestAgent[]> {
  await scene.server.operator().auth.updateOwner(seller.id, { plan: 'enterprise', reason: 'a crowd of agents' });
  const agents: TestAgent[] = [];
  for (const payload of payloads) agents.push(await seller.agent(fieldsOf(payload)));
  return agents;
}

async function submitTasks(buyer: TestOwner, agent: TestAgent, idle: TestAgent): Promise<Strangers['tasks']> {
  const files = Object.fromEntries(payloads.map((each) => [`output/${fileName(each)}`, `before ${each}`]));
  const tags = payloads.slice(20, 40).map((each) => each.slice(0, 50));
  const submit = async (agentId: string, more: object) => {
    const input = { description: corpus, tags, [payloads[11]!]: corpus, ...more };
    return (await buyer.agora.tasks.submit({ taskType: 'testing', agentId, maxBudget: 1_000, input })).id;
  };
  return {
    disputed: await submit(agent.id, { files, code: corpus }),
    failed: await submit(agent.id, { fails: true }),
    waiting: await submit(idle.id, {}),
    shaped: await submit(agent.id, {
      shapes: true,
      files: Object.fromEntries(payloads.map((each) => [`tree/${fileName(each)}`, `before ${each}\n`])),
    }),
  };
}

async function ended(buyer: TestOwner, taskId: string): Promise<void> {
  const { status } = await buyer.agora.tasks.wait(taskId, { waitMs: 60_000 });
  if (status !== 'completed' && status !== 'failed') throw new Error(`The task ${taskId} is ${status}.`);
}

/** A request of the buyer's own agent to hire. */
async function askApproval(buyer: TestOwner, wanted: TestAgent): Promise<string> {
  const asking = await buyer.agent(fieldsOf(payloads[12]!));
  const unset = { perTransactionMax: null, allowedCategories: null, operatingHours: null, blockedCounterparties: [] };
  await buyer.agora.embassy.setOwnerPolicy({ version: 0, approvalThreshold: 0, ...unset });
  const input = { description: corpus };
  const order = { taskType: 'testing' as const, agentId: wanted.id, maxBudget: 1_000, input };
  const reply = await asking.agora.tasks.submitAsAgent(order);
  if (!('approval' in reply)) throw new Error('The task needs no approval.');
  return reply.approval.id;
}
