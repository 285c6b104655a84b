import { describe, expect, test } from 'vitest';
import { bug, type Case, fixed, gate, row, useHostSandboxes } from '../../test/support/gate/case.ts';

/** What is put back, and what counts as a pass, follows from what ran over the buyer's untouched files. */

useHostSandboxes();

const made = {
  Makefile: '-include config.mk\ntest:\n\tgrep -q fixed work.txt\n',
  'work.txt': 'broken\n',
};

describe('files that the agent adds', () => {
  test.each<[string, Record<string, string>, Record<string, string>, Record<string, string>]>([
    ['what the Makefile includes', made, { 'config.mk': 'MAKEFLAGS += -i\n' }, { 'work.txt': 'fixed\n' }],
    ['a Makefile of more weight', made, { GNUmakefile: 'test:\n\ttrue\n' }, { 'work.txt': 'fixed\n' }],
  ])('steer no run: %s', async (_what, original, added, repair) => {
    const acceptance = { checks: [{ name: 'it', command: 'make test' }] };
    const cheated = await gate({ original, delivered: { ...original, ...added }, acceptance });
    expect(row(cheated, 'tests')?.score).toBe(0);
    expect(row(cheated, 'check: it')?.score).toBe(0);
    const honest = await gate({ original, delivered: { ...original, ...added, ...repair }, acceptance });
    expect([row(honest, 'tests')?.score, row(honest, 'check: it')?.score]).toEqual([100, 100]);
  });

  test('are named where the pass goes with them', async () => {
    const verdict = await gate({ original: made, delivered: { ...made, 'config.mk': 'MAKEFLAGS += -i\n' } });
    expect(row(verdict, 'tests')?.evidence).toContain(
      'only with files that the agent added and that steer it: config.mk.',
    );
  });
});

describe('work that is called like a test or like a module of Python', () => {
  const shop = {
    'shop/__init__.py': '',
    'tests/__init__.py': '',
    'tests/test_shop.py':
      'import unittest\nfrom shop.warnings import warn\n\nclass T(unittest.TestCase):\n    def test_warn(self):\n        self.assertEqual(warn(1), "low")\n',
  };
  const good = 'def warn(left):\n    return "low" if left < 5 else ""\n';
  const command = 'python3 -m unittest discover';

  test.each<[string, Case]>([
    ['shop/warnings.py', { original: shop, delivered: { ...shop, 'shop/warnings.py': good } }],
    [
      'spec/sum.js',
      {
        original: { ...bug, 'sum.test.js': bug['sum.test.js'].replace('./sum.js', './spec/sum.js') },
        delivered: {
          ...fixed,
          'sum.test.js': bug['sum.test.js'].replace('./sum.js', './spec/sum.js'),
          'spec/sum.js': fixed['sum.js'],
        },
      },
    ],
  ])('%s stays', async (path, given) => {
    const acceptance = { checks: [{ name: 'it', command: path.endsWith('.py') ? command : 'npm test' }] };
    const verdict = await gate({ ...given, acceptance, taskType: 'code_generation' });
    expect(row(verdict, 'check: it')?.evidence, JSON.stringify(verdict)).toMatch(/^Exit code 0/);
    const nothing = await gate({ ...given, delivered: given.original!, acceptance, taskType: 'code_generation' });
    expect(row(nothing, 'check: it')?.score).toBe(0);
  });

  test('is repaired where it lies below a directory of tests that did not run', async () => {
    const original = {
      ...bug,
      'sum.test.js': bug['sum.test.js'].replace('./sum.js', './e2e/sum.js'),
      'e2e/sum.js': bug['sum.js'],
    };
    const delivered = { ...original, 'e2e/sum.js': fixed['sum.js'] };
    const verdict = await gate({ original, delivered });
    expect(verdict.score, JSON.stringify(verdict)).toBe(89);
  });
});

