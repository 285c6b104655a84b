import type { Options } from './options.ts';
import { baiting, type Figures, goneBad, newcomer, quality, ring, slander, whitewash } from './scenarios.ts';
import { type StrategyName, strategies } from './strategies.ts';
import type { Drift } from './world.ts';

export const drifts = ['none', 'slow', 'sudden'] as const satisfies Drift[];
export const strategyNames = Object.keys(strategies) as StrategyName[];
/** After how many tasks a bad agent takes a new name. */
export const washedAfter = [1, 3, 10] as const;

/** One question to one world. */
export interface Job {
  /** All jobs of one name answer the same question, each with another seed. */
  name: string;
  seed: number;
}

/** Every question by name. A ring without a quality does no honest work at all. */
export function questions(options: Options): Record<string, (seed: number) => Figures> {
  const washed = { bad: options['wash-quality'], middling: options['wash-middling'] };
  return {
    ...Object.fromEntries(
      drifts.flatMap((drift) =>
        strategyNames.map((name) => [`${drift}/${name}`, (seed: number) => quality(options, seed, name, drift)]),
      ),
    ),
    newcomer: (seed) => newcomer(options, seed),
    'gone bad': (seed) => goneBad(options, seed),
    'ring/no work': (seed) => ring(options, seed, null),
    'ring/with work': (seed) => ring(options, seed, options['ring-quality']),
    ...Object.fromEntries(
      Object.entries(washed).flatMap(([which, quality]) =>
        [null, ...washedAfter].map((after) => [
          `${which}/${after ?? 'one name'}`,
          (seed: number) => whitewash(options, seed, quality, after),
        ]),
      ),
    ),
    slander: (seed) => slander(options, seed),
    baiting: (seed) => baiting(options, seed),
  };
}

/** All jobs, each question put to every seed. */
export const jobsOf = (options: Options): Job[] =>
  Array.from({ length: options.seeds }, (_, i) => options['first-seed'] + i).flatMap((seed) =>
    Object.keys(questions(options)).map((name) => ({ name, seed })),
  );

/** Answers by name of the question, one for each seed. */
export type Answers = Map<string, Figures[]>;

export function addAnswer(answers: Answers, { name }: Job, figures: Figures): void {
  answers.set(name, [...(answers.get(name) ?? []), figures]);
}

/** All figures of one kind; those that a run could not measure are left out. */
export const figuresOf = (answers: Answers, name: string, figure: string): number[] =>
  (answers.get(name) ?? []).map((figures) => figures[figure] ?? Number.NaN).filter((value) => !Number.isNaN(value));
