import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { type Case, gate, row, useHostSandboxes } from '../../test/support/gate/case.ts';

/** Tests that were ordered are judged by the defects that they notice in the buyer's work. */

useHostSandboxes();

const rates = `# Prices by age.
rate() {
  if [ "$1" -lt 6 ]; then echo 0; return; fi
  if [ "$1" -ge 65 ]; then echo 5; return; fi
  echo 10
}

total() {
  sum=0
  for age in "$@"; do sum=$((sum + $(rate "$age"))); done
  if [ "$sum" -gt 40 ]; then sum=40; fi
  echo "$sum"
}
`;
const original = { Makefile: 'test:\n\tset -e; for each in tests/*.sh; do sh $$each; done\n', 'rates.sh': rates };
const heads = 'set -e\n. ./rates.sh\n';
const good = `${heads}
[ "$(rate 5) $(rate 6) $(rate 64) $(rate 65)" = "0 10 10 5" ]
[ "$(total 30 30)" = 20 ]
[ "$(total 30 30 30 30 30)" = 40 ]
[ "$(total 30 30 30 70 70)" = 40 ]
`;
const ordered = (delivered: Record<string, string>, more: Partial<Case> = {}) =>
  gate({
    original,
    delivered: { ...original, ...delivered },
    taskType: 'testing',
    input: { description: 'Write tests for rates.sh.' },
    ...more,
  });

describe('tests that were ordered', () => {
  test('pass by the defects that they notice', async () => {
    const verdict = await ordered({ 'tests/rates.sh': good });
    expect(row(verdict, 'tests')).toMatchObject({ score: expect.any(Number), proof: 'sentinels' });
    expect(row(verdict, 'tests')?.evidence).toMatch(/^make -B test passes; of \d defects .* they notice [4-8]\.$/);
    expect(verdict.score).toBeGreaterThanOrEqual(80);
  });

  const sha1 = (text: string) => createHash('sha1').update(text).digest('hex');
  const digest = sha1(rates);
  const code = `${sha1(
    `${rates
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .join('\n')}\n`,
  )}  -`;
  test.each<[string, Record<string, string>, RegExp]>([
    ['assert nothing', { 'tests/rates.sh': `${heads}rate 3\ntotal 3 4\n` }, /notice 0/],
    [
      'compare the text of the work',
      { 'tests/rates.sh': `${heads}sha1sum < rates.sh | grep -q ${digest}\n` },
      /not over your own files with a remark more/,
    ],
    ['notice one of many', { 'tests/rates.sh': `${heads}[ "$(total)" = 0 ]\nrate 3 > /dev/null\n` }, /notice [01]\./],
    [
      'pass over changed work only',
      {
        'rates.sh': rates.replace('echo 0', 'echo 1'),
        'tests/rates.sh': `${heads}[ "$(rate 1)" = 1 ]\n`,
      },
      /not over your own files/,
    ],
  ])('fail where they %s', async (_what, delivered, evidence) => {
    const verdict = await ordered(delivered);
    expect(row(verdict, 'tests')).toMatchObject({ evidence: expect.stringMatching(evidence) });
    expect(row(verdict, 'tests')?.score).toBeLessThan(40);
    expect(verdict.passed).toBe(false);
  });

  test.each([
    ['the text without remarks', `${heads}[ "$(grep -v '^#' rates.sh | grep . | sha1sum)" = "${code}" ]\n`],
    ['its lines', `${heads}while read -r line; do grep -qF "$line" rates.sh; done <<'E'\n${rates}E\n`],
  ])('prove nothing where they compare %s', async (_what, tests) => {
    const verdict = await ordered({ 'tests/rates.sh': tests });
    expect(row(verdict, 'tests')).toMatchObject({
      score: null,
      evidence: expect.stringContaining('how your files are'),
    });
  });

  test('may stand in a file of any name', async () => {
    const suite = { ...original, Makefile: 'test:\n\tsh checks/all.sh\n', 'checks/all.sh': 'true\n' };
    const verdict = await ordered({ ...suite, 'checks/all.sh': good }, { original: suite });
    expect(row(verdict, 'tests')).toMatchObject({ score: null, evidence: expect.stringContaining('cannot tell') });
  });

  test('are paid for what the buyer’s own tests let pass', async () => {
    const withOwn = { ...original, 'tests/own.sh': `${heads}[ "$(rate 5)" = 0 ]\n` };
    const nothing = await ordered(withOwn, { original: withOwn });
    expect(row(nothing, 'tests')?.score).toBe(0);
    const more = await ordered({ ...withOwn, 'tests/rates.sh': good }, { original: withOwn });
    expect(row(more, 'tests')?.score).toBeGreaterThan(80);
  });

  test('are run over Python as well, also where only the delivery declares them', async () => {
    const work = {
      'prices.py':
        'def net(price, rate):\n    if rate < 0:\n        return 0\n    return price + price * rate // 100\n',
    };
    const tests = (body: string) => ({
      'test_prices.py': `import unittest\nfrom prices import net\n\nclass T(unittest.TestCase):\n    def test_net(self):\n        ${body}\n`,
      Makefile: 'test:\n\tpython3 -m unittest\n',
    });
    const judged = (body: string) =>
      gate({ original: work, delivered: { ...work, ...tests(body) }, taskType: 'testing' });
    const found = await judged('self.assertEqual([net(200, 19), net(100, -1), net(50, 0)], [238, 0, 50])');
    expect(row(found, 'tests')).toMatchObject({ evidence: expect.stringMatching(/notice [1-9]/) });
    expect(row(await judged('net(1, 1)'), 'tests')).toMatchObject({ evidence: expect.stringMatching(/notice 0/) });
  });

  test('prove nothing where there is no work to break', async () => {
    const nothing = { Makefile: original.Makefile };
    const verdict = await ordered({ 'rates.sh': '', 'tests/a.sh': 'true\n' }, { original: nothing });
    expect(row(verdict, 'tests')).toMatchObject({ score: null, evidence: expect.stringContaining('no defect') });
  });
});
