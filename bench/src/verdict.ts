import { randomInt } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { NotHad } from '@agora-market/examples/archives';
import { chance, shuffled } from './market/chance.ts';
import { keepResults } from './measure/results.ts';
import { type Case, casesOf, prepared } from './verdict/cases.ts';
import { ownProjects, type Project, projectOf, readCorpus } from './verdict/corpus.ts';
import { ecosystems } from './verdict/ecosystem.ts';
import { type Judged, judged } from './verdict/judge.ts';
import { goals, page, plot, type Run } from './verdict/report.ts';
import { openBench } from './verdict/sandbox.ts';
import { withTools } from './verdict/tools.ts';

/**
 * Measures how often the quality gate errs, on projects that the registries serve: see docs/verdict-error.md, which it
 * writes. The directory of `--cache` keeps what was fetched.
 */

const { values: options } = parseArgs({
  options: {
    cache: { type: 'string', default: join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'agora-verdict') },
    seed: { type: 'string', default: `${randomInt(1_000_000)}` },
    minutes: { type: 'string', default: '43' },
    workers: { type: 'string', default: '2' },
    only: { type: 'string', default: '' },
    'own-only': { type: 'boolean', default: false },
    'no-cheats': { type: 'boolean', default: false },
    'dry-run': { type: 'boolean', default: false },
  },
});

const corpus = readCorpus();
const again = options['own-only'] ? null : await withTools(corpus, options.cache);
if (again !== null) process.exit(again);

const seed = Number(options.seed);
const started = performance.now();
const minutes = () => (performance.now() - started) / 60_000;

interface Chosen {
  name: string;
  ecosystem: Project['ecosystem'];
  load: () => Promise<Project>;
  /** By this run's seed, with its defects. */
  drawn: boolean;
  hasPackages?: boolean;
}

/** All with packages, and of the others all but one in five of each ecosystem; of those, by the seed, as many as make a tenth of all. */
function chosen(): Chosen[] {
  const mine = ownProjects().map((project): Chosen => ({ ...project, load: async () => project, drawn: false }));
  if (options['own-only']) return mine;
  const theirs = corpus.projects.map((spec) => ({
    ...spec,
    load: () => projectOf(corpus, options.cache, spec),
    hasPackages: spec.packages !== undefined,
  }));
  const shares = ecosystems.map((name) =>
    shuffled(
      chance(1),
      theirs.filter(({ ecosystem, hasPackages }) => ecosystem === name && !hasPackages),
    ),
  );
  const fixed = [
    ...theirs.filter(({ hasPackages }) => hasPackages),
    ...shares.flatMap((share) => share.slice(0, Math.ceil(share.length * 0.8))),
  ].map((each) => ({ ...each, drawn: false }));
  const reserve = shuffled(
    chance(seed),
    shares.flatMap((share) => share.slice(Math.ceil(share.length * 0.8))),
  );
  const drawn = reserve.slice(0, Math.ceil((fixed.length + mine.length) / 9)).map((each) => ({ ...each, drawn: true }));
  // In turns, so that a run that is cut short has seen all ecosystems, and those with packages first.
  const all = shuffled(chance(2), [...mine, ...drawn, ...fixed]);
  return all.sort((a, b) => Number(b.hasPackages ?? false) - Number(a.hasPackages ?? false));
}

const names = new Set(options.only.split(',').filter(Boolean));
const queue = chosen().filter(({ name, ecosystem }) => names.size === 0 || names.has(name) || names.has(ecosystem));

/** Cheats do not depend on what a project does: one of each ecosystem and origin shows them. */
const cheated = new Set<string>();

const bench = await openBench({ warm: Number(options.workers), cache: options.cache });
const result: Run = {
  seed,
  day: new Date().toISOString().slice(0, 10),
  projects: [],
  notUsed: [],
  judged: [],
  minutes: 0,
};
const cases: Case[] = [];
const preparing = new Set<Promise<void>>();

async function prepare(next: Chosen): Promise<void> {
  try {
    const project = await next.load();
    const place = await bench.placeFor(project);
    const made = await prepared(place, project, next.drawn ? seed : 1);
    if (typeof made === 'string') {
      result.notUsed.push({ name: next.name, why: made });
      return;
    }
    const { name, ecosystem, origin } = project;
    const hasPackages = place.packages.installation !== null;
    const kind = `${ecosystem} ${origin} ${hasPackages}`;
    const withCheats = !options['no-cheats'] && !cheated.has(kind);
    if (withCheats) cheated.add(kind);
    cases.push(...casesOf(made, withCheats));
    result.projects.push({ name, ecosystem, origin, hasPackages, drawn: next.drawn });
  } catch (error) {
    if (!(error instanceof NotHad)) throw error;
    result.notUsed.push({ name: next.name, why: error.message });
  }
}

/** Adds the cases of another project, or waits for those that another worker prepares. False when there are no more. */
async function moreCases(): Promise<boolean> {
  const next = queue.shift();
  if (next === undefined) {
    if (preparing.size === 0) return false;
    await Promise.race(preparing);
    return true;
  }
  if (minutes() > Number(options.minutes)) {
    result.notUsed.push({ name: next.name, why: 'the time of the run was up' });
    return true;
  }
  const made = prepare(next);
  preparing.add(made);
  try {
    await made;
  } finally {
    preparing.delete(made);
  }
  return true;
}

function shown(each: Judged): void {
  const verdict = `${each.paid ? 'accepted' : 'refused'} ${each.score} ${each.proof ?? ''}`;
  const mark = each.deserved === each.paid ? ' ' : 'X';
  if (mark === 'X') console.log(`  ${each.evidence.replaceAll('\n', ' ¦ ').slice(0, 700)}`);
  console.log(`${mark} ${each.project} · ${each.way} · ${each.kind}: ${verdict} (${each.ms} ms)`);
}

async function work(): Promise<void> {
  for (;;) {
    const each = cases.shift();
    if (each !== undefined) {
      const verdict = await judged(each);
      result.judged.push(verdict);
      shown(verdict);
    } else if (!(await moreCases())) return;
  }
}

try {
  await Promise.all(Array.from({ length: Number(options.workers) }, work));
} finally {
  await bench.close();
}
result.minutes = minutes();
for (const { name, why } of result.notUsed) console.log(`not used: ${name}, because ${why}`);
for (const { name, share, atMost } of goals(result.judged)) {
  console.log(
    `${name.padEnd(90)} ${share.wrong} of ${share.of}, ${(share.low * 100).toFixed(1)} to ${(share.high * 100).toFixed(1)} %; at most ${atMost * 100} %`,
  );
}
console.log(
  `${result.judged.length} cases of ${result.projects.length} projects in ${result.minutes.toFixed(1)} minutes, seed ${seed}`,
);
if (!options['dry-run']) {
  const docs = fileURLToPath(new URL('../../docs/', import.meta.url));
  writeFileSync(join(docs, 'verdict-error.md'), page(result));
  writeFileSync(join(docs, 'verdict-error.svg'), plot(result.judged));
  console.log(`docs/verdict-error.md and ${keepResults('verdict', result)} written`);
}
