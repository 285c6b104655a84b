import { type Operations, type ReplyOf, toId, toUuid } from '@agora-market/contract';
import {
  type ApprovalItem,
  approvalView,
  findApproval,
  requestApprovalStep,
  requirePending,
} from '../../embassy/index.ts';
import { type AgentCaller, type Call, ensure, newUuid, RuleReply } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { ApprovalNeeded } from './refuse-submission.ts';
import { type Submission, submitTask, submitted } from './submit.ts';

/** Of a description, so much is kept for lists of requests. */
const descriptionChars = 500;

type AgentSubmission = Submission & { caller: AgentCaller };

/** Submits a task for an agent. One above its approval threshold waits for the owner. */
export async function submitAsAgent(deps: TaskDeps, call: AgentSubmission) {
  try {
    return await submitTask(deps, call);
  } catch (error) {
    if (error instanceof ApprovalNeeded) return askForApproval(deps, call, error.threshold);
    throw error;
  }
}

/** Keeps a submission until the owner decides. Nothing is held meanwhile. */
async function askForApproval(deps: TaskDeps, { caller, body, ...call }: AgentSubmission, threshold: number) {
  const id = newUuid(deps.clock);
  const item: ApprovalItem = {
    id,
    shownId: toId('approval', id),
    ownerId: caller.ownerId,
    agentId: caller.agentId,
    submission: body,
    description: body.input.description?.slice(0, descriptionChars) ?? null,
    threshold,
    correlationId: call.correlationId,
    at: call.now.toISOString(),
    expiresAt: new Date(call.now.getTime() + deps.config.APPROVAL_TTL_MS).toISOString(),
  };
  const claim = call.claim && { subject: item.id, ...call.claim };
  const { outcome } = await deps.writer.write(requestApprovalStep, item, claim);
  ensure(outcome === 'ok', 'POLICY_DENIED', 'Too many requests wait for approval. The owner must decide some first.');
  return approvalAsked(deps, item.id);
}

/** The reply to a submission that waits for its owner. */
async function approvalAsked(deps: TaskDeps, id: string) {
  const found = await findApproval(deps.pool, id);
  ensure(found, 'NOT_READY');
  return new RuleReply(202, { approval: approvalView(found) });
}

/** The reply to an agent's submission that was committed before its reply got lost: a task, or a request. */
export async function replaySubmitted(deps: TaskDeps, subject: string) {
  const task = await deps.loadTask(subject);
  return task ? submitted(deps, task) : approvalAsked(deps, subject);
}

type Approve = Operations['embassy.approve'];

/** Approves a request: what was asked for is submitted now, with everything but the threshold checked again. */
export async function approve(deps: TaskDeps, call: Call<Approve>): Promise<ReplyOf<Approve>> {
  const { caller, now, claim } = call;
  const request = await requirePending(deps.pool, caller.ownerId, call.params.approvalId, now);
  const { id, agentId, ownerId, submission, correlationId } = request;
  const agent = await deps.loadHireable(agentId);
  ensure(agent?.status === 'active', 'AGENT_NOT_ACTIVE', 'The agent that asked is not active any more.');
  const asked = { caller: { kind: 'agent' as const, agentId, ownerId }, body: submission, now, correlationId, claim };
  return approved(deps, await submitTask(deps, { ...asked, approvalId: id }), id);
}

/** The reply to an approval that was committed before its reply got lost. */
export async function replayApproved(deps: TaskDeps, call: Call<Approve>, taskId: string): Promise<ReplyOf<Approve>> {
  const [task, id] = [await deps.loadTask(taskId), toUuid('approval', call.params.approvalId)];
  ensure(task && id, 'NOT_READY');
  return approved(deps, await submitted(deps, task), id);
}

async function approved(
  { pool }: TaskDeps,
  task: ReplyOf<Approve>['task'],
  approvalId: string,
): Promise<ReplyOf<Approve>> {
  const request = await findApproval(pool, approvalId);
  ensure(request, 'NOT_READY');
  return { approval: approvalView(request), task };
}
