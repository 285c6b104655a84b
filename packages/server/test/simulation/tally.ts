import type { Pool } from '../../src/platform/index.ts';

/** What happened in a simulation, by name and times. */
export type Tally = Map<string, number>;

const happened = `select what, sum(times)::int as times from (
    select 'dispute: ' || outcome || ' by ' || decided_by, count(*) from disputes group by outcome, decided_by
    union all select 'dispute: over earnings that were out', count(*) from disputes where not froze
    union all select 'dispute: escalated, for the money was gone', count(*) from events where type = 'dispute.escalated'
    union all select 'dispute: answered', count(*) from disputes where responded_at is not null
    union all select 'appeal: ' || status, count(*) from appeals group by status
    union all select 'appeal: lifted a suspension', count(*) from events
      where type = 'agent.reactivated' and data ->> 'because' = 'appeal'
    union all select 'task: ' || status::text, count(*) from tasks group by status
    union all select 'task: queued, then ' || case when agent_id is null then status::text else 'assigned' end, count(*)
      from tasks where queue is not null group by 1
    union all select 'task: reassigned, ' || (data ->> 'because'), count(*) from events
      where type = 'task.unassigned' group by data ->> 'because'
    union all select 'reconciliation: ' || status, count(*) from reconciliation_runs group by status
    union all select 'reconciliation: found ' || (data ->> 'kind'), count(*) from events
      where type = 'reconciliation.finding' group by data ->> 'kind'
    union all select 'reconciliation: settled ' || kind, count(*) from reconciliation_findings
      where status = 'settled' group by kind
    union all select 'reconciliation: ' || case type when 'wallet.flagged' then 'flagged a wallet'
      when 'wallet.flag_cleared' then 'flag cleared by the operator' else 'finding cleared by the operator' end, count(*)
      from events where type in ('wallet.flagged', 'wallet.flag_cleared', 'reconciliation.finding_cleared') group by type
    union all select 'refund: ' || case when r.state = 'standing' then 'stood' when r.processor_ref is null then 'refused'
      when r.failure is null then 'came back after it stood' else 'failed' end, count(*)
      from top_up_reversals r where r.processor is not null group by 1
    union all select 'refund: settled by the sweep', count(*) from top_up_reversals where attempts > 0
    union all select 'refund: reinstated', count(*) from top_up_reversals r join ledger_transfers t on t.subject = r.id
      where r.processor is not null and t.cause = 'top_up_reinstated'
    union all select 'money: ' || cause::text, count(*) from ledger_transfers group by cause
  ) as all_of_it(what, times) group by what`;

/** Adds what is written in the database of some worlds. */
export async function count(pool: Pool, tally: Tally): Promise<void> {
  const { rows } = await pool.query<{ what: string; times: number }>(happened);
  for (const { what, times } of rows) if (times > 0) tally.set(what, (tally.get(what) ?? 0) + times);
}

/** What must have happened at least once, or the simulation has shown nothing of it. */
export const essential = [
  ...['buyer_wins', 'seller_wins', 'split', 'dismissed'].map((outcome) => `dispute: ${outcome} by operator`),
  ...['buyer_wins', 'seller_wins'].flatMap((outcome) =>
    ['reassessment', 'proof'].map((by) => `dispute: ${outcome} by ${by}`),
  ),
  ...['split', 'dismissed'].map((outcome) => `dispute: ${outcome} by operator_silent`),
  'dispute: buyer_wins by seller_silent',
  'dispute: over earnings that were out',
  'dispute: escalated, for the money was gone',
  ...['dispute_payout_refunded', 'dispute_fee_refunded', 'dispute_debited', 'dispute_covered'].map(
    (cause) => `money: ${cause}`,
  ),
  'appeal: upheld',
  'appeal: rejected',
  'appeal: lifted a suspension',
  'task: queued, then assigned',
  'task: queued, then failed',
  'task: reassigned, declined',
  'task: reassigned, not_accepted',
  ...['stood', 'refused', 'failed', 'came back after it stood', 'reinstated', 'settled by the sweep'].map(
    (what) => `refund: ${what}`,
  ),
  'reconciliation: finished',
  'reconciliation: failed',
  ...['payout_twice', 'reversal_uncovered', 'charge_missing_here'].map((kind) => `reconciliation: found ${kind}`),
  ...['charge_missing_here', 'reversal_missing_here'].map((kind) => `reconciliation: settled ${kind}`),
  'reconciliation: flagged a wallet',
  'reconciliation: flag cleared by the operator',
  'reconciliation: finding cleared by the operator',
  'money: reversal_collected',
];
