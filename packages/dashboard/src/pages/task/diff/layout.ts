import { kinds, noLine, type Patch, type PatchFile, pairsOf } from '../../../reading/patch.ts';

/** Where files and lines stand: all heights are known before anything is drawn, so nothing jumps and nothing is measured. */

export const sizes = { head: 44, row: 20, gap: 16, note: 32, images: 340, foot: 6 } as const;

export type Way = 'unified' | 'split';

const imageNames = /\.(png|jpe?g|gif|webp|avif|bmp|ico)$/i;

export const isImage = ({ binary, path }: PatchFile): boolean => binary !== null && imageNames.test(path);

/** What is to say about a file besides its lines. */
export function notesOf(file: PatchFile): string[] {
  const { from, mode, binary, path, change, first, end } = file;
  const notes: string[] = [];
  if (from !== null) notes.push(`Renamed from ${from}`);
  if (mode.before !== null && mode.after !== null) notes.push(`Mode ${mode.before} became ${mode.after}`);
  if (binary && !imageNames.test(path)) notes.push('A binary file. Its content is in the patch.');
  if (!binary && first === end && notes.length === 0)
    notes.push(change === 'deleted' ? 'It was empty.' : 'It is empty.');
  return notes;
}

const generated = /(^|\/)(package-lock\.json|pnpm-lock\.yaml|[^/]+\.lock|go\.sum|[^/]+\.min\.(js|css)|[^/]+\.map)$/;
const mostOpenLines = 3_000;

/** Files that nobody reads first, or that are very long, are folded until somebody asks. */
export const isFoldedAtFirst = ({ path, first, end }: PatchFile): boolean =>
  generated.test(path) || end - first > mostOpenLines;

export const rowsOf = (file: PatchFile, way: Way): number => (way === 'split' ? file.pairs : file.end - file.first);

/** Of what stands above the lines. */
export const aboveRows = (file: PatchFile): number =>
  sizes.head + notesOf(file).length * sizes.note + (isImage(file) ? sizes.images : 0);

export function heightOf(file: PatchFile, way: Way, isFolded: boolean): number {
  if (isFolded) return sizes.head;
  const rows = rowsOf(file, way);
  return aboveRows(file) + rows * sizes.row + (rows > 0 ? sizes.foot : 0);
}

/** Where each file begins; one more for the end of all. */
export function topsOf(files: readonly PatchFile[], way: Way, isFolded: (nth: number) => boolean): Float64Array {
  const tops = new Float64Array(files.length + 1);
  for (const [nth, file] of files.entries())
    tops[nth + 1] = (tops[nth] as number) + heightOf(file, way, isFolded(nth)) + sizes.gap;
  return tops;
}

/** The last of ascending numbers that is not above a value. */
export function lastUpTo(numbers: ArrayLike<number>, value: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((numbers[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return Math.max(0, low - 1);
}

/** The file that a line is of. */
export const fileOfLine = (files: readonly PatchFile[], line: number): number =>
  files.findIndex(({ first, end }) => first <= line && line < end);

/** The row of a line within its file. */
export function rowOf(patch: Patch, file: PatchFile, way: Way, line: number): number {
  if (way === 'unified') return line - file.first;
  return pairsOf(patch, file).indexOf(line) >> 1;
}

/** The line by its address: that of a file may follow with a number, left or right. */
export interface LineLink {
  path: string;
  side: 'before' | 'after' | null;
  number: number;
}

export const linkText = (path: string, side: LineLink['side'], number: number): string =>
  side === null ? path : `${path}:${side === 'before' ? 'L' : 'R'}${number}`;

export function readLink(text: string): LineLink {
  const [, path = text, letter, number] = /^(.*):([LR])(\d{1,9})$/s.exec(text) ?? [];
  return { path, side: letter === undefined ? null : letter === 'L' ? 'before' : 'after', number: Number(number ?? 0) };
}

/** How a line is called in an address; null for those that are no lines of a text. */
export function linkOfLine(patch: Patch, file: PatchFile, line: number): string | null {
  const kind = patch.kind[line];
  if (line === noLine || kind === kinds.part || kind === kinds.note) return null;
  if (kind === kinds.removed) return linkText(file.path, 'before', patch.before[line] as number);
  return linkText(file.path, 'after', patch.after[line] as number);
}
