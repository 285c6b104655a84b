import { describe, expect, test } from 'vitest';
import { shortfall, startsTests, testsRun } from './test-counts.ts';

describe('the number of tests that ran', () => {
  test.each<[string, string, number]>([
    ['node --test', 'ok 1 - adds\nok 2 - zero\n# tests 2\n# pass 2\n# fail 0\n# cancelled 0', 2],
    ['node --test', 'ok 1 - /w/sum.test.js\n# tests 1\n# pass 1\n# fail 0', 0],
    ['node --test', '✔ adds (0.9ms)\n✔ /w/a.test.js (61.2ms)\nℹ tests 2\nℹ pass 2\nℹ fail 0', 1],
    ['pytest', '..s\n2 passed, 1 skipped in 0.01s\n', 2],
    ['pytest', '==== 1 failed, 2 passed, 1 warning in 0.10s ====', 3],
    ['pytest', '==== 1 error in 0.10s ====', 0],
    ['unittest', 'Ran 3 tests in 0.001s\n\nOK (skipped=1)', 2],
    ['cargo', 'running 2 tests\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out', 2],
    ['go test', '=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- PASS: TestA/b (0.00s)\nok  \tm\t0.1s', 2],
    ['go packages', 'ok  \tm/a\t0.1s\nFAIL\tm/b\t0.1s', 2],
    ['jest', 'Tests:       1 failed, 2 passed, 1 skipped, 4 total', 3],
    ['vitest', '\u001b[2m      Tests \u001b[22m 1 failed | 2 passed (3)', 3],
    ['mocha', '\n  2 passing (5ms)\n  1 failing\n', 3],
  ])('%s: %j', (runner, output, ran) => expect(testsRun(output).get(runner)).toBe(ran));

  test('is compared with the untouched files', () => {
    const compare = (command: string, output: string, before: string | null, passed = false) =>
      shortfall({ command, output, before: before === null ? null : { output: before, passed }, originalFiles: [] });
    expect(compare('pytest -q', '2 passed in 0.1s', '3 failed in 0.1s')).toBe(
      "it ran 2 tests, and 3 over the buyer's untouched files",
    );
    expect(compare('pytest -q', '4 passed in 0.1s', '3 failed in 0.1s')).toBeNull();
    expect(compare('pytest -q', '', null)).toMatch(/without saying what it ran/);
    expect(compare('npx mocha', '', '  1 passing (5ms)')).toMatch(/^it says nothing of the tests it ran/);
    expect(compare('npx jest', 'Tests: 1 skipped, 1 total', 'Tests: 0 total')).toBe('it ran no test');
    expect(compare('cargo test', 'running 2 tests\n', null)).toMatch(/ended before its tests did/);
    expect(compare('./run', 'done', 'done')).toBeNull();
  });

  test('is asked only of commands that start tests', () => {
    expect(['npm test', 'go test ./...', 'sh ci.sh', 'node sum.test.js'].every(startsTests)).toBe(true);
    expect(['test -e a.txt', 'node -e 1', 'grep -q x y'].some(startsTests)).toBe(false);
  });
});
