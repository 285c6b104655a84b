import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { readWhole } from '../../src/objects/index.ts';
import { type Config, newUuid } from '../../src/platform/index.ts';
import { type Asked, bucketSettings, type FragileBucket, startFragileBucket } from '../support/bucket.ts';
import { killAgents } from '../support/sandbox/kill-agents.ts';
import { shared, startPeer } from './peer.ts';
import {
  goodOutput,
  hireAndStart,
  hireToFix,
  hour,
  makePair,
  minute,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

/** Servers with a bucket: what one has acknowledged needs no disk of its own, so any other goes on with it. */

let bucket: FragileBucket;
const config: Record<string, unknown> = {
  ...shared,
  ...bucketSettings,
  S3_PREFIX: 'test/',
  S3_SSE: 'AES256',
};
beforeAll(async () => {
  bucket = await startFragileBucket();
  // Read when the server starts, which is after this.
  config.S3_ENDPOINT = bucket.url;
});
afterAll(() => bucket.close());
const server = serverForFile({ config });
beforeEach(() => {
  bucket.isAway = () => false;
  bucket.isGarbled = () => false;
});

const isWorkspace = ({ path }: Asked) => path.includes('/workspaces/');
const noReading = (asked: Asked) => asked.method === 'GET' && isWorkspace(asked);
const noWriting = (asked: Asked) => asked.method === 'PUT' && isWorkspace(asked);

async function objects(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.objects.list('workspaces')) keys.push(key);
  return keys;
}

/** A task whose agent works at another server, which goes with its disk. */
async function elsewhere(config: Partial<Config> = {}, deadlineMinutes?: number) {
  const peer = await startPeer(server, config);
  onTestFinished(() => peer.close());
  const { pair, id, uuid } = await hireToFix(server, {}, deadlineMinutes);
  const there = new Agora({ baseUrl: peer.url, agentKey: pair.agent.key, maxRetries: 0 });
  return { ...at(pair, id, uuid), peer, there };
}

async function here() {
  const { pair, id, uuid } = await hireToFix(server);
  return at(pair, id, uuid);
}

type Pair = Awaited<ReturnType<typeof hireToFix>>['pair'];

function at(pair: Pair, id: string, uuid: string) {
  const task = () => pair.buyer.agora.tasks.get(id);
  return {
    ...{ pair, id, uuid, task, agora: pair.agent.agora },
    deliver: (agora = pair.agent.agora) => agora.tasks.complete(id, { output: { result: 'It says fixed' } }),
    async expectPassed() {
      await expect.poll(async () => (await task()).status).not.toBe('quality_check');
      expect(await task()).toMatchObject({ status: 'completed' });
      const { criteria } = await pair.buyer.agora.courts.getAssessment((await task()).assessmentId as string);
      expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
    },
  };
}

/** The gate runs until it is put off. */
async function putOff({ uuid }: { uuid: string }): Promise<void> {
  const waits = async () => (await server.pool.query('select gate_host from tasks where id = $1', [uuid])).rows;
  await expect.poll(waits).toEqual([{ gate_host: null }]);
}

async function failedOf(agentId: string): Promise<number> {
  const { rows } = await server.pool.query('select failed from reputations where agent_id = $1', [
    toUuid('agent', agentId),
  ]);
  return rows[0].failed;
}

