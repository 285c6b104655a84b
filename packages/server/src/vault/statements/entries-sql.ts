import type { AccountKind, TransferCause } from '@agora-market/contract';
import { type Queryable, rows } from '../../platform/index.ts';

export interface EntryRow {
  seq: number;
  side: 0 | 1;
  subject: string;
  cause: TransferCause;
  kind: AccountKind;
  amount: number;
  balanceBefore: number;
  balanceAfter: number;
  taskId: string | null;
  counterparty: AccountKind;
  createdAt: string;
}

/** An entry that was looked at: whether the filters let it through, and the how manieth it was. */
export interface ScannedRow extends EntryRow {
  matches: boolean;
  nth: number;
}

export interface Filters {
  kinds: readonly AccountKind[];
  cause: TransferCause | null;
  from: string | null;
  to: string | null;
  minAmount: number;
  maxAmount: number;
}

/** Of the entries of a page's holder those from `first` on and before `end`; the sides of one transfer share a `seq`. */
export interface Range {
  first: number;
  /** For side 0 and side 1. */
  end: readonly [number, number];
}

const columns = `seq, side, subject, cause, kind, amount, balance_before as "balanceBefore",
  balance_after as "balanceAfter", task_id as "taskId", counterparty, created_at as "createdAt"`;

const matching = `kind = any($2::account_kind[]) and ($3::transfer_cause is null or cause = $3)
  and ($4::timestamptz is null or "createdAt" >= $4) and ($5::timestamptz is null or "createdAt" < $5)
  and abs(amount) between $6 and $7`;

const filterValues = (holder: string, filters: Filters) => [
  holder,
  filters.kinds,
  filters.cause,
  filters.from,
  filters.to,
  filters.minAmount,
  filters.maxAmount,
];

const ofSide = (side: 0 | 1, end: string, limit: string) =>
  `(select ${columns} from ledger_entries where holder = $1 and side = ${side} and seq >= $8 and seq < ${end}
    order by seq desc limit ${limit})`;

/**
 * A holder's entries that match, newest first, and the one at which the scan ends if none of these fill the page.
 * Entries are read off the index by side and merged, each page from where the last one ended; nothing is sorted,
 * counted or skipped, so that a page takes no longer at the end of a long history than at its start.
 */
export const scanEntries = (
  db: Queryable,
  holder: string,
  filters: Filters,
  range: Range,
  limit: number,
  maxScanned: number,
) =>
  rows<ScannedRow>(
    db,
    'statements_scan',
    `select * from (
       select n.*, ${matching} as matches from (
         select e.*, row_number() over (order by e.seq desc, e.side desc) as nth from (
           select * from (${ofSide(0, '$9', '$11')} union all ${ofSide(1, '$10', '$11')}) both_sides
           order by seq desc, side desc limit $11
         ) e
       ) n
     ) m where matches or nth = $11 order by seq desc, side desc limit $12`,
    [...filterValues(holder, filters), range.first, range.end[0], range.end[1], maxScanned, limit],
  );

/** As `scanEntries` for the entries of one task, which are few. */
export const entriesOfTask = (
  db: Queryable,
  holder: string,
  taskId: string,
  filters: Filters,
  range: Range,
  limit: number,
) =>
  rows<EntryRow>(
    db,
    'statements_of_task',
    `select * from (
       select ${columns} from ledger_entries
       where subject = $11 and holder = $1 and seq >= $8 and seq < case side when 0 then $9::bigint else $10::bigint end
     ) e where ${matching} order by seq desc, side desc limit $12`,
    [...filterValues(holder, filters), range.first, range.end[0], range.end[1], taskId, limit],
  );
