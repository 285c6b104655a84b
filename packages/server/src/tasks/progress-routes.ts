import { type Route, route, sealer } from '../platform/index.ts';
import type { TaskDeps } from './deps.ts';
import { postProgress } from './progress.ts';
import { listEvents } from './read.ts';
import { taskReceipt } from './receipt.ts';
import { receiptKey } from './receipt-key.ts';
import { streamTask } from './stream.ts';

/** What a task tells: while it runs, afterwards, and signed. */
export function progressRoutes(deps: TaskDeps): Route[] {
  const signingKey = receiptKey(sealer(deps.config).digest('receipt key'));
  return [
    route('tasks.stream', (call) => streamTask(deps, call)),
    route('tasks.events', (call) => listEvents(deps, call)),
    route('tasks.progress', postProgress),
    route('tasks.receipt', (call) => taskReceipt(deps, signingKey, call)),
    route('tasks.receiptKey', async () => signingKey),
  ];
}
