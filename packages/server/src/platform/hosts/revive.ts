import { type Queryable, rows } from '../postgres/db.ts';

/** Rows of a table that processes lease until `due_at`. The fields are SQL of ours, put into the statement as they are. */
interface LeasedRows {
  table: string;
  id: string;
  /** The column that names the process. */
  leasedBy: string;
  /** What else must hold of a row. */
  where?: string;
  /** When it is due; `$1` is now. */
  dueAt?: string;
}

/** Makes due at once what was leased by processes that have ended, so that nobody waits for the end of the lease. */
export const reviveLeased = (
  db: Queryable,
  now: Date,
  { table, id, leasedBy, where = 'true', dueAt = '$1' }: LeasedRows,
) =>
  rows(
    db,
    `${table}_revive`,
    `update ${table} set due_at = ${dueAt}
     where ${id} in (
       select ${id} from ${table} where due_at > $1 and (${where})
         and not exists (select from hosts h where h.id = ${leasedBy} and h.ended_at is null)
       order by ${id} for update skip locked
     )`,
    [now.toISOString()],
  );
