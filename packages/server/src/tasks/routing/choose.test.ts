import { expect, test } from 'vitest';
import { chance } from '../../../test/simulation/chance.ts';
import { type Contender, choose } from './choose.ts';
import { routingWeights } from './weights.ts';

const uniform = (seed = 1) => {
  const { below } = chance(seed);
  return () => below(2 ** 32) / 2 ** 32;
};

let made = 0;

/** An agent with so much evidence of such quality, from 0 to 1. */
function agent(quality: number, mass: number, traits: Partial<Contender> = {}): Contender {
  const agentId = `a${made++}`;
  return {
    agentId,
    ownerId: agentId,
    posterior: { alpha: 2 + mass * quality, beta: 2 + mass * (1 - quality) },
    evidence: { mass, good: mass * quality },
    price: 100,
    openTasks: 0,
    capacity: 5,
    matchingTags: 0,
    siblings: 1,
    inLottery: true,
    isVerified: true,
    newcomerMean: 0.5,
    own: { mass: 0, good: 0 },
    credibleFrom: Number.POSITIVE_INFINITY,
    ...traits,
  };
}

const several = (n: number, quality: number, mass: number) => Array.from({ length: n }, () => agent(quality, mass));

/** Share of 4,000 tasks that go to each agent first. */
function shares(contenders: Contender[], maxBudget: number | null = 200) {
  const random = uniform(7);
  const counts = new Map<string, number>();
  for (let i = 0; i < 4000; i++) {
    const first = choose(contenders, { maxBudget }, random)?.ranked[0]?.agentId ?? '';
    counts.set(first, (counts.get(first) ?? 0) + 1);
  }
  return (one: Contender) => (counts.get(one.agentId) ?? 0) / 4000;
}

const newcomersShare = (routingWeights.perMille.lottery + routingWeights.perMille.promising) / 1000;

test('where there is nobody, nobody is chosen', () => {
  expect(choose([], { maxBudget: 100 }, uniform())).toBeNull();
});

test('the same chance makes the same decision', () => {
  const contenders = [agent(0.9, 20), agent(0.8, 5), agent(0.5, 0)];
  const decide = () => choose(contenders, { maxBudget: 200 }, uniform(3));
  expect(decide()).toEqual(decide());
});

test('the agent that is known to be the best gets most of the work, and every agent some', () => {
  const [best, others] = [agent(0.95, 30), several(9, 0.6, 30)];
  const share = shares([best, ...others]);
  expect(share(best)).toBeGreaterThan(0.9);
  expect(others.filter((other) => share(other) > 0).length).toBeGreaterThan(3);
});

test('of two equally good agents, the one that is less known wins more often than never', () => {
  const [known, lessKnown] = [agent(0.85, 60), agent(0.85, 10)];
  const share = shares([known, lessKnown, ...several(7, 0.5, 30)]);
  expect(share(lessKnown)).toBeGreaterThan(0.1);
  expect(share(known)).toBeGreaterThan(share(lessKnown));
});

test('newcomers together never get more than their share while others are free, however many they are', () => {
  const newcomers = several(60, 1, 1);
  const share = shares([...several(10, 0.4, 30), ...newcomers]);
  const all = newcomers.reduce((sum, one) => sum + share(one), 0);
  expect(all).toBeGreaterThan(0);
  expect(all).toBeLessThan(newcomersShare + 0.02);
  expect(newcomersShare).toBeLessThan(0.15);
});

test('an identity without an instrument of its own gets less work than an agent that is known to be bad', () => {
  const [bad, fresh] = [several(15, 0.1, 30), Array.from({ length: 15 }, () => agent(0.5, 0, { isVerified: false }))];
  const share = shares([...several(8, 0.9, 40), ...bad, ...fresh]);
  const sum = (agents: Contender[]) => agents.reduce((total, one) => total + share(one), 0);
  expect(sum(fresh)).toBe(0);
  expect(sum(bad)).toBeGreaterThan(0);
});

test('a newcomer whose first work is good gets more turns than one that nobody knows', () => {
  const [promising, unknown] = [agent(0.95, 1.5), agent(0.5, 0)];
  const share = shares([...several(8, 0.8, 40), promising, unknown]);
  expect(share(promising)).toBeGreaterThan(3 * share(unknown));
});

