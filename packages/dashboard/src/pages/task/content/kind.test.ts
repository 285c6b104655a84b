import { expect, test } from 'vitest';
import { isPdf, type Kind, kindOfFile, kindOfText } from './kind.ts';
import { isSmallEnough, pictureType } from './pictures.ts';

test.each<[Kind, string]>([
  ['text', 'The median is now the mean of the two in the middle.'],
  ['text', 'Debits and credits\nmeet at the end of the day\nand sum to nothing'],
  ['text', '2 * 3 = 6 and 4 * 5 = 20, see [1] for more'],
  ['text', '{not} [json]'],
  ['markdown', '# Done\n\nAll tests pass.'],
  ['markdown', 'I did this:\n\n- one\n- two'],
  ['markdown', 'See [the docs](https://example.com/x).'],
  ['markdown', 'Run:\n```\nnpm test\n```'],
  ['markdown', '| a | b |\n|---|---|\n| 1 | 2 |'],
  ['markdown', 'The function `median` is repaired.'],
  ['json', '{"a": 1}'],
  ['json', ' [1, 2]\n'],
  ['log', '\u001b[32m✓\u001b[0m passes'],
  ['trace', 'Error: no\n    at a (a.ts:1:2)\n    at b (b.ts:3:4)'],
  ['trace', 'Traceback (most recent call last):\n  File "a.py", line 3, in <module>\nValueError: x'],
])('a text without a name is taken for %s', (kind, text) => {
  expect(kindOfText(text)).toBe(kind);
});

test('a file is taken by its name, then by its first lines', () => {
  const kinds = ['a.md', 'a.json', 'a.jsonl', 'x.log', 'a.patch', 'a.svg', 'a.ts', 'notes'].map((path) =>
    kindOfFile(path, 'x'),
  );
  expect(kinds).toEqual(['markdown', 'json', 'jsonl', 'log', 'diff', 'drawing', 'code', 'code']);
  expect(kindOfFile('out.txt', '\u001b[1mx\u001b[0m')).toBe('log');
  expect(kindOfFile('result', '{"a": 1}')).toBe('json');
  expect(kindOfFile('a.ts', '[1]')).toBe('code');
});

test('a PDF is one by its content', () => {
  const isOne = (text: string) => isPdf(new TextEncoder().encode(text));
  expect([isOne('%PDF-1.7\n'), isOne('%PDF'), isOne('not %PDF-1.7'), isOne('')]).toEqual([true, false, false, false]);
});

test('a long text is looked at where it begins', () => {
  expect(kindOfText(`${'word '.repeat(5_000)}\n# Heading`)).toBe('text');
  expect(kindOfText(`# Heading\n${'word '.repeat(5_000)}`)).toBe('markdown');
});

const png = (width: number, height: number) => {
  const bytes = new Uint8Array(40);
  bytes.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const view = new DataView(bytes.buffer);
  view.setUint32(16, width);
  view.setUint32(20, height);
  return bytes;
};

test('a picture is one by its content, and small enough to be drawn by what it says', () => {
  expect(pictureType(png(1, 1))).toBe('image/png');
  expect(pictureType(new TextEncoder().encode('<svg xmlns="http://www.w3.org/2000/svg"></svg>'))).toBeNull();
  expect(pictureType(new TextEncoder().encode('<html>'))).toBeNull();
  expect(isSmallEnough(png(4_000, 3_000))).toBe(true);
  expect(isSmallEnough(png(60_000, 60_000))).toBe(false);
  const jpeg = new Uint8Array(60);
  jpeg.set([0xff, 0xd8, 0xff, 0xe0, 0, 16]);
  jpeg.set([0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff], 20);
  expect(isSmallEnough(jpeg)).toBe(false);
});
