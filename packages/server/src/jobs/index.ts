export { handler, type JobHandler, type JobKind } from './job-kind.ts';
export { createQueue } from './queue.ts';
export { enqueue, isQueued, queueStates, withdraw } from './queue-sql.ts';
