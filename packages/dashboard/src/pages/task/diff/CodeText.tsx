import { type Look, looks, type Marks } from '../../../reading/marks.ts';
import { cx } from '../../../ui/cx.ts';
import { mostLineChars, segmentsOf } from './segments.ts';

const classes: Record<Look, string> = {
  keyword: 'text-code-keyword',
  string: 'text-code-string',
  comment: 'text-code-comment italic',
  number: 'text-code-number',
  name: 'text-code-name',
  type: 'text-code-type',
  property: 'text-code-property',
  tag: 'text-code-tag',
  red: 'text-bad',
  green: 'text-good',
  yellow: 'text-warn',
  blue: 'text-info',
  magenta: 'text-code-keyword',
  cyan: 'text-accent',
  faint: 'text-faint',
  bold: 'font-semibold',
};

interface CodeTextProps {
  text: string;
  /** The line in the text. */
  start: number;
  end: number;
  marks?: Marks | null | undefined;
  /** What is looked for. */
  words?: string;
  /** What differs from the line beside it, and how that looks. */
  changed?: { from: number; to: number } | null;
  changedLook?: string | undefined;
}

/** One line of code, as text nodes. Its letters stand in the order in which programs read them. */
export function CodeText({ text, start, end, marks = null, words = '', changed = null, changedLook }: CodeTextProps) {
  return (
    <bdi dir="ltr">
      {segmentsOf(text, start, end, { marks, words, changed }).map(
        ({ text: part, look, isFound, isChanged, isControl }, at) => {
          const colour = look === null ? undefined : classes[looks[look] as Look];
          if (!colour && !isFound && !isChanged && !isControl) return part;
          const Tag = isFound ? 'mark' : 'span';
          return (
            <Tag
              // biome-ignore lint/suspicious/noArrayIndexKey: the stretches of a line have no other name and never move
              key={at}
              className={cx(
                isFound ? 'bg-accent-wash text-ink outline outline-accent' : colour,
                isChanged && !isFound && changedLook,
                isControl && 'rounded-small bg-warn-wash px-0.5 text-warn',
              )}
            >
              {part}
            </Tag>
          );
        },
      )}
      {end - start > mostLineChars && <span className="text-faint">… {end - start - mostLineChars} more</span>}
    </bdi>
  );
}
