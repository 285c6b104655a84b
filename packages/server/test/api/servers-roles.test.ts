import { apiPrefix, type OperationId, operations } from '@agora-market/contract';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bucketSettings, startBucket } from '../support/bucket.ts';
import { operatorToken } from '../support/harness.ts';
import { register, startReceiver } from '../webhooks/scene.ts';
import { acquainted, type Peer, shared, startPeer } from './peer.ts';
import { goodOutput, hireAndStart, hireToFix, makePair, minute, refusalOf, serverForFile } from './scene.ts';

/** One installation of three servers: the first answers, another judges and does the jobs, and the third holds sandboxes. */

let bucket: Awaited<ReturnType<typeof startBucket>>;
const config: Record<string, unknown> = {
  ...shared,
  ROLES: ['api'],
  ...bucketSettings,
  OUTBOUND_ALLOW_LOOPBACK: true,
};
beforeAll(async () => {
  bucket = await startBucket();
  // Read when the server starts, which is after this.
  config.S3_ENDPOINT = bucket.url;
});
afterAll(() => bucket.close());
const server = serverForFile({ config });
const startJudge = () => startPeer(server, { ROLES: ['gate', 'webhooks', 'jobs'] });
let judge: Peer;
let holder: Peer;
beforeAll(async () => {
  judge = await startJudge();
  holder = await startPeer(server, { ROLES: ['sandboxes'] });
  for (const { app } of [server, judge, holder]) app.startJobs();
  await acquainted(server);
});
afterAll(async () => {
  await judge?.close();
  await holder?.close();
});

const addressOf = async (sql: string, ...values: unknown[]): Promise<string> =>
  (await server.pool.query(`select h.address from hosts h where h.id in (${sql})`, values)).rows[0]?.address;

/** A task whose agent has begun to work. */
async function working() {
  const { pair, id, uuid } = await hireToFix(server);
  const { sandbox } = pair.agent.agora;
  await expect.poll(() => refusalOf(sandbox.exec(id, { command: 'echo fixed > state.txt' }))).toBe('no refusal');
  return { ...pair, id, uuid };
}

const path = (id: OperationId) => apiPrefix + operations[id].path;

