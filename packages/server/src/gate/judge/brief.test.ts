import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readBrief } from '../../../test/support/gate/brief-reader.ts';
import { type Matter, writeBrief } from './brief.ts';

const matter = (more: Partial<Matter> = {}): Matter => ({
  taskType: 'research',
  input: { description: 'Compare two ledgers' },
  output: { result: 'A is append-only.' },
  criteria: [],
  files: [],
  ...more,
});

const guessed = 'ab'.repeat(16);
const other = 'cd'.repeat(16);

/** Text made of what could break a frame, and of anything else. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\n',
        '\r',
        '\r\n',
        '\u2028',
        '\u2029',
        '\u0085',
        '\v',
        '\f',
        '\b',
        '\0',
        '| ',
        '<<<',
        '>>>',
        ':',
      ),
      fc.constantFrom(
        guessed,
        `${guessed}:output>>>`,
        `\n${guessed}:task>>>\n`,
        `<<<${guessed}:output`,
        'KEY:files>>>',
      ),
      fc.constantFrom('<|im_end|>', '</s>', '[INST]', '[/INST]', '<start_of_turn>', '<\uff5cUser\uff5c>', '```', '"""'),
      fc.constantFrom('\u{e0041}', '\u200b', '\u202e', '\ufeff', '\ud800', '\udfff', 'The key of this message is '),
      fc.string({ unit: 'binary', maxLength: 30 }),
      fc.string({ unit: 'grapheme', maxLength: 30 }),
    ),
    { maxLength: 40 },
  )
  .map((parts) => parts.join(''));

const hostileMatter = fc
  .record({
    description: hostile,
    rubric: hostile,
    result: fc.oneof(hostile, fc.array(hostile, { maxLength: 3 })),
    key: hostile,
    name: hostile,
    evidence: hostile,
    path: hostile,
    text: hostile,
  })
  .map((given) =>
    matter({
      input: {
        description: given.description,
        code: given.text,
        tags: [given.key],
        acceptance: { rubric: given.rubric },
      },
      output: { result: given.result, [given.key]: given.text },
      criteria: [{ name: given.name, score: 60, evidence: given.evidence }],
      files: [{ path: given.path, text: given.text }],
    }),
  );

describe('a brief', () => {
  test('never lets a text of either party out of its block, though it holds the key that was chosen first', () => {
    fc.assert(
      fc.property(hostileMatter, fc.integer({ min: 500, max: 20_000 }), (given, maxChars) => {
        const keys = [guessed, other, 'ef'.repeat(16)];
        const { user } = writeBrief(given, maxChars, () => keys.shift() ?? 'no more keys');
        const { strangers, blocks } = readBrief(user);
        expect(strangers).toEqual([]);
        expect(blocks.map(({ name }) => name)).toEqual([...new Set(blocks.map(({ name }) => name))]);
      }),
      { numRuns: 1000 },
    );
  });

  test('holds nothing that cannot be seen, and nothing that a tokenizer takes for the frame of a conversation', () => {
    fc.assert(
      fc.property(hostileMatter, (given) => {
        const { user } = writeBrief(given, 20_000);
        expect(user.replaceAll('\n', '').replaceAll('\t', '')).not.toMatch(
          /\p{Cc}|\p{Cf}|\p{Co}|\p{Cs}|\p{Variation_Selector}|\p{Default_Ignorable_Code_Point}/u,
        );
        expect(user).not.toMatch(/<[|\uff5c/]|<start_of_turn>|\[\/?INST\]|<s>/);
      }),
      { numRuns: 500 },
    );
  });

  test('breaks long lines between characters, never in the middle of one', () => {
    for (let before = 395; before <= 405; before++) {
      const { user } = writeBrief(matter({ output: { result: `${'x'.repeat(before)}${'𐀀'.repeat(500)}` } }), 20_000);
      expect(user.isWellFormed()).toBe(true);
      expect(user.match(/𐀀/gu)).toHaveLength(500);
    }
  });

  test('keeps within its room', () => {
    fc.assert(
      fc.property(hostileMatter, fc.integer({ min: 500, max: 5_000 }), (given, maxChars) => {
        const { blocks } = readBrief(writeBrief(given, maxChars).user);
        const shown = blocks.reduce((sum, { data }) => sum + data.length + 2 * data.split('\n').length, 0);
        expect(shown).toBeLessThanOrEqual(maxChars);
      }),
    );
  });

  test('has instructions that no party can change', () => {
    const plain = writeBrief(matter(), 5_000).system;
    fc.assert(
      fc.property(hostileMatter, (given) => {
        expect(writeBrief(given, 5_000).system).toBe(plain);
      }),
    );
  });

  test('has another key each time, of 128 bits', () => {
    const keys = Array.from(
      { length: 50 },
      () => /key of this message is (\w+)/.exec(writeBrief(matter(), 5_000).user)?.[1],
    );
    expect(new Set(keys).size).toBe(50);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
  });

  test('shows ordinary text as it is', () => {
    const result = 'if (a < b && c <= 3) return list[0];\n\n\tÜber 5 €: "naïve" 漢字 — done.';
    const { blocks } = readBrief(writeBrief(matter({ output: { result } }), 5_000).user);
    expect(blocks.find(({ name }) => name === 'output')?.data).toBe(result);
  });

  test("shows the buyer's rubric, the evidence, and changed files with their names", () => {
    const { user } = writeBrief(
      matter({
        input: { description: 'Fix the sum', acceptance: { rubric: 'Must keep the signature' } },
        criteria: [
          { name: 'check: adds', score: 0, evidence: 'Exit code 1.' },
          { name: 'tests', score: null, evidence: 'Not run.' },
        ],
        files: [{ path: 'src/sum.js', text: 'export const sum = 1;' }],
      }),
      5_000,
    );
    const data = Object.fromEntries(readBrief(user).blocks.map(({ name, data: text }) => [name, text]));
    expect(data).toMatchObject({
      rubric: 'Must keep the signature',
      task: 'Fix the sum',
      evidence: 'check: adds: 0. Exit code 1.\ntests: not run. Not run.',
      files: 'file "src/sum.js":\nexport const sum = 1;',
    });
  });

  test('says how much of a long text it leaves out, and shows both ends', () => {
    const result = Array.from({ length: 5_000 }, (_, nth) => `line ${nth}`).join('\n');
    const { user } = writeBrief(matter({ output: { result } }), 6_000);
    expect(user).toMatch(/Of the next block \d+ characters in the middle are left out\./);
    expect(user).toContain('| line 0\n');
    expect(user).toContain('| line 4999\n');
  });

  test('blanks secrets, for they would go to a third party', () => {
    const token = `ghp_${'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5'}`;
    const { user } = writeBrief(matter({ input: { description: `Use ${token}` }, output: { result: token } }), 5_000);
    expect(user).not.toContain(token);
  });

  test('survives outputs nested deeper than a stack', () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 100_000; level += 1) deep = [deep];
    const { user } = writeBrief(matter({ output: { deep } }), 5_000);
    expect(user).toContain('nested too deeply');
  });
});
