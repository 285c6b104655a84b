import { categoryOf, type TaskType } from '@agora-market/contract';
import { ApiError, type Tally } from '../../platform/index.ts';
import { type Candidate, type CandidateRequest, candidatesAmong, findCandidates } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { awaitedAmong } from '../queue/sql.ts';
import { type Contender, choose } from './choose.ts';
import { type RoutingRecord, recordOf } from './decision.ts';
import { routingWeights } from './weights.ts';

/** An agent that a task may be given to, at the list price it was seen with. */
export interface Assignment {
  agentId: string;
  /** Whose agent it is. */
  ownerId: string;
  baseRateCents: number | null;
  /** Why the platform chose it; null where the submitter named it. */
  routing: RoutingRecord | null;
}

/** Ids are UUIDs. */
export interface Blocked {
  agents: string[];
  owners: string[];
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
  /** Owners whose agents have another attempt at the task, and are passed over too. */
  otherOwners?: string[];
  /** The agent that submits it, if one does. */
  submitterAgentId?: string | null;
  /** Agents and owners that the buyer's policies block; the step looks at the policies themselves. */
  avoid?: Blocked;
  /** Where only these agents are considered. */
  among?: string[] | undefined;
  /** It was not in the queue, so it does not get an agent for which a task waits there. */
  isNew?: true | undefined;
}

/** Agents can fill up between the look and the step; then routing looks again, so many times. */
export const routingRounds = 10;
const candidatesPerRound = 10;

type RoutingDeps = Pick<TaskDeps, 'pool' | 'clock' | 'config' | 'random' | 'queue'> & {
  underWay: Pick<TaskDeps['underWay'], 'hires'>;
};

/** Who can take the task now, in no order. */
export async function candidatesFor(deps: RoutingDeps, task: ToRoute): Promise<Candidate[]> {
  const request = requestFor(deps, task);
  if (task.among !== undefined) return candidatesAmong(deps.pool, request, task.among);
  const found = await findCandidates(deps.pool, request);
  if (!task.isNew || found.length === 0 || !deps.queue.isUsed()) return found;
  const ids = found.map(({ id }) => id);
  const awaited = await awaitedAmong(deps.pool, ids, deps.clock.now());
  for (const id of awaited) deps.queue.mayBeFree(id, 'now');
  return found.filter(({ id }) => !awaited.has(id));
}

/** Since when an agent must have been seen, so that it does not count as silent; null where none does. */
export const seenSince = ({ clock, config }: Pick<TaskDeps, 'clock' | 'config'>): Date | null =>
  config.AGENT_SILENT_MS === 0 ? null : new Date(clock.now().getTime() - config.AGENT_SILENT_MS);

/** What is asked of the registry. */
export const requestFor = (deps: RoutingDeps, task: ToRoute): CandidateRequest => ({
  category: categoryOf(task.taskType),
  excludeOwnerIds: [task.ownerId, ...(task.otherOwners ?? []), ...(task.avoid?.owners ?? [])],
  excludeAgentIds: [...(task.tried ?? []), ...(task.avoid?.agents ?? [])],
  at: deps.clock.now(),
  buyerId: task.ownerId,
  submitterAgentId: task.submitterAgentId,
  maxBudgetCents: task.maxBudget,
  tags: (task.input.tags ?? []) as string[],
  seenSince: seenSince(deps),
  knownFrom: routingWeights.newcomerEvidence,
  // Without a processor of payments there are no instruments, and those of the one for tests cost nothing.
  mustBeVerified: deps.config.STRIPE_SECRET_KEY !== undefined,
  lot: deps.random(),
});

/** So many different owners with an agent that can take the task now, or as many as there are. */
export async function freeOwners(deps: RoutingDeps, task: ToRoute, wanted: number): Promise<string[]> {
  const owners = new Set<string>();
  while (owners.size < wanted) {
    const found = await candidatesFor(deps, { ...task, otherOwners: [...owners] });
    if (found.length === 0) break;
    for (const { ownerId } of found) owners.add(ownerId);
  }
  return [...owners].slice(0, wanted);
}

/** What the choice is made on. */
export const contenderOf = ({ id, baseRateCents, ...agent }: Candidate): Contender => ({
  agentId: id,
  price: baseRateCents,
  ...agent,
});

/** Offers agents for a task, the chosen one first, until the caller has given it to one. */
export async function* routed(deps: RoutingDeps, task: ToRoute): AsyncGenerator<Assignment> {
  for (let round = 0; round < routingRounds; round++) {
    const candidates = spread(await candidatesFor(deps, task), deps.underWay.hires);
    const decision = choose(candidates.map(contenderOf), { maxBudget: task.maxBudget }, deps.random);
    if (decision === null) return;
    for (const { agentId } of decision.ranked.slice(0, candidatesPerRound)) {
      const agent = candidates.find(({ id }) => id === agentId) as Candidate;
      yield* hiring(deps.underWay.hires, {
        agentId,
        ownerId: agent.ownerId,
        baseRateCents: agent.baseRateCents,
        routing: recordOf(decision, agentId, candidates, deps.clock.now()),
      });
    }
  }
}

/**
 * Offers agents of different owners for several attempts at a task, each chosen as for a task of its own, until the caller
 * has given them the attempts. Refuses where there are not enough, and says how many there are.
 */
export async function* routedApart(deps: TaskDeps, task: ToRoute, attempts: number): AsyncGenerator<Assignment[]> {
  for (let round = 0; round < routingRounds; round++) {
    const offers: AsyncGenerator<Assignment>[] = [];
    const found: Assignment[] = [];
    try {
      while (found.length < attempts) {
        const offer = routed(deps, { ...task, otherOwners: found.map(({ ownerId }) => ownerId) });
        offers.push(offer);
        const { value, done } = await offer.next();
        if (done)
          throw new ApiError('NO_AGENTS_AVAILABLE', tooFew(attempts, found.length), { attempts, free: found.length });
        found.push(value);
      }
      yield found;
    } finally {
      // An offered agent counts as being hired until its offer is over.
      for (const offer of offers) await offer.return(undefined);
    }
  }
}

const tooFew = (attempts: number, free: number) =>
  `${attempts} attempts need free agents of ${attempts} different owners. There are ${free}.`;

/**
 * Tasks that are routed in one moment see the same agents. Those that others are about to fill are left out while there
 * are free ones. So each task goes to an agent that is really free. The step decides in the end.
 */
function spread(candidates: Candidate[], beingHired: Tally): Candidate[] {
  const counted = candidates.map((agent) => {
    const more = beingHired.of(agent.id);
    return more === 0 ? agent : { ...agent, openTasks: agent.openTasks + more };
  });
  const free = counted.filter(({ openTasks, capacity }) => openTasks < capacity);
  return free.length > 0 ? free : counted;
}

/** Offers an agent, counted as being hired while the step runs. */
function* hiring(beingHired: Tally, assignment: Assignment): Generator<Assignment> {
  const isOver = beingHired.add(assignment.agentId);
  try {
    yield assignment;
  } finally {
    isOver();
  }
}
