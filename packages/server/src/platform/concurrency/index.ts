// Modules that are small enough to load in a worker thread too.
export { createFairSemaphore } from './fair-semaphore.ts';
export { type AtEnd, openInOrder } from './open-in-order.ts';
export { recent } from './recent.ts';
export { inStretches, joined, nextTurn, slicesOf } from './stretches.ts';
export { createTally, type Tally } from './tally.ts';
export { whenNeeded } from './when-needed.ts';
export { pause, withTimeout } from './with-timeout.ts';
export { limitWork, threadName, workedMs } from './work-limit.ts';
export { openWorkerThread } from './worker-thread.ts';
