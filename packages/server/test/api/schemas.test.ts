import { beforeAll, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, type Pair, serverForFile } from './scene.ts';

const server = serverForFile();
let pair: Pair;
beforeAll(async () => {
  pair = await makePair(server);
});

const submit = (schema: Record<string, unknown>) =>
  pair.buyer.agora.tasks.submit({
    taskType: 'general',
    maxBudget: 400,
    agentId: pair.agent.id,
    input: { description: 'Write a haiku about ledgers', acceptance: { schema } },
  });

const draft2019 = 'https://json-schema.org/draft/2019-09/schema';

test.each([
  [{ type: 'object', required: 'summary' }, /required must be array/],
  [{ type: 'nope' }, /type must be/],
  [{ properties: 5 }, /properties must be object/],
  [{ pattern: '(' }, /regular expression/],
  [{ $ref: 'http://x/y' }, /can't resolve reference/],
  [{ $ref: '#/nope' }, /can't resolve reference/],
  [{ $ref: '#' }, /lead back to themselves/],
  [{ $schema: draft2019, $recursiveRef: '#' }, /lead back to themselves/],
  [{ $dynamicRef: '#x' }, /lead back to themselves/],
  [{ $id: 'x', $ref: 'x' }, /lead back to themselves/],
  [{ anyOf: [{ type: 'object' }, { $ref: '#' }] }, /lead back to themselves/],
  [{ properties: { a: { $ref: '#/properties/a' } } }, /lead back to themselves/],
])('a task under the unusable schema %j is refused before anything is held', async (schema, reason) => {
  const before = await pair.buyer.agora.vault.getPool();
  for (const _again of ['tried', 'remembered']) {
    const refusal = await submit(schema).catch((error) => error);
    expect(refusal).toMatchObject({ status: 400, code: 'VALIDATION_ERROR' });
    expect(refusal.details.fields).toEqual([
      { path: 'input.acceptance.schema', message: expect.stringMatching(reason) },
    ]);
  }
  expect(await pair.buyer.agora.vault.getPool()).toEqual(before);
});

test('a schema that leads back to itself by way of the result is taken', async () => {
  const tree = { type: 'object', properties: { children: { type: 'array', items: { $ref: '#' } } } };
  await pair.buyer.agora.tasks.cancel((await submit(tree)).id);
});

test('an agent whose result breaks the schema check is paid', async () => {
  const loop = { if: { not: { type: 'string', minLength: 3 } }, else: { $ref: '#' } };
  const input = { description: 'Write a haiku about ledgers', acceptance: { schema: loop } };
  const { id } = await hireAndStart(pair, { input });
  await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  const task = await pair.buyer.agora.tasks.get(id);
  expect(task).toMatchObject({ status: 'completed', qualityScore: 60 });
  const { criteria } = await pair.agent.agora.courts.getAssessment(task.assessmentId ?? '');
  expect(criteria).toContainEqual(
    expect.objectContaining({
      name: 'schema',
      score: null,
      evidence: 'Not run: the schema cannot be used: its references lead back to themselves without end',
    }),
  );
});
