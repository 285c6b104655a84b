import {
  agreedPrice,
  type BodyOf,
  categoryOf,
  feeBps,
  maxInlineBytes,
  type Operations,
  type ReplyOf,
  toId,
  toUuid,
} from '@agora-market/contract';
import { type BuyersPolicies, blockedBy, brokenRule, buyersPolicies, policyDenied } from '../../embassy/index.ts';
import {
  type AgentCaller,
  ApiError,
  type Call,
  type Config,
  ensure,
  invalidField,
  minuteMs,
  newUuid,
  type OwnerCaller,
} from '../../platform/index.ts';
import { runsCommands } from '../assessment/run-gate.ts';
import type { TaskDeps } from '../deps.ts';
import { requireAttempts } from '../groups/plan.ts';
import { requireBundle } from '../inputs/bundles.ts';
import { bundledCommit, checkRemote, remoteOf } from '../inputs/git-remote.ts';
import { heldOutFiles, inputFiles } from '../inputs/input-files.ts';
import { refuseWithoutSandbox } from '../inputs/needs-sandbox.ts';
import { checkSchema } from '../inputs/schema.ts';
import { inputWarnings } from '../inputs/warnings.ts';
import { changeDecided } from '../messages/decide.ts';
import { checkPullRequest } from '../pulls/wish.ts';
import { isMatched, withWaiting } from '../queue/waiting.ts';
import { type Assignment, type Blocked, routed, routedApart, routingRounds } from '../routing/routing.ts';
import type { TaskRow } from '../sql.ts';
import { type SubmitItem, type SubmitOutcome, submitStep, submitTogetherStep } from '../steps/index.ts';
import { remember } from '../task-cache.ts';
import { taskView } from '../view.ts';
import { nobodyFor, refusedByAgent, refuseSubmission } from './refuse-submission.ts';

type Body = BodyOf<Operations['tasks.submit']>;
export type SubmitCall = Call<Operations['tasks.submit']> | Call<Operations['tasks.submitAsAgent']>;

/** Who submits what. */
export interface Submission extends Pick<SubmitCall, 'body' | 'now' | 'correlationId'> {
  claim?: SubmitCall['claim'];
  caller: OwnerCaller | AgentCaller;
  /** The request by which the owner approved it, if it did. */
  approvalId?: string;
  /** The change request whose offer is accepted by it, if one is. */
  offer?: { id: string; taskId: string };
}

type Submitted = ReplyOf<Operations['tasks.submit']>;

/** Approximate size of a cached agent. */
const hireableBytes = 400;

/**
 * Submits a task: routes it (or hires the named agent) and holds the budget, in one step. Of several attempts all are
 * submitted or none; the first one is returned.
 */
export async function submitTask(deps: TaskDeps, call: Submission): Promise<Submitted> {
  const { caller, body } = call;
  const inputBytes = checkInput(body, deps.config);
  await checkPullRequest(deps, caller, body.input);
  await deps.storage.requireRoom(caller.ownerId);
  if (runsCommands(body) || body.input.environment?.setup !== undefined) {
    await deps.gateCpu.requireAllowance(caller.ownerId);
  }
  const schema = body.input.acceptance?.schema;
  await refuseWithoutSandbox(deps, caller, body.input);
  await requireBundle(deps, caller, body.input, true);
  if (schema !== undefined) await checkSchema(deps, schema, caller.ownerId);
  const { attempts = 1 } = body;
  await requireAttempts(deps.pool, caller, attempts);
  const ids = Array.from({ length: attempts }, () => newUuid(deps.clock)) as [string, ...string[]];
  const avoid: Blocked = { agents: [], owners: [] };
  for await (const assigned of assignments(deps, caller, body, avoid)) {
    const tasks = assigned.map((assignment, at) => draft(deps, call, ids, at, assignment)) as [TaskRow, ...TaskRow[]];
    const outcome = await store(deps, call, tasks, assigned);
    // Who is blocked is looked up only now: most owners block nobody.
    if (outcome === 'agent_blocked') Object.assign(avoid, blockedBy(await policiesOf(deps, caller)));
    if (outcome === 'ok') {
      for (const task of tasks) remember(deps, task, inputBytes);
      return submitted(deps, tasks[0]);
    }
  }
  if (body.agentId !== undefined) throw new ApiError('HIRE_TARGET_NOT_ACTIVE');
  const policies = await policiesOf(deps, caller);
  refuseByPolicy(policies, call);
  if (!(await mayWait(deps, caller, body, blockedBy(policies)))) throw await nobodyFor(deps.pool, caller.ownerId);
  const task = draft(deps, call, ids, 0, null);
  await store(deps, call, [task], [null]);
  deps.queue.joined(task.id);
  return submitted(deps, task);
}

