import { expect, test } from 'vitest';
import { bytesOf, pathOf } from './path-bytes.ts';

const latin = (text: string) => Buffer.from(text, 'latin1');

test('a name that is UTF-8 is its text', () => {
  for (const name of ['', 'a/b.txt', 'café', '名/前', '🙂', '\u{10fc00}', '\u{10ffff}']) {
    expect(pathOf(Buffer.from(name))).toBe(name);
    expect(bytesOf(name).toString()).toBe(name);
  }
});

test('any bytes come back, and no two names are one', () => {
  const names = [
    ...Array.from({ length: 256 }, (_, byte) => Buffer.from([byte])),
    ...Array.from({ length: 256 }, (_, byte) => Buffer.from([0x63, byte, 0x2f, byte, 0xe2, 0x82])),
    latin('caf\xe8.txt'),
    latin('caf\xe9.txt'),
    Buffer.from('café.txt'),
    // Cut short, too long a form, half a pair, beyond the last character.
    ...['e282', 'c080', 'eda080', 'f4908080', 'f0808080', 'fffe'].map((hex) => Buffer.from(hex, 'hex')),
    // The characters that stand for bytes.
    Buffer.from('\u{10fe80}'),
    Buffer.from('\u{10feff}\u{10fee9}'),
    Buffer.concat([Buffer.from('\u{10fee9}'), latin('\xe9')]),
  ];
  for (const name of names) expect(bytesOf(pathOf(name))).toEqual(name);
  expect(new Set(names.map(pathOf)).size).toBe(names.length);
  expect(names.every((name) => pathOf(name).isWellFormed())).toBe(true);
});
