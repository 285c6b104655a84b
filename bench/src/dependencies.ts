import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { keepResults, shown, spreadOf } from './measure/results.ts';
import { type Bench, openBench, type Place, run } from './verdict/sandbox.ts';
import { type Tree, treeOf } from './verdict/tree.ts';

/**
 * Measures what packages cost: the first task with a lockfile, beside `npm ci` with an empty cache in turns, and the start of
 * each later sandbox, beside that of an empty one in turns. Both fetch from the registry that this machine installs from. Then
 * what many sandboxes that are open at once take of the disk, beside what their tasks write.
 */

const { values: options } = parseArgs({
  options: {
    packages: { type: 'string', default: 'jest@29.7.0' },
    rounds: { type: 'string', default: '5' },
    starts: { type: 'string', default: '50' },
    open: { type: 'string', default: '50' },
    'dry-run': { type: 'boolean', default: false },
  },
});
const goals = { first: 1.5, startMs: 10, growth: 0.01 };

const home = mkdtempSync(join(tmpdir(), 'agora-bench-'));
const npm = (directory: string, ...words: string[]) =>
  execFileSync('npm', [...words, '--no-audit', '--no-fund', '--ignore-scripts', '--cache', join(directory, 'cache')], {
    cwd: directory,
    stdio: 'ignore',
  });

function locked(): Record<string, string> {
  const directory = mkdtempSync(join(home, 'lock-'));
  const dependencies = Object.fromEntries(options.packages.split(',').map((each) => each.split(/@(?=\d)/)));
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: 'bench', version: '1.0.0', dependencies }));
  npm(directory, 'install', '--package-lock-only');
  const names = ['package.json', 'package-lock.json'];
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(directory, name), 'utf8')]));
}

async function timed(work: () => unknown): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function npmCi(files: Record<string, string>): Promise<number> {
  const directory = mkdtempSync(join(home, 'npm-'));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(directory, name), text);
  return timed(() => npm(directory, 'ci'));
}

/** In ms, until a sandbox has said something. */
async function startOf(place: Place): Promise<number> {
  const started = performance.now();
  const sandbox = await place.open();
  await sandbox.exec({ command: 'true' });
  const ms = performance.now() - started;
  await sandbox.destroy();
  return ms;
}

async function starts(bench: Bench, tree: Tree): Promise<{ empty: number[]; full: number[] }> {
  const [empty, full] = await Promise.all([bench.placeFor({ tree: treeOf({}) }), bench.placeFor({ tree })]);
  const { stdout } = await run(full, treeOf({}), 'ls node_modules | wc -l', 10_000);
  console.log(`a sandbox has ${stdout.trim()} directories in node_modules`);
  const times = { empty: [] as number[], full: [] as number[] };
  for (let round = -3; round < Number(options.starts); round++) {
    const each = { empty: await startOf(empty), full: await startOf(full) };
    if (round < 0) continue;
    times.empty.push(each.empty);
    times.full.push(each.full);
  }
  return times;
}

const inMiB = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);

/** What a directory takes of the disk, in bytes. */
const taken = (directory: string) =>
  Number(execFileSync('du', ['--summarize', '--block-size=1', directory], { encoding: 'utf8' }).split('\t')[0]);

/** What the disk has less than before, in bytes, wherever it went: others that write at the same time count too. */
function watchFree(directory: string): () => number {
  const free = () => {
    const { bavail, bsize } = statfsSync(directory);
    return bavail * bsize;
  };
  const before = free();
  return () => before - free();
}

const writtenBytes = 64 * 1024;

interface Growth {
  layerBytes: number;
  /** By the disk of the cache, in which the layer lies, and by the disk as a whole. */
  cacheBytes: number;
  diskBytes: number;
}

/** Opens sandboxes with the packages, each of which writes a file and changes one of a package. */
async function growth(bench: Bench, tree: Tree, cache: string): Promise<Growth> {
  const place = await bench.placeFor({ tree });
  const layerBytes = taken(place.packages.installation!);
  execFileSync('sync');
  const before = taken(cache);
  const lost = watchFree(cache);
  const opened: Awaited<ReturnType<Place['open']>>[] = [];
  try {
    for (let number = 0; number < Number(options.open); number++) {
      const sandbox = await place.open();
      opened.push(sandbox);
      const write = `head -c ${writtenBytes} /dev/urandom > written`;
      const change = 'f=$(find node_modules -name package.json | head -n 1) && echo >> "$f"';
      const { exitCode, stderr } = await sandbox.exec({ command: `${write} && ${change}` });
      if (exitCode !== 0) throw new Error(stderr);
    }
    execFileSync('sync');
    return { layerBytes, cacheBytes: taken(cache) - before, diskBytes: lost() };
  } finally {
    await Promise.all(opened.map((each) => each.destroy()));
  }
}

try {
  const files = locked();
  const tree = treeOf(files);
  const first: Record<'ours' | 'npm' | 'ratio', number[]> = { ours: [], npm: [], ratio: [] };
  let times: Awaited<ReturnType<typeof starts>> = { empty: [], full: [] };
  let grown: Growth = { layerBytes: 0, cacheBytes: 0, diskBytes: 0 };
  for (let round = 1; round <= Number(options.rounds); round++) {
    const cache = mkdtempSync(join(home, 'cache-'));
    const bench = await openBench({ warm: 0, cache });
    try {
      const ours = await timed(() => bench.placeFor({ tree }));
      const theirs = await npmCi(files);
      first.ours.push(ours);
      first.npm.push(theirs);
      first.ratio.push(ours / theirs);
      if (round < Number(options.rounds)) continue;
      times = await starts(bench, tree);
      grown = await growth(bench, tree, cache);
    } finally {
      await bench.close();
    }
  }
  const more = spreadOf(times.full).median - spreadOf(times.empty).median;
  console.log(`first fetch and installation, ms         ${shown(spreadOf(first.ours), 0)}`);
  console.log(`npm ci with an empty cache, ms           ${shown(spreadOf(first.npm), 0)}`);
  console.log(`ratio within a round                     ${shown(spreadOf(first.ratio), 2)}, at most ${goals.first}`);
  console.log(`start of an empty sandbox, ms            ${shown(spreadOf(times.empty), 1)}`);
  console.log(`start with the packages, ms              ${shown(spreadOf(times.full), 1)}`);
  console.log(`more than an empty one, ms               ${more.toFixed(1)}, at most ${goals.startMs}`);
  const share = grown.cacheBytes / grown.layerBytes;
  console.log(`the packages on the disk, MiB             ${inMiB(grown.layerBytes)}`);
  console.log(`more with ${options.open} sandboxes open, MiB        ${inMiB(grown.cacheBytes)}`);
  console.log(`more in packages                         ${share.toFixed(3)}, at most ${goals.growth}`);
  console.log(`more on the whole disk, MiB              ${inMiB(grown.diskBytes)}`);
  if (!options['dry-run']) console.log(`${keepResults('dependencies', { options, first, times, grown })} written`);
} finally {
  rmSync(home, { recursive: true, force: true });
}
