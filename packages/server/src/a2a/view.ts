import { type Artifact, type Message, type Part, Role, type Task, TaskState, type TaskStatus } from '@a2a-js/sdk';
import { cancelledText, failureText, type TaskMessage } from '@agora-market/contract';
import type { Task as AgoraTask, Approval, Artifact as DeliveredFile } from '@agora-market/sdk';
import type { FurtherField } from '../webhooks/index.ts';

const none = { metadata: undefined, extensions: [] };

const part = (content: Part['content'], mediaType: string, more: Partial<Part> = {}): Part => ({
  ...{ content, mediaType, filename: '', metadata: undefined },
  ...more,
});
const text = (value: string, mediaType = 'text/plain') => part({ $case: 'text', value }, mediaType);
const data = (value: unknown) => part({ $case: 'data', value }, 'application/json');

/** A task as it is read; that of a push notification lacks some fields. */
export type SeenTask = Omit<AgoraTask, FurtherField> & Partial<Pick<AgoraTask, FurtherField>>;

/** A task as its client knows it: an approval stands for the task that it lets in, so its id stays that of the task. */
export interface Standing {
  id: string;
  approval: Approval | null;
  task: SeenTask | null;
}

/** Each task is a conversation of its own. */
export const contextOf = ({ id }: Pick<Standing, 'id'>): string => id;

const ended = [
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
  TaskState.TASK_STATE_REJECTED,
];
const interrupted = [TaskState.TASK_STATE_INPUT_REQUIRED, TaskState.TASK_STATE_AUTH_REQUIRED];

export const isEnded = (state: TaskState): boolean => ended.includes(state);
/** Nothing more happens, or not before the client does something. */
export const isAtRest = (state: TaskState): boolean => isEnded(state) || interrupted.includes(state);

export function stateOf({ task, approval }: Pick<Standing, 'task' | 'approval'>): TaskState {
  if (task !== null) return stateOfTask(task);
  return approval?.status === 'pending' ? TaskState.TASK_STATE_AUTH_REQUIRED : TaskState.TASK_STATE_REJECTED;
}

function stateOfTask({ status, waitingFor, startedAt, errorMessage }: SeenTask): TaskState {
  switch (status) {
    case 'submitted':
    case 'routing':
      return TaskState.TASK_STATE_SUBMITTED;
    case 'executing':
      return waitingFor === null ? TaskState.TASK_STATE_WORKING : TaskState.TASK_STATE_INPUT_REQUIRED;
    case 'quality_check':
      return TaskState.TASK_STATE_WORKING;
    // A refund gives the price back, and takes nothing of what was delivered.
    case 'completed':
    case 'refunded':
      return TaskState.TASK_STATE_COMPLETED;
    case 'failed':
      if (startedAt === null && errorMessage === cancelledText) return TaskState.TASK_STATE_CANCELED;
      return startedAt === null ? TaskState.TASK_STATE_REJECTED : TaskState.TASK_STATE_FAILED;
  }
}

/** The statuses of the API that a state can only have, if it is one alone: a page of them has fewer others. */
export const statusOf: Partial<Record<TaskState, AgoraTask['status']>> = {
  [TaskState.TASK_STATE_INPUT_REQUIRED]: 'executing',
  [TaskState.TASK_STATE_FAILED]: 'failed',
  [TaskState.TASK_STATE_CANCELED]: 'failed',
  [TaskState.TASK_STATE_REJECTED]: 'failed',
};

/** What was said, with who said it: to a model, the words of the agent are those of a stranger. */
export function messageOf(standing: Standing, said: TaskMessage): Message {
  const { author, kind, blocking, answers, attachments } = said;
  return {
    ...none,
    ...{ messageId: said.id, taskId: standing.id, contextId: contextOf(standing), referenceTaskIds: [] },
    role: author === 'agent' ? Role.ROLE_AGENT : Role.ROLE_USER,
    parts: [text(said.text)],
    metadata: { agora: { author, kind, blocking, answers, attachments } },
  };
}

