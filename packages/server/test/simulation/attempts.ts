import { type Clock, newUuid } from '../../src/platform/index.ts';
import { submitItem } from '../steps/world.ts';
import type { Chance } from './chance.ts';
import { rateOf } from './fee.ts';

/** Several attempts at a task, one by each of these agents. */
export function attemptItems(random: Chance, owner: string, agents: string[], clock: Clock) {
  const ids = agents.map(() => newUuid(clock));
  return agents.map((agent, nth) => {
    const id = ids[nth] as string;
    const price = random.of([70, 60]);
    const at = clock.now().toISOString();
    return submitItem(owner, agent, {
      id,
      groupTasks: ids,
      feeBps: rateOf(id),
      routed: true,
      maxBudget: 70,
      price,
      at,
    });
  });
}

/** What may come next for an attempt. */
export const stepsOfAttempts: Partial<Record<string, readonly string[]>> & Record<'routing', readonly string[]> = {
  routing: ['start', 'start', 'start', 'finish'],
  executing: ['deliver', 'deliver', 'deliver', 'finish'],
  quality_check: ['finish'],
};

/** Groups that have ended in which another number was paid than one, or none where nothing passed. */
export const misjudged = `select group_tasks from (
    select group_tasks, count(*) filter (where status in ('completed', 'refunded')) as paid,
      count(*) filter (where quality_score >= 50) as passed
    from tasks where group_tasks is not null group by group_tasks having bool_and(due_at is null)
  ) g where paid <> (passed > 0)::int`;
