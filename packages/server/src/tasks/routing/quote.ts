import {
  agreedPrice,
  categoryOf,
  feeBps,
  maxAmountCents,
  type Operations,
  type ReplyOf,
  splitPrice,
  toId,
  toUuid,
} from '@agora-market/contract';
import {
  type BuyersPolicies,
  blockedAgent,
  blockedBy,
  brokenRule,
  buyersPolicies,
  mayTake,
  policyDenied,
} from '../../embassy/index.ts';
import { type Call, ensure, invalidField } from '../../platform/index.ts';
import { findAgents, takesTasksOf } from '../../registry/index.ts';
import { poolOf } from '../../vault/index.ts';
import type { TaskDeps } from '../deps.ts';
import { requireBundle } from '../inputs/bundles.ts';
import { refuseWithoutSandbox } from '../inputs/needs-sandbox.ts';
import { inputWarnings } from '../inputs/warnings.ts';
import { refusedByAgent } from '../lifecycle/refuse-submission.ts';
import { placeInQueue } from '../queue/waiting.ts';
import { expected } from './choose.ts';
import { cycleMs, paceOf } from './pace.ts';
import { candidatesFor, contenderOf, freeOwners, type ToRoute } from './routing.ts';

type Quote = ReplyOf<Operations['tasks.quote']>;
type QuoteCall = Call<Operations['tasks.quote']>;
type Candidate = Quote['candidates'][number];

const shownCandidates = 10;

/**
 * What submitting would cost at this moment. It considers the agents that routing would, and stores and holds nothing.
 */
export async function quoteTask(deps: TaskDeps, call: QuoteCall): Promise<Quote> {
  const { body, caller } = call;
  const { taskType, input, attempts = 1 } = body;
  if (input !== undefined) {
    await refuseWithoutSandbox(deps, caller, input);
    await requireBundle(deps, caller, input);
  }
  const policies = await buyersPolicies(deps.pool, caller.ownerId, null);
  const denial = brokenRule(policies, workOf(call));
  if (denial !== null) throw policyDenied(denial);
  const task = { ...wanted(call), avoid: blockedBy(policies) };
  const chosen =
    body.agentId === undefined ? await routable(deps, call, task) : [await named(deps, call, body.agentId, policies)];
  const ids = chosen.map(({ id }) => id);
  const [profiles, pace, pool, gateCpu, queue] = await Promise.all([
    findAgents(deps.pool, ids),
    paceOf(deps.pool, ids),
    poolOf(deps.pool, caller.ownerId),
    deps.gateCpu.usage(caller.ownerId),
    chosen.length === 0 ? placeInQueue(deps, task) : null,
  ]);
  const candidates = chosen.flatMap(({ id, matchingTags, why }): Candidate[] => {
    const profile = profiles.find((agent) => agent.id === id);
    if (!profile) return [];
    const { displayName, trustTier, overallScore, completed: completedTasks, baseRateCents: listPrice } = profile;
    const times = pace.find(({ agentId }) => agentId === id);
    return [
      {
        agentId: toId('agent', id),
        ...{ displayName, trustTier, overallScore, matchingTags, completedTasks, listPrice },
        ...priced(body.maxBudget, listPrice),
        acceptMs: times?.acceptMs ?? null,
        executionMs: times?.executionMs ?? null,
        why,
      },
    ];
  });
  const prices = candidates.flatMap(({ price }) => price ?? []);
  const [first] = candidates;
  const each = body.maxBudget ?? first?.price ?? null;
  const required = each === null ? null : each * attempts;
  return {
    taskType,
    maxBudget: body.maxBudget ?? null,
    candidates,
    priceRange: prices.length === 0 ? null : { min: Math.min(...prices), max: Math.max(...prices) },
    estimatedWaitMs: cycleMs(first),
    queue,
    pool: { required, canHold: required === null ? null : pool.balance - pool.owed >= required },
    attempts: { wanted: attempts, free: await freeFor(deps, task, attempts, candidates) },
    gateCpu,
    warnings: input === undefined ? [] : inputWarnings({ taskType, input }, deps.config),
  };
}

/** A budget that is not named yet excludes nobody. */
const wanted = ({ body: { taskType, maxBudget = maxAmountCents, input = {} }, caller }: QuoteCall): ToRoute => ({
  ...{ taskType, maxBudget, input },
  ownerId: caller.ownerId,
  isNew: true,
});

/** What policies look at; without a budget nothing is above a limit. */
const workOf = ({ body: { taskType, maxBudget = 0, attempts = 1 }, now }: QuoteCall) => ({
  category: categoryOf(taskType),
  required: maxBudget * attempts,
  at: now,
});

/** The best by what is expected; routing draws when it chooses. */
async function routable(deps: TaskDeps, call: QuoteCall, task: ToRoute) {
  const found = await candidatesFor(deps, task);
  const ranked = expected(found.map(contenderOf), { maxBudget: call.body.maxBudget ?? null });
  return ranked
    .slice(0, shownCandidates)
    .map(({ agentId: id, mean, deviation, history, price, load, tags, isNewcomer }) => ({
      id,
      matchingTags: found.find((agent) => agent.id === id)?.matchingTags ?? 0,
      why: {
        expectedQuality: mean,
        uncertainty: deviation,
        historyBonus: history,
        priceCost: price,
        loadCost: load,
        tagBonus: tags,
        isNewcomer,
      },
    }));
}

/** How many of the attempts different owners have an agent for. */
async function freeFor(deps: TaskDeps, task: ToRoute, attempts: number, candidates: Candidate[]): Promise<number> {
  if (attempts === 1) return Math.min(1, candidates.length);
  const owners = await freeOwners(deps, { ...task, isNew: undefined }, attempts);
  return owners.length;
}

/** Refuses an agent that a direct hire would refuse. */
async function named(deps: TaskDeps, call: QuoteCall, agentId: string, policies: BuyersPolicies) {
  const { caller } = call;
  const uuid = toUuid('agent', agentId);
  if (uuid === null) throw invalidField('agentId', 'must be an agent id');
  const agent = await deps.loadHireable(uuid);
  ensure(agent, 'AGENT_NOT_FOUND');
  ensure(agent.ownerId !== caller.ownerId, 'SAME_OWNER');
  ensure(agent.status === 'active', 'HIRE_TARGET_NOT_ACTIVE');
  const blocked = blockedAgent(policies, uuid, agent.ownerId);
  if (blocked !== null) throw policyDenied(blocked);
  const work = { ...workOf(call), ownerId: caller.ownerId, submitterAgentId: null };
  const takes = mayTake(agent, work) && (await takesTasksOf(deps.pool, uuid, caller.ownerId));
  if (!takes) throw await refusedByAgent(deps.pool, caller.ownerId);
  return { id: uuid, matchingTags: 0, why: null };
}

/** Without a budget, an agent without a price may take anything. */
function priced(maxBudget: number | undefined, listPrice: number | null) {
  const price = maxBudget === undefined ? listPrice : agreedPrice(maxBudget, listPrice);
  if (price === null) return { price, fee: null, payout: null };
  const { feeCents: fee, payoutCents: payout } = splitPrice(price, feeBps);
  return { price, fee, payout };
}
