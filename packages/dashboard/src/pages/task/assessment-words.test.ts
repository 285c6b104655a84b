import type { Assessment } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import { type Criterion, partsOf, readingOrder, strengthOf, whyFailed } from './assessment-words.ts';

const row = (name: string, score: number | null, more: Partial<Criterion> = {}): Criterion => ({
  ...{ name, score, weight: 1, evidence: `${name} was measured.` },
  ...more,
});
const assessed = (criteria: Criterion[], more: Partial<Assessment> = {}) =>
  ({ passed: false, score: 20, judge: null, criteria, ...more }) as Assessment;

const trace = 'AssertionError: 3 !== 5\n    at test (sum.test.js:1:40)\n    at run (node:internal)';
const failing = `npm test: 2 tests that passed before fail. Output ends:\n${trace}`;

test('what a program printed is told apart from the words of the gate', () => {
  expect(partsOf(failing)).toEqual({ said: 'npm test: 2 tests that passed before fail.', printed: trace });
  expect(partsOf('Present.')).toEqual({ said: 'Present.', printed: null });
});

test('what failed comes first, the heaviest of it before all, and one output is shown once', () => {
  const rows = readingOrder([
    row('output', 60),
    row('lint', null),
    row('check: sums', 0, { evidence: `Ends with exit code 1. Output ends:\n${trace}` }),
    row('tests', 0, { weight: 50, evidence: failing }),
  ]);
  expect(rows.map(({ name }) => name)).toEqual(['tests', 'check: sums', 'output', 'lint']);
  expect(rows.map(({ printed }) => printed)).toEqual([trace, null, null, null]);
  expect(rows[1]?.printedAs).toBe('Project’s tests');
});

test('one sentence says why the work did not pass', () => {
  const tests = row('tests', 0, { weight: 50, evidence: failing });
  expect(whyFailed(assessed([row('output', 60), tests]))).toBe(
    'Project’s tests: npm test: 2 tests that passed before fail.',
  );
  expect(whyFailed(assessed([tests, row('check: sums', 0)]))).toMatch(/ 1 more did not pass\.$/);
  const judged = { status: 'judged', model: 'm', score: 30, reasons: '', tokens: null } as const;
  expect(whyFailed(assessed([row('output', 60)], { judge: judged }))).toContain('the judge gives 30 of 100');
  expect(whyFailed(assessed([row('output', 60)], { score: 45 }))).toContain('45 of the 50');
  expect(whyFailed(assessed([tests], { passed: true }))).toBeNull();
});

test('a proof has its place among all kinds', () => {
  expect([strengthOf('held_out'), strengthOf('exit_code')]).toEqual([
    { rank: 4, of: 4 },
    { rank: 1, of: 4 },
  ]);
});
