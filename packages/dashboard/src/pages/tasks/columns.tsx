import { Columns3 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Checkbox } from '../../ui/Field.tsx';
import type { ListKind, TaskColumn } from './kinds.tsx';

const placeOf = ({ to }: ListKind) => `agora.columns.${to.slice(1)}`;

const usual = ({ columns }: ListKind) => columns.filter(({ extra }) => !extra).map(({ head }) => head);

/** The heads that this browser has kept for a list; null where it has none, or is not allowed to. */
function readHeads(kind: ListKind): string[] | null {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(kind)) ?? 'null');
    return Array.isArray(kept) ? kept.filter((head) => typeof head === 'string') : null;
  } catch {
    return null;
  }
}

function keepHeads(kind: ListKind, heads: readonly string[] | null): void {
  try {
    if (heads === null) localStorage.removeItem(placeOf(kind));
    else localStorage.setItem(placeOf(kind), JSON.stringify(heads));
  } catch {
    // A full or forbidden storage only means that the next visit has the usual columns.
  }
}

/** The columns of a list that are shown, and how to choose others. This browser remembers them. */
export function useColumns(kind: ListKind) {
  const [kept, setKept] = useState(() => readHeads(kind));
  const columns = useMemo(() => {
    const heads = kept ?? usual(kind);
    return kind.columns.filter(({ head }) => heads.includes(head));
  }, [kind, kept]);
  const choose = (heads: readonly string[] | null) => {
    keepHeads(kind, heads);
    setKept(heads && [...heads]);
  };
  return { columns, isUsual: kept === null, choose };
}

interface MenuProps extends ReturnType<typeof useColumns> {
  kind: ListKind;
}

/** The button that opens the choice of columns. The title, which is the link, always stands. */
export function ColumnMenu({ kind, columns, isUsual, choose }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const shown = columns.map(({ head }) => head);
  const set = (head: string, isOn: boolean) =>
    choose(isOn ? [...shown, head] : shown.filter((other) => other !== head));
  return (
    <>
      <Button popoverTarget="columns" style={{ anchorName: '--columns' }}>
        <Columns3 aria-hidden /> Columns
      </Button>
      <div
        id="columns"
        popover="auto"
        onToggle={(event) => setOpen(event.newState === 'open')}
        style={{ positionAnchor: '--columns' }}
        className={
          'fixed mt-1.5 w-56 rounded-large border border-line bg-surface p-4 text-ink shadow-raised ' +
          '[position-area:bottom_span-right] [position-try-fallbacks:flip-inline,flip-block]'
        }
      >
        {isOpen && (
          <>
            <fieldset className="grid gap-2">
              <legend className="mb-2 text-small font-semibold">Columns</legend>
              {kind.columns.map(({ head, place }) => (
                <div key={head} className={hidings(place)}>
                  <Checkbox
                    label={head}
                    checked={shown.includes(head)}
                    onChange={(event) => set(head, event.target.checked)}
                  />
                </div>
              ))}
            </fieldset>
            {!isUsual && (
              <Button small kind="quiet" className="mt-2" onClick={() => choose(null)}>
                Show the usual ones
              </Button>
            )}
          </>
        )}
      </div>
    </>
  );
}

/** Of the place of a column, where it is left out. */
export const hidings = (place: string) =>
  place
    .split(' ')
    .filter((each) => each.endsWith(':hidden'))
    .join(' ');

/** Widths of all columns, for a window of each width. */
export function gridOf(columns: readonly TaskColumn[], hasBoxes: boolean): Record<string, string> {
  const widths = (fits: readonly TaskColumn['from'][], title: string) =>
    [
      ...(hasBoxes ? ['1rem'] : []),
      title,
      ...columns
        .filter(({ from }) => fits.includes(from))
        .map(({ width, narrow }) => (fits.length === 1 ? (narrow ?? width) : width)),
    ].join(' ');
  return {
    '--sm': widths([undefined], 'minmax(0,1fr)'),
    '--lg': widths([undefined, 'lg'], 'minmax(0,1fr)'),
    '--xl': widths([undefined, 'lg', 'xl'], 'minmax(8rem,1fr)'),
  };
}
