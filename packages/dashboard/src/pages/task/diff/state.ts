import { useState } from 'react';
import { lineAt, noLine, type Patch, type PatchFile } from '../../../reading/patch.ts';
import { readLink, type Way } from './layout.ts';

const place = 'agora.diff';

/** How changes are laid out, as this browser was told last. */
export function useWay(): [Way, (way: Way) => void] {
  const [way, setWay] = useState<Way>(() => (localStorage.getItem(place) === 'split' ? 'split' : 'unified'));
  return [
    way,
    (next) => {
      localStorage.setItem(place, next);
      setWay(next);
    },
  ];
}

export interface MarkedLine {
  /** Its file, or -1. */
  nth: number;
  line: number | null;
}

/** What an address names, if it is there. */
export function findLink(patch: Patch, at: string | undefined): MarkedLine {
  if (at === undefined) return { nth: -1, line: null };
  // A path may end as a line does.
  const whole = patch.files.findIndex(({ path }) => path === at);
  if (whole >= 0) return { nth: whole, line: null };
  const { path, side, number } = readLink(at);
  const nth = patch.files.findIndex((file) => file.path === path);
  if (nth < 0 || side === null) return { nth, line: null };
  const line = lineAt(patch, patch.files[nth] as PatchFile, side, number);
  return { nth, line: line === noLine ? null : line };
}
