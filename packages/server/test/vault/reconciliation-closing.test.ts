import { expect, test } from 'vitest';
import { pass } from '../api/scene.ts';
import { uuidOf } from './plant.ts';
import { hour, reconciliationScene } from './reconciliation-scene.ts';

const { server, forgery, findingsAbout, topUpOf } = reconciliationScene();

test('what is put right within the hour after our books had it is gone with the next run, however soon that comes', async () => {
  const owner = await server.owner({ credits: 1_000 });
  const { id, ref: chargeRef } = await topUpOf(owner);
  const madeAt = server.clock.now();
  await pass(server, 3 * hour);
  const ref = `re_${chargeRef}`;
  // The refund failed at the processor; of its first news we heard only now, and of the second not yet.
  forgery.reversals.push({ kind: 'refund', state: 'undone', amountCents: 200, ref, chargeRef, at: madeAt });
  await server.pool.query(
    `insert into top_up_reversals (id, top_up_id, owner_id, processor_ref, kind, amount, taken, state, created_at)
     values (gen_random_uuid(), $1, $2, $3, 'refund', 200, 200, 'standing', $4)`,
    [id, uuidOf(owner), ref, server.clock.now()],
  );
  await server.operator().vault.reconcile();
  const found = { kind: 'reversal_missing_there', subject: ref };
  expect(await findingsAbout({ ownerId: owner.id })).toMatchObject([{ ...found, status: 'open' }]);
  await server.pool.query(`update top_up_reversals set state = 'undone', undone_at = $1`, [server.clock.now()]);
  await pass(server, 1);
  await server.operator().vault.reconcile();
  expect(await findingsAbout({ ownerId: owner.id })).toMatchObject([{ ...found, status: 'gone' }]);
});
