import { callStep, type Queryable, type Step, writeDecided } from '../../src/platform/index.ts';

/** Runs a step over items as the writer does, in the transaction that is open. */
export async function runStep<Item, Outcome extends { outcome: string }>(
  db: Queryable,
  step: Step<Item, Outcome>,
  items: Item[],
): Promise<(Outcome | undefined)[]> {
  const texts = items.map((item) => JSON.stringify(item));
  return step.decide ? writeDecided(db, step, await step.decide(db, items), texts) : callStep(db, step, texts);
}
