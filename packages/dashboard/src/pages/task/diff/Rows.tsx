import { type KeyboardEvent, memo, type RefObject, useMemo, useRef } from 'react';
import type { Marks } from '../../../reading/marks.ts';
import { kinds, noLine, type Patch, type PatchFile, pairsOf } from '../../../reading/patch.ts';
import { cx } from '../../../ui/cx.ts';
import { CodeText } from './CodeText.tsx';
import { sizes, type Way } from './layout.ts';
import { changedPart, mostLineChars } from './segments.ts';

export interface RowsProps {
  patch: Patch;
  file: PatchFile;
  way: Way;
  /** Rows that are drawn. */
  from: number;
  to: number;
  marks: Marks | null;
  words: string;
  /** The line that the address names, and the one found last; `noLine` if another file has it. */
  marked: number;
  found: number;
  /** Where a line can be linked to. */
  hrefOf: ((line: number) => string | null) | null;
  onMark: (line: number) => void;
  /** Moves the mark by the keyboard; the first line is marked where none is. */
  onStep: (step: -1 | 0 | 1) => void;
}

/** The lines of one file, as far as they are seen. */
export const Rows = memo(function Rows(props: RowsProps) {
  const { patch, file } = props;
  const pairs = useMemo(() => pairsOf(patch, file), [patch, file]);
  const partners = useMemo(() => partnersOf(pairs, file), [pairs, file]);
  return props.way === 'split' ? (
    <Split {...props} pairs={pairs} partners={partners} />
  ) : (
    <Unified {...props} partners={partners} />
  );
});

/** Of each line the one that it replaces, or is replaced by. */
function partnersOf(pairs: Int32Array, { first, end }: PatchFile): Int32Array {
  const partners = new Int32Array(end - first).fill(noLine);
  for (let at = 0; at < pairs.length; at += 2) {
    const [left, right] = [pairs[at] as number, pairs[at + 1] as number];
    if (left === right || left === noLine || right === noLine) continue;
    partners[left - first] = right;
    partners[right - first] = left;
  }
  return partners;
}

interface PartnerProps extends RowsProps {
  partners: Int32Array;
}

const steps: Record<string, -1 | 0 | 1> = { ArrowUp: -1, Enter: 0, ArrowDown: 1 };

/** What the keyboard does in the lines of a file: Enter marks a line, arrows move the mark. */
const keysOf = ({ marked, onStep, hrefOf }: RowsProps) => ({
  tabIndex: 0,
  'aria-describedby': hrefOf ? 'diff-keys' : undefined,
  onKeyDown: (event: KeyboardEvent) => {
    const step = steps[event.key];
    if (
      step === undefined ||
      hrefOf === null ||
      event.target !== event.currentTarget ||
      (step !== 0 && marked === noLine)
    )
      return;
    event.preventDefault();
    onStep(step);
  },
});

/** Room for the longest line, before it is seen. */
const widthOf = ({ widest }: PatchFile, before: string) =>
  `max(100%, calc(${Math.min(widest, mostLineChars) + 4}ch + ${before}))`;

const area = 'overflow-x-auto overscroll-x-contain font-mono text-tiny focus-visible:outline-offset-[-2px]';
const below = { paddingBottom: sizes.foot };

function Unified(props: PartnerProps) {
  const { file, from, to } = props;
  const count = file.end - file.first;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div {...keysOf(props)} role="group" aria-label={`Lines of ${file.path}`} className={area} style={below}>
      <div style={{ height: count * sizes.row, minWidth: widthOf(file, '8rem') }} className="w-max">
        <div style={{ transform: `translateY(${from * sizes.row}px)` }}>
          {Array.from({ length: Math.min(to, count) - from }, (_, nth) => file.first + from + nth).map((line) => (
            <UnifiedRow key={line} line={line} {...props} />
          ))}
        </div>
      </div>
    </div>
  );
}

const backs = ['', 'bg-good-wash', 'bg-bad-wash', 'bg-info-wash text-soft', 'text-faint'];
const signs = [' ', '+', '−', ' ', ' '];
const signLooks = ['', 'text-good', 'text-bad', '', ''];

const numberLook = 'block h-5 pr-2 text-right text-faint select-none tabular-nums hover:text-ink';

interface RowProps extends PartnerProps {
  line: number;
}

const rowBack = ({ patch, line, marked, found }: RowProps) =>
  cx(
    'h-5 leading-5 whitespace-pre [tab-size:4]',
    backs[patch.kind[line] as number],
    (line === marked || line === found) && 'shadow-[inset_3px_0_0_var(--color-accent)]',
    line === marked && 'bg-accent-wash!',
  );

