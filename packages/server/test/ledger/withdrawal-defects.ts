import { randomUUID } from 'node:crypto';
import type { TransferCause } from '@agora-market/contract';
import { type Pool, transaction } from '../../src/platform/index.ts';
import { type Account, platformHolder, transfer } from '../../src/vault/ledger/transfer.ts';
import { startedAt } from '../steps/world.ts';

const clearing: Account = { holder: platformHolder, kind: 'processor_clearing' };
const inTransit: Account = { holder: platformHolder, kind: 'payouts_in_transit' };
const ways = {
  pending: ['withdrawal'],
  paid: ['withdrawal', 'withdrawal_paid'],
  returned: ['withdrawal', 'withdrawal_returned'],
  'returned late': ['withdrawal', 'withdrawal_paid', 'withdrawal_reversed', 'withdrawal_returned'],
} as const;

/** Withdrawals that went every way they can, by the name of the way. */
export async function makeWithdrawals(pool: Pool, agent: string): Promise<Record<string, string>> {
  const wallet: Account = { holder: agent, kind: 'wallet_available' };
  const moves: Partial<Record<TransferCause, [Account, Account]>> = {
    withdrawal: [wallet, inTransit],
    withdrawal_paid: [inTransit, clearing],
    withdrawal_reversed: [clearing, inTransit],
    withdrawal_returned: [inTransit, wallet],
  };
  const made: Record<string, string> = {};
  for (const [way, causes] of Object.entries(ways)) {
    const id = randomUUID();
    const status = way === 'pending' || way === 'paid' ? way : 'failed';
    await transaction(pool, 'ledger', async (tx) => {
      await tx.query(
        `insert into withdrawals (id, agent_id, owner_id, amount, processor, account_ref, status, failure,
           correlation_id, created_at, resolved_at, due_at)
         select $1, id, owner_id, 100, 'test', 'acct', $3::text, case $3 when 'failed' then 'refused' end, 'test', now(),
           case when $3 <> 'pending' then now() end, case $3 when 'pending' then now() end
         from agents where id = $2`,
        [id, agent, status],
      );
      for (const cause of causes) {
        const [from, to] = moves[cause] as [Account, Account];
        await transfer(tx, [{ subject: id, cause, from, to, amount: 100, at: new Date(startedAt) }]);
      }
    });
    made[way] = id;
  }
  return made;
}

const ofWithdrawal = (change: string) => `update withdrawals set ${change} where id = $1`;
const oneMore = `amount = amount + 1`;

/** What to plant, and how the name of the check begins that must speak. */
export const withdrawalDefects: [name: string, defect: string, check: string, subject?: string][] = [
  ['a withdrawal that is said to be paid', ofWithdrawal(`status = 'paid'`), 'the money of every withdrawal', 'pending'],
  ['a withdrawal paid and returned', ofWithdrawal(`status = 'failed'`), 'the money of every withdrawal', 'paid'],
  ['a returned withdrawal that is paid again', ofWithdrawal(`status = 'paid'`), 'the money of every', 'returned late'],
  ['a withdrawal of another amount', ofWithdrawal('amount = amount - 1'), 'the money of every withdrawal', 'paid'],
  [
    'a withdrawal that took nothing',
    `delete from ledger_transfers where subject = $1`,
    'the money of every',
    'returned',
  ],
  [
    'more returned than taken',
    `update ledger_transfers set ${oneMore} where subject = $1 and cause = 'withdrawal_returned'`,
    'the money of every withdrawal',
    'returned',
  ],
  [
    'a withdrawal that is held and waits for nobody',
    ofWithdrawal(`status = 'held', due_at = null`),
    'every held withdrawal',
    'pending',
  ],
  [
    'earnings that wait without having been released',
    `insert into payout_holds (subject, owner_id, agent_id, amount, payable_at)
     values ($1, gen_random_uuid(), gen_random_uuid(), 100, now())`,
    'earnings that wait for their payout',
    'pending',
  ],
  [
    'earnings that are frozen although nobody owes',
    `with held as (
       insert into payout_holds (subject, owner_id, agent_id, amount, payable_at, frozen)
       values ($1, gen_random_uuid(), gen_random_uuid(), 100, now(), 100) returning subject
     ) insert into payout_hold_payers (subject, payer_id, frozen) select subject, gen_random_uuid(), 100 from held`,
    'no more earnings are frozen',
    'pending',
  ],
  [
    'money in transit for nobody',
    ofWithdrawal(`status = 'failed', failure = 'x', resolved_at = now(), due_at = null`),
    'payouts in transit',
    'pending',
  ],
];
