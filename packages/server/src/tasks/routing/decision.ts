import { type Operations, type ReplyOf, toId } from '@agora-market/contract';
import { type Call, row } from '../../platform/index.ts';
import type { Candidate } from '../../registry/index.ts';
import { partyTask } from '../access.ts';
import type { TaskDeps } from '../deps.ts';
import type { Considered, Decision } from './choose.ts';
import { routingWeights } from './weights.ts';

/** How a task found its agent, as it is stored with the task. Agents by UUID, prices in cents. */
export interface RoutingRecord {
  by: Decision['by'];
  at: string;
  agentId: string;
  /** How many agents were considered. */
  among: number;
  /** The chosen one and the best others, in their order. */
  candidates: (Omit<Considered, 'evidence' | 'isAdmitted' | 'history'> & {
    history?: number;
    listPrice: number | null;
    openTasks: number;
    capacity: number;
  })[];
}

const storedCandidates = 10;
const short = (value: number): number => Math.round(value * 10_000) / 10_000;

/** The stored part of a decision, for the agent that gets the task. */
export function recordOf(decision: Decision, agentId: string, candidates: Candidate[], at: Date): RoutingRecord {
  const others = decision.ranked.filter((agent) => agent.agentId !== agentId).slice(0, storedCandidates - 1);
  const kept = decision.ranked.filter((agent) => agent.agentId === agentId || others.includes(agent));
  return {
    by: decision.by,
    at: at.toISOString(),
    agentId,
    among: decision.ranked.length,
    candidates: kept.map((agent) => {
      const seen = candidates.find(({ id }) => id === agent.agentId) as Candidate;
      return {
        agentId: agent.agentId,
        mean: short(agent.mean),
        deviation: short(agent.deviation),
        draw: short(agent.draw),
        history: short(agent.history),
        price: short(agent.price),
        load: short(agent.load),
        tags: short(agent.tags),
        utility: short(agent.utility),
        tickets: short(agent.tickets),
        isNewcomer: agent.isNewcomer,
        listPrice: seen.baseRateCents,
        openTasks: seen.openTasks,
        capacity: seen.capacity,
      };
    }),
  };
}

const reasons: Record<Decision['by'], string> = {
  best: 'It had the highest utility when the qualities were drawn.',
  lottery: `By lottery: ${routingWeights.perMille.lottery} of 1,000 tasks are, so that every agent gets a chance.`,
  promising: `As a newcomer of which most was to be expected: for ${routingWeights.perMille.promising} of 1,000 tasks they compete with the others.`,
  newcomers: 'No agent with a record in this category could take the task, so newcomers competed.',
};

/** Both parties may read why the task went to its agent; the agent reads nothing of the others that were considered. */
export async function readRouting(
  deps: TaskDeps,
  call: Call<Operations['tasks.routing']>,
): Promise<ReplyOf<Operations['tasks.routing']>> {
  const { task, role } = await partyTask(deps, call.params.taskId, call.caller);
  const stored = await row<{ routing: RoutingRecord | null }>(
    deps.pool,
    'tasks_routing',
    'select routing from tasks where id = $1',
    [task.id],
  );
  const taskId = toId('task', task.id);
  const routing = stored?.routing ?? null;
  if (routing === null) {
    const named = task.agentId !== null;
    return {
      taskId,
      by: named ? 'submitter' : 'nobody',
      reason: named ? 'The submitter named the agent.' : 'The task has had no agent.',
      decidedAt: null,
      considered: 0,
      candidates: [],
    };
  }
  return {
    taskId,
    by: routing.by,
    reason: reasons[routing.by],
    decidedAt: routing.at,
    considered: routing.among,
    candidates: routing.candidates
      .filter(({ agentId }) => role === 'submitter' || agentId === task.agentId)
      .map(({ history = 0, ...agent }) => {
        // What its buyer had from the agent before would tell the agent which accounts share a card.
        const shownHistory = role === 'submitter' ? history : 0;
        return {
          agentId: toId('agent', agent.agentId),
          chosen: agent.agentId === routing.agentId,
          listPrice: agent.listPrice,
          openTasks: agent.openTasks,
          capacity: agent.capacity,
          expectedQuality: agent.mean,
          uncertainty: agent.deviation,
          drawnQuality: agent.draw,
          historyBonus: shownHistory,
          priceCost: agent.price,
          loadCost: agent.load,
          tagBonus: agent.tags,
          utility: agent.utility - history + shownHistory,
          isNewcomer: agent.isNewcomer,
          lotteryTickets: agent.tickets,
        };
      }),
  };
}
