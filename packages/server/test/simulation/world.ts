import { createHash, randomUUID } from 'node:crypto';
import type { TaskStatus } from '@agora-market/contract';
import {
  ApiError,
  type Call,
  type Clock,
  type OwnerCaller,
  type Pool,
  type Step,
  type StepWriter,
  transaction,
} from '../../src/platform/index.ts';
import type { GuardedDeps } from '../../src/vault/payments/calls.ts';
import { paymentGuard } from '../../src/vault/payments/velocity.ts';
import { takePayoutEvent } from '../../src/vault/payouts/take-event.ts';
import { quiet } from '../steps/world.ts';
import { digest } from '../support/invoke.ts';
import { type Chance, chance, recent } from './chance.ts';
import { burning, mortalPool, mortalProcessor } from './mortal.ts';
import type { SimulatedProcessor } from './processor.ts';
import type { Patron, SimulatedCharge, SimulatedPayout } from './processor-books.ts';

/** What the worlds of one database have in common. */
export interface Universe {
  pool: Pool;
  writer: StepWriter;
  clock: Clock;
  processor: SimulatedProcessor;
  /** Which world a task is of. */
  worldOf: Map<string, World>;
}

export interface SimulatedTask {
  id: string;
  /** Which of the two owners submitted it, and by which of its agents. */
  buyer: 0 | 1;
  submitter: string | null;
  agent: string;
  /** It waits for that agent, which does not have it yet. */
  isQueued: boolean;
  maxBudget: number;
  price: number;
  finishedAt?: number;
  passed?: boolean;
  /** The gate's assessment. */
  verdict?: string;
  refunded?: boolean;
  isDisputed?: boolean;
  isAppealed?: boolean;
  /** How often the gate has looked at it again. */
  looks: number;
}

/** One thing that somebody in a world does. */
export type Action = (universe: Universe, world: World) => Promise<unknown> | unknown;

export type Rule<Input> = (deps: GuardedDeps, call: Input) => Promise<unknown>;

/** A request that its client may send again under the same key, because it never heard of its end. */
export interface Repeatable {
  claim: NonNullable<Call['claim']>;
  intentId: string;
  amount: number;
  /** Owner, or agent, that it is about. */
  holder: string;
}

/** A refund of a top-up that the operator asks for; without an amount all that is left goes back. */
export interface AskedRefund extends Omit<Repeatable, 'amount'> {
  topUpId: string;
  amount: number | undefined;
}

/** Two owners who hire each other's agents, and all that their seed lets them do. Worlds share a database, and nothing in it. */
export interface World {
  seed: number;
  random: Chance;
  owners: [string, string];
  /** Two agents of each owner. */
  agents: [[string, string], [string, string]];
  /** The owners as the processor knows them. */
  patrons: Patron[];
  tasks: SimulatedTask[];
  topUps: Repeatable[];
  withdrawals: Repeatable[];
  refunds: AskedRefund[];
  /** What callers were told of their tasks. */
  acknowledged: Map<string, TaskStatus>;
  /** What the current step is about, for the audit and for whoever reads of its failure. */
  doing: string;
  touched: Set<string>;
}

export function newWorld(seed: number, processor: SimulatedProcessor): World {
  const owners: World['owners'] = [randomUUID(), randomUUID()];
  const patrons = owners.map((ownerId, nth) => ({ ownerId, seed, nth, charges: [], events: [], stray: [] }));
  for (const patron of patrons) processor.enrol(patron);
  return {
    seed,
    random: chance(seed),
    owners,
    agents: [
      [randomUUID(), randomUUID()],
      [randomUUID(), randomUUID()],
    ],
    patrons,
    tasks: [],
    topUps: [],
    withdrawals: [],
    refunds: [],
    acknowledged: new Map(),
    doing: '',
    touched: new Set(),
  };
}

export const payoutsOf = ({ payouts }: SimulatedProcessor, { withdrawals }: World): SimulatedPayout[] =>
  withdrawals.map(({ intentId }) => payouts.get(intentId)).filter((payout) => payout !== undefined);

export const chargesOf = ({ patrons }: World): SimulatedCharge[] => patrons.flatMap(({ charges }) => charges);

/** Puts the owners and agents of worlds into the database, with cards and payout accounts that are ready. */
export async function settleIn(pool: Pool, worlds: World[], at: Date): Promise<void> {
  const owners = worlds.flatMap((world) => world.owners.map((id, n) => ({ id, agents: world.agents[n] })));
  const from = `from json_to_recordset($1::json) as o(id uuid, agents uuid[])`;
  const insert = (text: string) => pool.query(text, [JSON.stringify(owners), at]);
  await insert(`insert into owners (id, name, email, password_hash, plan, created_at, email_verified_at)
    select id, 'O', id || '@example.com', 'x', 'pro', $2, $2 ${from}`);
  await insert(`insert into agents (id, owner_id, display_name, framework, model, description, capabilities, categories,
      status, key_hash, key_prefix, created_at, updated_at)
    select agent, id, 'A', 'custom', 'm', 'd', '[]', '{general}', 'active', decode(replace(agent::text, '-', ''), 'hex'),
      'ac_live_x', $2, $2 ${from}, unnest(agents) as agent`);
  await insert(`insert into developer_tokens (id, owner_id, name, token_hash, token_prefix, created_at)
    select id, id, 'T', decode(replace(id::text, '-', ''), 'hex'), 'ac_dev_x', $2 ${from}`);
  for (const table of ['agent_stats', 'reputations']) {
    await insert(`insert into ${table} (agent_id) select agent ${from}, unnest(agents) as agent
      where $2::timestamptz is not null`);
  }
  await insert(`insert into payment_customers (owner_id, processor, customer_ref)
    select id, 'simulated', 'cus:' || id ${from} where $2::timestamptz is not null`);
  await insert(`insert into payment_methods (owner_id, id, brand, last4, exp_month, exp_year, is_default, created_at)
    select id, 'pm', 'visa', '4242', 12, 2040, true, $2 ${from}`);
  await insert(`insert into payout_accounts (owner_id, processor, account_ref, status, created_at, asked_at)
    select id, 'simulated', 'acct:' || id, 'ready', $2, $2 ${from}`);
}

