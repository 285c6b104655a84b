import type { Queryable } from '../postgres/db.ts';
import type { Claim } from './idempotency-claims.ts';

/** The outcome of an item. `ok`: it made its change. Any other word is a refusal: nothing has changed. */
export interface StepOutcome {
  outcome: string;
}

/**
 * One kind of state change, as a set-based SQL function over many items. `sql` defines the function
 * `<name>(p_items json)`; it returns one row per item with its `ord` (from 1) and the columns of `Outcome`.
 */
export interface Step<Item, Outcome extends StepOutcome> {
  name: string;
  sql: string;
  /**
   * For a rule in TypeScript. It reads what the items depend on in the batch's transaction and decides them in order;
   * undefined for an unknown item. The function then gets and writes only those that are `ok`.
   */
  decide?(db: Queryable, items: Item[]): Promise<(Outcome | undefined)[]>;
  /** Items of one key never share a batch, so that a later step always sees an earlier one's result. */
  key(item: Item): string;
  /** Topics of the hub to wake once the item is committed. */
  topics(item: Item, outcome: Outcome): string[];
}

/** SQL functions that are written beside their callers; the migration installs them. */
export const schemaFunctions: { name: string; sql: string }[] = [];

/** Declares an SQL function that steps call, for example the ledger's transfer. */
export function defineFunction(name: string, sql: string): void {
  schemaFunctions.push({ name, sql });
}

export function defineStep<Item, Outcome extends StepOutcome>(step: Step<Item, Outcome>): Step<Item, Outcome> {
  defineFunction(step.name, step.sql);
  return step;
}

/**
 * Runs a step's function over items, each as JSON text. The outcomes come back in the order of the items, undefined for
 * a skipped one. The claim of an item is stored only if the item is `ok`, because a claim says that its change was
 * made. A claim that exists already fails with 23505 on `idempotency_keys_pkey`.
 */
export async function callStep<Outcome extends StepOutcome>(
  db: Queryable,
  step: Pick<Step<never, Outcome>, 'name'>,
  items: string[],
  claims: (Claim | undefined)[] = [],
): Promise<(Outcome | undefined)[]> {
  const made = claims.flatMap((claim, at) => (claim ? { ord: at + 1, ...claim } : []));
  const call = `select * from ${step.name}($1::json)`;
  const batch = `[${items.join(',')}]`;
  const { rows } = await db.query<Outcome & { ord: number }>(
    made.length === 0
      ? { name: step.name, text: call, values: [batch] }
      : { name: `${step.name}_claimed`, text: claiming(call), values: [batch, JSON.stringify(made)] },
  );
  const outcomes = new Array<Outcome | undefined>(items.length);
  for (const row of rows) outcomes[row.ord - 1] = row;
  return outcomes;
}

/** Writes the items that are decided to be `ok`; the outcomes come back in the items' order. */
export async function writeDecided<Outcome extends StepOutcome>(
  db: Queryable,
  step: Pick<Step<never, Outcome>, 'name'>,
  decided: (Outcome | undefined)[],
  items: string[],
  claims: (Claim | undefined)[] = [],
): Promise<(Outcome | undefined)[]> {
  const good = [...decided.keys()].filter((at) => decided[at]?.outcome === 'ok');
  if (good.length === 0) return decided;
  const written = await callStep<Outcome>(
    db,
    step,
    good.map((at) => items[at] as string),
    good.map((at) => claims[at]),
  );
  const outcomes = [...decided];
  for (const [nth, at] of good.entries()) outcomes[at] = written[nth] && decided[at];
  return outcomes;
}

const claiming = (call: string) => `with done as materialized (${call}), claimed as (
    insert into idempotency_keys (id, request_hash, created_at, subject)
    select decode(c.id, 'hex'), decode(c."requestHash", 'hex'), c.at, c.subject
    from json_to_recordset($2::json) as c(ord int, id text, "requestHash" text, at timestamptz, subject uuid)
    join done d on d.ord = c.ord where d.outcome = 'ok'
  ) select * from done`;
