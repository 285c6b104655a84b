import { splitPrice, type TaskStatus } from '@agora/contract';
import { platformHolder } from '../../src/vault/ledger/transfer.ts';
import { isOrFollows } from './invariants.ts';
import type { Universe, World } from './world.ts';

/** Something that must not be, and in whose world it is. */
export interface Fault {
  seed: number | undefined;
  what: string;
}

interface TransferRow {
  seq: number;
  subject: string;
  cause: string;
  from_holder: string;
  from_kind: string;
  from_before: number | null;
  to_holder: string;
  to_kind: string;
  to_before: number | null;
  amount: number;
}

interface TaskRow {
  id: string;
  owner_id: string;
  status: TaskStatus;
  price: number;
  max_budget: number;
  charged: number | null;
  earnings: string | null;
}

type Moved = Record<string, number>;

/**
 * Books of its own, kept from the ledger's transfers as an auditor would keep them: every step's new transfers are
 * entered and compared with the balances, the tasks and what the processor has done. It costs what a step adds, however
 * long the history is.
 */
export class Audit {
  private lastSeq = 0;
  private readonly balances = new Map<string, number>();
  private readonly subjects = new Map<string, Moved>();
  private readonly seedOf = new Map<string, number>();
  private faults: Fault[] = [];

  constructor(
    private readonly universe: Universe,
    private readonly worlds: World[],
  ) {
    for (const world of worlds) {
      for (const holder of [...world.owners, ...world.agents.flat()]) this.seedOf.set(holder, world.seed);
    }
  }

  /** All that is wrong after a step, of what the step touched. */
  async afterStep(): Promise<Fault[]> {
    this.faults = [];
    const transfers = await this.query<TransferRow>(
      'audit_transfers',
      `select seq, subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount
       from ledger_transfers where seq > $1 order by seq`,
      [this.lastSeq],
    );
    for (const transfer of transfers) this.enter(transfer);
    await Promise.all([this.checkBalances(transfers), this.checkTasks(transfers)]);
    return this.faults;
  }

  /** Once nothing is under way any more, the processor's books and ours must be the same to the last cent. */
  async atRest(): Promise<Fault[]> {
    this.faults = [];
    await this.compareReversals();
    for (const { intentId, status, amountCents, ownerId } of this.universe.processor.charges.values()) {
      const entered = this.subjects.get(intentId)?.top_up ?? 0;
      if (entered !== (status === 'succeeded' ? amountCents : 0)) {
        this.fault(ownerId, `the charge ${intentId} is ${status} over ${amountCents} and entered with ${entered}`);
      }
    }
    for (const { intentId, status, amountCents, accountRef } of this.universe.processor.payouts.values()) {
      const { withdrawal_paid: paid = 0, withdrawal_reversed: reversed = 0 } = this.subjects.get(intentId) ?? {};
      if (paid - reversed !== (status === 'paid' ? amountCents : 0)) {
        this.fault(
          accountRef.slice(5),
          `the payout ${intentId} is ${status} over ${amountCents}, booked ${paid - reversed}`,
        );
      }
    }
    for (const [account, balance] of this.balances) {
      const [holder, kind] = account.split(' ') as [string, string];
      const mustBeEmpty = ['pool_held', 'wallet_escrowed', 'payouts_in_transit'].includes(kind);
      if (mustBeEmpty && balance !== 0) this.fault(holder, `${kind} of ${holder} is left with ${balance}`);
    }
    return this.faults;
  }

  /** Each refund and dispute is on record once, as it stands; that its money moved accordingly is for the ledger's proof. */
  private async compareReversals(): Promise<void> {
    const rows = await this.query<{ ref: string; owner: string; what: string }>(
      'audit_reversals',
      `select processor_ref as ref, owner_id as owner, amount || ' ' || state as what from top_up_reversals`,
      [],
    );
    const stored = new Map(rows.map((row) => [row.ref, row.what]));
    for (const { ownerId, reversals } of this.universe.processor.charges.values()) {
      for (const { ref, amountCents, state } of reversals) {
        const what = stored.get(ref);
        if (what !== `${amountCents} ${state}`)
          this.fault(ownerId, `${ref} of ${amountCents} is ${state}, on record ${what}`);
        stored.delete(ref);
      }
    }
    for (const { ref, owner } of rows) if (stored.has(ref)) this.fault(owner, `${ref} was never made`);
  }

