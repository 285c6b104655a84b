export { handler, type JobHandler, type JobKind } from './job-kind.ts';
export { createQueue } from './queue.ts';
export { enqueue, forgetGivenUp, isQueued, queueStates, retryGivenUp, withdraw } from './queue-sql.ts';
