import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findAgents } from '../../src/sandbox/bwrap/owner.ts';
import {
  hireAndStart,
  hireToFix,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
  startSecondApp,
} from './scene.ts';

/** The work in a sandbox outlives it where it ends in order; where it cannot, nobody takes it for work never done. */

const mebibyte = 1024 ** 2;
const server = serverForFile({ config: { SANDBOX_KEEP_BYTES: 8 * mebibyte } });
const lifetime = () => server.config.SANDBOX_LIFETIME_MS;

async function executing(parties: Partial<Pair> = {}) {
  const { pair, id, uuid } = await hireToFix(server, parties);
  const { sandbox, tasks } = pair.agent.agora;
  onTestFinished(() =>
    tasks.fail(id, { reason: 'The test is over' }).then(
      () => {},
      () => {},
    ),
  );
  const run = async (command: string) => (await sandbox.exec(id, { command })).data.stdout;
  const status = async () => (await sandbox.get(id)).data.status;
  const complete = () => tasks.complete(id, { output: { result: 'The file says fixed now' } });
  return { pair, id, uuid, sandbox, tasks, run, status, complete };
}

type At = Awaited<ReturnType<typeof executing>>;

const onDisk = () => readdir(join(server.dataDir, 'workspaces'));

async function rowsOf({ uuid }: At) {
  const { rows } = await server.pool.query(
    'select status, worked_at is not null as worked from sandboxes where task_id = $1 order by id',
    [uuid],
  );
  return rows.map(({ status, worked }) => `${status}${worked ? ', worked in' : ''}`);
}

/** Ends the sandbox as a crash of it would. */
async function crash(at: At) {
  const [agent] = findAgents(`agora/test-${process.pid}-`);
  process.kill(agent?.pid as number, 'SIGKILL');
  await expect.poll(at.status).not.toBe('ready');
}

describe('at the end of its lifetime', () => {
  test('the next sandbox has the kept work, read-only inputs and a new lifetime', async () => {
    const at = await executing();
    await at.run('echo fixed > state.txt; mkdir -p deep/er; echo x > /tmp/gone; sleep 999 &');
    const before = (await at.sandbox.get(at.id)).data;
    await pass(server, lifetime());
    expect(await at.status()).toBe('kept');
    expect(await onDisk()).toEqual([at.uuid]);
    expect(await at.run('cat state.txt /input/state.txt; ls -d deep/er; ls /tmp; touch /input/x 2>&1 | wc -l')).toBe(
      'fixed\nbroken\ndeep/er\n1\n',
    );
    const after = (await at.sandbox.get(at.id)).data;
    expect(after.status).toBe('ready');
    expect(Date.parse(after.expiresAt as string) - Date.parse(before.expiresAt as string)).toBe(lifetime());
    expect(await onDisk()).toEqual([]);
    expect((await at.sandbox.diff(at.id)).data.files.map(({ path }) => path)).toContain('state.txt');
    // The next end keeps it as well, what was added since included.
    await at.sandbox.write(at.id, { path: 'more.txt', content: 'more' });
    await pass(server, lifetime());
    expect(await at.run('cat state.txt more.txt')).toBe('fixed\nmore');
    expect(await at.complete()).toMatchObject({ status: 'completed' });
    expect(await rowsOf(at)).toEqual(['kept, worked in', 'kept, worked in', 'destroyed, worked in']);
    expect(await onDisk()).toEqual([]);
  });

  test('work that nobody came back to is delivered as it was kept, without another sandbox', async () => {
    const at = await executing();
    await at.run('echo fixed > state.txt; mkdir output; echo it > output/r.txt');
    await pass(server, lifetime());
    const done = await at.complete();
    expect(done).toMatchObject({ status: 'completed' });
    const { criteria } = await at.pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: fixed', score: 100 }));
    expect(await rowsOf(at)).toEqual(['kept, worked in']);
    expect(await at.status()).toBe('destroyed');
    await expect.poll(onDisk).toEqual([]);
  });

  test('a sandbox that was only looked into ends, and the next use finds the buyer’s files', async () => {
    const at = await executing();
    await at.sandbox.list(at.id);
    await pass(server, lifetime());
    expect([await at.status(), await onDisk(), await rowsOf(at)]).toEqual(['destroyed', [], ['destroyed']]);
    expect(await at.run('cat state.txt')).toBe('broken\n');
  });

  test('a file written while the sandbox ends is kept or refused, never acknowledged and lost', async () => {
    const at = await executing();
    await at.run('true');
    const names = Array.from({ length: 40 }, (_, index) => `f${index}`);
    const writes = names.map((path) => at.sandbox.write(at.id, { path, content: 'x'.repeat(50_000) }).then(() => path));
    await pass(server, lifetime());
    const acknowledged = (await Promise.allSettled(writes)).flatMap((each) =>
      each.status === 'fulfilled' ? [each.value] : [],
    );
    const found = (await at.run('ls')).split('\n');
    expect(acknowledged.filter((name) => !found.includes(name))).toEqual([]);
  });

  test('the end of the task removes its kept workspace', async () => {
    const at = await executing();
    await at.run('echo fixed > state.txt');
    await pass(server, lifetime());
    expect(await onDisk()).toEqual([at.uuid]);
    await at.tasks.fail(at.id, { reason: 'enough' });
    expect(await onDisk()).toEqual([]);
  });
});

