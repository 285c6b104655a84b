import { attemptsByPlan } from '@agora-market/contract';
import { type AgentCaller, ensure, type OwnerCaller, type Pool, row } from '../../platform/index.ts';

type Plan = OwnerCaller['plan'];

/** Refuses more attempts than the plan of the owner who pays allows. Nothing is looked up for what every plan allows. */
export async function requireAttempts(pool: Pool, caller: OwnerCaller | AgentCaller, attempts: number): Promise<void> {
  if (attempts <= attemptsByPlan.free) return;
  const plan = await planOf(pool, caller);
  const limit = attemptsByPlan[plan];
  ensure(attempts <= limit, 'PLAN_REQUIRED', `The ${plan} plan allows ${limit} attempts at a task.`, { plan, limit });
}

/** Of the owner who pays. */
export async function planOf(pool: Pool, caller: OwnerCaller | AgentCaller): Promise<Plan> {
  if (caller.kind === 'owner') return caller.plan;
  const { ownerId } = caller;
  const owner = await row<{ plan: Plan }>(pool, 'tasks_plan_of', 'select plan from owners where id = $1', [ownerId]);
  return owner?.plan ?? 'free';
}
