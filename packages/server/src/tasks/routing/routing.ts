import { categoryOf, type TaskType } from '@agora/contract';
import { type Candidate, findCandidates } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';

/** An agent that a task may be given to, at the list price it was seen with. */
export interface Assignment {
  agentId: string;
  baseRateCents: number | null;
  routed: boolean;
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

/** Who can take the task now, best first. */
export function candidatesFor(deps: Pick<TaskDeps, 'pool' | 'clock' | 'config'>, task: ToRoute, limit: number) {
  const { AGENT_SILENT_MS: silentMs } = deps.config;
  return findCandidates(deps.pool, {
    category: categoryOf(task.taskType),
    excludeOwnerId: task.ownerId,
    excludeAgentIds: task.tried ?? [],
    maxBudgetCents: task.maxBudget,
    tags: (task.input.tags ?? []) as string[],
    seenSince: silentMs === 0 ? null : new Date(deps.clock.now().getTime() - silentMs),
    limit,
  });
}

/** Offers agents for a task, best first, until the caller has given it to one. */
export async function* routed(deps: TaskDeps, task: ToRoute): AsyncGenerator<Assignment> {
  for (let round = 0; round < routingRounds; round++) {
    const candidates = await candidatesFor(deps, task, candidatesPerRound + deps.beingHired.size);
    if (candidates.length === 0) return;
    for (const agent of spread(candidates, deps.beingHired)) yield* hiring(deps.beingHired, agent);
  }
}

/**
 * Tasks that are routed in one moment see the same best agent. Those that others are about to fill are left out while
 * there are free ones, so that each goes to the best agent that is really free; the step decides in the end.
 */
function spread(candidates: Candidate[], beingHired: Map<string, number>): Candidate[] {
  const free = candidates.filter((agent) => agent.openTasks + (beingHired.get(agent.id) ?? 0) < agent.capacity);
  return free.length > 0 ? free : candidates;
}

/** Offers an agent, counted as being hired while the step runs. */
function* hiring(beingHired: Map<string, number>, { id, baseRateCents }: Candidate): Generator<Assignment> {
  beingHired.set(id, (beingHired.get(id) ?? 0) + 1);
  try {
    yield { agentId: id, baseRateCents, routed: true };
  } finally {
    const left = (beingHired.get(id) ?? 1) - 1;
    if (left > 0) beingHired.set(id, left);
    else beingHired.delete(id);
  }
}
