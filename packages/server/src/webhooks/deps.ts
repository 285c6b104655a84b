import type { TaskMessage, TaskView } from '@agora-market/contract';
import type { approvalView } from '../embassy/index.ts';
import type { Clock, Config, Hosts, Hub, Logger, Pool } from '../platform/index.ts';
import type { TaskDeps } from '../tasks/index.ts';
import type { Secrets } from './secrets.ts';

/** What of a task takes further queries, and is left to a read. */
export type FurtherField = 'pullRequest' | 'inputWarnings' | 'waiting' | 'buyer';

/** How the task of a push notification stands: the approval alone while it is not let in. */
export interface PushedStanding {
  /** Of the task or of the approval. */
  id: string;
  approval: ReturnType<typeof approvalView> | null;
  task: Omit<TaskView, FurtherField> | null;
  messages: TaskMessage[];
}

/** Dependencies of this district's rules and jobs. */
export interface WebhookDeps {
  pool: Pool;
  clock: Clock;
  config: Pick<Config, 'OUTBOUND_ALLOW_LOOPBACK'>;
  hub: Hub;
  hosts: Pick<Hosts, 'countOf'>;
  log: Logger;
  /** From 0 up to 1, so that endpoints that failed together are not retried together. */
  random: () => number;
  loadTask: TaskDeps['loadTask'];
  secrets: Secrets;
  /** The body of a push notification in a version of A2A. */
  writePush(version: string, standing: PushedStanding): Promise<{ contentType: string; body: string }>;
}
