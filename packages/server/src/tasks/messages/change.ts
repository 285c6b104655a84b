import {
  type Acceptance,
  type BodyOf,
  maxInlineBytes,
  type Operations,
  type ReplyOf,
  type TaskInput,
  toId,
  toUuid,
} from '@agora-market/contract';
import { keyOf, wholeOf } from '../../objects/index.ts';
import {
  type AgentCaller,
  ApiError,
  type Call,
  ensure,
  type OwnerCaller,
  type Queryable,
} from '../../platform/index.ts';
import { partyTask } from '../access.ts';
import { findChange } from '../artifacts/sql.ts';
import type { TaskDeps } from '../deps.ts';
import { submitTask } from '../lifecycle/submit.ts';
import { lockedTask, type TaskRow } from '../sql.ts';
import { declineOffer } from './decide.ts';
import { activePlan, attachmentsOf, findMessage, type MessageRow } from './sql.ts';
import { messageView, offerStatus } from './view.ts';

type Accept = Operations['tasks.acceptChange'];
type Decline = Operations['tasks.declineChange'];

/** The agent takes the follow-up task. One transaction submits it and decides the offer, so it is submitted once. */
export async function acceptChange(deps: TaskDeps, call: Call<Accept>): Promise<ReplyOf<Accept>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  ensure(role === 'assignee', 'NOT_A_PARTY', 'Only the agent can accept a change request.');
  const offer = await requireOffer(deps.pool, task, call);
  if (offer.offerDecision === 'accepted') return shown(deps.pool, task, offer, call.now);
  refuseUnlessOpen(offer, call.now);
  ensure(task.status === 'completed', 'TASK_WRONG_STATE', `The task is ${task.status}, so the offer does not stand.`);
  ensure(task.inputExpiresAt !== null, 'INPUT_EXPIRED');
  const { now } = call;
  const body = await followUp(deps, task, offer, now);
  const caller = await buyerOf(deps, task, offer.id);
  try {
    await submitTask(deps, {
      caller,
      body,
      now,
      correlationId: task.correlationId,
      offer: { id: offer.id, taskId: task.id },
    });
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'ALREADY_DECIDED')) throw refusedBy(error);
  }
  const decided = await requireOffer(deps.pool, task, call);
  ensure(decided.offerDecision === 'accepted', 'OFFER_NOT_OPEN');
  return shown(deps.pool, task, decided, now);
}

/** The agent does not want it, or the submitter takes it back. */
export async function declineChange({ tx, ...call }: Call<Decline>): Promise<ReplyOf<Decline>> {
  const loadTask = async (id: string) => (await lockedTask(tx, id)) ?? undefined;
  const { task, role } = await partyTask({ loadTask }, call.params.taskId, call.caller);
  const offer = await requireOffer(tx, task, call);
  refuseUnlessOpen(offer, call.now);
  const by = role === 'assignee' ? 'agent' : 'submitter';
  const decided = await declineOffer(tx, task, { id: offer.id, by, at: call.now });
  ensure(decided, 'OFFER_NOT_OPEN');
  return shown(tx, task, decided, call.now);
}

async function requireOffer(db: Queryable, task: TaskRow, { params }: Pick<Call<Accept>, 'params'>) {
  const id = toUuid('message', params.messageId);
  const offer = id === null ? null : await findMessage(db, id, task);
  ensure(offer && offer.offerPrice !== null, 'OFFER_NOT_OPEN');
  return offer;
}

const refuseUnlessOpen = (offer: MessageRow, now: Date) => ensure(offerStatus(offer, now) === 'open', 'OFFER_NOT_OPEN');

const shown = async (db: Queryable, task: TaskRow, message: MessageRow, now: Date) =>
  messageView(message, await attachmentsOf(db, [message.id]), task, now);

/** Who submitted the task, with what it may do now. */
async function buyerOf(deps: TaskDeps, task: TaskRow, offerId: string): Promise<OwnerCaller | AgentCaller> {
  const { ownerId, submitterAgentId: agentId } = task;
  const plan = await activePlan(deps.pool, ownerId);
  if (plan === null) throw refusedBy(new ApiError('OWNER_SUSPENDED'));
  if (agentId !== null) {
    if ((await deps.loadHireable(agentId))?.status !== 'active') throw refusedBy(new ApiError('AGENT_NOT_ACTIVE'));
    return { kind: 'agent', agentId, ownerId };
  }
  return { kind: 'owner', ownerId, plan, credential: { type: 'token', id: offerId } };
}

/** The agent learns that it cannot be, and by which rule; what the buyer has is not its business. */
function refusedBy(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.status >= 500) return error;
  return new ApiError('OFFER_REFUSED', undefined, { code: error.code }, { cause: error });
}

/** The same work from what was delivered: its change is a file of the workspace, where it is small enough. */
async function followUp(
  deps: TaskDeps,
  task: TaskRow,
  offer: MessageRow,
  now: Date,
): Promise<BodyOf<Operations['tasks.submit']>> {
  const taskId = toId('task', task.id);
  const { description = '', ...input } = task.input as TaskInput & { acceptance?: Acceptance };
  const told = (patch: string) =>
    `${offer.text}\n\nThis changes what you have delivered for ${taskId}. ${patch}\n\nThat task was:\n${description.slice(0, mostOfBefore).toWellFormed()}`;
  const common = {
    taskType: task.taskType,
    maxBudget: offer.offerPrice ?? 0,
    agentId: toId('agent', task.agentId ?? ''),
  };
  const patch = await deliveredPatch(deps, task.id, now);
  if (patch !== null) {
    const name = freeName(input.files ?? {});
    const files = { ...input.files, [name]: patch };
    const from = `Its change, with those of earlier tasks, is in ${name}. First apply that file alone with git apply, and delete it.`;
    const whole = { ...input, files, description: told(from) };
    if (Buffer.byteLength(JSON.stringify(whole)) <= maxInlineBytes) return { ...common, input: whole };
  }
  const from = `Its output is at /tasks/${taskId}, its change at /tasks/${taskId}/changes/patch, as far as they are kept.`;
  return { ...common, input: { ...input, description: told(from) } };
}

/** A description takes 100,000 characters, with the request. */
const mostOfBefore = 80_000;

/** The task may have been a follow-up itself, or have a file of that name. */
function freeName(files: object): string {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? 'delivered.patch' : `delivered-${nth}.patch`;
    if (!Object.hasOwn(files, name)) return name;
  }
}

/** Null where none is kept, it is too large for an input, or it lies on another server. */
async function deliveredPatch({ pool, hosts, objects }: TaskDeps, taskId: string, now: Date) {
  const [, patch] = await findChange(pool, taskId, now);
  if (!patch || patch.dropped !== null || patch.sizeBytes === 0 || patch.sizeBytes > maxInlineBytes) return null;
  if (patch.store !== null && patch.store !== hosts.store) return null;
  const content = await objects.get(keyOf('artifacts', patch.id));
  return content && (await wholeOf(content)).toString('utf8');
}
