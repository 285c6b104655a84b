import { chmod, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SandboxError } from '../../sandbox/driver.ts';
import { type HostSandboxes, hostSandboxes, laid } from './host-sandbox.fixture.ts';
import { assess, type EvidenceSource, GateUnavailable } from './index.ts';

/** The commands of these tests see the usual tools and this Node. */
const search = `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`;

let sandboxes: HostSandboxes;
beforeEach(() => {
  sandboxes = hostSandboxes(search);
});
afterEach(() => {
  expect(sandboxes.opened.every((sandbox) => sandbox.destroyed === 1)).toBe(true);
});

interface Case {
  taskType?: EvidenceSource['task']['taskType'];
  acceptance?: unknown;
  output?: Record<string, unknown> | null;
  declaredScore?: number | null;
  original?: Record<string, string>;
  /** Null: the agent never used a sandbox. */
  delivered?: Record<string, string> | null;
  arrange?: (directory: string) => Promise<void>;
  input?: Record<string, unknown>;
}

function source(given: Case): EvidenceSource {
  const { delivered = null, original = {}, acceptance } = given;
  return {
    task: {
      id: 'tsk_test',
      taskType: given.taskType ?? 'bug_fix',
      input: { description: 'Fix it', ...(acceptance === undefined ? {} : { acceptance }), ...given.input },
      output: given.output === undefined ? { result: 'Fixed the sum.' } : given.output,
      declaredScore: given.declaredScore ?? null,
    },
    workspace: delivered === null ? null : { export: () => sandboxes.archiveOf(delivered, given.arrange) },
    openSandbox: sandboxes.open,
    originalFiles: laid(original),
  };
}

const gate = (given: Case) => assess(source(given));
const row = (verdict: Awaited<ReturnType<typeof gate>>, name: string) =>
  verdict.criteria.find((criterion) => criterion.name === name);

const bug = {
  'package.json': JSON.stringify({ type: 'module', scripts: { test: 'node --test' } }),
  'sum.js': 'export const sum = (a, b) => a - b;\n',
  'sum.test.js':
    "import { strict as assert } from 'node:assert';\nimport test from 'node:test';\nimport { sum } from './sum.js';\ntest('adds', () => assert.equal(sum(2, 2), 4));\ntest('zero', () => assert.equal(sum(1, 0), 1));\n",
};
const fixed = { ...bug, 'sum.js': 'export const sum = (a, b) => a + b;\n' };
const proves = {
  checks: [{ name: 'adds', command: `node -e "import('./sum.js').then(m => process.exit(m.sum(2,2) === 4 ? 0 : 1))"` }],
};

describe('without a measure', () => {
  test('a plain answer is exactly 60, passes, and starts no sandbox', async () => {
    const verdict = await gate({ taskType: 'general', output: { result: 'The capital is Lima.' } });
    expect(verdict).toEqual({
      score: 60,
      passed: true,
      criteria: [expect.objectContaining({ name: 'output', score: 60, weight: 20 })],
      judge: null,
    });
    expect(sandboxes.opened).toEqual([]);
  });

  test('an agent that never used a sandbox costs none, whatever the task type', async () => {
    expect((await gate({ original: bug })).score).toBe(60);
    expect(sandboxes.opened).toEqual([]);
  });

  test('a declared score only lowers', async () => {
    expect(await gate({ declaredScore: 40 })).toMatchObject({ score: 40, passed: false });
    expect(await gate({ declaredScore: 99 })).toMatchObject({ score: 60, passed: true });
  });

  test.each<[string, Record<string, unknown> | null]>([
    ['empty', {}],
    ['refused', { result: "I'm sorry, but I can't help with that." }],
  ])('an output that is %s fails even over a workspace that would pass', async (_name, output) => {
    const verdict = await gate({ output, original: bug, delivered: fixed, acceptance: proves });
    expect(verdict.passed).toBe(false);
    expect(sandboxes.opened).toEqual([]);
  });
});

