import { defineFunction, type Queryable, row } from '../../platform/index.ts';

/**
 * How far the times of entries may be out of the order in which these were written, which is that of `seq`: an entry
 * carries the time its request arrived at, and no request runs longer than this.
 */
const disorderMs = 600_000;

/**
 * The position of a time among a holder's entries, found by halving the range of `seq` about thirty times. The ledger
 * has no index by time, because every transfer would have to pay for it. The last entry before the position is not
 * later than the time; the first one at it or after is.
 */
defineFunction(
  'vault_position',
  `create or replace function vault_position(p_holder uuid, p_at timestamptz) returns bigint
language plpgsql stable as $$
declare
  v_low bigint := 0;
  v_high bigint;
  v_middle bigint;
  v_seq bigint;
  v_time timestamptz;
begin
  v_high := 1 + coalesce(greatest(
    (select seq from ledger_entries where holder = p_holder and side = 0 order by seq desc limit 1),
    (select seq from ledger_entries where holder = p_holder and side = 1 order by seq desc limit 1)
  ), 0);
  while v_low < v_high loop
    v_middle := (v_low + v_high) / 2;
    select e.seq, e.created_at into v_seq, v_time from (
      (select seq, created_at from ledger_entries
       where holder = p_holder and side = 0 and seq >= v_middle order by seq limit 1)
      union all
      (select seq, created_at from ledger_entries
       where holder = p_holder and side = 1 and seq >= v_middle order by seq limit 1)
    ) e order by e.seq limit 1;
    if v_seq is null or v_seq >= v_high or v_time > p_at then
      v_high := v_middle;
    else
      v_low := v_seq + 1;
    end if;
  end loop;
  return v_low;
end $$`,
);

/** As SQL: no entry of the holder before this position is as late as the time. */
export const firstPositionFrom = (holder: string, at: string) =>
  `vault_position(${holder}, ${at} - interval '${disorderMs + 1} ms')`;

/** As SQL: no entry of the holder from this position on is as early as the time. */
export const endOfPositionsUntil = (holder: string, at: string) =>
  `vault_position(${holder}, ${at} + interval '${disorderMs} ms')`;

/** Between which positions a holder's entries of a span of time are; more may be there. */
export async function positionsBetween(
  db: Queryable,
  holder: string,
  { from, to }: { from: string | null; to: string | null },
): Promise<{ first: number; end: number }> {
  const everything = { first: 0, end: Number.MAX_SAFE_INTEGER };
  if (from === null && to === null) return everything;
  const found = await row<{ first: number | null; end: number | null }>(
    db,
    'statements_positions',
    `select case when $2::timestamptz is not null then ${firstPositionFrom('$1', '$2::timestamptz')} end as first,
       case when $3::timestamptz is not null then ${endOfPositionsUntil('$1', '$3::timestamptz')} end as end`,
    [holder, from, to],
  );
  return { first: found?.first ?? everything.first, end: found?.end ?? everything.end };
}
