/** A patch (gitformat-diff(5)), read once into arrays: a line costs a few bytes, and what is shown of it is cut from the text. */

export const kinds = { same: 0, added: 1, removed: 2, part: 3, note: 4 } as const;

/** Where the two contents of a binary file stand in the text; null where the patch has none. */
interface BinaryPlaces {
  after: Place | null;
  before: Place | null;
}

interface Place {
  /** Of the content, as the patch says it. */
  bytes: number;
  start: number;
  end: number;
}

export interface PatchFile {
  path: string;
  /** The former path of a file that was renamed. */
  from: string | null;
  change: 'added' | 'modified' | 'deleted' | 'renamed';
  /** Where only the mode changed, or that too. */
  mode: { before: string | null; after: string | null };
  binary: BinaryPlaces | null;
  added: number;
  removed: number;
  /** Its lines in the arrays of the patch. */
  first: number;
  end: number;
  /** Characters of its longest line. */
  widest: number;
  /** Rows side by side, where lines that replace others stand beside them. */
  pairs: number;
}

export interface Patch {
  text: string;
  files: PatchFile[];
  /** Of each line: its kind, where its content begins and ends, and its numbers in the earlier and later text, or 0. */
  kind: Uint8Array;
  start: Uint32Array;
  end: Uint32Array;
  before: Uint32Array;
  after: Uint32Array;
  /** Lines that are left out: the heights of all together are more than a browser can scroll. */
  leftOut: number;
}

const mostLines = 800_000;
const partHead = /^@@ -(\d{1,9})(?:,(\d{1,9}))? \+(\d{1,9})(?:,(\d{1,9}))? @@/;

/** Reads a text line by line. */
class Lines {
  at = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get isOver(): boolean {
    return this.at >= this.text.length;
  }

  /** Where the line ends, without its break. */
  get end(): number {
    const end = this.text.indexOf('\n', this.at);
    return end < 0 ? this.text.length : end;
  }

  startsWith(start: string): boolean {
    return this.text.startsWith(start, this.at);
  }

  /** The line, at most as long as a head may be. */
  get line(): string {
    return this.text.slice(this.at, Math.min(this.end, this.at + 20_000)).replace(/\r$/, '');
  }

  next(): void {
    this.at = this.end + 1;
  }
}

/** Without the quotes and escapes that Git writes around unusual names. */
export function unquoted(name: string): string {
  if (!/^".*"$/.test(name)) return name;
  const escapes: Record<string, number> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };
  const bytes: number[] = [];
  const encoder = new TextEncoder();
  for (const [part, octal, sign] of name.slice(1, -1).matchAll(/\\([0-3][0-7]{2})|\\(.)|[^\\]+/g)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (sign !== undefined) bytes.push(escapes[sign] ?? sign.charCodeAt(0));
    else bytes.push(...encoder.encode(part));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}

/** Of `a/…` or `b/…`; null for `/dev/null`. Other programs than Git write a time behind the name. */
function pathOf(name: string): string | null {
  const path = unquoted(name.replace(/\t.*$/, ''));
  return path === '/dev/null' ? null : path.replace(/^[ab]\//, '');
}

/** The later name of `diff --git a/X b/X`: both are the same, or are told again further down. */
function nameOf(line: string): string {
  const names = line.slice('diff --git '.length);
  const quoted = /"(?:[^"\\]|\\.)*"$/.exec(names)?.[0];
  return pathOf(quoted ?? names.slice(Math.ceil(names.length / 2))) ?? '';
}

const newFile = (path: string, first: number): PatchFile => ({
  ...{ path, from: null, change: 'modified', mode: { before: null, after: null }, binary: null },
  ...{ added: 0, removed: 0, first, end: first, widest: 0, pairs: 0 },
});

type Told = (file: PatchFile, value: string) => void;

