import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bug, fixed, gate, row, source, useHostSandboxes } from '../../../test/support/gate/case.ts';
import { assess, openAttempts } from '../index.ts';

useHostSandboxes();

const megabyte = 1 << 20;
/** A test run that says this, and succeeds. */
const saying = (program: string) => ({
  original: { 'package.json': '{"scripts":{"test":"sh run.sh"}}', 'test/a.txt': '', 'run.sh': 'exit 1\n' },
  delivered: { 'package.json': '{"scripts":{"test":"sh run.sh"}}', 'test/a.txt': '', 'run.sh': program },
});
const said = (text: string) => `node -e 'process.stdout.write(${text})'\n`;

describe('a verdict is reached over', () => {
  test.each([
    ['a line of a megabyte of digits', said(`"test result: " + "1".repeat(${megabyte})`)],
    ['digits behind each start of a summary', said(`("Tests: " + "1".repeat(500) + "\\n").repeat(${megabyte / 510})`)],
    ['47,000 complaints', `${said('"No module named a\\n".repeat(47000)')}exit 1\n`],
    ['90,000 listed files', said(`"ok 1 - /a/b.js\\n".repeat(90000)`)],
    ['blanks', said(`" ".repeat(${megabyte}) + "\\n"`)],
  ])('%s', async (_what, program) => {
    const verdict = await gate({ ...saying(program), taskType: 'refactor' });
    expect(row(verdict, 'tests')).toBeDefined();
  });

  test("scripts of the buyer's that name each other in a chain", async () => {
    const scripts: Record<string, string> = { 'sum.js': '' };
    for (let nth = 0; nth < 3000; nth += 1) scripts[`scripts/s${nth}.sh`] = `sh scripts/s${nth + 1}.sh\n`;
    const checks = [{ name: 'chain', command: 'sh scripts/s2999.sh' }];
    const verdict = await gate({ original: scripts, acceptance: { checks } });
    expect(row(verdict, 'check: chain')?.score).toBe(0);
  });

  test('a lockfile of blank lines', async () => {
    const delivered = {
      ...fixed,
      'requirements.txt': `${'\n'.repeat(megabyte - 5)}a==1`,
      'go.mod': 'a.b/'.repeat(90_000),
    };
    const given = source({ original: bug, delivered });
    const index = { affecting: () => [] };
    const verdict = await assess(given, { advisories: { index: async () => index } });
    expect(row(verdict, 'advisories')?.evidence).toBe('None of 1 pinned versions adds a known vulnerability.');
  });
});

test('a lockfile that pins more versions of one package than any project has does not pass', async () => {
  const pins = Array.from({ length: 5000 }, (_, nth) => `tensorflow==1.${nth}`).join('\n');
  const given = source({ original: bug, delivered: { ...fixed, 'requirements.txt': pins } });
  const verdict = await assess(given, { advisories: { index: async () => ({ affecting: () => [] }) } });
  expect(row(verdict, 'advisories')).toMatchObject({
    score: 0,
    evidence: 'requirements.txt cannot be examined: it pins over 100 versions of tensorflow.',
  });
  expect(verdict.passed).toBe(false);
});

test('a delivery whose reading ended the server twice is judged without it, and the assessment says so', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'agora-readings-'));
  for (let start = 0; start < 2; start += 1) await (await openAttempts(dir)).begin('tsk_test.delivery');
  const verdict = await assess(source({ original: bug, delivered: fixed }), { attempts: await openAttempts(dir) });
  await rm(dir, { recursive: true });
  expect(row(verdict, 'tests')).toMatchObject({
    score: 0,
    evidence: 'Failed: reading what was delivered has ended this server twice.',
  });
  expect(row(verdict, 'secrets')?.evidence).toBe('Not run: reading what was delivered has ended this server twice.');
});
