import { checkLedger } from '../../src/audit/verify-ledger.ts';
import { type Clock, createHub, createPool, createStepWriter, manualClock } from '../../src/platform/index.ts';
import { awaitDeadlines, overdueTasks } from '../../src/tasks/sql.ts';
import { finishStep, stepsLock } from '../../src/tasks/steps/index.ts';
import { releaseDueEarnings } from '../../src/vault/accounts.ts';
import { refillPools } from '../../src/vault/auto-top-up/refill-pools.ts';
import { collectDebts } from '../../src/vault/payments/debts.ts';
import { settleDueRefunds } from '../../src/vault/payments/refund-settle.ts';
import { settlePendingTopUps } from '../../src/vault/payments/top-up.ts';
import { paymentGuard } from '../../src/vault/payments/velocity.ts';
import { forgetPayable } from '../../src/vault/payouts/payout-hold.ts';
import { settleDueWithdrawals } from '../../src/vault/payouts/settle.ts';
import { finishItem, quiet, startedAt } from '../steps/world.ts';
import { createTestDatabase } from '../support/database.ts';
import { digest } from '../support/invoke.ts';
import { hear, step } from './actions.ts';
import { Audit, type Fault } from './audit.ts';
import { booksAtRest, reconcileBooks } from './books.ts';
import { chance, fate } from './chance.ts';
import { sweepCourts } from './court.ts';
import { shareOf } from './fee.ts';
import { Crash, mortalPool } from './mortal.ts';
import { SimulatedProcessor } from './processor.ts';
import { count, type Tally } from './tally.ts';
import { passOnUnaccepted } from './task-actions.ts';
import { newWorld, settleIn, type Universe, type World } from './world.ts';

/** Worlds that share a database and a clock; what one of them does depends on its own seed alone. */
const worldsAtOnce = 50;
/** How long earnings wait until they can be withdrawn: a part of the hours that a world lives. */
const payoutHoldMs = 20 * 60_000;

export interface Run {
  firstSeed: number;
  seeds: number;
  steps: number;
  /** SQL that plants a defect in the database. */
  defect?: string;
}

/** What the simulation found, said so that it can be found again. */
export class Found extends Error {
  readonly seed: number | undefined;
  readonly atStep: number;

  constructor(seed: number | undefined, atStep: number, what: string) {
    super(`SIMULATION_SEED=${seed ?? '?'} SIMULATION_STEPS=${atStep}: ${what}`);
    this.seed = seed;
    this.atStep = atStep;
  }
}

/** One group waits for the database while another computes. */
const groupsAtOnce = 2;

/** Runs worlds of so many seeds, some at once. Throws `Found` at the first step after which something is wrong. */
export async function simulate({ firstSeed, seeds, steps, defect }: Run): Promise<Tally> {
  const tally: Tally = new Map();
  const groups = new Map<number, number[]>();
  for (let seed = firstSeed; seed < firstSeed + seeds; seed++) {
    // A seed always has the same clock, whichever seeds are run with it.
    const group = Math.floor(seed / worldsAtOnce);
    groups.set(group, [...(groups.get(group) ?? []), seed]);
  }
  const waiting = [...groups];
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      await simulateTogether(next[1], next[0], { steps, defect, tally });
    }
  };
  await Promise.all(Array.from({ length: groupsAtOnce }, lane));
  return tally;
}

async function simulateTogether(
  seeds: number[],
  group: number,
  { steps, defect, tally }: Pick<Run, 'steps' | 'defect'> & { tally: Tally },
) {
  const database = await createTestDatabase();
  const pool = createPool(database.url, () => {}, { max: 3 });
  const clock = manualClock(new Date(startedAt));
  const writer = createStepWriter(database.url, createHub(), quiet, { lock: stepsLock });
  const universe: Universe = { pool, writer, clock, processor: new SimulatedProcessor(clock), worldOf: new Map() };
  try {
    // For the audit, which reads on from where it was.
    await pool.query('create index on ledger_transfers (seq)');
    if (defect) await pool.query(defect);
    const worlds = seeds.map((seed) => newWorld(seed, universe.processor));
    await settleIn(pool, worlds, clock.now());
    await live(universe, clock, worlds, chance(-1 - group), steps);
    await count(pool, tally);
  } finally {
    await writer.close();
    await pool.end();
    await database.drop();
  }
}

type Clockwork = Clock & { advance(ms: number): void };

async function live(
  universe: Universe,
  clock: Clockwork,
  worlds: World[],
  time: ReturnType<typeof chance>,
  steps: number,
): Promise<void> {
  const audit = new Audit(universe, worlds);
  for (let nth = 1; nth <= steps; nth++) {
    clock.advance(time.of([0, 0, 1, 1_000, 1_000, 5_000, 20_000, 90_000]));
    const results = await Promise.allSettled(worlds.map((world) => step(universe, world)));
    if (time.yes(0.2)) await sweep(universe, nth);
    const faults = results.flatMap((result, at): Fault[] =>
      result.status === 'rejected' ? [{ seed: worlds[at]?.seed, what: String(result.reason) }] : [],
    );
    report([...faults, ...(await audit.afterStep())], worlds, nth);
    if (nth % 100 === 0) report(await reconcileBooks(universe, audit, time), worlds, nth);
    if (nth % 500 === 0) await prove(universe, audit, worlds, nth);
  }
  await comeToRest(universe, clock, worlds);
  report([...(await audit.afterStep()), ...(await audit.atRest())], worlds, steps);
  report(await booksAtRest(universe), worlds, steps);
  await prove(universe, audit, worlds, steps);
}