/** What the lines between the name of a file and its parts say. */
const told: readonly (readonly [start: string, tell: Told])[] = [
  ['new file mode ', (file, mode) => Object.assign(file, { change: 'added', mode: { before: null, after: mode } })],
  [
    'deleted file mode ',
    (file, mode) => Object.assign(file, { change: 'deleted', mode: { before: mode, after: null } }),
  ],
  ['old mode ', ({ mode }, before) => Object.assign(mode, { before })],
  ['new mode ', ({ mode }, after) => Object.assign(mode, { after })],
  ['rename from ', (file, name) => Object.assign(file, { change: 'renamed', from: unquoted(name) })],
  ['rename to ', (file, name) => Object.assign(file, { path: unquoted(name) })],
  [
    '--- ',
    (file, name) => {
      const path = pathOf(name);
      if (path === null) file.change = 'added';
      // A deleted file has no other name.
      else if (file.change !== 'renamed') file.path = path;
    },
  ],
  [
    '+++ ',
    (file, name) => {
      const path = pathOf(name);
      if (path === null) file.change = 'deleted';
      else file.path = path;
    },
  ],
];

export function readPatch(text: string): Patch {
  const room = Math.min(countOf(text), mostLines);
  const patch: Patch = {
    ...{ text, files: [], kind: new Uint8Array(room), leftOut: 0 },
    ...{ start: new Uint32Array(room), end: new Uint32Array(room) },
    ...{ before: new Uint32Array(room), after: new Uint32Array(room) },
  };
  const lines = new Lines(text);
  const count = { lines: 0 };
  let file: PatchFile | null = null;
  while (!lines.isOver) {
    const isPlain = lines.startsWith('--- ') && (file === null || file.end > file.first);
    if (lines.startsWith('diff --git ') || isPlain) {
      if (file) finish(patch, file);
      file = newFile(isPlain ? '' : nameOf(lines.line), count.lines);
      patch.files.push(file);
    }
    if (file === null) lines.next();
    else if (lines.startsWith('@@ ')) readPart(patch, file, lines, count);
    else if (lines.startsWith('GIT binary patch')) readBinary(text, file, lines);
    else readHead(file, lines);
  }
  if (file) finish(patch, file);
  return patch;
}

function countOf(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}

function readHead(file: PatchFile, lines: Lines): void {
  const { line } = lines;
  if (line.startsWith('Binary files ')) file.binary ??= { before: null, after: null };
  for (const [start, tell] of told) if (line.startsWith(start)) tell(file, line.slice(start.length));
  lines.next();
}

/** A part of a file, as many lines as its head says; a line that cannot be one of them ends it. */
function readPart(patch: Patch, file: PatchFile, lines: Lines, count: { lines: number }): void {
  const [, from = '0', old = '1', to = '0', fresh = '1'] = partHead.exec(lines.line) ?? [];
  const left = { before: Number(old), after: Number(fresh) };
  const at = { before: Number(from), after: Number(to) };
  const add = (kind: number, start: number, before: number, after: number) => {
    let { end } = lines;
    if (end > start && patch.text.charCodeAt(end - 1) === 13) end -= 1;
    if (count.lines >= mostLines) {
      patch.leftOut += 1;
      return;
    }
    const nth = count.lines++;
    patch.kind[nth] = kind;
    [patch.start[nth], patch.end[nth], patch.before[nth], patch.after[nth]] = [start, end, before, after];
    file.end = count.lines;
    file.widest = Math.max(file.widest, end - start);
  };
  add(kinds.part, lines.at, at.before, at.after);
  lines.next();
  while (!lines.isOver && (left.before > 0 || left.after > 0 || lines.startsWith('\\'))) {
    const sign = patch.text[lines.at];
    if (sign === '+') {
      add(kinds.added, lines.at + 1, 0, at.after++);
      left.after -= 1;
      file.added += 1;
    } else if (sign === '-') {
      add(kinds.removed, lines.at + 1, at.before++, 0);
      left.before -= 1;
      file.removed += 1;
    } else if (sign === '\\') add(kinds.note, lines.at + 2, 0, 0);
    else if (sign === ' ' || sign === '\n' || sign === '\r') {
      add(kinds.same, lines.at + (sign === ' ' ? 1 : 0), at.before++, at.after++);
      left.before -= 1;
      left.after -= 1;
    } else return;
    lines.next();
  }
}

