import {
  type Answers,
  compared,
  figuresOf,
  freeNames,
  incumbents,
  ringsOf,
  type WorldName,
  washedAfter,
  worldNames,
  worlds,
} from './jobs.ts';
import type { Options } from './options.ts';
import type { NewName } from './scenarios.ts';
import { deviation, mean, median, spread } from './statistics.ts';

/** Something that must hold, and what was measured. */
export interface Target {
  what: string;
  /** The figures, as they are printed. */
  found: string;
  holds: boolean;
}

/** Share of the oracle's surplus over random, one for each seed. */
export function surplus(answers: Answers, world: WorldName, strategy: string): number[] {
  return surplusOf(answers, world, figuresOf(answers, `${world}/${strategy}`, 'worth'));
}

/** The same if newcomers compete for so many of 1,000 tasks. */
export const keptAt = (answers: Answers, share: number, world: WorldName): number[] =>
  surplusOf(answers, world, figuresOf(answers, `frontier/${share}/${world}`, 'worth'));

/** The same for what work was worth otherwise. */
function surplusOf(answers: Answers, world: WorldName, own: readonly number[]): number[] {
  const [random, oracle] = ['random', 'oracle'].map((name) => figuresOf(answers, `${world}/${name}`, 'worth')) as [
    number[],
    number[],
  ];
  return own.map((worth, i) => (worth - (random[i] ?? 0)) / ((oracle[i] ?? 1) - (random[i] ?? 0)));
}

/** All that the market must show, judged by the mean over the seeds. Questions that were not put are left out. */
export const targets = (answers: Answers, options: Options): Target[] => [
  ...worldNames.flatMap((world) => asked(answers, `${world}/oracle`, () => surplusTarget(answers, world))),
  ...compared.flatMap((world) => asked(answers, `${world}/highest mean`, () => rivalTarget(answers, world))),
  ...worldNames.flatMap((world) => asked(answers, `${world}/as built`, () => newcomerShare(answers, world))),
  ...incumbents.flatMap((known) => asked(answers, `incumbent/${known}`, () => incumbentTarget(answers, known))),
  ...asked(answers, 'newcomer', () => newcomerTarget(answers)),
  ...asked(answers, 'gone bad', () => goneBadTarget(answers)),
  ...Object.keys(ringsOf(options)).flatMap((ring) => asked(answers, `ring/${ring}`, () => ringTarget(answers, ring))),
  ...asked(answers, 'one-way money', () => oneWayTarget(answers)),
  ...asked(answers, 'slander', () => slanderTarget(answers)),
  ...asked(answers, 'refusal', () => refusalTarget(answers, options)),
  ...['bad', 'middling'].flatMap((which) =>
    freeNames.flatMap((as) =>
      washedAfter.flatMap((after) =>
        asked(answers, `${which}/${as}/${after}`, () => washTarget(answers, which, as, after)),
      ),
    ),
  ),
  ...asked(answers, 'free identities', () => identitiesTarget(answers, options)),
];

const asked = (answers: Answers, name: string, target: () => Target): Target[] => (answers.has(name) ? [target()] : []);

const percent = (share: number): number => 100 * share;

function surplusTarget(answers: Answers, world: WorldName): Target {
  const built = surplus(answers, world, 'as built').map(percent);
  const { goal } = worlds[world];
  return {
    what: `${world}: at least ${goal} % of the oracle's surplus over random`,
    found: `${spread(built, 1)} %`,
    holds: mean(built) >= goal,
  };
}

function rivalTarget(answers: Answers, world: WorldName): Target {
  const rival = surplus(answers, world, 'highest mean');
  const more = surplus(answers, world, 'as built').map((value, i) => percent(value - (rival[i] ?? 0)));
  return {
    what: `${world}: more than the highest mean`,
    found: `${spread(more, 1)} points more`,
    holds: mean(more) > 0,
  };
}

