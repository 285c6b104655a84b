import { type TransferCause, transferCauses } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { disputeDefects } from '../../test/ledger/dispute-defects.ts';
import { escrowDefects } from '../../test/ledger/escrow-defects.ts';
import { makeDefenceless, moveMoneyInEveryWay } from '../../test/ledger/moved-world.ts';
import { reversalDefects } from '../../test/ledger/reversal-defects.ts';
import { walletMoveDefects } from '../../test/ledger/wallet-move-defects.ts';
import { withdrawalDefects } from '../../test/ledger/withdrawal-defects.ts';
import type { World } from '../../test/steps/world.ts';
import { platformHolder } from '../vault/ledger/transfer.ts';
import { checkLedger, type LedgerCheck, verifyLedger } from './verify-ledger.ts';

/** Every kind of defect is planted behind the constraints' back, and the check meant for it must speak. */

let world: World;
/** Tasks and withdrawals by how far they came. */
let subjects: Record<string, string> = {};
let owner: string;
let agent: string;

beforeAll(async () => {
  ({ world, owner, agent, subjects } = await moveMoneyInEveryWay());
  await makeDefenceless(world);
});
afterAll(() => world.close());

/** A transfer by the very function that makes the honest ones, so that balances and sides fit. */
const transferSql = (subject: string, cause: TransferCause, from: string, to: string, cents: number) => {
  const types = 'uuid transfer_cause uuid account_kind uuid account_kind bigint timestamptz'.split(' ');
  const values = [subject, `'${cause}'`, ...from.split(' '), ...to.split(' '), cents, 'now()'];
  return `select vault_transfer(${values.map((value, at) => `array[${value}]::${types[at]}[]`).join(', ')})`;
};

const ownersPool = `'$owner' 'pool_available'`;
const agentsWallet = `'$agent' 'wallet_available'`;
const ofTask = (change: string) => `update tasks set ${change} where id = $1`;
const ofEarnings = (change: string) => `update earnings set ${change} where task_id = $1`;
const ofTransfer = (cause: TransferCause, change: string) =>
  `update ledger_transfers set ${change} where subject = $1 and cause = '${cause}'`;

const anotherKind = (column: string) =>
  `${column} = (case ${column} when 'pool_held' then 'wallet_escrowed' else 'pool_held' end)::account_kind`;

const spoke = (checks: LedgerCheck[]) => checks.filter((check) => check.broken.length > 0).map((check) => check.name);
const named = new Set<string>();

