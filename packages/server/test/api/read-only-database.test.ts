import { Agora } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import { expectSoundLedger, hire, makePair, serverForFile } from './scene.ts';

/** PostgreSQL takes no changes while it is a standby: one that was demoted, or one that is not promoted yet. */

const server = serverForFile();
/** What sessions may do that begin from now on; all others end. */
async function letWrite(may: boolean) {
  const [{ name }] = (await server.pool.query('select current_database() as name')).rows;
  await server.pool.query(
    `begin; set transaction read write; alter database ${name} set default_transaction_read_only = ${may ? 'off' : 'on'}; commit`,
  );
  if (may) return;
  await server.pool.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  // The session that ended the others writes still.
  await server.pool.query('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined);
}

test('changes are refused with 503 and Retry-After, reads go on, and no session that cannot write is kept', async () => {
  const pair = await makePair(server);
  const { buyer, agent } = pair;
  await letWrite(false);
  try {
    for (const change of [() => hire(pair), () => agent.agora.agents.updateMe({ availability: 'busy' })]) {
      await expect(change()).rejects.toMatchObject({ status: 503, code: 'NOT_READY', retryAfterSeconds: 1 });
    }
    expect(await buyer.agora.vault.getPool()).toMatchObject({ held: 0 });
  } finally {
    await letWrite(true);
  }
  // The read has left one behind.
  expect(await hire(pair)).toMatchObject({ maxBudget: 1000 });
  await expectSoundLedger(server);
});

test('the SDK repeats submissions until there is a primary, and each is stored once', async () => {
  const { buyer, agent } = await makePair(server);
  let refused = 0;
  const counted: typeof fetch = async (...request) => {
    const reply = await fetch(...request);
    if (reply.status === 503 && ++refused === 8) await letWrite(true);
    return reply;
  };
  const patient = new Agora({ baseUrl: server.url, ownerToken: buyer.token, fetch: counted });
  await letWrite(false);
  const hires = Array.from({ length: 8 }, () => hire({ agent, buyer: { ...buyer, agora: patient } }));
  const made = await Promise.all(hires);
  const { data } = await buyer.agora.tasks.list();
  expect(data.map(({ id }) => id).sort()).toEqual(made.map(({ id }) => id).sort());
  expect(new Set(data.map(({ id }) => id)).size).toBe(8);
  await expectSoundLedger(server);
});
