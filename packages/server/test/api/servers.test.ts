import { randomUUID } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { describe, expect, onTestFinished, test } from 'vitest';
import { encodeArchive } from '../../src/sandbox/index.ts';
import { type Peer, shared, startPeer } from './peer.ts';
import { hireToFix, minute, pass, refusalOf, serverForFile } from './scene.ts';

/** Several servers on one database, each with a disk of its own: none touches what another one holds. */

const server = serverForFile({ config: { ...shared, DELIVERY_WAIT_MS: 600_000 } });

async function peer(config = {}): Promise<Peer> {
  const started = await startPeer(server, config);
  onTestFinished(() => started.close());
  return started;
}

async function working(command: string) {
  const { pair, id, uuid } = await hireToFix(server);
  const { agora } = pair.agent;
  await agora.sandbox.exec(id, { command });
  return { pair, id, uuid, agora };
}

const hostsThat = async (condition: string): Promise<number> =>
  (await server.pool.query(`select count(*)::int as n from hosts where ${condition}`)).rows[0].n;

/** A task whose gate was running when its server, which had put the workspace on the disk of `store`, was killed. */
async function delivered(store: string) {
  const { pair, id, uuid } = await hireToFix(server);
  const content = Buffer.from('fixed\n');
  const archive = await encodeArchive([{ type: 'file', path: 'state.txt', mode: 0o644, modifiedMs: 0, content }]);
  await writeFile(join(server.dataDir, 'deliveries', uuid), archive);
  const at = server.clock.now().toISOString();
  const output = { result: 'It says fixed' };
  const item = { taskId: uuid, agentId: toUuid('agent', pair.agent.id), output, declaredScore: null, at };
  const held = { host: randomUUID(), store, workspaceBytes: archive.length };
  await server.pool.query('select * from tasks_deliver($1::json)', [
    JSON.stringify([{ ...item, executionTimeMs: null, gateDueAt: at, ...held }]),
  ]);
  const task = () => pair.buyer.agora.tasks.get(id);
  const ended = () => expect.poll(async () => (await task()).status).not.toBe('quality_check');
  return { pair, id, uuid, task, ended };
}

const ownStore = () => readFile(join(server.dataDir, 'store-id'), 'utf8');

describe('a server that starts beside another', () => {
  test('leaves its sandboxes and the gates that it runs alone', async () => {
    const { id, agora, uuid } = await working('echo begun > state.txt');
    const second = await peer();
    await second.app.sweep();
    expect((await agora.sandbox.get(id)).data.status).toBe('ready');
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('begun\n');
    const { rows } = await server.pool.query('select status from sandboxes where task_id = $1', [uuid]);
    expect(rows).toEqual([{ status: 'ready' }]);
    await second.close();
    expect((await agora.sandbox.get(id)).data.status).toBe('ready');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('is refused with another secret, another place of objects, or the same data directory', async () => {
    await expect(peer({ AGORA_ENCRYPTION_KEY: 'another secret than the others have, but long' })).rejects.toThrow(
      /another AGORA_ENCRYPTION_KEY. Set the same/,
    );
    const living = await hostsThat('ended_at is null');
    const [{ store }] = (await server.pool.query('select store from hosts where ended_at is null')).rows;
    await server.pool.query(
      `insert into hosts (id, store, address, process, secret_mark, objects_mark, started_at, beat_at)
       select gen_random_uuid(), gen_random_uuid(), 'http://10.0.0.7:4000', 'x', secret_mark, 'elsewhere', now(), now()
       from hosts where store = $1 and ended_at is null`,
      [store],
    );
    await expect(peer()).rejects.toThrow(/http:\/\/10.0.0.7:4000, keeps objects elsewhere/);
    await server.pool.query(`delete from hosts where process = 'x'`);
    expect(await hostsThat('ended_at is null')).toBe(living);
  });
});

describe('a delivery on the disk of one server', () => {
  test('is left to that one by the others, and judged there with the workspace', async () => {
    const { pair, task, ended } = await delivered(await ownStore());
    const second = await peer();
    await second.app.sweep();
    expect((await task()).status).toBe('quality_check');
    await pass(server, 0);
    await ended();
    expect(await task()).toMatchObject({ status: 'completed' });
    const { criteria } = await pair.buyer.agora.courts.getAssessment((await task()).assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
  });

  test('that is gone is waited for; in the end the buyer is refunded and nobody is to blame', async () => {
    const gone = randomUUID();
    const { pair, task } = await delivered(gone);
    await server.pool.query(
      `insert into hosts (id, store, process, secret_mark, objects_mark, started_at, beat_at, ended_at)
       values (gen_random_uuid(), $1, 'y', '', '', $2, $2, $2)`,
      [gone, server.clock.now()],
    );
    await pass(server, 599_000);
    expect((await task()).status).toBe('quality_check');
    await pass(server, 2_000);
    expect(await task()).toMatchObject({ status: 'failed', creditsCharged: 0 });
    expect((await task()).errorMessage).toMatch(/could not assess/);
    const { rows } = await server.pool.query('select failed from reputations where agent_id = $1', [
      toUuid('agent', pair.agent.id),
    ]);
    expect(rows).toEqual([{ failed: 0 }]);
  });

  test('that has no such file is not judged without', async () => {
    const { task, ended, uuid } = await delivered(await ownStore());
    const [path, away] = [join(server.dataDir, 'deliveries', uuid), join(server.dataDir, 'away')];
    await rename(path, away);
    await pass(server, 0);
    expect((await task()).status).toBe('quality_check');
    await rename(away, path);
    await pass(server, 60_000);
    await ended();
    expect(await task()).toMatchObject({ status: 'completed' });
  });
});

test('a gate whose lease got lost with the database runs within seconds, not after eight minutes', async () => {
  const { task, ended, uuid } = await delivered(await ownStore());
  // As if the lease was committed and the server never heard of it.
  await server.pool.query(
    `update tasks set due_at = $2, gate_host = (select id from hosts where store = $3 and ended_at is null) where id = $1`,
    [uuid, new Date(server.clock.now().getTime() + 8 * minute), await ownStore()],
  );
  await pass(server, 9_000);
  expect((await task()).status).toBe('quality_check');
  await pass(server, 1_000);
  await pass(server, 1_000);
  await ended();
  expect(await task()).toMatchObject({ status: 'completed' });
});

test('a server that others took for dead lets go of its sandboxes before anybody uses one, and goes on', async () => {
  const at = await working('echo fixed > state.txt');
  await server.pool.query(
    `update hosts set ended_at = now() where id = (select host from sandboxes where task_id = $1)`,
    [at.uuid],
  );
  const status = async () => (await at.agora.sandbox.get(at.id)).data.status;
  await expect.poll(status).toBe('lost');
  expect(await refusalOf(at.agora.tasks.complete(at.id, { output: { result: 'x' } }))).toBe('409 SANDBOX_LOST');
  expect((await at.agora.sandbox.provision(at.id)).data.status).toBe('ready');
  expect((await at.agora.sandbox.exec(at.id, { command: 'cat state.txt' })).data.stdout).toBe('broken\n');
  expect(await hostsThat('ended_at is null')).toBe(1);
});