function report(faults: Fault[], worlds: World[], nth: number): void {
  const [first] = faults;
  if (!first) return;
  const world = worlds.find(({ seed }) => seed === first.seed);
  const others = faults.length > 1 ? ` (and ${faults.length - 1} more)` : '';
  throw new Found(first.seed, nth, `${world?.doing ?? '?'}: ${first.what}${others}`);
}

/** The whole proof of the ledger, which reads everything. */
async function prove({ pool }: Universe, audit: Audit, worlds: World[], nth: number): Promise<void> {
  report(await audit.ofCourts(), worlds, nth);
  const broken = (await checkLedger(pool)).filter((check) => check.broken.length > 0);
  const faults = broken.map(({ name, broken: rows }) => {
    const text = JSON.stringify(rows.slice(0, 2));
    const whose = worlds.find(({ owners, agents }) => [...owners, ...agents.flat()].some((id) => text.includes(id)));
    return { seed: whose?.seed, what: `it does not hold that ${name}: ${text}` };
  });
  report(faults, worlds, nth);
}

/** Between which two statements of a sweep a process may die. */
const mortalStatements = new Set([
  'payments_mark_succeeded',
  'vault_transfer',
  'payouts_resolve_withdrawal',
  'payouts_find_withdrawal',
  'payments_insert_top_up',
  'refunds_close',
  'refunds_fail',
  'refunds_note_ref',
  'auto_top_up_begin',
]);

/** What the server does by itself. Its processes die too: what they had begun for a world is left to the next sweep. */
async function sweep(universe: Universe, nth: number): Promise<void> {
  const { clock, writer, processor } = universe;
  const pool = mortalPool(universe.pool, {
    before({ name = '', values }) {
      if (!mortalStatements.has(name)) return;
      const about = values.flat().find((value) => processor.isKnown(value as string)) as string | undefined;
      if (about && fate(processor.patronOf(about).seed, nth, name) < 0.03) throw new Crash('the process died');
    },
  });
  await releaseDueEarnings(universe.pool, clock.now(), payoutHoldMs);
  await forgetPayable(universe.pool, clock.now(), 1_000);
  await awaitDeadlines(universe.pool, clock.now(), 1000);
  const overdue = await overdueTasks(universe.pool, clock.now(), 1000);
  const at = clock.now().toISOString();
  await Promise.all(
    overdue.map(async ({ id, status }) => {
      const world = universe.worldOf.get(id);
      const task = world?.tasks.find((each) => each.id === id);
      world?.touched.add(id);
      if (world && task && status === 'routing' && (await passOnUnaccepted(universe, world, task))) return;
      await writer.write(finishStep, finishItem(id, 'expire', 0, { at }));
    }),
  );
  const deps = { pool, clock, processor, log: quiet, digest, guard: paymentGuard('off', digest) };
  await settlePendingTopUps(deps);
  await settleDueRefunds(deps);
  await collectDebts(deps);
  await settleDueWithdrawals(deps);
  await refillPools(deps);
  await sweepCourts(universe, nth);
}

/** Time goes on until nothing waits any more: every request arrives, every charge is decided, every message is heard. */
async function comeToRest(universe: Universe, clock: Clockwork, worlds: World[]): Promise<void> {
  const { pool, processor, writer } = universe;
  processor.isCalm = true;
  await pool.query('update auto_top_ups set enabled = false');
  const { rows } = await pool.query<{ id: string; price: string }>(
    `select id, price from tasks where status = 'quality_check'`,
  );
  const at = clock.now().toISOString();
  await Promise.all(
    rows.map(({ id, price }) =>
      writer.write(finishStep, finishItem(id, 'pass', Number(price), { at, ...shareOf(id, Number(price)) })),
    ),
  );
  for (let round = 0; round < 8; round++) {
    clock.advance(25 * 3_600_000);
    decideAll(processor);
    for (const world of worlds) {
      for (const { stray, events } of world.patrons) {
        for (const { arrive } of stray.splice(0)) arrive();
        for (let tries = 0; events.length > 0 && tries < 1_000; tries++) {
          await hear(universe, world, events, events.length - 1, false);
        }
      }
    }
    await sweep(universe, -round);
  }
}

function decideAll(processor: SimulatedProcessor): void {
  for (const charge of processor.charges.values()) {
    if (charge.status === 'pending') processor.decideCharge(charge, 'succeeded');
  }
  for (const refund of processor.refunds.values()) {
    if (refund.reversal?.ours?.isDecided === false) processor.takeRefund(refund);
  }
  for (const payout of processor.payouts.values()) {
    if (payout.status === 'in_transit') processor.decidePayout(payout, 'paid');
  }
}
