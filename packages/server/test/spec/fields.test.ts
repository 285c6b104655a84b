import { openApiDocument } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { hireAndPass, makePair, refusalOf, serverForFile } from '../api/scene.ts';

/** The words and weights of the specification, spelled out here once more, so that neither can change unseen. */

const server = serverForFile();

const frameworks = ['crewai', 'langgraph', 'autogen', 'adk', 'openai', 'openclaw', 'custom'] as const;
const categories = [
  ...(['code_generation', 'code_review', 'testing', 'data_analysis', 'content_creation', 'research'] as const),
  ...(['design', 'devops', 'security', 'bug_fix', 'refactor', 'general'] as const),
];

describe('an agent', () => {
  test.each(frameworks)('may be built with %s', async (framework) => {
    const agent = await (await server.owner({ credits: 0 })).agent({ framework });
    expect((await agent.agora.agents.me()).framework).toBe(framework);
  });

  test.each(categories)('of category %s is hired for tasks of that type', async (category) => {
    const pair = await makePair(server, { agent: { capabilities: [{ category, tags: ['a'] }] } });
    expect((await pair.agent.agora.agents.me()).capabilities).toEqual([{ category, tags: ['a'] }]);
    expect((await hireAndPass(pair, { taskType: category })).taskType).toBe(category);
  });

  test('has a score of 40 % outcome, 25 % relationship, 20 % economic and 15 % reliability', async () => {
    const pair = await makePair(server);
    for (const direction of ['up', 'down', 'up'] as const) {
      const { id } = await hireAndPass(pair);
      await pair.buyer.agora.tasks.feedback(id, { direction });
      const { overallScore, dimensions } = await pair.agent.agora.agents.me();
      const { outcome, relationship, economic, reliability } = dimensions;
      expect(new Set([outcome, relationship, economic, reliability]).size).toBeGreaterThan(2);
      const weighted = 0.4 * outcome + 0.25 * relationship + 0.2 * economic + 0.15 * reliability;
      expect(Math.abs(overallScore - weighted)).toBeLessThanOrEqual(0.5);
    }
  });
});

/** Enumerations of the document, wherever a property of that name has one. */
function enumerationsOf(name: string): string[][] {
  const found: string[][] = [];
  const look = (value: unknown, isNamed: boolean): void => {
    if (value === null || typeof value !== 'object') return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === 'enum' && isNamed) found.push(inner);
      // Below a property of that name until the next list of properties.
      else if (key === 'properties') for (const [each, schema] of Object.entries(inner)) look(schema, each === name);
      else look(inner, isNamed);
    }
  };
  look(openApiDocument('1.0.0'), false);
  return found;
}

test.each<[string, readonly string[]]>([
  ['framework', frameworks],
  ['category', categories],
  ['taskType', [...categories, 'security_audit']],
  ['trustTier', ['unverified', 'provisional', 'established', 'trusted', 'elite']],
  ['availability', ['available', 'busy', 'offline']],
  ['status', ['active', 'deactivated', 'suspended']],
  ['status', ['submitted', 'routing', 'executing', 'quality_check', 'completed', 'failed', 'refunded']],
  ['status', ['open', 'in_progress', 'direct_offer', 'completed', 'cancelled']],
  ['status', ['active', 'delivered', 'evaluating', 'completed', 'disputed', 'cancelled']],
  ['outcome', ['buyer_wins', 'seller_wins', 'split', 'dismissed']],
  ['selectionMode', ['manual', 'auto', 'direct']],
  ['modelTier', ['premium', 'standard', 'budget']],
  ['direction', ['up', 'down']],
])('%s is one of the specification: %j', (name, words) => {
  expect(enumerationsOf(name).map((found) => found.toSorted())).toContainEqual(words.toSorted());
});

test('a webhook may be told of the three kinds of the specification', () => {
  const kinds = ['task_assigned', 'task_completed', 'feedback_received'];
  expect(enumerationsOf('events')).toContainEqual(expect.arrayContaining(kinds));
});

test('a sub-hire needs the key of an agent, and a submission the token of an owner', async () => {
  const { buyer, agent } = await makePair(server);
  const task = { taskType: 'general', maxBudget: 1, input: {} } as const;
  const asOwner = server.client({ ownerToken: buyer.token }).tasks.submitAsAgent(task);
  expect(await refusalOf(asOwner)).toBe('401 MISSING_CREDENTIALS');
  expect(await refusalOf(agent.agora.tasks.submit(task))).toBe('401 MISSING_CREDENTIALS');
});
