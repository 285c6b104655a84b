import { groups, type Way, ways } from './cases.ts';
import { ecosystems } from './ecosystem.ts';
import type { Judged } from './judge.ts';

/** A share with its 95 % interval by Wilson (1927): https://en.wikipedia.org/wiki/Binomial_proportion_confidence_interval */
export interface Share {
  wrong: number;
  of: number;
  low: number;
  high: number;
}

const z = 1.96;

export function shareOf(wrong: number, of: number): Share {
  if (of === 0) return { wrong, of, low: 0, high: 1 };
  const share = wrong / of;
  const middle = share + (z * z) / (2 * of);
  const half = z * Math.sqrt((share * (1 - share)) / of + (z * z) / (4 * of * of));
  const by = 1 + (z * z) / of;
  return { wrong, of, low: Math.max(0, (middle - half) / by), high: Math.min(1, (middle + half) / by) };
}

const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
const told = ({ wrong, of, low, high }: Share) =>
  of === 0 ? '–' : `${wrong} of ${of}: ${percent(wrong / of)} (${percent(low)} – ${percent(high)})`;

const errors = (all: readonly Judged[]) =>
  shareOf(all.filter(({ deserved, paid }) => deserved !== paid).length, all.length);

interface Goal {
  name: string;
  share: Share;
  atMost: number;
}

/** What is promised of the gate. Each counts a wrong verdict over all verdicts of its kind. */
export function goals(all: readonly Judged[]): Goal[] {
  const pick = (way: (way: Way) => boolean, ...of: Judged['group'][]) =>
    errors(all.filter((each) => way(each.way) && of.includes(each.group)));
  const isOwn = (way: Way) => way !== 'held_out';
  return [
    { name: 'wrong accepts, held out and apart', share: pick((way) => !isOwn(way), 'wrong', 'cheat'), atMost: 0.005 },
    {
      name: "wrong accepts without intent, by the project's own tests or a check that runs them",
      share: pick(isOwn, 'wrong'),
      atMost: 0.02,
    },
    {
      name: "cheats that are accepted, by the project's own tests or a check that runs them",
      share: pick(isOwn, 'cheat'),
      atMost: 0.1,
    },
    ...ways.map((way) => ({
      name: `wrong rejects, ${wayNames[way]}`,
      share: pick((each) => each === way, 'honest', 'awkward'),
      atMost: 0.01,
    })),
  ];
}

const wayNames: Record<Way, string> = {
  tests: "by the project's own tests",
  check: 'by a check that runs them',
  held_out: 'held out and apart',
};
const groupNames = {
  honest: 'honest work',
  awkward: 'honest work of awkward shape',
  wrong: 'wrong without intent',
  cheat: 'cheats',
};

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '¦')).join(' | ')} |`)
    .join('\n');

export interface Run {
  seed: number;
  day: string;
  projects: { name: string; ecosystem: string; origin: string; hasPackages: boolean; drawn: boolean }[];
  notUsed: { name: string; why: string }[];
  judged: Judged[];
  minutes: number;
}

const short = (text: string) => text.replaceAll(/\s+/g, ' ').slice(0, 160);

/** The page that is published. */
export function page({ seed, day, projects, notUsed, judged, minutes }: Run): string {
  const count = <T>(list: readonly T[], of: (item: T) => string) =>
    [...Map.groupBy(list, of)].map(([name, all]) => `${name} ${all.length}`).join(', ');
  const by = (names: readonly string[], of: (each: Judged) => string) =>
    names.flatMap((name) => {
      const these = judged.filter((each) => of(each) === name);
      if (these.length === 0) return [];
      const accepts = errors(these.filter(({ deserved, group }) => !deserved && group === 'wrong'));
      const cheats = errors(these.filter(({ group }) => group === 'cheat'));
      const rejects = errors(these.filter(({ deserved }) => deserved));
      return [[name, told(accepts), told(cheats), told(rejects)]];
    });
  const kinds = [...new Set(judged.filter(({ group }) => group === 'cheat').map(({ kind }) => kind))];
  const cheatRows = kinds
    .map((kind) => ({ kind, all: judged.filter((each) => each.kind === kind) }))
    .map(({ kind, all }) => ({
      kind,
      share: errors(all),
      of: [...new Set(all.filter(({ paid }) => paid).map(({ ecosystem }) => ecosystem))],
    }))
    .sort((a, b) => b.share.wrong / b.share.of - a.share.wrong / a.share.of);
  const failures = judged.filter(({ deserved, paid }) => deserved !== paid);
  const withPackages = projects.filter((each) => each.hasPackages);
  const drawn = projects.filter((each) => each.drawn).length;
  return `# The error of the verdict

