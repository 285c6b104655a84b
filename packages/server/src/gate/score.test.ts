import { type JudgeOpinion, proofs, taskTypes } from '@agora-market/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changesCode, type Finding, outputScores } from './criteria.ts';
import { type Evidence, scoreEvidence } from './score.ts';

const finding = (kind: Finding['kind'], score: number | null, weight = 1): Finding => {
  return { kind, name: kind, score, weight, evidence: 'seen' };
};
const present = finding('output', outputScores.present);
const score = (findings: Finding[], more: Partial<Evidence> = {}) =>
  scoreEvidence({ taskType: 'bug_fix', findings, declaredScore: null, judge: null, ...more }).score;
const checks = (...passes: Array<boolean | null>) =>
  passes.map((pass) => finding('checks', pass === null ? null : pass ? 100 : 0));

const outcome = fc.constantFrom(0, 100, null);
const proof = fc.constantFrom(...proofs);
const row = fc.record({ score: outcome, weight: fc.double({ min: 0.001, max: 100, noNaN: true }), proof });
const evidence = fc.record({
  taskType: fc.constantFrom(...taskTypes),
  findings: fc
    .record({
      output: fc.constantFrom(...Object.values(outputScores)),
      checks: fc.array(row, { maxLength: 20 }),
      schema: outcome,
      tests: outcome,
      secrets: outcome,
      proofOfTests: proof,
    })
    .map(({ output, checks: rows, schema, tests, secrets, proofOfTests }): Finding[] => [
      finding('output', output),
      ...rows.map((check) => ({ ...finding('checks', check.score, check.weight), proof: check.proof })),
      finding('schema', schema),
      { ...finding('tests', tests), proof: proofOfTests },
      finding('secrets', secrets),
    ]),
  declaredScore: fc.option(fc.nat(100)),
});

