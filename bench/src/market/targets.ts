import { type Answers, drifts, figuresOf, washedAfter } from './jobs.ts';
import type { Options } from './options.ts';
import { deviation, mean, median, spread } from './statistics.ts';
import type { Drift } from './world.ts';

/** Something that must hold, and what was measured. */
export interface Target {
  what: string;
  /** The figures, as they are printed. */
  found: string;
  holds: boolean;
}

/** Share of the oracle's surplus over random, one for each seed. */
export function surplus(answers: Answers, drift: Drift, strategy: string): number[] {
  const [random, oracle, own] = ['random', 'oracle', strategy].map((name) =>
    figuresOf(answers, `${drift}/${name}`, 'worth'),
  ) as [number[], number[], number[]];
  return own.map((worth, i) => (worth - (random[i] ?? 0)) / ((oracle[i] ?? 1) - (random[i] ?? 0)));
}

/** All that the issue asks for, judged by the mean over the seeds. */
export const targets = (answers: Answers, options: Options): Target[] => [
  ...drifts.flatMap((drift) => qualityTargets(answers, drift)),
  ...drifts.map((drift) => newcomerShare(answers, drift)),
  newcomerTarget(answers),
  goneBadTarget(answers),
  ...['no work', 'with work'].map((which) => ringTarget(answers, which, options)),
  slanderTarget(answers),
  ...['bad', 'middling'].flatMap((which) => washedAfter.map((after) => washTarget(answers, which, after))),
];

function qualityTargets(answers: Answers, drift: Drift): Target[] {
  const built = surplus(answers, drift, 'as built');
  const rival = surplus(answers, drift, 'highest mean');
  return [
    {
      what: `drift ${drift}: at least 90 % of the oracle's surplus over random`,
      found: `${spread(built.map(percent), 1)} %`,
      holds: mean(built) >= 0.9,
    },
    {
      what: `drift ${drift}: more than the highest mean`,
      found: `${spread(
        built.map((value, i) => percent(value - (rival[i] ?? 0))),
        1,
      )} points more`,
      holds: mean(built) > mean(rival),
    },
  ];
}

const percent = (share: number): number => 100 * share;

function newcomerShare(answers: Answers, drift: Drift): Target {
  const shares = figuresOf(answers, `${drift}/as built`, 'newcomers').map(percent);
  return {
    what: `drift ${drift}: newcomers together take at most 15 % of the work`,
    found: `${spread(shares, 1)} %, most ${Math.max(...shares).toFixed(1)} %`,
    holds: Math.max(...shares) <= 15,
  };
}

function newcomerTarget(answers: Answers): Target {
  const all = answers.get('newcomer') ?? [];
  const reached = figuresOf(answers, 'newcomer', 'reachedOwn');
  const inTime = reached.filter((tasks) => tasks <= 60).length;
  return {
    what: 'a newcomer of top quality has its fair share within 60 tasks',
    found: `after ${spread(reached, 0)} tasks of its own (median ${median(reached)}), in ${inTime} of ${all.length} worlds`,
    holds: inTime >= 0.9 * all.length && mean(reached) <= 60,
  };
}

function goneBadTarget(answers: Answers): Target {
  const all = answers.get('gone bad') ?? [];
  const lost = figuresOf(answers, 'gone bad', 'lostOwn');
  return {
    what: 'an agent gone bad loses half its work within 30 tasks',
    found: `after ${spread(lost, 0)} tasks, in ${lost.length} of ${all.length} worlds`,
    holds: mean(lost) <= 30 && lost.length >= 0.9 * all.length,
  };
}

function ringTarget(answers: Answers, which: string, options: Options): Target {
  const gains = figuresOf(answers, `ring/${which}`, 'gain');
  const high = figuresOf(answers, `ring/${which}`, 'aboveEstablished').reduce((sum, value) => sum + value, 0);
  return {
    what: `a ring of ${options['ring-size']} (${which}) gains at most 60 points, and no tier above established`,
    found: `${spread(gains, 0)} points, ${high} identities above established`,
    holds: mean(gains) <= 60 && high === 0,
  };
}

function slanderTarget(answers: Answers): Target {
  const lost = figuresOf(answers, 'slander', 'lostTiers');
  const kept = lost.filter((tiers) => tiers <= 0).length;
  return {
    what: 'slander takes no trust tier',
    found: `${spread(lost, 1)} tiers lost, none in ${kept} of ${lost.length} worlds`,
    // A tier can hang on a single point, which other luck may take as well.
    holds: kept >= 0.9 * lost.length,
  };
}

/**
 * Earnings of a few tasks in a world are mostly luck, so that some seeds lie on either side. What new names bring must not
 * be more than what one name brings, beyond two standard errors of the difference.
 */
function washTarget(answers: Answers, which: string, after: number): Target {
  const stay = figuresOf(answers, `${which}/one name`, 'earned');
  const wash = figuresOf(answers, `${which}/${after}`, 'earned');
  const names = figuresOf(answers, `${which}/${after}`, 'names');
  const error = deviation(wash.map((value, i) => value - (stay[i] ?? 0))) / Math.sqrt(wash.length);
  return {
    what: `a ${which} agent: a new name after ${after === 1 ? 'each task' : `${after} tasks`} does not pay`,
    found: `earned ${spread(wash, 0)} cents with ${mean(names).toFixed(1)} names, ${spread(stay, 0)} with one`,
    holds: mean(wash) <= mean(stay) + 2 * error && mean(wash) <= 1.1 * mean(stay),
  };
}
