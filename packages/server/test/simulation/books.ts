import { reconcile } from '../../src/vault/reconciliation/run.ts';
import { quiet } from '../steps/world.ts';
import type { Audit, Fault } from './audit.ts';
import type { Chance } from './chance.ts';
import { burning, mortalPool } from './mortal.ts';
import type { Universe } from './world.ts';

/** What is younger may still be on its way between the books. */
const graceMs = 3_600_000;

interface FindingRow {
  kind: string;
  subject: string;
  owner: string;
  status: string;
  /** How our books have the reversal that it is about. */
  ours: string | null;
  taken: number | null;
  amount: number | null;
  flagged: boolean;
  agent: string | null;
}

const findings = `select f.kind, f.subject, f.owner_id as owner, f.status, f.agent_id as agent,
    r.state as ours, r.taken, r.amount,
    exists (select from wallet_flags w where w.agent_id = f.agent_id and w.cleared_at is null) as flagged
  from reconciliation_findings f left join top_up_reversals r on r.processor_ref = f.subject`;

/**
 * A run whose process may die between any two statements; another one may take its place only when its lease is over. It
 * looks at all worlds of the database at once, so where it dies is the one thing that worlds owe to each other.
 */
export async function reconcileBooks(universe: Universe, audit: Audit, time: Chance): Promise<Fault[]> {
  const fuse = burning(time.yes(0.25) ? 1 + time.below(60) : Number.POSITIVE_INFINITY);
  const { clock, processor } = universe;
  const deps = { pool: mortalPool(universe.pool, fuse), clock, processor, log: quiet };
  const run = await reconcile(deps).catch((error) => {
    if (!fuse.isBurnt()) throw error;
    return undefined;
  });
  if (run === undefined) return [];
  // It moves money, where it settles what it finds.
  if (run !== null) return [...(await audit.afterStep()), ...(await checkFindings(universe, audit))];
  const { rowCount } = await universe.pool.query(
    `update reconciliation_runs set lease_until = started_at where status = 'running' and lease_until > $1`,
    [clock.now()],
  );
  return rowCount === 1 ? [] : [{ seed: undefined, what: 'no run was made, and none was under way' }];
}

/** After a run that came to its end: what is open is true and what is settled is not any more, what is true is found, and what is about a wallet flags it. */
async function checkFindings(universe: Universe, audit: Audit): Promise<Fault[]> {
  const { pool, clock, processor } = universe;
  const { rows } = await pool.query<FindingRow>({ name: 'audit_findings', text: findings });
  const faults: Fault[] = [];
  for (const row of rows.filter(({ status }) => status === 'open')) {
    const { kind, subject, owner, agent, flagged } = row;
    if (!isTrue(universe, audit, row)) faults.push(audit.about(owner, `${kind} of ${subject} is open and not so`));
    if (agent !== null && !flagged) faults.push(audit.about(owner, `${kind} of ${subject} does not flag its wallet`));
  }
  for (const row of rows.filter(({ status }) => status === 'settled')) {
    if (isTrue(universe, audit, row)) {
      faults.push(audit.about(row.owner, `${row.kind} of ${row.subject} is said to be settled`));
    }
  }
  const known = new Set(rows.map(({ subject }) => subject));
  const until = clock.now().getTime() - graceMs;
  for (const { ref, accountRef, at } of processor.slips) {
    if (at.getTime() < until && !known.has(ref)) faults.push(audit.about(accountRef.slice(5), `${ref} was not found`));
  }
  for (const { ref, intentId, ownerId, status, at } of processor.charges.values()) {
    if (status !== 'succeeded' || at.getTime() >= until || known.has(ref)) continue;
    const isOpen = audit.moved(intentId).top_up === undefined && (await isGivenUp(universe, intentId));
    if (isOpen) faults.push(audit.about(ownerId, `${ref} is missing here and was not found`));
  }
  return faults;
}

const isGivenUp = async ({ pool }: Universe, intentId: string) =>
  (await pool.query(`select from top_ups where id = $1 and status = 'failed'`, [intentId])).rowCount === 1;

/** Whether what a finding says is so, by the processor's own books and by our transfers. */
function isTrue({ processor }: Universe, audit: Audit, { kind, subject, ours, taken, amount }: FindingRow): boolean {
  const intent = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(subject)?.[0] ?? '';
  const reversal = processor.charges.get(intent)?.reversals.find(({ ref }) => ref === subject);
  const { withdrawal = 0, withdrawal_returned: returned = 0, top_up: toppedUp } = audit.moved(intent);
  const truths: Record<string, () => boolean> = {
    payout_twice: () => processor.slips.some(({ ref }) => ref === subject),
    charge_missing_here: () => processor.charges.get(intent)?.status === 'succeeded' && toppedUp === undefined,
    payout_missing_here: () => processor.payouts.get(intent)?.status !== 'failed' && withdrawal === returned,
    reversal_missing_here: () => reversal?.state === 'standing' && ours !== 'standing',
    reversal_missing_there: () => reversal?.state !== 'standing' && ours === 'standing',
    reversal_uncovered: () => ours === 'standing' && (taken as number) < (amount as number),
  };
  return truths[kind]?.() ?? false;
}

/** When all is told and the operator has declared the rest in order, a run finds nothing and no wallet is flagged. */
export async function booksAtRest({ pool, clock, processor }: Universe): Promise<Fault[]> {
  await pool.query(`update reconciliation_runs set lease_until = started_at where status = 'running'`);
  const deps = { pool, clock, processor, log: quiet };
  await reconcile(deps);
  const settled = `cleared_at = $1, cleared_by = 'operator', cleared_reason = 'settled'`;
  await pool.query(`update reconciliation_findings set status = 'cleared', ${settled} where status = 'open'`, [
    clock.now(),
  ]);
  await pool.query(`update wallet_flags set ${settled} where cleared_at is null`, [clock.now()]);
  const again = await reconcile(deps);
  const { rows } = await pool.query<{ left: number }>(
    `select (select count(*) from reconciliation_findings where status = 'open')
       + (select count(*) from wallet_flags where cleared_at is null) as left`,
  );
  if (again?.raised === 0 && again.processor === 'checked' && rows[0]?.left === 0) return [];
  return [{ seed: undefined, what: `the last run found ${JSON.stringify(again)}, ${rows[0]?.left} are open` }];
}
