import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { apiPrefix, operations, toUuid } from '@agora-market/contract';
import { Agora } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { killAgents } from '../support/sandbox/kill-agents.ts';
import { type Peer, shared, startPeer } from './peer.ts';
import { hireToFix, makePair, minute, refusalOf, serverForFile } from './scene.ts';
import { sendLines } from './send-lines.ts';

/** Calls about a sandbox come in at any server, and are answered as that would answer them which has it. */

const server = serverForFile({ config: { ...shared, SNAPSHOT_MS: 5 * minute } });
let peer: Peer;
beforeAll(async () => {
  peer = await startPeer(server);
});
afterAll(() => peer?.close());

/** An agent's task as it is used through the first server and through the other one. */
async function executing() {
  const { pair, id } = await hireToFix(server);
  const at = (url: string) => new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
  return { pair, id, here: at(server.url), there: at(peer.url) };
}

describe('a sandbox that another server has', () => {
  test('can be used and read through any server', async () => {
    const { id, here, there } = await executing();
    await here.sandbox.exec(id, { command: 'echo one > state.txt' });
    expect((await there.sandbox.exec(id, { command: 'cat state.txt; echo two >> state.txt' })).data).toMatchObject({
      stdout: 'one\n',
      exitCode: 0,
    });
    await there.sandbox.write(id, { path: 'more.txt', content: 'more' });
    expect((await here.sandbox.exec(id, { command: 'cat state.txt more.txt' })).data.stdout).toBe('one\ntwo\nmore');
    expect((await there.sandbox.read(id, { path: 'more.txt' })).data.content).toBe('more');
    expect((await there.sandbox.list(id)).data.entries.map(({ name }) => name).sort()).toEqual([
      'more.txt',
      'state.txt',
    ]);
    expect(await there.sandbox.get(id)).toEqual(await here.sandbox.get(id));
    expect((await there.sandbox.provision(id)).data.sandboxId).toBe((await here.sandbox.get(id)).data.sandboxId);
    const { processId } = (await there.sandbox.startProcess(id, { command: 'echo on; sleep 60' })).data;
    expect((await here.sandbox.listProcesses(id)).data.processes).toMatchObject([{ processId, state: 'running' }]);
    expect((await there.sandbox.killProcess(id, processId)).data).toMatchObject({ killed: true });
    expect((await there.sandbox.diff(id)).data.files.map(({ path }) => path).sort()).toEqual(['more.txt', 'state.txt']);
    const { rows } = await server.pool.query(`select count(*)::int as n from sandboxes where status = 'ready'`);
    expect(rows).toEqual([{ n: 1 }]);
    await there.sandbox.destroy(id);
    expect((await here.sandbox.get(id)).data.status).toBe('destroyed');
  });

  test('refuses in the same words through any server', async () => {
    const { id, here, there } = await executing();
    await here.sandbox.list(id);
    const stranger = await makePair(server);
    const foreign = new Agora({ baseUrl: peer.url, agentKey: stranger.agent.key, maxRetries: 0 });
    expect(await refusalOf(foreign.sandbox.exec(id, { command: 'id' }))).toBe('403 NOT_A_PARTY');
    for (const agora of [here, there]) {
      expect(await refusalOf(agora.sandbox.read(id, { path: 'none' }))).toBe('404 FILE_NOT_FOUND');
      expect(await refusalOf(agora.sandbox.read(id, { path: '../../etc/passwd' }))).toBe('400 INVALID_PATH');
      expect(await refusalOf(agora.sandbox.resume(id))).toBe('409 SANDBOX_NOT_PAUSED');
      expect(await refusalOf(agora.sandbox.destroy(id, { sandboxId: 'another' }))).toBe('409 SANDBOX_MISMATCH');
    }
  });

  test('answers a repeated request once, whichever server it comes to', async () => {
    const { id, here, there } = await executing();
    await here.sandbox.list(id);
    const key = { idempotencyKey: `once-${id}` };
    const first = await there.sandbox.exec(id, { command: 'echo x >> count; wc -l < count' }, key);
    expect(first.data.stdout.trim()).toBe('1');
    const again = { command: 'echo x >> count; wc -l < count' };
    expect(await here.sandbox.exec(id, again, key)).toEqual(first);
    expect(await there.sandbox.exec(id, again, key)).toEqual(first);
    expect((await here.sandbox.exec(id, { command: 'wc -l < count' })).data.stdout.trim()).toBe('1');
  });

  test('streams a command through any server as it comes, and ends it when its reader goes', async () => {
    const { id, here, there } = await executing();
    await here.sandbox.list(id);
    const seen: string[] = [];
    const command = 'echo first; while [ ! -e go ]; do sleep 0.05; done; echo last';
    for await (const event of there.sandbox.execStream(id, { command })) {
      if (event.event === 'stdout') seen.push(event.text ?? '');
      // It has come before the command has ended.
      if (seen.length === 1 && event.event === 'stdout') await here.sandbox.write(id, { path: 'go', content: '' });
      if (event.event === 'exit') seen.push(`exit ${event.data.exitCode}`);
    }
    expect(seen.join('')).toBe('first\nlast\nexit 0');
    const gone = new AbortController();
    const reading = (async () => {
      const endless = 'while :; do date +%s%N > beat; echo x; sleep 0.05; done';
      for await (const _ of there.sandbox.execStream(id, { command: endless }, { signal: gone.signal })) gone.abort();
    })();
    await reading.catch(() => undefined);
    const beat = async () => (await here.sandbox.exec(id, { command: 'cat beat; sleep 0.3; cat beat' })).data.stdout;
    await expect
      .poll(
        async () => {
          const [one, two] = (await beat()).split('\n');
          return one === two;
        },
        { timeout: 15_000 },
      )
      .toBe(true);
  });
});

