import { Agora } from '@agora-market/sdk';
import { afterAll, expect, test } from 'vitest';
import { createSandboxDriver, type Sandbox, SandboxError } from '../../src/sandbox/index.ts';
import {
  hireAndStart,
  makePair,
  type Pair,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

/** An agent that hinders its workspace from being taken out harms nobody but itself. */

const server = serverForFile();
const apps: SecondApp[] = [];
type Started = { agora: Agora; id: string };
afterAll(async () => {
  for (const { app } of apps) await app.close();
});

/** Stops whatever the agent of the sandbox starts to read files, as soon as it is there. */
const hinder = `
import os, signal
own = {os.getpid()}
while True:
    for name in os.listdir('/proc'):
        if not name.isdigit() or int(name) in own: continue
        try:
            fields = open(f'/proc/{name}/stat').read().rpartition(')')[2].split()
            if fields[1] == '1' and 'agent' in open(f'/proc/{name}/comm').read() and name != '1':
                os.kill(int(name), signal.SIGSTOP)
        except OSError: pass
`;

test('a delivery whose export is hindered from inside still succeeds and delays nobody', async () => {
  const [pair, other] = [await makePair(server), await makePair(server)];
  const hindered = await Promise.all([1, 2].map(() => hireAndStart(pair)));
  const { sandbox, tasks } = pair.agent.agora;
  for (const { id } of hindered) {
    await sandbox.write(id, { path: 'work.txt', content: 'done' });
    await sandbox.write(id, { path: '/tmp/hinder.py', content: hinder });
    await sandbox.startProcess(id, { command: 'python3 /tmp/hinder.py' });
  }
  const honest = await hireAndStart(other);
  await other.agent.agora.sandbox.write(honest.id, { path: 'work.txt', content: 'done' });
  const all = [...hindered.map(({ id }) => [tasks, id] as const), [other.agent.agora.tasks, honest.id] as const];
  const done = await Promise.all(all.map(([of, id]) => of.complete(id, { output: { result: 'Done as asked' } })));
  for (const { status } of done) expect(['completed', 'quality_check']).toContain(status);
});

/** A server whose sandboxes do some things otherwise, and a task of the pair that its agent has started there. */
async function startedWhere(spoil: (real: Sandbox) => Partial<Sandbox>, pairs: Pair[]) {
  const driver = createSandboxDriver({ driver: 'auto', installationId: `slow-export-${process.pid}-${apps.length}` });
  const create = async (...args: Parameters<typeof driver.create>) => {
    const real = await driver.create(...args);
    const spoiled = spoil(real);
    return new Proxy(real, {
      get: (target, key) => {
        const value = spoiled[key as keyof Sandbox] ?? Reflect.get(target, key);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
  };
  const second = await startSecondApp(server, {
    driver: { ...driver, name: driver.name, probe: () => driver.probe(), reclaim: () => driver.reclaim(), create },
  });
  apps.push(second);
  return Promise.all(
    pairs.map(async (pair) => {
      const agora = new Agora({ baseUrl: second.url, agentKey: pair.agent.key, maxRetries: 0 });
      const { id } = await hireAndStart({ ...pair, agent: { ...pair.agent, agora } });
      await agora.sandbox.exec(id, { command: 'echo done > work.txt' });
      return { agora, id };
    }),
  );
}

const timedOut = () => new SandboxError('TIMED_OUT', '/workspace took too long.');

test('a workspace that cannot be exported in time is 503; the task and its processes continue', async () => {
  let isSlow = true;
  const spoil = (real: Sandbox): Partial<Sandbox> => ({
    exportWorkspace: async (...bounds) => {
      if (isSlow) throw timedOut();
      return real.exportWorkspace(...bounds);
    },
  });
  const [{ agora, id }] = (await startedWhere(spoil, [await makePair(server)])) as [Started];
  const deliver = () => agora.tasks.complete(id, { output: { result: 'Done as asked' } });
  const refusal = await deliver().catch((error) => error);
  expect(refusal).toMatchObject({ status: 503, code: 'SANDBOX_UNAVAILABLE', details: { reason: 'export_timed_out' } });
  expect(refusal.message).toContain('Nothing was delivered');
  expect((await agora.tasks.get(id)).status).toBe('executing');
  expect(await refusalOf(agora.sandbox.exec(id, { command: 'cat work.txt' }))).toBe('no refusal');
  isSlow = false;
  expect(['completed', 'quality_check']).toContain((await deliver()).status);
});

test.each<[string, (started: Started) => Promise<unknown>]>([
  ['a delivery', ({ agora, id }) => agora.tasks.complete(id, { output: { result: 'Done as asked' } })],
  ['a command', ({ agora, id }) => agora.sandbox.exec(id, { command: 'echo late' })],
])('%s whose task fails while its sandbox is at work is refused for the state of the task', async (_, late) => {
  let fail: () => Promise<unknown> = async () => {};
  const spoil = (real: Sandbox): Partial<Sandbox> => ({
    exportWorkspace: (...bounds) => fail().then(() => real.exportWorkspace(...bounds)),
    exec: (request) => fail().then(() => real.exec(request)),
  });
  const [started] = (await startedWhere(spoil, [await makePair(server)])) as [Started];
  fail = () => started.agora.tasks.fail(started.id, { reason: 'cannot' });
  expect(await refusalOf(late(started))).toBe('409 TASK_WRONG_STATE');
});

test('a diff stalled from inside delays only its own owner, is 503, and works once resumed', async () => {
  const held = new Map<Sandbox, () => void>();
  let isStalling = true;
  const spoil = (real: Sandbox): Partial<Sandbox> => ({
    snapshot: async (bounds) => {
      if (isStalling) {
        await new Promise<void>((resolve) => held.set(real, resolve));
        throw timedOut();
      }
      return real.snapshot(bounds);
    },
  });
  const pairs = [await makePair(server), await makePair(server)];
  const [staller, honest] = (await startedWhere(spoil, pairs)) as [Started, Started];
  const order: string[] = [];
  const diffOf = ({ agora, id }: Started, name: string) =>
    agora.sandbox
      .diff(id)
      .then(({ data }) => data.files.map(({ path }) => path))
      .catch((error) => error)
      .finally(() => order.push(name));
  const stalled = diffOf(staller, 'stalled');
  while (held.size === 0) await new Promise((resolve) => setTimeout(resolve, 10));
  isStalling = false;
  const behind = diffOf(staller, 'behind it');
  for (const name of ['first', 'second']) expect(await diffOf(honest, name)).toEqual(['work.txt']);
  expect(order).toEqual(['first', 'second']);
  for (const letGo of held.values()) letGo();
  expect(await stalled).toMatchObject({ status: 503, code: 'SANDBOX_UNAVAILABLE' });
  expect(await behind).toEqual(['work.txt']);
  expect(await refusalOf(staller.agora.sandbox.exec(staller.id, { command: 'cat work.txt' }))).toBe('no refusal');
});
