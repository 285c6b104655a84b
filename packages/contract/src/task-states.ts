/** The spec's task table as data: server, SQL steps, tests and dashboard read this one. */

export const taskStatuses = [
  'submitted',
  'routing',
  'executing',
  'quality_check',
  'completed',
  'failed',
  'refunded',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Every phase of a task, and the job that ends it when the time in it has run out, so that none is stuck for ever. */
export const phaseSweeps = {
  /** No agent has committed. */
  waiting: 'tasks.expireOverdue',
  /** The agent has until the deadline. */
  working: 'tasks.expireOverdue',
  /** The gate has to answer. */
  judging: 'tasks.resumeGates',
  ended: null,
} as const;

export type TaskSweep = NonNullable<(typeof phaseSweeps)[keyof typeof phaseSweeps]>;

/** Meaning of a status for the rules. */
interface StatusClass {
  phase: keyof typeof phaseSweeps;
  /** The price was charged, whether or not it was given back later. */
  isCharged: boolean;
  /** Counts against the agent's capacity. */
  takesCapacity: boolean;
}

/** Every list of statuses in the rules comes from here. */
export const statusClasses: Readonly<Record<TaskStatus, StatusClass>> = {
  // A direct hire, or a task in the queue that no agent has yet. It takes up none of the capacity before it is started.
  submitted: { phase: 'waiting', isCharged: false, takesCapacity: false },
  routing: { phase: 'waiting', isCharged: false, takesCapacity: true },
  executing: { phase: 'working', isCharged: false, takesCapacity: true },
  quality_check: { phase: 'judging', isCharged: false, takesCapacity: true },
  completed: { phase: 'ended', isCharged: true, takesCapacity: false },
  failed: { phase: 'ended', isCharged: false, takesCapacity: false },
  refunded: { phase: 'ended', isCharged: true, takesCapacity: false },
};

const statusesWhere = (holds: (of: StatusClass) => boolean): readonly TaskStatus[] =>
  taskStatuses.filter((status) => holds(statusClasses[status]));

export const waitingStatuses = statusesWhere(({ phase }) => phase === 'waiting');
export const workingStatuses = statusesWhere(({ phase }) => phase === 'working');
export const judgingStatuses = statusesWhere(({ phase }) => phase === 'judging');
/** Their budgets are held. */
export const openStatuses = statusesWhere(({ phase }) => phase !== 'ended');
export const terminalStatuses = statusesWhere(({ phase }) => phase === 'ended');
export const chargedStatuses = statusesWhere(({ isCharged }) => isCharged);
export const uncountedStatuses = statusesWhere(({ takesCapacity }) => !takesCapacity);

/** Whether its agent has committed and has not delivered. */
export const isWorking = ({ status }: { status: TaskStatus }): boolean => statusClasses[status].phase === 'working';

export type TaskParty = 'submitter' | 'assignee' | 'platform';

interface Transition {
  from: readonly TaskStatus[];
  to: TaskStatus;
  by: TaskParty;
}

/** Every verb that changes a task's status: from where, to where, and who may say it. */
export const taskTransitions = {
  start: { from: ['submitted', 'routing'], to: 'executing', by: 'assignee' },
  complete: { from: ['executing'], to: 'quality_check', by: 'assignee' },
  fail: { from: ['executing'], to: 'failed', by: 'assignee' },
  pass: { from: ['quality_check'], to: 'completed', by: 'platform' },
  reject: { from: ['quality_check'], to: 'failed', by: 'platform' },
  /** A delivery that passed is one of several attempts: it waits for the others. */
  shortlist: { from: ['quality_check'], to: 'quality_check', by: 'platform' },
  /** A delivery that passed, where another attempt of its group is paid. */
  passOver: { from: ['quality_check'], to: 'failed', by: 'platform' },
  expire: { from: ['submitted', 'routing', 'executing'], to: 'failed', by: 'platform' },
  /** Where the platform chose the agent and finds another, the task is reassigned instead. */
  decline: { from: ['submitted', 'routing'], to: 'failed', by: 'assignee' },
  cancel: { from: ['submitted', 'routing'], to: 'failed', by: 'submitter' },
  /** A task in the queue gets its first agent. */
  assign: { from: ['submitted'], to: 'routing', by: 'platform' },
  reassign: { from: ['routing'], to: 'routing', by: 'platform' },
  /** The buyer's repository cannot be cloned for its agent. */
  lackInput: { from: ['submitted', 'routing', 'executing'], to: 'failed', by: 'platform' },
  abandon: { from: ['quality_check'], to: 'failed', by: 'platform' },
  refund: { from: ['completed'], to: 'refunded', by: 'submitter' },
  feedback: { from: ['completed'], to: 'completed', by: 'submitter' },
} as const satisfies Record<string, Transition>;

export type TaskVerb = keyof typeof taskTransitions;

/** Who a caller is to a task. `none` is everybody else. */
export type TaskRole = 'submitter' | 'assignee' | 'none';

export type Permission = { ok: true } | { ok: false; code: 'NOT_A_PARTY' | 'TASK_WRONG_STATE'; why: string };

function judge(verb: TaskVerb, status: TaskStatus, role: TaskRole): Permission {
  const transition: Transition = taskTransitions[verb];
  if (transition.by !== role) {
    return { ok: false, code: 'NOT_A_PARTY', why: `Only the ${transition.by} of this task can do that.` };
  }
  if (transition.from.includes(status)) return { ok: true };
  const wanted = transition.from.join(' or ');
  return { ok: false, code: 'TASK_WRONG_STATE', why: `The task is ${status}; this needs it to be ${wanted}.` };
}

/** `can.<verb>(task, role)`: whether the caller may do it now, and otherwise why not, in words a button can show. */
export const can = Object.fromEntries(
  (Object.keys(taskTransitions) as TaskVerb[]).map((verb) => [
    verb,
    (task: { status: TaskStatus }, role: TaskRole) => judge(verb, task.status, role),
  ]),
) as Record<TaskVerb, (task: { status: TaskStatus }, role: TaskRole) => Permission>;
