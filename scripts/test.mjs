import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reportFailure, root, setup, useNewerNode } from './setup.mjs';

// `npm test` and `npm run test:deep`: the tiers of CONTRIBUTING.md. `npm test -- <filter …>` runs the test files of the tier
// whose names match, and nothing else.

const QUICK = ['shared', 'server', 'rest', 'browser'];
const DEEP = ['deep', 'deep-browser', 'deep-hostile'];

const checks = [
  // One checker thread: more of them check the same libraries again.
  ['types', () => run('typescript-native/bin/tsc', ['--checkers', '1'])],
  ['lint and format', () => run('@biomejs/biome/bin/biome', ['ci', '--colors=force'])],
  ['dependency rules', () => cruise(['packages', 'bench', 'examples', 'scripts'])],
  ['structure rules', () => runFile('scripts/structure.mjs', [])],
  ['unused code', () => run('knip/bin/knip.js', [])],
];

const deepChecks = [
  ['types of interop', () => run('typescript-native/bin/tsc', ['--checkers', '1', '-p', 'interop'])],
  ['dependency rules of interop', () => cruise(['interop'])],
];

function cruise(folders) {
  const args = ['--config', '.dependency-cruiser.cjs', ...folders];
  return run('dependency-cruiser/bin/dependency-cruise.mjs', args, { sees: /[1-9]\d* modules/ });
}

function run(tool, args, options) {
  return runFile(join('node_modules', tool), args, options);
}

/** `sees` must occur in the output: a checker that looked at nothing has not passed. */
function runFile(path, args, { sees } = {}) {
  const stdio = ['ignore', sees ? 'pipe' : 'inherit', 'inherit'];
  const result = spawnSync(process.execPath, [join(root, path), ...args], { cwd: root, stdio, encoding: 'utf8' });
  if (sees) process.stdout.write(result.stdout ?? '');
  return result.status === 0 && (!sees || sees.test(result.stdout));
}

function runChecks(list) {
  return list.map(([name, check]) => {
    console.log(`\n── ${name}`);
    const isPassed = check();
    if (!isPassed) console.error(`✗ ${name}`);
    return isPassed;
  });
}

/** Runs Vitest and counts its tests; any failure outside a test counts as one. */
function runVitest(args) {
  const directory = mkdtempSync(join(tmpdir(), 'agora-report-'));
  const file = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const isClean = run('vitest/vitest.mjs', [...args, ...reporters]);
    if (!existsSync(file)) return { passed: 0, failed: 1, slowest: [] };
    return count(JSON.parse(readFileSync(file, 'utf8')), isClean);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function count(report, isClean) {
  const passed = report.numPassedTests;
  const unreadable = report.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.length === 0,
  );
  let failed = report.numFailedTests + unreadable.length;
  for (const file of unreadable) console.error(`✗ ${file.name} did not run`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) console.error(`${process.env.CI ? '✗' : '!'} ${skipped} tests were skipped`);
  if (process.env.CI) failed += skipped;
  if (passed + failed === 0) {
    console.error('✗ no test ran');
    failed = 1;
  }
  // An error between tests fails no test, but fails the run.
  return { passed, failed: isClean ? failed : Math.max(failed, 1), slowest: slowest(report.testResults) };
}

/** The files that took longest, so that a slow one is seen the day it comes. */
function slowest(files) {
  return files
    .map(({ name, startTime, endTime }) => ({ name: relative(root, name), seconds: (endTime - startTime) / 1000 }))
    .sort((a, b) => b.seconds - a.seconds)
    .slice(0, 10)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${name}`);
}

const projects = (names) => names.map((name) => `--project=${name}`);

const tiers = {
  quick: { checks, vitest: ['run', ...projects(QUICK)] },
  deep: { checks: deepChecks, vitest: ['run', ...projects(DEEP)] },
};

async function main(args) {
  const [option, ...filters] = args[0]?.startsWith('--tier=') ? args : ['--tier=quick', ...args];
  const tier = option.slice('--tier='.length);
  const isWhole = filters.length === 0;
  await useNewerNode();
  await setup({ tests: tier });
  const results = isWhole ? runChecks(tiers[tier].checks) : [];
  console.log('\n── tests');
  const tests = runVitest([...tiers[tier].vitest, ...filters]);
  const passed = results.filter(Boolean).length + tests.passed;
  const failed = results.filter((isPassed) => !isPassed).length + tests.failed;
  console.log(`\n${passed} passed, ${failed} failed`);
  console.log(`\nThe slowest files:\n${tests.slowest.join('\n')}`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2)).catch(reportFailure);
