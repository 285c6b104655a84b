import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AgoraError } from '@agora-market/sdk';
import { expect, onTestFinished, test } from 'vitest';
import { createSandboxDriver, type Sandbox } from '../../src/sandbox/index.ts';
import { killAgents } from '../support/sandbox/kill-agents.ts';
import {
  hireToFix,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

/** A sandbox that ends by itself takes no more of the work with it than was done since the last snapshot. */

const mebibyte = 1024 ** 2;
const every = 5 * minute;
const server = serverForFile({ config: { SNAPSHOT_MS: every, SANDBOX_KEEP_BYTES: 8 * mebibyte } });

async function executing(parties: Partial<Pair> = {}, url?: string) {
  const { pair, id, uuid } = await hireToFix(server, parties);
  const agora = url === undefined ? pair.agent.agora : pair.agent.agora.withOptions({ baseUrl: url });
  const { sandbox, tasks } = agora;
  onTestFinished(() =>
    tasks.fail(id, { reason: 'The test is over' }).then(
      () => {},
      () => {},
    ),
  );
  return {
    ...{ pair, id, uuid, sandbox, tasks },
    run: async (command: string) => (await sandbox.exec(id, { command })).data.stdout,
    state: async () => {
      const { status, snapshotAt } = (await sandbox.get(id)).data;
      return [status, snapshotAt];
    },
    exists: (path: string) =>
      expect
        .poll(() =>
          sandbox
            .read(id, { path })
            .then(() => true)
            .catch(() => false),
        )
        .toBe(true),
    complete: () => tasks.complete(id, { output: { result: 'The file says fixed now' } }),
  };
}

type At = Awaited<ReturnType<typeof executing>>;

const onDisk = (kind = 'snapshots') => readdir(join(server.dataDir, kind));
const now = () => server.clock.now().toISOString();

/** Ends every sandbox of this server as crashes of them would. */
async function crash(at: At) {
  killAgents(`agora/test-${process.pid}-`);
  await expect.poll(async () => (await at.state())[0]).toBe('lost');
}

/** What a refusal tells of the snapshot. */
const toldOf = async (call: Promise<unknown>) => {
  const refusal = await call.catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(AgoraError);
  const { code, details } = refusal as AgoraError;
  return [code, details.snapshotAt];
};

test('the next sandbox of a crashed one has the work of the last snapshot, and its agent learns of when that is', async () => {
  const at = await executing();
  await at.run('echo fixed > state.txt; echo x > /tmp/gone');
  await pass(server, every - 1);
  expect([await at.state(), await onDisk()]).toEqual([['ready', null], []]);
  await pass(server, 1);
  const taken = now();
  expect([await at.state(), await onDisk()]).toEqual([['ready', taken], [at.uuid]]);
  await at.sandbox.write(at.id, { path: 'late.txt', content: 'since then' });
  await crash(at);
  expect(await at.state()).toEqual(['lost', taken]);
  const { sandbox, id } = at;
  for (const call of [() => at.run('true'), () => sandbox.read(id, { path: 'state.txt' }), () => at.complete()])
    expect(await toldOf(call())).toEqual(['SANDBOX_LOST', taken]);
  expect((await sandbox.provision(id)).data).toMatchObject({ status: 'ready', snapshotAt: taken });
  expect(await at.run('cat state.txt /input/state.txt; ls; ls /tmp')).toBe('fixed\nbroken\nstate.txt\n');
  // Should this one crash as well, the snapshot is still there.
  await crash(at);
  expect(await at.state()).toEqual(['lost', taken]);
  await sandbox.provision(id);
  expect(await at.complete()).toMatchObject({ status: 'completed' });
  expect(await onDisk()).toEqual([]);
});

test('a snapshot is taken of what has changed and of nothing else, and takes the place of the one before', async () => {
  const at = await executing();
  await at.run('echo 1 > n');
  await pass(server, every);
  const first = now();
  await at.sandbox.list(at.id);
  await pass(server, every);
  expect(await at.state()).toEqual(['ready', first]);
  await at.sandbox.write(at.id, { path: 'n', content: '2' });
  await pass(server, every - 1);
  expect(await at.state()).toEqual(['ready', first]);
  await pass(server, 1);
  expect(await at.state()).toEqual(['ready', now()]);
  // What runs changes something all the time.
  await at.sandbox.startProcess(at.id, { command: 'sleep 600' });
  await pass(server, every);
  await pass(server, every);
  expect(await at.state()).toEqual(['ready', now()]);
  expect(await onDisk()).toEqual([at.uuid]);
  await crash(at);
  await at.sandbox.provision(at.id);
  expect(await at.run('cat n')).toBe('2');
});

test('a command that runs meanwhile goes on, and one that comes meanwhile is not refused', async () => {
  const at = await executing();
  const counting = at.run('touch begun; until [ -e enough ]; do sleep 0.01; done; echo counted');
  await at.exists('begun');
  server.clock.advance(every);
  const commands = Array.from({ length: 20 }, (_, n) => at.run(`echo ${n}`));
  await server.app.sweep();
  expect(await Promise.all(commands)).toEqual(Array.from({ length: 20 }, (_, n) => `${n}\n`));
  await at.run('touch enough');
  expect(await counting).toBe('counted\n');
  expect((await at.state())[1]).toBe(now());
});

test('an agent that destroys the sandbox begins anew from the files of the buyer, and nothing is left stored', async () => {
  const at = await executing();
  await at.run('echo fixed > state.txt');
  await pass(server, every);
  await crash(at);
  await at.sandbox.destroy(at.id);
  expect([await at.state(), await onDisk()]).toEqual([['destroyed', null], []]);
  expect((await at.sandbox.provision(at.id)).data.snapshotAt).toBeNull();
  expect(await at.run('cat state.txt')).toBe('broken\n');
});

test('work that was kept at the end of a lifetime has a snapshot soon after it is gone on with', async () => {
  const at = await executing();
  await at.run('echo fixed > state.txt');
  await pass(server, server.config.SANDBOX_LIFETIME_MS);
  expect([await at.state(), await onDisk(), await onDisk('workspaces')]).toEqual([['kept', null], [], [at.uuid]]);
  await at.run('echo worse > state.txt');
  const reopened = now();
  await server.app.sweep();
  expect([await at.state(), await onDisk(), await onDisk('workspaces')]).toEqual([['ready', reopened], [at.uuid], []]);
  await crash(at);
  expect(await at.state()).toEqual(['lost', reopened]);
  await at.sandbox.provision(at.id);
  expect(await at.run('cat state.txt')).toBe('worse\n');
});

test('a workspace that cannot be taken out leaves the snapshot before it', async () => {
  const at = await executing();
  await at.run('echo small > state.txt');
  await pass(server, every);
  const taken = now();
  await at.run("mkdir -p $(printf 'd/%.0s' $(seq 210))");
  await pass(server, every);
  expect(await at.state()).toEqual(['ready', taken]);
  await at.run('rm -r d');
  await pass(server, every);
  expect(await at.state()).toEqual(['ready', now()]);
});

test('if all snapshots are too large, the owner with most loses some, and its agents can begin anew', async () => {
  const { seller } = await makePair(server);
  const storedBy = async (parties?: Partial<Pair>) => {
    const at = await executing(parties);
    await at.run('head -c 3000000 /dev/urandom > work');
    await pass(server, every);
    return at;
  };
  const other = await storedBy();
  const own = [];
  for (let n = 0; n < 2; n++) own.push(await storedBy({ seller, agent: await seller.agent() }));
  expect((await onDisk()).sort()).toEqual([other.uuid, own[1]!.uuid].sort());
  const [first] = own as [At, At];
  await crash(first);
  expect(await first.state()).toEqual(['lost', null]);
  expect(await toldOf(first.run('true'))).toEqual(['SANDBOX_LOST', undefined]);
  expect((await first.sandbox.provision(first.id)).data.snapshotAt).toBeNull();
  expect(await first.run('cat state.txt')).toBe('broken\n');
  expect((await other.sandbox.provision(other.id)).data.status).toBe('ready');
  expect(await other.run('wc -c < work')).toBe('3000000\n');
});

/** Another process, whose cluster says before that it takes a sandbox away. */
async function announcing(): Promise<SecondApp & { announce(): void }> {
  const driver = createSandboxDriver({ driver: 'auto', installationId: `announcing-${process.pid}` });
  const endings: AbortController[] = [];
  const announced: typeof driver = Object.assign(Object.create(driver), {
    async create(...given: Parameters<typeof driver.create>): Promise<Sandbox> {
      const ending = new AbortController();
      endings.push(ending);
      return Object.assign(await driver.create(...given), { ending: ending.signal });
    },
  });
  const second = await startSecondApp(server, { driver: announced });
  onTestFinished(() => second.app.close());
  const announce = () => {
    for (const ending of endings.splice(0)) ending.abort();
  };
  return { ...second, announce };
}

test('the work of a sandbox whose end is announced is kept, all of it, and goes on in the next one', async () => {
  const second = await announcing();
  const at = await executing({}, second.url);
  await at.run('echo fixed > state.txt');
  const waiting = refusalOf(at.run('touch begun; sleep 600'));
  await at.exists('begun');
  second.announce();
  expect(await waiting).toBe('503 SANDBOX_UNAVAILABLE');
  await expect.poll(at.state).toEqual(['kept', null]);
  expect(await at.complete()).toMatchObject({ status: 'completed' });
});
