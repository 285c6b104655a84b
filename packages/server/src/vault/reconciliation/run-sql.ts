import { type Queryable, row, rows } from '../../platform/index.ts';

export interface RunRow {
  id: string;
  startedAt: string;
  finishedAt: string;
  accounts: number;
  records: number;
  processor: 'checked' | 'unreachable' | 'not_configured';
  raised: number;
  settled: number;
}

const columns = `id, started_at as "startedAt", finished_at as "finishedAt", accounts, records, processor, raised, settled`;

/** Ends runs whose process died: their lease has run out. */
export const endAbandoned = (db: Queryable, now: Date) =>
  rows(
    db,
    'reconciliation_end_abandoned',
    `update reconciliation_runs set status = 'failed', finished_at = $1 where status = 'running' and lease_until < $1`,
    [now.toISOString()],
  );

export const insertRun = (db: Queryable, id: string, startedAt: Date, leaseUntil: Date) =>
  rows(
    db,
    'reconciliation_insert_run',
    'insert into reconciliation_runs (id, started_at, lease_until) values ($1, $2, $3)',
    [id, startedAt.toISOString(), leaseUntil.toISOString()],
  );

export const finishRun = (
  db: Queryable,
  run: Pick<RunRow, 'id' | 'accounts' | 'records' | 'processor' | 'raised' | 'settled'>,
  at: Date,
) =>
  row<RunRow>(
    db,
    'reconciliation_finish_run',
    `update reconciliation_runs set status = 'finished', finished_at = $2, accounts = $3, records = $4, processor = $5,
       raised = $6, settled = $7 where id = $1 returning ${columns}`,
    [run.id, at.toISOString(), run.accounts, run.records, run.processor, run.raised, run.settled],
  );

export const failRun = (db: Queryable, id: string, at: Date) =>
  rows(
    db,
    'reconciliation_fail_run',
    `update reconciliation_runs set status = 'failed', finished_at = $2 where id = $1 and status = 'running'`,
    [id, at.toISOString()],
  );

/** When the processor's books were compared last. */
export const lastChecked = async (db: Queryable): Promise<string | null> =>
  (
    await row<{ startedAt: string }>(
      db,
      'reconciliation_last_checked',
      `select started_at as "startedAt" from reconciliation_runs
       where status = 'finished' and processor = 'checked' order by started_at desc limit 1`,
    )
  )?.startedAt ?? null;

/** The last run, whether it finished or not. */
export const lastRun = (db: Queryable) =>
  row<{ startedAt: string; isWhole: boolean }>(
    db,
    'reconciliation_last_run',
    `select started_at as "startedAt", status = 'finished' and processor <> 'unreachable' as "isWhole"
     from reconciliation_runs order by started_at desc limit 1`,
  );
