import { Agora } from '@agora/sdk';
import { expect, test } from 'vitest';
import { hireAndStart, makePair, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();

test('a command under a key is left to the process that runs it, however long that takes, and not to one that died', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const idempotencyKey = 'once';
  const command = 'echo ran >> runs; sleep 3; wc -l < runs';
  const silence = `update idempotency_keys set created_at = created_at - interval '11 s'`;
  const isSilent = `select 1 from idempotency_keys where reply is null and created_at < $1::timestamptz - interval '9 s'`;
  const silent = async () => (await server.pool.query(isSilent, [server.clock.now()])).rowCount;
  const first = pair.agent.agora.sandbox.exec(id, { command }, { idempotencyKey });
  await expect.poll(async () => (await server.pool.query(`${silence} where reply is null`)).rowCount).toBe(1);
  await expect.poll(silent, { timeout: 5_000 }).toBe(0);
  const { app, url } = await startSecondApp(server);
  try {
    const second = new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
    expect(await second.sandbox.exec(id, { command }, { idempotencyKey })).toEqual(await first);
  } finally {
    await app.close();
  }
  expect((await first).data.stdout).toBe('1\n');
  await server.pool.query(
    `${silence}, reply = null where subject is null and created_at = (select max(created_at) from idempotency_keys)`,
  );
  const again = await pair.agent.agora.sandbox.exec(id, { command }, { idempotencyKey });
  expect(again.data.stdout).toBe('2\n');
});
