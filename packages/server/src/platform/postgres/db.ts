import { channel } from 'node:diagnostics_channel';
import pg from 'pg';
import { inSpan } from '../tracing/tracing.ts';
import { advisoryKeys, advisoryLock } from './advisory-locks.ts';
import { isAway, readOnlyCode, retryable } from './away.ts';
import { DatabaseClient } from './client.ts';
import { watchSilence } from './silence.ts';

export type Pool = pg.Pool;
/** A pool or one connection inside a transaction. */
export type Queryable = Pick<pg.ClientBase, 'query'>;
/** One connection inside a transaction. */
export type Tx = Queryable & { readonly __tx?: true };

/** `2026-11-21 09:30:00.123+00` to `2026-11-21T09:30:00.123Z`: rows carry times as the wire shows them. */
function isoTime(text: string): string {
  const day = text.slice(0, 10);
  const time = text.slice(11, text.length - 3);
  const [clock, fraction = ''] = time.split('.');
  return `${day}T${clock}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error(`int8 ${text} is past the safe integers`);
  return value;
}

const parsers = new Map<number, (text: string) => unknown>([
  [pg.types.builtins.INT8, safeInteger],
  [pg.types.builtins.TIMESTAMPTZ, isoTime],
]);

/** Types of ours for our connections only, so that a host application's own `pg` use is not changed. */
const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    (format !== 'binary' && parsers.get(oid)) || pg.types.getTypeParser(oid, format as 'text'),
} as pg.CustomTypesConfig;

/**
 * A session that says nothing for so long within a transaction is ended: its process is suspended or cut off, and others wait
 * for the rows and the money that it has locked.
 */
const silentTransactionMs = 3_000;

/** So long one waits to be let in by PostgreSQL, or for a connection of the pool. */
const connectTimeoutMs = 5_000;
/** A connection that was idle for so long is asked for a sign of life, and ended after ten seconds without one. */
const keepAliveMs = 5_000;

/** Settings every connection has. Times are UTC. */
export function connectionSettings(url: string, extra = ''): pg.ClientConfig {
  return {
    connectionString: url,
    types,
    application_name: 'agora',
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: keepAliveMs,
    options: `-c timezone=UTC -c jit=off -c idle_in_transaction_session_timeout=${silentTransactionMs} ${extra}`,
  };
}

/** `functions` is the schema of the SQL functions that are called; where absent, they are on the path already. */
export function createPool(
  url: string,
  onError: (error: Error) => void,
  { max = 16, functions }: { max?: number; functions?: string } = {},
): Pool {
  const settings = connectionSettings(url, '-c statement_timeout=30000');
  const pool = new pg.Pool({ ...settings, functions, Client: DatabaseClient, max } as pg.PoolConfig);
  const silence = watchSilence(settings);
  const idle = new Set<pg.PoolClient>();
  pool.on('acquire', (client) => {
    idle.delete(client);
    silence.begin(client);
  });
  pool.on('remove', (client) => idle.delete(client));
  pool.on('release', (error, client) => {
    silence.end(client);
    if (!isAway(error)) return void idle.add(client);
    // The others are as useless, and each would cost a request. The pool removes an idle connection that has an error.
    for (const other of idle) other.emit('error', error);
  });
  const query = pool.query.bind(pool) as (...asked: unknown[]) => Promise<unknown>;
  // A standby has done nothing, and its connection is given up.
  const again = (...asked: unknown[]) =>
    query(...asked).catch((error) => (error.code === readOnlyCode ? query(...asked) : Promise.reject(error)));
  pool.query = again as Pool['query'];
  // Without a listener the end of a connection (57P01 when PostgreSQL stops) would kill the process. The pool listens
  // only to idle connections, so one that ends inside a transaction needs its own listener. While the pool closes,
  // PostgreSQL may stop before the last connection is closed.
  pool.on('connect', (client) => client.on('error', (error) => pool.ending || onError(error)));
  pool.on('error', () => {});
  return pool;
}

/** Runs one named, prepared statement. */
export async function rows<R>(db: Queryable, name: string, text: string, values: unknown[] = []): Promise<R[]> {
  return (await db.query<R & pg.QueryResultRow>({ name, text, values })).rows;
}

/** As `rows`, where only the number of rows that it changed is wanted. */
export async function changedRows(db: Queryable, name: string, text: string, values: unknown[]): Promise<number> {
  return (await db.query({ name, text, values })).rowCount ?? 0;
}

/** As `rows`, where at most one row is expected. */
export async function row<R>(db: Queryable, name: string, text: string, values: unknown[] = []): Promise<R | null> {
  return (await rows<R>(db, name, text, values))[0] ?? null;
}

/**
 * Whoever moves money holds this lock: alone in a transaction of mode 'ledger', which may then read and change whatever it
 * needs; together with other batches of steps, which besides lock the rows that they change (see `tasks/steps/lock.sql`).
 */
export const ledgerLock = advisoryLock('ledger');
export const ledgerLockShared = `pg_advisory_xact_lock_shared(${advisoryKeys.ledger})`;

const waitingForCommit = new WeakMap<Tx, (() => void)[]>();

/**
 * Does this once the transaction of `transaction` has committed, in this process; not at all if it does not commit. So it is for
 * wake-ups, which may be lost.
 */
export function afterCommit(tx: Tx, act: () => void): void {
  const waiting = waitingForCommit.get(tx);
  if (!waiting) throw new Error('No transaction is open here whose commit could be waited for.');
  waiting.push(act);
}

/** Tests listen here to find work that must not be done while locks are held. */
const transactions = channel('agora:transaction');

/**
 * One transaction. It is tried again where nothing was done: PostgreSQL chose it as a deadlock's victim or has become a
 * standby, or its connection was lost before the commit was sent.
 */
export const transaction = <R>(pool: Pool, mode: 'write' | 'ledger', work: (tx: Tx) => Promise<R>): Promise<R> =>
  inSpan(`transaction ${mode}`, () => transact(pool, mode, work));

async function transact<R>(pool: Pool, mode: 'write' | 'ledger', work: (tx: Tx) => Promise<R>): Promise<R> {
  for (let attempt = 1; ; attempt++) {
    const client = await pool.connect();
    const acts: (() => void)[] = [];
    let broken: Error | undefined;
    let isCommitting = false;
    let isCommitted = false;
    try {
      await client.query('begin');
      waitingForCommit.set(client, acts);
      if (mode === 'ledger') await client.query(ledgerLock);
      const result = await transactions.runStores({ mode }, () => work(client));
      isCommitting = true;
      await client.query('commit');
      isCommitted = true;
      return result;
    } catch (error) {
      await client.query('rollback').catch((failure: Error) => {
        broken = failure;
      });
      const isUndone =
        retryable.has((error as { code?: string }).code ?? '') || (broken !== undefined && !isCommitting);
      if (isAway(error)) broken ??= error as Error;
      if (attempt >= 3 || !isUndone) throw error;
    } finally {
      waitingForCommit.delete(client);
      client.release(broken);
      if (isCommitted) for (const act of acts) act();
    }
  }
}

/** Whether PostgreSQL refused a row because of this unique constraint. */
export const violates = (error: unknown, constraint: string) =>
  (error as { code?: string }).code === '23505' && (error as { constraint?: string }).constraint === constraint;

/**
 * Coalesces point reads: keys asked for in one turn of the event loop go out as one statement. At 256 clients this
 * takes a read from 30 µs to some 3 µs without keeping anything that could be stale.
 */
export function batchLoader<R>(
  load: (keys: string[]) => Promise<Map<string, R>>,
): (key: string) => Promise<R | undefined> {
  let waiting: { key: string; resolve: (row: R | undefined) => void; reject: (error: unknown) => void }[] = [];
  const flush = () => {
    const batch = waiting;
    waiting = [];
    load([...new Set(batch.map((item) => item.key))]).then(
      (found) => {
        for (const item of batch) item.resolve(found.get(item.key));
      },
      (error) => {
        for (const item of batch) item.reject(error);
      },
    );
  };
  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(flush);
      waiting.push({ key, resolve, reject });
    });
}