/** Whether the task joins the queue: it may wait, and agents match that are only busy. */
const mayWait = async (deps: TaskDeps, caller: Submission['caller'], body: Body, avoid: Blocked): Promise<boolean> =>
  (body.waitMinutes ?? 0) > 0 &&
  isMatched(deps, { ...body, ownerId: caller.ownerId, submitterAgentId: agentOf(caller), avoid });

const agentOf = (caller: Submission['caller']) => (caller.kind === 'agent' ? caller.agentId : null);

const policiesOf = (deps: TaskDeps, caller: Submission['caller']) =>
  buyersPolicies(deps.pool, caller.ownerId, agentOf(caller));

/** What the submitter's own rules forbid is refused so also where no agent is free. */
function refuseByPolicy(policies: BuyersPolicies, { body, now }: Submission): void {
  const required = body.maxBudget * (body.attempts ?? 1);
  const denial = brokenRule(policies, { category: categoryOf(body.taskType), required, at: now });
  if (denial !== null) throw policyDenied(denial);
}

export async function submitted(deps: TaskDeps, task: TaskRow): Promise<Submitted> {
  const shown = { warnings: inputWarnings(task, deps.config), ...taskView(task, 'submitter') };
  const [view = shown] = await withWaiting(deps, task.ownerId, [shown]);
  return view;
}

/** Refuses an input that no agent could work on; gives its size in bytes. */
export function checkInput({ input }: Pick<Body, 'input'>, config: Config): number {
  const size = Buffer.byteLength(JSON.stringify(input));
  if (size > maxInlineBytes) {
    throw new ApiError('PAYLOAD_TOO_LARGE', `input has ${size} bytes. The limit is ${maxInlineBytes}.`, {
      field: 'input',
      sizeBytes: size,
      maxBytes: maxInlineBytes,
    });
  }
  inputFiles(input);
  heldOutFiles(input);
  checkRemote(input, config);
  return size;
}

/** As `checkInput`, for an input that is kept to be submitted again and again. */
export function checkSavedInput(input: Body['input'], config: Config): void {
  checkInput({ input }, config);
  const remote = remoteOf(input);
  const why = 'names a bundle, which is kept for some days only. Name a repository at a server';
  if (remote !== null && bundledCommit(remote) !== null) throw invalidField('input.repo.url', why);
}

/** Offers an agent for each attempt. */
async function* assignments(
  deps: TaskDeps,
  caller: OwnerCaller | AgentCaller,
  { taskType, maxBudget, input, agentId, attempts = 1 }: Body,
  avoid: Blocked,
): AsyncGenerator<Assignment[]> {
  const toRoute = { taskType, maxBudget, input, ownerId: caller.ownerId, submitterAgentId: agentOf(caller), avoid };
  if (attempts > 1) return yield* routedApart(deps, { ...toRoute, isNew: true }, attempts);
  const offers = agentId === undefined ? routed(deps, { ...toRoute, isNew: true }) : directHire(deps, caller, agentId);
  for await (const assignment of offers) yield [assignment];
}

/** The named agent at the price that this process knows. If the step finds another price, the agent is read again. */
async function* directHire(
  deps: TaskDeps,
  caller: OwnerCaller | AgentCaller,
  agentId: string,
): AsyncGenerator<Assignment> {
  const uuid = toUuid('agent', agentId);
  if (uuid === null) throw invalidField('agentId', 'must be an agent id');
  const known = deps.cache.hireables.get(uuid);
  if (known?.status === 'active' && known.ownerId !== caller.ownerId) {
    yield { agentId: uuid, ownerId: known.ownerId, baseRateCents: known.baseRateCents, routing: null };
  }
  for (let round = 0; round < routingRounds; round++) {
    const agent = await deps.loadHireable(uuid);
    ensure(agent, 'AGENT_NOT_FOUND');
    ensure(agent.ownerId !== caller.ownerId, 'SAME_OWNER');
    ensure(agent.status === 'active', 'HIRE_TARGET_NOT_ACTIVE');
    deps.cache.hireables.set(uuid, agent, hireableBytes);
    yield { agentId: uuid, ownerId: agent.ownerId, baseRateCents: agent.baseRateCents, routing: null };
  }
}

