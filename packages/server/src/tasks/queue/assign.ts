import type { Job } from '../../platform/index.ts';
import type { TaskDeps } from '../deps.ts';
import { giveToBest } from '../routing/reroute.ts';
import { candidatesFor, seenSince } from '../routing/routing.ts';
import { anyQueued, isQueueUsed, type Match, matches, type QueuedTask, queuedAfter, queuedAmong } from './sql.ts';

/** For so many tasks a sweep looks who is free: of those that joined since the last, and of owners in turn. */
const looksAtOnce = { joined: 20, others: 5 };
/** Agents of one run, and of one look into the queue. */
const agentsAtOnce = { run: 1_000, look: 20 };
/** Each look gives every owner one task at most. */
const looksPerRun = 100;

/**
 * Finds agents that are free though nobody here noted it: because another server did and died, or because they raised
 * their tier, lowered their price or came back. Each sweep looks for the tasks of a few owners, so all have their turn.
 * A task that has just joined is looked for once more, for an agent may have become free before it was in the queue.
 */
function createFreeSearch(deps: TaskDeps): () => Promise<void> {
  let last: QueuedTask | undefined;
  return async () => {
    // Where nothing waits afterwards, what was noted before the look is nobody's.
    const noted = deps.queue.takeAgents();
    const joined = await queuedAmong(deps.pool, deps.queue.takeTasks(looksAtOnce.joined));
    const next = await queuedAfter(deps.pool, last, looksAtOnce.others);
    // After the last comes the first.
    const missing = looksAtOnce.others - next.length;
    const others = missing === 0 || !last ? next : [...next, ...(await queuedAfter(deps.pool, undefined, missing))];
    last = others.at(-1);
    const isUsed = joined.length + others.length > 0;
    deps.queue.found(isUsed);
    if (!isUsed) return;
    for (const id of noted) deps.queue.mayBeFree(id);
    const looked = new Set<string>();
    for (const task of [...joined, ...others]) {
      if (deps.stopping.aborted) return;
      // Tasks of one owner, type and budget meet the same agents.
      const kind = `${task.ownerId} ${task.taskType} ${task.maxBudget}`;
      if (looked.has(kind)) continue;
      looked.add(kind);
      for (const { id } of await candidatesFor(deps, { ...task, input: {} })) deps.queue.mayBeFree(id, 'now');
    }
  };
}

/** Gives tasks of the queue to agents that may be free, those first whose owner's turn it is. */
async function assignQueued(deps: TaskDeps): Promise<void> {
  if (!deps.queue.isUsed()) return deps.queue.forget();
  const agents = deps.queue.takeAgents(agentsAtOnce.run);
  let given = 0;
  for (let at = 0; at < agents.length; at += agentsAtOnce.look) {
    const agentIds = agents.slice(at, at + agentsAtOnce.look);
    for (let look = 0; look < looksPerRun && !deps.stopping.aborted; look++) {
      const found = await matches(deps.pool, {
        agentIds,
        seenSince: seenSince(deps),
        now: deps.clock.now(),
        most: agentsAtOnce.look,
      });
      const some = await give(deps, found);
      if (some === 0) break;
      given += some;
    }
  }
  if (given === 0) deps.queue.found(await isQueueUsed(deps.pool));
}

/** Gives each of the tasks to the best of the agents that match and still have room; tells how many it gave. */
async function give(deps: TaskDeps, found: Match[]): Promise<number> {
  const room = new Map(found.map((match) => [match.agentId, match.room]));
  let given = 0;
  for (const taskId of new Set(found.map((match) => match.taskId))) {
    const among = found.flatMap(({ taskId: id, agentId }) =>
      id === taskId && (room.get(agentId) ?? 0) > 0 ? agentId : [],
    );
    const task = among.length === 0 ? undefined : await deps.loadTask(taskId);
    if (task?.agentId !== null) continue;
    const gain = { because: 'queued' as const, reason: null, at: deps.clock.now() };
    const moved = await giveToBest(deps, task, gain, { among }).catch((error) => {
      // It keeps no other from its agent, and is tried again.
      deps.log.error({ err: error, taskId }, 'a task of the queue could not be given to an agent');
      return 'nobody' as const;
    });
    if (moved === 'nobody' || 'refused' in moved) continue;
    room.set(moved.agentId, (room.get(moved.agentId) ?? 0) - 1);
    given++;
  }
  return given;
}

/** What empties the queue: once a second for the agents that this server has seen free, and at once where one becomes so. */
export const queueJobs = (deps: TaskDeps): Job[] => [
  { name: 'tasks.findFree', isOwn: true, due: anyQueued, run: createFreeSearch(deps) },
  {
    name: 'tasks.assignQueued',
    isOwn: true,
    wokenBy: (wake) => deps.queue.onFree(wake),
    run: () => assignQueued(deps),
  },
];