describe("the buyer's checks", () => {
  test('all passing lifts to 90 where nothing else is measured', async () => {
    const verdict = await gate({ taskType: 'general', original: bug, delivered: fixed, acceptance: proves });
    expect(verdict).toMatchObject({ score: 90, passed: true });
    expect(row(verdict, 'check: adds')).toMatchObject({ score: 100, weight: 60, evidence: 'Exit code 0.' });
  });

  test('failing fails the gate, with the exit code and the end of the output as evidence', async () => {
    const checks = [{ name: 'speaks', command: 'echo oh dear; echo worse >&2; exit 3' }];
    const verdict = await gate({ taskType: 'general', delivered: {}, acceptance: { checks } });
    expect(verdict).toMatchObject({ score: 15, passed: false });
    expect(row(verdict, 'check: speaks')?.evidence).toMatch(/^Exit code 3\. Output ends:\noh dear\n+worse$/);
  });

  test('weights share out the part that passes', async () => {
    const checks = [
      { name: 'big', command: 'true', weight: 3 },
      { name: 'small', command: 'false', weight: 1 },
    ];
    const verdict = await gate({ taskType: 'general', delivered: {}, acceptance: { checks } });
    expect(verdict.score).toBe(71);
    expect(verdict.criteria.map(({ weight }) => weight)).toEqual([20, 45, 15]);
  });

  test("run over the buyer's own files when the agent never used a sandbox", async () => {
    expect(await gate({ original: bug, acceptance: proves })).toMatchObject({ score: 15 });
  });

  test('can look at the output through AGORA_OUTPUT and AGORA_RESULT', async () => {
    const checks = [
      { name: 'result', command: 'grep -qx "The capital is Lima." "$AGORA_RESULT"' },
      { name: 'output', command: 'grep -q \'"model":"m"\' "$AGORA_OUTPUT"' },
    ];
    const output = { result: 'The capital is Lima.', model: 'm' };
    expect((await gate({ taskType: 'research', output, acceptance: { checks } })).score).toBe(90);
    const wrong = { result: 'The capital is Quito.', model: 'm' };
    expect((await gate({ taskType: 'research', output: wrong, acceptance: { checks } })).score).toBe(49);
  });

  test('that need a tool the sandbox lacks are not run, and are never a pass', async () => {
    const checks = [{ name: 'lint', command: 'no-such-linter --strict .' }];
    const verdict = await gate({ taskType: 'general', delivered: {}, acceptance: { checks } });
    expect(verdict.score).toBe(60);
    expect(row(verdict, 'check: lint')).toMatchObject({
      score: null,
      evidence: 'Not run: no-such-linter is not in the sandbox.',
    });
  });

  test('cannot be feigned to lack a tool by the delivered program', async () => {
    const delivered = { 'run.sh': 'echo "sh: 1: node: not found" >&2; exit 127' };
    const checks = [{ name: 'runs', command: 'sh run.sh && node --version' }];
    expect(await gate({ taskType: 'general', delivered, acceptance: { checks } })).toMatchObject({ score: 15 });
    const absent = [{ name: 'there', command: './deliver-me' }];
    expect(await gate({ taskType: 'general', delivered: {}, acceptance: { checks: absent } })).toMatchObject({
      score: 15,
    });
  });

  test('each start from the delivered workspace: nothing that one leaves behind reaches the next', async () => {
    const checks = [
      { name: 'leaves', command: 'touch marker' },
      { name: 'clean', command: 'test ! -e marker' },
    ];
    expect((await gate({ taskType: 'general', delivered: {}, acceptance: { checks } })).score).toBe(90);
    expect(sandboxes.opened).toHaveLength(2);
  });

  test('that never end are ended and fail, and leave time for the next', async () => {
    const checks = [
      { name: 'hangs', command: 'sleep 60' },
      { name: 'quick', command: 'true' },
    ];
    const caps = { totalMs: 4000, checkMs: 500, testsMs: 500 };
    const verdict = await assess(source({ taskType: 'general', delivered: {}, acceptance: { checks } }), caps);
    expect(verdict.score).toBe(49);
    expect(row(verdict, 'check: hangs')?.evidence).toMatch(/^Ended after its 0\.5 s were up\./);
  });

  test('that end their sandbox twice fail instead of being run for ever', async () => {
    sandboxes.beforeExec = ({ command }) => {
      if (command === 'crash') throw new SandboxError('SANDBOX_GONE', 'gone');
    };
    const checks = [{ name: 'crashes', command: 'crash' }];
    const verdict = await gate({ taskType: 'general', delivered: {}, acceptance: { checks } });
    expect(verdict.score).toBe(15);
    expect(sandboxes.opened).toHaveLength(2);
  });

  test('never quote a secret that the delivered program prints', async () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5'}`;
    const delivered = { 'leak.sh': `echo ${token}; exit 1` };
    const checks = [{ name: 'leaks', command: 'sh leak.sh' }];
    const verdict = await gate({ taskType: 'general', delivered, acceptance: { checks } });
    expect(JSON.stringify(verdict)).not.toContain(token);
    expect(row(verdict, 'check: leaks')?.evidence).toContain('[a GitHub token removed]');
  });
});

