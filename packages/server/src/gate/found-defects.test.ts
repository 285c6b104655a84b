import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Case, gate, row, useHostSandboxes } from '../../test/support/gate/case.ts';

/** Tests that were ordered are judged by the defects that they notice in the buyer's work. */

useHostSandboxes();

const rates = `export function rate(age, isMember) {
  if (age < 6) return 0;
  if (age >= 65 || isMember) return 5;
  return 10;
}

export function total(ages, isMember) {
  let sum = 0;
  for (const age of ages) sum = sum + rate(age, isMember);
  return sum > 40 ? 40 : sum;
}
`;
const manifest = { 'package.json': '{ "type": "module", "scripts": { "test": "node --test" } }' };
const original = { ...manifest, 'rates.js': rates };
const heads =
  "import assert from 'node:assert';\nimport test from 'node:test';\nimport { rate, total } from './rates.js';\n";
const good = `${heads}
test('rates', () => {
  assert.deepEqual([5, 6, 64, 65].map((age) => rate(age, false)), [0, 10, 10, 5]);
  assert.equal(rate(30, true), 5);
});
test('totals', () => {
  assert.equal(total([30, 30], false), 20);
  assert.equal(total([30, 30, 30, 30, 30], false), 40);
  assert.equal(total([30, 30, 30, 70, 70], false), 40);
  assert.equal(total([3, 70, 70], false), 10);
});
`;
const ordered = (delivered: Record<string, string>, more: Partial<Case> = {}) =>
  gate({
    original,
    delivered: { ...original, ...delivered },
    taskType: 'testing',
    input: { description: 'Write tests for rates.js.' },
    ...more,
  });

describe('tests that were ordered', () => {
  test('pass by the defects that they notice', async () => {
    const verdict = await ordered({ 'rates.test.js': good });
    expect(row(verdict, 'tests')).toMatchObject({ score: expect.any(Number), proof: 'sentinels' });
    expect(row(verdict, 'tests')?.evidence).toMatch(/^npm test passes; of \d defects .* they notice [4-8]\.$/);
    expect(verdict.score).toBeGreaterThanOrEqual(80);
  });

  const hash = `import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
const is = createHash('sha1').update(readFileSync('rates.js')).digest('hex');
test('it is as it was', () => assert.equal(is, '${createHash('sha1').update(rates).digest('hex')}'));
`;
  test.each<[string, Record<string, string>, RegExp]>([
    [
      'assert nothing',
      { 'rates.test.js': `${heads}test('rates', () => void rate(3, total([], true)));\n` },
      /notice 0/,
    ],
    ['compare the text of the work', { 'rates.test.js': heads + hash }, /not over your own files with a remark more/],
    [
      'pass over changed work only',
      {
        'rates.js': rates.replace('return 0', 'return 1'),
        'rates.test.js': `${heads}test('r', () => assert.equal(rate(1), 1));\n`,
      },
      /not over your own files/,
    ],
  ])('fail where they %s', async (_what, delivered, evidence) => {
    const verdict = await ordered(delivered);
    expect(row(verdict, 'tests')).toMatchObject({ score: 0, evidence: expect.stringMatching(evidence) });
    expect(verdict.passed).toBe(false);
  });

  test('are paid for what the buyer’s own tests let pass', async () => {
    const own = `${heads}test('a child', () => assert.equal(rate(5, false), 0));\n`;
    const withOwn = { ...original, 'own.test.js': own };
    const nothing = await gate({ original: withOwn, delivered: withOwn, taskType: 'testing' });
    expect(row(nothing, 'tests')?.score).toBe(0);
    const more = await gate({
      original: withOwn,
      delivered: { ...withOwn, 'rates.test.js': good },
      taskType: 'testing',
    });
    expect(row(more, 'tests')?.score).toBeGreaterThan(80);
  });

  test('are run over Python as well, also where only the delivery declares them', async () => {
    const work = {
      'prices.py':
        'def net(price, rate):\n    if rate < 0:\n        return 0\n    return price + price * rate // 100\n',
    };
    const tests = (body: string) => ({
      'pyproject.toml': '[tool.pytest.ini_options]\n',
      'test_prices.py': `import unittest\nfrom prices import net\n\nclass T(unittest.TestCase):\n    def test_net(self):\n        ${body}\n`,
      Makefile: 'test:\n\tpython3 -m unittest\n',
    });
    const judged = (body: string) =>
      gate({ original: work, delivered: { ...work, ...tests(body) }, taskType: 'testing' });
    const found = await judged('self.assertEqual([net(200, 19), net(100, -1), net(50, 0)], [238, 0, 50])');
    expect(row(found, 'tests')).toMatchObject({
      score: expect.any(Number),
      evidence: expect.stringMatching(/notice [1-9]/),
    });
    expect(row(await judged('net(1, 1)'), 'tests')).toMatchObject({ evidence: expect.stringMatching(/notice 0/) });
  });

  test('prove nothing where there is no work to break', async () => {
    const verdict = await ordered(
      { 'a.test.js': "import test from 'node:test';\ntest('a', () => {});\n" },
      { original: manifest },
    );
    expect(row(verdict, 'tests')?.score ?? null).not.toBe(100);
  });
});
