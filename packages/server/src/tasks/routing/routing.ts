import { categoryOf, type TaskType } from '@agora/contract';
import { type Candidate, findCandidates } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { type Contender, choose } from './choose.ts';
import { type RoutingRecord, recordOf } from './decision.ts';
import { routingWeights } from './weights.ts';

/** An agent that a task may be given to, at the list price it was seen with. */
export interface Assignment {
  agentId: string;
  baseRateCents: number | null;
  /** Why the platform chose it; null where the submitter named it. */
  routing: RoutingRecord | null;
}

/** What routing looks at in a task. */
export interface ToRoute {
  taskType: TaskType;
  maxBudget: number;
  /** As the contract has it; only its tags matter here. */
  input: { tags?: unknown };
  /** Whose agents are passed over. */
  ownerId: string;
  /** Agents that had the task before. */
  tried?: string[];
}

/** Agents can fill up between the look and the step; then routing looks again, so many times. */
export const routingRounds = 10;
const candidatesPerRound = 10;

type RoutingDeps = Pick<TaskDeps, 'pool' | 'clock' | 'config' | 'random' | 'beingHired'>;

/** Who can take the task now, in no order. */
export function candidatesFor({ pool, clock, config, random }: RoutingDeps, task: ToRoute): Promise<Candidate[]> {
  const { AGENT_SILENT_MS: silentMs } = config;
  return findCandidates(pool, {
    category: categoryOf(task.taskType),
    excludeOwnerId: task.ownerId,
    excludeAgentIds: task.tried ?? [],
    maxBudgetCents: task.maxBudget,
    tags: (task.input.tags ?? []) as string[],
    seenSince: silentMs === 0 ? null : new Date(clock.now().getTime() - silentMs),
    knownFrom: routingWeights.newcomerEvidence,
    lot: random(),
  });
}

/** What the choice is made on. */
export const contenderOf = (agent: Candidate): Contender => ({
  agentId: agent.id,
  ownerId: agent.ownerId,
  posterior: agent.posterior,
  evidence: agent.evidence,
  price: agent.baseRateCents,
  openTasks: agent.openTasks,
  capacity: agent.capacity,
  matchingTags: agent.matchingTags,
  siblings: agent.siblings,
  inLottery: agent.inLottery,
});

/** Offers agents for a task, the chosen one first, until the caller has given it to one. */
export async function* routed(deps: RoutingDeps, task: ToRoute): AsyncGenerator<Assignment> {
  for (let round = 0; round < routingRounds; round++) {
    const candidates = spread(await candidatesFor(deps, task), deps.beingHired);
    const decision = choose(candidates.map(contenderOf), { maxBudget: task.maxBudget }, deps.random);
    if (decision === null) return;
    for (const { agentId } of decision.ranked.slice(0, candidatesPerRound)) {
      const agent = candidates.find(({ id }) => id === agentId) as Candidate;
      yield* hiring(deps.beingHired, {
        agentId,
        baseRateCents: agent.baseRateCents,
        routing: recordOf(decision, agentId, candidates, deps.clock.now()),
      });
    }
  }
}

/**
 * Tasks that are routed in one moment see the same agents. Those that others are about to fill are left out while there
 * are free ones, so that each goes to an agent that is really free; the step decides in the end.
 */
function spread(candidates: Candidate[], beingHired: Map<string, number>): Candidate[] {
  const counted = candidates.map((agent) => {
    const more = beingHired.get(agent.id) ?? 0;
    return more === 0 ? agent : { ...agent, openTasks: agent.openTasks + more };
  });
  const free = counted.filter(({ openTasks, capacity }) => openTasks < capacity);
  return free.length > 0 ? free : counted;
}

/** Offers an agent, counted as being hired while the step runs. */
function* hiring(beingHired: Map<string, number>, assignment: Assignment): Generator<Assignment> {
  const { agentId } = assignment;
  beingHired.set(agentId, (beingHired.get(agentId) ?? 0) + 1);
  try {
    yield assignment;
  } finally {
    const left = (beingHired.get(agentId) ?? 1) - 1;
    if (left > 0) beingHired.set(agentId, left);
    else beingHired.delete(agentId);
  }
}
