import { describe, expect, test } from 'vitest';
import { colours } from './colours.ts';
import { childrenOf, columnsOf, findIn, pathText, rowsOf, shortOf, wholeText } from './json.ts';
import { languageNamed, languageOf } from './language-names.ts';
import { languages } from './languages.ts';
import { readLog } from './log.ts';
import { type Piece, readMarkdown } from './markdown.ts';
import { firstMark, looks, type Marks } from './marks.ts';

const words = (text: string, marks: Marks) =>
  Array.from({ length: marks.length / 3 }, (_, nth) => [
    text.slice(marks[nth * 3], marks[nth * 3 + 1]),
    looks[marks[nth * 3 + 2] as number],
  ]);

describe('colours of a program', () => {
  test('stand where its words stand, line by line', async () => {
    const text = 'const a = "x"; // no\n/* two\nlines */';
    const marks = await colours('javascript', text, Uint32Array.from([0, 21, 28]));
    expect(words(text, marks)).toEqual([
      ['const', 'keyword'],
      ['"x"', 'string'],
      ['// no', 'comment'],
      ['/* two', 'comment'],
      ['lines */', 'comment'],
    ]);
    expect(firstMark(marks, 0)).toBe(0);
    expect(firstMark(marks, 5)).toBe(3);
    expect(firstMark(marks, 1_000)).toBe(marks.length);
  });

  test('find their place in a text that has other lines between them', async () => {
    const text = '-old line\n+let b\n context\n+let c\n';
    const marks = await colours('typescript', 'let b\nlet c', Uint32Array.from([11, 27]));
    expect(words(text, marks)).toEqual([
      ['let', 'keyword'],
      ['let', 'keyword'],
    ]);
    expect([marks[0], marks[3]]).toEqual([11, 27]);
  });

  test.each(Object.keys(languages))('of %s are there', async (language) => {
    await colours(language as keyof typeof languages, 'if (x) { return "y" } # z', Uint32Array.from([0]));
  });

  test('go by the name of a file or a block', () => {
    expect([languageOf('src/a.test.tsx'), languageOf('deep/Dockerfile'), languageOf('Makefile')]).toEqual([
      'typescript',
      'dockerfile',
      'makefile',
    ]);
    expect([languageOf('a'), languageOf('a.unknown'), languageNamed('py'), languageNamed('__proto__')]).toEqual([
      null,
      null,
      'python',
      null,
    ]);
  });
});

describe('a log', () => {
  test('has its colours without its control sequences', () => {
    const { text, marks } = readLog(
      '\x1b[31mred\x1b[0m plain \x1b[1;32mgreen\ntwo\x1b[0m \x1b[38;5;196mcube\x1b[0m \x1b[38;2;0;0;250mtrue\x1b[0m \x1b[1mbold\x1b[0m',
    );
    expect(text).toBe('red plain green\ntwo cube true bold');
    expect(words(text, marks)).toEqual([
      ['red', 'red'],
      ['green', 'green'],
      ['two', 'green'],
      ['cube', 'red'],
      ['true', 'blue'],
      ['bold', 'bold'],
    ]);
  });

  test('shows what a terminal shows: no titles, no links, no other cursor, and the last of an overwritten line', () => {
    const { text } = readLog(
      '\x1b]0;title\x07a\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\\x1b[2J\x1b[1;1Hb\n10%\r50%\r100%\r\nend\x00\x08',
    );
    expect(text).toBe('alinkb\n100%\nend');
  });

  test('of long lines without an end is read in time that grows with it', () => {
    expect(readLog('x'.repeat(2_000_000)).text).toHaveLength(2_000_000);
    expect(readLog('\x1b['.repeat(200_000)).text.length).toBeLessThan(400_001);
  });
});

const shape = (text: string): Piece[] => readMarkdown(text).blocks.map(({ piece }) => piece);

