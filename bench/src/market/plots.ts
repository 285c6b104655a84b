import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Answers, compared, figuresOf, pulling, shares, strategyNames } from './jobs.ts';
import { deviation, mean } from './statistics.ts';
import { keptAt, surplus } from './targets.ts';

// Hand-made SVG: grey text and lines, and five colours that are told apart on white and on black alike.
const colours = ['#888888', '#d08000', '#9060d0', '#0090c0', '#30a050'];
const [width, height, left, bottom, top] = [720, 360, 60, 50, 40];

const frame = (title: string, body: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="13">
<title>${title}</title>
<style>text{fill:#777}line{stroke:#999;stroke-opacity:.5}@media(prefers-color-scheme:dark){text{fill:#bbb}}</style>
<text x="${left}" y="22" font-size="15">${title}</text>
${body}
</svg>
`;

const text = (x: number, y: number, content: string, anchor = 'middle'): string =>
  `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}">${content}</text>`;

const rule = (x1: number, y1: number, x2: number, y2: number): string =>
  `<line x1="${x1.toFixed(1)}" y1="${y1.toFixed(1)}" x2="${x2.toFixed(1)}" y2="${y2.toFixed(1)}"/>`;

const scaled = (value: number, from: number, to: number): number =>
  height - bottom - ((value - from) / (to - from)) * (height - bottom - top);

/** Lines across, each with its number. */
const grid = (from: number, to: number, step: number, show: (value: number) => string): string =>
  Array.from({ length: Math.floor((to - from) / step + 1e-9) + 1 }, (_, i) => from + i * step)
    .map((value) => {
      const y = scaled(value, from, to);
      return rule(left, y, width - 10, y) + text(left - 8, y + 4, show(value), 'end');
    })
    .join('\n');

const legend = (names: readonly string[]): string =>
  names
    .map((name, i) => {
      const x = left + i * 125;
      return `<rect x="${x}" y="${height - 16}" width="11" height="11" fill="${colours[i]}"/>${text(x + 16, height - 6, name, 'start')}`;
    })
    .join('\n');

/** Quality over the run, one line for each strategy. */
function overTime(answers: Answers, drift: string): string {
  const lines = strategyNames.map((name, i) => {
    const points = Array.from({ length: 10 }, (_, part) => {
      const value = mean(figuresOf(answers, `${drift}/${name}`, `worth${part}`));
      return `${(left + 30 + (part * (width - left - 60)) / 9).toFixed(1)},${scaled(value, 0.4, 1).toFixed(1)}`;
    });
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${colours[i]}" stroke-width="2.5"/>`;
  });
  return frame(
    `Worth of a task to its buyer (0–1) in each tenth of the run, ${drift}`,
    [grid(0.4, 1, 0.1, (value) => value.toFixed(1)), ...lines, legend(strategyNames)].join('\n'),
  );
}

/** Bars with their deviation, in groups. */
function bars(title: string, groups: { name: string; values: number[][] }[], names: readonly string[]): string {
  const room = (width - left - 20) / groups.length;
  const drawn = groups.flatMap(({ name, values }, g) => {
    const each = Math.min(60, (room - 30) / values.length);
    const from = left + g * room + (room - each * values.length) / 2;
    return [
      text(left + (g + 0.5) * room, height - bottom + 18, name),
      ...values.map((value, i) => {
        const x = from + i * each;
        const y = scaled(Math.max(0, mean(value)), 0, 1);
        const [low, high] = [-1, 1].map((sign) => scaled(mean(value) + sign * deviation(value), 0, 1)) as [
          number,
          number,
        ];
        const bar = `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${(each - 4).toFixed(1)}" height="${(height - bottom - y).toFixed(1)}" fill="${colours[i]}"/>`;
        return bar + rule(x + each / 2 - 2, low, x + each / 2 - 2, high);
      }),
    ];
  });
  return frame(title, [grid(0, 1, 0.2, part), ...drawn, legend(names)].join('\n'));
}

/** Points with what they are, joined by a line. */
const line = (points: { x: number; y: number; name?: string }[], colour: string | undefined): string =>
  [
    `<polyline points="${points.map(({ x, y }) => `${x.toFixed(1)},${y.toFixed(1)}`).join(' ')}" fill="none" stroke="${colour}" stroke-width="2.5"/>`,
    ...points.map(
      ({ x, y, name = '' }) =>
        `<circle cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" r="4" fill="${colour}"/>${name && text(x, y - 10, name)}`,
    ),
  ].join('\n');

const part = (value: number): string => `${Math.round(100 * value)} %`;

/** What admitting newcomers brings against what it gives to new names: one point for each share of tasks. */
function renewalPlot(answers: Answers): string {
  const earned = (share: number) => mean(figuresOf(answers, `frontier/${share}/renewed`, 'renewed'));
  const most = Math.max(1, ...shares.map(earned));
  const [from, to] = [0.7, 1];
  const points = shares.map((share) => ({
    x: left + 20 + (earned(share) / most) * (width - left - 80),
    y: scaled(Math.max(from, mean(keptAt(answers, share, 'no drift'))), from, to),
    name: `${share} of 1,000`,
  }));
  return frame(
    "The oracle's surplus that is kept, and cents that a middling agent earns with new names and cards",
    [
      grid(from, to, 0.05, part),
      line(points, colours[3]),
      text(left + 20, height - bottom + 18, '0'),
      text(width - 60, height - bottom + 18, `${Math.round(most)} cents`),
    ].join('\n'),
  );
}

/** What admitting newcomers brings and costs in worlds that pull to different sides. */
function pullingPlot(answers: Answers): string {
  const [from, to] = [0.5, 1];
  const at = (nth: number) => left + 40 + (nth * (width - left - 80)) / (shares.length - 1);
  const lines = pulling.map((world, i) =>
    line(
      shares.map((share, nth) => ({
        x: at(nth),
        y: scaled(Math.max(from, mean(keptAt(answers, share, world))), from, to),
      })),
      colours[i],
    ),
  );
  return frame(
    "The oracle's surplus that is kept, by the tasks of 1,000 that newcomers compete for",
    [
      grid(from, to, 0.1, part),
      ...lines,
      ...shares.map((share, nth) => text(at(nth), height - bottom + 18, `${share}`)),
      legend(pulling),
    ].join('\n'),
  );
}

/** Writes the plots into a directory and gives their names. */
export function writePlots(answers: Answers, directory: string): string[] {
  mkdirSync(directory, { recursive: true });
  const groups = compared.map((drift) => ({
    name: drift,
    values: strategyNames.map((name) => surplus(answers, drift, name)),
  }));
  const plots: Record<string, string> = {
    'surplus.svg': bars("Share of the oracle's surplus over random, after the warm-up", groups, strategyNames),
    'frontier.svg': renewalPlot(answers),
    'frontier-worlds.svg': pullingPlot(answers),
    ...Object.fromEntries(compared.map((drift) => [`quality-${drift.split(' ')[0]}.svg`, overTime(answers, drift)])),
  };
  for (const [name, svg] of Object.entries(plots)) writeFileSync(join(directory, name), svg);
  return Object.keys(plots);
}
