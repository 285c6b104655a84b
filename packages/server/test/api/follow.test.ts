import { Agora, type OwnerStreamEvent } from '@agora-market/sdk';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hire, hireAndStart, makePair, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile();

/** What an owner's stream tells, as it comes; the stream stands when this resolves. */
async function follow(agora: Agora) {
  const stream = agora.tasks.follow();
  onTestFinished(async () => void (await stream.return(undefined)));
  const next = async () => (await stream.next()).value as OwnerStreamEvent;
  expect(await next()).toMatchObject({ event: 'reset', data: {} });
  expect(await next()).toMatchObject({ event: 'notifications', data: { unread: expect.any(Number) } });
  const tasks = async () => {
    for (;;) {
      const told = await next();
      if (told.event === 'tasks') return told.data.tasks;
    }
  };
  const unread = async () => {
    for (;;) {
      const told = await next();
      if (told.event === 'notifications') return told.data.unread;
    }
  };
  return { nextTasks: () => inTime(tasks()), nextUnread: () => inTime(unread()) };
}

/** What comes while the seconds pass. */
async function inTime<T>(coming: Promise<T>): Promise<T> {
  let isHere = false;
  void coming.then(() => {
    isHere = true;
  });
  const isThere = () => {
    server.clock.advance(1_000);
    return isHere;
  };
  await expect.poll(isThere).toBe(true);
  return coming;
}

describe("an owner's stream", () => {
  test('begins with reset, and names each task that changes with its status, agent and time, those of others never', async () => {
    const [pair, others] = await Promise.all([makePair(server), makePair(server)]);
    const { nextTasks } = await follow(pair.buyer.agora);
    await hire(others);
    const { id, createdAt } = await hire(pair);
    const agentId = pair.agent.id;
    expect(await nextTasks()).toEqual([{ id, status: 'submitted', agentId, updatedAt: createdAt }]);
    const { startedAt } = await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await nextTasks()).toEqual([{ id, status: 'executing', agentId, updatedAt: startedAt }]);
  });

  test('names what its agents do for others, and no more once another has it', async () => {
    const pair = await makePair(server);
    const { nextTasks } = await follow(pair.seller.agora);
    const { id, createdAt } = await hire(pair);
    const agentId = pair.agent.id;
    expect(await nextTasks()).toEqual([{ id, status: 'submitted', agentId, updatedAt: createdAt }]);
    const { startedAt } = await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await nextTasks()).toEqual([{ id, status: 'executing', agentId, updatedAt: startedAt }]);
    await hire({ buyer: pair.buyer, agent: await (await server.owner({ credits: 0 })).agent() });
    const next = await hire({ buyer: pair.buyer, agent: await pair.seller.agent() });
    expect((await nextTasks()).map((task) => task.id)).toEqual([next.id]);
  });

  test('tells of what changes within a second together, each task once and as it then is', async () => {
    const pair = await makePair(server);
    const { nextTasks } = await follow(pair.buyer.agora);
    const { id } = await hireAndStart(pair);
    while (!(await nextTasks()).some(({ status }) => status === 'executing'));
    for (let percent = 1; percent < 10; percent++) await pair.agent.agora.tasks.progress(id, { percent });
    const others = [await hire(pair), await hire(pair), await hire(pair)];
    await pair.agent.agora.tasks.complete(id, { output: { text: 'Done, as asked, and in full.' } });
    const frames = [];
    do frames.push(await nextTasks());
    while (!frames.flat().some(({ status }) => status === 'completed'));
    // The first change may have been told at once.
    expect(frames.length).toBeLessThan(3);
    expect(
      frames
        .at(-1)
        ?.map((task) => task.id)
        .sort(),
    ).toEqual([id, ...others.map((task) => task.id)].sort());
  });

  test('tells how many notifications are unread, when one is made and when one is read', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { nextUnread } = await follow(pair.buyer.agora);
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    await server.app.sweep();
    expect(await nextUnread()).toBeGreaterThan(0);
    await pair.buyer.agora.embassy.readNotifications();
    while ((await nextUnread()) > 0);
  });

  test('tells of what happens at another server', async () => {
    const pair = await makePair(server);
    const second = await startSecondApp(server);
    onTestFinished(() => second.app.close());
    await expect.poll(() => server.app.peers()).toBe(1);
    const there = new Agora({ baseUrl: second.url, ownerToken: pair.buyer.token });
    const { nextTasks } = await follow(there);
    const { id } = await hire(pair);
    expect(await nextTasks()).toMatchObject([{ id, status: 'submitted' }]);
  });

  test('is for owners, counts among their open streams, and ends with the credential', async () => {
    const pair = await makePair(server);
    const { token, id } = await pair.buyer.agora.auth.createToken({ name: 'x' });
    const mine = server.client({ ownerToken: token });
    expect(await refusalOf(server.client().tasks.follow().next())).toBe('401 MISSING_CREDENTIALS');
    const streams = Array.from({ length: 50 }, () => mine.tasks.follow());
    await Promise.all(streams.map((stream) => stream.next()));
    expect(await refusalOf(mine.tasks.follow().next())).toBe('429 RATE_LIMITED');
    await Promise.all(streams.splice(1).map((stream) => stream.return(undefined)));
    const [last] = streams;
    await last?.next();
    await pair.buyer.agora.auth.revokeToken(id);
    const ended = refusalOf(last?.next() ?? Promise.resolve());
    await hire(pair);
    expect(await inTime(ended)).toMatch(/^401 INVALID_/);
  });
});
