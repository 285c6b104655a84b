import { useOwner } from './session.ts';

/** Where something is kept in this tab. What one owner has typed is nothing for the next who signs in on it. */
export const usePlace = (key: string): string => `agora.${useOwner()?.id}.${key}`;

export function readKept<T extends object>(place: string): Partial<T> {
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? '{}');
    return typeof kept === 'object' && kept !== null ? kept : {};
  } catch {
    return {};
  }
}

/** Null takes it away. */
export function writeKept(place: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(place);
    else sessionStorage.setItem(place, JSON.stringify(value));
  } catch {
    // A full or forbidden storage only means that a reload starts the form afresh.
  }
}
