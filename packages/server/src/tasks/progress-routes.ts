import { type Route, route } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { listEvents } from './lifecycle/read.ts';
import { postProgress } from './timeline/progress.ts';
import { receiptKey, taskReceipt } from './timeline/receipt.ts';
import { streamTask } from './timeline/stream.ts';

/** Progress, streams and receipts of tasks. */
export function progressRoutes(deps: TaskDeps): Route[] {
  return [
    route('tasks.stream', (call) => streamTask(deps, call)),
    route('tasks.events', (call) => listEvents(deps, call)),
    route('tasks.progress', postProgress),
    route('tasks.receipt', (call) => taskReceipt(deps, call)),
    route('tasks.receiptKey', () => receiptKey(deps)),
  ];
}
