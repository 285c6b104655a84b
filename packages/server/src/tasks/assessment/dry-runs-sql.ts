import { changedRows, type Queryable, rows } from '../../platform/index.ts';

/** A dry run of an owner, at a server; it counts until a time by which it has ended. */
interface HeldRun {
  ownerId: string;
  host: string;
  until: Date;
}

const values = ({ ownerId, host, until }: HeldRun) => [ownerId, host, until.toISOString()];

/** False where a run of the owner is under way, at whatever server. */
export const beginDryRun = async (db: Queryable, run: HeldRun, now: Date): Promise<boolean> =>
  (await changedRows(
    db,
    'dry_runs_begin',
    `insert into dry_runs as d (owner_id, host, until) values ($1, $2, $3)
     on conflict (owner_id) do update set host = excluded.host, until = excluded.until where d.until <= $4`,
    [...values(run), now.toISOString()],
  )) > 0;

export const endDryRun = (db: Queryable, run: HeldRun) =>
  rows(db, 'dry_runs_end', 'delete from dry_runs where owner_id = $1 and host = $2 and until = $3', values(run));

/** Those of processes that have ended. */
export const endOrphanedRuns = (db: Queryable) =>
  rows(
    db,
    'dry_runs_end_orphaned',
    'delete from dry_runs d where not exists (select from hosts h where h.id = d.host and h.ended_at is null)',
  );
