import { holdReader, placeOf, replay } from '../../events/index.ts';
import { type Pool, type Queryable, row, rows, transaction } from '../../platform/index.ts';
import { eventTypesOfReputation } from './entries.ts';
import { enterEvents, reputationReader } from './reader.ts';

/** The tables of reputations with their keys, those that others refer to first. */
export const tables = {
  reputations: ['agent_id'],
  agent_domains: ['agent_id', 'category'],
  agent_voices: ['agent_id', 'buyer_id'],
  owner_flows: ['owner_id'],
  buyer_records: ['owner_id'],
  category_prices: ['category'],
  category_newcomers: ['category'],
  category_tastes: ['category'],
  owner_principals: ['owner_id'],
  instrument_owners: ['instrument'],
  reputation_days: ['agent_id', 'day'],
} as const;
type Table = keyof typeof tables;

export interface Difference {
  table: Table;
  stored: Record<string, unknown> | null;
  recomputed: Record<string, unknown> | null;
}

export interface Recomputed {
  /** Agents that the log says anything of. */
  agents: number;
  /** Rows that differ, by table; those with none are left out. */
  differing: Partial<Record<Table, number>>;
  /** The first of them. */
  differences: Difference[];
}

export interface RecomputeOptions {
  /** Replaces what differs. */
  write?: boolean;
  /** Called with the number of the event that was read last, and of the last to be read. */
  progress?: (seq: number, until: number) => void;
}

const eventsAtOnce = 1_000;
const differencesTold = 20;

/**
 * Enters the log anew, up to the place of the reader, and compares every stored value with the result. The same
 * functions as the reader's do it, on temporary tables that hide the real ones from this connection. So memory stays
 * bounded, however many agents there are. All is read in one snapshot; the reader goes on meanwhile, or waits if what
 * differs is to be replaced.
 */
export function recomputeReputations(pool: Pool, options: RecomputeOptions = {}): Promise<Recomputed> {
  if (!options.write) return inSnapshot(pool, options);
  // Another connection holds the reader, so that the snapshot begins after the reader's last step.
  return transaction(pool, 'write', async (tx) => {
    await holdReader(tx, reputationReader);
    return rewriteReputations(pool, options);
  });
}

/** Replaces what differs, while the caller holds the reader. */
export const rewriteReputations = (pool: Pool, options: RecomputeOptions = {}): Promise<Recomputed> =>
  inSnapshot(pool, { ...options, write: true });

async function inSnapshot(pool: Pool, options: RecomputeOptions): Promise<Recomputed> {
  const client = await pool.connect();
  try {
    // What is written may meet listings that others change meanwhile; while the reader is held, nothing else moves.
    await client.query(`begin isolation level ${options.write ? 'read committed' : 'repeatable read'}`);
    // It folds many events between two statements.
    await client.query('set local idle_in_transaction_session_timeout = 0');
    const result = await recompute(client, options);
    await client.query('commit');
    return result;
  } finally {
    // Without its connection an unfinished transaction ends, and the prepared statements are about tables that are gone.
    client.release(true);
  }
}

async function recompute(tx: Queryable, { write = false, progress }: RecomputeOptions): Promise<Recomputed> {
  await tx.query('set local statement_timeout = 0');
  const until = await placeOf(tx, reputationReader);
  for (const table of [...Object.keys(tables), 'reputation_clock']) {
    await tx.query(`create temp table ${table} (like public.${table} including all) on commit drop`);
  }
  await tx.query('insert into pg_temp.reputations (agent_id) select agent_id from public.reputations');
  await tx.query('insert into pg_temp.reputation_clock default values');
  const wanted = eventTypesOfReputation;
  for await (const { events, seq } of replay(tx, { until, limit: eventsAtOnce, wanted })) {
    await enterEvents(tx, events, async () => {});
    progress?.(seq, until);
  }
  progress?.(until, until);
  const result = await compare(tx);
  if (write) for (const table of Object.keys(result.differing) as Table[]) await replace(tx, table);
  return result;
}

async function compare(tx: Queryable): Promise<Recomputed> {
  const differing: Recomputed['differing'] = {};
  const differences: Difference[] = [];
  for (const [table, keys] of Object.entries(tables) as [Table, readonly string[]][]) {
    const found = await rows<Omit<Difference, 'table'> & { count: number }>(
      tx,
      `reputation_compare_${table}`,
      `select s.value as stored, r.value as recomputed, count(*) over () as count
       from (select ${keys}, to_jsonb(x) as value from public.${table} x) s
       full join (select ${keys}, to_jsonb(x) as value from pg_temp.${table} x) r using (${keys})
       where s.value is distinct from r.value order by ${keys} limit ${differencesTold}`,
    );
    const [first] = found;
    if (first === undefined) continue;
    differing[table] = first.count;
    differences.push(...found.map(({ stored, recomputed }) => ({ table, stored, recomputed })));
  }
  const agents = await row<{ count: number }>(
    tx,
    'reputation_count',
    'select count(*) as count from pg_temp.reputations where record is not null',
  );
  return { agents: agents?.count ?? 0, differing, differences: differences.slice(0, differencesTold) };
}

async function replace(tx: Queryable, table: Table): Promise<void> {
  if (table === 'reputations') {
    const columns = await rows<{ name: string }>(
      tx,
      'reputation_columns',
      `select column_name as name from information_schema.columns
       where table_schema = 'public' and table_name = 'reputations' and column_name <> 'agent_id'`,
    );
    const set = columns.map(({ name }) => `${name} = r.${name}`).join(', ');
    await tx.query(`update public.reputations p set ${set} from pg_temp.reputations r where r.agent_id = p.agent_id`);
    return;
  }
  await tx.query(`delete from public.${table}`);
  await tx.query(`insert into public.${table} select * from pg_temp.${table}`);
}
