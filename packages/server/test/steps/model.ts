import {
  openTasksByTier,
  type TaskStatus,
  type TaskVerb,
  type TrustTier,
  taskTransitions,
} from '@agora-market/contract';
import type { DeliverItem } from '../../src/tasks/steps/deliver.ts';
import type { FeedbackItem } from '../../src/tasks/steps/feedback.ts';
import type { FinishItem } from '../../src/tasks/steps/finish.ts';
import type { StartItem } from '../../src/tasks/steps/start.ts';
import type { SubmitItem } from '../../src/tasks/steps/submit.ts';
import { type ModelBudget, overBudget } from './model-budget.ts';

/**
 * What the steps do, one after the other, as a beginner would write it down: no SQL, no batches. It is the measure the
 * real steps are held to.
 */

export interface ModelTask {
  owner: string;
  /** The agent that submitted it, where one did. */
  submitter: string | null;
  at: number;
  agent: string;
  status: TaskStatus;
  budget: number;
  price: number;
  deadlineMs: number;
  inputUntil: number;
  dueAt: number | null;
  finishedAt: number;
  output: unknown;
  declared: number | null;
  score: number | null;
  charged: number | null;
  feedback: string | null;
  sandbox: string | null;
  /** Earnings that wait, null once they were released or taken back. */
  escrowed: number | null;
}

export interface ModelAgent {
  status: string;
  tier: TrustTier;
  open: number;
  wallet: { escrowed: number; available: number };
}

export interface Model {
  owners: Map<string, { available: number; held: number; owed: number }>;
  agents: Map<string, ModelAgent>;
  tasks: Map<string, ModelTask>;
  /** By agent; most have none. */
  budgets: Map<string, ModelBudget>;
  fees: number;
}

export const emptyModel = (): Model => ({
  owners: new Map(),
  agents: new Map(),
  tasks: new Map(),
  budgets: new Map(),
  fees: 0,
});

export function newAgent(fields: Partial<ModelAgent> = {}): ModelAgent {
  return { status: 'active', tier: 'unverified', open: 0, wallet: { escrowed: 0, available: 0 }, ...fields };
}

const allowed = (verb: TaskVerb, status: TaskStatus) =>
  (taskTransitions[verb].from as readonly TaskStatus[]).includes(status);

const get = <V>(map: Map<string, V>, key: string): V => {
  const value = map.get(key);
  if (value === undefined) throw new Error(`the model has no ${key}`);
  return value;
};

export function submit(model: Model, item: SubmitItem) {
  const owner = get(model.owners, item.ownerId);
  const agent = get(model.agents, item.agentId as string);
  const available = Math.max(owner.available - owner.owed, 0);
  if (agent.status !== 'active') return { outcome: 'agent_gone', available };
  const refusal = overBudget(model, item);
  if (refusal) return { ...refusal, available };
  if (item.maxBudget > available) return { outcome: 'short', available };
  if (item.routed && agent.open >= openTasksByTier[agent.tier]) return { outcome: 'agent_full', available };
  owner.available -= item.maxBudget;
  owner.held += item.maxBudget;
  // A direct hire counts once it is started.
  if (item.routed) agent.open += 1;
  model.tasks.set(item.id, {
    owner: item.ownerId,
    submitter: item.submitterAgentId,
    at: Date.parse(item.at),
    agent: item.agentId as string,
    status: item.routed ? 'routing' : 'submitted',
    budget: item.maxBudget,
    price: item.price,
    deadlineMs: item.deadlineMs,
    inputUntil: Date.parse(item.inputExpiresAt),
    dueAt: Date.parse(item.dueAt),
    finishedAt: 0,
    output: null,
    declared: null,
    score: null,
    charged: null,
    feedback: null,
    sandbox: null,
    escrowed: null,
  });
  return { outcome: 'ok', available };
}

export function start(model: Model, item: StartItem) {
  const task = get(model.tasks, item.taskId);
  const { status } = task;
  const at = Date.parse(item.at);
  if (task.agent !== item.agentId) return { outcome: 'not_party', status };
  if (!allowed('start', status)) return { outcome: 'wrong_state', status };
  if (task.inputUntil <= at) return { outcome: 'input_expired', status };
  if (task.sandbox !== null && task.sandbox !== item.sandboxId) return { outcome: 'sandbox_mismatch', status };
  if (status === 'submitted') get(model.agents, task.agent).open += 1;
  Object.assign(task, { status: 'executing', sandbox: item.sandboxId, dueAt: at + task.deadlineMs });
  return { outcome: 'ok', status };
}

