import { type TaskStatus, toId } from '@agora/contract';
import { type Call, newUuid, transaction } from '../../src/platform/index.ts';
import { forgiveFailures } from '../../src/registry/sql.ts';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../../src/tasks/steps/index.ts';
import { setAutoTopUp } from '../../src/vault/auto-top-up/set-auto-top-up.ts';
import { setBudget } from '../../src/vault/budgets/budgets.ts';
import { topUp } from '../../src/vault/payments/top-up.ts';
import { processorWebhook } from '../../src/vault/payments/webhook.ts';
import { withdraw } from '../../src/vault/payouts/withdraw.ts';
import { allocate, reclaim, transferBetweenWallets } from '../../src/vault/wallets/moves.ts';
import { deliverItem, feedbackItem, finishItem, startItem, submitItem } from '../steps/world.ts';
import type { Patron } from './processor.ts';
import {
  callerOf,
  newRepeatable,
  type Repeatable,
  type Rule,
  request,
  type Universe,
  type World,
  write,
} from './world.ts';

type Action = (universe: Universe, world: World) => Promise<unknown> | unknown;

const at = ({ clock }: Universe) => clock.now().toISOString();
const some = <T>(world: World, list: readonly T[]): T | undefined =>
  list.length > 0 ? world.random.of(list) : undefined;
/** Mostly one of the newest, which is where things still happen. */
const recent = <T>(world: World, list: readonly T[]) => some(world, world.random.yes(0.9) ? list.slice(-6) : list);

const next: Partial<Record<TaskStatus, string>> = {
  submitted: 'start',
  routing: 'start',
  executing: 'finish',
  quality_check: 'finish',
};
const nextOf = ({ acknowledged }: World, id: string) => next[acknowledged.get(id) ?? 'failed'];

const taskActions: Record<string, Action> = {
  submit(universe, world) {
    const { random } = world;
    const buyer = random.below(2);
    const maxBudget = random.of([1, 6, 99, 700, 1000, 1999]);
    const price = random.of([maxBudget, maxBudget, Math.floor(maxBudget / 3), 0]);
    const owner = world.owners[buyer] as string;
    const agent = random.of(world.agents[1 - buyer] as [string, string]);
    const item = submitItem(owner, agent, {
      id: newUuid(universe.clock),
      submitterAgentId: random.yes(0.3) ? random.of(world.agents[buyer] as [string, string]) : null,
      routed: random.yes(0.3),
      maxBudget,
      price,
      at: at(universe),
    });
    universe.worldOf.set(item.id, world);
    return write(universe, world, submitStep, item, item.id, () => (item.routed ? 'routing' : 'submitted')).then(
      (outcome) => {
        if (outcome?.outcome === 'ok') world.tasks.push({ id: item.id, agent, price });
      },
    );
  },
  /** What comes next for a task that is under way, as far as its parties know. */
  goOn(universe, world) {
    const task = recent(
      world,
      world.tasks.filter(({ id }) => nextOf(world, id) !== undefined),
    );
    return task && taskActions[nextOf(world, task.id) as string]?.(universe, { ...world, tasks: [task] });
  },
  start(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const by = world.random.yes(0.95) ? task.agent : world.random.of(world.agents.flat());
    return write(universe, world, startStep, startItem(task.id, by, { at: at(universe) }), task.id, () => 'executing');
  },
  deliver(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const item = deliverItem(task.id, task.agent, { at: at(universe) });
    return write(universe, world, deliverStep, item, task.id, () => 'quality_check');
  },
  finish(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const verb = world.random.yes(0.85) ? 'pass' : world.random.of(['reject', 'fail', 'expire', 'abandon'] as const);
    const judged = verb === 'pass' || verb === 'reject';
    const item = finishItem(task.id, verb, task.price, {
      at: at(universe),
      agentId: verb === 'fail' ? task.agent : null,
      // Half of what is judged is judged before it is stored.
      ...(judged &&
        world.random.yes(0.6) && { delivery: { output: { result: 'r' }, declaredScore: null, executionTimeMs: 1 } }),
    });
    return write(universe, world, finishStep, item, task.id, () => (verb === 'pass' ? 'completed' : 'failed')).then(
      (outcome) => {
        if (outcome?.outcome === 'ok') task.finishedAt = universe.clock.now().getTime();
      },
    );
  },
  feedback(universe, world) {
    const task = recent(world, world.tasks);
    if (!task) return;
    const item = feedbackItem(task.id, world.random.of(['up', 'down', 'down']), { at: at(universe) });
    return write(universe, world, feedbackStep, item, task.id, ({ refunded }) => (refunded ? 'refunded' : null)).then(
      (outcome) => {
        const isInTime = universe.clock.now().getTime() <= (task.finishedAt ?? 0) + item.refundWindowMs;
        const isOwed = item.direction === 'down' && outcome?.outcome === 'ok' && isInTime;
        if (isOwed && !outcome.refunded) throw new Error(`${task.id} was not refunded inside the window`);
      },
    );
  },
  reactivate({ pool }, world) {
    const agent = world.random.of(world.agents.flat());
    return transaction(pool, 'write', async (tx) => {
      await tx.query(`update agents set status = 'active' where id = $1 and status = 'suspended'`, [agent]);
      await forgiveFailures(tx, agent, 3);
    });
  },
};

