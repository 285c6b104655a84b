import type { Body, Task } from '@agora-market/sdk';
import { expect } from 'vitest';
import type { TestAgent, TestOwner, TestServer } from '../support/harness.ts';
import { goodOutput } from './scene.ts';

type Category = Body<'agents.register'>['capabilities'][number]['category'];

/** A buyer and agents of different owners in a category that no other test of the file uses. */
export interface Contest {
  buyer: TestOwner;
  /** The first one is the cheapest, unless prices say otherwise. */
  rivals: TestAgent[];
  submit(attempts: number, fields?: Partial<Body<'tasks.submit'>>, options?: { idempotencyKey: string }): Promise<Task>;
}

export async function makeContest(
  server: Pick<TestServer, 'owner'>,
  category: Category,
  prices: number[],
  options: { credits?: number; buyer?: TestOwner } = {},
): Promise<Contest> {
  const buyer = options.buyer ?? (await server.owner({ credits: options.credits ?? 10_000 }));
  const rivals: TestAgent[] = [];
  for (const baseRate of prices) {
    const seller = await server.owner({ credits: 0 });
    rivals.push(await seller.agent(rival(category, baseRate)));
  }
  return {
    buyer,
    rivals,
    submit: (attempts, fields = {}, options) =>
      buyer.agora.tasks.submit(
        { taskType: category, maxBudget: 1000, input: { description: 'Do it' }, attempts, ...fields },
        options,
      ),
  };
}

/** What an agent of a contest registers with. */
export const rival = (category: Category, baseRate: number): Partial<Body<'agents.register'>> => ({
  capabilities: [{ category, tags: [] }],
  pricing: { model: 'per_task', baseRate, currency: 'USD' },
});

/** An attempt and the agent that has it. */
export interface Entry {
  id: string;
  agent: TestAgent;
}

/** The attempts of a group, in the order of the agents of the contest. */
export async function entriesOf({ buyer, rivals }: Contest, task: Task): Promise<Entry[]> {
  const { attempts } = await buyer.agora.tasks.getGroup(task.group?.groupId as string);
  const found = rivals.flatMap((agent) => {
    const own = attempts.find(({ agentId }) => agentId === agent.id);
    return own ? [{ id: own.taskId, agent }] : [];
  });
  expect(found).toHaveLength(attempts.length);
  return found;
}

/** Delivers what gets this score: 0 (nothing is delivered), or 50 to 60 (nothing speaks for or against it). */
export async function deliver({ id, agent }: Entry, score: number): Promise<Task> {
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  return agent.agora.tasks.complete(id, { output: score === 0 ? {} : goodOutput, qualityScore: score });
}

/** Decides what can be decided by now. */
export const settle = ({ app }: TestServer): Promise<void> => app.run('tasks.settleGroups');

/** What became of each attempt, in the order of the group. */
export async function outcomesOf({ buyer }: Contest, task: Task): Promise<string[]> {
  const { attempts } = await buyer.agora.tasks.getGroup(task.group?.groupId as string);
  return attempts.map(({ outcome }) => outcome);
}
