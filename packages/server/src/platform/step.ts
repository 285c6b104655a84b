import type { Queryable } from './db.ts';

/**
 * One kind of state change, as a set-based SQL function over many items. `sql` defines the function
 * `<name>(p_items json)`; it returns one row per item with its `ord` (from 1) and the columns of `Outcome`.
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

/** Runs a step's function over the items; the outcomes come back in the items' order. */
export async function callStep<Item, Outcome>(
  db: Queryable,
  step: Step<Item, Outcome>,
  items: Item[],
): Promise<Outcome[]> {
  const { rows } = await db.query<Outcome & { ord: number }>({
    name: step.name,
    text: `select * from ${step.name}($1::json)`,
    values: [JSON.stringify(items)],
  });
  const outcomes = new Array<Outcome | undefined>(items.length);
  for (const row of rows) outcomes[row.ord - 1] = row;
  return outcomes.map((outcome, at) => {
    if (!outcome) throw new Error(`${step.name} returned no outcome for item ${at + 1} of ${items.length}`);
    return outcome;
  });
}
