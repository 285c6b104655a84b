import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { coloursOf } from '../../../reading/colour-queue.ts';
import type { Language } from '../../../reading/language-names.ts';
import type { Marks } from '../../../reading/marks.ts';
import { CodeText } from '../diff/CodeText.tsx';
import { useVisible } from '../diff/use-visible.ts';

const rowPx = 20;
/** Names each text that was shown, for the key of its colours. */
let named = 0;

/** More are higher than a browser can scroll. */
const mostLines = 800_000;

interface CodeLinesProps {
  text: string;
  /** What it is, for those who do not see it. */
  label: string;
  language?: Language | null;
  /** Looks that are known already. */
  marks?: Marks;
}

/** A text line by line, with its numbers: only what is seen is drawn. */
export function CodeLines({ text, label, language = null, marks: given }: CodeLinesProps) {
  const starts = useMemo(() => startsOf(text), [text]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a text has one name
  const name = useMemo(() => ++named, [text]);
  const { data: coloured = null } = useQuery({
    queryKey: ['colours', name, language],
    queryFn: () => coloursOf(language, text, starts),
    enabled: language !== null,
    ...{ staleTime: 'static', gcTime: 0, retry: false, structuralSharing: false },
  });
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const visible = useVisible(list, scroller);
  const from = Math.max(0, Math.floor(visible.top / rowPx));
  const to = Math.min(starts.length, Math.ceil(visible.bottom / rowPx));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for the fields of a form
    <div
      ref={scroller}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
      tabIndex={0}
      role="group"
      aria-label={label}
      className="max-h-[36rem] overflow-auto rounded-base bg-sunken font-mono text-tiny"
    >
      <div ref={list} className="my-1 w-max min-w-full" style={{ height: starts.length * rowPx }}>
        <div style={{ transform: `translateY(${from * rowPx}px)` }}>
          {Array.from({ length: Math.max(0, to - from) }, (_, nth) => from + nth).map((line) => (
            <div key={line} className="grid h-5 grid-cols-[3.5rem_auto] leading-5 whitespace-pre [tab-size:4]">
              <span aria-hidden className="pr-3 text-right text-faint tabular-nums select-none">
                {line + 1}
              </span>
              <span className="pr-3">
                <CodeText
                  text={text}
                  start={starts[line] as number}
                  end={endOf(text, starts, line)}
                  marks={given ?? coloured}
                />
              </span>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

function startsOf(text: string): Uint32Array {
  const starts: number[] = [0];
  // What ends with a break has no line behind it.
  for (let at = text.indexOf('\n'); at >= 0 && at + 1 < text.length; at = text.indexOf('\n', at + 1)) {
    if (starts.length >= mostLines) break;
    starts.push(at + 1);
  }
  return Uint32Array.from(starts);
}

function endOf(text: string, starts: Uint32Array, line: number): number {
  const next = starts[line + 1];
  const end = next === undefined ? (text.endsWith('\n') ? text.length - 1 : text.length) : next - 1;
  return text.charCodeAt(end - 1) === 13 ? end - 1 : end;
}
