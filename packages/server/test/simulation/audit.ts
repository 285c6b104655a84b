import { followLog } from '../../src/registry/reputation/reader.ts';
import { recomputeReputations } from '../../src/registry/reputation/recompute.ts';
import { platformHolder } from '../../src/vault/ledger/transfer.ts';
import { isOrFollows } from './invariants.ts';
import { auditedReversals, faultsAtRest, isReinstatedEarly, moneyFaults, type ReversalRow } from './reversal-faults.ts';
import { auditedTasks, faultsOf, type Moved, miscounted, type TaskRow, withoutExit } from './task-faults.ts';
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
  /** Agents from whose wallets nothing may be withdrawn, as it was before the step. */
  private flagged = new Set<string>();
  /** What pools owe, as it was before the step and less what was collected since. */
  private owed = new Map<string, number>();
  private faults: Fault[] = [];

  private readonly universe: Universe;
  private readonly worlds: World[];

  constructor(universe: Universe, worlds: World[]) {
    this.universe = universe;
    this.worlds = worlds;
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
    await Promise.all([this.checkBalances(transfers), this.checkTasks(transfers), this.checkReversals(transfers)]);
    const flags = 'select agent_id as id from wallet_flags where cleared_at is null';
    const debts = 'select holder, owed from ledger_accounts where owed > 0';
    const owing = await this.query<{ holder: string; owed: number }>('audit_debts', debts, []);
    this.owed = new Map(owing.map(({ holder, owed }) => [holder, owed]));
    this.flagged = new Set((await this.query<{ id: string }>('audit_flags', flags, [])).map(({ id }) => id));
    return this.faults;
  }

  /** What has moved of a subject so far, by cause. */
  moved = (subject: string): Moved => this.subjects.get(subject) ?? {};

  about = (holder: string, what: string): Fault => ({ seed: this.seedOf.get(holder), what });

  /** Disputes and appeals that have missed their exits, and agents for whom something else is counted than became of their tasks. */
  async ofCourts(now = this.universe.clock.now().toISOString()): Promise<Fault[]> {
    await followLog(this.universe.pool, new AbortController().signal);
    const { differences } = await recomputeReputations(this.universe.pool);
    const recomputed = differences.map((each) => ({
      owner: '',
      what: `recomputed otherwise: ${JSON.stringify(each)}`,
    }));
    const found = [
      ...recomputed,
      ...(await this.query<{ owner: string; what: string }>('audit_exits', withoutExit, [now])),
      ...(await this.query<{ owner: string; what: string }>('audit_counts', miscounted, [])),
    ];
    return found.map(({ owner, what }) => this.about(owner, what));
  }

  /** Once nothing is under way any more, the processor's books and ours must be the same to the last cent. */
  async atRest(): Promise<Fault[]> {
    // By then whatever is open has missed its exit.
    this.faults = await this.ofCourts('infinity');
    const { processor } = this.universe;
    for (const [owner, what] of faultsAtRest(processor, await this.reversals(null), this.moved))
      this.fault(owner, what);
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
    for (const [holder, owed] of this.owed) {
      const left = this.balances.get(`${holder} pool_available`) ?? 0;
      if (left > 0) this.fault(holder, `the pool of ${holder} has ${left} and owes ${owed}`);
    }
    for (const [account, balance] of this.balances) {
      const [holder, kind] = account.split(' ') as [string, string];
      const mustBeEmpty = ['pool_held', 'wallet_escrowed', 'payouts_in_transit'].includes(kind);
      if (mustBeEmpty && balance !== 0) this.fault(holder, `${kind} of ${holder} is left with ${balance}`);
    }
    return this.faults;
  }

  private reversals(ids: string[] | null): Promise<ReversalRow[]> {
    return this.query('audit_reversals', auditedReversals, [ids, this.universe.clock.now()]);
  }

  /** Money of top-ups that went back, or came back, in a step. */
  private async checkReversals(transfers: TransferRow[]): Promise<void> {
    const subjects = new Map<string, string>();
    for (const { subject, cause, from_holder: from, to_holder: to } of transfers) {
      if (cause === 'top_up_refunded') subjects.set(subject, from);
      if (cause === 'top_up_reinstated') subjects.set(subject, to);
    }
    const rows = await this.reversals([...subjects.keys()]);
    for (const [owner, what] of moneyFaults(rows, subjects, this.moved)) this.fault(owner, what);
  }

  private fault(holder: string | undefined, what: string): void {
    this.faults.push(this.about(holder ?? '', what));
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
    if (row.cause === 'withdrawal' && this.flagged.has(holder)) this.fault(holder, `${told} is from a flagged wallet`);
    if (row.cause === 'dispute_covered') this.checkReserve(row, told);
    const owed = this.owed.get(holder) ?? 0;
    if (row.cause === 'reversal_collected') this.owed.set(holder, owed - row.amount);
    const isSpent = row.cause === 'hold' || row.cause === 'allocation';
    if (isSpent && owed > 0 && (row.from_before ?? 0) - row.amount < owed)
      this.fault(holder, `${told} spends what is owed`);
  }

  /** The reserve pays only what the agent's wallet has not. */
  private checkReserve({ subject, to_holder: owner }: TransferRow, told: string): void {
    const agent = this.universe.worldOf.get(subject)?.tasks.find(({ id }) => id === subject)?.agent;
    const left = this.balances.get(`${agent} wallet_available`) ?? 0;
    if (left !== 0) this.fault(owner, `${told}: the reserve paid while the wallet of ${agent} had ${left}`);
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
    if (cause === 'top_up_reinstated' && isReinstatedEarly(this.universe.processor, subject)) {
      this.fault(holder, `the refund ${subject} was given up, and the processor has not refused it`);
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
    const rows = await this.query<TaskRow>('audit_tasks', auditedTasks, [[...ids]]);
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