describe("the project's own tests", () => {
  test('failing before and passing now lift a fix to 89', async () => {
    const verdict = await gate({ original: bug, delivered: fixed });
    expect(verdict).toMatchObject({ score: 89, passed: true });
    expect(row(verdict, 'tests')).toMatchObject({ score: 100, weight: 50, evidence: 'npm test passes.' });
  });

  test('still failing fail a fix', async () => {
    const verdict = await gate({ original: bug, delivered: { ...bug, 'sum.js': 'export const sum = () => 5;\n' } });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toMatch(/^npm test failed before and still fails\. Exit code 1\./);
  });

  test('that a refactoring breaks fail it; those that failed already are not held against it', async () => {
    const broken = { ...fixed, 'sum.js': 'export const plus = (a, b) => a + b;\n' };
    const verdict = await gate({ taskType: 'refactor', original: fixed, delivered: broken });
    expect(verdict.passed).toBe(false);
    expect(row(verdict, 'tests')?.evidence).toMatch(/^npm test passed before and fails now\./);
    const moved = { ...bug, 'sum.js': 'export function sum(a, b) { return a - b; }\n' };
    expect((await gate({ taskType: 'refactor', original: bug, delivered: moved })).score).toBe(60);
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
    const original = { ...bug, 'sum.test.js': `import 'left-pad';\n${bug['sum.test.js']}` };
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
    expect((await gate({ taskType: 'general', original, delivered: honest, acceptance: { checks } })).score).toBe(90);
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

  test('in the text of a code task fail it, with no sandbox', async () => {
    expect(await gate({ output: { result: `use ${token}` } })).toMatchObject({ score: 30 });
    expect(sandboxes.opened).toEqual([]);
  });
});

describe('the schema', () => {
  const schema = { type: 'object', required: ['total'] };

  test('that fits lifts above 70, and one that does not fails', async () => {
    expect(
      (await gate({ taskType: 'data_analysis', output: { result: { total: 1 } }, acceptance: { schema } })).score,
    ).toBe(87);
    expect(
      (await gate({ taskType: 'data_analysis', output: { result: { sum: 1 } }, acceptance: { schema } })).passed,
    ).toBe(false);
  });
});

describe('what cannot be examined', () => {
  test('a sandbox that cannot be had is a typed error, not a verdict', async () => {
    const given = source({ delivered: {}, acceptance: { checks: [{ name: 'a', command: 'true' }] } });
    const openSandbox = () => Promise.reject(new SandboxError('SANDBOX_UNAVAILABLE', 'no driver'));
    await expect(assess({ ...given, openSandbox })).rejects.toBeInstanceOf(GateUnavailable);
    const gone = { export: () => Promise.reject(new SandboxError('SANDBOX_GONE', 'gone')) };
    await expect(assess({ ...given, workspace: gone })).rejects.toBeInstanceOf(GateUnavailable);
  });

  test('a workspace too large to be exported fails what was to be measured on it', async () => {
    const given = source({ delivered: {}, acceptance: { checks: [{ name: 'a', command: 'true' }] } });
    const huge = { export: () => Promise.reject(new SandboxError('TOO_LARGE', 'too large')) };
    expect(await assess({ ...given, workspace: huge })).toMatchObject({ passed: false });
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['a string', 'x'],
    ['checks that are none', { checks: [null, 1, { name: 'a' }, { command: 'true' }] }],
    ['a schema that is none', { schema: [] }],
  ])('stored acceptance of another shape (%s) asks for nothing', async (_name, acceptance) => {
    expect((await gate({ taskType: 'general', acceptance })).score).toBe(60);
  });
});

describe('the fast path', () => {
  test('takes microseconds where there is nothing to run', async () => {
    const given = source({ taskType: 'code_generation', output: { result: 'ok', model: 'm', turns: 3 } });
    for (let i = 0; i < 2000; i += 1) await assess(given);
    const started = performance.now();
    for (let i = 0; i < 5000; i += 1) await assess(given);
    expect((performance.now() - started) / 5000).toBeLessThan(0.2);
  });
});
