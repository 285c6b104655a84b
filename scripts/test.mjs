import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { buildKubernetes } from './kubernetes.mjs';
import { reportFailure, root, setup, useNewerNode } from './setup.mjs';
import { runVitest } from './vitest.mjs';

// `npm run check`, `npm test`, `npm run test:deep` and `npm run test:kubernetes`: the tiers of CONTRIBUTING.md. `npm test -- <filter …>` runs the test
// files of the tier whose names match, and nothing else. `npm run check -- <commit>` counts as changed what differs from
// that commit; without one, from the last.

const QUICK = ['shared', 'alone', 'rest', 'browser'];
const DEEP = ['deep', 'deep-browser', 'deep-hostile'];
const KUBERNETES = ['deep-kubernetes'];

/** Most files that `check` runs of those that a change reaches, so that it takes two minutes at most. */
const MOST_REACHED = 8;

// One checker thread: more of them check the same libraries again.
const types = (...args) => ['node_modules/typescript-native/bin/tsc', '--checkers', '1', ...args];
const checks = {
  types: types(),
  'lint and format': ['node_modules/@biomejs/biome/bin/biome', 'ci', '--colors=force'],
  'structure rules': ['scripts/structure.mjs'],
};
const unused = { 'unused code': ['node_modules/knip/bin/knip.js'] };
const deepChecks = { 'types of interop': types('-p', 'interop') };

/** Runs checks side by side, prints what each says when it ends, and gives how many passed and failed. */
async function runChecks(list) {
  const tally = { passed: 0, failed: 0 };
  const runs = Object.entries(list).map(async ([name, command]) => {
    const { isPassed, said } = await runCheck(command);
    console.log(`\n── ${name}\n${said}`.trimEnd());
    if (!isPassed) console.error(`✗ ${name}`);
    tally[isPassed ? 'passed' : 'failed'] += 1;
  });
  await Promise.all(runs);
  return tally;
}

function runCheck(command) {
  const child = spawn(process.execPath, command, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text) => {
      said += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ isPassed: code === 0, said }));
  });
}

/** Runs Vitest and counts its tests; any failure outside a test counts as one. */
function runTests(args, env = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'agora-report-'));
  const file = join(directory, 'report.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  try {
    const isClean = runVitest([...args, ...reporters], env) === 0;
    if (!existsSync(file)) return { passed: 0, failed: 1 };
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
  return { passed, failed: isClean ? failed : Math.max(failed, 1), files: report.testResults };
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
  quick: { checks: { ...checks, ...unused }, projects: projects(QUICK) },
  deep: { checks: deepChecks, projects: projects(DEEP) },
  kubernetes: { checks: {}, projects: projects(KUBERNETES) },
};

async function runTier(tier, filters) {
  if (tier === 'kubernetes') buildKubernetes();
  await setup({ tests: tier === 'deep' ? 'deep' : 'quick' });
  const isWhole = filters.length === 0;
  const checked = isWhole ? await runChecks(tiers[tier].checks) : { passed: 0, failed: 0 };
  console.log('\n── tests');
  const runs = [runTests(['run', ...tiers[tier].projects, ...filters])];
  if (isWhole && tier === 'deep') {
    console.log('\n── the API on the PostgreSQL of the system');
    runs.push(runTests(['run', '--project=shared', 'packages/server/test/api/'], { TEST_POSTGRES: 'system' }));
  }
  report([checked, ...runs]);
}

/** Types, lint, structure, pure rules, and the nearest tests that the change reaches. */
async function runReached(commit) {
  await setup({ tests: 'quick', dashboard: false });
  const checked = await runChecks(checks);
  // Imported late, for it needs what set-up installs.
  const { reachedTests } = await import('./reached-tests.mjs');
  const reached = reachedTests(commit);
  console.log('\n── tests');
  const pure = ['packages/contract/', 'scripts/'];
  const near = reached.filter((file) => !pure.some((folder) => file.startsWith(folder)));
  const tests = runTests(['run', ...projects(QUICK), ...pure, ...near.slice(0, MOST_REACHED)]);
  report([checked, tests]);
  const left = near.length - MOST_REACHED;
  if (left > 0) console.log(`\nThe change reaches ${left} more test files; npm test runs them.`);
}

function report(parts) {
  const sum = (key) => parts.reduce((total, part) => total + part[key], 0);
  console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
  console.log(`\nThe slowest files:\n${slowest(parts.flatMap(({ files = [] }) => files)).join('\n')}`);
  process.exitCode = sum('failed') > 0 ? 1 : 0;
}

async function main(args) {
  await useNewerNode();
  const [option, ...rest] = args[0]?.startsWith('--tier=') ? args : ['--tier=quick', ...args];
  const tier = option.slice('--tier='.length);
  if (tier === 'check') await runReached(...rest);
  else await runTier(tier, rest);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2)).catch(reportFailure);
