import { chmod, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bug, type Case, fixed, gate, row, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { assess } from './index.ts';

useHostSandboxes();

const check = (command: string) => ({ checks: [{ name: 'it', command }] });
const python = {
  'sum.py': 'def add(a, b):\n    return a - b\n',
  'test_sum.py':
    'import unittest\nfrom sum import add\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(2, 2), 4)\n',
};
const pythonFixed = { ...python, 'sum.py': 'def add(a, b):\n    return a + b\n' };
const made = {
  Makefile: 'verify:\n\tsh scripts/inner.sh\n',
  'scripts/inner.sh': 'grep -q fixed work.txt\n',
  'scripts/ci.sh': 'make verify\n',
  'work.txt': 'broken\n',
};
const madeFixed = { ...made, 'work.txt': 'fixed\n' };

describe('one line of code', () => {
  test.each<[string, Case]>([
    ['a library that ends the process', { original: bug, delivered: { ...bug, 'sum.js': 'process.exit(0)' } }],
    [
      'one that also prints a summary',
      {
        original: bug,
        delivered: { ...bug, 'sum.js': "console.log('# tests 2\\n# pass 2\\n# fail 0'); process.exit(0)" },
      },
    ],
    [
      "one that also brings tests of the agent's own",
      {
        original: bug,
        delivered: {
          ...bug,
          'sum.js': 'process.exit(0)',
          'own.test.js': "import test from 'node:test';\nfor (const n of 'abc') test(n, () => {});\n",
        },
      },
    ],
    [
      'one where nothing could be imported before',
      { original: { ...bug, 'sum.js': '' }, delivered: { ...bug, 'sum.js': 'process.exit(0)' } },
    ],
  ])('%s passes neither the tests nor a check', async (_name, given) => {
    const alone = await gate(given);
    expect(row(alone, 'tests')?.score).toBe(0);
    const checked = await gate({ ...given, acceptance: check('npm test') });
    expect(row(checked, 'check: it')?.score).toBe(0);
    expect([alone.passed, checked.passed]).toEqual([false, false]);
  });

  test.each([
    ['unittest.py', 'print("Ran 1 test in 0.000s")\n'],
    ['unittest/__init__.py', 'print("Ran 1 test in 0.000s")\n'],
    ['traceback.py', 'print("Ran 1 test in 0.000s")\nimport os\nos._exit(0)\n'],
    ['sum.py', 'import os\nos._exit(0)\n'],
    ['sum.py', 'import unittest\nraise unittest.SkipTest()\n'],
  ])('%s of the agent does not pass for unittest', async (path, text) => {
    const given = {
      original: python,
      delivered: { ...python, [path]: text },
      acceptance: check('python3 -m unittest'),
    };
    const verdict = await gate({ taskType: 'general', ...given });
    expect(row(verdict, 'check: it')?.score).toBe(0);
    expect(verdict.passed).toBe(false);
  });

  test.each([
    ['make verify', { Makefile: 'verify:\n\ttrue\n' }],
    ['make verify', { makefile: 'verify:\n\ttrue\n' }],
    ['make verify', { 'scripts/inner.sh': 'true\n' }],
    ['sh scripts/ci.sh', { 'scripts/ci.sh': 'true\n' }],
    ['cd scripts && cd .. && sh "$PWD/scripts/ci.sh"', { 'scripts/ci.sh': 'true\n' }],
    ['sh scripts/ci.sh', { Makefile: 'verify:\n\ttrue\n' }],
  ])("%s measures with the buyer's own files (%j)", async (command, changed) => {
    const cheated = await gate({ original: made, delivered: { ...made, ...changed }, acceptance: check(command) });
    expect(row(cheated, 'check: it')?.score).toBe(0);
    const honest = await gate({ original: made, delivered: { ...madeFixed, ...changed }, acceptance: check(command) });
    expect(row(honest, 'check: it')?.score).toBe(100);
  });

  test("a script of package.json that a check calls is the buyer's", async () => {
    const manifest = (verify: string) => JSON.stringify({ scripts: { verify } });
    const original = { 'package.json': manifest('grep -q fixed work.txt'), 'work.txt': 'broken\n' };
    const given = { original, delivered: { ...original, 'package.json': manifest('true') } };
    expect((await gate({ ...given, acceptance: check('npm run verify') })).passed).toBe(false);
  });
});

describe('honest work', () => {
  test('keeps its score', async () => {
    expect((await gate({ original: bug, delivered: fixed, acceptance: check('npm test') })).score).toBe(94);
    const acceptance = check('python3 -m unittest');
    expect((await gate({ taskType: 'general', original: python, delivered: pythonFixed, acceptance })).score).toBe(90);
  });

  test('passes with test files that are plain scripts', async () => {
    const plain = "import assert from 'node:assert';\nimport { sum } from './sum.js';\nassert.equal(sum(2, 2), 4);\n";
    const original = { ...bug, 'sum.test.js': plain };
    expect((await gate({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } })).score).toBe(59);
  });

  test('may be the Makefile, when the description says so or the task is one of operations', async () => {
    const acceptance = check('make verify');
    const delivered = { ...made, Makefile: 'verify:\n\ttrue\n' };
    const input = { description: 'Repair the Makefile.' };
    expect((await gate({ original: made, delivered, acceptance, input })).passed).toBe(true);
    expect((await gate({ taskType: 'devops', original: made, delivered, acceptance })).passed).toBe(true);
  });
});

