import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TaskInput } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { laid } from '../../../test/support/gate/host-sandbox.ts';
import { createLog, systemClock } from '../../platform/index.ts';
import { createSandboxDriver, DEFAULT_LIMITS, type Sandbox } from '../../sandbox/index.ts';
import { assess, type EvidenceSource, type GateAdditions, openAdvisories } from '../index.ts';

const driver = createSandboxDriver({ driver: 'bwrap', installationId: `test-gate-${process.pid}` });
const opened: Sandbox[] = [];
const openSandbox = async () => {
  const sandbox = await driver.create(`gate-${opened.length}`, DEFAULT_LIMITS);
  opened.push(sandbox);
  return sandbox;
};

// A machine that cannot run sandboxes fails here instead of passing untested.
beforeAll(async () => expect(await driver.probe()).toMatchObject({ available: true }));
// Each of them has ended: a sandbox still alive would leave this waiting.
afterAll(() => Promise.all(opened.map((sandbox) => sandbox.closed)));

/** A project whose tests need npm and a shell, which every machine that runs this project has. */
const bug = {
  'package.json': JSON.stringify({ scripts: { test: 'sh test/run.sh' } }),
  'sum.sh': 'echo $(($1 - $2))\n',
  'test/run.sh': 'test "$(sh sum.sh 2 2)" = 4\n',
};

interface Delivery {
  original?: Record<string, string>;
  /** What the agent does in its sandbox, after the buyer's files are laid. */
  work: string;
  acceptance?: unknown;
  additions?: GateAdditions;
}

async function deliver({ original = bug, work, acceptance, additions }: Delivery) {
  const agents = await driver.create(`agent-${opened.length}`, DEFAULT_LIMITS);
  opened.push(agents);
  for (const file of laid(original)) await agents.write(file);
  expect(await agents.exec({ command: work })).toMatchObject({ exitCode: 0 });
  const input = (acceptance === undefined ? {} : { acceptance }) as TaskInput;
  const source: EvidenceSource = {
    task: {
      id: 'tsk_test',
      ownerId: 'own_test',
      taskType: 'bug_fix',
      input,
      output: { result: 'Fixed.' },
      declaredScore: null,
    },
    workspace: { export: () => agents.exportWorkspace(256 << 20) },
    openSandbox,
    originalFiles: laid(original),
  };
  return assess(source, { caps: { totalMs: 60_000, checkMs: 4000, testsMs: 10_000 }, ...additions }).finally(() =>
    agents.destroy(),
  );
}

const fix = "printf 'echo $(($1 + $2))\\n' > sum.sh";
const check = (command: string) => ({ checks: [{ name: 'it', command }] });
const evidenceOf = (verdict: Awaited<ReturnType<typeof deliver>>, name: string) =>
  verdict.criteria.find((criterion) => criterion.name === name);