/** A new request, or one that is sent again because its client does not know its end. */
function repeatOrMake(world: World, kept: Repeatable[], holder: string, amount: number): Repeatable {
  const repeated = world.random.yes(0.25) ? recent(world, kept) : undefined;
  const made = repeated ?? newRepeatable(world, holder, amount);
  if (!repeated) kept.push(made);
  return made;
}

const moneyActions: Record<string, Action> = {
  topUp(universe, world) {
    const { random } = world;
    const made = repeatOrMake(world, world.topUps, random.of(world.owners), random.of([2_000, 10_000, 50_000]));
    universe.processor.foresee(made.holder, made.intentId);
    const call = { caller: callerOf(made.holder), body: { amount: made.amount }, claim: made.claim };
    return request(universe, world, topUp as Rule<never>, call);
  },
  withdraw(universe, world) {
    const { random } = world;
    const made = repeatOrMake(world, world.withdrawals, random.of(world.agents.flat()), random.of([50, 500, 1_000]));
    const owner = world.owners[world.agents[0].includes(made.holder) ? 0 : 1];
    universe.processor.foresee(owner, made.intentId);
    const params = { agentId: toId('agent', made.holder) };
    const call = { caller: callerOf(owner), params, body: { amount: made.amount }, claim: made.claim };
    return request(universe, world, withdraw as Rule<never>, call);
  },
  allocate: (universe, world) => moveCredits(universe, world, allocate),
  reclaim: (universe, world) => moveCredits(universe, world, reclaim),
  transfer: (universe, world) => moveCredits(universe, world, transferBetweenWallets),
  setAutoTopUp(universe, world) {
    const { random } = world;
    const body = {
      enabled: random.yes(0.7),
      threshold: random.of([500, 2_000]),
      reloadAmount: random.of([1_000, 3_000]),
    };
    const call = { caller: callerOf(random.of(world.owners)), body };
    return request(universe, world, ((_, input) => setAutoTopUp(input)) as Rule<never>, call, 'write');
  },
  setBudget(universe, world) {
    const { random } = world;
    const whose = random.below(2);
    const params = { agentId: toId('agent', random.of(world.agents[whose] as [string, string])) };
    const body = {
      perTransactionMax: random.of([null, 700, 1_500]),
      dailyLimit: random.of([null, 1_500, 4_000]),
      weeklyLimit: random.of([null, 6_000]),
      monthlyLimit: random.of([null, 20_000]),
      approvalThreshold: random.of([null, 1_200]),
    };
    const call = { caller: callerOf(world.owners[whose] as string), params, body };
    return request(universe, world, ((_, input) => setBudget(input)) as Rule<never>, call, 'write');
  },
  /** News come in any order, some twice, and again after they could not be handled. */
  async webhook(universe, world) {
    const { random } = world;
    const { events } = random.of(world.patrons);
    const place = random.yes(0.6) ? 0 : random.below(events.length);
    if (events[place]) await hear(universe, world, events, place, random.yes(0.2));
  },
  /** The operator declares in order what went back to cards and the pools could not pay: only then is paid out again. */
  settle: ({ pool, clock }, world) =>
    pool.query(
      `insert into reconciliation_findings
         (id, kind, subject, owner_id, status, found_at, cleared_at, cleared_by, cleared_reason)
       select id, 'reversal_uncovered', processor_ref, owner_id, 'cleared', $2, $2, 'operator', 'settled'
       from top_up_reversals where owner_id = any($1) and state = 'standing' and taken < amount on conflict do nothing`,
      [world.owners, clock.now().toISOString()],
    ),
  stray: (_, world) => world.random.of(world.patrons).stray.shift()?.arrive(),
};

