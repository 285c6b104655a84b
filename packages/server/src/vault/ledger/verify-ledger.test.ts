import { type TransferCause, transferCauses } from '@agora/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDefenceless, moveMoneyInEveryWay } from '../../../test/ledger/moved-world.ts';
import { withdrawalDefects } from '../../../test/ledger/withdrawal-defects.ts';
import type { World } from '../../../test/steps/world.ts';
import { platformHolder } from './transfer.ts';
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
const transferSql = (subject: string, cause: TransferCause, from: string, to: string, cents: number, task = 'null') => {
  const types = 'uuid transfer_cause uuid account_kind uuid account_kind bigint uuid timestamptz'.split(' ');
  const values = [subject, `'${cause}'`, ...from.split(' '), ...to.split(' '), cents, task, 'now()'];
  return `select vault_transfer(${values.map((value, at) => `array[${value}]::${types[at]}[]`).join(', ')})`;
};

const ownersPool = `'$owner' 'pool_available'`;
const agentsWallet = `'$agent' 'wallet_available'`;
const ofTask = (change: string) => `update tasks set ${change} where id = $1`;
const ofHold = (kind: string, change: string) => `update holds set ${change} where task_id = $1 and kind = '${kind}'`;
const ofEntry = (cause: TransferCause, side: 0 | 1, change: string) =>
  `update ledger_entries set ${change} where subject = $1 and cause = '${cause}' and side = ${side}`;