describe('the gate over real sandboxes', () => {
  test("a fix passes the buyer's check and the project's tests", async () => {
    const verdict = await deliver({ work: fix, acceptance: check('test "$(sh sum.sh 40 2)" = 42') });
    expect(verdict).toMatchObject({ score: 59, passed: true });
    expect(verdict.criteria.map(({ name, score }) => [name, score])).toEqual([
      ['output', 60],
      ['check: it', 100],
      ['tests', 100],
      ['secrets', 100],
    ]);
  });

  test('work that was not done fails both', async () => {
    const verdict = await deliver({ work: 'touch notes', acceptance: check('test "$(sh sum.sh 40 2)" = 42') });
    expect(verdict).toMatchObject({ score: 9, passed: false });
  });

  test.each([
    ['emptying the test', ': > test/run.sh'],
    ['linking the test to a program that succeeds', 'rm test/run.sh && ln -s /usr/bin/true test/run.sh'],
    ['linking the test directory elsewhere', 'rm -r test && mkdir x && ln -s x test'],
    ['a read-only test directory', 'echo true > test/run.sh && chmod 555 test'],
    ['a test directory that nobody may enter', 'echo true > test/run.sh && chmod 000 test'],
    ['closing every directory', 'echo true > test/run.sh && mkdir -p test/x && chmod 111 test/x test'],
    ['another test script', 'printf \'{"scripts":{"test":"true"}}\' > package.json'],
    ['another shell for npm', 'echo script-shell=/usr/bin/true > .npmrc'],
  ])('an agent that cheats by %s fails', async (_name, work) => {
    const verdict = await deliver({ work: `${work}; touch notes` });
    expect(evidenceOf(verdict, 'tests')?.score).toBe(0);
    expect(verdict.passed).toBe(false);
  });

  test('what a check starts does not outlive it', async () => {
    const checks = [
      { name: 'first', command: '(while :; do touch intruder; sleep 0.01; done) & true' },
      { name: 'second', command: 'sleep 0.2; test ! -e intruder' },
    ];
    expect((await deliver({ work: fix, acceptance: { checks } })).score).toBe(59);
  });

  test('a check cannot reach a network', async () => {
    const verdict = await deliver({
      work: fix,
      acceptance: check('test "$(ls /sys/class/net 2>/dev/null || echo lo)" = lo'),
    });
    expect(evidenceOf(verdict, 'check: it')?.score).toBe(100);
  });

  test.each([
    ['never ends', 'while :; do :; done'],
    ['floods its output', 'yes flood'],
    ['eats memory', 'x=a; while :; do x=$x$x; done'],
    ['kills everything it can', 'kill -9 -1'],
    ['fills the disk', 'cat /dev/zero > full'],
  ])('a delivered program that %s fails its check and leaves a verdict', async (_name, program) => {
    const work = `cat > run.sh <<'END'\n${program}\nEND`;
    const verdict = await deliver({ work, acceptance: check('sh run.sh') });
    expect(evidenceOf(verdict, 'check: it')?.score).toBe(0);
    expect(verdict.passed).toBe(false);
  });

  test('a token that the agent wrote into a file is found', async () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5'}`;
    const verdict = await deliver({ work: `${fix}; echo ${token} > deploy.conf` });
    expect(evidenceOf(verdict, 'secrets')).toMatchObject({
      score: 0,
      evidence: 'Introduced: a GitHub token in deploy.conf.',
    });
    expect(verdict).toMatchObject({ score: 30, passed: false });
  });

  test('a lockfile longer than a sandbox gives out at once is read to its end', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'agora-osv-'));
    const affected = [
      { package: { ecosystem: 'npm', name: 'last' }, ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }] },
    ];
    await writeFile(join(dir, 'a.json'), JSON.stringify({ id: 'GHSA-last', affected }));
    const advisories = openAdvisories(dir, createLog('silent'), systemClock);
    const long = 'ä'.repeat(100);
    const work = [
      'node -e "',
      "const packages = {}; for (let n = 0; n < 20000; n += 1) packages['node_modules/p' + n] = { version: '1.0.0', x: '",
      long,
      "' }; packages['node_modules/last'] = { version: '2.0.0' };",
      "require('fs').writeFileSync('package-lock.json', JSON.stringify({ lockfileVersion: 3, packages }))\"",
    ].join('');
    const verdict = await deliver({ work: `${fix}; ${work}`, additions: { advisories } });
    await rm(dir, { recursive: true });
    expect(evidenceOf(verdict, 'advisories')).toMatchObject({
      score: 0,
      evidence: 'Introduced: last 2.0.0 (GHSA-last).',
    });
  });

  test('a check that needs a tool the sandbox lacks is not run', async () => {
    const verdict = await deliver({ work: fix, acceptance: check('no-such-tool --version') });
    expect(evidenceOf(verdict, 'check: it')?.score).toBeNull();
  });

  test('the same delivery gives the same verdict, evidence included', async () => {
    const given = { work: fix, acceptance: check('sh test/run.sh') };
    const said = async () => {
      const { criteria, ...verdict } = await deliver(given);
      return { ...verdict, criteria: criteria.map(({ durationMs: _, ...row }) => row) };
    };
    expect(await said()).toEqual(await said());
  });
});
