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
  const names = ['random', 'highest mean', 'as built', 'oracle'].map((name) => `none/${name}`);
  const found = holding(answersOf(names, [1, 2, 3, 4]), /drift none/);
  expect(found).toHaveLength(3);
  // Half of the usual time to learn the agents is too short for nine tenths.
  const quality = Number(found[0]?.found.split(' ')[0]);
  expect(quality).toBeGreaterThan(80);
  expect(found.slice(1).filter(({ holds }) => !holds)).toEqual([]);
});

test('a ring gains no more than 60 points, and no tier above established', () => {
  const found = holding(answersOf(['ring/no work', 'ring/with work'], [1]), /ring/);
  expect(found).toHaveLength(2);
  expect(found.filter(({ holds }) => !holds)).toEqual([]);
});

test('slander takes no trust tier', () => {
  const found = holding(answersOf(['slander'], [1, 2, 3]), /slander/);
  expect(found.map(({ holds }) => holds)).toEqual([true]);
});

test('an agent gone bad loses half its work within 30 tasks', () => {
  // Worlds differ by fifteen tasks, so the mean of a few says little.
  const found = holding(answersOf(['gone bad'], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]), /gone bad/);
  expect(found.map(({ holds }) => holds)).toEqual([true]);
});

test('one seed always answers the same', () => {
  const ask = () => questions(options)['sudden/as built']?.(5);
  expect(ask()).toEqual(ask());
});

test('flags are numbers, and help tells them', () => {
  expect(readOptions(['--ring-size', '7'])).toMatchObject({ 'ring-size': 7, seeds: 20, out: null });
  expect(readOptions(['--help'])).toBeNull();
  expect(() => readOptions(['--seeds', 'many'])).toThrow(UsageError);
  expect(() => readOptions(['--ring', '1'])).toThrow(/Unknown option/);
});
