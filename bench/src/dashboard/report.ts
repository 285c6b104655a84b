import { shareOf, shown, spreadOf } from '../measure/results.ts';
import { type Bundle, budgets } from './bundle.ts';
import type { ChangeFigures } from './changes.ts';
import { type PageScores, scoreGoals, scoresOf } from './scores.ts';
import type { ScrollFigures } from './scroll.ts';

export interface Figures {
  bundle: Bundle;
  pages?: PageScores[];
  scroll?: ScrollFigures;
  changes?: ChangeFigures;
}

interface Row {
  name: string;
  value: number;
  /** What the goal says of it; no goal without one. */
  isMet?: boolean;
}

/** Longest task of the list, and the slowest change on the page of a task, in ms. */
const goals = { longestTask: 50, change: 300 };

/** Prints what was measured and says whether each goal is met. */
export function report({ bundle, pages = [], scroll, changes }: Figures): { rows: Row[]; goals: object } {
  const rows = [
    ...bundleRows(bundle),
    ...pages.flatMap(pageRows),
    ...(scroll ? scrollRows(scroll) : []),
    ...(changes ? changeRows(changes) : []),
  ];
  return { rows, goals: { scores: scoreGoals, budgets, ...goals } };
}

function row(name: string, value: number, text: string, goal?: { isMet: boolean; words: string }): Row {
  const verdict = goal ? `  goal ${goal.words}: ${goal.isMet ? 'met' : 'MISSED'}` : '';
  console.log(`${name.padEnd(44)} ${text}${verdict}`);
  return { name, value, ...(goal && { isMet: goal.isMet }) };
}

const atMost = (value: number, most: number) => ({ isMet: value <= most, words: `≤ ${most}` });
const atLeast = (value: number, least: number) => ({ isMet: value >= least, words: `≥ ${least}` });

function bundleRows({ initial, routes }: Bundle): Row[] {
  const [largest] = [...routes].sort((one, other) => other.bytes - one.bytes);
  const one = (name: string, bytes: number, most: number) =>
    row(name, bytes, `${(bytes / 1000).toFixed(1)} kB`, { isMet: bytes <= most, words: `≤ ${most / 1000} kB` });
  return [
    one('JavaScript of the start page, gzip', initial.bytes, budgets.initial),
    one(`most of any route beyond (${largest!.what})`, largest!.bytes, budgets.route),
  ];
}

function pageRows(scores: PageScores): Row[] {
  const { page, form, rounds } = scores;
  const categories = Object.keys(scoreGoals) as (keyof typeof scoreGoals)[];
  const rows = categories.map((category) => {
    const spread = scoresOf(scores, category);
    return row(
      `${page}, ${form}: ${category}`,
      spread.median,
      shown(spread),
      atLeast(spread.median, scoreGoals[category]),
    );
  });
  const metrics = Object.keys(rounds[0]?.metrics ?? {});
  for (const metric of metrics) {
    const spread = spreadOf(rounds.map(({ metrics: each }) => each[metric] ?? Number.NaN));
    console.log(`  ${metric.padEnd(42)} ${shown(spread, metric.endsWith('shift') ? 3 : 0)}`);
  }
  for (const { audit, costs, says } of rounds.at(-1)?.findings ?? [])
    if (costs > 0) console.log(`  costs ${costs.toFixed(1)}: ${audit}, ${says}`);
  return rows;
}

function scrollRows({ rows: count, loading, moving, empty }: ScrollFigures): Row[] {
  const rows = Object.entries({ loading, moving, empty }).map(([name, { longest, mostCpuMs, longTasks }]) =>
    row(
      `${count} rows, ${name}: longest task, ms`,
      longest.ms,
      `${longest.ms.toFixed(1)} (${longest.cpuMs.toFixed(1)} of it with a core), ${longTasks} above 50 ms, most with a core ${mostCpuMs.toFixed(1)}`,
      name === 'empty' ? undefined : atMost(longest.ms, goals.longestTask),
    ),
  );
  const ratio = moving.longest.ms / empty.longest.ms;
  return [...rows, row('scrolling / empty page', ratio, ratio.toFixed(1))];
}

function changeRows({ detail, list }: ChangeFigures): Row[] {
  const text = (values: number[]) =>
    `p50 ${shareOf(values, 0.5).toFixed(0)} p95 ${shareOf(values, 0.95).toFixed(0)} max ${Math.max(...values).toFixed(0)}`;
  return [
    row(
      'change on the page of a task, ms',
      Math.max(...detail),
      text(detail),
      atMost(Math.max(...detail), goals.change),
    ),
    row('change in the list of tasks, ms', Math.max(...list), text(list)),
  ];
}
