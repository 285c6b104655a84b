import { type DisputeOutcome, type DisputeStatus, splitPrice, type TaskStatus } from '@agora-market/contract';

/** What moved of a task, or of whatever else transfers are about, by cause. */
export type Moved = Record<string, number>;

export interface TaskRow {
  id: string;
  owner_id: string;
  status: TaskStatus;
  price: number;
  fee_bps: number;
  max_budget: number;
  charged: number | null;
  earnings: string | null;
  dispute: DisputeStatus | null;
  outcome: DisputeOutcome | null;
  share: number | null;
  refunded: number | null;
  decided_by: string | null;
  froze: boolean | null;
}

/** A task with its dispute, as the tables tell of them now. */
export const auditedTasks = `select t.id, t.owner_id, t.status, t.price, t.fee_bps, t.max_budget, t.credits_charged as charged,
    (select status from earnings where task_id = t.id) as earnings,
    d.status as dispute, d.outcome, d.share, d.refunded, d.decided_by, d.froze
  from unnest($1::uuid[]) as touched(id) join tasks t on t.id = touched.id
  left join disputes d on d.task_id = t.id`;

/** What is wrong with the money of one task. */
export function faultsOf(task: TaskRow, moved: Moved): string[] {
  const { status, price, fee_bps: bps, max_budget: budget, charged, earnings } = task;
  const found: string[] = [];
  const must = (holds: boolean, what: string) =>
    holds || found.push(`is ${status}: ${what} (${JSON.stringify(moved)})`);
  const { hold = 0, hold_released: released = 0, hold_returned: returned = 0, payout = 0, fee = 0 } = moved;
  const { payout_refunded: payoutBack = 0, fee_refunded: feeBack = 0, earnings_released: out = 0 } = moved;
  const { dispute_payout_refunded: unfrozen = 0 } = moved;
  const isCharged = status === 'completed' || status === 'refunded';
  const isEnded = isCharged || status === 'failed';
  const isTakenBack = status === 'refunded' && task.outcome !== 'buyer_wins';
  must(hold === budget, 'its budget is not what is held');
  must(payout + fee + released + returned === (isEnded ? hold : 0), 'its hold is not resolved once');
  must(payout + fee === (isCharged ? price : 0), 'fee and payout are not its price');
  must(!isCharged || fee === splitPrice(price, bps).feeCents, 'the fee is not its share');
  must(payoutBack === (isTakenBack ? payout : 0), 'the payout is not back');
  must(feeBack === (isTakenBack ? fee : 0), 'the fee is not back');
  const isOut = earnings === 'released' && out === payout - unfrozen && payoutBack === 0;
  must(out === 0 || isOut, 'what was released was not to be');
  const waits = earnings === 'pending' || earnings === 'frozen';
  must(payout === 0 || waits || out + payoutBack + unfrozen === payout, 'the earnings are neither out nor back');
  const back = payoutBack + feeBack + givenBack(moved);
  must(!isEnded || charged === payout + fee - back, 'it was charged something else');
  for (const what of faultsOfDispute(task, moved)) must(false, what);
  return found;
}

/** What a dispute gave back, from wherever. */
const givenBack = ({
  dispute_payout_refunded: escrow = 0,
  dispute_debited: wallet = 0,
  dispute_covered: reserve = 0,
  dispute_fee_refunded: fee = 0,
}: Moved) => escrow + wallet + reserve + fee;

/** What is wrong with the money of a task's dispute, or with its having moved any where there is none. */
function faultsOfDispute(task: TaskRow, moved: Moved): string[] {
  const { status, price, fee_bps: bps, earnings, dispute, outcome, share, refunded, decided_by: by, froze } = task;
  const found: string[] = [];
  const must = (holds: boolean, what: string) => holds || found.push(`its dispute is ${dispute}, ${outcome}: ${what}`);
  const back = givenBack(moved);
  const feeOf = (cents: number) => Math.floor((cents * bps) / 10_000);
  const owed =
    outcome === 'buyer_wins' ? price : outcome === 'split' ? Math.floor((price * (share as number)) / 100) : 0;
  must(back === owed, `${owed} had to go back`);
  must((refunded ?? 0) === back, `it says that ${refunded} went back`);
  must((moved.dispute_fee_refunded ?? 0) === feeOf(price) - feeOf(price - back) || back === 0, 'the fee is not shared');
  must((earnings === 'frozen') === (dispute !== null && dispute !== 'resolved' && froze === true), 'frozen or not');
  must(dispute === null || status === (outcome === 'buyer_wins' ? 'refunded' : 'completed'), 'the task is not so');
  must(!moved.dispute_covered || by === 'operator', `the reserve paid on the word of ${by}`);
  must(!(froze && (moved.dispute_debited || moved.dispute_covered)), 'it took more than what it froze');
  must(froze === true || !moved.dispute_payout_refunded, 'it took out of escrow what it did not freeze');
  return found;
}

/** Disputes and appeals that nothing would ever end, some time after all their deadlines. */
export const withoutExit = `select owner_id as owner, 'the dispute ' || id || ' is ' || status || ' since ' || due_at as what
  from disputes
  where status <> 'resolved' and coalesce(decide_by, respond_by) < $1::timestamptz - interval '30 minutes'
  union all
  select g.owner_id, 'the appeal of ' || p.assessment_id || ' is due since ' || p.due_at
  from appeals p join agents g on g.id = p.agent_id
  where p.status = 'pending' and p.due_at < $1::timestamptz - interval '30 minutes'`;

/**
 * What reputations count that differs from what the agents' tasks, with the disputes and appeals about them, make: failures
 * that were struck do not count, nor repositories that cannot be cloned; what a dispute took back is refunded. An active
 * agent has not failed three times in a row.
 */
export const miscounted = `select g.owner_id as owner, 'agent ' || s.agent_id || ' has ' || json_build_array(
    s.completed, s.failed, s.refunded, s.failures_in_a_row, g.status) || ', its tasks make ' ||
    json_build_array(w.completed, w.failed, w.refunded, w.in_a_row) as what
  from reputations s join agents g on g.id = s.agent_id join (
    select agent_id, count(*) filter (where status = 'completed') as completed,
      count(*) filter (where failed) as failed, count(*) filter (where status = 'refunded') as refunded,
      count(*) filter (where failed and finished_at >= passed_at) as in_a_row
    from (
      select t.*, t.status = 'failed' and t.started_at is not null and (t.assessment_id is not null or t.output is null)
          and not (t.group_tasks is not null and coalesce(t.quality_score >= 50, false))
          and not exists (select from events e where e.task_id = t.id and e.data ->> 'verb' = 'lackInput')
          and not exists (select from appeals p where p.assessment_id = t.assessment_id and p.status = 'upheld') as failed,
        coalesce(max(t.finished_at) filter (where t.status in ('completed', 'refunded')) over (partition by t.agent_id),
          '-infinity') as passed_at
      from tasks t
    ) t group by agent_id
  ) w using (agent_id)
  where (s.completed, s.failed, s.refunded) is distinct from (w.completed, w.failed, w.refunded)
    or s.failures_in_a_row not between 0 and w.in_a_row or (g.status = 'active' and s.failures_in_a_row >= 3)`;
