import { systemClock } from '../../../server/src/platform/index.ts';
import type { TestServer } from '../../../server/test/support/harness.ts';

/** A clock that runs, as that of the browser does; a test may put it forward. */
export function runningClock(): TestServer['clock'] {
  let aheadMs = 0;
  return {
    ...systemClock,
    now: () => new Date(Date.now() + aheadMs),
    advance: (ms) => {
      aheadMs += ms;
    },
    set: (at) => {
      aheadMs = new Date(at).getTime() - Date.now();
    },
  };
}