describe('a delivery', () => {
  test('that a server took which never comes back is judged by another, which pays, and assesses a dispute', async () => {
    const { peer, there, id, uuid, pair, deliver, task, expectPassed } = await elsewhere();
    await there.sandbox.exec(id, { command: 'echo fixed > state.txt; mkdir output; echo made > output/made.txt' });
    bucket.isAway = noReading;
    expect(await deliver(there)).toMatchObject({ status: 'quality_check' });
    await putOff({ uuid });
    await peer.close();
    bucket.isAway = () => false;
    await pass(server, minute);
    await expectPassed();
    expect((await task()).creditsCharged).toBeGreaterThan(0);
    expect((await pair.buyer.agora.artifacts.list(id)).data).toMatchObject([{ path: 'made.txt' }]);
    expect(await (await pair.buyer.agora.tasks.workspace(id)).text()).toContain('state.txt');
    server.clock.advance(10 * minute + 1);
    const dispute = await pair.buyer.agora.tasks.dispute(id, { reason: 'It says fixed, and is not' });
    await pair.agent.agora.courts.respondToDispute(dispute.id, { response: 'Look again' });
    const again = async () => {
      await pass(server, 0);
      return (await pair.buyer.agora.courts.getDispute(dispute.id)).assessmentId;
    };
    await expect.poll(again).toMatch(/^asm_/);
    const { criteria } = await pair.buyer.agora.courts.getAssessment((await again()) as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
  });

  test('that the bucket does not take is refused in so many words, and taken once when it is back', async () => {
    const { id, uuid, agora, deliver, expectPassed } = await here();
    await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    const before = await objects();
    bucket.isAway = noWriting;
    await expect(deliver()).rejects.toMatchObject({
      status: 503,
      code: 'NOT_READY',
      message: expect.stringContaining('object store'),
      retryAfterSeconds: 1,
    });
    expect((await agora.sandbox.get(id)).data.status).toBe('ready');
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    const asked: unknown[] = [];
    bucket.isAway = (each) => {
      const { 'x-amz-server-side-encryption': encryption, 'x-amz-content-sha256': digest } = each.headers;
      if (noWriting(each)) asked.push({ encryption, digest });
      return false;
    };
    await deliver();
    const named = await server.pool.query('select sha256 from deliveries where task_id = $1', [uuid]);
    expect(asked).toEqual([{ encryption: 'AES256', digest: named.rows[0].sha256 }]);
    await expectPassed();
    expect((await objects()).filter((key) => !before.includes(key))).toHaveLength(1);
    const { rows } = await server.pool.query(
      `select count(*)::int as n from events where task_id = $1 and type = 'task.delivered'`,
      [uuid],
    );
    expect(rows).toEqual([{ n: 1 }]);
  });

  test('that the bucket does not take makes nobody late: the deadline moves', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { deadlineMinutes: 5 });
    const { tasks, sandbox } = pair.agent.agora;
    await sandbox.exec(id, { command: 'mkdir -p output; echo a haiku > output/haiku' });
    server.clock.advance(4 * minute);
    bucket.isAway = noWriting;
    expect(await refusalOf(tasks.complete(id, { output: goodOutput }))).toBe('503 NOT_READY');
    const refusedAt = server.clock.now().getTime();
    await pass(server, 2 * minute);
    const { status, deadline } = await tasks.get(id);
    expect([status, Date.parse(deadline as string) - refusedAt]).toEqual(['executing', 15 * minute]);
    bucket.isAway = () => false;
    expect(await tasks.complete(id, { output: goodOutput })).toMatchObject({ status: 'completed' });
  });

  test('that is sent twice at once is taken once, and leaves one object', async () => {
    const { id, agora, deliver, expectPassed } = await here();
    await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    const before = await objects();
    const replies = await Promise.allSettled([deliver(), deliver()]);
    expect(replies.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await expectPassed();
    expect((await objects()).filter((key) => !before.includes(key))).toHaveLength(1);
  });

  test('that is damaged in the bucket is never judged: the buyer is refunded, and nobody is to blame', async () => {
    const { id, uuid, pair, agora, deliver, task } = await here();
    await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    bucket.isAway = noReading;
    expect(await deliver()).toMatchObject({ status: 'quality_check' });
    await putOff({ uuid });
    const { rows } = await server.pool.query('select object_id as id, size_bytes from deliveries where task_id = $1', [
      uuid,
    ]);
    bucket.isAway = () => false;
    await server.app.objects.put(`workspaces/${rows[0].id}`, Buffer.alloc(rows[0].size_bytes));
    for (let run = 2; run < 20; run++) {
      await pass(server, 10 * minute);
      await putOff({ uuid });
      expect((await task()).status).toBe('quality_check');
    }
    await pass(server, 10 * minute);
    await expect.poll(async () => (await task()).status).toBe('failed');
    expect(await task()).toMatchObject({ creditsCharged: 0, assessmentId: null });
    expect((await task()).errorMessage).toMatch(/could not assess/);
    expect(await failedOf(pair.agent.id)).toBe(0);
  });
});

