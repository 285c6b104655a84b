import { AgoraError } from '@agora/sdk';
import { useCallback, useEffect, useState } from 'react';
import { useOwner } from '../api/session.ts';

/** What the server says of one field of a refused form: `path` is dotted, as in the request's body. */
export function fieldErrors(error: unknown): Record<string, string> {
  if (!(error instanceof AgoraError) || error.code !== 'VALIDATION_ERROR') return {};
  const fields = (error.details.fields ?? []) as { path?: unknown; message?: unknown }[];
  return Object.fromEntries(fields.map(({ path, message }) => [String(path), sentence(String(message))]));
}

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;

/**
 * State of a form that survives a reload, a crash of the tab and an expired session: it is kept in this tab's storage
 * under `key` until `forget` is called after success. Never for passwords, codes or keys.
 */
export function useKept<T extends object>(key: string, initial: T): [T, (change: Partial<T>) => void, () => void] {
  // What one owner has typed is nothing for the next who signs in on this tab.
  const place = `agora.draft.${useOwner()?.id}.${key}`;
  const [value, setValue] = useState<T>(() => ({ ...initial, ...read(place) }));
  useEffect(() => {
    try {
      sessionStorage.setItem(place, JSON.stringify(value));
    } catch {
      // A full or forbidden storage only means that a reload starts the form afresh.
    }
  }, [place, value]);
  const change = useCallback((part: Partial<T>) => setValue((before) => ({ ...before, ...part })), []);
  const forget = useCallback(() => {
    setValue(initial);
    // After the effect of this change has written it once more.
    setTimeout(() => sessionStorage.removeItem(place));
  }, [place, initial]);
  return [value, change, forget];
}

function read(place: string): object {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}