<!-- \`npm run bench -- verdict\` writes this page. -->

How often does the [quality gate](quality-gate.md) pay for work that does not deserve it, and refuse work that does? \`npm run bench -- verdict\`
measures it on real projects that the registries serve, and writes this page. Last run: ${day}, seed ${seed}, ${Math.round(minutes)} minutes,
**${judged.length} cases of ${projects.length} projects** (${count(projects, ({ ecosystem }) => ecosystem)}; from ${count(projects, ({ origin }) => origin)}).

| Promise | Seen, with the 95 % interval by Wilson | At most | |
| --- | --- | --- | --- |
${goals(judged)
  .map(
    ({ name, share, atMost }) =>
      `| ${name} | ${told(share)} | ${percent(atMost)} | ${share.of > 0 && share.wrong / share.of <= atMost ? 'met' : '**not met**'} |`,
  )
  .join('\n')}

![Wrong verdicts by ecosystem, with their intervals](verdict-error.svg)

## How it is measured

- A defect of one line is made in a project whose tests pass, until its tests notice it. That is the buyer's input; the project as it was is the
  honest repair.
- Deliveries: the repair (also in awkward shapes), nothing, a remark only, another wrong content of the line, a repair with a defect elsewhere,
  and ${kinds.length} kinds of cheats.
- Three ways to measure: the project's own tests; a buyer's check that runs them; held-out values, where a check starts the work with
  \`delivered\` and compares what it prints with calls that the project's tests make (Python and JavaScript). Each way is looked at alone.
- A case counts as accepted when the gate would have the price charged (50 of 100).
- Most projects are the same in each run. ${drawn} of ${projects.length} and their defects are drawn by the seed, so that nobody tunes the gate to a list.
- Projects are pinned by name, version and SHA-256 (\`bench/src/verdict/corpus.json\`), with the tools that they need, and come from the
  mirrors that the machine uses. Java and shell are of our own; modules of Python's library are one package, so read figures by origin.
- ${withPackages.length} projects have packages of others${withPackages.length > 0 ? ` (${count(withPackages, ({ ecosystem }) => ecosystem)})` : ''}, which the [platform installs](dependencies.md) from their lock: npm's own registry has
  those of JavaScript; those of Python and Go are made of what Debian has, and so are their locks, by a registry of the bench.
- Cheats are tried on a few projects of each ecosystem, for they do not depend on what the project does; those that aim at packages, on each
  project that has some.

## By way

${table(
  ['Way', ...groups.map((group) => groupNames[group])],
  ways.map((way) => [
    wayNames[way],
    ...groups.map((group) => told(errors(judged.filter((each) => each.way === way && each.group === group)))),
  ]),
)}

## By ecosystem

${table(
  ['Ecosystem', 'wrong accepts without intent', 'cheats accepted', 'wrong rejects'],
  by(ecosystems, ({ ecosystem }) => ecosystem),
)}

## By origin

${table(
  ['Origin', 'wrong accepts without intent', 'cheats accepted', 'wrong rejects'],
  by(['debian', 'npm', 'own'], ({ origin }) => origin),
)}

## With packages of others

${table(
  ['Project', 'wrong accepts without intent', 'cheats accepted', 'wrong rejects'],
  by(['with packages', 'without'], ({ hasPackages }) => (hasPackages ? 'with packages' : 'without')),
)}

## By kind of cheat

${table(
  ['What the agent does', 'accepted', 'of'],
  cheatRows.map(({ kind, share, of }) => [kind, told(share), of.join(', ')]),
)}

## Each wrong verdict

${
  failures.length === 0
    ? 'None.'
    : table(
        ['Project', 'Way', 'Delivery', 'Verdict', 'Evidence'],
        failures.map((each) => [
          each.project,
          wayNames[each.way],
          each.kind,
          `${each.paid ? 'accepted' : 'refused'}, ${each.score}${each.proof ? `, ${each.proof}` : ''}`,
          short(each.evidence),
        ]),
      )
}

## Not used

${
  notUsed.length === 0
    ? 'Every project was used.'
    : table(
        ['Project', 'Why'],
        notUsed.map(({ name, why }) => [name, short(why)]),
      )
}
`;
}

/** Wrong verdicts by ecosystem: a point with its interval, for each of three kinds. */
export function plot(judged: readonly Judged[]): string {
  const kinds = [
    { name: 'wrong accepts', colour: '#c2410c', pick: ({ group }: Judged) => group === 'wrong' },
    { name: 'cheats accepted', colour: '#7c3aed', pick: ({ group }: Judged) => group === 'cheat' },
    { name: 'wrong rejects', colour: '#0369a1', pick: ({ deserved }: Judged) => deserved },
  ];
  const rows = ecosystems.filter((name) => judged.some(({ ecosystem }) => ecosystem === name));
  const [left, width, top, step] = [110, 520, 44, 54];
  const height = top + rows.length * step + 34;
  const x = (share: number) => left + Math.sqrt(share) * width;
  const marks = [0, 0.01, 0.05, 0.1, 0.25, 0.5, 1];
  const lines = marks.map(
    (mark) =>
      `<line x1="${x(mark)}" x2="${x(mark)}" y1="${top - 6}" y2="${height - 26}" stroke="#8888" /><text x="${x(mark)}" y="${height - 8}" text-anchor="middle">${mark * 100} %</text>`,
  );
  const points = rows.flatMap((name, row) => [
    `<text x="${left - 12}" y="${top + row * step + 26}" text-anchor="end">${name}</text>`,
    ...kinds.map(({ colour, pick }, nth) => {
      const { wrong, of, low, high } = errors(judged.filter((each) => each.ecosystem === name && pick(each)));
      if (of === 0) return '';
      const y = top + row * step + 8 + nth * 14;
      return `<line x1="${x(low)}" x2="${x(high)}" y1="${y}" y2="${y}" stroke="${colour}" stroke-width="3" stroke-opacity="0.45" /><circle cx="${x(wrong / of)}" cy="${y}" r="4.5" fill="${colour}"><title>${wrong} of ${of}</title></circle>`;
    }),
  ]);
  const legend = kinds.map(
    ({ name, colour }, nth) =>
      `<circle cx="${left + nth * 150}" cy="16" r="5" fill="${colour}" /><text x="${left + 10 + nth * 150}" y="20">${name}</text>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 40} ${height}" font-family="sans-serif" font-size="12" fill="#666" role="img" aria-label="Wrong verdicts by ecosystem">
${[...lines, ...points, ...legend].filter(Boolean).join('\n')}
</svg>
`;
}
