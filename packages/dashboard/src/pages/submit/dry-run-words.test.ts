import { expect, test } from 'vitest';
import { adviceOn, outcomeWords, type Tried, tellingOf, verdictOn } from './dry-run-words.ts';

const ran = (change: Partial<Tried>): Tried => ({
  ...{ name: 'tests', command: 'npm test', passed: false, exitCode: 1, timedOut: false, durationMs: 10 },
  ...{ output: '', fault: null, tests: null },
  ...change,
});
const failing = ran({});
const passing = ran({ passed: true, exitCode: 0 });
const broken = ran({
  exitCode: 127,
  fault: { code: 'cannot_start', advice: 'It starts a program that is not there.' },
});
const usage = ran({ exitCode: 2 });

test('a check that ends with another code than 1 and names no failing test is not praised', () => {
  expect(tellingOf(usage)).toBe('unclear');
  expect(outcomeWords(usage)).toBe('May be broken');
  expect(adviceOn(usage)).toContain('exit code 2');
  expect(verdictOn([usage])).toMatchObject({ isGood: false, text: expect.stringContaining('tell nothing') });
});

test('a runner that names the tests which fail measures the work, whatever its exit code', () => {
  const named = ran({ exitCode: 2, tests: { passed: 1, failed: 2, skipped: 0, failing: ['a', 'b'] } });
  expect([tellingOf(named), adviceOn(named)]).toEqual(['measures', null]);
  expect(verdictOn([named])).toMatchObject({ isGood: true });
});

test('one that did not come to its end is doubted, though nobody found what is wrong with it', () => {
  const cut = ran({ exitCode: null });
  expect(adviceOn(cut)).toContain('did not come to its end');
});

test.each([
  [[failing], true, 'Nothing passes without work.'],
  [[passing, passing], false, 'Everything passes already'],
  [[broken], false, 'tell nothing about the work'],
  [[passing, usage], false, 'tell nothing about the work'],
  [[failing, passing], true, '1 of 2 fail as long as'],
  [[failing, passing, broken], false, '1 may tell nothing'],
] as const)('the verdict on %# says whether the checks tell anything', (checks, isGood, text) => {
  expect(verdictOn(checks)).toEqual({ isGood, text: expect.stringContaining(text) });
});
