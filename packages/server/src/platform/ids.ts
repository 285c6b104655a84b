import { v7 } from 'uuid';
import type { Clock } from './clock.ts';

/** A new UUIDv7 at the clock's time, so that ids sort by creation. */
export const newUuid = (clock: Clock): string => v7({ msecs: clock.now().getTime() });
