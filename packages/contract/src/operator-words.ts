/** What the operator's pages tell of, in words. No schema here, so that pages can use them without. */

/** Why work does not go on, the most urgent first. */
export const stuckKinds = [
  'role_missing',
  'task_overdue',
  'sandbox_lost',
  'gate_slow',
  'job_given_up',
  'job_late',
  'timed_job_late',
  'reader_behind',
  'payment_unsettled',
  'task_silent',
  'task_without_agent',
  'webhook_failing',
] as const;
export type StuckKind = (typeof stuckKinds)[number];

export const historyPeriods = ['hour', 'day', 'week', 'month'] as const;
export type HistoryPeriod = (typeof historyPeriods)[number];

/** Figures of the history, with what each is. Those of processes are of all servers together, unless they say otherwise. */
export const historyFigures = {
  requests: 'requests answered a second',
  clientErrors: 'of them, those refused with 4xx a second',
  serverErrors: 'of them, those failed with 5xx a second',
  latencyP50Ms: 'half of the requests took at most so many milliseconds, without those that wait on purpose',
  latencyP95Ms: 'the same of 95 %',
  loopBusy: 'how busy the event loop of the busiest server was, from 0 to 1',
  memoryBytes: 'resident memory',
  connectionsBusy: 'connections to the database in use',
  connectionsWaiting: 'requests that wait for a connection',
  timedJobLagSeconds: 'how late the timed job was that was the latest',
  openSubmitted: 'tasks that wait for an agent',
  openRouting: 'tasks that are offered to an agent',
  openExecuting: 'tasks that are being worked on',
  openQualityCheck: 'tasks that are being checked',
  passed: 'deliveries that passed, an hour',
  failed: 'tasks that failed, an hour',
  refunded: 'tasks that were refunded, an hour',
  queuedTasks: 'tasks that wait in the queue',
  overdueSeconds: 'how long the task has been overdue that is so the longest',
  queuedJobs: 'jobs of the durable queue',
  queuedJobsLateSeconds: 'how late the job of the durable queue is that waits the longest',
  eventsBehind: 'events that the slowest reader of the log has not read',
  gateSeconds: 'mean time from delivery to verdict, of the 15 minutes before',
  sandboxes: 'sandboxes that live',
  paidInCents: 'cents paid in by cards, an hour',
  paidOutCents: 'cents paid out to banks, an hour',
} as const;
export type HistoryFigure = keyof typeof historyFigures;
