import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bug, type Case, fixed, gate, row, sandboxes, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { SandboxError } from '../sandbox/index.ts';
import { assess } from './index.ts';

useHostSandboxes();

describe("the project's own tests", () => {
  test('failing before and passing now lift a fix to 89', async () => {
    const verdict = await gate({ original: bug, delivered: fixed });
    expect(verdict).toMatchObject({ score: 89, passed: true });
    expect(row(verdict, 'tests')).toMatchObject({ score: 100, weight: 50, evidence: 'npm test passes.' });
  });

  test('still failing fail a fix', async () => {
    const verdict = await gate({
      original: bug,
      delivered: { ...bug, 'sum.js': 'export const sum = (a, b) => a - b; // done\n' },
    });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toMatch(/^npm test failed before and still fails\. Exit code 1\./);
  });

  test('that a refactoring breaks fail it; those that failed already are not held against it', async () => {
    const broken = { ...fixed, 'sum.js': 'export const plus = (a, b) => a + b;\n' };
    const verdict = await gate({ taskType: 'refactor', original: fixed, delivered: broken });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toMatch(
      /^npm test: 2 tests that passed over the buyer's untouched files no longer pass; no other does\. Exit code 1\./,
    );
    const moved = { ...bug, 'sum.js': 'export function sum(a, b) { return a - b; }\n' };
    expect((await gate({ taskType: 'refactor', original: bug, delivered: moved })).score).toBe(89);
  });

  test('prove nothing when the agent changed nothing, or only tests', async () => {
    expect((await gate({ original: fixed, delivered: fixed })).score).toBe(60);
    const more = { ...fixed, 'more.test.js': "import test from 'node:test';\ntest('yes', () => {});\n" };
    expect((await gate({ original: fixed, delivered: more })).score).toBe(60);
  });

  test('that only the agent wrote prove nothing by passing, and fail by failing', async () => {
    const own = (exit: number) => ({
      'package.json': JSON.stringify({ scripts: { test: `exit ${exit}` } }),
      'a.js': '',
    });
    const passing = await gate({ taskType: 'code_generation', delivered: own(0) });
    expect(passing.score).toBe(60);
    expect(row(passing, 'tests')?.evidence).toMatch(/agent's own: no proof/);
    expect((await gate({ taskType: 'code_generation', delivered: own(1) })).passed).toBe(false);
  });

  test('are not run where the tool is missing', async () => {
    sandboxes.missing.add('npm');
    const verdict = await gate({ original: bug, delivered: fixed });
    expect(verdict.score).toBe(60);
    expect(row(verdict, 'tests')).toMatchObject({ score: null, evidence: 'Not run: npm is not in the sandbox.' });
  });

  test('are not run where dependencies are missing before and after', async () => {
    const manifest = JSON.stringify({ ...JSON.parse(bug['package.json']), dependencies: { 'left-pad': '1.3.0' } });
    const test = `import 'left-pad';\n${bug['sum.test.js']}`;
    const original = { ...bug, 'package.json': manifest, 'sum.test.js': test };
    const verdict = await gate({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } });
    expect(verdict.score).toBe(60);
    expect(row(verdict, 'tests')?.evidence).toMatch(/needs what is not in the sandbox/);
  });

  test('that find nothing to run prove nothing', async () => {
    const original = { 'package.json': bug['package.json'], 'sum.js': bug['sum.js'] };
    expect((await gate({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } })).score).toBe(60);
  });

  test('are left alone for task types that do not change code', async () => {
    expect((await gate({ taskType: 'code_review', original: bug, delivered: bug })).score).toBe(60);
    expect(sandboxes.opened).toEqual([]);
  });
});

