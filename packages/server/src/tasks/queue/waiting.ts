import { categoryOf, type TaskView, toId, toUuid } from '@agora-market/contract';
import { type Candidate, findMatching } from '../../registry/index.ts';
import type { TaskDeps } from '../deps.ts';
import { cycleMs, paceOf } from '../routing/pace.ts';
import { requestFor, type ToRoute } from '../routing/routing.ts';
import { nextPlace, placesOf } from './sql.ts';

/** Agents whose pace is read for an estimate. */
const sampled = 10;
/** Approximate size of a remembered pace. */
const paceBytes = 100;

/**
 * The usual time from one place in a queue to the next, in milliseconds: the agents together end as many tasks in it as one.
 * An agent with room for c tasks, each of which takes it m ms, ends c/m tasks in a millisecond. Those whose pace is not
 * known are taken to be as fast as the others; null if no pace is known.
 */
async function stepMs({ pool }: TaskDeps, agents: Candidate[]): Promise<number | null> {
  const some = agents.slice(0, sampled);
  const paces = await paceOf(
    pool,
    some.map(({ id }) => id),
  );
  const rates = some.flatMap(({ id, capacity }) => {
    const ms = cycleMs(paces.find(({ agentId }) => agentId === id));
    return ms === null ? [] : capacity / Math.max(1, ms);
  });
  if (rates.length === 0) return null;
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length;
  return 1 / (mean * agents.length);
}

const inMs = (place: number, step: number | null) => (step === null ? null : Math.round(place * step));

/** Remembered for a while, for buyers ask for their tasks again and again; budgets of one size meet nearly the same agents. */
async function usualStepMs(deps: TaskDeps, task: ToRoute): Promise<number | null> {
  const key = `${categoryOf(task.taskType)} ${Math.ceil(Math.log2(task.maxBudget))}`;
  const known = deps.cache.paces.get(key);
  if (known !== undefined) return known.stepMs;
  const found = await stepMs(deps, await findMatching(deps.pool, requestFor(deps, task)));
  deps.cache.paces.set(key, { stepMs: found }, paceBytes);
  return found;
}

type Waiter = Pick<TaskView, 'id' | 'agentId' | 'status' | 'taskType' | 'maxBudget' | 'waiting'>;

/** Adds to tasks that an owner's pool pays how long they may still have to wait for an agent. */
export async function withWaiting<View extends Waiter>(
  deps: TaskDeps,
  ownerId: string,
  views: View[],
): Promise<View[]> {
  const ids = views.flatMap(({ id, agentId, status }) =>
    agentId === null && status === 'submitted' ? (toUuid('task', id) ?? []) : [],
  );
  if (ids.length === 0) return views;
  const places = new Map((await placesOf(deps.pool, ids)).map(({ id, ...of }) => [toId('task', id), of]));
  const shown: View[] = [];
  for (const view of views) {
    const found = places.get(view.id);
    if (found === undefined) shown.push(view);
    else {
      const { place, until } = found;
      const { taskType, maxBudget } = view;
      const step = await usualStepMs(deps, { taskType, maxBudget, input: {}, ownerId });
      shown.push({ ...view, waiting: { place, estimatedMs: inMs(place, step), until } });
    }
  }
  return shown;
}

/** Whether an agent would take the task if none were busy. */
export const isMatched = async (deps: TaskDeps, task: ToRoute): Promise<boolean> =>
  (await findMatching(deps.pool, requestFor(deps, task))).length > 0;

/** Where a task would wait that no free agent matches; null if no busy one does either. */
export async function placeInQueue(deps: TaskDeps, task: ToRoute) {
  const agents = await findMatching(deps.pool, requestFor(deps, task));
  if (agents.length === 0) return null;
  const place = await nextPlace(deps.pool, categoryOf(task.taskType), task.ownerId);
  return { matching: agents.length, place, estimatedMs: inMs(place, await stepMs(deps, agents)) };
}
