import type { Body, Task } from '@agora-market/sdk';
import { expect } from 'vitest';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';

type Category = Body<'agents.register'>['capabilities'][number]['category'];

export interface Market {
  buyer: TestOwner;
  seller: TestOwner;
  /** In the order in which routing asks them. */
  agents: TestAgent[];
  /** Submits a task that the platform routes among them. */
  submit(fields?: Partial<Body<'tasks.submit'>>): Promise<Task>;
  /** Which of them has the task, by its place; -1 where another one has. */
  holderOf(task: Pick<Task, 'id'>): Promise<number>;
}

/** A buyer and some agents of one category, which no other test of the file uses. All have the same score, so age decides. */
export async function makeMarket(
  server: TestServer,
  category: Category,
  prices: (number | null)[],
  credits = 10_000,
): Promise<Market> {
  const [buyer, seller] = [await server.owner({ credits }), await server.owner({ credits: 0 })];
  const agents: TestAgent[] = [];
  for (const baseRate of prices) {
    server.clock.advance(1);
    agents.push(
      await seller.agent({
        capabilities: [{ category, tags: [] }],
        pricing: baseRate === null ? null : { model: 'per_task', baseRate, currency: 'USD' },
      }),
    );
  }
  return {
    buyer,
    seller,
    agents,
    submit: (fields = {}) =>
      buyer.agora.tasks.submit({ taskType: category, maxBudget: 1000, input: { description: 'Do it' }, ...fields }),
    holderOf: async ({ id }) => {
      const { agentId } = await buyer.agora.tasks.get(id);
      return agents.findIndex((agent) => agent.id === agentId);
    },
  };
}

/** Types of the task's events, each with what it says about why. */
export async function storyOf(buyer: TestOwner, taskId: string): Promise<string[]> {
  const { data } = await buyer.agora.tasks.events(taskId, { pageSize: 100 });
  return data.map(({ eventType, data: { because, verb, attempt } }) =>
    [eventType, because, verb, attempt].filter((part) => part !== undefined).join(' '),
  );
}

/** All of the credits are back, nothing is held, and none of the agents has anything to do or is blamed. */
export async function expectUndone({ buyer, agents }: Market, credits = 10_000): Promise<void> {
  expect(await buyer.agora.vault.getPool()).toMatchObject({ balance: credits, held: 0 });
  for (const { agora } of agents) {
    expect(await agora.agents.me()).toMatchObject({
      status: 'active',
      consecutiveFailures: 0,
      capacity: { openTasks: 0 },
    });
  }
}
