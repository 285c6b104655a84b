import { expect, test } from 'vitest';
import { shownWords } from './text.ts';

test.each([
  'Fixes #1',
  'closes: owner/name#12',
  'Resolved issue GH-3',
  'implements https://forge.example/a/b/-/issues/4',
  'closing group/sub/name!5',
  'Fixed PROJ-6',
  'fix\n  #7',
])('%j refers to nothing that a forge would close', (words) => {
  const shown = shownWords(words, 500);
  expect(shown).toMatch(/[a-z:]\n?\u00a0\S/i);
  expect(shown.replace('\u00a0', ' ').replace(/\s+/g, ' ')).toBe(words.replace(/\s+/g, ' '));
});

test.each(['npm audit fix --force', 'class A implements B', 'resolve (x)', 'fix\n    indented', 'closed 3 of 4'])(
  '%j stays as it is',
  (words) => {
    expect(shownWords(words, 500)).toBe(words);
  },
);

test('what a cut leaves of a secret is not shown, also where others before it made room', () => {
  const key = `-----BEGIN PRIVATE KEY-----\n${'A1b2'.repeat(425)}\n-----END PRIVATE KEY-----\n`;
  const token = `ghp_${'aB3dE5gH7j'.repeat(4).slice(0, 36)}`;
  for (let left = 1; left < 40; left += 1) {
    // The 500 that are shown and the 300 that are looked at behind them.
    const text = `${key.padEnd(key.length + 2_300 - key.length - left, '.')} ${token}`;
    expect(shownWords(text, 2_000)).not.toContain('ghp_');
  }
});
