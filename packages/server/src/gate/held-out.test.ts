import { describe, expect, test } from 'vitest';
import { bug, fixed, row, source, useHostSandboxes } from '../../test/support/gate/case.ts';
import { laid } from '../../test/support/gate/host-sandbox.ts';
import { rowsForBuyer, rowsForSeller } from './held-out.ts';
import { assess, type EvidenceSource } from './index.ts';

/** Files that the buyer keeps from the agent, in the gate's own rules. */

useHostSandboxes();

const { 'sum.test.js': suite, ...project } = bug;
const { 'sum.test.js': _, ...repaired } = fixed;
/** Fits the one case that a buyer's description would show. */
const fitted = { ...project, 'sum.js': 'export const sum = () => 4;\n' };

interface Given {
  delivered: Record<string, string> | null;
  original?: Record<string, string>;
  heldOut: Record<string, string>;
  acceptance?: Record<string, unknown>;
  taskType?: EvidenceSource['task']['taskType'];
  arrange?: (directory: string) => Promise<void>;
}

function held({ heldOut, original = project, acceptance = {}, ...given }: Given) {
  const files = { ...acceptance, files: heldOut };
  return assess({ ...source({ original, acceptance: files, ...given }), heldOut: laid(heldOut) });
}

const runsThem = { checks: [{ name: 'hidden suite', command: 'npm test' }] };

describe('held-out files', () => {
  test("are the buyer's tests: what fits the shown cases alone fails them, and honest work passes", async () => {
    const heldOut = { 'sum.test.js': suite };
    const [honest, fit] = [await held({ delivered: repaired, heldOut }), await held({ delivered: fitted, heldOut })];
    expect([row(honest, 'tests')?.score, row(fit, 'tests')?.score]).toEqual([100, 0]);
    expect([honest.passed, fit.passed]).toEqual([true, false]);
  });

  test('lie over what the agent delivered in their place, and over the untouched files it is compared with', async () => {
    const heldOut = { 'sum.test.js': suite };
    const own = "import test from 'node:test';\ntest('mine', () => {});\n";
    const verdict = await held({ delivered: { ...fitted, 'sum.test.js': own }, heldOut, acceptance: runsThem });
    expect(row(verdict, 'check: hidden suite')?.score).toBe(0);
    const early = { ...project, 'sum.js': 'process.exit(0);\nexport const sum = 0;\n' };
    expect(row(await held({ delivered: early, heldOut, acceptance: runsThem }), 'check: hidden suite')).toMatchObject({
      score: 0,
      evidence: expect.stringContaining('Not passed: '),
    });
    const honest = await held({ delivered: repaired, heldOut, acceptance: runsThem });
    expect(row(honest, 'check: hidden suite')?.score).toBe(100);
  });

  test('come with the care for tests: what the agent added to steer them goes', async () => {
    const delivered = { ...fitted, '.npmrc': 'script-shell=/usr/bin/true' };
    expect(row(await held({ delivered, heldOut: { 'sum.test.js': suite } }), 'tests')?.score).toBe(0);
  });

  test('are run over the untouched files where mending was the task and no workspace is delivered', async () => {
    const verdict = await held({ delivered: null, heldOut: { 'sum.test.js': suite } });
    expect(row(verdict, 'tests')).toMatchObject({
      score: 0,
      evidence: expect.stringContaining('No workspace was delivered'),
    });
  });

  test('serve checks of work that is no code, and a task without files of its own', async () => {
    const acceptance = { checks: [{ name: 'limits', command: 'sh limits/run.sh' }] };
    const heldOut = { 'limits/run.sh': 'test $(wc -w < "$AGORA_RESULT") -le "$(cat limits/most)"', 'limits/most': '5' };
    const verdict = await held({ taskType: 'general', original: {}, delivered: null, acceptance, heldOut });
    expect(row(verdict, 'check: limits')?.score).toBe(100);
  });
});

describe('what is revealed', () => {
  const acceptance = (reveal?: string) => ({
    checks: [
      { name: 'SECRET-NAME', command: 'cat hidden; false' },
      { name: 'OTHER', command: 'true' },
    ],
    ...(reveal && { reveal }),
  });
  const assessed = (reveal?: string, heldOut: Record<string, string> = { hidden: 'SECRET-TEXT' }) =>
    held({ taskType: 'general', delivered: { work: 'x' }, original: {}, acceptance: acceptance(reveal), heldOut });
  const evidence = (rows: ReturnType<typeof rowsForSeller>) =>
    rows.slice(1).map((each) => [each.name, each.score, each.evidence]);
  const success = 'Exit code 0.';

  test.each([
    [
      'none',
      [
        ['check 1', 0, 'Only the buyer reads this evidence.'],
        ['check 2', 100, 'Only the buyer reads this evidence.'],
      ],
    ],
    [
      'names',
      [
        ['check: SECRET-NAME', 0, 'Exit code 1. Only the buyer reads what it printed.'],
        ['check: OTHER', 100, success],
      ],
    ],
    [
      undefined,
      [
        ['check: SECRET-NAME', 0, 'Exit code 1. Only the buyer reads what it printed.'],
        ['check: OTHER', 100, success],
      ],
    ],
    [
      'output',
      [
        ['check: SECRET-NAME', 0, 'Exit code 1. Output ends:\nSECRET-TEXT'],
        ['check: OTHER', 100, success],
      ],
    ],
  ])('%s: the agent reads that much, the buyer all', async (reveal, forSeller) => {
    const { criteria } = await assessed(reveal);
    expect(evidence(rowsForSeller(criteria))).toEqual(forSeller);
    expect(evidence(rowsForBuyer(criteria))).toEqual([
      ['check: SECRET-NAME', 0, 'Exit code 1. Output ends:\nSECRET-TEXT'],
      ['check: OTHER', 100, success],
    ]);
    for (const rows of [rowsForSeller(criteria), rowsForBuyer(criteria)]) {
      for (const each of rows) expect(each).not.toHaveProperty('reveal');
    }
  });

  test('without files held out the agent reads what its checks printed, unless the buyer says otherwise', async () => {
    const plain = { checks: [{ name: 'speaks', command: 'echo oh dear; false' }] };
    const read = async (acceptance: object) =>
      rowsForSeller((await assess(source({ taskType: 'general', delivered: {}, acceptance }))).criteria)[1]?.evidence;
    expect(await read(plain)).toBe('Exit code 1. Output ends:\noh dear');
    expect(await read({ ...plain, reveal: 'names' })).toBe('Exit code 1. Only the buyer reads what it printed.');
  });

  test('a judge reads no more than the agent, for both parties read the judge', async () => {
    const asked: string[] = [];
    const judge = {
      opinionOn: async (matter: unknown) => {
        asked.push(JSON.stringify(matter, (key, value) => (key === 'input' ? undefined : value)));
        return { status: 'judged' as const, model: 'm', score: 60, reasons: 'So.', tokens: null };
      },
    };
    const heldOut = { hidden: 'SECRET-TEXT' };
    const checks = [
      { name: 'SECRET-NAME', command: 'cat hidden; false' },
      { name: 'one', command: 'true' },
      { name: 'two', command: 'true' },
    ];
    const given = {
      taskType: 'general' as const,
      delivered: { work: 'x' },
      acceptance: { checks, files: heldOut, reveal: 'none' },
    };
    await assess({ ...source(given), heldOut: laid(heldOut) }, { judge });
    expect(asked).toHaveLength(1);
    expect(asked[0]).not.toMatch(/SECRET/);
  });
});