const losses: [string, (at: At) => Promise<unknown>][] = [
  ['a crash', crash],
  [
    'a lifetime at whose end it was too large to be kept',
    async ({ run }) => {
      await run('head -c 9000000 /dev/urandom > large');
      await pass(server, lifetime());
    },
  ],
];

describe.each(losses)('work lost by %s', (_how, lose) => {
  test('every use reports the loss until the agent provisions again; then everything works', async () => {
    const at = await executing();
    const { sandbox, id } = at;
    await at.run('echo fixed > state.txt');
    await lose(at);
    expect(await at.status()).toBe('lost');
    const path = 'state.txt';
    const uses = {
      exec: () => sandbox.exec(id, { command: 'true' }, { idempotencyKey: 'the same' }),
      write: () => sandbox.write(id, { path, content: 'x' }),
      read: () => sandbox.read(id, { path }),
      list: () => sandbox.list(id),
      diff: () => sandbox.diff(id),
      startProcess: () => sandbox.startProcess(id, { command: 'true' }),
      complete: at.complete,
    };
    for (const use of Object.values(uses)) expect(await refusalOf(use())).toBe('409 SANDBOX_LOST');
    expect(await at.status()).toBe('lost');
    expect((await at.pair.buyer.agora.tasks.get(id)).status).toBe('executing');
    expect((await sandbox.provision(id)).data.status).toBe('ready');
    expect((await uses.exec()).data.exitCode).toBe(0);
    expect(await at.run('cat state.txt; echo fixed > state.txt')).toBe('broken\n');
    expect(await at.complete()).toMatchObject({ status: 'completed' });
  });

  test('is given up by an agent that destroys the sandbox; it can then deliver without', async () => {
    const at = await executing();
    await at.run('echo fixed > state.txt');
    await lose(at);
    await at.sandbox.destroy(at.id);
    expect(await at.status()).toBe('destroyed');
    // Its check runs over the buyer's files.
    expect(await at.complete()).toMatchObject({ status: 'failed' });
    expect(await rowsOf(at)).toEqual(['destroyed, worked in']);
  });
});

test('if all kept work is too large, the owner with most loses some, however small the parts', async () => {
  const { seller } = await makePair(server);
  const keptBy = async (mebibytes: number, parties?: Partial<Pair>) => {
    const at = await executing(parties);
    await at.run(`head -c ${mebibytes * 1_000_000} /dev/urandom > work`);
    await pass(server, lifetime());
    return at;
  };
  const others = await keptBy(3);
  const own = [];
  for (let count = 0; count < 4; count++) own.push(await keptBy(2, { seller, agent: await seller.agent() }));
  const statuses = await Promise.all([others, ...own].map((at) => at.status()));
  expect(statuses).toEqual(['kept', 'lost', 'lost', 'kept', 'kept']);
  expect((await onDisk()).sort()).toEqual([others.uuid, ...own.slice(2).map(({ uuid }) => uuid)].sort());
  expect(await others.run('wc -c < work')).toBe('3000000\n');
  expect(await refusalOf((own[0] as At).run('true'))).toBe('409 SANDBOX_LOST');
});

test('an agent that destroys its sandbox gives up the kept work', async () => {
  const at = await executing();
  await at.run('echo fixed > state.txt');
  await pass(server, lifetime());
  await at.sandbox.destroy(at.id);
  expect([await at.status(), await onDisk()]).toEqual(['destroyed', []]);
  expect(await at.run('cat state.txt')).toBe('broken\n');
  await pass(server, minute);
  expect(await at.status()).toBe('ready');
});

test('another process goes on with what one has kept; the first then has nothing to deliver', async () => {
  const at = await executing();
  const other = await startSecondApp(server);
  onTestFinished(() => other.app.close());
  const there = at.pair.agent.agora.withOptions({ baseUrl: other.url });
  await at.run('echo fixed > state.txt');
  await pass(server, lifetime());
  const { data } = await there.sandbox.exec(at.id, { command: 'cat state.txt; echo more >> state.txt' });
  expect(data.stdout).toBe('fixed\n');
  // With the pause after which to come back, which clients heed for as long as they outlast an outage.
  await expect(at.complete()).rejects.toMatchObject({ status: 503, code: 'NOT_READY', retryAfterSeconds: 1 });
  expect(await there.tasks.complete(at.id, { output: { result: 'It says fixed' } })).toMatchObject({
    status: 'completed',
  });
});

test('a delivery without checks is refused too, because the gate would assess a missing workspace', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const { sandbox, tasks } = pair.agent.agora;
  await sandbox.exec(id, { command: 'mkdir output; echo it > output/r.txt' });
  process.kill(findAgents(`agora/test-${process.pid}-`)[0]?.pid as number, 'SIGKILL');
  await expect.poll(async () => (await sandbox.get(id)).data.status).toBe('lost');
  const complete = () => tasks.complete(id, { output: { result: 'See output/r.txt' } });
  expect(await refusalOf(complete())).toBe('409 SANDBOX_LOST');
  await sandbox.provision(id);
  expect((await complete()).status).toBe('completed');
});
