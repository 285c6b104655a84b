import { describe, expect, test } from 'vitest';
import { withoutOrdered } from '../restore/ordered-removal.ts';
import { compareTests, type TestRules } from './compare.ts';
import { removesTests } from './removed-by-order.ts';
import { identify, type TestStatus } from './test-result.ts';
import { matcherOf } from './test-rules.ts';

const noRules: TestRules = {
  wishes: {},
  isProgram: () => false,
  description: '',
};

/** Tests of one file as `name: status`; the empty name is the file itself. */
const run = (states: Record<string, TestStatus>, file = 'a.test.js') =>
  identify(Object.entries(states).map(([name, status]) => ({ file, name, status, ms: null })));

const compared = (
  before: Record<string, TestStatus>,
  now: Record<string, TestStatus>,
  rules: Partial<TestRules> = {},
) => compareTests(run(before), run(now), { ...noRules, ...rules });

test('a title that goes on with what is wrong, and a suite that fails as a whole, are mended by their tests', () => {
  const before = { 'adds: 5 is not 4': 'failed', 'example.org/shop': 'failed', zero: 'passed' } as const;
  const now = { adds: 'passed', 'example.org/shop > TestAdds': 'passed', zero: 'passed' } as const;
  expect(compared(before, now)).toMatchObject({
    broken: [],
    mended: ['a.test.js > adds: 5 is not 4', 'a.test.js > example.org/shop'],
    wanting: [],
  });
  const fails = { 'adds more': 'passed', 'example.org/shop > TestAdds': 'failed', zero: 'passed' } as const;
  expect(compared(before, fails)).toMatchObject({ mended: [], wanting: { length: 2 } });
});

test('each test counts by its own name', () => {
  const before = {
    kept: 'passed',
    breaks: 'passed',
    skips: 'passed',
    goes: 'passed',
    red: 'failed',
    stays: 'failed',
  } as const;
  const now = {
    kept: 'passed',
    breaks: 'failed',
    skips: 'skipped',
    red: 'passed',
    stays: 'failed',
    added: 'failed',
  } as const;
  expect(compared(before, now)).toEqual({
    kept: 1,
    broken: [
      { id: 'a.test.js > breaks', now: 'failed' },
      { id: 'a.test.js > skips', now: 'skipped' },
      { id: 'a.test.js > goes', now: 'missing' },
    ],
    mended: ['a.test.js > red'],
    wanting: ['a.test.js > stays'],
    beside: ['a.test.js > stays'],
  });
});

test('the second of one name is a test of its own', () => {
  const twice = (second: TestStatus) =>
    identify((['passed', second] as const).map((status) => ({ file: null, name: 'same', status, ms: null })));
  expect(compareTests(twice('passed'), twice('failed'), noRules).broken).toEqual([{ id: 'same #2', now: 'failed' }]);
});

describe('a file that could not be loaded', () => {
  test('is mended by tests that pass', () => {
    expect(compared({ '': 'failed' }, { one: 'passed', two: 'passed' })).toMatchObject({
      mended: ['a.test.js'],
      wanting: [],
    });
  });

  test.each<[string, Record<string, TestStatus>]>([
    ['ends before it defines a test', { '': 'passed' }],
    ['has a test that fails', { one: 'passed', two: 'failed' }],
    ['skips all its tests', { one: 'skipped' }],
    ['is not there any more', {}],
  ])('is not mended where it %s', (_how, now) => {
    expect(compared({ '': 'failed' }, now)).toMatchObject({ mended: [], wanting: ['a.test.js'] });
  });

  test('that is one program by intent is mended by its success', () => {
    const isProgram = (file: string) => file === 'a.test.js';
    expect(compared({ '': 'failed' }, { '': 'passed' }, { isProgram })).toMatchObject({ mended: ['a.test.js'] });
    expect(compared({ '': 'failed' }, { one: 'passed' }, { isProgram })).toMatchObject({ mended: ['a.test.js'] });
  });

  test('that passed as a whole has to pass as a whole', () => {
    expect(compared({ '': 'passed' }, { '': 'passed' })).toMatchObject({ kept: 1, broken: [] });
    expect(compared({ '': 'passed' }, { '': 'failed' })).toMatchObject({
      broken: [{ id: 'a.test.js', now: 'failed' }],
    });
  });
});