/** The task for one of the attempts; without an assignment it waits for an agent. */
function draft(
  { config }: TaskDeps,
  call: Submission,
  ids: string[],
  nth: number,
  assignment: Assignment | null,
): TaskRow {
  const { caller, body, now } = call;
  const at = now.toISOString();
  const later = (ms: number) => new Date(now.getTime() + ms).toISOString();
  return {
    id: ids[nth] as string,
    ownerId: caller.ownerId,
    submitterAgentId: caller.kind === 'agent' ? caller.agentId : null,
    agentId: assignment?.agentId ?? null,
    taskType: body.taskType,
    maxBudget: body.maxBudget,
    price: agreedPrice(body.maxBudget, assignment?.baseRateCents ?? null),
    feeBps,
    input: body.input,
    inputExpiresAt: later(config.INPUT_TTL_MS),
    output: null,
    status: assignment?.routing ? 'routing' : 'submitted',
    declaredScore: null,
    qualityScore: null,
    executionTimeMs: null,
    creditsCharged: null,
    reason: null,
    errorMessage: null,
    failedBy: null,
    feedbackDirection: null,
    feedbackComment: null,
    feedbackAt: null,
    sandboxId: null,
    assessmentId: null,
    correlationId: call.correlationId,
    createdAt: at,
    assignedAt: assignment && at,
    startedAt: null,
    finishedAt: null,
    acceptedAt: null,
    acceptBy: assignment && later(config.ACCEPT_DEADLINE_MS),
    deadline: null,
    waitingUntil: null,
    attempts: 0,
    earlierAgents: null,
    groupTasks: ids.length > 1 ? ids : null,
  };
}

async function store(
  deps: TaskDeps,
  call: Submission,
  tasks: [TaskRow, ...TaskRow[]],
  assigned: (Assignment | null)[],
): Promise<'ok' | 'passed_over' | 'agent_blocked'> {
  const items = tasks.map((task, nth) => itemOf(deps, call, task, assigned[nth] ?? null));
  const [first] = items as [SubmitItem];
  const claim = call.claim && { subject: first.id, ...call.claim };
  const answer = await (items.length === 1
    ? deps.writer.write(submitStep, first, claim)
    : deps.writer.write(submitTogetherStep, items, claim));
  refuseSubmission(answer as SubmitOutcome, tasks);
  if (answer.outcome === 'agent_refuses' && call.body.agentId !== undefined)
    throw await refusedByAgent(deps.pool, call.caller.ownerId);
  if (answer.outcome === 'ok' || answer.outcome === 'agent_blocked') return answer.outcome;
  return 'passed_over';
}

/** No task waits longer than its input lasts. */
const waitEnds = ({ body, now }: Submission, { inputExpiresAt }: TaskRow): string => {
  const wantedMs = now.getTime() + (body.waitMinutes ?? 0) * minuteMs;
  return new Date(Math.min(wantedMs, Date.parse(inputExpiresAt as string))).toISOString();
};

/** What its event tells of an approval or of an offer that the task decides. */
function decisionOf({ approvalId, offer }: Submission, { id, taskType }: TaskRow): object | null {
  if (approvalId !== undefined) return { approvalId: toId('approval', approvalId) };
  if (offer === undefined) return null;
  return changeDecided({ messageId: offer.id, decision: 'accepted', by: 'agent', taskType, followUp: id });
}

const itemOf = ({ config }: TaskDeps, call: Submission, task: TaskRow, assignment: Assignment | null): SubmitItem => ({
  id: task.id,
  ownerId: task.ownerId,
  submitterAgentId: task.submitterAgentId,
  agentId: task.agentId,
  routed: assignment !== null && assignment.routing !== null,
  routing: assignment?.routing ?? null,
  taskType: task.taskType,
  maxBudget: task.maxBudget,
  price: task.price,
  feeBps: task.feeBps,
  baseRate: assignment?.baseRateCents ?? null,
  input: task.input,
  inputExpiresAt: task.inputExpiresAt as string,
  queue: assignment === null ? categoryOf(task.taskType) : null,
  mostQueued: config.QUEUE_OWNER_TASKS,
  dueAt: task.acceptBy ?? waitEnds(call, task),
  deadlineMs:
    call.body.deadlineMinutes === undefined ? config.EXECUTION_DEADLINE_MS : call.body.deadlineMinutes * minuteMs,
  correlationId: task.correlationId,
  approvalId: call.approvalId ?? null,
  offerId: call.offer?.id ?? null,
  offerTaskId: call.offer?.taskId ?? null,
  decision: decisionOf(call, task),
  at: task.createdAt,
  ...(task.groupTasks !== null && { groupTasks: task.groupTasks }),
});
