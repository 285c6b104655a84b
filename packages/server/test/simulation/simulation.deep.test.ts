import type { TaskStatus } from '@agora-market/contract';
import { expect, test } from 'vitest';
import { manualClock, newUuid, readConfig, type Step, transaction } from '../../src/platform/index.ts';
import { followLog } from '../../src/registry/reputation/reader.ts';
import { recomputeReputations } from '../../src/registry/reputation/recompute.ts';
import { leaseGateRuns } from '../../src/tasks/assessment/gate-sql.ts';
import { settleGroups } from '../../src/tasks/groups/settle.ts';
import { attachSandbox, eraseInputs, overdueTasks } from '../../src/tasks/sql.ts';
import {
  deliverStep,
  feedbackStep,
  finishStep,
  reassignStep,
  shortlistStep,
  startStep,
  submitStep,
  submitTogetherStep,
} from '../../src/tasks/steps/index.ts';
import { releaseBatch } from '../../src/vault/sql.ts';
import {
  createWorld,
  deliverItem,
  feedbackItem,
  finishItem,
  nobody,
  reassignItem,
  shortlistItem,
  startedAt,
  startItem,
  submitItem,
  type World,
} from '../steps/world.ts';
import { attemptItems, misjudged, stepsOfAttempts } from './attempts.ts';
import { bringBack } from './bring-back.ts';
import { chance, recent } from './chance.ts';
import { rateOf, shareOf } from './fee.ts';
import { faults } from './invariants.ts';
import { miscounted } from './task-faults.ts';

/**
 * Buyers, agents and sweeps all at once, and sessions that really end under them, over the real steps of tasks. What else
 * moves money is simulated in `money.test.ts`, where a seed decides on every turn. The seed fixes what is tried; it is
 * in the message of a failure, and SIMULATION_SEED=<seed> tries the same again.
 */

const steps = Number(process.env.SIMULATION_STEPS ?? 300);
const firstSeed = Number(process.env.SIMULATION_SEED ?? 1);
const seeds = Number(process.env.SIMULATION_SEEDS ?? (process.env.SIMULATION_SEED === undefined ? 8 : 1));

interface SimulatedTask {
  id: string;
  agent: string;
  price: number;
  isAttempt?: boolean;
}