describe('a removed feature', () => {
  const formats = (names: string) => `export const formats = { ${names} };\n`;
  const original = {
    'package.json': bug['package.json'],
    'formats.js': formats('json: JSON.stringify, csv: String, xml: String'),
    'formats.test.js':
      "import test from 'node:test';\nimport { formats } from './formats.js';\nfor (const name in formats) test('writes ' + name, () => {});\n",
  };
  const delivered = { ...original, 'formats.js': formats('json: JSON.stringify, csv: String') };

  test('takes its tests along where the order says so', async () => {
    const ordered = {
      taskType: 'refactor',
      original,
      delivered,
      input: { description: 'Remove the format xml.' },
    } as const;
    expect((await gate(ordered)).score).toBe(89);
  });

  test('may share its file of tests with what stays, which are as they were', async () => {
    const formats = {
      ...original,
      'formats.js':
        "export const json = (it) => JSON.stringify(it);\nexport const xml = (it) => '<a>' + it + '</a>';\n",
      'formats.test.js':
        "import assert from 'node:assert';\nimport test from 'node:test';\nimport { json, xml } from './formats.js';\ntest('writes json', () => assert.equal(json(1), '1'));\ntest('writes xml', () => assert.equal(xml(1), '<a>1</a>'));\n",
    };
    const rest = {
      ...formats,
      'formats.js': 'export const json = (it) => JSON.stringify(it);\n',
      'formats.test.js': formats['formats.test.js'].replace(', xml', '').replace(/test\('writes xml.*\n/, ''),
    };
    const input = { description: 'Remove the format xml with its tests.' };
    const given = { original: formats, input, taskType: 'refactor' } as const;
    const verdict = await gate({ ...given, delivered: rest });
    expect(verdict, JSON.stringify(verdict)).toMatchObject({ score: 89, passed: true });
    // Larger projects are read in a thread.
    const large = { 'data.txt': 'x'.repeat(100_000) };
    const read = { original: { ...formats, ...large }, delivered: { ...rest, ...large } };
    expect(await gate({ ...given, ...read })).toMatchObject({ score: 89 });
    const acceptance = { checks: [{ name: 'it', command: 'npm test' }] };
    expect(await gate({ ...given, delivered: rest, acceptance })).toMatchObject({ passed: true });
    const weaker = { ...rest, 'formats.test.js': rest['formats.test.js'].replace("assert.equal(json(1), '1')", '{}') };
    expect(await gate({ ...given, delivered: weaker })).toMatchObject({ passed: false });
  });

  test('that nobody ordered is a broken test', async () => {
    const verdict = await gate({ taskType: 'refactor', original, delivered, input: { description: 'Tidy up.' } });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.tests).toEqual(['formats.test.js > writes xml (missing)']);
  });
});

test('a repair passes beside tests that fail for another reason, as far as these are not asked for', async () => {
  const flaky = "import test from 'node:test';\ntest('needs the network', () => { throw new Error('offline'); });\n";
  const original = { ...bug, 'net.test.js': flaky };
  const verdict = await gate({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } });
  expect(row(verdict, 'tests')?.evidence).toContain('of 2 tests that failed before 1 pass now');
  expect(verdict).toMatchObject({ score: 60, passed: true });
});

test('a repair that leaves a test beside a mended one is half a repair', async () => {
  const half = 'export const sum = (a, b) => (b === 0 ? a : a - b + 1);\n';
  const broken = { ...bug, 'sum.js': 'export const sum = () => NaN;\n' };
  const verdict = await gate({ original: broken, delivered: { ...bug, 'sum.js': half } });
  expect(row(verdict, 'tests')?.evidence).toContain(
    'of 2 tests that failed before 1 pass now, and 1 beside them does not. The buyer can name tests that may fail.',
  );
  expect(verdict).toMatchObject({ passed: false });
  const acceptance = { tests: { mayFail: ['sum.test.js > adds'] } };
  expect(await gate({ original: broken, delivered: { ...bug, 'sum.js': half }, acceptance })).toMatchObject({
    passed: true,
  });
});

test('a run that breaks off before its failing test is no pass, before the work and after it', async () => {
  const original = {
    'package.json': JSON.stringify({ scripts: { test: 'node t.js' } }),
    'sum.js': 'module.exports = () => { throw new Error("not yet"); };\n',
    't.js':
      "console.log('ok 1 - loads');\nif (require('./sum.js')(2, 2) !== 4) throw 1;\nconsole.log('ok 2 - adds');\n",
  };
  const gated = (text: string) => gate({ original, delivered: { ...original, 'sum.js': text } });
  for (const text of [original['sum.js'], `${original['sum.js']}// Checked.\n`]) {
    const verdict = await gated(text);
    expect(row(verdict, 'tests')?.evidence).toContain('failed before and still fails, although no test of it does');
    expect(verdict.passed).toBe(false);
  }
  expect(await gated('module.exports = (a, b) => a + b;\n')).toMatchObject({ passed: true, score: 59 });
});

describe('where the buyer says which tests decide', () => {
  const flaky = "import test from 'node:test';\ntest('needs the network', () => { throw new Error('offline'); });\n";
  const original = { ...bug, 'net.test.js': flaky };
  const delivered = { ...original, 'sum.js': fixed['sum.js'] };
  const gated = (tests: Record<string, string[]>, given = delivered) =>
    gate({ original, delivered: given, acceptance: { tests } });

  test('a test that may fail is not asked for', async () => {
    expect(await gated({ mayFail: ['net.test.js'] })).toMatchObject({ score: 89, passed: true });
  });

  test('those that must pass are enough, and each of them is needed', async () => {
    expect(await gated({ mustPass: ['sum.test.js > *'] })).toMatchObject({ score: 89, passed: true });
    const verdict = await gated({ mustPass: ['sum.test.js', 'net.test.js > needs the network'] });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toContain('1 test that the buyer names does not pass.');
  });

  test('a test that does not exist is one that does not pass', async () => {
    expect(await gated({ mustPass: ['new.test.js'] })).toMatchObject({ passed: false });
  });

  test('a file that may change is the agent’s, and proves nothing', async () => {
    const changed = { ...delivered, 'net.test.js': "import test from 'node:test';\ntest('mine', () => {});\n" };
    const verdict = await gated({ mayChange: ['net.test.js'] }, changed);
    expect(verdict).toMatchObject({ score: 89, passed: true });
    const only = { ...original, 'sum.test.js': "import test from 'node:test';\ntest('adds', () => {});\n" };
    expect((await gated({ mayChange: ['sum.test.js'] }, only)).score).toBeLessThanOrEqual(60);
  });
});
