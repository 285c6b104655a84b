import { structuredPatch } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note';
  text: string;
  /** Numbers in the earlier and the later text; null where the line is not in it. */
  before: number | null;
  after: number | null;
}

/** Work that a comparison may cost, in ms; texts that differ more are only downloaded. */
const timeoutMs = 800;

/** The lines that differ, with three around them. Null if the texts differ too much to be compared. */
export function compared(before: string, after: string): DiffLine[] | null {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, timeout: timeoutMs });
  if (!patch) return null;
  return patch.hunks.flatMap(({ oldStart, newStart, lines }) => {
    const at = { before: oldStart, after: newStart };
    return [
      { kind: 'note' as const, text: `Line ${newStart}`, before: null, after: null },
      ...lines.map((line) => numbered(line, at)),
    ];
  });
}

function numbered(line: string, at: { before: number; after: number }): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', text, before: null, after: at.after++ };
  if (line.startsWith('-')) return { kind: 'removed', text, before: at.before++, after: null };
  if (line.startsWith('\\')) return { kind: 'note', text: 'No line break at the end', before: null, after: null };
  return { kind: 'same', text, before: at.before++, after: at.after++ };
}

/** The lines of a text that is a patch already. */
export const patchLines = (patch: string): DiffLine[] =>
  patch.split('\n').map((line) => {
    const kind = /^(\+\+\+|---|@@|diff |index )/.test(line)
      ? 'note'
      : line.startsWith('+')
        ? 'added'
        : line.startsWith('-')
          ? 'removed'
          : 'same';
    return { kind, text: kind === 'note' ? line : line.slice(1), before: null, after: null };
  });

/** A text that there is nothing to compare with. */
export const plainLines = (text: string): DiffLine[] =>
  text.split('\n').map((line, at) => ({ kind: 'same', text: line, before: null, after: at + 1 }));