/** Delivers an event; it stays to be delivered again where it was not taken, or where the processor repeats itself. */
export async function hear(
  universe: Universe,
  world: World,
  events: Patron['events'],
  place: number,
  isRepeated: boolean,
): Promise<void> {
  const [heard] = events.slice(place);
  const call = { signed: { rawBody: JSON.stringify(heard?.event), headers: {} } };
  const answer = await request(universe, world, processorWebhook as Rule<never>, call);
  if (answer !== null && !isRepeated && heard) events.splice(events.indexOf(heard), 1);
}

type Move = typeof allocate | typeof reclaim | typeof transferBetweenWallets;

function moveCredits(universe: Universe, world: World, rule: Move): Promise<unknown> {
  const { random } = world;
  const whose = random.below(2);
  const [first, second] = (world.agents[whose] as [string, string]).map((agent) => toId('agent', agent)) as [
    string,
    string,
  ];
  const [from, to] = random.yes(0.5) ? [first, second] : [second, first];
  const body = { amount: random.of([1, 50, 400, 5_000]), fromAgentId: from, toAgentId: to };
  const call = { caller: callerOf(world.owners[whose] as string), params: { agentId: from }, body };
  const run = (_: unknown, input: Call<never>) => rule(universe.clock, input);
  return request(universe, world, run as Rule<never>, call, 'ledger');
}

/** What others do at the processor; the platform hears of it by webhook, or when it asks. */
const bankActions: Record<string, Action> = {
  decideCharge({ processor }, world) {
    const pending = chargesOf(world).filter(({ status }) => status === 'pending');
    const charge = some(world, pending);
    if (charge) processor.decideCharge(charge, world.random.yes(0.7) ? 'succeeded' : 'declined');
  },
  decidePayout({ processor }, world) {
    const payout = recent(world, payoutsOf(processor, world));
    if (payout?.status === 'in_transit') processor.decidePayout(payout, world.random.yes(0.8) ? 'paid' : 'failed');
    else if (payout?.status === 'paid' && world.random.yes(0.3)) processor.decidePayout(payout, 'failed');
  },
  reverse({ processor }, world) {
    const { random } = world;
    const charge = recent(
      world,
      chargesOf(world).filter(({ status }) => status === 'succeeded'),
    );
    if (!charge) return;
    const standing = charge.reversals.filter(({ state }) => state === 'standing');
    const reversal = some(world, standing);
    if (reversal && random.yes(0.5)) processor.undo(charge, reversal);
    else if (charge.reversals.length === 0) {
      processor.reverse(charge, random.of(['refund', 'dispute']), Math.ceil(charge.amountCents / random.of([1, 1, 3])));
    }
  },
};

const chargesOf = ({ patrons }: World) => patrons.flatMap(({ charges }) => charges);
const payoutsOf = ({ payouts }: Universe['processor'], { withdrawals }: World) =>
  withdrawals.map(({ intentId }) => payouts.get(intentId)).filter((payout) => payout !== undefined);

const weights: Record<string, number> = {
  submit: 18,
  goOn: 40,
  start: 3,
  deliver: 3,
  finish: 4,
  feedback: 10,
  reactivate: 1,
  topUp: 3,
  withdraw: 4,
  allocate: 1,
  reclaim: 1,
  transfer: 1,
  setAutoTopUp: 1,
  setBudget: 1,
  webhook: 6,
  settle: 1,
  stray: 1,
  decideCharge: 1,
  decidePayout: 2,
  reverse: 1,
};
const actions = { ...taskActions, ...moneyActions, ...bankActions };
const deck = Object.entries(weights).flatMap(([name, times]) => Array.from({ length: times }, () => name));

/** One step of a world: one thing that somebody in it does. */
export async function step(universe: Universe, world: World): Promise<void> {
  world.doing = world.tasks.length === 0 ? world.random.of(['topUp', 'submit', 'webhook']) : world.random.of(deck);
  await (actions[world.doing] as Action)(universe, world);
}