test('newcomers are expected to be as good as others were when they were new', () => {
  const share = (newcomerMean: number) => {
    const newcomers = [agent(0.5, 0, { newcomerMean }), agent(0.5, 0, { newcomerMean })];
    const found = shares([agent(0.6, 40), ...newcomers]);
    return newcomers.reduce((sum, one) => sum + found(one), 0);
  };
  expect(share(0.85)).toBeGreaterThan(0.7 * newcomersShare);
  expect(share(0.3)).toBeLessThan(0.2 * newcomersShare);
});

test('a newcomer of an owner without a payment instrument gets work only where nobody else can do it', () => {
  const [known, verified] = [agent(0.3, 40), agent(0.5, 0, { newcomerMean: 0.9 })];
  const free = agent(0.5, 0, { newcomerMean: 0.9, isVerified: false });
  expect(shares([known, verified, free])(free)).toBe(0);
  expect(shares([free])(free)).toBe(1);
});

test('agents of one owner share the tickets of one', () => {
  const family = Array.from({ length: 10 }, () => agent(0.5, 0, { ownerId: 'one', siblings: 10 }));
  const alone = agent(0.5, 0);
  const decision = choose([...several(8, 0.9, 40), ...family, alone], { maxBudget: 200 }, uniform());
  const ticketsOf = (agents: Contender[]) =>
    (decision?.ranked ?? [])
      .filter(({ agentId }) => agents.some((one) => one.agentId === agentId))
      .reduce((sum, { tickets }) => sum + tickets, 0);
  expect(ticketsOf([alone])).toBeGreaterThan(0);
  expect(ticketsOf(family)).toBeCloseTo(ticketsOf([alone]), 12);
});

test('who was not met by chance takes no part in the lottery', () => {
  const met = agent(0.2, 40, { inLottery: false });
  expect(shares([...several(8, 0.9, 40), met])(met)).toBe(0);
});

test('where there are no others, newcomers get the work', () => {
  const decision = choose(several(3, 0.5, 0), { maxBudget: 100 }, uniform());
  expect(decision?.by).toBe('newcomers');
  expect(decision?.ranked).toHaveLength(3);
});

test.each<[string, Partial<Contender>]>([
  ['cheaper', { price: 0 }],
  ['less busy', { openTasks: 0 }],
  ['listed with a wanted tag', { matchingTags: 1 }],
])('of equally good agents the one that is %s gets more', (_what, traits) => {
  const [plain, other] = [
    agent(0.8, 200, { openTasks: 4, price: 200 }),
    agent(0.8, 200, { openTasks: 4, price: 200, ...traits }),
  ];
  const share = shares([plain, other, ...several(7, 0.3, 50)]);
  expect(share(other)).toBeGreaterThan(share(plain) + 0.1);
});

test('a buyer whose own tasks with an agent were better than usual asks it more, where the tastes of buyers differ', () => {
  const others = several(9, 0.8, 200);
  const share = (own: Contender['own'], credibleFrom: number) => {
    const one = agent(0.8, 200, { own, credibleFrom });
    return shares([one, ...others])(one);
  };
  const good = { mass: 4, good: 3.8 };
  expect(share(good, 2)).toBeGreaterThan(0.8);
  expect(share({ mass: 4, good: 2 }, 2)).toBeLessThan(0.05);
  expect(share(good, Number.POSITIVE_INFINITY)).toBeCloseTo(0.1, 1);
  expect(share({ mass: 0, good: 0 }, 2)).toBeCloseTo(0.1, 1);
});

test('a buyer that judges all agents harder does not leave those that it knows', () => {
  const [known, second] = [0.9, 0.85].map((quality) =>
    agent(quality, 200, { own: { mass: 4, good: 4 * (quality - 0.25) }, credibleFrom: 2 }),
  ) as [Contender, Contender];
  const share = shares([known, second, ...several(8, 0.7, 200)]);
  expect(share(known)).toBeGreaterThan(0.5);
});

test('the record adds up: utility is draw, history, price, load and tags, and the choice is the first', () => {
  const decision = choose(
    [
      agent(0.9, 20, { matchingTags: 9, openTasks: 2, own: { mass: 2, good: 1 }, credibleFrom: 2 }),
      ...several(9, 0.7, 20),
    ],
    { maxBudget: 200 },
    uniform(5),
  );
  for (const { draw, history, price, load, tags, utility } of decision?.ranked ?? []) {
    expect(utility).toBeCloseTo(draw + history - price - load + tags, 12);
  }
  expect(decision?.ranked[0]?.utility).toBe(Math.max(...(decision?.ranked ?? []).map(({ utility }) => utility)));
});
