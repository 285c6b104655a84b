import { type PointerEvent, useCallback, useMemo, useRef, useState } from 'react';

/** So many rows are chosen at most: at twenty requests a minute they take half an hour. */
export const mostSelected = 500;

/** Rows of a list that are chosen. They stay so while the list is put in another order; another list begins anew. */
export function useSelection<Row extends { id: string }>(rows: readonly Row[], list: string) {
  const [state, setState] = useState<{ list: string; chosen: ReadonlyMap<string, Row> }>({ list, chosen: none });
  const chosen: ReadonlyMap<string, Row> = state.list === list ? state.chosen : none;
  const now = useRef({ rows, chosen, list });
  now.current = { rows, chosen, list };
  /** Where a range begins, and whether Shift was held by the last press. */
  const range = useRef<{ from: string | null; isAsked: boolean }>({ from: null, isAsked: false });

  const set = useCallback((next: Iterable<Row>) => {
    const all = [...next].slice(0, mostSelected).map((row) => [row.id, row] as const);
    setState({ list: now.current.list, chosen: new Map(all) });
  }, []);

  /** Chooses a row or takes it out, or with Shift all from the last one to this. */
  const toggle = useCallback(
    (id: string, isOn: boolean) => {
      const { rows, chosen } = now.current;
      const [from, to] = [range.current.from, id].map((each) => rows.findIndex((row) => row.id === each)) as [
        number,
        number,
      ];
      const isRange = range.current.isAsked && from >= 0;
      const touched = isRange ? rows.slice(Math.min(from, to), Math.max(from, to) + 1) : rows.slice(to, to + 1);
      range.current = { from: id, isAsked: false };
      const next = new Map(chosen);
      for (const row of touched) isOn ? next.set(row.id, row) : next.delete(row.id);
      set(next.values());
    },
    [set],
  );
  const onPointerDown = useCallback((event: PointerEvent) => {
    range.current.isAsked = event.shiftKey && (event.target as Element).closest('label') !== null;
  }, []);

  const selected = useMemo(() => {
    const fresh = new Map(rows.map((row) => [row.id, row]));
    return [...chosen.values()].map((row) => fresh.get(row.id) ?? row);
  }, [rows, chosen]);
  return { selected, has: (id: string) => chosen.has(id), toggle, set, onPointerDown };
}

const none: ReadonlyMap<string, never> = new Map<string, never>();

export type Selection<Row extends { id: string }> = ReturnType<typeof useSelection<Row>>;
