import { type KeyboardEvent, type PointerEvent, useMemo, useRef, useState } from 'react';

/** Widths in pixels, by the columns they were given to. */
type Widths = Record<string, number>;

const range = { min: 48, max: 1_200 };
const stepPx = 16;
const within = (px: number) => Math.round(Math.min(range.max, Math.max(range.min, px)));

function read(place: string): Widths {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(place) ?? '{}');
    return Object.fromEntries(Object.entries(Object(kept)).filter(([, px]) => Number.isFinite(px))) as Widths;
  } catch {
    return {};
  }
}

/** The widths that somebody gave to columns of a table, which this browser remembers. */
export function useWidths(table: string): [Widths, (column: string, px: number | null) => void] {
  const place = `agora.widths.${table}`;
  const [now, setNow] = useState<{ place: string; widths: Widths } | null>(null);
  const widths = useMemo(() => (now?.place === place ? now.widths : read(place)), [now, place]);
  const set = (column: string, px: number | null) => {
    const { [column]: _, ...others } = widths;
    const after = px === null ? others : { ...others, [column]: within(px) };
    setNow({ place, widths: after });
    try {
      localStorage.setItem(place, JSON.stringify(after));
    } catch {
      // A full or forbidden storage only means that the next visit begins with the usual widths.
    }
  };
  return [widths, set];
}

interface ColumnEdgeProps {
  header: string;
  /** One of a table is in the order of `Tab`; the keys up and down go from it to the others. */
  isFirst: boolean;
  /** Null gives the usual width back. */
  onWidth: (px: number | null) => void;
}

/** The edge of a heading, by which its column becomes wider: by dragging, or with the arrow keys. */
export function ColumnEdge({ header, isFirst, onWidth }: ColumnEdgeProps) {
  const [measured, setMeasured] = useState(range.min);
  const drag = useRef<{ fromX: number; fromPx: number } | null>(null);
  const measure = (edge: HTMLElement) => within(edge.parentElement!.offsetWidth);
  const start = (event: PointerEvent<HTMLElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { fromX: event.clientX, fromPx: measure(event.currentTarget) };
  };
  const move = ({ clientX }: PointerEvent) => {
    if (drag.current) onWidth(drag.current.fromPx + clientX - drag.current.fromX);
  };
  const end = ({ currentTarget }: PointerEvent<HTMLElement>) => {
    drag.current = null;
    setMeasured(measure(currentTarget));
  };
  const press = (event: KeyboardEvent<HTMLElement>) => {
    const way = { ArrowUp: -1, ArrowDown: 1 }[event.key];
    if (way !== undefined) {
      event.preventDefault();
      const edges = [...event.currentTarget.closest('tr')!.querySelectorAll<HTMLElement>('[role=separator]')];
      return edges[edges.indexOf(event.currentTarget) + way]?.focus();
    }
    const step = { ArrowLeft: -stepPx, ArrowRight: stepPx }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    const edge = event.currentTarget;
    onWidth(step === undefined ? null : measure(edge) + step);
    // It says what came of it: a column is never narrower than its words.
    requestAnimationFrame(() => setMeasured(measure(edge)));
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a rule between paragraphs cannot be moved
    <div
      role="separator"
      tabIndex={isFirst ? 0 : -1}
      aria-orientation="vertical"
      aria-valuemin={range.min}
      aria-valuemax={range.max}
      aria-valuenow={measured}
      // Said with its value: a name of its own would be a part of the name of the heading, which stands for every cell.
      aria-valuetext={`Width of ${header}: ${measured} pixels`}
      onFocus={({ currentTarget }) => setMeasured(measure(currentTarget))}
      onPointerDown={start}
      onPointerMove={move}
      onPointerUp={end}
      onPointerCancel={end}
      onDoubleClick={() => onWidth(null)}
      onKeyDown={press}
      className="absolute inset-y-1 right-0 w-2 cursor-col-resize touch-none border-r border-transparent hover:border-line-strong focus-visible:border-accent max-sm:hidden"
    />
  );
}
