import { toId } from '@agora-market/contract';
import { type Pool, type Queryable, row, rows } from '../../platform/index.ts';
import type { Finding } from './finding.ts';

/** More contradictions than anybody will read one by one; the next run finds the others. */
export const maxMismatches = 1000;

interface Mismatch {
  holder: string;
  kind: string;
  here: number;
  there: number;
  agentId: string | null;
  ownerId: string | null;
}

const mismatches = (db: Queryable) =>
  rows<Mismatch>(
    db,
    'reconciliation_balances',
    `select m.*, g.id as "agentId", coalesce(g.owner_id, o.id) as "ownerId" from (
       select holder, kind, coalesce(a.balance, 0) as here, coalesce(e.sum, 0)::bigint as there from ledger_accounts a
       full join (
         select holder, kind, sum(amount) as sum from ledger_entries
         where kind in ('pool_available', 'pool_held', 'wallet_allocated', 'wallet_available', 'wallet_escrowed') group by holder, kind
       ) e using (holder, kind)
       where coalesce(a.balance, 0) <> coalesce(e.sum, 0) order by holder, kind limit ${maxMismatches}
     ) m
     left join agents g on g.id = m.holder and m.kind in ('wallet_allocated', 'wallet_available', 'wallet_escrowed')
     left join owners o on o.id = m.holder and m.kind in ('pool_available', 'pool_held')`,
  );

function findingOf({ holder, kind, here, there, agentId, ownerId }: Mismatch): Finding {
  const whose = agentId !== null ? toId('agent', agentId) : ownerId !== null ? toId('owner', ownerId) : holder;
  return { kind: 'balance', subject: `${whose} ${kind}`, agentId, ownerId, here, there, occurredAt: null };
}

/**
 * Balances that differ from the sum of their entries. All are read in one snapshot without a lock, so money continues
 * to move.
 */
export async function checkAccounts(pool: Pool): Promise<{ accounts: number; findings: Finding[] }> {
  const client = await pool.connect();
  try {
    await client.query('begin isolation level repeatable read read only');
    // It takes as long as the ledger is large.
    await client.query('set local statement_timeout = 0');
    const found = await mismatches(client);
    const counted = await row<{ accounts: number }>(
      client,
      'reconciliation_accounts',
      'select count(*) as accounts from ledger_accounts',
    );
    await client.query('commit');
    return { accounts: counted?.accounts ?? 0, findings: found.map(findingOf) };
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  } finally {
    client.release();
  }
}
