import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createWorld, iso, startedAt, submitItem, type World } from '../../../test/steps/world.ts';
import { transaction } from '../../platform/index.ts';
import { submitStep } from '../../tasks/steps/index.ts';
import { platformHolder, type Transfer, transfer } from './transfer.ts';

/** The ledger's functions by themselves: what a caller's mistake cannot do. */

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.close());

const at = iso(startedAt);

async function heldTask() {
  const [owner, agent] = [await world.owner(5_000), await world.agent()];
  const item = submitItem(owner, agent);
  await world.writer.write(submitStep, item);
  return { id: item.id, owner, agent };
}

/** One call of a ledger function under the ledger lock. */
const call = (text: string, values: unknown[]) => transaction(world.pool, 'ledger', (tx) => tx.query(text, values));
const settle = (id: string, agent: string, payout = 850, fee = 150) =>
  call('select vault_resolve_hold($1, $2, $3, $4, $5, $6)', [
    [id],
    [agent],
    [payout],
    [fee],
    [at],
    [iso(startedAt + 900_000)],
  ]);
const release = (...ids: string[]) =>
  call('select vault_resolve_hold($1, $2, $3, $3, $4, $5)', [
    ids,
    ids.map(() => randomUUID()),
    ids.map(() => 0),
    ids.map(() => at),
    ids.map(() => null),
  ]);
/** By the account, or by the index where other holds fill it. */
const overdrawnOrTwice = { code: expect.stringMatching(/^23(514|505)$/) };
const refund = (id: string, owner: string) =>
  call('select vault_refund($1, $2, $3, $4)', [[id], [owner], [1000], [at]]);

const entries = async (id: string) =>
  (
    await world.pool.query('select cause from ledger_entries where subject = $1 and side = 1 order by seq', [id])
  ).rows.map((row) => row.cause);

test('a hold is resolved exactly once, whichever way', async () => {
  const settled = await heldTask();
  await settle(settled.id, settled.agent);
  await expect(settle(settled.id, settled.agent)).rejects.toMatchObject(overdrawnOrTwice);
  await expect(release(settled.id)).rejects.toMatchObject(overdrawnOrTwice);
  expect(await entries(settled.id)).toEqual(['hold', 'payout', 'fee']);
  const released = await heldTask();
  await release(released.id);
  await expect(release(released.id)).rejects.toMatchObject(overdrawnOrTwice);
  await expect(settle(released.id, released.agent)).rejects.toMatchObject(overdrawnOrTwice);
  expect(await entries(released.id)).toEqual(['hold', 'hold_released']);
});

test('one hold of a batch that is missing or resolved undoes the whole batch', async () => {
  const [good, bad] = [await heldTask(), await heldTask()];
  await release(bad.id);
  await expect(release(good.id, bad.id)).rejects.toThrow();
  await expect(release(good.id, good.id)).rejects.toThrow();
  await expect(release(good.id, randomUUID())).rejects.toThrow('no hold');
  expect(await entries(good.id)).toEqual(['hold']);
});

test('earnings that are out cannot be refunded, nor refunded earnings released', async () => {
  const [out, back] = [await heldTask(), await heldTask()];
  for (const { id, agent } of [out, back]) await settle(id, agent);
  await refund(back.id, back.owner);
  await expect(refund(back.id, back.owner)).rejects.toThrow('not pending');
  const due = iso(startedAt + 900_000);
  expect((await call('select vault_release_earnings($1, 1000) as n', [due])).rows[0].n).toBeGreaterThan(0);
  expect((await call('select vault_release_earnings($1, 1000) as n', [due])).rows[0].n).toBe(0);
  await expect(refund(out.id, out.owner)).rejects.toThrow('not pending');
  expect(await entries(back.id)).not.toContain('earnings_released');
});

test('earnings are released at their time and not a millisecond before', async () => {
  const { id, agent } = await heldTask();
  await settle(id, agent);
  await call('select vault_release_earnings($1, 1000)', [iso(startedAt + 899_999)]);
  expect(await entries(id)).not.toContain('earnings_released');
  await call('select vault_release_earnings($1, 1000)', [iso(startedAt + 900_000)]);
  expect(await entries(id)).toContain('earnings_released');
});

test('a settlement can pay out no more than was held', async () => {
  const { id, agent } = await heldTask();
  await expect(settle(id, agent, 900, 150)).rejects.toMatchObject({ code: '23514' });
});

const move = (fields: Partial<Transfer>): Transfer => ({
  subject: randomUUID(),
  cause: 'top_up',
  from: { holder: platformHolder, kind: 'processor_clearing' },
  to: { holder: randomUUID(), kind: 'pool_available' },
  amount: 100,
  at: new Date(startedAt),
  ...fields,
});
const transfers = (...list: Transfer[]) => transaction(world.pool, 'ledger', (tx) => transfer(tx, list));

test('an account pays no more than it has, and one that was never paid pays nothing', async () => {
  const owner = await world.owner(100);
  const pay = (holder: string, amount: number) =>
    transfers(
      move({ cause: 'hold', from: { holder, kind: 'pool_available' }, to: { holder, kind: 'pool_held' }, amount }),
    );
  const refused = { code: '23514' };
  await expect(pay(owner, 101)).rejects.toMatchObject(refused);
  await expect(pay(randomUUID(), 1)).rejects.toMatchObject(refused);
  await pay(owner, 100);
});

test('no cause moves the credits of one subject twice, and no negative amount moves any', async () => {
  const once = move({});
  await transfers(once);
  await expect(transfers(once)).rejects.toMatchObject({ constraint: 'ledger_transfers_pkey' });
  await expect(transfers(move({ amount: -5 }))).rejects.toMatchObject({ code: '23514' });
});

test('transfers are neither changed nor deleted', async () => {
  for (const text of [
    'update ledger_transfers set amount = 0',
    'delete from ledger_transfers',
    'truncate ledger_transfers',
  ]) {
    await expect(world.pool.query(text)).rejects.toThrow('append-only');
  }
});