const anotherKind = `kind = (case kind when 'pool_held' then 'wallet_escrowed' else 'pool_held' end)::account_kind`;

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

  of(
    'an entry without its other side',
    `delete from ledger_entries where subject = $1 and cause = 'hold' and side = 0`,
    'all entries sum',
    'open',
  );
  of('a changed amount', ofEntry('payout', 1, `amount = amount + 1`), 'every transfer', 'passed');
  of('sides of different times', ofEntry('fee', 1, `created_at = created_at + '1 s'`), 'every transfer', 'passed');
  of('an entry that ends elsewhere', ofEntry('hold', 0, `amount = amount - 1`), 'every entry starts', 'open');
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
    'an entry that names another task',
    `update ledger_entries set task_id = gen_random_uuid() where subject = $1 and cause = 'fee'`,
    'every entry is about',
    'passed',
  );
  of(
    'a top-up that names a task',
    `update ledger_entries set task_id = subject where cause = 'top_up'`,
    'every entry is about',
  );
  of(
    'the earnings of a task taken out of a pool',
    transferSql('$1', 'earnings_released', ownersPool, agentsWallet, 595, '$1'),
    'every entry is in',
    'passed',
  );
  for (const cause of transferCauses)
    for (const [what, change] of [
      ['out of an account of somebody else', `holder = gen_random_uuid() where side = 0`],
      ['into an account of somebody else', `holder = gen_random_uuid() where side = 1`],
      ['out of another kind of account', `${anotherKind} where side = 0`],
      ['into another kind of account', `${anotherKind} where side = 1`],
      ['with sides that do not know each other', `counterparty = kind where kind <> counterparty`],
      ['the wrong way round', `amount = -amount where true`],
    ])
      of(`a ${cause} ${what}`, `update ledger_entries set ${change} and cause = '${cause}'`, 'every entry is in');
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
    ofEntry(
      'hold',
      0,
      `balance_before = balance_before + 1,
      balance_after = balance_after + 1`,
    ),
    'every entry starts',
    'passed',
  );
  of(
    'an entry without balances',
    `update ledger_entries set balance_before = null, balance_after = null where subject = $1 and cause = 'hold'`,
    'every entry starts',
    'open',
  );
  of('an account below zero', ofEntry('hold', 0, `balance_after = -1`), 'every entry starts', 'open');
  of(
    'credits held for nobody',
    `update holds set status = 'voided', resolved_at = now() where task_id = $1`,
    'credits held equal',
    'open',
  );
  of(
    'a hold of another amount',
    `update holds set amount = amount + 1 where task_id = $1`,
    'credits held equal',
    'open',
  );
  of(
    'escrow that is not pending any more',
    ofHold('earnings', `status = 'posted', posted_amount = amount, resolved_at = now()`),
    'credits escrowed equal',
    'passed',
  );
  of(
    'a task whose money moved without it',
    ofTask(`status = 'quality_check', due_at = now()`),
    'every open task',
    'passed',
  );
  of('a failed task that was charged', ofTask(`status = 'failed'`), 'every open task', 'passed');
  of('a task without a hold', `delete from holds where task_id = $1`, 'every open task', 'failed');
  of(
    'a hold without a task',
    `insert into holds (task_id, kind, holder, amount, status, resolved_at, created_at)
      values (gen_random_uuid(), 'task', gen_random_uuid(), 5, 'voided', now(), now())`,
    'every hold belongs',
  );
  of('earnings of somebody else', ofHold('earnings', `holder = gen_random_uuid()`), 'every hold belongs', 'released');
  of(
    'two holds of which one got the release of the other',
    `update ledger_entries set subject = $1 where subject <> $1
      and cause = 'hold_released' and amount in (1000, -1000)`,
    'what was held for every task',
    'open',
  );
  of(
    'earnings that were released although pending',
    ofHold('earnings', `status = 'pending', posted_amount = null, resolved_at = null`),
    'all earnings',
    'released',
  );
  of(
    'earnings of another amount',
    ofHold('earnings', `amount = amount + 1, posted_amount = posted_amount + 1`),
    'all earnings',
    'released',
  );
  of(
    'earnings that posted less than was released',
    ofHold('earnings', `posted_amount = posted_amount - 1`),
    'all earnings',
    'released',
  );
  of(
    'a hold that posted less than was charged',
    ofHold('task', `posted_amount = posted_amount - 1`),
    'every hold of',
    'passed',
  );
  of('a hold that posted nobody knows what', ofHold('task', `posted_amount = null`), 'every hold of', 'passed');
  of(
    'earnings that stand after a refund',
    ofHold('earnings', `status = 'posted', posted_amount = amount`),
    'every charged task',
    'refunded',
  );
  of(
    'a charged task without earnings',
    `delete from holds where task_id = $1 and kind = 'earnings'`,
    'every charged task',
    'passed',
  );
  of('a price that differs from what was charged', ofTask(`price = price - 1`), 'fee and payout', 'passed');
  of('a price above the budget', ofTask(`max_budget = price - 1`), 'fee and payout', 'passed');
  of(
    'a fee that is not 15 %',
    `update ledger_entries set amount = amount + case cause when 'fee' then -5 else 5 end * (2 * side - 1)
      where subject = $1 and cause in ('fee', 'payout')`,
    'fee and payout',
    'passed',
  );
  of('a refund without its task', ofTask(`status = 'completed'`), 'every refunded task', 'refunded');
  of('a refunded task that got nothing back', ofTask(`status = 'refunded'`), 'every refunded task', 'passed');
  of('a task that says it was charged less', ofTask(`credits_charged = 1`), 'every ended task says', 'passed');
  of(
    'a refunded task that says it was charged',
    ofTask(`credits_charged = price`),
    'every ended task says',
    'refunded',
  );
  of(
    'a failed task that was paid for',
    `with t as (update tasks set status = 'failed' where id = $1 returning id)
      update holds set status = 'voided' from t where task_id = t.id`,
    'every ended task says',
    'passed',
  );
  of(
    'an agent with too many open tasks',
    `update agent_stats set open_tasks = open_tasks + 1`,
    'every agent has as many',
  );
  of(
    'an agent that says it earned more',
    `update agent_stats set earned_cents = earned_cents + 1`,
    'every agent earned',
  );
  of('a top-up that was booked although it failed', `update top_ups set status = 'failed'`, 'every top-up');
  of('a top-up that was booked with another amount', `update top_ups set amount = amount + 1`, 'every top-up');
  for (const defect of withdrawalDefects) of(...defect);
});

test('has a planted defect for every check', async () => {
  expect([...named].sort()).toEqual((await verifyLedger(world.url)).map((check) => check.name).sort());
});
