import { Agora, type Task } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import { ledgerLock } from '../../src/platform/index.ts';
import {
  goodOutput,
  hire,
  hireAndStart,
  loseReplies,
  makePair,
  type Pair,
  refusalOf,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();

test('a command under a key is left to the process that runs it, however long, unless that process died', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const idempotencyKey = 'once';
  const command = 'echo ran >> runs; sleep 3; wc -l < runs';
  const silence = `update idempotency_keys set alive_at = alive_at - interval '11 s'`;
  const isSilent = `select 1 from idempotency_keys where reply is null and alive_at < $1::timestamptz - interval '9 s'`;
  const silent = async () => (await server.pool.query(isSilent, [server.clock.now()])).rowCount;
  const first = pair.agent.agora.sandbox.exec(id, { command }, { idempotencyKey });
  await expect.poll(async () => (await server.pool.query(`${silence} where reply is null`)).rowCount).toBe(1);
  await expect.poll(silent).toBe(0);
  const { app, url } = await startSecondApp(server);
  try {
    const second = new Agora({ baseUrl: url, agentKey: pair.agent.key, maxRetries: 0 });
    expect(await second.sandbox.exec(id, { command }, { idempotencyKey })).toEqual(await first);
  } finally {
    await app.close();
  }
  expect((await first).data.stdout).toBe('1\n');
  await server.pool.query(`${silence}, reply = null where alive_at = (select max(alive_at) from idempotency_keys)`);
  const again = await pair.agent.agora.sandbox.exec(id, { command }, { idempotencyKey });
  expect(again.data.stdout).toBe('2\n');
});

/** Sends requests while no step can be written, one after the other, so that each passes its rules before any is written. */
async function meet<T>(...requests: { send(): Promise<T>; hasArrived(waiting: number): Promise<boolean> | boolean }[]) {
  const blocker = await server.pool.connect();
  const inQueue = `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database())`;
  try {
    await blocker.query('begin');
    await blocker.query(ledgerLock);
    const sent: Promise<T>[] = [];
    for (const { send, hasArrived } of requests) {
      sent.push(send());
      await expect.poll(async () => hasArrived((await blocker.query(inQueue)).rows[0].n)).toBe(true);
    }
    await blocker.query('commit');
    return await Promise.allSettled(sent);
  } finally {
    blocker.release(true);
  }
}

/** Every reply is lost between the commit and its storing, as where a process dies there. */
async function losingReplies<T>(work: () => Promise<T>): Promise<T> {
  await server.pool.query(`create function lose() returns trigger language plpgsql as 'begin raise exception ''lost''; end';
    create trigger lose before insert or update on idempotency_keys for each row when (new.reply is not null)
    execute function lose()`);
  try {
    return await work();
  } finally {
    await server.pool.query('drop function lose cascade');
  }
}

const asAgent = ({ agent }: Pair, baseUrl: string) => new Agora({ baseUrl, agentKey: agent.key, maxRetries: 0 });

test('a refused step whose reply was lost is refused again, even if the task ended as it would have', async () => {
  const pair = await makePair(server);
  const { id } = await hireAndStart(pair);
  const said = ({ tasks }: Agora) => ({
    complete: () => tasks.complete(id, { output: {} }, { idempotencyKey: 'complete' }),
    fail: () => tasks.fail(id, { reason: 'cannot' }, { idempotencyKey: 'fail' }),
  });
  const { app, url } = await startSecondApp(server);
  try {
    const dying = asAgent(pair, url);
    const { complete, fail } = said(dying);
    const answers = await losingReplies(() =>
      meet<Task>(
        { send: complete, hasArrived: (waiting) => waiting === 1 },
        // It waits behind the other in its process; what is asked later and takes as many look-ups is not faster.
        { send: fail, hasArrived: async () => (await dying.tasks.get(id)).id === id },
      ),
    );
    for (const each of answers) expect(each).toMatchObject({ status: 'rejected', reason: { status: 500 } });
  } finally {
    await app.close();
  }
  await loseReplies(server);
  const { complete, fail } = said(pair.agent.agora);
  expect(await refusalOf(fail())).toBe('409 TASK_WRONG_STATE');
  expect(await complete()).toMatchObject({ id, status: 'failed', qualityScore: expect.any(Number) });
  expect(await refusalOf(fail())).toBe('409 TASK_WRONG_STATE');
});

