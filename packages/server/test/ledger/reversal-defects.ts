import { pino } from 'pino';
import type { Reversal } from '../../src/vault/payments/pay-in.ts';
import { bookReversals } from '../../src/vault/payments/reversals.ts';
import { findTopUp, type TopUpRow } from '../../src/vault/payments/top-up-sql.ts';
import { startedAt, type World } from '../steps/world.ts';

/** A refund that stands and one that its bank sent back, by the state that each is in. */
export async function makeReversals({ pool }: World, owner: string): Promise<Record<string, string>> {
  const { rows } = await pool.query(`select id from top_ups where owner_id = $1 and status = 'succeeded'`, [owner]);
  const topUp = (await findTopUp(pool, rows[0].id)) as TopUpRow;
  const clock = { now: () => new Date(startedAt) };
  const deps = { pool, clock, log: pino({ level: 'silent' }), processor: null };
  const refund = (ref: string, state: Reversal['state']): Reversal => ({ ref, kind: 'refund', amountCents: 40, state });
  await bookReversals(deps, topUp, [refund('re_1', 'standing'), refund('re_2', 'standing')]);
  await bookReversals(deps, topUp, [refund('re_2', 'undone')]);
  const made = await pool.query('select id, state from top_up_reversals where top_up_id = $1', [topUp.id]);
  return Object.fromEntries(made.rows.map(({ id, state }) => [state, id]));
}

const ofReversal = (change: string) => `update top_up_reversals set ${change} where id = $1`;
const moved = 'every reversal of a top-up took';
const ofOwner = 'every reversal is of a top-up';

/** What to plant, and how the name of the check begins that must speak. */
export const reversalDefects: [name: string, defect: string, check: string, subject?: string][] = [
  ['a reversal that says it took more', ofReversal('taken = taken + 1'), moved, 'standing'],
  ['a reversal that took nothing', 'delete from ledger_transfers where subject = $1', moved, 'standing'],
  ['a reversal that is said to be undone', ofReversal(`state = 'undone'`), moved, 'standing'],
  ['a reversal undone that is said to stand', ofReversal(`state = 'standing'`), moved, 'undone'],
  ['a reversal of another owner', ofReversal('owner_id = gen_random_uuid()'), ofOwner, 'standing'],
  ['a reversal that took more than went back', ofReversal('amount = taken - 1'), ofOwner, 'standing'],
  ['a reversal of no top-up', ofReversal('top_up_id = gen_random_uuid()'), ofOwner, 'undone'],
];
