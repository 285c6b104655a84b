import { shareOf, shown, spreadOf } from '../measure/results.ts';
import { type Bundle, budgets } from './bundle.ts';
import type { ChangeFigures } from './changes.ts';
import type { DiffFigures } from './diff.ts';
import type { InteractionFigures } from './interactions.ts';
import { type PageScores, scoreGoals, scoresOf } from './scores.ts';
import type { Scrolled, ScrollFigures } from './scroll.ts';

export interface Figures {
  bundle: Bundle;
  pages?: PageScores[];
  scroll?: ScrollFigures;
  changes?: ChangeFigures;
  diff?: DiffFigures;
  interactions?: InteractionFigures;
}

interface Row {
  name: string;
  value: number;
  /** What the goal says of it; no goal without one. */
  isMet?: boolean;
}

/** In ms: longest task of a list or a change, slowest change on the page of a task, first row, 19 of 20 presses. */
const goals = { longestTask: 50, change: 300, firstRow: 300, press: 100 };

/** Prints what was measured and says whether each goal is met. */
export function report({ bundle, pages = [], scroll, changes, diff, interactions }: Figures): {
  rows: Row[];
  goals: object;
} {
  const rows = [
    ...bundleRows(bundle),
    ...pages.flatMap(pageRows),
    ...(diff ? diffRows(diff) : []),
    ...(interactions ? interactionRows(interactions) : []),
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

function longestRow(what: string, { longest, mostCpuMs, longTasks }: Scrolled, hasGoal = true): Row {
  const text = `${longest.ms.toFixed(1)} (${longest.cpuMs.toFixed(1)} of it with a core), ${longTasks} above 50 ms, most with a core ${mostCpuMs.toFixed(1)}`;
  const goal = hasGoal ? atMost(longest.ms, goals.longestTask) : undefined;
  return row(`${what}: longest task, ms`, longest.ms, text, goal);
}

function scrollRows({ rows: count, loading, moving, empty }: ScrollFigures): Row[] {
  const ratio = moving.longest.ms / empty.longest.ms;
  return [
    longestRow(`${count} rows, loading`, loading),
    longestRow(`${count} rows, moving`, moving),
    longestRow(`${count} rows, empty`, empty, false),
    row('scrolling / empty page', ratio, ratio.toFixed(1)),
  ];
}

const diffRows = ({ files, opening, moving }: DiffFigures): Row[] => [
  longestRow(`change of ${files} files, opening`, opening),
  longestRow(`change of ${files} files, moving`, moving),
];

function interactionRows({ firstRow, toNextPaint }: InteractionFigures): Row[] {
  const [first, press] = [shareOf(firstRow, 0.5), shareOf(toNextPaint, 0.95)];
  return [
    row('first row of the list, ms', first, shown(spreadOf(firstRow)), atMost(first, goals.firstRow)),
    row(
      'press to next paint, ms',
      press,
      `p50 ${shareOf(toNextPaint, 0.5).toFixed(0)} p95 ${press.toFixed(0)} max ${Math.max(...toNextPaint).toFixed(0)} of ${toNextPaint.length}`,
      atMost(press, goals.press),
    ),
  ];
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
