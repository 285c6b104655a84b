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

/** Below all ids (UUIDv7) that are made at a time or later. */
export function firstIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

/** When the id was made, by the clock of whoever made it. */
export const madeAt = (uuid: string): Date => new Date(Number.parseInt(uuid.replace('-', '').slice(0, 12), 16));