/** Plants a defect, gives the checks that speak, and takes the defect out again. */
async function findings(defect: string, values: unknown[]): Promise<string[]> {
  const client = await world.pool.connect();
  try {
    await client.query('begin');
    expect((await client.query(defect, values)).rowCount).toBeGreaterThan(0);
    return spoke(await checkLedger(client));
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('a ledger that the steps wrote is clean', async () => {
  expect(spoke(await verifyLedger(world.url))).toEqual([]);
});

describe('finds', () => {
  const of = (name: string, defect: string, check: string, subject?: string) =>
    test(name, async () => {
      const sql = defect.replace('$owner', owner).replace('$agent', agent);
      const names = await findings(sql, subject === undefined ? [] : [subjects[subject]]);
      expect(names).toContainEqual(expect.stringMatching(`^${check}`));
      named.add(names.find((each) => each.startsWith(check)) ?? '');
    });

  of('a transfer of nothing', ofTransfer('payout', `amount = 0`), 'every transfer moves', 'passed');
  of('a transfer to where it came from', ofTransfer('hold', `to_kind = from_kind`), 'every transfer moves', 'passed');
  of(
    'a transfer that happened twice',
    `with key as (select 1), twin as (
       insert into ledger_transfers (subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at)
       select subject, cause, from_holder, from_kind, from_before, to_holder, to_kind, to_before, amount, created_at
       from ledger_transfers where subject = $1 and cause = 'hold' returning 1) select * from twin`,
    'no transfer of a cause',
    'open',
  );
  of(
    'a pool robbed as a fee of no task',
    transferSql('gen_random_uuid()', 'fee', ownersPool, agentsWallet, 5000),
    'every entry is about',
  );
  of(
    'money minted as a top-up of nothing',
    transferSql('gen_random_uuid()', 'top_up', `'${platformHolder}' 'processor_clearing'`, agentsWallet, 7000),
    'every entry is about',
  );
  of(
    'the earnings of a task taken out of a pool',
    transferSql('$1', 'earnings_released', ownersPool, agentsWallet, 595),
    'every entry is in',
    'passed',
  );
  for (const cause of transferCauses)
    for (const [what, change] of [
      ['out of an account of somebody else', `from_holder = gen_random_uuid()`],
      ['into an account of somebody else', `to_holder = gen_random_uuid()`],
      ['out of another kind of account', anotherKind('from_kind')],
      ['into another kind of account', anotherKind('to_kind')],
      [
        'the wrong way round',
        'from_holder = to_holder, from_kind = to_kind, to_holder = from_holder, to_kind = from_kind',
      ],
    ])
      of(`a ${cause} ${what}`, `update ledger_transfers set ${change} where cause = '${cause}'`, 'every entry is in');
  of(
    'a balance written by hand',
    `update ledger_accounts set balance = balance + 5 where kind = 'pool_available'`,
    'every balance equals',
  );
  of(
    'an account without its row',
    `delete from ledger_accounts where kind = 'wallet_available'`,
    'every balance equals',
  );
  of(
    'a balance without entries',
    `insert into ledger_accounts (holder, kind, balance) values (gen_random_uuid(), 'pool_available', 100)`,
    'every balance equals',
  );
  of(
    'an entry that starts elsewhere than the one before it ended',
    ofTransfer('hold', `from_before = from_before + 1`),
    'every entry starts',
    'passed',
  );
  of('an entry without balances', ofTransfer('hold', `from_before = null`), 'every entry starts', 'open');
  of('an account below zero', ofTransfer('hold', `from_before = amount - 1`), 'every entry starts', 'open');
  of('a budget that was not held', ofTask(`max_budget = max_budget + 1`), 'credits held equal', 'open');
  of(
    'escrow that is not pending any more',
    ofEarnings(`status = 'released', resolved_at = now()`),
    'credits escrowed equal',
    'passed',
  );
  of(
    'a task whose money moved without it',
    ofTask(`status = 'quality_check', due_at = now()`),
    'what was held for every task',
    'passed',
  );
  of('a failed task whose earnings stand', ofTask(`status = 'failed'`), 'all earnings belong', 'passed');
  of(
    'a task without a hold',
    `delete from ledger_transfers where subject = $1 and cause = 'hold'`,
    'what was held for every task',
    'failed',
  );
  of('earnings of somebody else', ofEarnings(`agent_id = gen_random_uuid()`), 'all earnings belong', 'released');
  of(
    'two holds of which one got the release of the other',
    `update ledger_transfers set subject = $1 where subject <> $1 and cause = 'hold_released' and amount = 1000`,
    'what was held for every task',
    'open',
  );
  of(
    'earnings that were released although pending',
    ofEarnings(`status = 'pending', resolved_at = null`),
    'all earnings are',
    'released',
  );
  of('earnings of another amount', ofEarnings(`amount = amount + 1`), 'all earnings are', 'released');
  of('earnings that stand after a refund', ofEarnings(`status = 'released'`), 'every charged task', 'refunded');
  of('a charged task without earnings', `delete from earnings where task_id = $1`, 'every charged task', 'passed');
  of('a price that differs from what was charged', ofTask(`price = price - 1`), 'fee and payout', 'passed');
  of('a price above the budget', ofTask(`max_budget = price - 1`), 'fee and payout', 'passed');
  of(
    'a fee that is not the agreed share',
    `update ledger_transfers set amount = amount + case cause when 'fee' then -5 else 5 end
      where subject = $1 and cause in ('fee', 'payout')`,
    'fee and payout',
    'passed',
  );
  of('a refund without its task', ofTask(`status = 'completed'`), 'every task refunded by', 'refunded');
  of('a refunded task that got nothing back', ofTask(`status = 'refunded'`), 'every task refunded by', 'passed');
  of('a task that says it was charged less', ofTask(`credits_charged = 1`), 'every ended task says', 'passed');
  of(
    'a refunded task that says it was charged',
    ofTask(`credits_charged = price`),
    'every ended task says',
    'refunded',
  );
  of('a failed task that was paid for', ofTask(`status = 'failed'`), 'every ended task says', 'passed');
  of(
    'an accepted task that says it was not',
    ofTask(`accepted_at = null, credits_charged = 0`),
    'every accepted task',
    'accepted',
  );
  of('a failed task that says it was accepted', ofTask(`accepted_at = now()`), 'every accepted task', 'failed');
  of(
    'an agent with too many open tasks',
    `update agent_stats set open_tasks = open_tasks + 1`,
    'every agent has as many',
  );
  of('a top-up that was booked although it failed', `update top_ups set status = 'failed'`, 'every top-up');
  of('a top-up that was booked with another amount', `update top_ups set amount = amount + 1`, 'every top-up');
  for (const defect of [
    ...withdrawalDefects,
    ...walletMoveDefects,
    ...reversalDefects,
    ...disputeDefects,
    ...escrowDefects,
  ])
    of(...defect);
});

test('has a planted defect for every check', async () => {
  expect([...named].sort()).toEqual((await verifyLedger(world.url)).map((check) => check.name).sort());
});
