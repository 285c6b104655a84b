import type { Options } from './options.ts';
import {
  admitted,
  baiting,
  type Figures,
  freeIdentities,
  goneBad,
  incumbent,
  type NewName,
  newcomer,
  oneWay,
  quality,
  type Ring,
  refusal,
  renewed,
  ring,
  slander,
  whitewash,
} from './scenarios.ts';
import { type StrategyName, strategies } from './strategies.ts';

/** A world that differs from the usual one, and the part of the oracle's surplus that routing is to keep in it (%). */
interface WorldRow {
  goal: number;
  differs: Partial<Options>;
}

export const worlds = {
  'no drift': { goal: 97, differs: {} },
  'slow drift': { goal: 91, differs: { 'drift-steps': 60 } },
  'sudden drift': { goal: 91, differs: { 'drift-leaps': 0.3 } },
  'sudden x 3': { goal: 85, differs: { 'drift-leaps': 0.9 } },
  'slow x 2': { goal: 86, differs: { 'drift-steps': 120 } },
  'unmeasured 50 %': { goal: 90, differs: { unmeasured: 0.5 } },
  'unmeasured 90 %': { goal: 88, differs: { unmeasured: 0.9 } },
  'unmeasured 100 %': { goal: 68, differs: { unmeasured: 1 } },
  'load x 20': { goal: 90, differs: { load: 20 } },
  '4 agents': { goal: 86, differs: { agents: 4 } },
  '1,000 agents': { goal: 90, differs: { agents: 1_000 } },
  '10,000 agents': { goal: 86, differs: { agents: 10_000 } },
  'gate noise .25': { goal: 93, differs: { 'gate-noise': 0.25 } },
  'gate bias .1': { goal: 84, differs: { 'gate-bias': 0.1 } },
  'pass or fail only': { goal: 80, differs: { 'pass-only': 1 } },
  'tastes .1': { goal: 84, differs: { tastes: 0.1 } },
  'tastes, slow drift': { goal: 80, differs: { tastes: 0.1, 'drift-steps': 60 } },
  'strictness .1': { goal: 90, differs: { strictness: 0.1 } },
} as const satisfies Record<string, WorldRow>;
export type WorldName = keyof typeof worlds;
export const worldNames = Object.keys(worlds) as WorldName[];

/** Worlds in which all strategies are compared; in the others only those that the surplus takes. */
export const compared = ['no drift', 'slow drift', 'sudden drift'] as const satisfies WorldName[];
export const strategyNames = Object.keys(strategies) as StrategyName[];
const measuring: readonly StrategyName[] = ['random', 'as built', 'oracle'];

/** New names that cost nothing. */
export const freeNames = ['another agent', 'a new account'] as const satisfies NewName[];
/** After how many tasks a bad agent takes a new name. */
export const washedAfter = [1, 3, 10] as const;
/** For so many of 1,000 tasks newcomers compete, to show what that brings and costs. */
export const shares = [0, 20, 50, 100, 200] as const;
/** Worlds that pull that number to different sides. */
export const pulling = ['no drift', 'gate noise .25', '1,000 agents', '10,000 agents'] as const satisfies WorldName[];
/** What the one known agent is worth, 0–1. */
export const incumbents = [0.55, 0.65] as const;

/** Rings by name: the two that flags describe, and those of the goals, which do honest work beside it. */
export const ringsOf = (options: Options): Record<string, Ring> => {
  const quality = options['ring-quality'];
  const [size, price] = [options['ring-size'], options['ring-price']];
  return {
    [`${size}, no work`]: { size, price, quality: null },
    [`${size}, with work`]: { size, price, quality },
    '5 at 10 cents': { size: 5, price: 10, quality },
    '50 at 10 cents': { size: 50, price: 10, quality },
    '100 at 10 cents': { size: 100, price: 10, quality },
    '50 at 5 dollars': { size: 50, price: 500, quality },
  };
};

/** One question to one world. */
export interface Job {
  /** All jobs of one name answer the same question, each with another seed. */
  name: string;
  seed: number;
}

type Question = (seed: number) => Figures;

/** Every question by name. */
export function questions(options: Options): Record<string, Question> {
  const asked: [string, Question][] = [];
  for (const world of worldNames) {
    const names = (compared as readonly string[]).includes(world) ? strategyNames : measuring;
    const set = { ...options, ...worlds[world].differs };
    for (const name of names) asked.push([`${world}/${name}`, (seed) => quality(set, seed, name)]);
  }
  for (const known of incumbents) asked.push([`incumbent/${known}`, (seed) => incumbent(options, seed, known)]);
  for (const [name, one] of Object.entries(ringsOf(options))) {
    asked.push([`ring/${name}`, (seed) => ring(options, seed, one)]);
  }
  const washed = { bad: options['wash-quality'], middling: options['wash-middling'] };
  for (const [which, quality] of Object.entries(washed)) {
    const wash = (after: number | null, as: NewName) => (seed: number) =>
      whitewash(options, seed, quality, { after, as });
    asked.push([`${which}/one name`, wash(null, 'another agent')]);
    for (const as of freeNames)
      for (const after of washedAfter) asked.push([`${which}/${as}/${after}`, wash(after, as)]);
  }
  for (const share of shares) {
    for (const world of pulling) {
      const set = { ...options, ...worlds[world].differs };
      asked.push([`frontier/${share}/${world}`, (seed) => admitted(set, seed, share)]);
    }
    asked.push([`frontier/${share}/renewed`, (seed) => renewed(options, seed, share)]);
  }
  return {
    ...Object.fromEntries(asked),
    newcomer: (seed) => newcomer(options, seed),
    'gone bad': (seed) => goneBad(options, seed),
    slander: (seed) => slander(options, seed),
    refusal: (seed) => refusal(options, seed),
    baiting: (seed) => baiting(options, seed),
    'one-way money': (seed) => oneWay(options, seed),
    'free identities': (seed) => freeIdentities(options, seed),
  };
}

/** All jobs, each question put to every seed. */
export const jobsOf = (options: Options & { only: RegExp }): Job[] => {
  const names = Object.keys(questions(options)).filter((name) => options.only.test(name));
  const seeds = Array.from({ length: options.seeds }, (_, i) => options['first-seed'] + i);
  return seeds.flatMap((seed) => names.map((name) => ({ name, seed })));
};

/** Answers by name of the question, one for each seed. */
export type Answers = Map<string, Figures[]>;

export function addAnswer(answers: Answers, { name }: Job, figures: Figures): void {
  answers.set(name, [...(answers.get(name) ?? []), figures]);
}

/** All figures of one kind; those that a run could not measure are left out. */
export const figuresOf = (answers: Answers, name: string, figure: string): number[] =>
  (answers.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN).filter((value) => !Number.isNaN(value));