describe('a delivery without a workspace', () => {
  const text = { result: 'The sign was wrong; with a plus it adds.' };

  test.each([
    ['bug_fix', 17],
    ['code_generation', 20],
  ] as const)(
    "of a %s is held to the buyer's tests, which its output alone has not mended",
    async (taskType, score) => {
      const verdict = await gate({ taskType, original: bug, output: text });
      expect(verdict).toMatchObject({ score, passed: false });
      expect(row(verdict, 'tests')).toMatchObject({
        score: 0,
        evidence: expect.stringMatching(
          /^No workspace was delivered, and npm test fails over the buyer's own files\. Exit/,
        ),
      });
      expect(sandboxes.opened.flatMap(({ commands }) => commands).filter((each) => each === 'npm test')).toHaveLength(
        1,
      );
    },
  );

  test('is not held to tests that pass over the untouched files, find nothing to run or have no program to run', async () => {
    const passing = await gate({ original: fixed, output: text });
    expect(passing.score).toBe(60);
    expect(row(passing, 'tests')?.evidence).toMatch(/nothing that it tests was changed: no proof/);
    const without = { 'package.json': bug['package.json'], 'sum.js': bug['sum.js'] };
    expect(row(await gate({ original: without, output: text }), 'tests')?.score).toBe(null);
    sandboxes.missing.add('npm');
    expect(row(await gate({ original: bug, output: text }), 'tests')?.evidence).toMatch(/npm is not in the sandbox/);
  });

  test('is held to tests that lack a package, for it has changed nothing; work that has is excused', async () => {
    // Before: "Not run", 60, and paid for nothing; a module that no manifest names was excuse enough.
    const named = JSON.stringify({
      ...JSON.parse(bug['package.json'] as string),
      dependencies: { 'left-pad': '1.3.0' },
    });
    const test = `import 'left-pad';\n${bug['sum.test.js']}`;
    const lacking = { ...bug, 'package.json': named, 'sum.test.js': test };
    expect(await gate({ original: lacking, output: text })).toMatchObject({ passed: false });
    const work = { ...lacking, 'sum.js': fixed['sum.js'] };
    const excused = await gate({ original: lacking, delivered: work, output: text });
    expect(row(excused, 'tests')?.evidence).toMatch(/not in the sandbox/);
    expect(excused.passed).toBe(true);
    const unnamed = { ...bug, 'sum.test.js': test };
    const claimed = await gate({
      original: unnamed,
      delivered: { ...unnamed, 'sum.js': fixed['sum.js'] },
      output: text,
    });
    expect(claimed.passed).toBe(false);
  });

  test('opens no sandbox where no test is declared, or where mending tests is not the task', async () => {
    expect((await gate({ original: { 'sum.js': bug['sum.js'] }, output: text })).score).toBe(60);
    for (const taskType of ['refactor', 'testing', 'devops', 'security', 'general'] as const)
      expect((await gate({ taskType, original: bug, output: text })).score).toBe(60);
    expect(sandboxes.opened).toEqual([]);
  });

  test('fails by the tests also where a check passes', async () => {
    const checks = [{ name: 'late', command: 'true' }];
    const verdict = await gate({ original: bug, output: text, acceptance: { checks } });
    expect(row(verdict, 'check: late')?.score).toBe(100);
    expect(verdict).toMatchObject({ score: 40, passed: false });
  });
});

describe("the buyer's files, where they cannot be had,", () => {
  test('leave checks and tests not run, whether a workspace was delivered or not, and nothing is opened', async () => {
    const why = "The buyer's repository cannot be cloned: cloning it takes too long.";
    const acceptance = { checks: [{ name: 'a', command: 'false' }] };
    for (const delivered of [bug, null]) {
      const verdict = await assess({ ...source({ delivered, acceptance }), originalsMissing: why });
      expect(verdict).toMatchObject({ score: 60, passed: true });
      for (const name of ['check: a', 'tests']) {
        expect(row(verdict, name)).toMatchObject({ score: null, evidence: `Not run: ${why}` });
      }
    }
    expect(sandboxes.opened).toEqual([]);
  });
});

