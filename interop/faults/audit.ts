import { expect } from 'vitest';
import type { Actor, Kind, Operation, Seller } from './actor.ts';

/** What the operations did, read through a connection without faults. */

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

interface Row {
  cause: string;
  amount: number;
  createdAt: string;
}

/** Cents of each move. What was allocated and what was earned of one move are two rows of one time. */
function movesOf(rows: Row[], cause: string): number[] {
  const earned = rows.filter((row) => row.cause === cause);
  const allocated = rows.filter((row) => row.cause === `${cause}_allocated`);
  const both = allocated.map((row) => {
    const at = earned.findIndex(({ createdAt }) => createdAt === row.createdAt);
    return row.amount + (at < 0 ? 0 : (earned.splice(at, 1)[0]?.amount ?? 0));
  });
  return [...both, ...earned.map(({ amount }) => amount)].map(Math.abs);
}

type Found = Record<Kind, string[]>;

/** Every effect of any actor's operation, by its kind; one that happened twice is there twice. */
async function effects(actors: Actor[]): Promise<Found> {
  const found: Partial<Found> = {};
  const add = (kind: Kind, keys: string[]) => {
    found[kind] = [...(found[kind] ?? []), ...keys];
  };
  for (const { direct, agents } of actors) {
    const owner = (await direct.auth.session()).owner;
    const [first] = agents as [Seller, Seller];
    const moved = (rows: Row[], cause: string) => movesOf(rows, cause).map((amount) => `${owner.email} ${amount}`);
    const ofPool = await all(direct.vault.poolTransactions({ account: 'pool_available', pageSize: 100 }));
    const ofWallet = await all(direct.vault.agentWalletTransactions(first.id, { pageSize: 100 }));
    const tasks = await all(direct.tasks.list({ pageSize: 100, include: 'content' }));
    add('sign up', [owner.email]);
    add(
      'register',
      (await all(direct.agents.listOwn({ pageSize: 100 }))).map(({ displayName }) => displayName),
    );
    add(
      'token',
      (await all(direct.auth.listTokens({ pageSize: 100 }))).map(({ name }) => name),
    );
    add('top up', moved(ofPool, 'top_up'));
    add('allocate', moved(ofPool, 'allocation'));
    add('reclaim', moved(ofPool, 'reclaim'));
    add('transfer', moved(ofWallet, 'wallet_transfer'));
    add(
      'submit',
      tasks.map(({ input }) => String(input.description)),
    );
    for (const { id } of tasks) {
      const types = (await all(direct.tasks.events(id, { pageSize: 100 }))).map(({ eventType }) => eventType);
      const times = (type: string) => types.filter((one) => one === type).map(() => id);
      add('start', times('task.started'));
      add('complete', times('task.delivered'));
      add('cancel', times('task.failed'));
      add('feedback', times('feedback.received'));
    }
  }
  return found as Found;
}

/** Acknowledged operations were done once, unknown ones at most once, refused ones never, and nothing else was done. */
export async function auditEffects(actors: Actor[]): Promise<void> {
  const found = await effects(actors);
  const operations = actors.flatMap((actor) => actor.operations);
  for (const kind of Object.keys(found) as Kind[]) {
    const wanted = countsOf(operations.filter((one) => one.kind === kind));
    const done = new Map<string, number>();
    for (const key of found[kind]) done.set(key, (done.get(key) ?? 0) + 1);
    for (const key of new Set([...wanted.keys(), ...done.keys()])) {
      const { acknowledged = 0, unknown = 0 } = wanted.get(key) ?? {};
      const times = done.get(key) ?? 0;
      const about = `${kind} ${key}: acknowledged ${acknowledged}, unknown ${unknown}`;
      expect(times, about).toBeGreaterThanOrEqual(acknowledged);
      expect(times, about).toBeLessThanOrEqual(acknowledged + unknown);
    }
  }
}

function countsOf(operations: Operation[]): Map<string, Partial<Record<Operation['outcome'], number>>> {
  const counts = new Map<string, Partial<Record<Operation['outcome'], number>>>();
  for (const { key, outcome } of operations) {
    const one = counts.get(key) ?? {};
    counts.set(key, { ...one, [outcome]: (one[outcome] ?? 0) + 1 });
  }
  return counts;
}

/** The owner's pool and wallets are what its movements and tasks add up to. */
export async function auditMoney({ direct, agents }: Actor): Promise<void> {
  const rows = await all(direct.vault.poolTransactions({ account: 'pool_available', pageSize: 100 }));
  const sum = (cause: string) =>
    rows.filter((row) => row.cause === cause).reduce((total, row) => total + row.amount, 0);
  const tasks = await all(direct.tasks.list({ pageSize: 100 }));
  const charged = tasks.reduce((total, task) => total + (task.creditsCharged ?? 0), 0);
  const isOpen = (status: string) => !['completed', 'failed', 'refunded'].includes(status);
  const held = tasks.filter(({ status }) => isOpen(status)).reduce((total, task) => total + task.maxBudget, 0);
  const reclaimed = sum('reclaim') + sum('reclaim_allocated');
  const moved = sum('top_up') + sum('allocation') + reclaimed;
  expect(await direct.vault.getPool()).toMatchObject({ balance: moved - charged - held, held, owed: 0 });
  const wallets = await Promise.all(agents.map(({ id }) => direct.vault.getAgentWallet(id)));
  const available = wallets.reduce((total, wallet) => total + wallet.available, 0);
  expect(available).toBe(0 - sum('allocation') - reclaimed);
}