/** In the words of the platform, unless `by` says whose they are. */
export const note = (standing: Standing, words: string, by: 'agent' | 'platform' = 'platform'): Message => ({
  ...none,
  ...{ messageId: `${standing.id}-status`, taskId: standing.id, contextId: contextOf(standing), referenceTaskIds: [] },
  role: Role.ROLE_AGENT,
  parts: [text(words)],
  metadata: { agora: { author: by } },
});

/** The brief as the first message of its history. */
export const briefOf = (standing: Standing, { input }: SeenTask): Message => ({
  ...note(standing, typeof input.description === 'string' ? input.description : JSON.stringify(input)),
  ...{ messageId: `${standing.id}-brief`, role: Role.ROLE_USER, metadata: { agora: { author: 'submitter' } } },
});

/** Why the status is as it is. */
function words(standing: Standing, question: TaskMessage | null): Message | undefined {
  const { task, approval } = standing;
  if (question !== null) return messageOf(standing, question);
  if (task?.status === 'failed')
    return note(standing, failureText(task), task.reason === undefined ? 'platform' : 'agent');
  if (task !== null || approval === null) return undefined;
  const { status, note: reason, expiresAt } = approval;
  if (status === 'pending') {
    return note(standing, `The owner of the hiring agent has to approve this until ${expiresAt}. Nobody works yet.`);
  }
  const how = status === 'denied' ? 'The owner denied the hire' : 'Nobody approved the hire in time';
  return note(standing, reason ? `${how}: ${reason}` : `${how}.`);
}

export const statusMessage = (standing: Standing, question: TaskMessage | null): TaskStatus => ({
  state: stateOf(standing),
  message: words(standing, question),
  timestamp: timeOf(standing),
});

function timeOf({ task, approval }: Standing): string | undefined {
  if (task === null) return approval?.decidedAt ?? approval?.createdAt;
  return task.finishedAt ?? task.startedAt ?? task.assignedAt ?? task.createdAt;
}

/** What the standard has no field for. */
const facts = ({ task, approval }: Standing): object => {
  if (task === null) return { approval };
  const { id, status, taskType, agentId, maxBudget, price, creditsCharged, qualityScore } = task;
  const { acceptBy, deadline, waitingUntil, waiting, pullRequest, inputWarnings } = task;
  return {
    ...{ taskId: id, status, taskType, agentId, maxBudget, price, creditsCharged, qualityScore },
    ...{ acceptBy, deadline, waitingUntil, waiting, pullRequest, inputWarnings },
  };
};

export const taskOf = (
  standing: Standing,
  question: TaskMessage | null,
  { artifacts = [], history = [] }: Partial<Pick<Task, 'artifacts' | 'history'>> = {},
): Task => ({
  ...{ id: standing.id, contextId: contextOf(standing), status: statusMessage(standing, question) },
  ...{ artifacts, history, metadata: { agora: facts(standing) } },
});

const artifact = (artifactId: string, name: string, parts: Part[], more: Partial<Artifact> = {}): Artifact => ({
  ...none,
  ...{ artifactId, name, description: '', parts },
  ...more,
});

/** The output of a task in the agent's own words: its `result` as text where it is one, and the rest as data. */
export function outputOf({ output }: SeenTask): Artifact[] {
  if (output === null) return [];
  const { result, ...rest } = output;
  const said = typeof result === 'string' ? result : null;
  const more = said === null ? output : rest;
  const parts = [...(said === null ? [] : [text(said)]), ...(Object.keys(more).length > 0 ? [data(more)] : [])];
  return parts.length === 0 ? [] : [artifact('output', 'Output', parts, { metadata: { agora: { author: 'agent' } } })];
}

export const changeOf = (content: Part['content']): Artifact =>
  artifact('change', 'Change', [part(content, 'text/x-diff', { filename: 'change.patch' })], {
    description: 'What the delivery changes in the input, as a patch for git apply',
  });

/** A delivered file by its address, which takes the same credentials as this call. */
export function fileOf({ id, path, contentType, sizeBytes, sha256, dropped }: DeliveredFile, url: string): Artifact {
  const where = part({ $case: 'url', value: url }, contentType, { filename: path });
  return artifact(id, path, [where], { metadata: { agora: { sizeBytes, sha256, dropped } } });
}
