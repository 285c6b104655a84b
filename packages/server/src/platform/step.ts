import type { Queryable } from './db.ts';

/**
 * One kind of state change, as a set-based SQL function over many items. `sql` defines the function
 * `<name>(p_items json)`; it returns one row per item with its `ord` (from 1) and the columns of `Outcome`.
 * Where `Outcome` has `outcome`, the word `again` is no answer: items before it in the batch left it undecided, and the
 * writer writes it once more, ahead of everything that waits. The first item of a batch must never get it.
 */
export interface Step<Item, Outcome> {
  name: string;
  sql: string;
  /** Items of one key never share a batch, so that a later step always sees an earlier one's result. */
  key(item: Item): string;
  /** Topics of the hub to wake once the item is committed. */
  topics(item: Item, outcome: Outcome): string[];
}

/** Functions of the database that live beside their callers, for the migration to install. */
export const schemaFunctions: { name: string; sql: string }[] = [];

/** Declares an SQL function that steps call, such as the ledger's transfer. */
export function defineFunction(name: string, sql: string): void {
  schemaFunctions.push({ name, sql });
}

export function defineStep<Item, Outcome>(step: Step<Item, Outcome>): Step<Item, Outcome> {
  defineFunction(step.name, step.sql);
  return step;
}

/**
 * Runs a step's function over items, each given as JSON text. The outcomes come back in the items' order, with
 * undefined for an item that the function passed over.
 */
export async function callStep<Outcome>(
  db: Queryable,
  step: Pick<Step<never, Outcome>, 'name'>,
  items: string[],
): Promise<(Outcome | undefined)[]> {
  const { rows } = await db.query<Outcome & { ord: number }>({
    name: step.name,
    text: `select * from ${step.name}($1::json)`,
    values: [`[${items.join(',')}]`],
  });
  const outcomes = new Array<Outcome | undefined>(items.length);
  for (const row of rows) outcomes[row.ord - 1] = row;
  return outcomes;
}