describe('an agent that cheats', () => {
  const npmTest = { checks: [{ name: 'tests', command: 'npm test' }] };
  const script = (test: string) => JSON.stringify({ type: 'module', scripts: { test, pretest: 'true' } });
  const inDirectory = {
    'package.json': bug['package.json'],
    'sum.js': bug['sum.js'],
    'test/hard.test.js': bug['sum.test.js'].replace('./sum.js', '../sum.js'),
    'test/easy.test.js': "import test from 'node:test';\ntest('yes', () => {});\n",
  };

  test.each<[string, Record<string, string>, Record<string, string>, Case['arrange']]>([
    ['replacing the test script', bug, { ...bug, 'package.json': script('true') }, undefined],
    ['deleting package.json', bug, {}, undefined],
    ['emptying the test', bug, { ...bug, 'sum.test.js': '' }, undefined],
    ['deleting the test', bug, { ...bug, 'sum.test.js': '' }, (at) => rm(join(at, 'sum.test.js'))],
    ['steering npm to another shell', bug, { ...bug, '.npmrc': 'script-shell=/bin/true\n' }, undefined],
    [
      'linking the hard test to the easy one',
      inDirectory,
      inDirectory,
      async (at) => {
        await rm(join(at, 'test/hard.test.js'));
        await symlink('easy.test.js', join(at, 'test/hard.test.js'));
      },
    ],
    [
      'linking the test directory elsewhere',
      inDirectory,
      inDirectory,
      async (at) => {
        await rm(join(at, 'test'), { recursive: true });
        await mkdir(join(at, 'empty'));
        await symlink('empty', join(at, 'test'));
      },
    ],
    [
      'making the tests read-only',
      inDirectory,
      inDirectory,
      async (at) => {
        await writeFile(join(at, 'test/hard.test.js'), '');
        await chmod(join(at, 'test'), 0o555);
      },
    ],
    [
      'putting a directory in the place of a test',
      bug,
      bug,
      async (at) => {
        await rm(join(at, 'sum.test.js'));
        await mkdir(join(at, 'sum.test.js/deeper'), { recursive: true });
      },
    ],
  ])('by %s passes neither the tests nor a check that runs them', async (_name, original, delivered, arrange) => {
    const touched = { ...delivered, 'note.js': '' };
    const verdict = await gate({ original, delivered: touched, arrange, acceptance: npmTest });
    expect(row(verdict, 'check: tests')?.score).toBe(0);
    expect(row(verdict, 'tests')?.score).toBe(0);
    expect(verdict.passed).toBe(false);
  });

  test('by bringing its own test runner along is not believed', async () => {
    const original = { 'package.json': script('jest'), 'sum.js': bug['sum.js'], 'sum.test.js': bug['sum.test.js'] };
    const arrange = async (at: string) => {
      await mkdir(join(at, 'node_modules/.bin'), { recursive: true });
      await writeFile(join(at, 'node_modules/.bin/jest'), '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    };
    const verdict = await gate({ original, delivered: { ...original, 'note.js': '' }, arrange });
    expect(row(verdict, 'tests')).toMatchObject({ score: null });
    expect(verdict.score).toBe(60);
  });

  test('by rewriting a check script of the buyer fails that check', async () => {
    const original = { 'check.sh': 'test -e done.txt' };
    const checks = [{ name: 'done', command: 'sh check.sh' }];
    expect(
      (await gate({ taskType: 'general', original, delivered: { 'check.sh': 'true' }, acceptance: { checks } })).score,
    ).toBe(15);
    const honest = { ...original, 'done.txt': '' };
    expect((await gate({ taskType: 'general', original, delivered: honest, acceptance: { checks } })).score).toBe(59);
  });
});

describe('secrets', () => {
  const token = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5'}`;

  test('introduced in a changed file fail the gate and are never quoted', async () => {
    const verdict = await gate({ original: bug, delivered: { ...fixed, 'deploy.js': `const t = '${token}';` } });
    expect(verdict).toMatchObject({ score: 30, passed: false });
    expect(row(verdict, 'secrets')).toMatchObject({
      score: 0,
      weight: 0,
      evidence: 'Introduced: a GitHub token in deploy.js.',
    });
    expect(JSON.stringify(verdict)).not.toContain(token);
  });

  test("that were the buyer's already are not introduced", async () => {
    const original = { ...bug, '.env': `TOKEN=${token}` };
    const verdict = await gate({ original, delivered: { ...fixed, '.env': `TOKEN=${token}\nMORE=1`, 'a.js': token } });
    expect(verdict.score).toBe(89);
  });

  test('that the buyer orders by name, and keys made for tests, are wanted', async () => {
    const key = `-----BEGIN PRIVATE KEY-----\n${'aB3dE5gH7jK9mN1p'.repeat(8)}\n-----END PRIVATE KEY-----\n`;
    const delivered = { ...fixed, 'tls/local.key': key, 'fixtures/other.key': key.replace('aB', 'cD') };
    const description = 'Fix the sum, and make tls/local.key for localhost.';
    expect((await gate({ original: bug, delivered, input: { description } })).score).toBe(89);
    expect((await gate({ original: bug, delivered })).score).toBe(30);
  });

  test('in the text of a code task fail it, with no sandbox', async () => {
    expect(await gate({ output: { result: `use ${token}` } })).toMatchObject({ score: 30 });
    expect(sandboxes.opened).toEqual([]);
  });
});

describe('a delivery that brings its sandbox down', () => {
  test('fails the tests it should have passed, after one more try', async () => {
    sandboxes.beforeExec = ({ command }) => {
      if (command === 'npm test') throw new SandboxError('REFUSED', 'out of processes');
    };
    const verdict = await gate({ original: bug, delivered: fixed });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toContain('twice (REFUSED)');
  });

  test('is still held to the tests when it cannot even be listed', async () => {
    sandboxes.beforeExec = ({ command }) => {
      if (command.startsWith('find')) throw new SandboxError('SANDBOX_GONE', 'gone');
    };
    expect((await gate({ original: bug, delivered: { ...bug, 'a.js': '' } })).passed).toBe(false);
  });
});

describe('a package.json nested deeper than the stack', () => {
  const deep = `{"scripts":{"test":"node --test"},"x":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
  const npmTest = { checks: [{ name: 'tests', command: 'npm test' }] };

  test("delivered by the agent is the buyer's again, and the gate still gives a verdict", async () => {
    const lazy = await gate({ original: bug, delivered: { ...bug, 'package.json': deep }, acceptance: npmTest });
    expect(row(lazy, 'check: tests')?.score).toBe(0);
    expect(lazy.passed).toBe(false);
    const honest = await gate({ original: bug, delivered: { ...fixed, 'package.json': deep }, acceptance: npmTest });
    expect(honest.score).toBe(94);
  });

  test('supplied by the buyer steers nothing, and the gate still gives a verdict', async () => {
    const original = { ...bug, 'package.json': deep };
    const verdict = await gate({ original, delivered: { ...original, 'sum.js': fixed['sum.js'] } });
    expect(verdict.criteria.map(({ name }) => name)).toContain('tests');
  });

  test('and any other exception over a delivery ends in a verdict instead of being retried for ever', async () => {
    sandboxes.beforeExec = ({ command }) => {
      if (command === 'npm test') throw new RangeError('Maximum call stack size exceeded');
    };
    const verdict = await gate({ original: bug, delivered: fixed, acceptance: npmTest });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toContain('could not be examined, twice (RangeError)');
  });
});
