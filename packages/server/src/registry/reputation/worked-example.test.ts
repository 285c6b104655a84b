import { expect, test } from 'vitest';
import { voiceOf, weightOfPrice } from './buyer.ts';
import type { Ended } from './fact.ts';
import { type AgentRecord, emptyRecord, record } from './record.ts';
import { domainsOf, scoreOf } from './score.ts';

const at = Date.parse('2026-11-22T12:00:00.000Z');
const voice = voiceOf({ spent: 1_000, earned: 0 });
const passed: Ended = {
  kind: 'ended',
  taskId: 'task',
  agentId: 'agent',
  buyerId: 'buyer',
  at,
  category: 'testing',
  how: 'passed',
  quality: 90,
  price: 800,
  waited: 0.2,
};
const pass = (before: AgentRecord, fact: Ended = passed, buyerWeight = voice) =>
  record(before, fact, { voice: null, buyerWeight, medianPrice: 800 });

test('the worked example of docs/reputation.md comes out digit for digit', () => {
  expect(voice).toBe(0.5);
  expect(weightOfPrice(800)).toBeCloseTo(0.84, 12);
  const first = pass(emptyRecord());
  expect(scoreOf(first.after, at)).toMatchObject({
    dimensions: { outcome: 520, relationship: 504, economic: 500, reliability: 525 },
    overallScore: 513,
    confidence: 2,
    lowerBound: 245,
  });
  expect(domainsOf(first.after, at)).toMatchObject([{ category: 'testing', score: 556, tasks: 1 }]);
  const thumb = record(
    first.after,
    { ...passed, kind: 'revised', as: 'up' },
    { voice: first.voice, buyerWeight: voice, medianPrice: null },
  );
  expect(scoreOf(thumb.after, at)).toMatchObject({ overallScore: 519, dimensions: { relationship: 528 } });
  expect(domainsOf(thumb.after, at)).toMatchObject([{ score: 558 }]);
});

/** The mean of what was learned of an agent in the category, without its prior. */
const learned = (agent: AgentRecord): number => {
  const [found] = domainsOf(agent, at);
  const mean = scoreOf(agent, at).outcome;
  const prior = (4 * mean.alpha) / (mean.alpha + mean.beta);
  const { alpha = 0, beta = 0 } = found?.posterior ?? {};
  return (alpha - prior) / (alpha + beta - 4);
};

test('a task without a delivery counts as one of all tasks, and not as worthless work', () => {
  const paid = (before: AgentRecord, taskId: string, how: Ended['how']) =>
    pass(before, { ...passed, taskId, buyerId: taskId, how, quality: how === 'passed' ? 90 : null }).after;
  const first = paid(emptyRecord(), 'first', 'passed');
  expect(learned(first)).toBeCloseTo(0.9, 9);
  // Five and 0.42 of 5.84 were delivered.
  expect(learned(paid(first, 'second', 'failed'))).toBeCloseTo((0.9 * 5.42) / 5.84, 9);
  // What was delivered and rejected is worth nothing.
  expect(learned(paid(first, 'second', 'rejected'))).toBeCloseTo(0.45, 9);
  expect(learned(paid(emptyRecord(), 'only', 'failed'))).toBe(0);
});

test('a thumb draws a measured score, and one that is a refund does not', () => {
  const first = pass(emptyRecord());
  const thumbed = (as: 'up' | 'down' | 'refunded') =>
    learned(
      record(
        first.after,
        { ...passed, kind: 'revised', as },
        { voice: first.voice, buyerWeight: voice, medianPrice: null },
      ).after,
    );
  expect(thumbed('up')).toBeCloseTo((0.9 + 0.5 * 0.95) / 1.5, 9);
  expect(thumbed('down')).toBeCloseTo((0.9 + 0.5 * 0.2) / 1.5, 9);
  expect(thumbed('refunded')).toBeCloseTo(0.9, 9);
});

test('ten buyers say more than ten tasks of one', () => {
  let many = emptyRecord();
  let same = emptyRecord();
  let heard = null as ReturnType<typeof pass>['voice'];
  for (let nth = 0; nth < 10; nth++) {
    many = pass(many, { ...passed, taskId: `${nth}`, buyerId: `${nth}` }).after;
    const next = record(same, { ...passed, taskId: `${nth}` }, { voice: heard, buyerWeight: voice, medianPrice: 800 });
    same = next.after;
    heard = next.voice;
  }
  expect(scoreOf(many, at).confidence).toBeGreaterThan(scoreOf(same, at).confidence);
  expect(scoreOf(many, at).overallScore).toBeGreaterThan(scoreOf(same, at).overallScore);
});

test('a ruling takes back what the pass brought, a thumb does not, and a circle of owners has next to no voice', () => {
  const first = pass(emptyRecord());
  const refund = (isRuled: boolean) =>
    record(
      first.after,
      { ...passed, kind: 'revised', as: 'refunded', isRuled },
      { voice: first.voice, buyerWeight: voice, medianPrice: null },
    ).after;
  expect(refund(true).evidence.outcome.good).toBeCloseTo(0, 12);
  expect(refund(false).evidence.outcome).toEqual(first.after.evidence.outcome);
  for (const isRuled of [true, false]) expect(refund(isRuled)).toMatchObject({ completed: 0, refunded: 1 });
  expect(voiceOf({ spent: 100_000, earned: 85_000 })).toBe(0.01);
});

test('what is long past tends to the score of a newcomer', () => {
  const { after } = pass(emptyRecord());
  const years = 10 * 365 * 86_400_000;
  expect(scoreOf(after, at + years)).toMatchObject({ overallScore: 500, confidence: 0 });
});