/** What a rule of the vault may refuse; everything else that it throws is a fault. */
const refusals = new Set([
  'INSUFFICIENT_BALANCE',
  'EARNINGS_ON_HOLD',
  'WALLET_FLAGGED',
  'TOP_UP_IN_PROGRESS',
  'CARD_DECLINED',
  'PROCESSOR_ERROR',
  'PAYOUT_REFUSED',
]);

/** How likely the process dies in the middle of a request, and after how many points at the latest. */
const deaths = { share: 0.25, within: 14 };

export type Answer = { ended: 'answered'; reply: unknown } | { ended: 'refused'; code: string } | { ended: 'died' };

type Mode = 'external' | 'ledger' | 'write';

/**
 * Runs a rule as a request would, in a process that may die between any two writes, or between a write and a call of the
 * processor.
 */
export async function attempt<Input>(
  universe: Universe,
  { random }: World,
  rule: Rule<Input>,
  input: Partial<Record<keyof Call, unknown>>,
  mode: Mode,
): Promise<Answer> {
  const fuse = burning(random.yes(deaths.share) ? 1 + random.below(deaths.within) : Number.POSITIVE_INFINITY);
  const pool = mortalPool(universe.pool, fuse);
  const processor = mortalProcessor(universe.processor, fuse);
  const base = { ...universe, pool, processor, log: quiet, digest, guard: paymentGuard('off', digest) };
  const deps: GuardedDeps = { ...base, takePayoutEvent: (...news) => takePayoutEvent(base, ...news) };
  const call = { now: universe.clock.now(), correlationId: 'simulated', log: quiet, ...input };
  try {
    if (mode === 'external') return { ended: 'answered', reply: await rule(deps, call as Input) };
    const reply = await transaction(pool, mode, (tx) => rule(deps, { ...call, tx } as Input));
    return { ended: 'answered', reply };
  } catch (error) {
    if (fuse.isBurnt()) return { ended: 'died' };
    if (error instanceof ApiError) return { ended: 'refused', code: error.code };
    throw error;
  }
}

/** The answer of a rule of the vault, or null if the caller got none or was refused. */
export async function request<Input>(
  universe: Universe,
  world: World,
  rule: Rule<Input>,
  input: Partial<Record<keyof Call, unknown>>,
  mode: Mode = 'external',
): Promise<unknown> {
  const answer = await attempt(universe, world, rule, input, mode);
  if (answer.ended === 'refused' && !refusals.has(answer.code)) throw new Error(`it was refused with ${answer.code}`);
  return answer.ended === 'answered' ? answer.reply : null;
}

export const callerOf = (ownerId: string): OwnerCaller => ({
  kind: 'owner',
  ownerId,
  plan: 'pro',
  credential: { type: 'token', id: ownerId },
});

/** A new request under a key of its client. The key is drawn, and so the id of the intent is known before it is written. */
export function newRepeatable({ random, seed }: World, holder: string, amount: number): Repeatable {
  const key = `${seed} ${holder} ${random.below(1e9)}`;
  const hash = createHash('sha256').update(key).digest('hex');
  // A UUID of a kind that is free for any use, for rules that look at what they are given.
  const subject = hash.replace(/^(.{8})(.{4})(.{3})(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
  const claim = { id: hash, requestHash: hash, at: new Date(0).toISOString(), subject };
  return { claim, intentId: subject, amount, holder };
}

/** A request that is sent again because its client does not know its end, or a new one. */
export function repeatOrMake<T>(world: World, kept: T[], make: () => T): T {
  const repeated = world.random.yes(0.25) ? recent(world, kept) : undefined;
  if (repeated) return repeated;
  const made = make();
  kept.push(made);
  return made;
}

/**
 * Writes a step of a task. Its process may die before the step is handed over, or after it was written, which the caller
 * never hears; an answer is kept, and must stay true.
 */
export async function write<Item, Outcome extends { outcome: string }>(
  { writer }: Universe,
  world: World,
  step: Step<Item, Outcome>,
  item: Item,
  taskId: string,
  becomes: (outcome: Outcome) => TaskStatus | null,
): Promise<Outcome | null> {
  world.touched.add(taskId);
  if (world.random.yes(0.03)) return null;
  const isHeard = !world.random.yes(0.03);
  const outcome = await writer.write(step, item);
  const status = outcome.outcome === 'ok' ? becomes(outcome) : null;
  if (status !== null && isHeard) world.acknowledged.set(taskId, status);
  return outcome;
}
