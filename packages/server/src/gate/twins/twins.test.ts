import { expect, test } from 'vitest';
import { javascriptTwin } from './javascript.ts';
import { otherPath } from './plant.ts';
import { pythonTwin } from './python.ts';

const words = () => {
  let n = 0;
  return () => `word${++n}`;
};

test.each([
  ['sum.test.js', 'w.test.js'],
  ['src/deep/sum.spec.tsx', 'src/deep/w.spec.tsx'],
  ['test-sum.js', 'test-w.js'],
  ['sum-test.mjs', 'w-test.mjs'],
  ['tests/test_sum.py', 'tests/test_w.py'],
  ['sum_test.py', 'w_test.py'],
  ['tests.py', 'test_w.py'],
  ['test.js', 'w.test.js'],
  ['test/sum.js', 'test/w.js'],
])('%s is found as %s', (path, other) => {
  expect(otherPath(path, 'w')).toBe(other);
});

test('titles get another word, and methods called test keep their arguments', () => {
  const text =
    "import test from 'node:test';\nimport assert from 'node:assert';\ntest('adds', () => assert.ok(/a/.test('a')));\n";
  const twin = javascriptTwin(text, words());
  expect(twin?.text).toContain("test('word4 adds', () => assert.ok(/a/.test('a')));");
  expect(twin?.text).toContain("test('word1', () => { assert.ok(false); });");
  expect(twin?.sentinels).toEqual({ passing: 'word5', failing: ['word1', 'word6'] });
});

test('functions get another name unless something refers to them, and a program begins after all tests', () => {
  const text =
    'import unittest\n\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n    def test_b(self):\n        self.test_c()\n    def test_c(self):\n        pass\n\nif __name__ == "__main__":\n    unittest.main()\n';
  const twin = pythonTwin(text, words());
  expect(twin?.text).toMatch(
    /def test_a_word1\(self\)[\s\S]*def test_c\(self\)[\s\S]*self\.assertEqual\(\d{2,}, \d{2,}\)[\s\S]*__main__/,
  );
});
