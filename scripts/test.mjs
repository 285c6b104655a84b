import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { reportFailure, root, setup, useNewerNode } from './setup.mjs';

// `npm test` runs everything; `npm test -- <filter …>` runs the Vitest files whose names match, and nothing else.

const CRUISED = ['packages', 'bench', 'examples', 'interop', 'scripts'];

const checks = [
  // One checker thread: more of them check the same libraries again, and there are no more cores for them in CI.
  ['types', () => run('typescript-native/bin/tsc', ['--checkers', '1'])],
  ['lint and format', () => run('@biomejs/biome/bin/biome', ['ci', '--colors=force'])],
  [
    'dependency rules',
    () => run('dependency-cruiser/bin/dependency-cruise.mjs', cruise(), { sees: /[1-9]\d* modules/ }),
  ],
  ['structure rules', () => runFile('scripts/structure.mjs', [])],
  ['unused code', () => run('knip/bin/knip.js', [])],
];

function cruise() {
  return ['--config', '.dependency-cruiser.cjs', ...CRUISED];
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

/** Runs Vitest and counts its tests; any failure outside a test counts as one. */
function runVitest(filters) {
  const directory = mkdtempSync(join(tmpdir(), 'agora-report-'));
  const file = join(directory, 'report.json');
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${file}`, ...filters];
  try {
    const isClean = run('vitest/vitest.mjs', args);
    return existsSync(file) ? count(JSON.parse(readFileSync(file, 'utf8')), isClean) : { passed: 0, failed: 1 };
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
  return { passed, failed: isClean ? failed : Math.max(failed, 1) };
}

function runChecks() {
  return checks.map(([name, check]) => {
    console.log(`\n── ${name}`);
    const isPassed = check();
    if (!isPassed) console.error(`✗ ${name}`);
    return isPassed;
  });
}

async function main(filters) {
  await useNewerNode();
  // The build is the first check of a whole run, where an error does not hide the rest; Vitest needs none.
  await setup({ build: false, tests: true });
  const results = filters.length === 0 ? runChecks() : [];
  console.log('\n── tests');
  const tests = runVitest(filters);
  const passed = results.filter(Boolean).length + tests.passed;
  const failed = results.filter((isPassed) => !isPassed).length + tests.failed;
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 ? 1 : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2)).catch(reportFailure);
