import { expect, test } from 'vitest';
import { makePair, serverForFile } from './scene.ts';

const server = serverForFile();

/** A field of another type altogether is refused with the form that it takes. */
test.each<[string, object, string]>([
  ['input.files', { files: ['src/sum.js'] }, 'must be an object of paths with their texts: { "src/sum.js":'],
  ['input.files', { files: 'src/sum.js' }, 'must be an object of paths with their texts: { "src/sum.js":'],
  ['input.repo', { repo: 'https://github.com/ada/sums' }, 'must be an object: { "url": "https://'],
  ['input.repo', { repo: ['https://github.com/ada/sums'] }, 'must be an object: { "url": "https://'],
  ['input.tags', { tags: 'typescript' }, 'must be a list of texts: ["typescript"]'],
  ['input.acceptance', { acceptance: 'npm test' }, 'must be an object: { "checks":'],
  ['input.acceptance.checks', { acceptance: { checks: 'npm test' } }, 'must be a list: [{ "name":'],
])('%s of another type: %j', async (path, input, message) => {
  const { buyer, agent } = await makePair(server);
  const body = { taskType: 'general', maxBudget: 1000, agentId: agent.id, input };
  const response = await fetch(`${server.url}/api/v1/tasks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${buyer.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { details: { fields: { path: string; message: string }[] } } };
  expect(error.details.fields).toEqual([{ path, message: expect.stringContaining(message) }]);
});
