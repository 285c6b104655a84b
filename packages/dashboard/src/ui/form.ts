import { AgoraError } from '@agora-market/sdk';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { readKept, usePlace, writeKept } from '../api/kept.ts';
import { sayUndo } from './undo.tsx';

/** What the server says of one field of a refused form: `path` is dotted, as in the request's body. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof AgoraError)) return {};
  const fields = (error.details.fields ?? []) as { path?: unknown; message?: unknown }[];
  return Object.fromEntries(fields.map(({ path, message }) => [String(path), sentence(String(message))]));
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

type Change<T> = (change: Partial<T> | ((before: T) => Partial<T>)) => void;

/**
 * State of a form that survives a reload, a crash of the tab and an expired session: what differs from `initial` is
 * kept in this tab's storage under `key` until `forget` is called after success. Given what was sent, `forget` keeps
 * a form that was typed on meanwhile; `discard` forgets it with a way back. Never for passwords, codes or keys.
 */
export function useKept<T extends object>(key: string, initial: T): [T, Change<T>, (sent?: T) => void, () => void] {
  const place = usePlace(`draft.${key}`);
  const [edits, setEdits] = useState<Partial<T>>(() => readKept<T>(place));
  const value = useMemo(() => ({ ...initial, ...edits }), [initial, edits]);
  useEffect(() => writeKept(place, Object.keys(edits).length > 0 ? edits : null), [place, edits]);
  const change = useCallback<Change<T>>(
    (part) =>
      setEdits((before) => ({ ...before, ...(typeof part === 'function' ? part({ ...initial, ...before }) : part) })),
    [initial],
  );
  const forget = useCallback(
    (sent?: T) => {
      const isDone = (now: Partial<T>) => !sent || JSON.stringify({ ...initial, ...now }) === JSON.stringify(sent);
      // At once too: a dialog may close with this, and then the effect does not come.
      if (isDone(readKept<T>(place))) writeKept(place, null);
      setEdits((now) => (isDone(now) ? {} : now));
    },
    [place, initial],
  );
  const discard = () => {
    forget();
    sayUndo('Your changes are discarded.', () => {
      // Kept as well, for a form that is not open then.
      writeKept(place, edits);
      setEdits(edits);
    });
  };
  return [value, change, forget, discard];
}