describe('the buyer says', () => {
  test('that something goes, and its test goes with it', () => {
    const before = { 'writes json': 'passed', 'writes xml': 'passed' } as const;
    const now = { 'writes json': 'passed' } as const;
    const description = 'Remove the format xml.';
    expect(compared(before, now, { description }).broken).toEqual([]);
    const stays = [{ id: 'a.test.js > writes xml', now: 'missing' }];
    for (const other of ['Make xml faster.', 'Remove the format csv.', 'Remove what writes.'])
      expect(compared(before, now, { description: other }).broken).toEqual(stays);
    expect(compared(before, { ...now, 'writes xml': 'failed' }, { description }).broken).toHaveLength(1);
  });

  test('that a test may change', () => {
    const wishes = { mayChange: ['a.test.js > old'] };
    expect(compared({ old: 'passed', kept: 'passed' }, { kept: 'passed' }, { wishes }).broken).toEqual([]);
  });

  test('which tests must pass: of those that failed only they are wanted, skipped or not', () => {
    const wishes = { mustPass: ['a.test.js > new*', 'b.test.js'] };
    const before = { 'new one': 'skipped', 'new two': 'failed', red: 'failed' } as const;
    expect(compared(before, before, { wishes }).wanting).toEqual([
      'a.test.js > new one',
      'a.test.js > new two',
      'b.test.js',
    ]);
  });

  test('that a test may fail', () => {
    const wishes = { mayFail: ['*/flaky.test.js'] };
    expect(compareTests(run({ a: 'passed' }, 'test/flaky.test.js'), [], { ...noRules, wishes }).broken).toEqual([]);
    expect(compared({ a: 'passed' }, { a: 'failed' }, { wishes }).broken).toHaveLength(1);
  });
});

test('a title whose numbers change from run to run is the same test, once', () => {
  const before = run({ 'listens on 4123': 'passed', 'listens on 4124': 'passed' });
  expect(
    compareTests(before, run({ 'listens on 5001': 'passed', 'listens on 5002': 'passed' }), noRules).broken,
  ).toEqual([]);
  expect(compareTests(before, run({ 'listens on 5001': 'passed' }), noRules).broken).toHaveLength(1);
  expect(
    compareTests(before, run({ 'answers on 5001': 'passed', 'listens on 4124': 'passed' }), noRules).broken,
  ).toHaveLength(1);
});

test.each([
  ['a.test.js > adds', 'a.test.js > adds', true],
  ['a.test.js > *', 'a.test.js > adds', true],
  ['* > adds * numbers', 'a.test.js > adds two numbers', true],
  ['* > adds * numbers', 'a.test.js > adds numbers', false],
  ['a.test.js > add*dds', 'a.test.js > adds', false],
  ['**/*.test.js', 'deep/a.test.js > adds', true],
  ['*.test.js', 'deep/a.test.js > adds', false],
])('the pattern %s and the test %s: %s', (pattern, id, isMeant) => {
  expect(matcherOf(pattern)({ id, file: id.split(' > ')[0]! })).toBe(isMeant);
});

test('a pattern of many stars takes no longer than the text is long', () => {
  const pattern = `a > ${'*a'.repeat(240)}b`;
  expect(matcherOf(pattern)({ id: `a > ${'a'.repeat(1000)}`, file: 'a' })).toBe(false);
});

test('a test that fails where the run of its package broke off before is asked for', () => {
  const ofPackage = (states: Record<string, TestStatus>) =>
    identify(
      Object.entries(states).map(([name, status]) => ({ file: null, name: `shop > ${name}`, status, ms: null })),
    );
  const before = ofPackage({ TestA: 'passed', TestB: 'failed' });
  const now = ofPackage({ TestA: 'passed', TestB: 'passed', TestC: 'failed' });
  const { mended, wanting, beside } = compareTests(before, now, noRules);
  expect([mended, wanting, beside]).toEqual([['shop > TestB'], ['shop > TestC'], ['shop > TestC']]);
  expect(compareTests(before, now, { ...noRules, wishes: { mayFail: ['shop > TestC'] } }).wanting).toEqual([]);
});

describe('a file of tests may lose whole tests of what the order removes', () => {
  const file =
    "import { json, xml } from './formats.js';\ntest('writes json', () => {\n  equal(json(1), '1');\n});\ntest('writes xml', () => {\n  equal(xml(1), '<a>1</a>');\n});\n";
  const order = 'Remove the format xml with its tests.';
  const shorter = file.replace(', xml', '').replace(/test\('writes xml[\s\S]*/, '');

  test('and the names that they import', () => {
    expect(withoutOrdered(file, shorter, order)).toBe(shorter);
  });

  test.each([
    ['an assertion of a test that stays', shorter.replace("  equal(json(1), '1');\n", ''), order],
    ['the body of the test', file.replace("  equal(xml(1), '<a>1</a>');\n", ''), order],
    ['all of it', '', order],
    ['the same, where nothing is removed', shorter, 'Add a dropdown for xml; all tests must pass.'],
    ['the same, where another thing is', shorter, 'Remove yaml with its tests.'],
    ['a test that is another one now', shorter.replace("'1'", "'2'"), order],
  ])('but not %s', (_what, delivered, description) => {
    expect(withoutOrdered(file, delivered, description)).toBe(file);
  });

  test('which an order says in one sentence', () => {
    expect(removesTests('We have no coupons any more: remove coupon() and the tests of coupons.')).toBe(true);
    expect(removesTests('Drop the old parser. All tests must pass.')).toBe(false);
    expect(removesTests('Add a dropdown with tests.')).toBe(false);
  });
});
