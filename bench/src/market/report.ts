import { type Answers, compared, figuresOf, pulling, shares, strategyNames } from './jobs.ts';
import { mean, spread } from './statistics.ts';
import { keptAt, surplus, type Target } from './targets.ts';

/** A table as text, the first column to the left and the others to the right. */
function table(head: string[], rows: string[][]): string {
  const widths = head.map((_, i) => Math.max(...[head, ...rows].map((row) => (row[i] ?? '').length)));
  const line = (row: string[]) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('   ');
  return [line(head), widths.map((width) => '-'.repeat(width)).join('   '), ...rows.map(line)].join('\n');
}

export const qualityTable = (answers: Answers): string =>
  table(
    ['quality, surplus (%), newcomers (%)', ...compared],
    strategyNames.map((name) => [
      name,
      ...compared.map((drift) => {
        const [worth, newcomers] = ['worth', 'newcomers'].map((figure) =>
          figuresOf(answers, `${drift}/${name}`, figure),
        ) as [number[], number[]];
        const share = surplus(answers, drift, name).map((value) => 100 * value);
        return `${spread(worth, 3)}  ${mean(share).toFixed(1).padStart(5)}  ${(100 * mean(newcomers)).toFixed(1).padStart(4)}`;
      }),
    ]),
  );

const attackRows: [string, string, string, number][] = [
  ['ring of 50 at 5 dollars: score', 'ring/50 at 5 dollars', 'ringed', 0],
  ['  without the ring', 'ring/50 at 5 dollars', 'honest', 0],
  ['  most that one identity gains', 'ring/50 at 5 dollars', 'mostGain', 0],
  ['slander: share of the victim', 'slander', 'under', 3],
  ['  without slander', 'slander', 'without', 3],
  ['  points that its score loses', 'slander', 'lostScore', 0],
  ['  points of its quality rate (%)', 'slander', 'lostRate', 1],
  ['  trust tiers that it loses', 'slander', 'lostTiers', 1],
  ['price baiting: cents earned', 'baiting', 'baiting', 0],
  ['  with an honest price', 'baiting', 'honest', 0],
  ['agent gone bad: share before', 'gone bad', 'before', 3],
  ['  share at the end', 'gone bad', 'after', 3],
  ['top newcomer: share at the end', 'newcomer', 'shareAtEnd', 3],
  ['  tasks of the category before its first', 'newcomer', 'firstOf', 0],
  ['  tasks of the category before its fair share', 'newcomer', 'reachedOf', 0],
];

export const attackTable = (answers: Answers): string =>
  table(
    ['attacks and single agents', 'mean ± deviation'],
    attackRows.map(([what, question, figure, digits]) => [what, spread(figuresOf(answers, question, figure), digits)]),
  );

/** What admitting more newcomers brings and costs, and what it gives to whoever comes back under new names. */
export const frontierTable = (answers: Answers): string =>
  table(
    [
      'of 1,000 tasks newcomers compete for',
      ...pulling.map((world) => `surplus, ${world} (%)`),
      'earned anew',
      'with one name',
    ],
    shares.map((share) => {
      const earned = (figure: string) => spread(figuresOf(answers, `frontier/${share}/renewed`, figure), 0);
      const kept = pulling.map((world) =>
        spread(
          keptAt(answers, share, world).map((value) => 100 * value),
          1,
        ),
      );
      return [`${share}`, ...kept, earned('renewed'), earned('stayed')];
    }),
  );

export const targetLines = (targets: readonly Target[]): string =>
  targets.map(({ what, found, holds }) => `${holds ? 'pass' : 'FAIL'}  ${what}: ${found}`).join('\n');
