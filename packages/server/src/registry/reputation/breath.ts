import { setImmediate as nextTurn } from 'node:timers/promises';

/** What other work of this process waits for at most. */
const turnMs = 4;
let sinceMs = 0;

/** Gives the event loop its turn where this one has taken long. */
export async function breath(): Promise<void> {
  const nowMs = performance.now();
  if (nowMs - sinceMs < turnMs) return;
  await nextTurn();
  sinceMs = performance.now();
}

const portion = 500;

/** Cuts a list into parts, each so short that making or reading a statement about it takes a few milliseconds. */
export function* portionsOf<T>(all: Iterable<T>): Generator<T[]> {
  const items = [...all];
  for (let from = 0; from < items.length; from += portion) yield items.slice(from, from + portion);
}