describe('Markdown', () => {
  test('is a tree of words, lists, tables and code', () => {
    expect(
      shape(
        '# Title\n\nA *b* **c** `d` ~~e~~\n\n- [x] done\n- two\n\n```ts\nlet a\n```\n\n| a | b |\n|--|-:|\n| 1 | 2 |',
      ),
    ).toEqual([
      { is: 'heading', level: 1, in: [{ is: 'text', text: 'Title' }] },
      {
        is: 'paragraph',
        in: [
          { is: 'text', text: 'A ' },
          { is: 'emphasis', in: [{ is: 'text', text: 'b' }] },
          { is: 'text', text: ' ' },
          { is: 'strong', in: [{ is: 'text', text: 'c' }] },
          { is: 'text', text: ' ' },
          { is: 'code', text: 'd' },
          { is: 'text', text: ' ' },
          { is: 'deleted', in: [{ is: 'text', text: 'e' }] },
        ],
      },
      {
        is: 'list',
        start: null,
        in: [
          { is: 'item', checked: true, in: [{ is: 'paragraph', in: [{ is: 'text', text: 'done' }] }] },
          { is: 'item', checked: null, in: [{ is: 'paragraph', in: [{ is: 'text', text: 'two' }] }] },
        ],
      },
      { is: 'block', text: 'let a', language: 'ts' },
      {
        is: 'table',
        align: [null, 'right'],
        rows: [
          [[{ is: 'text', text: 'a' }], [{ is: 'text', text: 'b' }]],
          [[{ is: 'text', text: '1' }], [{ is: 'text', text: '2' }]],
        ],
      },
    ]);
  });

  test('keeps HTML as words, and the address of what it would load', () => {
    const [html, image, link] = shape(
      '<img src=x onerror=alert(1)>\n\n![alt][pic]\n\n[a](javascript:alert(1))\n\n[pic]: https://evil.example/p.png',
    );
    expect(html).toEqual({ is: 'html', text: '<img src=x onerror=alert(1)>' });
    expect(image).toMatchObject({ in: [{ is: 'image', address: 'https://evil.example/p.png' }] });
    expect(link).toMatchObject({ in: [{ is: 'link', address: 'javascript:alert(1)' }] });
  });

  test('is read in parts: code stays one, and links know where they lead', () => {
    const lines = `${'let a = 1;\n\n'.repeat(1_000)}`;
    const [code, ...others] = shape(
      `\`\`\`js\n${lines}\`\`\`\n\n${'word [x][far]\n\n'.repeat(500)}[far]: https://example.com/far`,
    );
    expect(code).toEqual({ is: 'block', text: lines.slice(0, -1), language: 'js' });
    expect(others).toHaveLength(500);
    for (const piece of others)
      expect(piece).toMatchObject({ in: [{}, { is: 'link', address: 'https://example.com/far' }] });
  });

  test('is bounded in depth, in pieces and in what is one block', () => {
    expect(JSON.stringify(shape('>'.repeat(500))).length).toBeLessThan(3_000);
    const long = readMarkdown(Array.from({ length: 250 }, (_, nth) => `${nth + 1}. item`).join('\n'));
    expect(long.blocks.map(({ piece }) => piece.is === 'list' && [piece.start, piece.in.length])).toEqual([
      [1, 100],
      [101, 100],
      [201, 50],
    ]);
    const endless = readMarkdown('a\n\n'.repeat(70_000));
    expect(endless.isCut).toBe(true);
    expect(endless.blocks.length).toBeLessThan(30_001);
  });
});

describe('JSON', () => {
  const data = JSON.parse('{"a": [1, {"b c": "Deep"}], "__proto__": {"x": null}, "n": 3}') as unknown;

  test('is given out value by value', () => {
    expect(shortOf(data)).toEqual({ kind: 'object', size: 3, text: '' });
    expect(childrenOf(data, ['a'], 0, 10)).toEqual([
      { key: 0, value: { kind: 'number', size: 0, text: '1' } },
      { key: 1, value: { kind: 'object', size: 1, text: '' } },
    ]);
    expect(childrenOf(data, ['a'], 1, 10)).toHaveLength(1);
    expect(childrenOf(data, ['__proto__'], 0, 10)).toEqual([
      { key: 'x', value: { kind: 'null', size: 0, text: 'null' } },
    ]);
    expect(childrenOf(data, ['toString'], 0, 10)).toEqual([]);
    expect(shortOf('x'.repeat(1_000))).toMatchObject({ size: 1_000, text: 'x'.repeat(400) });
    expect(wholeText(['x'.repeat(1_000)], [0], 600)).toHaveLength(600);
  });

  test('is searched in keys and values, with the way to each', () => {
    expect(findIn(data, 'deep').found.map(({ path }) => pathText(path))).toEqual(['$.a[1]["b c"]']);
    expect(findIn(data, 'B C').total).toBe(1);
    expect(findIn(data, 'null').found.map(({ path }) => pathText(path))).toEqual(['$.__proto__.x']);
  });

  test('as deep as it likes is no end of the stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"x"${']'.repeat(100_000)}`) as unknown;
    const { found, total } = findIn(deep, 'x');
    expect([total, found[0]?.path.length]).toEqual([1, 100_000]);
    expect(childrenOf(deep, Array(50_000).fill(0), 0, 10)).toHaveLength(1);
  });

  test('is a table where it is an array of flat objects', () => {
    const rows = [
      { a: 1, b: 'x' },
      { a: null, c: true },
    ];
    expect(columnsOf(rows)).toEqual(['a', 'b', 'c']);
    expect(rowsOf(rows, ['a', 'b', 'c'], 0, 10)).toEqual([
      ['1', 'x', null],
      ['null', null, 'true'],
    ]);
    for (const other of [[], [1], [{}], [[1]], [{ a: [] }], {}, null, [null]]) expect(columnsOf(other)).toBeNull();
    const many = Array.from({ length: 100_000 }, (_, id) => ({ id }));
    expect(rowsOf(many, ['id'], 99_950, 100)).toHaveLength(50);
  });
});
