import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Agora } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { day, hire, hireAndStart, makePair, minute, type Pair, pass, serverForFile, startSecondApp } from './scene.ts';
import { watchReplies } from './watch.ts';

const server = serverForFile();
let serial = 0;
const newKey = () => `key-${++serial}`;

const body = ({ agent }: Pick<Pair, 'agent'>) => ({
  taskType: 'general' as const,
  maxBudget: 1000,
  input: { description: 'Once, please' },
  agentId: agent.id,
});

describe('a reply beyond 64 KiB', () => {
  const keptBytes = async () =>
    (await server.pool.query('select coalesce(sum(length(reply)), 0)::int as n from idempotency_keys')).rows[0].n;

  test('of a command is not kept: twins get it, a later try gets 409, and the command ran once', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const idempotencyKey = newKey();
    const command = "echo ran >> runs; sleep 0.3; head -c 200000 /dev/zero | tr '\\\\0' x";
    const exec = () => pair.agent.agora.sandbox.exec(id, { command }, { idempotencyKey });
    const before = await keptBytes();
    const twins = await Promise.all([exec(), exec(), exec()]);
    for (const twin of twins) expect(twin.data.stdout).toHaveLength(200_000);
    const details = { reason: 'too_large', status: 200, maxBytes: 65_536 };
    const told = { status: 409, code: 'REPLY_UNAVAILABLE', details };
    await expect(exec()).rejects.toMatchObject(told);
    expect((await keptBytes()) - before).toBeLessThan(1000);
    const runs = await pair.agent.agora.sandbox.exec(id, { command: 'cat runs' });
    expect(runs.data.stdout).toBe('ran\n');
  });

  test('of a task step is rebuilt from the task', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const large = { ...body(pair), input: { description: 'Large', code: 'x'.repeat(100_000) } };
    const idempotencyKey = newKey();
    const before = await keptBytes();
    const first = await pair.buyer.agora.tasks.submit(large, { idempotencyKey });
    expect(await pair.buyer.agora.tasks.submit(large, { idempotencyKey })).toEqual(first);
    expect((await keptBytes()) - before).toBeLessThan(70_000);
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });
  });
});

test('replies about the work on a task are erased with its input, and nothing is done twice', async () => {
  const pair = await makePair(server, { credits: 5000 });
  const secret = 'const password = "hunter2";';
  const { id } = await hire(pair, { input: { description: 'Look', files: { 'a.js': secret } } });
  await pass(server, 10 * minute);
  const { tasks, sandbox } = pair.agent.agora;
  const said = {
    start: () => tasks.start(id, { sandboxId: 'x' }, { idempotencyKey: 'start' }),
    exec: () => sandbox.exec(id, { command: 'echo ran >> runs; cat a.js' }, { idempotencyKey: 'exec' }),
    complete: () => tasks.complete(id, { output: { result: 'Looked at it' } }, { idempotencyKey: 'complete' }),
  };
  const started = await said.start();
  expect(JSON.stringify(started)).not.toContain('hunter2');
  expect((await said.exec()).data.stdout).toBe(secret);
  expect((await said.exec()).data.stdout).toBe(secret);
  const done = await said.complete();
  await pass(server, day - 5 * minute);
  expect(await said.start()).toMatchObject({ id, status: done.status, input: { description: 'Look' } });
  expect(JSON.stringify([await said.start(), await said.complete()])).not.toContain('hunter2');
  await expect(said.exec()).rejects.toMatchObject({ code: 'REPLY_UNAVAILABLE', details: { reason: 'erased' } });
});

describe('a server with another secret', () => {
  const sealed = { status: 409, code: 'REPLY_UNAVAILABLE', details: { reason: 'sealed_with_another_key' } };

  async function withOtherSecret(
    work: (at: (credentials: { ownerToken?: string; agentKey?: string }) => Agora) => Promise<void>,
  ) {
    const config = { ...server.config, AGORA_ENCRYPTION_KEY: 'another secret of 32 characters.' };
    const { app, url } = await startSecondApp(server, { config });
    // Its replies are held to the contract as those of the first one.
    const endWatch = watchReplies(url);
    try {
      await work((credentials) => new Agora({ baseUrl: url, maxRetries: 0, ...credentials }));
      expect(endWatch()).toEqual([]);
    } finally {
      endWatch();
      await app.close();
    }
  }

  test('cannot read a kept reply, says so and what to do, and still does nothing twice', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const { id } = await hireAndStart(pair);
    const options = { idempotencyKey: 'easy to guess' };
    const capabilities = [{ category: 'general' as const, tags: [] }];
    const register = (agora: Agora) =>
      agora.agents.register({ displayName: 'Sealed', framework: 'custom', capabilities }, options);
    const topUp = (agora: Agora) => agora.vault.topUp({ amount: 700 }, options);
    const exec = (agora: Agora) => agora.sandbox.exec(id, { command: 'echo ran | tee -a runs' }, options);
    const { agora } = pair.buyer;
    const first = [await register(agora), await topUp(agora), await exec(pair.agent.agora)];
    await withOtherSecret(async (at) => {
      const there = at({ ownerToken: pair.buyer.token });
      const told = { ...sealed, message: expect.stringContaining('AGORA_ENCRYPTION_KEY') };
      await expect(register(there)).rejects.toMatchObject(told);
      await expect(topUp(there)).rejects.toMatchObject(told);
      await expect(exec(at({ agentKey: pair.agent.key }))).rejects.toMatchObject(told);
      await expect(register(there)).rejects.toThrow(
        /Only if nothing changed, send the request with another Idempotency-Key/,
      );
    });
    // With the old secret everything is there again.
    const again = [await register(agora), await topUp(agora), await exec(pair.agent.agora)];
    expect(again).toEqual(first);
    expect((await agora.agents.listOwn()).data).toHaveLength(1);
    expect(await agora.vault.getPool()).toMatchObject({ balance: 4700, held: 1000 });
    expect((await pair.agent.agora.sandbox.exec(id, { command: 'cat runs' })).data.stdout).toBe('ran\n');
    expect((await stat(join(server.dataDir, 'encryption-key'))).mode & 0o777).toBe(0o600);
  });

  test('rebuilds the reply of a task step from the task', async () => {
    const pair = await makePair(server, { credits: 5000 });
    const idempotencyKey = newKey();
    const first = await pair.buyer.agora.tasks.submit(body(pair), { idempotencyKey });
    await withOtherSecret(async (at) => {
      const there = at({ ownerToken: pair.buyer.token });
      expect(await there.tasks.submit(body(pair), { idempotencyKey })).toEqual(first);
    });
    expect(await pair.buyer.agora.vault.getPool()).toMatchObject({ held: 1000 });
  });
});