async function simulate(world: World, seed: number): Promise<void> {
  const random = chance(seed);
  const clock = manualClock(new Date(startedAt));
  const config = readConfig({});
  const { pool } = world;
  const owners = await Promise.all([3_000, 20_000, 100_000].map((cents) => world.owner(cents)));
  const agents = await Promise.all(
    [{}, {}, { seasoned: true }, { seasoned: true }].map((fields) => world.agent(fields)),
  );
  const tasks: SimulatedTask[] = [];
  const acknowledged = new Map<string, TaskStatus>();
  let writers = [world.writer, world.openWriter()];

  /** Writes a step; a crash leaves open whether it was taken, an answer does not. */
  async function write<Item, Outcome extends { outcome: string }>(
    step: Step<Item, Outcome>,
    item: Item,
    id: string,
    becomes: (outcome: Outcome) => TaskStatus | null,
  ) {
    const outcome = await random.of(writers).write(step, item);
    const status = outcome.outcome === 'ok' ? becomes(outcome) : null;
    if (status !== null) acknowledged.set(id, status);
  }

  const at = () => clock.now().toISOString();
  const task = () => random.of(tasks);
  const actions: Record<string, (of?: SimulatedTask) => Promise<unknown>> = {
    submit() {
      const maxBudget = random.of([1, 6, 99, 700, 1000, 1999]);
      const price = random.of([maxBudget, Math.floor(maxBudget / 3), 0]);
      const id = newUuid(clock);
      const agent = random.of(agents);
      const isQueued = random.yes(0.2);
      const item = submitItem(random.of(owners), isQueued ? null : agent, {
        id,
        feeBps: rateOf(id),
        routed: !isQueued && random.yes(0.5),
        maxBudget,
        price: isQueued ? maxBudget : price,
        at: at(),
      });
      return write(submitStep, item, item.id, () => {
        tasks.push({ id: item.id, agent, price: item.price });
        return item.routed ? 'routing' : 'submitted';
      });
    },
    assign() {
      const { id, agent, price } = task();
      const item = reassignItem(id, null, agent, { price, feeBps: rateOf(id), at: at() });
      return write(reassignStep, item, id, () => 'routing');
    },
    async submitAttempts() {
      const sellers = await Promise.all(Array.from({ length: 2 + random.below(2) }, () => world.agent()));
      const items = attemptItems(random, owners.at(-1) as string, sellers, clock);
      const { outcome } = await random.of(writers).write(submitTogetherStep, items);
      if (outcome !== 'ok') return;
      for (const { id, agentId: agent, price } of items) {
        tasks.push({ id, agent, price, isAttempt: true });
        acknowledged.set(id, 'routing');
      }
    },
    /** What comes next for an attempt, as far as its parties know. */
    async attempt() {
      const open = tasks.filter(({ id, isAttempt }) => isAttempt && stepsOfAttempts[acknowledged.get(id) ?? 'failed']);
      const chosen = recent({ random }, open);
      return chosen && actions[random.of(stepsOfAttempts[acknowledged.get(chosen.id) as 'routing'])]?.(chosen);
    },
    start(of = task()) {
      const { id, agent } = of;
      const by = random.yes(0.9) ? agent : random.of(agents);
      return write(
        startStep,
        startItem(id, by, { at: at(), sandboxId: random.of(['own', `sbx_${id}`]) }),
        id,
        () => 'executing',
      );
    },
    deliver(of = task()) {
      const { id, agent } = of;
      return write(deliverStep, deliverItem(id, agent, { at: at() }), id, () => 'quality_check');
    },
    finish(of = task()) {
      const { id, agent, price, isAttempt } = of;
      // What passes is compared with the others.
      if (isAttempt && random.yes(0.7)) {
        return write(
          shortlistStep,
          shortlistItem(id, random.of([50, 70, 70, 90]), { at: at() }),
          id,
          () => 'quality_check',
        );
      }
      const verb = isAttempt
        ? random.of(['reject', 'fail', 'expire', 'cancel'] as const)
        : random.of(['pass', 'pass', 'pass', 'reject', 'fail', 'expire'] as const);
      const item = finishItem(id, verb, price, {
        ...shareOf(id, price),
        at: at(),
        agentId: verb === 'fail' ? agent : null,
      });
      return write(finishStep, item, id, () => (verb === 'pass' ? 'completed' : 'failed'));
    },
    feedback() {
      const { id } = task();
      const item = feedbackItem(id, random.of(['up', 'down']), { at: at() });
      return write(feedbackStep, item, id, ({ refunded }) => (refunded ? 'refunded' : null));
    },
    release: () => transaction(pool, 'ledger', (tx) => releaseBatch(tx, clock.now(), random.of([1, 5, 1000]), 0)),
    async expire() {
      const overdue = await overdueTasks(pool, clock.now(), 50);
      await Promise.all(
        overdue.map(({ id }) => write(finishStep, finishItem(id, 'expire', 0, { at: at() }), id, () => 'failed')),
      );
    },
    attach() {
      const { id, agent } = task();
      return attachSandbox(pool, { id, agentId: agent }, `sbx_${id}`);
    },
    erase: () => eraseInputs(pool, clock.now(), 20),
    lease: () =>
      leaseGateRuns(
        pool,
        { now: clock.now(), leaseUntil: new Date(clock.now().getTime() + 60_000), most: 20, share: 1_000_000 },
        { host: nobody, store: nobody },
      ),
    settle: () => settleGroups({ pool, clock, config, writer: random.of(writers) }),
    reactivate: () => bringBack(pool, random.of(agents), clock.now()),
    follow: () => followLog(pool, new AbortController().signal),
  };
  const weighted = Object.entries({
    submit: 6,
    assign: 3,
    submitAttempts: 2,
    attempt: 12,
    start: 6,
    deliver: 6,
    finish: 7,
    feedback: 4,
    attach: 2,
  }).flatMap(([name, times]) => Array.from({ length: times }, () => name));
  const names = [...weighted, ...'release expire erase lease settle settle reactivate follow follow'.split(' ')];

  async function crash() {
    if (random.yes(0.5)) {
      const sessions = `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
        and pid <> pg_backend_pid() and application_name = 'agora' and query like any($1)`;
      await steady(() => pool.query(sessions, [['commit', 'begin', '%tasks\\_%', '%advisory%']]));
    } else {
      // The process goes away and another takes its place; what it had in flight may or may not be done.
      const [gone, stays] = writers as [World['writer'], World['writer']];
      void gone.close();
      writers = [stays, world.openWriter()];
    }
  }

  for (let step = 1; step <= steps; step++) {
    clock.advance(random.of([0, 1, 1_000, 30_000, 120_000, 900_000]));
    const count = tasks.length === 0 ? 3 : 1 + random.below(8);
    const running = Promise.allSettled(
      Array.from({ length: count }, () => actions[tasks.length === 0 ? 'submit' : random.of(names)]!()),
    );
    if (random.yes(0.08)) await crash();
    const settled = await running;
    for (const each of settled) {
      if (each.status === 'rejected' && !isCrash(each.reason)) throw each.reason;
    }
    if (step % 20 === 0 || step === steps) {
      const found = await steady(() => faults(pool, acknowledged));
      if (found.length > 0) throw new Error(`after step ${step}: ${found.join('\n')}`);
    }
  }

  // Time goes on until nothing waits any more.
  clock.advance(100_000_000);
  await steady(actions.expire!);
  const { rows } = await pool.query<{ id: string; price: string }>(
    `select id, price from tasks where status = 'quality_check' and group_tasks is null`,
  );
  await Promise.all(
    rows.map(({ id, price }) =>
      world
        .openWriter()
        .write(finishStep, finishItem(id, 'pass', Number(price), { ...shareOf(id, Number(price)), at: at() })),
    ),
  );
  const { rows: attempts } = await pool.query<{ id: string }>(
    `select id from tasks where status = 'quality_check' and assessment_id is null`,
  );
  await Promise.all(
    attempts.map(({ id }) => world.openWriter().write(shortlistStep, shortlistItem(id, 60, { at: at() }))),
  );
  await steady(actions.settle!);
  // One attempt of a group is paid where any has passed, and none more than once.
  expect((await pool.query(misjudged)).rows).toEqual([]);
  // A simulation of the usual length has decided between several deliveries that passed.
  const passedOver = `select 1 from events where type = 'task.failed' and data ->> 'verb' = 'passOver'`;
  if (steps >= 300) expect((await pool.query(passedOver)).rowCount).toBeGreaterThan(0);
  clock.advance(900_000);
  for (let released = 1; released > 0; ) {
    await actions.expire!();
    released = await transaction(pool, 'ledger', (tx) => releaseBatch(tx, clock.now(), 100, 0));
  }
  expect((await pool.query(`select * from earnings where status = 'pending'`)).rows).toEqual([]);
  expect(
    (await pool.query(`select * from ledger_accounts where kind in ('pool_held', 'wallet_escrowed') and balance > 0`))
      .rows,
  ).toEqual([]);
  expect(await faults(pool, acknowledged)).toEqual([]);
  await actions.follow!();
  expect((await recomputeReputations(pool)).differences).toEqual([]);
  expect((await pool.query(miscounted)).rows).toEqual([]);
}

/** What callers are told when sessions end under them; everything else would be a fault. */
const isCrash = (error: { code?: string; message?: string }) =>
  ['57P01', 'NOT_READY', 'ECONNRESET', 'EPIPE'].includes(error.code ?? '') ||
  /Connection terminated|not queryable/.test(error.message ?? '');

/** For what the test itself asks: it, too, may get a session that is about to end. */
async function steady<R>(work: () => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === 10 || !isCrash(error as Error)) throw error;
    }
  }
}

test.each(Array.from({ length: seeds }, (_, at) => firstSeed + at))(
  'whatever happens, credits are neither made nor lost and every hold is resolved once (seed %i)',
  async (seed) => {
    const world = await createWorld();
    try {
      await simulate(world, seed);
    } catch (error) {
      throw new Error(`SIMULATION_SEED=${seed} SIMULATION_STEPS=${steps}`, { cause: error });
    } finally {
      await world.close();
    }
  },
);
