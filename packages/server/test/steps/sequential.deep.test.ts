import { expect, onTestFinished, test } from 'vitest';
import { expectAnyBatchesInOrder } from './any-batches.ts';
import { createWorld } from './world.ts';

test('forty journeys of any batches have the outcomes and effects of the same items one after the other', async () => {
  expect.hasAssertions();
  const world = await createWorld();
  onTestFinished(() => world.close());
  await expectAnyBatchesInOrder(world, 40);
});