function Numbered({ line, number, hrefOf, onMark }: Pick<RowProps, 'line' | 'hrefOf' | 'onMark'> & { number: number }) {
  const href = number === 0 ? null : (hrefOf?.(line) ?? null);
  if (href === null)
    return (
      <span aria-hidden className={numberLook}>
        {number || ''}
      </span>
    );
  return (
    // Reached by the keys of the whole part, or a file of a thousand lines would be a thousand stops.
    <a
      href={href}
      tabIndex={-1}
      aria-label={`Link to line ${number}`}
      className={numberLook}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        onMark(line);
      }}
    >
      {number}
    </a>
  );
}

const changedLooks = ['', 'rounded-small bg-good/15', 'rounded-small bg-bad/15'];

function Content({ patch, file, line, marks, words, partners }: RowProps) {
  const kind = patch.kind[line] as number;
  const partner = partners[line - file.first] ?? noLine;
  const textOf = (each: number) => patch.text.slice(patch.start[each], patch.end[each]);
  return (
    <span className="pr-3" data-line={line}>
      {kind === kinds.note ? (
        'No line break at the end'
      ) : (
        <CodeText
          text={patch.text}
          start={patch.start[line] as number}
          end={patch.end[line] as number}
          marks={kind === kinds.part ? null : marks}
          words={kind === kinds.part ? '' : words}
          changed={partner === noLine ? null : changedPart(textOf(line), textOf(partner))}
          changedLook={changedLooks[kind]}
        />
      )}
    </span>
  );
}

function UnifiedRow(props: RowProps) {
  const { patch, line } = props;
  const kind = patch.kind[line] as number;
  const isLine = kind !== kinds.part && kind !== kinds.note;
  return (
    <div className={cx('grid grid-cols-[3.25rem_3.25rem_1.25rem_auto]', rowBack(props))}>
      <Numbered {...props} number={isLine ? (patch.before[line] as number) : 0} />
      <Numbered {...props} number={isLine ? (patch.after[line] as number) : 0} />
      <span className={cx('select-none', signLooks[kind])}>{signs[kind]}</span>
      <Content {...props} />
    </div>
  );
}

function Split(props: PartnerProps & { pairs: Int32Array }) {
  const sides = [useRef<HTMLDivElement>(null), useRef<HTMLDivElement>(null)] as const;
  return (
    <div className="grid grid-cols-2 divide-x divide-line">
      <Side {...props} side={0} own={sides[0]} other={sides[1]} />
      <Side {...props} side={1} own={sides[1]} other={sides[0]} />
    </div>
  );
}

interface SideProps extends PartnerProps {
  pairs: Int32Array;
  side: 0 | 1;
  own: RefObject<HTMLDivElement | null>;
  /** It follows sideways. */
  other: RefObject<HTMLDivElement | null>;
}

function Side(props: SideProps) {
  const { file, pairs, side, from, to, own, other } = props;
  const count = pairs.length / 2;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      {...keysOf(props)}
      ref={own}
      role="group"
      aria-label={`Lines of ${file.path}, ${side === 0 ? 'before' : 'after'}`}
      className={area}
      style={below}
      onScroll={({ currentTarget: { scrollLeft } }) => {
        if (other.current && other.current.scrollLeft !== scrollLeft) other.current.scrollLeft = scrollLeft;
      }}
    >
      <div style={{ height: count * sizes.row, minWidth: widthOf(file, '5rem') }} className="w-max">
        <div style={{ transform: `translateY(${from * sizes.row}px)` }}>
          {Array.from({ length: Math.min(to, count) - from }, (_, nth) => from + nth).map((row) => (
            <SideRow key={row} {...props} line={pairs[row * 2 + side] as number} />
          ))}
        </div>
      </div>
    </div>
  );
}

function SideRow(props: SideProps & { line: number }) {
  const { patch, line, side } = props;
  if (line === noLine) return <div className="h-5 bg-sunken" />;
  const kind = patch.kind[line] as number;
  const isLine = kind !== kinds.part && kind !== kinds.note;
  // What stays the same, and the head of a part, stands on both sides and is said once.
  const number = isLine ? ((side === 0 ? patch.before : patch.after)[line] as number) : 0;
  return (
    <div className={cx('grid grid-cols-[3.25rem_1.25rem_auto]', rowBack(props))}>
      <Numbered {...props} number={number} />
      <span className={cx('select-none', signLooks[kind])}>{signs[kind]}</span>
      <Content {...props} />
    </div>
  );
}