export function deliver(
  model: Model,
  item: Omit<DeliverItem, 'host' | 'store' | 'objectId' | 'sha256' | 'workspaceBytes'>,
) {
  const task = get(model.tasks, item.taskId);
  const { status } = task;
  if (task.agent !== item.agentId) return { outcome: 'not_party', status };
  if (!allowed('complete', status)) return { outcome: 'wrong_state', status };
  const { output, declaredScore: declared } = item;
  Object.assign(task, { status: 'quality_check', dueAt: Date.parse(item.gateDueAt), output, declared });
  return { outcome: 'ok', status };
}

/** A delivery that was judged before it was stored is one that is stored and then judged. */
export function finish(model: Model, item: FinishItem): { outcome: string; status: TaskStatus } {
  const task = get(model.tasks, item.taskId);
  if (item.delivery) {
    const { delivery, ...verdict } = item;
    const agentId = item.agentId ?? task.agent;
    const delivered = deliver(model, { ...verdict, ...delivery, agentId, gateDueAt: item.at });
    if (delivered.outcome === 'ok') finish(model, verdict);
    return delivered;
  }
  const { status } = task;
  const at = Date.parse(item.at);
  if (item.agentId !== null && task.agent !== item.agentId) return { outcome: 'not_party', status };
  if (!allowed(item.verb, status)) return { outcome: 'wrong_state', status };
  if (item.verb === 'expire' && (task.dueAt ?? 0) > at) return { outcome: 'wrong_state', status };
  const owner = get(model.owners, task.owner);
  const agent = get(model.agents, task.agent);
  const passed = item.verb === 'pass';
  if (status !== 'submitted') agent.open -= 1;
  owner.held -= task.budget;
  if (passed) {
    agent.wallet.escrowed += item.payout;
    model.fees += item.fee;
    owner.available += task.budget - item.payout - item.fee;
  } else {
    owner.available += task.budget;
  }
  Object.assign(task, {
    status: passed ? 'completed' : 'failed',
    score: item.assessment?.score ?? null,
    charged: passed ? task.price : 0,
    dueAt: null,
    finishedAt: at,
    escrowed: passed ? item.payout : null,
  });
  return { outcome: 'ok', status };
}

export function feedback(model: Model, item: FeedbackItem) {
  const task = get(model.tasks, item.taskId);
  const { status } = task;
  if (!allowed('feedback', status)) return { outcome: 'wrong_state', status, refunded: false };
  const inWindow = Date.parse(item.at) <= task.finishedAt + item.refundWindowMs;
  if (task.feedback !== null && !inWindow) return { outcome: 'duplicate', status, refunded: false };
  const agent = get(model.agents, task.agent);
  task.feedback = item.direction;
  const refunded = item.direction === 'down' && inWindow && task.escrowed !== null;
  if (refunded) {
    const payout = task.escrowed ?? 0;
    get(model.owners, task.owner).available += task.price;
    model.fees -= task.price - payout;
    agent.wallet.escrowed -= payout;
    Object.assign(task, { status: 'refunded', charged: 0, escrowed: null });
  }
  return { outcome: 'ok', status, refunded };
}

/** So much went back to the card of a top-up; what the pool has not got, it owes. */
export function reverse(model: Model, ownerId: string, cents: number): void {
  const owner = get(model.owners, ownerId);
  pay(owner);
  const taken = Math.min(cents, owner.available);
  owner.available -= taken;
  owner.owed += cents - taken;
}

/** The sweep: pools that owe pay what they have. */
export function collect(model: Model): void {
  for (const owner of model.owners.values()) pay(owner);
}

function pay(owner: { available: number; owed: number }): void {
  const paid = Math.min(owner.available, owner.owed);
  owner.available -= paid;
  owner.owed -= paid;
}

/** The sweep: earnings whose time has come. */
export function release(model: Model, nowMs: number, holdMs: number): number {
  let released = 0;
  for (const task of model.tasks.values()) {
    if (task.status !== 'completed' || task.escrowed === null || task.finishedAt + holdMs > nowMs) continue;
    const { wallet } = get(model.agents, task.agent);
    wallet.escrowed -= task.escrowed;
    wallet.available += task.escrowed;
    task.escrowed = null;
    released += 1;
  }
  return released;
}