describe('a vendored node_modules does not let the agent stand in for a program', () => {
  const vendored = {
    'package.json': JSON.stringify({ scripts: { test: 'node check.js' } }),
    'check.js': 'process.exit(1);\n',
    'node_modules/dep/index.js': '',
    'node_modules/.bin/tool': 'echo the tool; exit 3\n',
  };
  const runsIt = '#!/bin/sh\nexit 0\n';
  const executable = (path: string) => (directory: string) => chmod(join(directory, path), 0o755);

  test.each<[string, Case]>([
    [
      'added',
      {
        delivered: { ...vendored, 'node_modules/.bin/node': runsIt },
        arrange: executable('node_modules/.bin/node'),
      },
    ],
    [
      'behind a link to another directory',
      {
        delivered: { ...vendored, 'mine/node': runsIt },
        arrange: async (directory) => {
          await executable('mine/node')(directory);
          await rm(join(directory, 'node_modules/.bin'), { recursive: true });
          await symlink('../mine', join(directory, 'node_modules/.bin'));
        },
      },
    ],
  ])('%s', async (_how, given) => {
    const verdict = await gate({ original: vendored, ...given, acceptance: check('npm test') });
    expect(row(verdict, 'check: it')?.score).toBe(0);
    expect(row(verdict, 'tests')?.score).toBe(0);
  });

  test("and the buyer's own programs are the buyer's again", async () => {
    const delivered = { ...vendored, 'node_modules/.bin/tool': runsIt };
    const asked = check('sh node_modules/.bin/tool; test $? = 3 && test -L node_modules/.bin/linked');
    const given = source({ original: vendored, delivered, acceptance: asked });
    const verdict = await assess({
      ...given,
      originalLinks: [{ path: 'node_modules/.bin/linked', target: '../dep/index.js' }],
    });
    expect(row(verdict, 'check: it')?.score).toBe(100);
  });
});

describe('a failing check is not made one that was not run', () => {
  const feigned = (words: string) => `echo "sh: 1: ${words}: not found" >&2; exit 127\n`;
  test.each([
    ['a line of a here-document', 'cat > in.txt <<E\nnorth south\nE\nsh run.sh < in.txt', feigned('north')],
    ['a function', 'judge() { sh run.sh; }; judge', feigned('judge')],
    ['what is tried otherwise', 'sh run.sh || no-such-tool', 'exit 1\n'],
    ['what stands in another branch', 'if sh run.sh; then true; else no-such-tool; fi', 'exit 1\n'],
    ['what the work brings', 'PATH=$PWD/bin:$PATH mytool', ''],
  ])('by %s', async (_what, command, program) => {
    const delivered = { 'run.sh': program, 'bin/mytool.txt': '' };
    const verdict = await gate({ taskType: 'general', delivered, acceptance: check(command) });
    expect(row(verdict, 'check: it')?.score).toBe(0);
    expect(verdict.passed).toBe(false);
  });

  test('by an output that is run and names a tool which the command also starts', async () => {
    const command = 'sh "$AGORA_RESULT" && no-such-tool';
    const verdict = await gate({
      taskType: 'general',
      output: { result: feigned('no-such-tool') },
      acceptance: check(command),
    });
    expect(row(verdict, 'check: it')?.score).toBe(0);
  });
});
