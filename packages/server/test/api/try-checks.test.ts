import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dryRunsAtOnce } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import type { TestOwner } from '../support/harness.ts';
import { refusalOf, type SecondApp, serverForFile, startSecondApp } from './scene.ts';
import { watchSandboxes } from './watched-sandboxes.ts';

/** Checks of an input, run over the input itself. */

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
let remote: GitServer;
let hasty: SecondApp;
const watched = watchSandboxes();
const { opened } = watched;

beforeAll(async () => {
  remote = await startGitServer();
  hasty = await startSecondApp(server, { config: { ...server.config, DRY_RUN_MS: 4_000 }, driver: watched.driver });
});
afterAll(async () => {
  await hasty.app.close();
  await remote.close();
});

type Input = Body<'tasks.tryChecks'>['input'];
const newcomer = () => server.owner({ credits: 0 });
const check = (command: string) => ({ name: command.slice(0, 50), command });
const checking = (...commands: string[]) => ({ acceptance: { checks: commands.map(check) } });
const tryIn = async (input: Input, owner?: TestOwner) =>
  (await (owner ?? (await newcomer())).agora.tasks.tryChecks({ input })).checks;
const inHaste = ({ agora }: TestOwner) => agora.withOptions({ baseUrl: hasty.url });

test('a check passes or fails over the untouched input, each in a sandbox of its own', async () => {
  const commands = ['grep -q wrong code && touch left', 'echo here; cat lib/a.txt; test -e left', 'no-such-program'];
  const checks = await tryIn({ code: 'wrong\n', files: { 'lib/a.txt': 'text of a' }, ...checking(...commands) });
  expect(checks).toEqual(
    [
      { ...check(commands[0] as string), passed: true, exitCode: 0, output: '' },
      { ...check(commands[1] as string), passed: false, exitCode: 1, output: 'here\ntext of a' },
      {
        ...check(commands[2] as string),
        ...{ passed: false, exitCode: 127, output: expect.stringContaining('not found') },
        fault: { code: 'cannot_start', advice: expect.stringContaining('starts a program that is not there') },
      },
    ].map((each) => ({ fault: null, ...each, tests: null, timedOut: false, durationMs: expect.any(Number) })),
  );
});

test('what is wrong with a check itself is said, with the cure', async () => {
  const faults = [
    ['gzip -9c code | base64; exit 1', 'cannot_pass'],
    ['false', 'cannot_pass'],
    ['grep -q done code || true', 'cannot_fail'],
    ['grep -q done code; exit 0', 'cannot_fail'],
    ['if [ -e done', 'syntax_error'],
    ['./code', 'cannot_start'],
    ['mkdir t && cd t && node --test', 'no_tests'],
    ['test -e done && exit 0; exit 1', null],
    ['grep -q done code', null],
  ] as const;
  const checks = await tryIn({ code: 'wrong\n', ...checking(...faults.map(([command]) => command)) });
  expect(checks.map(({ command, fault }) => [command, fault?.code ?? null])).toEqual(faults);
});

test('tests are told one by one, so that the buyer can say which must pass', async () => {
  const files = {
    'a.test.js':
      "const test = require('node:test');\ntest('holds', () => {});\ntest('adds', () => { throw new Error('no'); });\n",
  };
  const [tried] = await tryIn({ files, ...checking('node --test') });
  expect(tried).toMatchObject({
    ...{ passed: false, exitCode: 1, fault: null },
    tests: { passed: 1, failed: 1, skipped: 0, failing: ['a.test.js > adds'] },
  });
});

test('held-out files lie over the input, but not where `delivered` runs the work', async () => {
  const heldOut = { 'held/test.sh': 'test "$(delivered cat answer)" = 42; echo "$?"; delivered ls', answer: '43' };
  const input = { files: { answer: '42' }, acceptance: { ...checking('sh held/test.sh', 'cat answer').acceptance } };
  const [first, second] = await tryIn({ ...input, acceptance: { ...input.acceptance, files: heldOut } });
  expect(first?.output).toBe('0\nanswer');
  expect(second?.output).toBe('43');
});

test('output is cut and secrets in it are hidden, as in evidence', async () => {
  const [long, secret] = await tryIn(checking('seq 1 5000; exit 3', 'echo ghp_0123456789abcdefghijABCDEFGHIJ012345'));
  expect(long).toMatchObject({ exitCode: 3, passed: false });
  expect(long?.output).toMatch(/^….*4999\n5000$/s);
  expect(long?.output.length).toBeLessThanOrEqual(601);
  expect(secret?.output).not.toContain('0123456789abcdefghij');
});

test('a reply of the longest checks is kept, so that a lost one is had again without another run', async () => {
  const { agora } = await newcomer();
  const name = 'n'.repeat(100);
  const command = `yes € | head -2000; false # ${'€'.repeat(4_000)}`;
  const input = { acceptance: { checks: Array.from({ length: 20 }, () => ({ name, command })) } };
  const run = () => agora.tasks.tryChecks({ input }, { idempotencyKey: 'long' });
  const { checks } = await run();
  expect(checks).toHaveLength(20);
  expect(checks[0]).toMatchObject({ name, command: `${command.slice(0, 200)}…`, exitCode: 1 });
  expect(await run()).toEqual({ checks, inputWarnings: [] });
});