/** `literal N` with its lines up to an empty one: the later content, then the earlier. Deltas, which we do not write, are skipped. */
function readBinary(text: string, file: PatchFile, lines: Lines): void {
  file.binary = { before: null, after: null };
  lines.next();
  for (const side of ['after', 'before'] as const) {
    const [, form, bytes] = /^(literal|delta) (\d{1,10})$/.exec(lines.line) ?? [];
    if (bytes === undefined) return;
    lines.next();
    const start = lines.at;
    const end = text.indexOf('\n\n', start);
    lines.at = end < 0 ? text.length : end + 2;
    if (form === 'literal') file.binary[side] = { bytes: Number(bytes), start, end: end < 0 ? text.length : end };
  }
}

function finish(patch: Patch, file: PatchFile): void {
  file.pairs = pairsOf(patch, file).length / 2;
}

/** No line stands on this side. */
export const noLine = -1;

/** Rows side by side: of each, the line to the left and to the right. */
export function pairsOf({ kind }: Patch, { first, end }: PatchFile): Int32Array {
  const rows = new Int32Array((end - first) * 2);
  let length = 0;
  const add = (left: number, right: number) => {
    rows[length] = left;
    rows[length + 1] = right;
    length += 2;
  };
  for (let at = first; at < end; ) {
    if (kind[at] !== kinds.removed && kind[at] !== kinds.added) {
      add(at, at);
      at += 1;
      continue;
    }
    // Removed lines, then added ones; a remark on the end of the text belongs to the line before it.
    const removed = at;
    while (at < end && kind[at] === kinds.removed) at += 1;
    const isRemark = at < end && kind[at] === kinds.note && kind[at + 1] === kinds.added && at + 1 < end;
    const added = isRemark ? at + 1 : at;
    at = added;
    while (at < end && kind[at] === kinds.added) at += 1;
    const [gone, come] = [(isRemark ? added - 1 : added) - removed, at - added];
    for (let nth = 0; nth < Math.max(gone, come); nth += 1)
      add(nth < gone ? removed + nth : noLine, nth < come ? added + nth : noLine);
    if (isRemark) add(added - 1, noLine);
  }
  return rows.slice(0, length);
}

/** The line of a file with this number in its earlier or later text, or `noLine`. */
export function lineAt(patch: Patch, { first, end }: PatchFile, side: 'before' | 'after', number: number): number {
  if (number === 0) return noLine;
  for (let at = first; at < end; at += 1) if (patch[side][at] === number && patch.kind[at] !== kinds.part) return at;
  return noLine;
}

/** Lines that have the words, whatever their case, up to a number; and how many there are at all. */
export function findLines({ text, start, end, kind, files }: Patch, words: string, most = 5_000) {
  const wanted = words.toLowerCase();
  const found: number[] = [];
  if (wanted === '') return { lines: new Uint32Array(), total: 0 };
  const lower = text.toLowerCase();
  const last = files.at(-1)?.end ?? 0;
  let total = 0;
  // Few letters are longer in small: then the lines are lowered one by one.
  const isAligned = lower.length === text.length;
  let next = isAligned ? lower.indexOf(wanted) : 0;
  for (let line = 0; line < last && next >= 0; line += 1) {
    if (kind[line] === kinds.part || kind[line] === kinds.note) continue;
    const [from, to] = [start[line] as number, end[line] as number];
    if (isAligned && next < from) next = lower.indexOf(wanted, from);
    const isIn = isAligned
      ? next >= 0 && next + wanted.length <= to
      : text.slice(from, to).toLowerCase().includes(wanted);
    if (!isIn) continue;
    total += 1;
    if (found.length < most) found.push(line);
  }
  return { lines: Uint32Array.from(found), total };
}
