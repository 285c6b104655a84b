import { expect, test } from 'vitest';
import type { Ran } from '../evidence/ran.ts';
import { createBaselines, inputDigest } from './baselines.ts';

const ended = (exitCode: number, more: { timedOut?: boolean; stdout?: string } = {}): Ran => ({
  result: { exitCode, stdout: '', stderr: '', durationMs: 1, timedOut: false, truncated: false, ...more },
  ...{ calls: 0, reports: [], capMs: 1 },
});

async function runs(endings: Ran[], names: Array<[string | null, string]>, maxChars?: number): Promise<number> {
  const baselines = createBaselines(maxChars);
  let made = 0;
  for (const [at, [input, name]] of names.entries()) {
    await baselines.run(input, name, async () => {
      made += 1;
      return endings[at] ?? endings[0]!;
    });
  }
  return made;
}

test('a command runs once over the same input, and again over another and under another name', async () => {
  const same: [string, string] = ['input', 'tests'];
  expect(await runs([ended(1)], [same, same, same])).toBe(1);
  expect(await runs([ended(1)], [same, ['other', 'tests'], ['input', 'check'], same])).toBe(3);
});

test('a run is not kept whose end may be the machine’s doing, or whose input has no name', async () => {
  const same: [string, string] = ['input', 'tests'];
  for (const ending of [ended(137, { timedOut: true }), { broken: 'its sandbox' }, { lacking: 'npm' }]) {
    expect(await runs([ending], [same, same])).toBe(2);
  }
  expect(
    await runs(
      [ended(0)],
      [
        [null, 'tests'],
        [null, 'tests'],
      ],
    ),
  ).toBe(2);
});

test('no more is kept than there is room for; the oldest goes', async () => {
  const large = ended(0, { stdout: 'x'.repeat(600) });
  expect(
    await runs(
      [large],
      [
        ['a', 't'],
        ['b', 't'],
        ['b', 't'],
        ['a', 't'],
      ],
      1_000,
    ),
  ).toBe(3);
});

test('an input is told by its archive and by what is held out', async () => {
  const file = (path: string, text: string) => ({ path, content: Buffer.from(text) });
  const digests = await Promise.all([
    inputDigest(Buffer.from('a'), []),
    inputDigest(Buffer.from('b'), []),
    inputDigest(Buffer.from('a'), [file('held', 'x')]),
    inputDigest(Buffer.from('a'), [file('held', 'y')]),
  ]);
  expect(new Set(digests).size).toBe(4);
  expect(await inputDigest(Buffer.from('a'), [])).toBe(digests[0]);
  expect(await inputDigest(null, [])).toBeNull();
});