describe('servers with roles', () => {
  test('do a whole task together: the sandbox, the verdict in the reply, the webhook and the payment', async () => {
    const receiver = await startReceiver();
    onTestFinished(() => receiver.close());
    const { agent, buyer, id, uuid } = await working();
    await register(agent, receiver, { events: ['task_completed'] });
    expect(await addressOf('select host from sandboxes where task_id = $1', uuid)).toBe(holder.url);
    expect((await agent.agora.sandbox.exec(id, { command: 'cat state.txt' })).data.stdout).toBe('fixed\n');
    const done = await agent.agora.tasks.complete(id, { output: { result: 'It says fixed' } });
    expect(done.status).toBe('completed');
    const { criteria } = await buyer.agora.courts.getAssessment(done.assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
    await expect.poll(() => receiver.seen.map(({ body }) => body.includes(id))).toEqual([true]);
    const wallet = () => agent.agora.vault.getWallet();
    expect(await wallet()).toMatchObject({ available: 0, escrowed: 850 });
    server.clock.advance(20 * minute);
    await expect.poll(async () => (await wallet()).available).toBe(850);
  });

  test('judge a delivery without a workspace where it does not arrive, and say so in the reply', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    expect(await pair.agent.agora.tasks.complete(id, { output: goodOutput })).toMatchObject({ status: 'completed' });
    const { id: other } = await hireAndStart(pair);
    expect(await pair.agent.agora.tasks.complete(other, { output: {} })).toMatchObject({ status: 'failed' });
  });

  test('run a dry run where there is a judge', async () => {
    const { agora } = await server.owner();
    const input = { description: 'x', acceptance: { checks: [{ name: 'passes', command: 'true' }] } };
    const tried = () => agora.tasks.tryChecks({ input });
    await expect.poll(() => refusalOf(tried())).toBe('no refusal');
    expect((await tried()).checks).toMatchObject([{ name: 'passes' }]);
  });

  test('show the environments of those that have sandboxes', async () => {
    const listed = () => server.client().system.environments();
    await expect.poll(() => refusalOf(listed())).toBe('no refusal');
    expect((await listed()).tools.length).toBeGreaterThan(0);
    const { sandbox } = await server.client().system.ready();
    expect(sandbox).toMatchObject({ available: true, detail: expect.stringContaining('at other servers') });
  });

  test('answer to users only where they are to', async () => {
    for (const { url } of [judge, holder]) {
      expect((await fetch(url + path('system.health'))).status).toBe(200);
      expect((await fetch(url + path('system.ready'))).status).toBe(200);
      for (const other of [path('tasks.list'), '/', '/mcp', '/a2a', '/docs', '/llms.txt'])
        expect([other, (await fetch(url + other)).status]).toEqual([other, 404]);
    }
  });

  test('wait for the one that is missing, which the figures tell, and go on when there is one again', async () => {
    const { agent, id, buyer } = await working();
    await judge.close();
    const servers = async () => {
      const headers = { authorization: `Bearer ${operatorToken}` };
      const text = await (await fetch(server.url + path('system.metrics'), { headers })).text();
      return text.split('\n').filter((line) => line.startsWith('agora_servers{'));
    };
    expect((await servers()).sort()).toEqual([
      'agora_servers{role="api"} 1',
      'agora_servers{role="gate"} 0',
      'agora_servers{role="jobs"} 0',
      'agora_servers{role="sandboxes"} 1',
      'agora_servers{role="webhooks"} 0',
    ]);
    let replied = '';
    const delivered = agent.agora.tasks.complete(id, { output: { result: 'It says fixed' } }).then((reply) => {
      replied = reply.status;
    });
    const status = async () => (await buyer.agora.tasks.get(id)).status;
    await expect.poll(status).toBe('quality_check');
    // Its caller waits for so long at most.
    const waited = () => {
      server.clock.advance(5_000);
      return replied;
    };
    await expect.poll(waited).toBe('quality_check');
    await delivered;
    judge = await startJudge();
    judge.app.startJobs();
    await expect.poll(status).toBe('completed');
  });

  /** What the log says of who is answerable, after the agent has blamed the platform. */
  async function blamed({ agent, buyer, id }: Awaited<ReturnType<typeof working>>) {
    await agent.agora.tasks.fail(id, { reason: 'The server did not answer', cause: 'platform' });
    const { data } = await buyer.agora.tasks.events(id);
    return data.at(-1)?.data;
  }

  test('excuse no agent that hangs up on a call that was passed on', async () => {
    server.clock.advance(60 * minute);
    const work = await working();
    const off = new AbortController();
    const { sandbox } = work.agent.agora;
    const hung = refusalOf(sandbox.exec(work.id, { command: 'touch begun; sleep 60' }, { signal: off.signal }));
    await expect.poll(() => refusalOf(sandbox.read(work.id, { path: 'begun' }))).toBe('no refusal');
    off.abort();
    await hung;
    expect(await blamed(work)).toMatchObject({ answerable: 'agent' });
  });

  test('blame no agent while none of them has sandboxes', async () => {
    server.clock.advance(60 * minute);
    const work = await working();
    await holder.close();
    const { sandbox } = work.agent.agora;
    await expect.poll(() => refusalOf(sandbox.exec(work.id, { command: 'true' }))).toMatch(/NOT_READY/);
    expect(await blamed(work)).toMatchObject({ answerable: 'platform' });
    await expect
      .poll(async () => (await server.client().system.ready()).sandbox)
      .toMatchObject({ available: false, detail: 'no server that has sandboxes is at work' });
  });
});
