import fc from 'fast-check';
import { expect } from 'vitest';
import { verifyLedger } from '../../src/audit/verify-ledger.ts';
import { type Step, transaction } from '../../src/platform/index.ts';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { collectDebts } from '../../src/vault/payments/debts.ts';
import {
  collect,
  deliver,
  emptyModel,
  feedback,
  finish,
  type Model,
  newAgent,
  reverse,
  start,
  submit,
} from './model.ts';
import { expected, stored } from './model-stored.ts';
import { dispute, paymentDeps, plantDebt } from './reversals.ts';
import { runStep } from './run-step.ts';
import { deliverItem, feedbackItem, finishItem, iso, startedAt, startItem, submitItem, type World } from './world.ts';

type Ran = { outcome: string };

/** Runs a batch and compares each answer with the model's. */
async function compare<Item>(
  world: World,
  step: Step<Item, Ran>,
  items: Item[],
  model: (item: Item) => object,
): Promise<void> {
  const outcomes = await transaction(world.pool, 'ledger', (tx) => runStep(tx, step, items));
  for (const [at, item] of items.entries()) {
    const { available, ...wanted } = model(item) as Ran & { available?: number };
    // What was left of a pool is told to those it did not suffice for.
    expect(outcomes[at]).toMatchObject(wanted.outcome === 'short' ? { ...wanted, available } : wanted);
  }
}

const command = fc.record({
  task: fc.nat(1000),
  owner: fc.nat(2),
  /** Which agent submits it, of those with a budget; mostly an owner does. */
  submitter: fc.constantFrom(null, null, 0, 1),
  /** Time passes between submissions, now and then days. */
  laterMs: fc.constantFrom(0, 0, 1, 1000, 86_399_999, 86_400_000, 500_000_000),
  agent: fc.nat(2),
  routed: fc.boolean(),
  budget: fc.constantFrom(1, 7, 100, 999, 1000, 2500),
  share: fc.constantFrom(0, 1, 0.5, 1),
  verb: fc.constantFrom(
    'pass',
    'pass',
    'pass',
    'reject',
    'fail',
    'expire',
    'decline',
    'cancel',
    'lackInput',
    'abandon' as const,
  ),
  /** Judged before it was stored, which a verdict can be. */
  delivery: fc.option(
    fc.record({ result: fc.nat(9), declaredScore: fc.constantFrom(null, 55), executionTimeMs: fc.nat(9) }),
  ),
  direction: fc.constantFrom('up', 'down' as const),
  stranger: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
  late: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
});
type Command = typeof command extends fc.Arbitrary<infer C> ? C : never;

const round = fc.record({
  kind: fc.constantFrom('submit', 'submit', 'start', 'deliver', 'finish', 'finish', 'feedback', 'reverse', 'collect'),
  commands: fc.array(command, { minLength: 1, maxLength: 14 }),
});

