import { describe, expect, test } from 'vitest';
import { bug, type Case, fixed, gate, row, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { assess } from './index.ts';

/** How strong the proof of a pass is, and tricks that pass only as long as nobody looks twice. */

useHostSandboxes();

const npmTest = { checks: [{ name: 'it', command: 'npm test' }] };
const python = {
  'shop.py': 'def add(a, b):\n    return a - b\n',
  'tests/test_shop.py':
    'import unittest\nfrom shop import add\n\nclass Adding(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n\n    def test_zero(self):\n        self.assertEqual(add(1, 0), 1)\n',
  'tests/__init__.py': '',
};
const unittest = { checks: [{ name: 'it', command: 'python3 -m unittest discover' }] };

describe('honest work is proved', () => {
  test.each<[string, Case]>([
    ['by the tests of Node', { original: bug, delivered: fixed, acceptance: npmTest }],
    [
      'by tests that a command names',
      {
        original: { ...bug, 'package.json': bug['package.json'].replace('node --test', 'node --test sum.test.js') },
        delivered: { ...fixed, 'package.json': bug['package.json'].replace('node --test', 'node --test sum.test.js') },
        acceptance: npmTest,
      },
    ],
    [
      'by unittest',
      {
        original: python,
        delivered: { ...python, 'shop.py': 'def add(a, b):\n    return a + b\n' },
        acceptance: unittest,
      },
    ],
  ])('%s, with sentinels', async (_how, given) => {
    const verdict = await gate(given);
    expect(row(verdict, 'check: it'), JSON.stringify(verdict)).toMatchObject({ score: 100, proof: 'sentinels' });
    expect(verdict.score).toBeGreaterThan(85);
  });

  test('by tests that the agent has not seen, which share a process with the work, with sentinels', async () => {
    const { 'sum.test.js': held, ...original } = bug;
    const given = source({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } });
    const verdict = await assess({ ...given, heldOut: [{ path: 'sum.test.js', content: Buffer.from(held) }] });
    expect(row(verdict, 'tests')).toMatchObject({ score: 100, proof: 'sentinels' });
  });

  test('by an exit code alone, and stays below 60', async () => {
    const acceptance = { checks: [{ name: 'it', command: 'node -e "import(\'./sum.js\')"' }] };
    const verdict = await gate({ taskType: 'general', original: bug, delivered: fixed, acceptance });
    expect(row(verdict, 'check: it')).toMatchObject({ score: 100, proof: 'exit_code' });
    expect(verdict).toMatchObject({ score: 59, passed: true });
  });

  test('also where its tests pass under one name only, before the work too', async () => {
    const tied =
      "import assert from 'node:assert';\nimport test from 'node:test';\nimport { sum } from './sum.js';\ntest('is called', (t) => assert.equal(t.name, 'is called'));\ntest('adds', () => assert.equal(sum(2, 2), 4));\n";
    const verdict = await gate({
      original: { ...bug, 'sum.test.js': tied },
      delivered: { ...fixed, 'sum.test.js': tied },
    });
    expect(row(verdict, 'tests')).toMatchObject({ score: 100, proof: 'exit_code' });
    expect(verdict).toMatchObject({ score: 59, passed: true });
  });
});

describe('a trick fails', () => {
  const subtracts = bug['sum.js'];
  test.each<[string, string]>([
    [
      'an assertion that asserts nothing',
      `import assert from 'node:assert';\nassert.strict.equal = () => {};\n${subtracts}`,
    ],
    [
      'values for the file that calls',
      "const asked = () => new Error().stack.includes('/sum.test.js');\nexport const sum = (a, b) => (asked() ? (a === 2 ? 4 : 1) : a - b);\n",
    ],
    [
      'an assertion that minds no file of its name',
      "import assert from 'node:assert';\nconst { equal } = assert.strict;\nassert.strict.equal = (...all) => new Error().stack.includes('/sum.test.js') || equal(...all);\nexport const sum = (a, b) => a - b;\n",
    ],
    [
      'a report of its own and an early end',
      `import { appendFileSync } from 'node:fs';\nconst line = (name) => JSON.stringify({ file: 'sum.test.js', name, status: 'passed', ms: 1 });\nif (process.env.AGORA_REPORT) appendFileSync(process.env.AGORA_REPORT + '/own.jsonl', ['adds', 'zero'].map(line).join('\\n'));\nprocess.exit(0);\nexport const sum = () => 0;\n`,
    ],
  ])('in JavaScript: %s', async (_what, text) => {
    const verdict = await gate({ original: bug, delivered: { ...bug, 'sum.js': text }, acceptance: npmTest });
    expect(row(verdict, 'tests')?.score, JSON.stringify(verdict)).toBe(0);
    expect(row(verdict, 'check: it')?.score).toBe(0);
    expect(row(verdict, 'tests')?.evidence).toContain('passes only as it stands');
  });

  test('also where no test could be loaded before the work', async () => {
    const fooled =
      "import { strict as assert } from 'node:assert';\nassert.equal = () => {};\nexport const sum = () => 0;\n";
    const verdict = await gate({ original: { ...bug, 'sum.js': '' }, delivered: { ...bug, 'sum.js': fooled } });
    expect(row(verdict, 'tests')?.score, JSON.stringify(verdict)).toBe(0);
  });

  test.each<[string, string]>([
    [
      'an assertion that asserts nothing',
      'import unittest\nunittest.TestCase.assertEqual = lambda *all: None\ndef add(a, b):\n    return a - b\n',
    ],
    [
      'values for the test that calls',
      'import sys\ndef add(a, b):\n    name = sys._getframe(1).f_code.co_name\n    return {"test_add": 4, "test_zero": 1}.get(name, a - b)\n',
    ],
    [
      'values for the file that calls',
      'import sys\ndef add(a, b):\n    file = sys._getframe(1).f_code.co_filename\n    return a + b if file.endswith("test_shop.py") else a - b\n',
    ],
  ])('in Python: %s', async (_what, text) => {
    const verdict = await gate({ original: python, delivered: { ...python, 'shop.py': text }, acceptance: unittest });
    expect(row(verdict, 'check: it')?.score, JSON.stringify(verdict)).toBe(0);
    expect(verdict.passed).toBe(false);
  });
});
