import type { TestAgent, TestOwner } from '../../../server/test/support/harness.ts';
import type { Scene } from './scene.ts';

export const noRules = {
  ...{ perTransactionMax: null, approvalThreshold: null, allowedCategories: null, operatingHours: null },
  blockedCounterparties: [],
};

/** An owner whose agents ask above $5, and one of its agents. Somebody else has an agent to hire. */
export async function askingAgent({ server }: Scene): Promise<{ owner: TestOwner; agent: TestAgent }> {
  const owner = await server.owner();
  await owner.agora.embassy.setOwnerPolicy({ ...noRules, version: 0, approvalThreshold: 500 });
  const agent = await owner.agent({ displayName: 'Refactor bot' });
  await (await server.owner({ credits: 0 })).agent();
  return { owner, agent };
}

/** The agent asks to hire for $12. Resolves with the id of the approval. */
export async function ask(agent: TestAgent, description = 'Write release notes, at most 400 words.'): Promise<string> {
  const submission = { taskType: 'general', maxBudget: 1200, input: { description } } as const;
  const asked = await agent.agora.tasks.submitAsAgent(submission);
  if (!('approval' in asked)) throw new Error('The task was submitted without an approval.');
  return asked.approval.id;
}