async function play(world: World, rounds: { kind: string; commands: Command[] }[], { model, owners, agents }: Cast) {
  const submitters = [...model.budgets.keys()];
  const ids = [...model.tasks.keys()];
  for (const { kind, commands } of rounds) {
    // A task appears once in a batch; the writer sees to that.
    const targets = new Map<string, Command>();
    for (const each of commands) if (ids.length > 0) targets.set(ids[each.task % ids.length] as string, each);
    const about = [...targets].map(([id, each]) => ({ id, each, task: model.tasks.get(id)! }));
    const agentOf = ({ each, task }: (typeof about)[number]) => (each.stranger ? agents[each.agent]! : task.agent);
    switch (kind) {
      case 'submit': {
        const items = commands.map((each) =>
          submitItem(owners[each.owner]!, agents[each.agent]!, {
            submitterAgentId: each.submitter === null ? null : submitters[each.submitter]!,
            at: iso(startedAt + each.laterMs),
            routed: each.routed,
            maxBudget: each.budget,
            price: Math.floor(each.budget * each.share),
          }),
        );
        await compare(world, submitStep, items, (item) => submit(model, item));
        ids.splice(0, ids.length, ...model.tasks.keys());
        break;
      }
      case 'start': {
        const at = (late: boolean) => iso(startedAt + (late ? 86_400_000 : 5));
        const items = about.map((one) => startItem(one.id, agentOf(one), { at: at(one.each.late) }));
        await compare(world, startStep, items, (item) => start(model, item));
        break;
      }
      case 'deliver': {
        const items = about.map((one) => deliverItem(one.id, agentOf(one)));
        await compare(world, deliverStep, items, (item) => deliver(model, item));
        break;
      }
      case 'finish': {
        const items = about.map((one) => {
          const { verb, delivery, late } = one.each;
          const isDelivery = delivery !== null && (verb === 'pass' || verb === 'reject');
          return finishItem(one.id, verb, one.task.price, {
            agentId: verb === 'fail' || isDelivery ? agentOf(one) : null,
            at: iso(startedAt + (late ? 4_000_000 : 10)),
            ...(isDelivery && { delivery: { ...delivery, host: one.id, output: { result: delivery.result } } }),
          });
        });
        await compare(world, finishStep, items, (item) => finish(model, item));
        break;
      }
      case 'reverse': {
        // The first owner has never paid.
        for (const { owner, budget: amountCents } of commands.filter((each) => each.owner > 0)) {
          await dispute(world.pool, owners[owner]!, amountCents);
          reverse(model, owners[owner]!, amountCents);
        }
        break;
      }
      case 'collect':
        await collectDebts(paymentDeps(world.pool));
        collect(model);
        break;
      default: {
        const window = {
          at: (task: { finishedAt: number }, late: boolean) => task.finishedAt + 600_000 + (late ? 1 : 0),
        };
        const items = about.map((one) =>
          feedbackItem(one.id, one.each.direction, { at: iso(window.at(one.task, one.each.late)) }),
        );
        await compare(world, feedbackStep, items, (item) => feedback(model, item));
      }
    }
  }
}

interface Cast {
  model: Model;
  owners: string[];
  agents: string[];
}

async function freshCast(world: World): Promise<Cast> {
  const { pool } = world;
  await pool.query(`alter table ledger_transfers disable trigger all`);
  await pool.query(
    'truncate events, earnings, ledger_transfers, ledger_accounts, sandboxes, assessments, tasks, agent_stats, agent_budgets, agents, top_ups cascade',
  );
  await pool.query(`alter table ledger_transfers enable trigger all`);
  const model = emptyModel();
  const owners: string[] = [];
  for (const available of [0, 2600, 9000]) {
    const owed = available === 9000 ? 6400 : 0;
    const id = await world.owner(available);
    if (owed > 0) await plantDebt(pool, id, owed);
    owners.push(id);
    model.owners.set(id, { available, held: 0, owed });
  }
  const agents: string[] = [];
  for (const fields of [{}, { seasoned: true }, { status: 'deactivated' }]) {
    const id = await world.agent(fields);
    agents.push(id);
    const { status = 'active', seasoned = false } = fields;
    model.agents.set(id, newAgent({ status, tier: seasoned ? 'established' : 'unverified' }));
  }
  for (const budget of [
    { transaction: 1000, day: 2000, week: 3000, month: 4000, approval: 900 },
    { transaction: null, day: null, week: 2600, month: null, approval: null },
  ]) {
    const id = await world.agent({ seasoned: true });
    model.agents.set(id, newAgent({ tier: 'established' }));
    model.budgets.set(id, budget);
    await pool.query('insert into agent_budgets values ($1, $2, $3, $4, $5, $6, now())', [
      id,
      ...Object.values(budget),
    ]);
  }
  return { model, owners, agents };
}

/**
 * Expects of any batches the outcomes and effects of the same items written one after the other. `STEPS_SEED` repeats a run
 * that failed.
 */
export async function expectAnyBatchesInOrder(world: World, numRuns: number): Promise<void> {
  const seed = process.env.STEPS_SEED === undefined ? undefined : Number(process.env.STEPS_SEED);
  const property = fc.asyncProperty(fc.array(round, { minLength: 4, maxLength: 25 }), async (rounds) => {
    const cast = await freshCast(world);
    await play(world, rounds, cast);
    // An owner that was never paid has no account.
    type Owners = { owners: { available: number; held: number; owed: number }[] };
    const some = ({ owners, ...rest }: Owners) => ({
      ...rest,
      owners: owners.filter(({ available, held, owed }) => available + held + owed > 0),
    });
    expect(some((await stored(world.pool)) as Owners)).toEqual(some(expected(cast.model) as Owners));
    expect((await verifyLedger(world.url)).filter((check) => check.broken.length > 0)).toEqual([]);
  });
  await fc.assert(property, { numRuns, ...(seed !== undefined && { seed }) });
}
