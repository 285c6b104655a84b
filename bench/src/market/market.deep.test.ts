import { expect, test } from 'vitest';
import { type Answers, addAnswer, questions } from './jobs.ts';
import { defaults, readOptions, UsageError } from './options.ts';
import { targets } from './targets.ts';

// The whole market with a few seeds: enough to see that a change of the rules breaks it, too few to tune them by.
const options = { ...defaults, tasks: 2400, 'warm-up': 1200, days: 67, 'ring-tasks': 20 };

const answersOf = (names: string[], seeds: number[]): Answers => {
  const asked = questions(options);
  const answers: Answers = new Map();
  for (const name of names) for (const seed of seeds) addAnswer(answers, { name, seed }, asked[name]?.(seed) ?? {});
  return answers;
};

const holding = (answers: Answers, what: RegExp) =>
  targets(answers, options).filter((target) => what.test(target.what) && !target.found.includes('NaN'));

test('routing delivers most of what an oracle would, and more than the highest mean, with few newcomers', () => {
  const names = ['random', 'highest mean', 'as built', 'oracle'].map((name) => `no drift/${name}`);
  const found = holding(answersOf(names, [1, 2, 3, 4]), /no drift/);
  expect(found).toHaveLength(3);
  // Half of the usual time to learn the agents is too short for the goal.
  const quality = Number(found[0]?.found.split(' ')[0]);
  expect(quality).toBeGreaterThan(80);
  expect(found.slice(1).filter(({ holds }) => !holds)).toEqual([]);
});

test('where nothing is measured thumbs tell the good from the bad', () => {
  const names = ['random', 'as built', 'oracle'].map((name) => `unmeasured 100 %/${name}`);
  const [found] = holding(answersOf(names, [1, 2, 3, 4]), /unmeasured/);
  expect(Number(found?.found.split(' ')[0])).toBeGreaterThan(30);
});

test('newcomers that are better take the work of the one agent that is known', () => {
  const found = holding(answersOf(['incumbent/0.55'], [1, 2, 3]), /known agent/);
  expect(found.map(({ holds }) => holds)).toEqual([true]);
});

test('a ring gains no more than 50 points, and no tier above established', () => {
  const found = holding(answersOf(['ring/20, no work', 'ring/20, with work'], [1]), /ring/);
  expect(found).toHaveLength(2);
  expect(found.filter(({ holds }) => !holds)).toEqual([]);
});

test('neither slander nor refunds of a tenth of the buyers take work from the best agent', () => {
  const found = holding(answersOf(['slander', 'refusal'], [1, 2, 3]), /slander|refund/);
  expect(found.map(({ holds }) => holds)).toEqual([true, true]);
});

test('identities without a payment instrument take nothing from honest newcomers', () => {
  const [figures] = answersOf(['free identities'], [1]).get('free identities') ?? [];
  expect(figures?.free).toBe(0);
});

test('an agent gone bad loses half its work within 20 tasks', () => {
  // Worlds differ by fifteen tasks, so the mean of a few says little.
  const found = holding(answersOf(['gone bad'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), /gone bad/);
  expect(found.map(({ holds }) => holds)).toEqual([true]);
});

test('one seed always answers the same', () => {
  const ask = () => questions(options)['sudden drift/as built']?.(5);
  expect(ask()).toEqual(ask());
});

test('flags are numbers, and help tells them', () => {
  expect(readOptions(['--ring-size', '7'])).toMatchObject({ 'ring-size': 7, seeds: 20, out: null });
  expect(readOptions(['--help'])).toBeNull();
  expect(() => readOptions(['--seeds', 'many'])).toThrow(UsageError);
  expect(() => readOptions(['--ring', '1'])).toThrow(/Unknown option/);
});
