import { quote } from '../../sandbox/index.ts';

/** Directories of a sandbox's layer, in commands of the gate: they are the platform's, and no part of a delivery. */

/** Part of a `find` below `root` that is true for each of them, and before others; empty where there is none. */
export const findsLayers = (layered: readonly string[], root: '.' | '/workspace'): string =>
  // For find a path is a pattern.
  layered.map((path) => `-path ${quote(`${root}/${path.replace(/[\\*?[\]]/g, '\\$&')}`)} -o `).join('');
