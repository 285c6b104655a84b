import type { TaskStatus } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { isComplete, outcomeOf, ranked } from './attempts.ts';

const attempt = (id: string, fields: object = {}) => ({
  id,
  status: 'quality_check' as TaskStatus,
  assessmentId: 'verdict' as string | null,
  qualityScore: 70 as number | null,
  price: 100,
  deliveredAt: '2026-11-21T12:00:00.000Z',
  ...fields,
});
const unjudged = { assessmentId: null, qualityScore: null };

test.each([
  ['the higher score', { qualityScore: 71, price: 900, deliveredAt: '2026-11-21T13:00:00.000Z' }],
  ['of equal scores the lower price', { price: 99, deliveredAt: '2026-11-21T13:00:00.000Z' }],
  ['of equal prices the earlier delivery', { deliveredAt: '2026-11-21T11:59:59.999Z' }],
])('%s is better', (_, better) => {
  for (const attempts of [
    [attempt('a'), attempt('b', better)],
    [attempt('b', better), attempt('a')],
  ]) {
    expect(ranked(attempts).map(({ id }) => id)).toEqual(['b', 'a']);
  }
});

test('only what is shortlisted is compared', () => {
  const others = [
    attempt('rejected', { status: 'failed', qualityScore: 49 }),
    attempt('judged', unjudged),
    attempt('working', { status: 'executing', ...unjudged }),
  ];
  expect(ranked([...others, attempt('a')]).map(({ id }) => id)).toEqual(['a']);
});

describe('an attempt', () => {
  test.each<[TaskStatus, object, string]>([
    ['routing', unjudged, 'pending'],
    ['executing', unjudged, 'pending'],
    ['quality_check', unjudged, 'pending'],
    ['quality_check', {}, 'shortlisted'],
    ['completed', {}, 'selected'],
    ['refunded', {}, 'selected'],
    ['failed', { qualityScore: 50 }, 'not_selected'],
    ['failed', { qualityScore: 49 }, 'rejected'],
    ['failed', unjudged, 'failed'],
  ])('that is %s with %j counts as %s', (status, fields, outcome) => {
    const one = attempt('a', { status, ...fields });
    expect(outcomeOf(one)).toBe(outcome);
    expect(isComplete([attempt('b'), one])).toBe(outcome !== 'pending');
  });
});
