import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  createWorld,
  deliverItem,
  feedbackItem,
  finishItem,
  iso,
  startedAt,
  startItem,
  submitItem,
  type World,
} from '../../test/steps/world.ts';
import { transaction } from '../platform/index.ts';
import { deliverStep, feedbackStep, finishStep, startStep, submitStep } from '../tasks/steps/index.ts';
import { releaseBatch } from './sql.ts';
import { checkLedger, type LedgerCheck, verifyLedger } from './verify-ledger.ts';

/** Every kind of defect is planted behind the constraints' back, and the check meant for it must speak. */

let world: World;
/** Tasks by how far they came. */
const tasks: Record<string, string> = {};
let owner: string;
let agent: string;

beforeAll(async () => {
  world = await createWorld();
  owner = await world.owner(50_000);
  agent = await world.agent();
  const { writer } = world;
  for (const name of ['open', 'executing', 'passed', 'released', 'refunded', 'failed']) {
    const item = submitItem(owner, agent, { price: 700 });
    tasks[name] = item.id;
    await writer.write(submitStep, item);
    if (name !== 'open') await writer.write(startStep, startItem(item.id, agent));
    if (['open', 'executing'].includes(name)) continue;
    await writer.write(deliverStep, deliverItem(item.id, agent));
    await writer.write(
      finishStep,
      finishItem(item.id, name === 'failed' ? 'reject' : 'pass', 700, {
        ...(name === 'released' && { releaseAt: iso(startedAt + 1) }),
      }),
    );
    if (name === 'refunded') await writer.write(feedbackStep, feedbackItem(item.id, 'down'));
    const due = new Date(startedAt + 1);
    if (name === 'released') await transaction(world.pool, 'ledger', (tx) => releaseBatch(tx, due, 1));
  }
  // The defects go past triggers and constraints, as a broken disk or a hand in the database would.
  await world.pool.query(`alter table ledger_entries disable trigger all; do $$
    declare r record; begin
      for r in select conname, conrelid::regclass as relation from pg_constraint where contype in ('c', 'f')
        and conrelid in ('ledger_entries'::regclass, 'ledger_accounts'::regclass, 'holds'::regclass, 'tasks'::regclass)
      loop execute format('alter table %s drop constraint %I', r.relation, r.conname); end loop;
    end $$`);
});
afterAll(() => world.close());

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
  const of = (name: string, defect: string, check: string, task?: string) =>
    test(name, async () => {
      const names = await findings(defect, task === undefined ? [] : [tasks[task]]);
      const speaker = names.find((each) => each.startsWith(check));
      expect(names.join('; ')).toContain(check);
      named.add(speaker ?? '');
    });

  of(
    'an entry without its other side',
    `delete from ledger_entries where subject = $1 and cause = 'hold' and side = 0`,
    'all entries sum',
    'open',
  );
  of(
    'a changed amount',
    `update ledger_entries set amount = amount + 1 where subject = $1 and cause = 'payout' and side = 1`,
    'every transfer has two sides',
    'passed',
  );
  of(
    'sides of different times',
    `update ledger_entries set created_at = created_at + interval '1 s' where subject = $1 and cause = 'fee' and side = 1`,
    'every transfer has two sides',
    'passed',
  );
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
    `update ledger_entries set balance_before = balance_before + 1, balance_after = balance_after + 1 where subject = $1 and cause = 'hold' and side = 0`,
    'every entry starts',
    'passed',
  );
  of(
    'an entry without balances',
    `update ledger_entries set balance_before = null, balance_after = null where subject = $1 and cause = 'hold'`,
    'every entry starts',
    'open',
  );
  of(
    'an account below zero',
    `update ledger_entries set balance_after = -1 where subject = $1 and cause = 'hold' and side = 0`,
    'every entry starts',
    'open',
  );
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
    `update holds set status = 'posted', posted_amount = amount, resolved_at = now() where task_id = $1 and kind = 'earnings'`,
    'credits escrowed equal',
    'passed',
  );
  of(
    'a task whose money moved without it',
    `update tasks set status = 'quality_check', due_at = now() where id = $1`,
    'every open task has one pending hold',
    'passed',
  );
  of(
    'a failed task that was charged',
    `update tasks set status = 'failed' where id = $1`,
    'every open task has one pending hold',
    'passed',
  );
  of('a task without a hold', `delete from holds where task_id = $1`, 'every open task has one pending hold', 'failed');
  of(
    'a hold without a task',
    `insert into holds (task_id, kind, holder, amount, status, resolved_at, created_at) values (gen_random_uuid(), 'task', gen_random_uuid(), 5, 'voided', now(), now())`,
    'every hold belongs to a task',
  );
  of(
    'earnings of somebody else',
    `update holds set holder = gen_random_uuid() where task_id = $1 and kind = 'earnings'`,
    'every hold belongs to a task',
    'released',
  );
  of(
    'two holds of which one got the release of the other',
    `update ledger_entries set subject = $1 where subject <> $1 and cause = 'hold_released' and amount in (1000, -1000)`,
    'what was held for every task',
    'open',
  );
  of(
    'earnings that were released although pending',
    `update holds set status = 'pending', posted_amount = null, resolved_at = null where task_id = $1 and kind = 'earnings'`,
    'every charged task has earnings',
    'released',
  );
  of(
    'earnings that stand after a refund',
    `update holds set status = 'posted', posted_amount = amount where task_id = $1 and kind = 'earnings'`,
    'every charged task has earnings',
    'refunded',
  );
  of(
    'a charged task without earnings',
    `delete from holds where task_id = $1 and kind = 'earnings'`,
    'every charged task has earnings',
    'passed',
  );
  of(
    'a price that differs from what was charged',
    `update tasks set price = price - 1 where id = $1`,
    'fee and payout',
    'passed',
  );
  of('a price above the budget', `update tasks set max_budget = price - 1 where id = $1`, 'fee and payout', 'passed');
  of(
    'a fee that is not 15 %',
    `update ledger_entries set amount = amount + case cause when 'fee' then -5 else 5 end * case side when 1 then 1 else -1 end where subject = $1 and cause in ('fee', 'payout')`,
    'fee and payout',
    'passed',
  );
  of(
    'a refund without its task',
    `update tasks set status = 'completed' where id = $1`,
    'every refunded task',
    'refunded',
  );
  of(
    'a refunded task that got nothing back',
    `update tasks set status = 'refunded' where id = $1`,
    'every refunded task',
    'passed',
  );
  of('a top-up that was booked although it failed', `update top_ups set status = 'failed'`, 'every top-up');
  of('a top-up that was booked with another amount', `update top_ups set amount = amount + 1`, 'every top-up');
});

test('has a planted defect for every check', async () => {
  expect([...named].sort()).toEqual((await verifyLedger(world.url)).map((check) => check.name).sort());
});
