import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { submitStep } from '../../src/tasks/steps/index.ts';
import { expectAnyBatchesInOrder } from './any-batches.ts';
import { createWorld, submitItem, type World } from './world.ts';

/** A batch has the outcomes and effects of its items written one after the other. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

test('any batches have the outcomes and effects of the same items one after the other', () =>
  expectAnyBatchesInOrder(world, 15));

describe('a pool that is short for a batch', () => {
  const submissions = async (cents: number, budgets: number[], fields = {}) => {
    const [owner, agent] = [await world.owner(cents), await world.agent({ seasoned: true })];
    const outcomes = await Promise.all(
      budgets.map((maxBudget) => world.writer.write(submitStep, submitItem(owner, agent, { maxBudget, ...fields }))),
    );
    const { rows } = await world.pool.query('select balance from ledger_accounts where holder = $1 and kind = $2', [
      owner,
      'pool_available',
    ]);
    return { outcomes, left: Number(rows[0]?.balance ?? 0) };
  };

  test('is given out in order, and what is refused takes nothing', async () => {
    const { outcomes, left } = await submissions(1000, [600, 5000, 600, 300, 200, 100, 1]);
    expect(outcomes.map((each) => each.outcome)).toEqual(['ok', 'short', 'short', 'ok', 'short', 'ok', 'short']);
    expect(outcomes[1]?.available).toBe(400);
    expect(left).toBe(0);
  });

  test('lets every last cent be held under 300 submissions at once', async () => {
    const { outcomes, left } = await submissions(
      10_000,
      // The cents at the end find what is left over, whichever of the others share a batch.
      Array.from({ length: 300 }, (_, at) => (at < 260 ? 1 + ((at * 37) % 150) : 1)),
    );
    expect(new Set(outcomes.map((each) => each.outcome))).toEqual(new Set(['ok', 'short']));
    expect(left).toBe(0);
  });

  test('is not used up by submissions that the agent cannot take', async () => {
    const owner = await world.owner(1000);
    const [gone, full, free] = [await world.agent({ status: 'deactivated' }), await world.agent(), await world.agent()];
    const write = (agent: string, maxBudget: number) =>
      world.writer.write(submitStep, submitItem(owner, agent, { maxBudget, routed: true }));
    const outcomes = await Promise.all([write(gone, 900), write(full, 200), write(full, 800), write(free, 800)]);
    expect(outcomes.map((each) => each.outcome)).toEqual(['agent_gone', 'ok', 'agent_full', 'ok']);
  });
});
