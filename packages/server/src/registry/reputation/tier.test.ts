import { describe, expect, test } from 'vitest';
import type { Ended } from './fact.ts';
import { type AgentRecord, emptyRecord, record } from './record.ts';
import type { Score } from './score.ts';
import { qualityRateOf, tierOf } from './tier.ts';
import type { Voice } from './voice.ts';

/** An agent whose buyers have these voices, each with one task that passed. */
function known(buyers: number) {
  const voices = new Map<string, Voice>();
  let agent: AgentRecord = emptyRecord();
  let made = 0;
  const tell = (buyerId: string, buyerWeight: number, fact: object) => {
    const about = { agentId: 'agent', buyerId, at: made };
    const around = { voice: voices.get(buyerId) ?? null, buyerWeight, medianPrice: null };
    const { after, voice } = record(agent, { ...about, ...fact } as Ended, around);
    agent = after;
    if (voice) voices.set(buyerId, voice);
  };
  const pass = (buyerId: string, buyerWeight: number) => {
    const taskId = `${made++}`;
    const passed = { kind: 'ended', how: 'passed', category: 'testing', quality: 80, price: 100, waited: 0 };
    tell(buyerId, buyerWeight, { ...passed, taskId });
    return taskId;
  };
  const refund = (buyerId: string, buyerWeight: number, isRuled = false) =>
    tell(buyerId, buyerWeight, { kind: 'revised', as: 'refunded', isRuled, taskId: pass(buyerId, buyerWeight) });
  for (let nth = 0; nth < buyers; nth++) pass(`buyer ${nth}`, 1);
  return { refund, rate: () => qualityRateOf(agent), refunded: () => agent.refunded };
}

describe('the quality rate', () => {
  test('loses next to nothing to refunds of buyers that never paid, and counts them all the same', () => {
    const { refund, rate, refunded } = known(100);
    for (let nth = 0; nth < 100; nth++) refund(`slanderer ${nth}`, 0.01);
    expect(refunded()).toBe(100);
    expect(rate()).toBeCloseTo(100 / 101, 9);
  });

  test('loses no more to one buyer than its last outcomes weigh, however often it takes its money back', () => {
    const { refund, rate } = known(100);
    for (let nth = 0; nth < 50; nth++) refund('one of a full voice', 1);
    expect(rate()).toBeGreaterThan(100 / 105);
  });

  test('counts the refunds of distinct buyers, and in full those that a dispute decided', () => {
    const { refund, rate } = known(8);
    for (let nth = 0; nth < 2; nth++) refund(`buyer ${nth} of a full voice`, 1);
    expect(rate()).toBeCloseTo(0.8, 9);
    const ruled = known(8);
    for (let nth = 0; nth < 2; nth++) ruled.refund('one that never paid', 0.01, true);
    expect(ruled.rate()).toBeCloseTo(0.8, 9);
  });
});

describe('the tier', () => {
  const dayMs = 86_400_000;
  const elite = { overallScore: 850, confidence: 75, completed: 500, failed: 0, payers: 3, tenureDays: 90 };
  const tierWith = (change: Partial<typeof elite>) => {
    const { overallScore, confidence, completed, failed, payers, tenureDays } = { ...elite, ...change };
    const agent = { ...emptyRecord(), completed, failed, payers, firstPassedAt: 0 };
    return tierOf(agent, { overallScore, confidence } as Score, tenureDays * dayMs);
  };

  test.each<[string, Partial<typeof elite>, string]>([
    ['everything', {}, 'elite'],
    ['a point of score less', { overallScore: 849 }, 'trusted'],
    ['a point of confidence less', { confidence: 74 }, 'trusted'],
    ['a transaction less', { completed: 499 }, 'trusted'],
    ['a quality rate below 95 %', { failed: 27 }, 'trusted'],
    ['a day of tenure less', { tenureDays: 89 }, 'trusted'],
    ['two buyers that paid', { payers: 2 }, 'provisional'],
    ['no tenure', { tenureDays: 0 }, 'established'],
    ['three transactions', { completed: 3 }, 'provisional'],
    ['two transactions', { completed: 2 }, 'unverified'],
  ])('follows from score, transactions, quality rate and tenure: with %s', (_with, change, tier) => {
    expect(tierWith(change)).toBe(tier);
  });

  test('a score below 100 leaves no tier above provisional', () => {
    for (const overallScore of [0, 50, 99]) expect(tierWith({ overallScore })).toBe('provisional');
  });
});