describe('the score', () => {
  test.each(taskTypes)('%s without evidence either way is exactly 60', (taskType) => {
    expect(score([present], { taskType })).toBe(60);
    expect(score([present, ...checks(null, null), finding('schema', null)], { taskType })).toBe(60);
  });

  test.each(taskTypes)('%s: any one kind of success lifts above 70, any one failure fails', (taskType) => {
    for (const kind of ['checks', 'schema', ...(changesCode(taskType) ? ['tests' as const] : [])] as const) {
      expect(score([present, finding(kind, 100)], { taskType })).toBeGreaterThan(70);
      expect(score([present, finding(kind, 0)], { taskType })).toBeLessThan(50);
    }
    expect(score([present, finding('secrets', 0)], { taskType })).toBeLessThan(50);
    expect(score([present, finding('secrets', 100)], { taskType })).toBe(60);
    for (const bad of [outputScores.empty, outputScores.refused, outputScores.echo]) {
      expect(score([finding('output', bad), ...checks(true), finding('schema', 100)], { taskType })).toBeLessThan(50);
    }
  });

  // The worked examples of docs/quality-gate.md.
  test.each<[string, Finding[], number]>([
    ['no evidence', [present], 60],
    ['the only check passes', [present, ...checks(true)], 90],
    ['the only check passes by its exit code', [present, { ...finding('checks', 100), proof: 'exit_code' }], 59],
    [
      'checks by exit code, tests with sentinels',
      [present, { ...finding('checks', 100), proof: 'exit_code' }, { ...finding('tests', 100), proof: 'sentinels' }],
      94,
    ],
    ['the only check fails', [present, ...checks(false)], 15],
    ['three of four checks pass', [present, ...checks(true, true, true, false)], 71],
    ['two of three checks pass', [present, ...checks(true, true, false)], 65],
    ['one of two checks passes', [present, ...checks(true, false)], 49],
    ['one of three checks passes', [present, ...checks(true, false, false)], 40],
    [
      'a check of weight 3 passes, one of weight 1 fails',
      [present, finding('checks', 100, 3), finding('checks', 0, 1)],
      71,
    ],
    [
      'a check of weight 3 fails, one of weight 1 passes',
      [present, finding('checks', 0, 3), finding('checks', 100, 1)],
      34,
    ],
    ['one check passes, one cannot be run', [present, ...checks(true, null)], 84],
    ['checks and tests pass', [present, ...checks(true), finding('tests', 100)], 94],
    ['checks pass, tests break', [present, ...checks(true), finding('tests', 0)], 40],
    ['checks pass, schema does not fit', [present, ...checks(true), finding('schema', 0)], 40],
    ['tests pass, the only check fails', [present, ...checks(false), finding('tests', 100)], 48],
    [
      'all pass, but a secret is introduced',
      [present, ...checks(true), finding('tests', 100), finding('secrets', 0)],
      30,
    ],
    ['empty', [finding('output', outputScores.empty)], 0],
    ['refused', [finding('output', outputScores.refused)], 10],
    ['a doubtful output alone', [finding('output', outputScores.doubtful)], 52],
  ])('bug_fix: %s', (_name, findings, expected) => {
    expect(score(findings)).toBe(expected);
  });

  test('is always an integer between 0 and 100, the same for the same evidence, and passes from 50', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const verdict = scoreEvidence({ ...given, judge: null });
        expect(Number.isInteger(verdict.score) && verdict.score >= 0 && verdict.score <= 100).toBe(true);
        expect(verdict.passed).toBe(verdict.score >= 50);
        expect(scoreEvidence({ ...given, judge: null })).toEqual(verdict);
      }),
    );
  });

  test('turning any measure from pass to fail never raises it', () => {
    fc.assert(
      fc.property(evidence, fc.nat(), (given, pick) => {
        const passing = given.findings.flatMap(({ score: was }, i) => (was === 100 ? [i] : []));
        fc.pre(passing.length > 0);
        const turned = passing[pick % passing.length]!;
        const worse = given.findings.map((one, i) => (i === turned ? { ...one, score: 0 } : one));
        const before = scoreEvidence({ ...given, judge: null }).score;
        expect(scoreEvidence({ ...given, findings: worse, judge: null }).score).toBeLessThanOrEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test('a declared score never raises it, and is shown', () => {
    fc.assert(
      fc.property(evidence, fc.nat(100), (given, declaredScore) => {
        const own = scoreEvidence({ ...given, declaredScore: null, judge: null }).score;
        const verdict = scoreEvidence({ ...given, declaredScore, judge: null });
        expect(verdict.score).toBe(Math.min(own, declaredScore));
        expect(verdict.criteria.at(-1)).toMatchObject({ name: 'declared', score: declaredScore, weight: 0 });
      }),
    );
  });

  test('failed checks of half the weight or more fail the gate, whatever else passes', () => {
    fc.assert(
      fc.property(evidence, (given) => {
        const ran = given.findings.filter((one) => one.kind === 'checks' && one.score !== null);
        const total = ran.reduce((sum, one) => sum + one.weight, 0);
        const lost = ran.reduce((sum, one) => sum + (one.score === 0 ? one.weight : 0), 0);
        fc.pre(total > 0 && lost * 2 > total * 1.000001);
        expect(scoreEvidence({ ...given, judge: null }).passed).toBe(false);
      }),
    );
  });

  test('can be worked out from the rows of the assessment', () => {
    const verdict = scoreEvidence({
      taskType: 'bug_fix',
      findings: [present, finding('checks', 100, 2), finding('checks', 0, 1), finding('schema', null)],
      declaredScore: null,
      judge: null,
    });
    expect(verdict.criteria.map((one) => one.weight)).toEqual([20, 40, 20, 20]);
    expect(verdict.score).toBe(Math.round((20 * 60 + 40 * 100 + 20 * 0) / (20 + 40 + 20)));
  });

  test('a judge is the other half inside the band only, and one that could not be asked changes nothing', () => {
    const judge = (value: number | null): JudgeOpinion => {
      return { status: value === null ? 'unreachable' : 'judged', model: 'm', score: value, reasons: '', tokens: null };
    };
    expect(score([present], { judge: judge(90) })).toBe(75);
    expect(score([present], { judge: judge(40) })).toBe(50);
    expect(score([present], { judge: judge(20) })).toBe(40);
    expect(score([present, ...checks(true, true, false)], { judge: judge(30) })).toBe(48);
    expect(score([present], { judge: judge(90), declaredScore: 58 })).toBe(58);
    expect(score([present], { judge: judge(null) })).toBe(60);
    expect(score([present, ...checks(true)], { judge: judge(0) })).toBe(90);
    expect(score([present, ...checks(false)], { judge: judge(100) })).toBe(15);
  });
});

test("what a judge says by the buyer's rubric alone is a matter of the buyer", () => {
  const judge = { score: 5 } as JudgeOpinion;
  const given: Evidence = { taskType: 'general', findings: [present], declaredScore: null, judge, bringsRubric: true };
  expect(scoreEvidence(given)).toMatchObject({ passed: false, answerable: 'buyer' });
  for (const own of [{ bringsRubric: false }, { findings: [finding('output', outputScores.empty)] }])
    expect(scoreEvidence({ ...given, ...own })).not.toHaveProperty('answerable');
});
