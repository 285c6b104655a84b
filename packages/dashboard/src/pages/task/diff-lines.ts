export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'note';
  text: string;
  /** Numbers in the earlier and the later text; null where the line is not in it. */
  before: number | null;
  after: number | null;
}

const note = (text: string): DiffLine => ({ kind: 'note', text, before: null, after: null });

function numbered(line: string, at: { before: number; after: number }): DiffLine {
  const text = line.slice(1);
  if (line.startsWith('+')) return { kind: 'added', text, before: null, after: at.after++ };
  if (line.startsWith('-')) return { kind: 'removed', text, before: at.before++, after: null };
  if (line.startsWith('\\')) return note('No line break at the end');
  return { kind: 'same', text, before: at.before++, after: at.after++ };
}

/** The lines of a patch. What stands before the first part of a file is about the file. */
export function patchLines(patch: string): DiffLine[] {
  let at: { before: number; after: number } | null = null;
  return patch.split('\n').map((line) => {
    const part = /^@@ -(\d+)(?:,\d+)? \+(\d+)/.exec(line);
    if (part) at = { before: Number(part[1]), after: Number(part[2]) };
    else if (line.startsWith('diff --git ')) at = null;
    return part || at === null ? note(line) : numbered(line, at);
  });
}

/** A text that there is nothing to compare with. */
export const plainLines = (text: string): DiffLine[] =>
  text.split('\n').map((line, at) => ({ kind: 'same', text: line, before: null, after: at + 1 }));
