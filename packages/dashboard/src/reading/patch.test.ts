import { deflateSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { contentOf } from './binary.ts';
import { findLines, kinds, lineAt, noLine, pairsOf, readPatch, unquoted } from './patch.ts';

const patchText = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@
 one
-two
+zwei
+drei
 three
-\u0000
+last
\\ No newline at end of file
@@ -10,2 +11,1 @@ function ten()
 ten
--- a/this is a removed line
diff --git a/old name.txt b/new name.txt
similarity index 100%
rename from old name.txt
rename to new name.txt
diff --git "a/caf\\303\\251 \\"x\\"" "b/caf\\303\\251 \\"x\\""
new file mode 100755
index 000..333
--- /dev/null
+++ "b/caf\\303\\251 \\"x\\""
@@ -0,0 +1 @@
+diff --git a/never b/never
diff --git a/gone b/gone
deleted file mode 100644
index 333..000
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-was here
diff --git a/run b/run
old mode 100644
new mode 100755
`;

describe('a patch', () => {
  const patch = readPatch(patchText);

  test('has its files, with what became of each', () => {
    expect(patch.files.map(({ path, from, change, added, removed }) => [path, from, change, added, removed])).toEqual([
      ['src/a.ts', null, 'modified', 3, 3],
      ['new name.txt', 'old name.txt', 'renamed', 0, 0],
      ['café "x"', null, 'added', 1, 0],
      ['gone', null, 'deleted', 0, 1],
      ['run', null, 'modified', 0, 0],
    ]);
    expect(patch.files[4]?.mode).toEqual({ before: '100644', after: '100755' });
  });

  test('has lines with their numbers on both sides, whatever they look like', () => {
    const [file] = patch.files as [(typeof patch.files)[0]];
    const lines = Array.from({ length: file.end }, (_, line) => [
      patch.kind[line],
      patch.text.slice(patch.start[line], patch.end[line]),
      patch.before[line],
      patch.after[line],
    ]);
    expect(lines).toEqual([
      [kinds.part, '@@ -1,4 +1,5 @@', 1, 1],
      [kinds.same, 'one', 1, 1],
      [kinds.removed, 'two', 2, 0],
      [kinds.added, 'zwei', 0, 2],
      [kinds.added, 'drei', 0, 3],
      [kinds.same, 'three', 3, 4],
      [kinds.removed, '\u0000', 4, 0],
      [kinds.added, 'last', 0, 5],
      [kinds.note, 'No newline at end of file', 0, 0],
      [kinds.part, '@@ -10,2 +11,1 @@ function ten()', 10, 11],
      [kinds.same, 'ten', 10, 11],
      [kinds.removed, '-- a/this is a removed line', 11, 0],
    ]);
    expect(lineAt(patch, file, 'after', 5)).toBe(7);
    expect(lineAt(patch, file, 'before', 11)).toBe(11);
    expect(lineAt(patch, file, 'after', 99)).toBe(noLine);
  });

  test('stands side by side: what replaces a line beside it', () => {
    const [file] = patch.files as [(typeof patch.files)[0]];
    const pairs = pairsOf(patch, file);
    expect(pairs.length / 2).toBe(file.pairs);
    expect([...pairs].slice(0, 16)).toEqual([0, 0, 1, 1, 2, 3, noLine, 4, 5, 5, 6, 7, 8, 8, 9, 9]);
  });

  test('is searched in its lines, not in its heads', () => {
    const of = (words: string) =>
      [...findLines(patch, words).lines].map((line) => patch.text.slice(patch.start[line], patch.end[line]));
    expect(of('ZWEI')).toEqual(['zwei']);
    expect(of('@@')).toEqual([]);
    expect(of('rename')).toEqual([]);
    expect(of('e')).toEqual([
      'one',
      'zwei',
      'drei',
      'three',
      'ten',
      '-- a/this is a removed line',
      'diff --git a/never b/never',
      'was here',
    ]);
    // A letter that is longer in small.
    const turkish = readPatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n-İİ\n+İ yes\n');
    expect(findLines(turkish, 'YES')).toMatchObject({ total: 1 });
    expect(findLines(patch, 'e', 2)).toMatchObject({ total: 8 });
  });

  test('of other programs has the names of its lines, and ends of lines are not in them', () => {
    const other = readPatch(
      '--- x/a.c\t2026-01-01\r\n+++ x/a.c\t2026-01-02\r\n@@ -1 +1 @@\r\n-old\r\n+new\r\n--- b.c\n+++ b.c\n@@ -1 +1,2 @@\n same\n+more\n',
    );
    expect(other.files.map(({ path, added }) => [path, added])).toEqual([
      ['x/a.c', 1],
      ['b.c', 1],
    ]);
    expect(other.text.slice(other.start[2], other.end[2])).toBe('new');
  });

  test('that is none, or lies, ends', () => {
    for (const text of [
      '',
      'hello\nworld',
      '@@ -1 +1 @@\n+x',
      'diff --git a/x b/x\n@@ -1,999999999 +1,999999999 @@\n x',
      'diff --git ',
    ])
      expect(readPatch(text).files.length).toBeLessThan(2);
    expect(readPatch('diff --git a/x b/x\n@@ nonsense\n+x\n')).toMatchObject({ files: [{ path: 'x', added: 1 }] });
  });

  test('of a million lines is read, up to what can be scrolled', () => {
    const many = readPatch(`diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -0,0 +1,1000000 @@\n${'+x\n'.repeat(1_000_000)}`);
    expect(many.files[0]?.end).toBe(800_000);
    expect(many.leftOut).toBe(200_001);
  });
});

test('names that Git quotes are read back', () => {
  expect(unquoted('"a\\tb\\\\\\"\\303\\244.txt"')).toBe('a\tb\\"ä.txt');
  expect(unquoted('plain "x"')).toBe('plain "x"');
});

const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~';

/** As Git writes a content. */
function literal(content: Uint8Array): string {
  const packed = deflateSync(content);
  const lines: string[] = [];
  for (let at = 0; at < packed.length; at += 52) {
    const part = packed.subarray(at, at + 52);
    let line = part.length <= 26 ? String.fromCharCode(64 + part.length) : String.fromCharCode(70 + part.length);
    for (let four = 0; four < part.length; four += 4) {
      let value = 0;
      for (let nth = 0; nth < 4; nth += 1) value = value * 256 + (part[four + nth] ?? 0);
      let five = '';
      for (let nth = 0; nth < 5; nth += 1) {
        five = digits[value % 85] + five;
        value = Math.floor(value / 85);
      }
      line += five;
    }
    lines.push(line);
  }
  return `literal ${content.length}\n${lines.join('\n')}\n\n`;
}

describe('a binary file', () => {
  const after = Uint8Array.from({ length: 1_001 }, (_, nth) => (nth * 7919) % 251);
  const text = `diff --git a/x.png b/x.png\nindex 1..2 100644\nGIT binary patch\n${literal(after)}${literal(new Uint8Array())}diff --git a/y b/y\nold mode 1\nnew mode 2\n`;

  test('has its contents in the patch, before and after', async () => {
    const patch = readPatch(text);
    expect(patch.files.map(({ path }) => path)).toEqual(['x.png', 'y']);
    const { binary } = patch.files[0] as (typeof patch.files)[0];
    expect(await contentOf(text, binary!.after!, 10_000)).toEqual(after);
    expect(await contentOf(text, binary!.before!, 10_000)).toEqual(new Uint8Array());
  });

  test('is not unfolded beyond what it says, nor beyond what may be shown', async () => {
    const { start, end } = readPatch(text).files[0]!.binary!.after!;
    expect(await contentOf(text, { bytes: 1_000, start, end }, 10_000)).toBeNull();
    expect(await contentOf(text, { bytes: 1_001, start, end }, 1_000)).toBeNull();
    expect(await contentOf(text, { bytes: 10, start: 0, end: 20 }, 1_000)).toBeNull();
  });
});
