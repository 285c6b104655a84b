import { describe, expect, test } from 'vitest';
import { bug, fixed, gate, proves, row, sandboxes, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { SandboxError } from '../sandbox/index.ts';
import { GateUnavailable } from './errors.ts';
import { assess } from './index.ts';
import { onlyReads } from './sandboxes/apart.ts';

useHostSandboxes();

describe('without a measure', () => {
  test('a plain answer is exactly 60, passes, and starts no sandbox', async () => {
    const verdict = await gate({ taskType: 'general', output: { result: 'The capital is Lima.' } });
    expect(verdict).toEqual({
      score: 60,
      isMeasured: false,
      passed: true,
      criteria: [expect.objectContaining({ name: 'output', score: 60, weight: 20 })],
      judge: expect.objectContaining({ status: 'not_set_up', score: null }),
    });
    expect(sandboxes.opened).toEqual([]);
  });

  test('an agent that never used a sandbox costs none, where no tests were to be mended', async () => {
    expect((await gate({ taskType: 'refactor', original: bug })).score).toBe(60);
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
  test('all passing lift to 90 where the work cannot have made them pass, and to 59 where it can', async () => {
    const reads = { checks: [{ name: 'adds', command: "grep -q 'a + b' sum.js" }] };
    const apart = await gate({ taskType: 'general', original: bug, delivered: fixed, acceptance: reads });
    expect(apart).toMatchObject({ score: 90, passed: true });
    const verdict = await gate({ taskType: 'general', original: bug, delivered: fixed, acceptance: proves });
    expect(verdict).toMatchObject({ score: 59, passed: true });
    expect(row(verdict, 'check: adds')).toMatchObject({
      score: 100,
      weight: 60,
      evidence:
        'Exit code 0. Only its exit code proves this, because its runner reported no tests to the gate: work that it runs without `delivered` may have made it succeed.',
    });
  });

  test.each([
    ['test $(ls | wc -l) -eq 3', true],
    ["! grep -q 'a; sh x' sum.js && test -f sum.js", true],
    ['cat sum.js | sh', false],
    ['test "$(node sum.js)" = 4', false],
    ['npm test', false],
    ['./run', false],
    ['PATH=. ls', false],
    ['grep -q x sum.js\nsh run', false],
  ])('whether `%s` can have run the work is told without running it', async (command, onlyLooks) => {
    expect(onlyReads(command.replace('\\n', '\n'))).toBe(onlyLooks);
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
    expect(await gate({ taskType: 'refactor', original: bug, acceptance: proves })).toMatchObject({ score: 15 });
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

  test.each([
    'no-such-linter --strict .',
    '/opt/bin/no-such-linter --strict .',
    'CI=1 timeout 20 no-such-linter .',
    'true && env LANG=C no-such-linter "a;b"',
    'if true; then no-such-linter; fi',
  ])('that need a tool the sandbox lacks are not run, and are never a pass: %s', async (command) => {
    const checks = [{ name: 'lint', command }];
    const verdict = await gate({ taskType: 'general', delivered: {}, acceptance: { checks } });
    expect(verdict.score).toBe(60);
    const evidence = expect.stringMatching(
      /^Not run: a program that it starts is not in the sandbox\..*no-such-linter/s,
    );
    expect(row(verdict, 'check: lint')).toMatchObject({ score: null, evidence });
  });

  test('cannot be feigned to lack a tool by the delivered program', async () => {
    const delivered = { 'run.sh': 'echo "sh: 1: node: not found" >&2; exit 127' };
    const checks = [{ name: 'runs', command: 'sh run.sh && node --version' }];
    expect(await gate({ taskType: 'general', delivered, acceptance: { checks } })).toMatchObject({ score: 15 });
    for (const command of ['sh run.sh', 'sh ./run.sh "a; run.sh"', '(cd . && sh /workspace/run.sh)']) {
      const itself = { 'run.sh': 'echo "run.sh: not found, /workspace/run.sh: not found" >&2; exit 127' };
      const acceptance = { checks: [{ name: 'runs', command }] };
      expect(await gate({ taskType: 'general', delivered: itself, acceptance })).toMatchObject({ score: 15 });
    }
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
    expect(sandboxes.opened).toHaveLength(4);
  });

  test('that never end are ended and fail, and leave time for the next', async () => {
    const checks = [
      { name: 'hangs', command: 'sleep 60' },
      { name: 'quick', command: 'true' },
    ];
    const caps = { totalMs: 4000, checkMs: 500, testsMs: 500 };
    const verdict = await assess(source({ taskType: 'general', delivered: {}, acceptance: { checks } }), { caps });
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
    expect(sandboxes.opened).toHaveLength(4);
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
