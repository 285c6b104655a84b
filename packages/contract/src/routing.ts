import { z } from 'zod';
import { id } from './ids.ts';
import { cents } from './money.ts';
import { operation, timestamp } from './operation.ts';

const quality = (description: string) => z.number().meta({ description: `${description}; quality goes from 0 to 1` });

/** What speaks for and against an agent. */
export const factors = z.object({
  expectedQuality: quality('Expected quality of its work in the category'),
  uncertainty: quality('Standard deviation of that expectation'),
  historyBonus: quality(
    "What the buyer's own tasks with the agent add, or take off if they were worse than what other buyers had",
  ),
  priceCost: quality('What the price takes off'),
  loadCost: quality('What its open tasks take off'),
  tagBonus: quality('What its matching tags add'),
  isNewcomer: z.boolean().meta({ description: 'Little is known of its work in the category' }),
});

const considered = factors.extend({
  agentId: id('agent'),
  chosen: z.boolean(),
  listPrice: cents.nullable(),
  openTasks: z.int(),
  capacity: z.int(),
  drawnQuality: quality('Quality drawn at random from what is known'),
  utility: quality('drawnQuality + historyBonus - priceCost - loadCost + tagBonus'),
  lotteryTickets: z.number(),
});

const routing = z
  .object({
    taskId: id('task'),
    by: z.enum(['best', 'lottery', 'promising', 'newcomers', 'submitter', 'nobody']).meta({
      description:
        'best: highest utility. lottery: one of the few tasks that are given away by lottery. promising: one of those that newcomers compete for, and one of them promised most. newcomers: nobody else could take it. submitter: the submitter named the agent. nobody: the task has had no agent',
    }),
    reason: z.string(),
    decidedAt: timestamp.nullable(),
    considered: z.int().meta({ description: 'How many agents were considered; the best of them are listed' }),
    candidates: z.array(considered),
  })
  .meta({ id: 'Routing' });

export const routingOperations = {
  'tasks.routing': operation({
    id: 'tasks.routing',
    method: 'GET',
    path: '/tasks/:taskId/routing',
    auth: 'party',
    area: 'tasks',
    tx: 'read',
    summary: 'Why the task went to its agent: the agents considered, what counted, and what was drawn',
    description:
      'Tells the last choice. The submitter sees all that were considered, the agent itself alone. A task that was passed on has a choice for each agent, of which the last is kept.',
    params: z.object({ taskId: z.string() }),
    reply: { status: 200, schema: routing },
    errors: ['TASK_NOT_FOUND', 'NOT_A_PARTY'],
  }),
} as const;
