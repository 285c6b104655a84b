import { type Queryable, row, rows } from '../../platform/index.ts';
import type { Family } from './compare.ts';
import { type Finding, type FindingStatus, isNews } from './finding.ts';

export interface FindingRow extends Omit<Finding, 'occurredAt' | 'chargeRef'> {
  id: string;
  status: FindingStatus;
  foundAt: string;
  clearedAt: string | null;
  clearedBy: string | null;
  clearedReason: string | null;
}

const columns = `id, kind, subject, agent_id as "agentId", owner_id as "ownerId", here, there, status,
  found_at as "foundAt", cleared_at as "clearedAt", cleared_by as "clearedBy", cleared_reason as "clearedReason"`;

export const lockKnown = (tx: Queryable, { kind, subject }: Pick<Finding, 'kind' | 'subject'>) =>
  row<FindingRow>(
    tx,
    'reconciliation_lock_known',
    `select ${columns} from reconciliation_findings where kind = $1 and subject = $2 for update`,
    [kind, subject],
  );

/** Writes a new finding, or updates a known one. */
export const putFinding = (tx: Queryable, id: string, finding: Finding, status: 'open' | 'settled', at: Date) =>
  row<{ id: string }>(
    tx,
    'reconciliation_put_finding',
    `insert into reconciliation_findings (id, kind, subject, agent_id, owner_id, here, there, occurred_at, found_at, status)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (kind, subject) do update set agent_id = excluded.agent_id, owner_id = excluded.owner_id,
       here = excluded.here, there = excluded.there, occurred_at = excluded.occurred_at, found_at = excluded.found_at,
       status = excluded.status, cleared_at = null, cleared_by = null, cleared_reason = null
     returning id`,
    [
      id,
      finding.kind,
      finding.subject,
      finding.agentId,
      finding.ownerId,
      finding.here,
      finding.there,
      finding.occurredAt,
      at.toISOString(),
      status,
    ],
  );

/** Keeps the amounts of a known finding as they are now. */
export const refreshFinding = (tx: Queryable, id: string, { here, there }: Pick<Finding, 'here' | 'there'>) =>
  rows(tx, 'reconciliation_refresh', 'update reconciliation_findings set here = $2, there = $3 where id = $1', [
    id,
    here,
    there,
  ]);

/** Findings of a run, and what it compared completely. */
interface Looked {
  seen: string[];
  accounts: boolean;
  uncovered: boolean;
  since: Since | null;
}

/** From when on the books of a family are compared. */
export type Since = Record<Family, Date>;

/**
 * Closes open findings that a run looked for and did not find again. They are about accounts, about reversals that the
 * pool could not pay, or about the processor's books from `since` on (null if the run did not read these). There is no
 * end to match `since`: findings of earlier runs are old enough for this one.
 */
export const closeGone = (db: Queryable, { seen, accounts, uncovered, since }: Looked) =>
  rows(
    db,
    'reconciliation_close_gone',
    `update reconciliation_findings set status = 'gone'
     where status = 'open' and id <> all ($1::uuid[]) and (
       ($2 and kind = 'balance') or ($4 and kind = 'reversal_uncovered') or
       occurred_at >= (case split_part(kind, '_', 1) when 'charge' then $3 when 'reversal' then $5 else $6 end)::timestamptz
     )`,
    [
      seen,
      accounts,
      since?.charge.toISOString() ?? null,
      uncovered,
      since?.reversal.toISOString() ?? null,
      since?.payout.toISOString() ?? null,
    ],
  );

/** When the oldest open finding of each family happened, of those that happened since a time. */
export async function oldestOpen(db: Queryable, since: Date): Promise<Partial<Since>> {
  const found = await rows<{ family: Family; at: string }>(
    db,
    'reconciliation_oldest_open',
    `select split_part(kind, '_', 1) as family, min(occurred_at) as at from reconciliation_findings
     where status = 'open' and occurred_at >= $1 group by 1`,
    [since.toISOString()],
  );
  return Object.fromEntries(found.map(({ family, at }) => [family, new Date(at)]));
}

/** Whether the operator has declared this very difference in order. */
export async function isCleared(db: Queryable, finding: Finding): Promise<boolean> {
  const known = await row<FindingRow>(
    db,
    'reconciliation_find_known',
    `select ${columns} from reconciliation_findings where kind = $1 and subject = $2`,
    [finding.kind, finding.subject],
  );
  return known?.status === 'cleared' && !isNews(known, finding);
}

/** Newest first, after the given (found at, id). */
export const listFindings = (db: Queryable, status: string | null, after: [string, string] | null, limit: number) =>
  rows<FindingRow>(
    db,
    'reconciliation_list',
    `select ${columns} from reconciliation_findings
     where ($1::text is null or status = $1) and ($2::timestamptz is null or (found_at, id) < ($2, $3::uuid))
     order by found_at desc, id desc limit $4`,
    [status, after?.[0] ?? null, after?.[1] ?? null, limit],
  );

export const lockFinding = (tx: Queryable, id: string) =>
  row<FindingRow>(
    tx,
    'reconciliation_lock_finding',
    `select ${columns} from reconciliation_findings where id = $1 for update`,
    [id],
  );

export interface Clearing {
  at: Date;
  by: string;
  reason: string;
}

const clearedBy = `status = 'cleared', cleared_at = $2, cleared_by = $3, cleared_reason = $4`;

export const clearFindingRow = (tx: Queryable, id: string, { at, by, reason }: Clearing) =>
  row<FindingRow>(
    tx,
    'reconciliation_clear',
    `update reconciliation_findings set ${clearedBy} where id = $1 and status = 'open' returning ${columns}`,
    [id, at.toISOString(), by, reason],
  );

export const clearFindingsOf = (tx: Queryable, agentId: string, { at, by, reason }: Clearing) =>
  rows<FindingRow>(
    tx,
    'reconciliation_clear_wallet',
    `update reconciliation_findings set ${clearedBy} where agent_id = $1 and status = 'open' returning ${columns}`,
    [agentId, at.toISOString(), by, reason],
  );

export const countOpen = async (db: Queryable): Promise<number> =>
  (
    await row<{ open: number }>(
      db,
      'reconciliation_count_open',
      `select count(*) as open from reconciliation_findings where status = 'open'`,
    )
  )?.open ?? 0;
