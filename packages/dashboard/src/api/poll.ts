import { AgoraError } from '@agora-market/sdk';

interface Asked {
  state: { error: Error | null };
}

/**
 * Asks again every `ms` while the page is visible, and later where the server asks for it. An owner may ask for its
 * approvals, policies, events and notifications 30 times a minute, on all screens together.
 */
export const every =
  (ms: number) =>
  ({ state: { error } }: Asked) =>
    error instanceof AgoraError && error.retryAfterSeconds ? error.retryAfterSeconds * 1_000 : ms;

let hasStream = false;

/** Whether the owner's stream stands; returns whether that is new. */
export function setHasStream(now: boolean): boolean {
  const isNew = now !== hasStream;
  hasStream = now;
  return isNew;
}

/** While the stream tells of changes, a look now and then is for what it may have missed. */
const besideStreamMs = 60_000;

/** Asks again every `ms` where the owner's stream cannot be had. */
export const everyWithoutStream = (ms: number) => (query: Asked) => every(hasStream ? besideStreamMs : ms)(query);