test('a delivery at any server takes the work along, and its artifacts are had from any', async () => {
  for (const place of ['here', 'there'] as const) {
    const at = await executing();
    const { id, pair, here } = at;
    await here.sandbox.exec(id, { command: 'echo fixed > state.txt; mkdir -p output; echo made > output/made.txt' });
    const key = { idempotencyKey: `deliver-${id}` };
    const done = await at[place].tasks.complete(id, { output: { result: 'It says fixed' } }, key);
    expect(done.status).toBe('completed');
    expect(
      await at[place === 'here' ? 'there' : 'here'].tasks.complete(id, { output: { result: 'It says fixed' } }, key),
    ).toEqual(done);
    const { criteria } = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
    for (const url of [server.url, peer.url]) {
      const buyer = new Agora({ baseUrl: url, ownerToken: pair.buyer.token, maxRetries: 0 });
      const [artifact] = (await buyer.artifacts.list(id)).data;
      const response = await fetch(`${url}/api/v1/tasks/${id}/artifacts/${artifact!.id}/content`, {
        headers: { authorization: `Bearer ${pair.buyer.token}` },
      });
      expect([response.status, await response.text(), response.headers.get('content-length')]).toEqual([
        200,
        'made\n',
        '5',
      ]);
      expect(response.headers.get('content-disposition')).toContain('made.txt');
      expect((await buyer.tasks.changes(id)).data).toMatchObject([{ path: 'state.txt' }]);
      expect(await (await buyer.tasks.patch(id)).text()).toContain('+fixed');
      expect(await (await buyer.tasks.workspace(id)).text()).toContain('state.txt');
    }
    server.clock.advance(10 * minute + 1);
    const { id: disputed } = await pair.buyer.agora.tasks.dispute(id, { reason: 'It says fixed, and is not' });
    for (const baseUrl of [server.url, peer.url]) {
      const buyer = new Agora({ baseUrl, ownerToken: pair.buyer.token, maxRetries: 0 });
      expect((await buyer.courts.disputedWork(disputed)).patch?.text).toContain('+fixed');
    }
  }
});

test('a sandbox that was only looked into is delivered through another server as through its own', async () => {
  const { id, here, there, pair } = await executing();
  await here.sandbox.list(id);
  const done = await there.tasks.complete(id, { output: { result: 'x' } });
  const { criteria } = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
  expect(done.status).toBe('failed');
  expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 0 }));
});

