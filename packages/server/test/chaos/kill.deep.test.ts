import { randomUUID } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { lookInto, postmaster } from './look.ts';
import { createInstallation, type Installation } from './server-process.ts';
import { type Buyer, createBuyer, createSeller, follows, type Seller, startTraffic, type Traffic } from './traffic.ts';

/**
 * The server and PostgreSQL are killed in the middle of their work. Nothing that was acknowledged may be lost, and
 * nothing may stay stuck: not a task, not a hold, not a sandbox.
 */

let server: Installation;
let buyers: Buyer[];
let sellers: Seller[];

beforeAll(async () => {
  // Those that stand ready would be counted too.
  server = await createInstallation({ SANDBOX_WARM: '0', SNAPSHOT_MS: '1000' });
  await server.start();
  buyers = await Promise.all([1, 2, 3].map(() => createBuyer(server, 1_000_000)));
  sellers = await Promise.all([1, 2, 3, 4].map(() => createSeller(server)));
});
afterAll(async () => {
  await server?.remove();
});
afterEach(async (context) => {
  if (context.task.result?.state === 'fail') console.error(server.log().slice(-4000));
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const killTimes = Number(process.env.CHAOS_KILLS ?? 3);

const query = <R extends QueryResultRow>(text: string) => lookInto(server, (ask) => ask<R>(text));

/** Everything that was acknowledged is there, ended, and the books are in order. */
async function expectNothingLost(traffic: Traffic) {
  expect(traffic.crashes).toEqual([]);
  expect(traffic.acknowledged.size).toBeGreaterThan(20);
  for (const known of traffic.acknowledged.values()) {
    const { body } = await server.request('GET', `/tasks/${known.taskId}`, { token: known.buyer.token });
    expect({ id: known.taskId, follows: follows(known.status, body.status), now: body.status }).toMatchObject({
      follows: true,
    });
    if (known.output !== null) expect(body.output).toEqual({ result: known.output });
    if (known.feedback !== null) expect(body.feedback.direction).toBe(known.feedback);
    if (known.refunded) expect(body.status).toBe('refunded');
  }
  const found = await query(`select
    (select count(*)::int from tasks where status not in ('completed', 'failed', 'refunded')) as open,
    (select coalesce(sum(balance), 0)::int from ledger_accounts where kind = 'pool_held') as held,
    (select count(*)::int from sandboxes where status in ('provisioning', 'ready', 'draining')) as sandboxes`);
  expect(found[0]).toMatchObject({ open: 0, held: 0, sandboxes: 0 });
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
  await until(
    'the reader of the log is at its end',
    async () => {
      const [{ behind }] = (await query<{ behind: number }>(
        `select (select max(seq) from events) - coalesce((select seq from outbox_readers where name = 'registry.reputation'), 0) as behind`,
      )) as [{ behind: number }];
      return Number(behind) === 0;
    },
    60_000,
  );
  expect(await server.command('recompute-reputation')).toMatchObject({ code: 0 });
}

/** A task whose buyer checks for a file in the workspace, on its way to `executing`. */
async function checkedTask(command: string) {
  const [buyer, seller] = [buyers[0]!, sellers[0]!];
  const made = await server.request('POST', '/tasks', {
    token: buyer.token,
    body: {
      taskType: 'general',
      maxBudget: 1000,
      agentId: seller.agentId,
      input: {
        description: 'Leave done.txt',
        files: { 'given.txt': 'from the buyer' },
        acceptance: { checks: [{ name: 'left', command }] },
      },
    },
  });
  const path = `/tasks/${made.body.id}`;
  const agent = { key: seller.key };
  expect((await server.request('POST', `${path}/executing`, { ...agent, body: { sandboxId: 'mine' } })).status).toBe(
    200,
  );
  const exec = async (line: string) =>
    (await server.request('POST', `${path}/sandbox/exec`, { ...agent, body: { command: line } })).body;
  const provision = async () => (await server.request('POST', `${path}/sandbox/provision`, agent)).body;
  return {
    path,
    agent,
    buyer,
    exec,
    provision,
    statusNow: async () => (await server.request('GET', path, agent)).body.status,
  };
}

test('a server killed again and again under load loses nothing acknowledged, and every task comes to its end', async () => {
  const traffic = startTraffic(server, buyers, sellers, 24);
  for (let kill = 0; kill < killTimes; kill++) {
    await sleep(500 + 400 * kill);
    await server.end('SIGKILL');
    await server.start();
  }
  await sleep(300);
  await traffic.finish();
  expect(traffic.interruptions).toBeGreaterThan(0);
  await expectNothingLost(traffic);
});

test('work delivered just before the kill is judged over the delivered workspace', async () => {
  const task = await checkedTask('sleep 1.5; grep -q finished done.txt');
  expect(await task.exec('echo finished > done.txt; cat given.txt')).toMatchObject({
    data: { stdout: 'from the buyer' },
  });
  const completing = server.request('POST', `${task.path}/complete`, {
    ...task.agent,
    body: { output: { result: 'x' } },
  });
  completing.catch(() => undefined);
  await until('the task is delivered', async () => (await task.statusNow()) === 'quality_check');
  await server.end('SIGKILL');
  await expect(completing).rejects.toThrow();
  await server.start();
  await until('the gate has judged it', async () => (await task.statusNow()) !== 'quality_check', 15_000);
  const { body } = await server.request('GET', task.path, task.agent);
  expect(body).toMatchObject({ status: 'completed', creditsCharged: 700 });
  const assessment = await server.request('GET', `/courts/assessments/${body.assessmentId}`, task.agent);
  const left = assessment.body.criteria.find((each: { name: string }) => each.name.includes('left'));
  expect(left).toMatchObject({ score: 100 });
});

test('attempts whose verdicts came just before the kill are decided after the next start, and one is paid', async () => {
  const [buyer] = buyers as [Buyer];
  const input = { description: 'Say something' };
  const made = await server.request('POST', '/tasks', {
    token: buyer.token,
    body: { taskType: 'general', maxBudget: 1000, attempts: 3, input },
  });
  expect(made.status).toBe(201);
  const groupOf = async () =>
    (await server.request('GET', `/tasks/groups/${made.body.group.groupId}`, { token: buyer.token })).body;
  for (const { taskId, agentId } of (await groupOf()).attempts) {
    const agent = { key: sellers.find((each) => each.agentId === agentId)?.key as string };
    await server.request('POST', `/tasks/${taskId}/executing`, { ...agent, body: { sandboxId: 'own' } });
    await server.request('POST', `/tasks/${taskId}/complete`, {
      ...agent,
      body: { output: { result: `By ${taskId}` } },
    });
  }
  await server.end('SIGKILL');
  await server.start();
  await until('the attempts are decided', async () => (await groupOf()).status === 'decided', 15_000);
  const { attempts, selectedTaskId } = await groupOf();
  expect(attempts.map(({ outcome }: { outcome: string }) => outcome).sort()).toEqual([
    'not_selected',
    'not_selected',
    'selected',
  ]);
  const charged = attempts.filter(({ creditsCharged }: { creditsCharged: number }) => creditsCharged > 0);
  expect(charged).toMatchObject([{ taskId: selectedTaskId, creditsCharged: 700 }]);
  expect(await server.command('verify-ledger')).toMatchObject({ code: 0 });
});

test('an agent that lost its work by the kill gets an error, provisions again and continues; the old sandbox is gone', async () => {
  const task = await checkedTask('grep -q again done.txt');
  await task.exec('echo first > done.txt; sleep 7531 &');
  const stored = async () => (await server.request('GET', `${task.path}/sandbox`, task.agent)).body.data.snapshotAt;
  await until('the work is stored', async () => (await stored()) !== null);
  expect(server.sandboxes()).toBeGreaterThan(0);
  await server.end('SIGKILL');
  await until('the sandboxes of the dead server are gone', () => server.sandboxes() === 0);
  await server.start();
  const rows = await query<{ n: number }>(
    `select count(*)::int as n from sandboxes where status in ('provisioning', 'ready', 'draining')`,
  );
  expect(rows[0]?.n).toBe(0);
  expect(await task.statusNow()).toBe('executing');
  const lost = { error: { code: 'SANDBOX_LOST', details: { snapshotAt: expect.any(String) } } };
  const complete = () =>
    server.request('POST', `${task.path}/complete`, { ...task.agent, body: { output: { result: 'x' } } });
  expect(await task.exec('ls')).toMatchObject(lost);
  expect(await complete()).toMatchObject({ status: 409, body: lost });
  expect(await task.provision()).toMatchObject({ data: { status: 'ready', snapshotAt: expect.any(String) } });
  expect(await task.exec('cat done.txt given.txt')).toMatchObject({ data: { stdout: 'first\nfrom the buyer' } });
  await task.exec('echo again > done.txt');
  expect((await complete()).status).toBe(200);
  // The reply waits 5 s for the verdict, which a busy machine may not give by then.
  await until('its work is paid', async () => (await task.statusNow()) === 'completed', 60_000);
  await until('its sandbox ends with it', () => server.sandboxes() === 0, 60_000);
});

test('a command that the kill cut off runs when it is asked for again, under the same key', async () => {
  const task = await checkedTask('true');
  const command = { ...task.agent, idempotencyKey: randomUUID(), body: { command: 'sleep 1; echo finished' } };
  const ask = () => server.request('POST', `${task.path}/sandbox/exec`, command);
  const cut = ask();
  cut.catch(() => undefined);
  const claims = () => query('select 1 from idempotency_keys where reply is null and alive_at is not null');
  await until('the command is claimed', async () => (await claims()).length > 0);
  await server.end('SIGKILL');
  await expect(cut).rejects.toThrow();
  await server.start();
  // Whether it had begun, the kill decides; where it had, what it did is gone.
  const first = await ask();
  if (first.status === 409) {
    expect(first.body).toMatchObject({ error: { code: 'SANDBOX_LOST' } });
    await task.provision();
  }
  expect(first.status === 409 ? await ask() : first).toMatchObject({
    status: 200,
    body: { data: { stdout: 'finished\n' } },
  });
  await server.request('POST', `${task.path}/fail`, { ...task.agent, body: { reason: 'enough' } });
});

test('a PostgreSQL killed under load loses nothing acknowledged, and the same server goes on', async () => {
  const traffic = startTraffic(server, buyers, sellers, 16);
  await sleep(500);
  process.kill(await postmaster(server), 'SIGKILL');
  await sleep(2_500);
  await until(
    'the server answers again',
    async () => {
      const reply = await server.request('GET', '/vault/pool', { token: buyers[0]!.token }).catch(() => null);
      return reply?.status === 200;
    },
    20_000,
  );
  // One session alone: PostgreSQL then ends all of them and recovers.
  const [backend] = await query<{ pid: number }>(
    `select pid from pg_stat_activity where application_name = 'agora' and query in ('commit', 'begin') limit 1`,
  );
  if (backend) process.kill(backend.pid, 'SIGKILL');
  await sleep(1_500);
  await traffic.finish();
  expect(traffic.interruptions).toBeGreaterThan(0);
  await expectNothingLost(traffic);
});

test('gates that ran while PostgreSQL was killed give their verdict within seconds', async () => {
  const tasks = await Promise.all(
    ['0.4', '0.8', '1.2'].map((seconds) => checkedTask(`sleep ${seconds}; test -f done.txt`)),
  );
  await Promise.all(tasks.map((task) => task.exec('touch done.txt')));
  const completing = tasks.map((task) =>
    server.request('POST', `${task.path}/complete`, { ...task.agent, body: { output: { result: 'x' } } }),
  );
  await until('all are delivered', async () => {
    const statuses = await Promise.all(tasks.map((task) => task.statusNow()));
    return statuses.every((status) => status === 'quality_check');
  });
  process.kill(await postmaster(server), 'SIGKILL');
  await Promise.allSettled(completing);
  await until(
    'all are judged',
    async () => {
      const statuses = await Promise.all(tasks.map((task) => task.statusNow().catch(() => 'away')));
      return statuses.every((status) => status === 'completed');
    },
    30_000,
  );
});

test('a stop lets requests finish, ends open streams and long polls, and exits with 0 within ten seconds', async () => {
  const task = await checkedTask('true');
  const streams = Array.from({ length: 5 }, async () => {
    const response = await fetch(`${server.url()}/api/v1${task.path}/stream`, {
      headers: { 'x-api-key': task.agent.key },
    });
    return response.text();
  });
  const poll = server.request('GET', '/tasks/assigned?wait=30', { key: sellers[1]!.key });
  const slow = task.exec('sleep 1; echo finished');
  const traffic = startTraffic(server, buyers, sellers, 16);
  await until('work is under way', () => Promise.resolve(traffic.acknowledged.size > 20));
  const begun = performance.now();
  const code = await server.end('SIGTERM');
  expect({ code, seconds: Math.floor((performance.now() - begun) / 1000) < 10 }).toEqual({ code: 0, seconds: true });
  expect(await slow).toMatchObject({ data: { stdout: 'finished\n' } });
  expect((await poll).status).toBe(200);
  for (const text of await Promise.all(streams)) expect(text).toContain('event: status');
  await server.start();
  await traffic.finish();
  await server.request('POST', `${task.path}/fail`, { ...task.agent, body: { reason: 'enough' } });
  await expectNothingLost(traffic);
});