describe('the work of a sandbox that ended before its task', () => {
  const kept = async () => {
    const scene = await elsewhere();
    await scene.there.sandbox.exec(scene.id, { command: 'echo fixed > state.txt' });
    server.clock.advance(server.config.SANDBOX_LIFETIME_MS);
    await scene.peer.app.sweep();
    expect((await scene.agora.sandbox.get(scene.id)).data.status).toBe('kept');
    await scene.peer.close();
    return scene;
  };

  test('is gone on with at another server, once its own never comes back', async () => {
    const { id, agora, deliver, expectPassed } = await kept();
    expect((await agora.sandbox.get(id)).data.status).toBe('kept');
    expect((await agora.sandbox.provision(id)).data.status).toBe('ready');
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    await deliver();
    await expectPassed();
  });

  test('is delivered at another server as it was kept', async () => {
    const { deliver, expectPassed } = await kept();
    await deliver();
    await expectPassed();
  });

  test('waits for a bucket that is away: the sandbox lives on until its work is kept', async () => {
    const { id, agora, deliver, expectPassed } = await here();
    await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    bucket.isAway = noWriting;
    await pass(server, server.config.SANDBOX_LIFETIME_MS);
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt; echo more >> state.txt' })).data.stdout).toBe(
      'fixed\n',
    );
    await pass(server, minute);
    expect((await agora.sandbox.get(id)).data.status).toBe('ready');
    bucket.isAway = () => false;
    await pass(server, minute);
    expect((await agora.sandbox.get(id)).data.status).toBe('kept');
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\nmore\n');
    await deliver();
    await expectPassed();
  });

  test('outlives a stop of its server while the bucket is away: it waits on the disk, then goes on anywhere', async () => {
    const AGORA_DATA_DIR = await mkdtemp(join(tmpdir(), 'agora-stopped-'));
    onTestFinished(() => rm(AGORA_DATA_DIR, { recursive: true, force: true }));
    const { id, there, agora, peer, deliver, expectPassed } = await elsewhere({ AGORA_DATA_DIR }, 5);
    await there.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    bucket.isAway = noWriting;
    await peer.close();
    server.clock.advance(4 * minute);
    expect(await refusalOf(agora.sandbox.exec(id, { command: 'true' }))).toBe('503 NOT_READY');
    const { deadline } = await agora.tasks.get(id);
    expect(Date.parse(deadline as string) - server.clock.now().getTime()).toBe(15 * minute);
    expect(await refusalOf(agora.sandbox.provision(id))).toBe('503 NOT_READY');
    const again = await startPeer(server, { AGORA_DATA_DIR });
    expect(await refusalOf(agora.sandbox.exec(id, { command: 'true' }))).toBe('503 NOT_READY');
    bucket.isAway = () => false;
    await again.app.run('tasks.carryIntoBucket');
    expect(await readdir(join(AGORA_DATA_DIR, 'workspaces'))).toEqual([]);
    await again.close();
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    await deliver();
    await expectPassed();
  });

  test('stays on the disk while the row of its sandbox does not say yet that it is kept', async () => {
    const { id, uuid, agora } = await here();
    await agora.sandbox.exec(id, { command: 'true' });
    await writeFile(join(server.dataDir, 'workspaces', uuid), 'put aside');
    await server.app.run('tasks.carryIntoBucket');
    expect(await readdir(join(server.dataDir, 'workspaces'))).toEqual([uuid]);
    await agora.tasks.fail(id, { reason: 'The test is over' });
    await server.app.run('tasks.carryIntoBucket');
    expect(await readdir(join(server.dataDir, 'workspaces'))).toEqual([]);
  });

  test('is in the bucket when its server has stopped, where that answers', async () => {
    const AGORA_DATA_DIR = await mkdtemp(join(tmpdir(), 'agora-stopped-'));
    onTestFinished(() => rm(AGORA_DATA_DIR, { recursive: true, force: true }));
    const { id, there, agora, peer } = await elsewhere({ AGORA_DATA_DIR });
    await there.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    await peer.close();
    expect(await readdir(join(AGORA_DATA_DIR, 'workspaces'))).toEqual([]);
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('outlives answers of the bucket that are damaged on their way', async () => {
    const { id, agora, deliver, expectPassed } = await kept();
    bucket.isGarbled = noReading;
    expect(await refusalOf(agora.sandbox.exec(id, { command: 'true' }))).toBe('503 NOT_READY');
    expect((await agora.sandbox.get(id)).data.status).toBe('ready');
    let asked = 0;
    bucket.isGarbled = (each) => noReading(each) && ++asked === 1;
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    expect(asked).toBe(2);
    await deliver();
    await expectPassed();
  });

  test('is asked for once where the bucket refuses it', async () => {
    const { id, agora } = await kept();
    let asked = 0;
    bucket.isAway = (each) => noReading(each) && ++asked > 0;
    expect(await refusalOf(agora.sandbox.exec(id, { command: 'true' }))).toBe('503 NOT_READY');
    // By the client of the bucket, which tries three times.
    expect(asked).toBe(3);
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('is given up at another server too, and never comes back', async () => {
    const { id, agora } = await kept();
    await agora.sandbox.destroy(id);
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('broken\n');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('is lost where it is damaged; the agent can begin again', async () => {
    const { id, uuid, agora } = await kept();
    const { rows } = await server.pool.query('select object_id as id from kept_workspaces where task_id = $1', [uuid]);
    await server.app.objects.put(`workspaces/${rows[0].id}`, Buffer.from('damaged'));
    expect(await refusalOf(agora.sandbox.exec(id, { command: 'true' }))).toBe('409 SANDBOX_LOST');
    await expect.poll(async () => (await agora.sandbox.get(id)).data.status).toBe('lost');
    expect((await agora.sandbox.provision(id)).data.status).toBe('ready');
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('broken\n');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('goes with its task, also where another server has kept it and nobody has asked for it since', async () => {
    const { id, uuid, agora, peer, there } = await elsewhere();
    await there.sandbox.exec(id, { command: 'true' });
    await peer.close();
    const keptHere = async () =>
      (await server.pool.query('select from kept_workspaces where task_id = $1', [uuid])).rowCount;
    await agora.tasks.fail(id, { reason: 'enough' });
    expect(await keptHere()).toBe(1);
    await server.app.run('tasks.clearEndedInBucket');
    expect(await keptHere()).toBe(0);
  });
});

describe('a snapshot', () => {
  /** One of a task whose sandbox has crashed at a server that then went with its disk. */
  async function stored() {
    const own = await elsewhere({ SNAPSHOT_MS: minute });
    await own.there.sandbox.exec(own.id, { command: 'echo fixed > state.txt' });
    server.clock.advance(minute);
    await own.peer.app.sweep();
    const snapshotAt = server.clock.now().toISOString();
    killAgents(`agora/peer-${process.pid}-`);
    await expect.poll(async () => (await own.there.sandbox.get(own.id)).data.status).toBe('lost');
    await own.peer.close();
    return { ...own, snapshotAt };
  }
  const rowOf = async (uuid: string) =>
    (await server.pool.query('select object_id as id from workspace_snapshots where task_id = $1', [uuid])).rows[0];

  test('is gone on with at another server, and goes with the task', async () => {
    const { id, uuid, agora, deliver, expectPassed, snapshotAt } = await stored();
    const key = `workspaces/${(await rowOf(uuid)).id}`;
    expect((await agora.sandbox.get(id)).data).toMatchObject({ status: 'lost', snapshotAt });
    const refused = agora.sandbox.exec(id, { command: 'true' });
    await expect(refused).rejects.toMatchObject({ code: 'SANDBOX_LOST', details: { snapshotAt } });
    expect((await agora.sandbox.provision(id)).data).toMatchObject({ status: 'ready', snapshotAt });
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    await deliver();
    await expectPassed();
    await expect.poll(() => rowOf(uuid)).toBeUndefined();
    expect(await objects()).not.toContain(key);
  });

  test('is lost where it is damaged: the agent begins again', async () => {
    const { id, uuid, agora } = await stored();
    await server.app.objects.put(`workspaces/${(await rowOf(uuid)).id}`, Buffer.from('damaged'));
    expect((await agora.sandbox.provision(id)).data).toMatchObject({ status: 'ready', snapshotAt: null });
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('broken\n');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('is taken again where the bucket was away, and commands are not kept waiting for it', async () => {
    const { id, there, peer, agora } = await elsewhere({ SNAPSHOT_MS: minute });
    await there.sandbox.exec(id, { command: 'echo fixed > state.txt' });
    bucket.isAway = noWriting;
    server.clock.advance(minute);
    await peer.app.sweep();
    const { data } = await there.sandbox.exec(id, { command: 'cat state.txt' });
    expect([data.stdout, (await there.sandbox.get(id)).data.snapshotAt]).toEqual(['fixed\n', null]);
    bucket.isAway = () => false;
    server.clock.advance(minute);
    await peer.app.sweep();
    expect((await there.sandbox.get(id)).data.snapshotAt).toBe(server.clock.now().toISOString());
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });

  test('left by the server on its disk before it had a bucket is moved there when it starts', async () => {
    const { id, uuid, agora, snapshotAt } = await stored();
    const [{ object_id: objectId }] = (
      await server.pool.query('delete from workspace_snapshots where task_id = $1 returning object_id', [uuid])
    ).rows;
    const archive = (await readWhole(server.app.objects, `workspaces/${objectId}`)) as Buffer;
    await writeFile(join(server.dataDir, 'snapshots', uuid), archive);
    const store = await readFile(join(server.dataDir, 'store-id'), 'utf8');
    await server.pool.query('update hosts set store = $2 where id in (select host from sandboxes where task_id = $1)', [
      uuid,
      store,
    ]);
    await server.app.recover();
    expect(await readdir(join(server.dataDir, 'snapshots'))).toEqual([]);
    expect((await agora.sandbox.provision(id)).data).toMatchObject({ status: 'ready', snapshotAt });
    expect((await agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    await agora.tasks.fail(id, { reason: 'The test is over' });
  });
});

test('what a server left in its data directory before it had a bucket is moved there when it starts', async () => {
  const store = await readFile(join(server.dataDir, 'store-id'), 'utf8');
  const working = await here();
  const delivering = await here();
  for (const { id, agora } of [working, delivering])
    await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
  await pass(server, server.config.SANDBOX_LIFETIME_MS);
  const [kept, left] = await Promise.all(
    [working, delivering].map(async ({ uuid }) => {
      const named = 'delete from kept_workspaces where task_id = $1 returning object_id as id';
      const [{ id }] = (await server.pool.query(named, [uuid])).rows;
      return (await readWhole(server.app.objects, `workspaces/${id}`)) as Buffer;
    }),
  );
  await writeFile(join(server.dataDir, 'workspaces', working.uuid), kept as Buffer);
  await writeFile(join(server.dataDir, 'workspaces', newUuid(server.clock)), 'of nobody');
  await writeFile(join(server.dataDir, 'deliveries', delivering.uuid), left as Buffer);
  const now = server.clock.now().toISOString();
  const item = { taskId: delivering.uuid, agentId: toUuid('agent', delivering.pair.agent.id), at: now, gateDueAt: now };
  const held = { host: randomUUID(), store, workspaceBytes: (left as Buffer).length };
  const output = { result: 'It says fixed' };
  await server.pool.query('select * from tasks_deliver($1::json)', [JSON.stringify([{ ...item, ...held, output }])]);

  await server.app.recover();
  for (const kind of ['workspaces', 'deliveries']) expect(await readdir(join(server.dataDir, kind))).toEqual([]);
  await pass(server, 0);
  await delivering.expectPassed();
  await working.deliver();
  await working.expectPassed();
});

test('nothing stays in the bucket that nobody needs: of deliveries in the end, of what no row names after an hour', async () => {
  const others = await objects();
  const { id, agora, deliver, expectPassed } = await here();
  await agora.sandbox.exec(id, { command: 'echo fixed > state.txt' });
  await deliver();
  await expectPassed();
  const stray = `workspaces/${newUuid(server.clock)}`;
  await server.app.objects.put(stray, Buffer.from('left by a crash before its row was written'));
  await pass(server, minute);
  const own = (await objects()).filter((key) => !others.includes(key));
  expect(own).toHaveLength(2);
  expect(own).toContain(stray);
  await pass(server, 24 * hour);
  await pass(server, minute);
  expect((await objects()).filter((key) => own.includes(key))).toEqual([]);
});
