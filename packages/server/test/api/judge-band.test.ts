import { LLMock } from '@copilotkit/aimock';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { goodOutput, hireAndStart, makePair, type Pair, serverForFile } from './scene.ts';

const mock = new LLMock({ port: 0, logLevel: 'silent' });
await mock.start();
afterAll(() => mock.stop());

const judged = serverForFile({ config: { JUDGE_BASE_URL: `${mock.url}/v1`, JUDGE_MODEL: 'judge-1' } });
const unjudged = serverForFile();

interface Delivery {
  checks: { name: string; command: string; weight: number }[];
  taskType?: 'general' | 'research';
  description?: string;
  output?: Record<string, unknown>;
}

const check = (command: string, weight: number, nth = 0) => ({ name: `${command} ${nth}`, command, weight });
const halves = { checks: [check('true', 1), check('false', 1)] };
const threeOfFour = { checks: [check('true', 3), check('false', 1)] };
const elevenOfFifteen = { checks: [check('true', 11), check('false', 4)] };
/** An answer that shares no word with the question scores 52, and a little more than half of the checks pass: 50. */
const offTopic: Delivery = {
  taskType: 'research',
  description: 'Compare append-only ledgers with mutable balance tables for auditing payments, refunds and disputes.',
  output: {
    result: `${'The green river flows under that old stone bridge and children swim there with their friends. '.repeat(4)}`,
  },
  // Each share is rounded to a hundredth, in favour of the many.
  checks: [check('true', 30.0045), ...Array.from({ length: 19 }, (_, nth) => check('false', 1.57871, nth))],
};

async function deliver(pair: Pair, given: Delivery) {
  const { checks, taskType = 'general', description = 'Write a haiku about ledgers', output = goodOutput } = given;
  const { id } = await hireAndStart(pair, { taskType, input: { description, acceptance: { checks } } });
  await pair.agent.agora.tasks.complete(id, { output });
  await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).not.toBe('quality_check');
  const { assessmentId } = await pair.buyer.agora.tasks.get(id);
  return pair.agent.agora.courts.getAssessment(assessmentId ?? '');
}

const edges = [
  [49, halves, false],
  [50, offTopic, true],
  [70, elevenOfFifteen, true],
  [71, threeOfFour, false],
] as const;

describe.each(edges)('a score of %i by the rules', (score, delivery, isInBand) => {
  let pairs: { judged: Pair; unjudged: Pair };
  beforeAll(async () => {
    pairs = { judged: await makePair(judged), unjudged: await makePair(unjudged) };
    mock.clearFixtures();
    mock.clearRequests();
    mock.onMessage(/Score this delivery by the rules/, { content: JSON.stringify({ reasons: 'Fine.', score: 90 }) });
  });

  test(`${isInBand ? 'is' : 'is not'} put to the judge`, async () => {
    const assessment = await deliver(pairs.judged, delivery);
    expect(mock.getRequests()).toHaveLength(isInBand ? 1 : 0);
    expect(assessment.score).toBe(isInBand ? (score + 90) / 2 : score);
    if (isInBand) expect(assessment.judge).toMatchObject({ status: 'judged', score: 90 });
    else expect(assessment.judge).toBeNull();
  });

  test('stands where there is no judge, and the assessment says so where one would have been asked', async () => {
    const assessment = await deliver(pairs.unjudged, delivery);
    expect(assessment).toMatchObject({ score, passed: score >= 50 });
    if (isInBand) expect(assessment.judge).toMatchObject({ status: 'not_set_up', score: null, model: null });
    else expect(assessment.judge).toBeNull();
  });
});

test('readiness says whether there is a judge', async () => {
  expect((await judged.client().system.ready()).judge).toEqual({
    available: true,
    detail: 'judge-1 judges scores of 50 to 70',
  });
  expect((await unjudged.client().system.ready()).judge).toMatchObject({
    available: false,
    detail: expect.stringMatching(/^No judge is set up/),
  });
});