function newcomerShare(answers: Answers, world: WorldName): Target {
  const shares = figuresOf(answers, `${world}/as built`, 'newcomers').map(percent);
  return {
    what: `${world}: newcomers together take at most 15 % of the work`,
    found: `${spread(shares, 1)} %, most ${Math.max(...shares).toFixed(1)} %`,
    holds: mean(shares) <= 15,
  };
}

function incumbentTarget(answers: Answers, known: number): Target {
  const worth = figuresOf(answers, `incumbent/${known}`, 'worth');
  const best = mean(figuresOf(answers, `incumbent/${known}`, 'best'));
  return {
    what: `one known agent of ${known} among newcomers: work is worth at least .84`,
    found: `${spread(worth, 3)} of ${best.toFixed(3)} that the newcomers are worth`,
    holds: mean(worth) >= 0.84,
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
    what: 'an agent gone bad loses half its work within 20 tasks',
    found: `after ${spread(lost, 0)} tasks, in ${lost.length} of ${all.length} worlds`,
    holds: mean(lost) <= 20 && lost.length >= 0.9 * all.length,
  };
}

function ringTarget(answers: Answers, ring: string): Target {
  const gains = figuresOf(answers, `ring/${ring}`, 'gain');
  const high = figuresOf(answers, `ring/${ring}`, 'aboveEstablished').reduce((sum, value) => sum + value, 0);
  return {
    what: `a ring of ${ring} gains at most 50 points, and no tier above established`,
    found: `${spread(gains, 0)} points, ${high} identities above established`,
    holds: mean(gains) <= 50 && high === 0,
  };
}

function oneWayTarget(answers: Answers): Target {
  const gains = figuresOf(answers, 'one-way money', 'gain');
  const fees = mean(figuresOf(answers, 'one-way money', 'fees'));
  return {
    what: 'one-way money brings less profit than it costs in fees',
    found: `${spread(gains, 0)} cents for ${fees} cents`,
    holds: mean(gains) < fees,
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

function refusalTarget(answers: Answers, options: Options): Target {
  const [without, under] = ['without', 'under'].map((name) => figuresOf(answers, 'refusal', name)) as [
    number[],
    number[],
  ];
  const kept = mean(under) / mean(without);
  return {
    what: `${percent(options.refusers)} % of buyers refund only the best agent: it keeps at least .9 of its share`,
    found: `${kept.toFixed(3)} (${spread(under, 3)} of ${spread(without, 3)})`,
    holds: kept >= 0.9,
  };
}

/**
 * Earnings of a few tasks in a world are mostly luck, so that some seeds lie on either side. What new names bring must not
 * be more than what one name brings, beyond two standard errors of the difference.
 */
function washTarget(answers: Answers, which: string, as: NewName, after: number): Target {
  const stay = figuresOf(answers, `${which}/one name`, 'earned');
  const wash = figuresOf(answers, `${which}/${as}/${after}`, 'earned');
  const names = figuresOf(answers, `${which}/${as}/${after}`, 'names');
  const error = deviation(wash.map((value, i) => value - (stay[i] ?? 0))) / Math.sqrt(wash.length);
  return {
    what: `a ${which} agent: to come back as ${as} after ${after === 1 ? 'each task' : `${after} tasks`} does not pay`,
    found: `earned ${spread(wash, 0)} cents with ${mean(names).toFixed(1)} names, ${spread(stay, 0)} with one`,
    holds: mean(wash) <= mean(stay) + 2 * error && mean(wash) <= 1.1 * mean(stay),
  };
}

function identitiesTarget(answers: Answers, options: Options): Target {
  const [without, under, free] = ['without', 'under', 'free'].map((name) =>
    figuresOf(answers, 'free identities', name),
  ) as [number[], number[], number[]];
  const kept = mean(under) / mean(without);
  return {
    what: `beside ${options['free-identities']} free identities honest newcomers keep 90 % of their share`,
    found: `${percent(kept).toFixed(1)} % (${spread(under, 3)} of ${spread(without, 3)}; the identities take ${percent(mean(free)).toFixed(1)} %)`,
    holds: kept >= 0.9,
  };
}
