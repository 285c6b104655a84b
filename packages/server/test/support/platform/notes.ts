import { type Pool, type Step, stale } from '../../../src/platform/index.ts';

/** What the step of the writer's tests stores. */
export interface Note {
  key: string;
  text?: unknown;
  /** Unique in the table. */
  once?: string;
  sleepMs?: number;
  /** The function gives no row for it. */
  skip?: boolean;
  /** Refused. */
  unwanted?: boolean;
}

export interface Noted {
  outcome: 'ok' | 'unwanted';
  /** How many notes of its key there are with it. */
  nth: number;
}

/** A step of the simplest kind: it stores notes. */
export const noteStep: Step<Note, Noted> = {
  name: 'note',
  key: (item) => item.key,
  locks: () => ({}),
  topics: (item) => [`note:${item.key}`],
  sql: `create or replace function note(p_items json) returns table (ord int, outcome text, nth int) language plpgsql as $$
begin
  return query
  with item as materialized (
    select i.*, (row_number() over ())::int as ord from json_to_recordset(p_items)
      as i(key text, text text, once uuid, "sleepMs" int, skip boolean, unwanted boolean)
  ), decided as materialized (
    select i.*, case when i.unwanted then 'unwanted' else 'ok' end as outcome from item i
  ), stored as (
    insert into notes (key, text, once) select d.key, d.text, d.once from decided d where d.outcome = 'ok'
  ), slept as materialized (
    select count(pg_sleep(d."sleepMs" / 1000.0)) from decided d where d."sleepMs" is not null
  )
  select d.ord, d.outcome, 1 + (select count(*) from notes n where n.key = d.key)::int
  from decided d cross join slept where d.skip is null;
end $$`,
};

/** The same under another name, so that batches hold two kinds. */
export const otherStep = {
  ...noteStep,
  name: 'note_other',
  sql: noteStep.sql.replace('function note(', 'function note_other('),
};

/** Notes of which there is room for ten in all, decided in TypeScript and checked again by the function; a text `throw` makes the decision fail, `sql` the read. */
export const decidedStep: Step<Note, Noted> = {
  ...noteStep,
  name: 'note_decided',
  sql: noteStep.sql
    .replace('function note(', 'function note_decided(')
    .replace(
      "case when i.unwanted then 'unwanted' else 'ok' end",
      `case when (select count(*) from notes) + i.ord > 10 then '${stale}' else 'ok' end`,
    ),
  async decide(db, items) {
    if (items.some(({ text }) => text === 'throw')) throw new Error('a decision of the test');
    const { rows } = await db.query(
      items.some(({ text }) => text === 'sql') ? 'select 1 / 0' : 'select count(*)::int as n from notes',
    );
    return {
      outcomes: items.map((_, at) => ({ outcome: rows[0].n + at < 10 ? 'ok' : 'unwanted', nth: rows[0].n + at + 1 })),
    };
  },
};

/** Notes are changed by nobody but their writer. */
export const noLock = 'select $1::uuid[], $2::boolean[], $3::uuid[], $4::uuid[]';

/** Makes the table of notes and the functions of these steps. */
export async function installNotes(pool: Pool): Promise<void> {
  await pool.query('create table notes (key text, text text, once uuid unique)');
  for (const { sql } of [noteStep, otherStep, decidedStep]) await pool.query(sql);
}

/** What became of each: `ok`, or the code that it failed with. */
export const codes = async (work: Promise<unknown>[]) =>
  (await Promise.allSettled(work)).map((each) => (each.status === 'fulfilled' ? 'ok' : (each.reason.code ?? 'error')));