  private fault(holder: string | undefined, what: string): void {
    this.faults.push({ seed: this.seedOf.get(holder ?? ''), what });
  }

  private async query<R>(name: string, text: string, values: unknown[]): Promise<R[]> {
    return (await this.universe.pool.query({ name, text, values })).rows as R[];
  }

  private enter(row: TransferRow): void {
    this.lastSeq = row.seq;
    const holder = row.from_holder === platformHolder ? row.to_holder : row.from_holder;
    const moved = this.subjects.get(row.subject) ?? {};
    this.subjects.set(row.subject, moved);
    const told = `${row.cause} of ${row.amount} about ${row.subject}`;
    if (row.cause in moved) this.fault(holder, `${told} was booked twice`);
    moved[row.cause] = (moved[row.cause] ?? 0) + row.amount;
    if (row.amount <= 0) this.fault(holder, `${told} moves nothing`);
    this.change(row.from_holder, row.from_kind, -row.amount, row.from_before, told);
    this.change(row.to_holder, row.to_kind, row.amount, row.to_before, told);
    this.compareWithProcessor(row, moved, holder);
  }

  private change(holder: string, kind: string, delta: number, before: number | null, told: string): void {
    const account = `${holder} ${kind}`;
    const balance = this.balances.get(account) ?? 0;
    this.balances.set(account, balance + delta);
    if (holder === platformHolder) return;
    if (before !== balance) this.fault(holder, `${told}: ${kind} had ${balance}, the ledger says ${before}`);
    if (balance + delta < 0) this.fault(holder, `${told} leaves ${kind} with ${balance + delta}`);
  }

  /** Money comes in by charges that were made and goes out by payouts that were made, each once. */
  private compareWithProcessor({ subject, cause, amount }: TransferRow, moved: Moved, holder: string): void {
    if (cause === 'top_up') {
      const charge = this.universe.processor.charges.get(subject);
      if (charge?.status !== 'succeeded' || charge.amountCents !== amount || charge.ownerId !== holder) {
        this.fault(holder, `a top-up of ${amount} about ${subject} is no charge that the processor made`);
      }
    } else if (cause === 'withdrawal_paid' && this.universe.processor.payouts.get(subject)?.amountCents !== amount) {
      this.fault(holder, `a withdrawal of ${amount} about ${subject} is no payout that the processor made`);
    }
    const { withdrawal = 0, withdrawal_paid: paid = 0, withdrawal_reversed: reversed = 0 } = moved;
    const inTransit = withdrawal - paid + reversed - (moved.withdrawal_returned ?? 0);
    if (cause.startsWith('withdrawal') && inTransit !== 0 && inTransit !== withdrawal) {
      this.fault(holder, `of the withdrawal ${subject} over ${withdrawal}, ${inTransit} are in transit`);
    }
  }

  /** What the ledger says the accounts have, which its transfers touched, is what these make of them. */
  private async checkBalances(transfers: TransferRow[]): Promise<void> {
    const holders = new Set(transfers.flatMap((row) => [row.from_holder, row.to_holder]));
    const rows = await this.query<{ holder: string; kind: string; balance: number }>(
      'audit_balances',
      'select holder, kind, balance from ledger_accounts where holder = any($1)',
      [[...holders]],
    );
    const stored = new Map(rows.map(({ holder, kind, balance }) => [`${holder} ${kind}`, balance]));
    for (const { from_holder, from_kind, to_holder, to_kind } of transfers) {
      for (const [holder, kind] of [
        [from_holder, from_kind],
        [to_holder, to_kind],
      ] as const) {
        if (holder === platformHolder) continue;
        const [is, mustBe] = [stored.get(`${holder} ${kind}`) ?? 0, this.balances.get(`${holder} ${kind}`) ?? 0];
        if (is !== mustBe) this.fault(holder, `${kind} of ${holder} is ${is} and its transfers make ${mustBe}`);
      }
    }
  }

