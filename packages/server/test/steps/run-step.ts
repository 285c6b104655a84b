import { callStep, type Queryable, type Step, stale } from '../../src/platform/index.ts';

/** Runs a step over items as the writer does, in the transaction that is open. */
export async function runStep<Item, Outcome extends { outcome: string }>(
  db: Queryable,
  step: Step<Item, Outcome>,
  items: Item[],
  left = 20,
): Promise<(Outcome | undefined)[]> {
  const write = (some: Item[]) =>
    callStep<Outcome>(
      db,
      step,
      some.map((item) => JSON.stringify(item)),
    );
  if (!step.decide) return write(items);
  const { outcomes, besides } = await step.decide(db, items);
  const isTaken = (_: unknown, at: number) => outcomes[at]?.outcome === 'ok';
  const written = await write(items.filter(isTaken));
  await besides?.(db);
  const told = outcomes.map((outcome, at) => {
    const mine = isTaken(outcome, at) ? written.shift() : outcome;
    return mine?.outcome === 'ok' ? outcome : mine;
  });
  const isStale = (_: unknown, at: number) => told[at]?.outcome === stale;
  if (!told.some(isStale)) return told;
  if (left === 0) throw new Error(`${step.name} stays stale: ${JSON.stringify(items.filter(isStale))}`);
  const again = await runStep(db, step, items.filter(isStale), left - 1);
  return told.map((each, at) => (isStale(each, at) ? again.shift() : each));
}
