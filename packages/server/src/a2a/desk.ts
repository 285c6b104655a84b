import type { Artifact, Message, Task } from '@a2a-js/sdk';
import { RequestMalformedError, TaskNotFoundError } from '@a2a-js/sdk/errors';
import { nextQuestion, type TaskMessage } from '@agora-market/contract';
import { type Agora, AgoraError, type Task as AgoraTask, type RequestOptions } from '@agora-market/sdk';
import { kindOf, standsFor } from '../webhooks/index.ts';
import { briefOf, changeOf, fileOf, messageOf, outputOf, type SeenTask, type Standing, taskOf } from './view.ts';

/** A patch above so many bytes is told by its address. */
const mostPatchBytes = 256 * 1024;

/** What one exchange works with: the API with the credential of the caller, until the caller goes. */
export interface Desk {
  agora: Agora;
  options: RequestOptions & { as: 'owner' | 'agent'; signal: AbortSignal };
  /** The agent of this address; null at that of the platform. */
  agentId: string | null;
  /** Where clients reach the API. */
  apiUrl: string;
  /** Of A2A, in which the client speaks. */
  version: string;
  correlationId: string;
}

const isVisible = ({ agentId }: Desk, task: AgoraTask): boolean =>
  // Only the agent that does a task is told of its buyer; to A2A the client is who had it done.
  task.buyer === null && (agentId === null || task.agentId === agentId);

/** A task of the caller by its id, or by that of the approval that it waited for. */
export async function find(desk: Desk, id: string): Promise<Standing> {
  const { agora, options } = desk;
  const { approval, task } = await standsFor(kindOf(id), id, {
    approval: (approvalId) => agora.embassy.getApproval(approvalId, options),
    task: (taskId) => agora.tasks.get(taskId, options),
  });
  if (task !== null && !isVisible(desk, task)) throw new TaskNotFoundError();
  return { id, approval, task };
}

/** A task of a list, if this address is where it belongs. */
export const listed = (desk: Desk, task: AgoraTask): Standing | null =>
  isVisible(desk, task) ? { id: task.id, approval: null, task } : null;

/** All that was said of a task; each of its agents, and the submitter to each, may say 50 things. */
export const messagesOf = ({ agora, options }: Desk, taskId: string): Promise<TaskMessage[]> =>
  Array.fromAsync(agora.tasks.listMessages(taskId, { pageSize: 100 }, options));

/** The history that a client asks for, in messages. */
export function lengthOf(historyLength: number | undefined): number | undefined {
  if (historyLength === undefined || (Number.isInteger(historyLength) && historyLength >= 0)) return historyLength;
  throw new RequestMalformedError('historyLength must be a whole number of 0 or more.');
}

/** How much is told of a task. Each part costs calls, so what nobody asked for is left out. */
interface Extent {
  historyLength?: number | undefined;
  artifacts: boolean;
}

/** A task as its client sees it now. */
export async function shown(desk: Desk, standing: Standing, { historyLength = 0, artifacts }: Extent): Promise<Task> {
  const { task } = standing;
  if (task === null) return taskOf(standing, null);
  const isAsked = task.waitingFor !== null;
  const said = isAsked || historyLength > 0 ? await messagesOf(desk, task.id) : [];
  return taskOf(standing, isAsked ? nextQuestion(said, 'agent') : null, {
    artifacts: artifacts ? await artifactsOf(desk, task) : [],
    history: historyLength > 0 ? historyOf(standing, task, said).slice(-historyLength) : [],
  });
}

const historyOf = (standing: Standing, task: SeenTask, said: readonly TaskMessage[]): Message[] => [
  briefOf(standing, task),
  ...said.map((each) => messageOf(standing, each)),
];

/** What was delivered, if it was paid for: the output, the change, and the addresses of files. */
async function artifactsOf(desk: Desk, task: SeenTask): Promise<Artifact[]> {
  if (task.output === null) return [];
  return [...outputOf(task), ...(await changesOf(desk, task.id)), ...(await filesOf(desk, task.id))];
}

async function changesOf({ agora, options, apiUrl }: Desk, taskId: string): Promise<Artifact[]> {
  const reply = await agora.tasks.patch(taskId, options).catch(unlessGone);
  if (reply === null) return [];
  const sizeBytes = Number(reply.headers.get('content-length') ?? Number.POSITIVE_INFINITY);
  if (sizeBytes > mostPatchBytes) {
    await reply.body?.cancel();
    return [changeOf({ $case: 'url', value: `${apiUrl}/tasks/${taskId}/changes/patch` })];
  }
  const bytes = Buffer.from(await reply.arrayBuffer());
  const text = bytes.toString('utf8');
  // A patch of files in another encoding survives as bytes alone.
  return [changeOf(Buffer.from(text).equals(bytes) ? { $case: 'text', value: text } : { $case: 'raw', value: bytes })];
}

async function filesOf({ agora, options, apiUrl }: Desk, taskId: string): Promise<Artifact[]> {
  const page = await agora.artifacts.list(taskId, { pageSize: 100 }, options).catch(unlessGone);
  return (page?.data ?? []).map((file) => fileOf(file, `${apiUrl}/tasks/${taskId}/artifacts/${file.id}/content`));
}

/** What was not changed, is kept no longer, or was given back for a refund. */
function unlessGone(error: unknown): null {
  if (error instanceof AgoraError && ['CHANGES_NOT_FOUND', 'TASK_WRONG_STATE'].includes(error.code)) return null;
  throw error;
}
