import { toId } from '@agora-market/contract';
import { setBudget } from '../../src/tasks/budgets/budgets.ts';
import { setAutoTopUp } from '../../src/vault/auto-top-up/set-auto-top-up.ts';
import { topUp } from '../../src/vault/payments/top-up.ts';
import { processorWebhook } from '../../src/vault/payments/webhook.ts';
import { withdraw } from '../../src/vault/payouts/withdraw.ts';
import { allocate, reclaim, transferBetweenWallets } from '../../src/vault/wallets/moves.ts';
import { booksActions } from './books-actions.ts';
import { recent, some } from './chance.ts';
import { courtActions } from './court-actions.ts';
import { leftOf, type Patron } from './processor-books.ts';
import { refundActions } from './refund-actions.ts';
import { taskActions } from './task-actions.ts';
import {
  type Action,
  callerOf,
  chargesOf,
  newRepeatable,
  payoutsOf,
  type Rule,
  repeatOrMake,
  request,
  type Universe,
  type World,
} from './world.ts';

async function allOf({ pool }: Universe, agent: string): Promise<number> {
  const { rows } = await pool.query<{ balance: number }>({
    name: 'simulation_wallet',
    text: `select balance from ledger_accounts where holder = $1 and kind = 'wallet_available'`,
    values: [agent],
  });
  return Math.max(1, rows[0]?.balance ?? 0);
}

const moneyActions: Record<string, Action> = {
  topUp(universe, world) {
    const { random } = world;
    const made = repeatOrMake(world, world.topUps, () =>
      newRepeatable(world, random.of(world.owners), random.of([2_000, 10_000, 50_000])),
    );
    universe.processor.foresee(made.holder, made.intentId);
    const call = { caller: callerOf(made.holder), body: { amount: made.amount }, claim: made.claim };
    return request(universe, world, topUp as Rule<never>, call);
  },
  async withdraw(universe, world) {
    const { random } = world;
    const agent = random.of(world.agents.flat());
    // Who is about to lose a dispute takes all out first.
    const amount = random.yes(0.4) ? await allOf(universe, agent) : random.of([50, 500, 1_000]);
    const made = repeatOrMake(world, world.withdrawals, () => newRepeatable(world, agent, amount));
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
      maxPerDay: random.of([3_000, 100_000]),
      maxPerMonth: 100_000,
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
  const run = (_: unknown, input: never) => rule(universe.clock, input);
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
    else if (payout?.status === 'paid' && world.random.yes(0.3) && !payout.isDoubled)
      processor.decidePayout(payout, 'failed');
  },
  reverse({ processor }, world) {
    const { random } = world;
    const charge = recent(
      world,
      chargesOf(world).filter(({ status }) => status === 'succeeded'),
    );
    if (!charge) return;
    const reversal = some(
      world,
      charge.reversals.filter(({ state }) => state === 'standing'),
    );
    if (reversal && random.yes(0.5)) return processor.undo(charge, reversal);
    const isTheirs = charge.reversals.some(({ ours }) => !ours);
    const kind = random.of(['refund', 'dispute'] as const);
    const wanted = Math.ceil(charge.amountCents / random.of([1, 1, 3]));
    // A cardholder may dispute what he was given back already.
    const amount = kind === 'dispute' ? wanted : Math.min(wanted, leftOf(charge));
    if (!isTheirs && amount > 0) processor.reverse(charge, kind, amount);
  },
};

const weights: Record<string, number> = {
  submit: 18,
  goOn: 40,
  start: 3,
  deliver: 3,
  finish: 4,
  feedback: 10,
  reassign: 4,
  assign: 2,
  reactivate: 1,
  dispute: 5,
  answerDispute: 5,
  addToDispute: 1,
  rule: 3,
  appeal: 2,
  topUp: 3,
  withdraw: 4,
  refundTopUp: 3,
  allocate: 1,
  reclaim: 1,
  transfer: 1,
  setAutoTopUp: 1,
  setBudget: 1,
  webhook: 6,
  clear: 2,
  slip: 1,
  stray: 1,
  decideCharge: 1,
  decidePayout: 2,
  decideRefund: 1,
  reverse: 1,
};
const actions: Record<string, Action> = {
  ...taskActions,
  ...courtActions,
  ...moneyActions,
  ...bankActions,
  ...refundActions,
  ...booksActions,
};
const deck = Object.entries(weights).flatMap(([name, times]) => Array.from({ length: times }, () => name));

/** What leads to a first task; a charge that nobody decides would keep its owner from ever paying in. */
const begin = ['topUp', 'submit', 'webhook', 'decideCharge'];

/** One step of a world: one thing that somebody in it does. */
export async function step(universe: Universe, world: World): Promise<void> {
  world.doing = world.tasks.length === 0 ? world.random.of(begin) : world.random.of(deck);
  await (actions[world.doing] as Action)(universe, world);
}
