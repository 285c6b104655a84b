import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { transaction } from '../../src/platform/index.ts';
import { type Account, platformHolder, type Transfer, transfer } from '../../src/vault/ledger/transfer.ts';
import { createWorld, startedAt, type World } from '../steps/world.ts';

/** The set-based transfer against what somebody would do by hand: one transfer after the other. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

/** Few accounts, so that batches meet in them: three of owners and agents, which begin without a row, and one of the platform. */
const accounts: ((holders: string[]) => Account)[] = [
  ([first]) => ({ holder: first as string, kind: 'pool_available' }),
  ([first]) => ({ holder: first as string, kind: 'pool_held' }),
  ([, second]) => ({ holder: second as string, kind: 'wallet_available' }),
  () => ({ holder: platformHolder, kind: 'processor_clearing' }),
];
const someMove = fc
  .record({ from: fc.nat(3), to: fc.nat(3), amount: fc.constantFrom(0, 1, 2, 5, 40) })
  .filter(({ from, to }) => from !== to);
/** The platform's account is first, as what it pays is what the others can have. */
const batches = fc.array(fc.array(fc.oneof(someMove, fc.constant({ from: 3, to: 0, amount: 20 })), { maxLength: 12 }), {
  minLength: 1,
  maxLength: 6,
});

const keyOf = ({ holder, kind }: Account) => `${holder} ${kind}`;

interface Entered {
  subject: string;
  fromBefore: number | null;
  toBefore: number | null;
}

/** One transfer after the other; null if one pays more than there is, and then none of them is made. */
function byHand(balances: Map<string, number>, transfers: Transfer[]): Entered[] | null {
  const after = new Map(balances);
  const entered: Entered[] = [];
  for (const { subject, from, to, amount } of transfers) {
    if (amount === 0) continue;
    const before = (account: Account) => (account.holder === platformHolder ? null : (after.get(keyOf(account)) ?? 0));
    const [fromBefore, toBefore] = [before(from), before(to)];
    if (fromBefore !== null && fromBefore < amount) return null;
    if (fromBefore !== null) after.set(keyOf(from), fromBefore - amount);
    if (toBefore !== null) after.set(keyOf(to), toBefore + amount);
    entered.push({ subject, fromBefore, toBefore });
  }
  for (const [key, balance] of after) balances.set(key, balance);
  return entered;
}

test('a batch of transfers does what the same transfers do one after the other, or nothing', async () => {
  const property = fc.asyncProperty(batches, async (list) => {
    const holders = [randomUUID(), randomUUID()];
    const balances = new Map<string, number>();
    const wanted: Entered[] = [];
    for (const moves of list) {
      const transfers = moves.map(({ from, to, amount }): Transfer => {
        const [payer, receiver] = [accounts[from], accounts[to]].map((account) => account?.(holders)) as [
          Account,
          Account,
        ];
        return { subject: randomUUID(), cause: 'top_up', from: payer, to: receiver, amount, at: new Date(startedAt) };
      });
      const entered = byHand(balances, transfers);
      const made = transaction(world.pool, 'ledger', (tx) => transfer(tx, transfers));
      if (entered === null) await expect(made).rejects.toMatchObject({ code: '23514' });
      else await made;
      wanted.push(...(entered ?? []));
    }
    const entries = await world.pool.query(
      `select subject, from_before as "fromBefore", to_before as "toBefore" from ledger_transfers
       where from_holder = any($1) or to_holder = any($1) order by seq`,
      [holders],
    );
    expect(entries.rows).toEqual(wanted);
    const stored = await world.pool.query('select holder, kind, balance from ledger_accounts where holder = any($1)', [
      holders,
    ]);
    // An account without a row has nothing.
    const is = new Map<string, number>(stored.rows.map(({ holder, kind, balance }) => [`${holder} ${kind}`, balance]));
    for (const [key, balance] of balances) expect(is.get(key) ?? 0).toBe(balance);
    expect([...is.keys()].filter((key) => !balances.has(key))).toEqual([]);
  });
  await fc.assert(property, { numRuns: 150 });
});