  private async checkBudgets(ids: string[]): Promise<void> {
    const now = this.universe.clock.now().toISOString();
    for (const { id, owner_id, ...rest } of await this.query<{ id: string; owner_id: string }>(
      'audit_budgets',
      overspent,
      [ids, now],
    )) {
      this.fault(owner_id, `${id} goes over a limit of the agent that submitted it: ${JSON.stringify(rest)}`);
    }
  }

  private async checkTasks(transfers: TransferRow[]): Promise<void> {
    const ids = new Set([
      ...transfers.map((row) => row.subject).filter((subject) => this.universe.worldOf.has(subject)),
      ...this.worlds.flatMap((world) => [...world.touched]),
    ]);
    for (const world of this.worlds) world.touched.clear();
    await this.checkBudgets([...ids]);
    const rows = await this.query<TaskRow>(
      'audit_tasks',
      `select t.id, t.owner_id, t.status, t.price, t.max_budget, t.credits_charged as charged,
         (select status from earnings where task_id = t.id) as earnings
       from unnest($1::uuid[]) as touched(id) join tasks t on t.id = touched.id`,
      [[...ids]],
    );
    for (const task of rows) {
      for (const what of faultsOf(task, this.subjects.get(task.id) ?? {}))
        this.fault(task.owner_id, `${task.id} ${what}`);
      const { acknowledged } = this.universe.worldOf.get(task.id) as World;
      const told = acknowledged.get(task.id);
      if (told && !isOrFollows(told, task.status)) this.fault(task.owner_id, `${task.id} was said to be ${told}`);
    }
  }
}

/**
 * Tasks that agents have just submitted, and that take them over a limit as it now is. Each window is summed anew from
 * all tasks of the agent.
 */
const overspent = `select t.id, t.owner_id, t.max_budget, s.day, s.week, s.month
  from unnest($1::uuid[]) as touched(id) join tasks t on t.id = touched.id
  join agent_budgets b on b.agent_id = t.submitter_agent_id
  cross join lateral (
    select coalesce(sum(spent) filter (where created_at > $2::timestamptz - interval '24 hours'), 0) as day,
      coalesce(sum(spent) filter (where created_at > $2::timestamptz - interval '7 days'), 0) as week,
      coalesce(sum(spent) filter (where created_at > $2::timestamptz - interval '30 days'), 0) as month
    from (select created_at, coalesce(credits_charged, max_budget) as spent from tasks
      where submitter_agent_id = b.agent_id) all_of_it
  ) s
  where t.created_at = $2 and t.created_at > b.updated_at
    and (t.max_budget > b.per_transaction_max or t.max_budget > b.approval_threshold or s.day > b.daily_limit
      or s.week > b.weekly_limit or s.month > b.monthly_limit)`;

/** What is wrong with the money of one task. */
function faultsOf({ status, price, max_budget: budget, charged, earnings }: TaskRow, moved: Moved): string[] {
  const found: string[] = [];
  const must = (holds: boolean, what: string) =>
    holds || found.push(`is ${status}: ${what} (${JSON.stringify(moved)})`);
  const { hold = 0, hold_released: released = 0, hold_returned: returned = 0, payout = 0, fee = 0 } = moved;
  const { payout_refunded: payoutBack = 0, fee_refunded: feeBack = 0, earnings_released: out = 0 } = moved;
  const isCharged = status === 'completed' || status === 'refunded';
  const isEnded = isCharged || status === 'failed';
  must(hold === budget, 'its budget is not what is held');
  must(payout + fee + released + returned === (isEnded ? hold : 0), 'its hold is not resolved once');
  must(payout + fee === (isCharged ? price : 0), 'fee and payout are not its price');
  must(!isCharged || fee === splitPrice(price).feeCents, 'the fee is not its share');
  must(payoutBack === (status === 'refunded' ? payout : 0), 'the payout is not back');
  must(feeBack === (status === 'refunded' ? fee : 0), 'the fee is not back');
  must(out === 0 || (earnings === 'released' && out === payout && payoutBack === 0), 'what was released was not to be');
  must(payout === 0 || earnings === 'pending' || out + payoutBack === payout, 'the earnings are neither out nor back');
  must(!isEnded || charged === payout + fee - payoutBack - feeBack, 'it was charged something else');
  return found;
}
