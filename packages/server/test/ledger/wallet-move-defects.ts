import { randomUUID } from 'node:crypto';
import type { TransferCause } from '@agora-market/contract';
import { transaction } from '../../src/platform/index.ts';
import { type Account, type Transfer, transfer } from '../../src/vault/ledger/transfer.ts';
import { allocatedOf, earnedOf } from '../../src/vault/ledger/wallet.ts';
import { insertMove, type WalletMove } from '../../src/vault/wallets/move-sql.ts';
import { startedAt, type World } from '../steps/world.ts';

/** Moves of every cause by the owner of an agent that earned at least 100 cents, by the names of their causes. */
export async function makeWalletMoves(world: World, agent: string): Promise<Record<string, string>> {
  const { rows } = await world.pool.query('select owner_id as owner from agents where id = $1', [agent]);
  const ownerId = rows[0].owner as string;
  const other = await world.agent();
  const made: Record<string, string> = {};
  const at = new Date(startedAt);
  const move = (
    cause: WalletMove['cause'],
    [fromAgentId, toAgentId]: [string | null, string | null],
    legs: Partial<Record<TransferCause, number>>,
  ) =>
    transaction(world.pool, 'ledger', async (tx) => {
      const id = randomUUID();
      const amount = Object.values(legs).reduce((sum, cents) => sum + cents, 0);
      const allocated = amount - (cause === 'allocation' ? 0 : (legs[cause] ?? 0));
      await insertMove(tx, {
        id,
        cause,
        ownerId,
        fromAgentId,
        toAgentId,
        amount,
        allocated,
        correlationId: 'test',
        at,
      });
      const transfers = Object.entries(legs).map(([legCause, cents]): Transfer => {
        const account = (holder: string | null): Account =>
          holder === null
            ? { holder: ownerId, kind: 'pool_available' }
            : {
                holder,
                kind:
                  legCause === 'reclaim' || legCause === 'wallet_transfer' ? 'wallet_available' : 'wallet_allocated',
              };
        const sides = { from: account(fromAgentId), to: account(toAgentId) };
        return { subject: id, cause: legCause as TransferCause, ...sides, amount: cents, at };
      });
      await transfer(tx, transfers);
      made[cause] = id;
    });
  await move('reclaim', [agent, null], { reclaim: 100 });
  await move('allocation', [null, agent], { allocation: 100 });
  await move('wallet_transfer', [agent, other], { wallet_transfer_allocated: 30, wallet_transfer: 50 });
  await move('reclaim', [agent, null], { reclaim_allocated: 60, reclaim: 20 });
  // As the migration sets apart what allocations from before it left.
  await transaction(world.pool, 'ledger', (tx) => {
    const [from, to] = [earnedOf(agent), allocatedOf(agent)];
    return transfer(tx, [{ subject: agent, cause: 'allocation_set_apart', from, to, amount: 5, at }]);
  });
  return made;
}

const every = 'every move between pool and wallets is';

/** What to plant, and how the name of the check begins that must speak. */
export const walletMoveDefects: [name: string, defect: string, check: string, subject?: string][] = [
  [
    'a move of another amount',
    'update wallet_moves set amount = amount + 1 where id = $1',
    `${every} a transfer`,
    'reclaim',
  ],
  ['a move that moved nothing', 'delete from ledger_transfers where subject = $1', `${every} a transfer`, 'allocation'],
  [
    'a move of another cause',
    `update wallet_moves set cause = 'reclaim' where id = $1`,
    `${every} a transfer`,
    'allocation',
  ],
  [
    'a move that says it took more of what was allocated',
    'update wallet_moves set allocated = allocated + 1 where id = $1',
    `${every} a transfer`,
    'wallet_transfer',
  ],
  [
    'an allocation that the agent has earned',
    `update ledger_transfers set to_kind = 'wallet_available' where subject = $1`,
    `${every} a transfer`,
    'allocation',
  ],
  [
    'a transfer to an agent of somebody else',
    'update agents set owner_id = gen_random_uuid() where id = (select to_agent_id from wallet_moves where id = $1)',
    `${every} among agents`,
    'wallet_transfer',
  ],
];
