import { Agora, type Task, type TaskStreamEvent } from '@agora-market/sdk';
import { afterEach, describe, expect, test } from 'vitest';
import {
  goodOutput,
  hire,
  hireAndStart,
  makePair,
  type Pair,
  refusalOf,
  type SecondApp,
  serverForFile,
  startSecondApp,
} from './scene.ts';

const server = serverForFile();
const others: SecondApp[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map(({ app }) => app.close()));
});

/** Another process of the installation that the first one knows of. */
async function secondProcess(): Promise<SecondApp> {
  const second = await startSecondApp(server);
  others.push(second);
  await expect.poll(() => [server.app.peers(), second.app.peers()]).toEqual([1, 1]);
  return second;
}

const at = ({ url }: { url: string }, credentials: { ownerToken?: string; agentKey?: string }) =>
  new Agora({ baseUrl: url, maxRetries: 0, ...credentials });

async function all(stream: AsyncIterable<TaskStreamEvent>): Promise<TaskStreamEvent[]> {
  const events: TaskStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

const refusedWith = (stream: AsyncGenerator<TaskStreamEvent>) =>
  stream.next().then(
    (next) => JSON.stringify(next),
    (error) => `${error.status} ${error.code}`,
  );

/** Lets a started task go through notes to its end. */
async function finish({ agent }: Pair, { id }: Pick<Task, 'id'>) {
  for (const percent of [10, 50, 90]) await agent.agora.tasks.progress(id, { percent, message: `At ${percent} ±%` });
  await agent.agora.tasks.complete(id, { output: goodOutput });
}

describe('two processes of one installation', () => {
  test('a stream of one process shows changes made through the other as they happen', async () => {
    const pair = await makePair(server);
    const second = await secondProcess();
    const { id } = await hire(pair);
    const stream = at(second, { ownerToken: pair.buyer.token }).tasks.stream(id);
    const next = async () => ((await stream.next()).value as TaskStreamEvent).data;
    expect(await next()).toEqual({ status: 'submitted' });
    // The clock stands still, so no heartbeat makes it look.
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await next()).toEqual({ status: 'executing' });
    await pair.agent.agora.tasks.progress(id, { percent: 50 });
    expect(await next()).toEqual({ percent: 50, message: null });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    expect([await next(), await next()]).toEqual([{ status: 'quality_check' }, { status: 'completed' }]);
    expect(await next()).toMatchObject({ output: goodOutput });
    expect((await stream.next()).done).toBe(true);
  });

  test('a long poll at the one wakes when a task is submitted at the other', async () => {
    const pair = await makePair(server);
    const second = await secondProcess();
    const polled = at(second, { agentKey: pair.agent.key }).tasks.assigned({ wait: 30 });
    await expect.poll(() => second.app.waiting()).toBe(1);
    const { id } = await hire(pair);
    expect((await polled).data.map((task) => task.id)).toEqual([id]);
  });

  test('a stream goes on at another process when its own stops, without loss or repetition', async () => {
    const pair = await makePair(server);
    const task = await hireAndStart(pair);
    let current = await secondProcess();
    const moving = new Agora({
      baseUrl: 'http://agora.test',
      ownerToken: pair.buyer.token,
      fetch: (input, init) => fetch(String(input).replace('http://agora.test', current.url), init),
    });
    const seen: TaskStreamEvent[] = [];
    const following = (async () => {
      for await (const event of moving.tasks.stream(task.id)) seen.push(event);
    })();
    for (const percent of [20, 40, 60]) {
      await expect.poll(() => seen.length).toBe(2 + (percent - 20) / 20);
      // It stops in the middle of the stream, and misses the note; its successor tells of it.
      const stopped = current;
      await Promise.all([stopped.app.close(), pair.agent.agora.tasks.progress(task.id, { percent })]);
      others.splice(others.indexOf(stopped), 1);
      current = await secondProcess();
    }
    await pair.agent.agora.tasks.complete(task.id, { output: goodOutput });
    await following;
    expect(seen).toEqual(await all(pair.buyer.agora.tasks.stream(task.id)));
    expect(seen.map((event) => event.event)).toEqual([
      ...['status', 'status', 'progress', 'progress', 'progress', 'status', 'status', 'complete'],
    ]);
  });
});

describe('resuming', () => {
  test('a stream cut after any number of bytes gives the same events, each once', async () => {
    const pair = await makePair(server);
    const task = await hireAndStart(pair);
    await finish(pair, task);
    const whole = await all(pair.buyer.agora.tasks.stream(task.id));
    const reply = await fetch(`${server.url}/api/v1/tasks/${task.id}/stream`, {
      headers: { authorization: `Bearer ${pair.buyer.token}` },
    });
    const length = (await reply.arrayBuffer()).byteLength;
    const cuts = Array.from({ length: 45 }, (_, nth) => Math.floor((nth * length) / 45));
    const resumed = await Promise.all(
      cuts.map((cut) => all(cutOnce(server.url, pair.buyer.token, cut).tasks.stream(task.id))),
    );
    for (const [nth, events] of resumed.entries()) {
      // The status of the end has no id of its own: cut between it and the last word, both are told again.
      const isBetween = events.length === whole.length + 1;
      expect(isBetween ? events.toSpliced(-2, 1) : events, `cut at ${cuts[nth]}`).toEqual(whole);
    }
  });

  test('after a cut in the end only the status is repeated, and nothing else ever', async () => {
    const pair = await makePair(server);
    const task = await hireAndStart(pair);
    await finish(pair, task);
    const events = await all(pair.buyer.agora.tasks.stream(task.id));
    for (const { id } of events.filter((event) => event.event === 'progress')) {
      const rest = await all(pair.buyer.agora.tasks.stream(task.id, { lastEventId: id as string }));
      expect(rest).toEqual(events.slice(events.findIndex((event) => event.id === id) + 1));
    }
  });
});

