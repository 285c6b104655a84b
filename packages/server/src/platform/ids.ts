import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

let lastMs = 0;
let seq = 0;

/** A new UUIDv7 at the clock's time. Those of one process and one millisecond sort in the order they were made in. */
export function newUuid(clock: Clock): string {
  const msecs = clock.now().getTime();
  seq = msecs === lastMs ? seq + 1 : 0;
  lastMs = msecs;
  return v7({ msecs, seq });
}
