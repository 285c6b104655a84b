import {
  type Acceptance,
  isWorking,
  type TaskRole,
  type TaskView,
  titleOf,
  toId,
  waitingStatuses,
} from '@agora-market/contract';
import type { ToldEvent } from '../events/index.ts';
import type { AgentCaller, OwnerCaller } from '../platform/index.ts';
import { failureOf } from './failures.ts';
import { groupIdOf, isWithheld } from './groups/attempts.ts';
import type { TaskRow } from './sql.ts';

/** Who the caller is to a task. A sub-hire belongs to the submitting agent and to the owner whose pool pays. */
export function roleOf(task: TaskRow, caller: OwnerCaller | AgentCaller): TaskRole {
  if (caller.kind === 'owner') return task.ownerId === caller.ownerId ? 'submitter' : 'none';
  if (task.submitterAgentId === caller.agentId) return 'submitter';
  return task.agentId === caller.agentId ? 'assignee' : 'none';
}

/** An agent reads the messages since it has the task; null for a party that reads all of them. */
export const readerAgent = (task: TaskRow, role: TaskRole) => (role === 'assignee' ? task.agentId : null);

/**
 * What an agent sees of a task's input: the description, the environment, and names and sizes of attached files. Once it has committed,
 * also the free-form keys and the acceptance. It reads code, contents and repositories only in the sandbox, never as
 * JSON.
 */
function inputForAgent(input: Record<string, unknown>, committed: boolean): Record<string, unknown> {
  const { code: _code, repo: _repo, files = {}, acceptance, ...others } = input;
  const shown: Record<string, unknown> = committed ? others : { redacted: true };
  if (committed && acceptance !== undefined) shown.acceptance = acceptanceForAgent(acceptance as Acceptance);
  if (typeof input.description === 'string') shown.description = input.description;
  if (input.environment !== undefined) shown.environment = input.environment;
  const attached = Object.entries(files as Record<string, unknown>);
  if (attached.length > 0) shown.files = attached.map(([path, file]) => ({ path, sizeBytes: fileSize(file) }));
  return shown;
}

/** The agent sees which measures apply, but not their content, to which it could fit its work. */
function acceptanceForAgent({ checks, files, reveal, tests, ...others }: Acceptance): Record<string, unknown> {
  const shown: Record<string, unknown> = { ...others };
  // Tests that are held out have names that tell of them.
  if (tests !== undefined && files === undefined && (reveal ?? 'output') === 'output') shown.tests = tests;
  if (checks === undefined || reveal === 'none') return shown;
  return { checks: checks.map(({ name, weight }) => ({ name, weight })), ...shown };
}

function fileSize(file: unknown): number {
  if (typeof file === 'string') return Buffer.byteLength(file);
  const { content, encoding } = file as { content: string; encoding?: 'utf8' | 'base64' };
  return Buffer.byteLength(content, encoding ?? 'utf8');
}

/**
 * The task as the wire shows it to one party. How long it may have to wait for an agent is added by `queue/waiting.ts`, what
 * became of its pull request by `pulls/view.ts`, and how its buyer deals by `buyers.ts`.
 */
export function taskView(task: TaskRow, role: TaskRole): TaskView {
  // An agent that never committed must not read more afterwards either.
  const committed = task.startedAt !== null && !waitingStatuses.includes(task.status);
  const isWaiting = isWorking(task) && task.waitingUntil !== null;
  const isHidden = role === 'submitter' && isWithheld(task);
  const { taskType } = task;
  const input = role === 'submitter' ? task.input : inputForAgent(task.input, committed);
  return {
    id: toId('task', task.id),
    title: titleOf({ input, taskType }),
    taskType,
    status: task.status,
    failure: task.status === 'failed' ? failureOf(task.failedBy) : null,
    maxBudget: task.maxBudget,
    // It is agreed with the agent.
    price: task.agentId === null ? null : task.price,
    agentId: task.agentId === null ? null : toId('agent', task.agentId),
    submitterId: task.submitterAgentId === null ? toId('owner', task.ownerId) : toId('agent', task.submitterAgentId),
    input,
    output: isHidden ? null : task.output,
    outputWithheld: isHidden,
    qualityScore: task.qualityScore,
    executionTimeMs: task.executionTimeMs,
    creditsCharged: task.creditsCharged,
    ...(task.reason !== null && { reason: task.reason }),
    ...(task.errorMessage !== null && { errorMessage: task.errorMessage }),
    feedback:
      task.feedbackDirection === null || task.feedbackAt === null
        ? null
        : { direction: task.feedbackDirection, comment: task.feedbackComment, createdAt: task.feedbackAt },
    group: task.groupTasks && membershipOf(task.id, task.groupTasks, role),
    sandboxId: task.sandboxId,
    assessmentId: task.assessmentId === null ? null : toId('assessment', task.assessmentId),
    correlationId: task.correlationId,
    createdAt: task.createdAt,
    assignedAt: task.assignedAt,
    startedAt: task.startedAt,
    finishedAt: task.finishedAt,
    accepted: task.acceptedAt === null ? null : { at: task.acceptedAt, price: task.price },
    acceptBy: task.acceptBy,
    deadline: task.deadline,
    waitingFor: isWaiting ? 'submitter' : null,
    waitingUntil: isWaiting ? task.waitingUntil : null,
    pullRequest: null,
    inputWarnings: [],
    buyer: null,
    waiting: null,
  };
}

/** Agents see how many compete, and not with which tasks. */
const membershipOf = (id: string, groupTasks: string[], role: TaskRole): TaskView['group'] => ({
  groupId: groupIdOf(groupTasks),
  attempt: groupTasks.indexOf(id) + 1,
  attempts: groupTasks.length,
  ...(role === 'submitter' && { taskIds: groupTasks.map((each) => toId('task', each)) }),
});

/** An event as the wire shows it. */
export const eventView = (event: ToldEvent, taskId: string) => ({
  eventId: toId('event', event.id),
  eventType: event.type,
  sourceDistrict: event.district,
  timestamp: event.at,
  data: event.data,
  metadata: { correlationId: event.correlationId, taskId },
});