/** A client whose first reply ends after so many bytes. */
function cutOnce(baseUrl: string, ownerToken: string, bytes: number): Agora {
  let isFirst = true;
  return new Agora({
    baseUrl,
    ownerToken,
    async fetch(input, init) {
      const response = await fetch(input, init);
      if (!isFirst) return response;
      isFirst = false;
      const body = new Uint8Array(await response.arrayBuffer()).slice(0, bytes);
      return new Response(body, { status: response.status, headers: response.headers });
    },
  });
}

describe('a credential that is revoked', () => {
  const change = (pair: Pair, id: string) => pair.agent.agora.tasks.progress(id, { percent: 1 });

  test.each<[string, (pair: Pair) => Promise<{ stream: Agora; revoke: () => Promise<unknown>; other: Pair }>]>([
    [
      'a session that is signed out',
      async (pair) => ({
        stream: pair.buyer.agora,
        revoke: () => pair.buyer.agora.auth.signOut(),
        other: pair,
      }),
    ],
    [
      'a developer token that is deleted',
      async (pair) => {
        const { id, token } = await pair.buyer.agora.auth.createToken({ name: 'ci' });
        return {
          stream: server.client({ ownerToken: token }),
          revoke: () => pair.buyer.agora.auth.revokeToken(id),
          other: pair,
        };
      },
    ],
    [
      'a key that is rotated',
      async (pair) => {
        const rotated = { ...pair, agent: { ...pair.agent } };
        const revoke = async () => {
          const { apiKey } = await pair.seller.agora.agents.rotateKey(pair.agent.id);
          rotated.agent.agora = server.client({ agentKey: apiKey });
        };
        return { stream: pair.agent.agora, revoke, other: rotated };
      },
    ],
  ])('%s ends its streams before they tell anything more', async (_, make) => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { stream: client, revoke, other } = await make(pair);
    const stream = client.tasks.stream(id);
    await stream.next();
    await stream.next();
    await revoke();
    const next = refusedWith(stream);
    await change(other, id);
    expect(await next).toMatch(/^401 INVALID_/);
  });

  test('ends a stream that has nothing to tell at its next look, which heartbeats bring about', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const stream = pair.buyer.agora.tasks.stream(id);
    await stream.next();
    await pair.buyer.agora.auth.signOut();
    const next = refusedWith(stream);
    server.clock.advance(15_000);
    expect(await next).toBe('401 INVALID_SESSION');
  });

  test('ends a long poll without the task that woke it', async () => {
    const pair = await makePair(server);
    const before = server.app.waiting();
    const polled = pair.agent.agora.tasks.assigned({ wait: 30 }).then(
      () => 'answered',
      (error) => `${error.status} ${error.code}`,
    );
    await expect.poll(() => server.app.waiting()).toBe(before + 1);
    await pair.seller.agora.agents.rotateKey(pair.agent.id);
    await hire(pair);
    expect(await polled).toBe('401 INVALID_API_KEY');
  });
});

test('a long poll of an agent that was suspended meanwhile says so, and not that its key is wrong', async () => {
  const pair = await makePair(server);
  const tasks = [await hireAndStart(pair), await hireAndStart(pair), await hireAndStart(pair)];
  const before = server.app.waiting();
  const polled = refusalOf(pair.agent.agora.tasks.assigned({ wait: 3 }));
  await expect.poll(() => server.app.waiting()).toBe(before + 1);
  for (const { id } of tasks) await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
  server.clock.advance(3_000);
  expect(await polled).toBe('403 AGENT_SUSPENDED');
});

describe('many streams', () => {
  test('a thousand leave no listener behind when their clients have gone', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const idle = server.app.waiting();
    for (let round = 0; round < 20; round++) {
      const gone = new AbortController();
      // Fifty is what one caller may have open. They are held, for a reply that nobody holds is closed.
      const held = await Promise.all(
        Array.from({ length: 50 }, () =>
          fetch(`${server.url}/api/v1/tasks/${id}/stream`, {
            headers: { authorization: `Bearer ${pair.buyer.token}` },
            signal: gone.signal,
          }),
        ),
      );
      expect(new Set(held.map((response) => response.status))).toEqual(new Set([200]));
      await expect.poll(() => server.app.waiting()).toBe(idle + 50);
      gone.abort();
      await expect.poll(() => server.app.waiting()).toBe(idle);
    }
  });
});
