import type { Reversal } from '../../src/vault/payments/pay-in.ts';
import { tellReversals } from '../steps/reversals.ts';
import type { World } from '../steps/world.ts';

/**
 * A refund that stands and one that its bank sent back, by the state that each is in; and of an owner of their own, a
 * dispute that was `collected` later and one that is still `owed`.
 */
export async function makeReversals({ pool, owner: newOwner }: World, owner: string): Promise<Record<string, string>> {
  const told = (of: string, kind: Reversal['kind'], ref: string, amountCents: number, state: Reversal['state']) =>
    tellReversals(pool, of, [{ ref, kind, amountCents, state }]);
  await told(owner, 'refund', 'standing', 40, 'standing');
  await told(owner, 'refund', 'undone', 40, 'standing');
  await told(owner, 'refund', 'undone', 40, 'undone');
  const debtor = await newOwner(100);
  await told(debtor, 'dispute', 'won', 100, 'standing');
  await told(debtor, 'dispute', 'collected', 60, 'standing');
  await told(debtor, 'dispute', 'owed', 70, 'standing');
  await told(debtor, 'dispute', 'won', 100, 'undone');
  const made = await pool.query('select id, processor_ref as ref from top_up_reversals');
  return Object.fromEntries(made.rows.map(({ id, ref }) => [ref, id]));
}

const ofReversal = (change: string) => `update top_up_reversals set ${change} where id = $1`;
const moved = 'every reversal of a top-up took';
const ofOwner = 'every reversal is of a top-up';
const owes = 'every pool owes';

/** What to plant, and how the name of the check begins that must speak. */
export const reversalDefects: [name: string, defect: string, check: string, subject?: string][] = [
  ['a reversal that says it took more', ofReversal('taken = taken + 1'), moved, 'standing'],
  ['a reversal that took nothing', 'delete from ledger_transfers where subject = $1', moved, 'standing'],
  ['a reversal that is said to be undone', ofReversal(`state = 'undone'`), moved, 'standing'],
  ['a reversal undone that is said to stand', ofReversal(`state = 'standing'`), moved, 'undone'],
  ['a reversal of another owner', ofReversal('owner_id = gen_random_uuid()'), ofOwner, 'standing'],
  ['a reversal that took more than went back', ofReversal('amount = taken - 1'), ofOwner, 'standing'],
  ['a reversal of which less was collected', ofReversal('taken = taken - 1'), moved, 'collected'],
  ['a collection that is of another reversal', `update reversal_collections set reversal_id = $1`, moved, 'owed'],
  ['a pool that says it owes more', `update ledger_accounts set owed = owed + 1 where kind = 'pool_available'`, owes],
  ['a pool that says it owes nothing', 'update ledger_accounts set owed = 0 where owed > 0', owes],
  ['a debt without an account', 'delete from ledger_accounts where owed > 0', owes],
  ['a wallet that owes', `update ledger_accounts set owed = 1 where kind = 'wallet_available'`, owes],
  ['a debt that the operator waived and that is still owed', ofReversal('waived_at = now()'), owes, 'owed'],
  ['a reversal of no top-up', ofReversal('top_up_id = gen_random_uuid()'), ofOwner, 'undone'],
];