test('a repository is cloned for it and not kept', async () => {
  mkdirSync(join(remote.root, 'project'), { recursive: true });
  git(remote.root, 'init', '--initial-branch=main', 'project');
  writeFileSync(join(remote.root, 'project/README'), 'of the repository\n');
  git(join(remote.root, 'project'), 'add', '-A');
  git(join(remote.root, 'project'), 'commit', '--quiet', '-m', 'one');
  const repo = { url: `${remote.url}/project` };
  const checks = await tryIn({ repo, files: { more: 'attached' }, ...checking('cat README more') });
  expect(checks).toMatchObject([{ passed: true, output: 'of the repository\nattached' }]);
  const { rows } = await server.pool.query('select count(*)::int as kept from kept_trees');
  expect(rows).toEqual([{ kept: 0 }]);
  const missing = tryIn({ repo: { url: `${remote.url}/nowhere` }, ...checking('true') });
  expect(await refusalOf(missing)).toBe('502 REPOSITORY_UNAVAILABLE');
});

test('a check that takes too long ends after its share of the time, and those behind it still run', async () => {
  const { checks } = await inHaste(await newcomer()).tasks.tryChecks({ input: checking('sleep 60', 'echo late') });
  expect(checks[0]).toMatchObject({ passed: false, timedOut: true, exitCode: null });
  expect(checks[1]).toMatchObject({ passed: true, output: 'late' });
});

test('a run that is over ends, and says of the rest that it was not run', async () => {
  const { checks } = await inHaste(await newcomer()).tasks.tryChecks({
    input: checking(...Array.from({ length: 10 }, () => 'sleep 60')),
  });
  expect(checks).toHaveLength(10);
  expect(checks.at(-1)).toMatchObject({
    ...{ passed: false, timedOut: true, exitCode: null, durationMs: 0 },
    output: 'Not run to its end: the time of the dry run was up.',
  });
  await until('its sandboxes have ended', () => opened.every(({ ended }) => ended));
});

test('an owner has one at a time, and the next when it has ended', async () => {
  const owner = await newcomer();
  const both = await Promise.all([1, 2].map(() => tryIn(checking('sleep 1'), owner).catch(({ code }) => code)));
  expect(both).toContain('DRY_RUN_IN_PROGRESS');
  expect(both).toContainEqual([expect.objectContaining({ passed: true })]);
  expect(await tryIn(checking('true'), owner)).toMatchObject([{ passed: true }]);
});

test('a caller that goes away ends its run and its sandbox, and frees its place', async () => {
  const before = opened.length;
  const leaving = new AbortController();
  const owners = await Promise.all(Array.from({ length: dryRunsAtOnce + 1 }, newcomer));
  const [last, ...others] = owners as [TestOwner, ...TestOwner[]];
  const { signal } = leaving;
  const runs = others.map((owner) =>
    refusalOf(inHaste(owner).tasks.tryChecks({ input: checking('sleep 60') }, { signal })),
  );
  await until('all places are taken', () => opened.length === before + dryRunsAtOnce);
  const refused = await inHaste(last)
    .tasks.tryChecks({ input: checking('true') })
    .catch((error) => error);
  expect(refused).toMatchObject({ status: 503, code: 'DRY_RUNS_BUSY', retryAfterSeconds: 10 });
  leaving.abort();
  await Promise.all(runs);
  await until('their sandboxes have ended', () => opened.every(({ ended }) => ended), 3_000);
  expect((await inHaste(last).tasks.tryChecks({ input: checking('true') })).checks).toMatchObject([{ passed: true }]);
});

test('leaves no task, event or movement behind, and counts its CPU time as that of a gate', async () => {
  const owner = await newcomer();
  const counts = async () =>
    (
      await server.pool.query(`select (select count(*) from tasks) as tasks, (select count(*) from events) as events,
        (select count(*) from ledger_transfers) as moves, (select count(*) from assessments) as assessments,
        (select count(*) from sandboxes) as sandboxes`)
    ).rows;
  const before = await counts();
  await tryIn(checking('i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done'), owner);
  expect(await counts()).toEqual(before);
  const used = async () => (await owner.agora.tasks.quote({ taskType: 'general' })).gateCpu.usedMs;
  await until('it is booked', async () => (await used()) > 0);
});

test.each<[string, Input]>([
  ['a held-out file outside the workspace', { acceptance: { checks: [check('true')], files: { '../x': '' } } }],
  ['a repository that no server is asked for', { repo: { url: 'ftp://example.com/x' }, ...checking('true') }],
])('%s is refused', async (_what, input) => {
  expect(await refusalOf(tryIn(input))).toBe('400 VALIDATION_ERROR');
});
