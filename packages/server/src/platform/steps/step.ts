import type { Queryable } from '../postgres/db.ts';
import { defineFunction } from '../postgres/functions.ts';
import type { Claim } from './idempotency-claims.ts';

/** The outcome of an item. `ok`: it made its change. Any other word is a refusal: nothing has changed. */
export interface StepOutcome {
  outcome: string;
}

/**
 * The rows that an item changes, beside those that it makes. They are locked before any is read, in one order for all
 * steps, so that batches of several servers neither overtake each other nor deadlock. Ids are UUIDs.
 */
export interface StepLocks {
  /** Tasks, with the other attempts at them and the count of open tasks of their agents. */
  tasks?: string[];
  /** Whether the accounts of the owners and agents of these tasks are changed too. */
  isPaid?: boolean;
  /** Owners whose pool is changed or decided on. */
  owners?: string[];
  /** Agents whose count of open tasks is changed or decided on. */
  agents?: string[];
}

/**
 * One kind of state change, as a set-based SQL function over many items. `sql` defines the function
 * `<name>(p_items json)`; it returns one row per item with its `ord` (from 1) and the columns of `Outcome`.
 */
export interface Step<Item, Outcome extends StepOutcome> {
  name: string;
  sql: string;
  locks(item: Item): StepLocks | StepLocks[];
  /**
   * For a rule in TypeScript. It reads what the items depend on, with no lock held, and decides them in order; undefined
   * for an unknown item. The function then gets those that are `ok`. Under the locks it checks that what they were decided
   * on still holds, and writes them. One for which it does not is `stale`, and is decided again.
   */
  decide?(db: Queryable, items: Item[]): Promise<Decisions<Outcome>>;
  /** Items of one key never share a batch, so that a later step always sees an earlier one's result. */
  key(item: Item): string;
  /** Topics of the hub to wake once the item is committed. */
  topics(item: Item, outcome: Outcome): string[];
}

export interface Decisions<Outcome> {
  outcomes: (Outcome | undefined)[];
  /** Written in the same transaction after the items; one statement, for nothing waits for a reply while rows are locked. */
  besides?(tx: Queryable): Promise<unknown>;
}

/** What an item was decided on has changed meanwhile. */
export const stale = 'stale';

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

const claiming = (call: string) => `with done as materialized (${call}), claimed as (
    insert into idempotency_keys (id, request_hash, created_at, subject)
    select decode(c.id, 'hex'), decode(c."requestHash", 'hex'), c.at, c.subject
    from json_to_recordset($2::json) as c(ord int, id text, "requestHash" text, at timestamptz, subject uuid)
    join done d on d.ord = c.ord where d.outcome = 'ok' order by c.id
  ) select * from done`;
