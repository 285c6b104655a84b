import { expect, test } from 'vitest';
import { chance } from '../../../test/simulation/chance.ts';
import { observe } from './evidence.ts';
import { emptyState, fold } from './fold.ts';
import { emptyRecord } from './record.ts';
import { credibleFrom, noTastes, ownWork, withPair } from './tastes.ts';
import type { Heard } from './voice.ts';
import { weights } from './weights.ts';

/** A number around 0 with a variance of 1: the sum of twelve uniform ones. */
function normals(seed: number): () => number {
  const { below } = chance(seed);
  return () => Array.from({ length: 12 }, () => below(1e6) / 1e6).reduce((sum, value) => sum + value, -6);
}

/** What is learned from 200 buyers with eight tasks each, whose tastes have such a deviation. */
function learned(tastes: number) {
  const [normal, work] = [normals(7), 0.12];
  let found = noTastes();
  for (let buyer = 0; buyer < 200; buyer++) {
    const [own, earlier] = [0.7 + tastes * normal(), { mass: 0, good: 0 }];
    for (let nth = 0; nth < 8; nth++) {
      const worth = own + work * normal();
      if (nth > 0) found = withPair(found, 1, worth, earlier, 0.7);
      observe(earlier, 1, worth);
    }
  }
  return found;
}

test('how much a buyer’s own tasks say is learned from how much tastes differ', () => {
  // The variance of the work divided by that of the tastes.
  for (const tastes of [0.1, 0.05]) {
    const expected = 0.12 ** 2 / tastes ** 2;
    const found = credibleFrom(learned(tastes));
    expect([found > 0.75 * expected, found < 1.33 * expected]).toEqual([true, true]);
  }
  expect(credibleFrom(learned(0))).toBeGreaterThan(40);
});

test('before the first pair buyers are alike, and own tasks never say all', () => {
  expect(credibleFrom(noTastes())).toBe(Number.POSITIVE_INFINITY);
  const alike = { pairs: 1e6, together: 1e6, apart: 1e6 };
  expect(credibleFrom(alike)).toBe(weights.tastes.leastTasks);
});

const heard: Heard = {
  ...{ task: 't', at: 0, category: 'bug_fix', price: 100, outcome: 0.8, feedback: null, prompt: null, economic: null },
  ...{ reliability: 1, refused: 0, isMeasured: true, isDirect: false, isUndelivered: false },
};

test('a buyer’s own tasks are its deliveries in the category, the newest in full', () => {
  const voice = {
    weight: 1,
    hasPaid: true,
    heard: [
      heard,
      { ...heard, category: 'design' as const },
      { ...heard, outcome: null },
      { ...heard, outcome: 0, isUndelivered: true },
      { ...heard, outcome: 0 },
    ],
  };
  expect(ownWork(voice, 'bug_fix', 0)).toEqual({ mass: 1 + weights.repeat, good: 0.8 });
  const halved = weights.halfLifeDays * 86_400_000;
  expect(ownWork({ ...voice, heard: [heard] }, 'bug_fix', halved)).toEqual({ mass: 0.5, good: 0.4 });
  const refunded = { ...heard, feedback: 0, refused: 1 };
  expect(ownWork({ ...voice, heard: [refunded] }, 'bug_fix', 0).mass).toBe(0);
  expect(ownWork(null, 'bug_fix', 0)).toEqual({ mass: 0, good: 0 });
});

/** What is learned where such buyers have six tasks each from three agents, with these scores. */
function entered(scoreOf: (buyer: number, agent: number) => number, answerable?: 'buyer') {
  const state = emptyState(0);
  for (let agent = 0; agent < 3; agent++)
    state.agents.set(`agent${agent}`, { ownerId: `seller${agent}`, record: emptyRecord(), tier: 'unverified' });
  let at = 0;
  for (let nth = 0; nth < 6; nth++)
    for (let buyer = 0; buyer < 40; buyer++)
      for (let agent = 0; agent < 3; agent++) {
        const about = { agentId: `agent${agent}`, buyerId: `buyer${buyer}`, taskId: `${at}`, at: at++ };
        fold(state, { kind: 'paid', ...about, spent: 1000, earned: 850 }, '');
        const what = { category: 'bug_fix', price: 1000, waited: null } as const;
        const fails = answerable && buyer < 2;
        const how = fails ? ({ how: 'rejected', answerable } as const) : ({ how: 'passed' } as const);
        fold(state, { kind: 'ended', ...about, ...what, ...how, quality: scoreOf(buyer, agent) }, '');
      }
  return credibleFrom(state.tastes.get('bug_fix') ?? noTastes());
}

test('tastes are learned from the log, and not from what nothing but the measures of buyers rejected', () => {
  const noise = () => 60 * (random.below(1000) / 1000 - 0.5);
  const random = chance(5);
  expect(entered((buyer, agent) => 70 + 15 * ((buyer + agent) % 3) - 15 + noise())).toBeLessThan(5);
  expect(entered(() => 70 + noise())).toBeGreaterThan(20);
  expect(entered(() => 70 + noise(), 'buyer')).toBeGreaterThan(10);
});
