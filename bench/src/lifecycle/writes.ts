import { type Contender, onDatabase } from './contenders.ts';

/** Writes of PostgreSQL per lifecycle. */
export interface Writes {
  rows: number;
  /** A row that is inserted, or updated out of place, enters every index of its table. */
  indexEntries: number;
  walBytes: number;
}

const counters = `select sum(n_tup_ins + n_tup_upd)::float8 as rows,
    sum((n_tup_ins + n_tup_upd - n_tup_hot_upd) * (select count(*) from pg_index i where i.indrelid = s.relid))::float8
      as "indexEntries",
    (pg_current_wal_insert_lsn() - '0/0')::float8 as "walBytes"
  from pg_stat_user_tables s`;

/** The counters so far, or null if nothing is stored. A backend reports its own within a second, or as it ends. */
export async function writesOf({ databaseUrl }: Contender): Promise<Writes | null> {
  if (databaseUrl === null) return null;
  return onDatabase(databaseUrl, async (client) => (await client.query(counters)).rows[0] as Writes);
}

/** Of one lifecycle. */
export const writesEach = (before: Writes | null, after: Writes | null, lifecycles: number): Writes | null =>
  before &&
  after && {
    rows: (after.rows - before.rows) / lifecycles,
    indexEntries: (after.indexEntries - before.indexEntries) / lifecycles,
    walBytes: (after.walBytes - before.walBytes) / lifecycles,
  };
