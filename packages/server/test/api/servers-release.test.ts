import { expect, test } from 'vitest';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { PEER_DEAD_MS: 20_000 } });

test('beside a server of a later release one leaves what is shared to it, until that has ended', async () => {
  const { app } = server;
  const one = async <R>(sql: string) => Object.values((await app.pool.query(sql)).rows[0] ?? {})[0] as R;
  const unread = () =>
    one<number>(`select coalesce((select max(seq) from events), 0)
        - coalesce((select seq from outbox_readers where name = 'embassy.notifications'), 0)`);
  const beats = () => one<number>('select beats from hosts where migration < 9999 and ended_at is null');
  const leftAfterSweep = async () => {
    await app.sweep();
    return unread();
  };
  await expect.poll(leftAfterSweep).toBe(0);
  await app.pool.query(
    `insert into hosts (id, store, process, secret_mark, objects_mark, started_at, beat_at, roles, migration, functions)
     select gen_random_uuid(), gen_random_uuid(), 'later', secret_mark, objects_mark, started_at, now(), '{jobs}', 9999, 'later' from hosts`,
  );
  const before = await beats();
  await expect.poll(beats).toBeGreaterThan(before + 1);
  await hire(await makePair(server));
  expect(await leftAfterSweep()).toBeGreaterThan(0);
  await app.pool.query("update hosts set ended_at = now() where process = 'later'");
  await expect.poll(leftAfterSweep).toBe(0);
});
