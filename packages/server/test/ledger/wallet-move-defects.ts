import { randomUUID } from 'node:crypto';
import { transaction } from '../../src/platform/index.ts';
import { type Account, transfer } from '../../src/vault/ledger/transfer.ts';
import { insertMove, type WalletMove } from '../../src/vault/wallets/move-sql.ts';
import { startedAt, type World } from '../steps/world.ts';

/** A move of every cause by the owner of an agent with at least 100 cents, by the name of the cause. */
export async function makeWalletMoves(world: World, agent: string): Promise<Record<string, string>> {
  const { rows } = await world.pool.query('select owner_id as owner from agents where id = $1', [agent]);
  const ownerId = rows[0].owner as string;
  const other = await world.agent();
  const made: Record<string, string> = {};
  const at = new Date(startedAt);
  const move = (cause: WalletMove['cause'], fromAgentId: string | null, toAgentId: string | null, amount: number) =>
    transaction(world.pool, 'ledger', async (tx) => {
      const id = randomUUID();
      const account = (holder: string | null): Account =>
        holder === null ? { holder: ownerId, kind: 'pool_available' } : { holder, kind: 'wallet_available' };
      await insertMove(tx, { id, cause, ownerId, fromAgentId, toAgentId, amount, correlationId: 'test', at });
      const [from, to] = [account(fromAgentId), account(toAgentId)];
      await transfer(tx, [{ subject: id, cause, from, to, amount, at }]);
      made[cause] = id;
    });
  await move('reclaim', agent, null, 100);
  await move('allocation', null, agent, 60);
  await move('wallet_transfer', agent, other, 50);
  return made;
}

const every = 'every move between pool and wallets is';

/** What to plant, and how the name of the check begins that must speak. */
export const walletMoveDefects: [name: string, defect: string, check: string, subject?: string][] = [
  [
    'a move of another amount',
    'update wallet_moves set amount = amount + 1 where id = $1',
    `${every} one transfer`,
    'reclaim',
  ],
  [
    'a move that moved nothing',
    'delete from ledger_transfers where subject = $1',
    `${every} one transfer`,
    'allocation',
  ],
  [
    'a move of another cause',
    `update wallet_moves set cause = 'reclaim' where id = $1`,
    `${every} one transfer`,
    'allocation',
  ],
  [
    'a transfer to an agent of somebody else',
    'update agents set owner_id = gen_random_uuid() where id = (select to_agent_id from wallet_moves where id = $1)',
    `${every} among agents`,
    'wallet_transfer',
  ],
];