test('twins of a step in two processes get one answer, whichever made the change', async () => {
  const pair = await makePair(server);
  const { app, url } = await startSecondApp(server);
  try {
    const [here, there] = [asAgent(pair, server.url), asAgent(pair, url)];
    for (const step of ['start', 'fail', 'complete', 'decline'] as const) {
      const task = step === 'start' || step === 'decline' ? await hire(pair) : await hireAndStart(pair);
      const idempotencyKey = `twin-${step}`;
      const say = (agora: Agora) => (): Promise<object> =>
        ({
          start: () => agora.tasks.start(task.id, { sandboxId: 'x' }, { idempotencyKey }),
          fail: () => agora.tasks.fail(task.id, { reason: 'cannot' }, { idempotencyKey }),
          complete: () => agora.tasks.complete(task.id, { output: { result: 'y' } }, { idempotencyKey }),
          decline: () => agora.tasks.decline(task.id, {}, { idempotencyKey }),
        })[step]();
      const answers = await meet<object>(
        { send: say(here), hasArrived: (waiting) => waiting === 1 },
        { send: say(there), hasArrived: (waiting) => waiting === 2 },
      );
      expect([step, answers.map(({ status }) => status)]).toEqual([step, ['fulfilled', 'fulfilled']]);
      const [one, other] = answers.map((each) => (each as PromiseFulfilledResult<object>).value);
      expect(other).toEqual(one);
    }
  } finally {
    await app.close();
  }
});

test('a twin that was refused while another made the change answers as that one did', async () => {
  const owner = await server.owner();
  const capabilities = [{ category: 'general' as const, tags: [] }];
  const register = (agora: Agora, idempotencyKey?: string) =>
    agora.agents.register(
      { displayName: 'Twin', framework: 'custom', capabilities },
      idempotencyKey === undefined ? {} : { idempotencyKey },
    );
  const agents = await Promise.all(Array.from({ length: 10 }, () => register(owner.agora)));
  const { app, url } = await startSecondApp(server);
  const blocker = await server.pool.connect();
  // A refusal is kept in a transaction of its own; it waits before that until the other twin is through.
  await server.pool.query(`create function wait_for_twin() returns trigger language plpgsql as $$ begin
      if not exists (select from idempotency_keys k where k.id = new.id) then perform pg_advisory_xact_lock(77); end if;
      return new; end $$;
    create trigger wait_for_twin before insert on idempotency_keys for each row when (new.reply is not null)
    execute function wait_for_twin()`);
  try {
    await blocker.query('select pg_advisory_lock(77)');
    const refused = register(new Agora({ baseUrl: url, ownerToken: owner.token, maxRetries: 0 }), 'twin');
    const waiting = `select count(*)::int as n from pg_locks where locktype = 'advisory' and not granted and objid = 77`;
    await expect.poll(async () => (await blocker.query(waiting)).rows[0].n).toBe(1);
    await owner.agora.agents.deactivate(agents[0]?.agent.id as string);
    const made = await register(owner.agora, 'twin');
    await blocker.query('select pg_advisory_unlock(77)');
    expect(await refused).toEqual(made);
  } finally {
    blocker.release(true);
    await server.pool.query('drop function wait_for_twin cascade');
    await app.close();
  }
});

test('a twin of a delivery waits for the verdict that the first one waits for', async () => {
  const pair = await makePair(server);
  const checks = [{ name: 'slow', command: 'sleep 1.5' }];
  const { id } = await hireAndStart(pair, { input: { acceptance: { checks } } });
  const { app, url } = await startSecondApp(server);
  const complete = (baseUrl: string) =>
    asAgent(pair, baseUrl).tasks.complete(id, { output: goodOutput }, { idempotencyKey: 'delivery' });
  try {
    const first = complete(server.url);
    await expect.poll(async () => (await pair.agent.agora.tasks.get(id)).status).toBe('quality_check');
    const twin = await complete(url);
    expect(twin).toMatchObject({ status: 'completed', creditsCharged: 1000 });
    expect(await first).toEqual(twin);
    expect(await complete(url)).toEqual(twin);
  } finally {
    await app.close();
  }
});