test('a call to a server that is suspended is cut when that is taken for dead, and its work is lost', async () => {
  const { id, here, there } = await executing();
  await here.sandbox.exec(id, { command: 'echo mine > state.txt' });
  let asked = 0;
  // As a suspended process does: the system takes the connection, and nobody answers.
  const suspended = createServer(() => void asked++).listen(0, '127.0.0.1');
  onTestFinished(() => {
    suspended.closeAllConnections();
    suspended.close();
  });
  await once(suspended, 'listening');
  const address = `http://127.0.0.1:${(suspended.address() as AddressInfo).port}`;
  await server.pool.query(
    `with held as (
       insert into hosts select gen_random_uuid(), gen_random_uuid(), 'another', $2, secret_mark, objects_mark, now(), 1, now()
       from hosts where ended_at is null limit 1 returning id
     ) update sandboxes set host = held.id from held where task_id = $1`,
    [toUuid('task', id), address],
  );
  const call = refusalOf(there.sandbox.exec(id, { command: 'cat state.txt' }));
  await expect.poll(() => asked).toBe(1);
  expect(await call).toBe('503 NOT_READY');
  expect(await refusalOf(there.sandbox.exec(id, { command: 'cat state.txt' }))).toBe('409 SANDBOX_LOST');
});

test('work kept by another server is gone on with there', async () => {
  const { id, here, there } = await executing();
  await here.sandbox.exec(id, { command: 'echo kept > state.txt' });
  server.clock.advance(server.config.SANDBOX_LIFETIME_MS);
  await server.app.sweep();
  expect((await there.sandbox.get(id)).data.status).toBe('kept');
  expect((await there.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('kept\n');
  expect((await here.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('kept\n');
});

test('work that another server has a snapshot of is gone on with there', async () => {
  const { id, here, there } = await executing();
  await here.sandbox.exec(id, { command: 'echo stored > state.txt' });
  server.clock.advance(5 * minute);
  await server.app.sweep();
  const snapshotAt = server.clock.now().toISOString();
  killAgents(`agora/test-${process.pid}-`);
  await expect.poll(async () => (await there.sandbox.get(id)).data).toMatchObject({ status: 'lost', snapshotAt });
  const refused = there.sandbox.exec(id, { command: 'true' });
  await expect(refused).rejects.toMatchObject({ code: 'SANDBOX_LOST', details: { snapshotAt } });
  expect((await there.sandbox.provision(id)).data).toMatchObject({ status: 'ready', snapshotAt });
  expect((await there.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('stored\n');
  const { rows } = await server.pool.query('select distinct host from sandboxes where task_id = $1', [
    toUuid('task', id),
  ]);
  expect(rows).toHaveLength(1);
});

test('both servers sign receipts with the same key', async () => {
  const keyOf = async (url: string) => (await fetch(url + apiPrefix + operations['tasks.receiptKey'].path)).text();
  expect(await keyOf(peer.url)).toBe(await keyOf(server.url));
});

test('strangers find nothing where servers speak to each other', async () => {
  const body = JSON.stringify({ caller: { kind: 'agent', agentId: 'x' }, params: {}, query: {}, body: {} });
  const ask = (type: string, headers = {}) =>
    fetch(`${server.url}/peers/sandbox.exec`, { method: 'POST', body, headers: { 'content-type': type, ...headers } });
  const signature = {
    'x-agora-to': 'x',
    'x-agora-at': String(Date.now()),
    'x-agora-nonce': 'n',
    'x-agora-body': 'b',
    'x-agora-signature': 's',
  };
  for (const response of [await ask('application/x-agora-call'), await ask('application/x-agora-call', signature)]) {
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ error: { code: 'ROUTE_NOT_FOUND' } });
  }
  // The body never comes, so that only a server that does not wait for it can answer.
  const head = Object.entries({ host: 'x', 'content-type': 'application/x-agora-call', ...signature });
  const unread = await sendLines(server.url, [
    'POST /peers/sandbox.exec HTTP/1.1',
    ...head.map((each) => each.join(': ')),
    `content-length: ${4 * 1024 ** 2}`,
  ]);
  expect(unread.status).toBe(404);
});
