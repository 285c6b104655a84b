import { describe, expect, test } from 'vitest';
import { subHire } from '../support/sub-hire.ts';
import { goodOutput, hire, hireAndPass, hireAndStart, makePair, minute, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

type Party = Awaited<ReturnType<typeof makePair>>;

/** The whole audit trail of a task, and the notes among it. */
async function trailOf(pair: Party, taskId: string) {
  const types: string[] = [];
  const notes: unknown[] = [];
  for await (const event of pair.buyer.agora.tasks.events(taskId, { pageSize: 100 })) {
    types.push(event.eventType);
    if (event.eventType === 'task.progressed') notes.push(event.data);
  }
  return { types, notes };
}

describe('progress notes', () => {
  test('stand in the audit trail and in the streams of both parties, in their place', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const note = await pair.agent.agora.tasks.progress(id, { percent: 25, message: ' Read the code ' });
    expect(note).toEqual({
      eventId: expect.stringMatching(/^evt_/),
      percent: 25,
      message: 'Read the code',
      createdAt: server.clock.now().toISOString(),
      notesLeft: 499,
    });
    expect(await pair.agent.agora.tasks.progress(id, { message: 'Only words' })).toMatchObject({ percent: null });
    expect(await pair.agent.agora.tasks.progress(id, { percent: 0 })).toMatchObject({ message: null, notesLeft: 497 });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });

    const { data } = await pair.buyer.agora.tasks.events(id, { pageSize: 100 });
    expect(data.map((event) => event.eventType).slice(3, 8)).toEqual([
      ...['task.started', 'task.progressed', 'task.progressed', 'task.progressed', 'task.delivered'],
    ]);
    const noted = data.find((event) => event.eventId === note.eventId);
    expect(noted?.data).toEqual({ percent: 25, message: 'Read the code' });
    expect(noted?.metadata.correlationId).toBe(data[0]?.metadata.correlationId);
    for (const party of [pair.buyer.agora, pair.agent.agora]) {
      const shown: unknown[] = [];
      for await (const event of party.tasks.stream(id)) if (event.event === 'progress') shown.push(event.data);
      expect(shown).toEqual([
        { percent: 25, message: 'Read the code' },
        { percent: null, message: 'Only words' },
        { percent: 0, message: null },
      ]);
    }
  });

  test('come from the assigned agent alone, and only while it executes', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const post = (taskId = id) => refusalOf(pair.agent.agora.tasks.progress(taskId, { percent: 1 }));
    expect(await post()).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    const other = await pair.seller.agent();
    expect(await refusalOf(other.agora.tasks.progress(id, { percent: 1 }))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(pair.buyer.agora.tasks.progress(id, { percent: 1 }))).toBe('401 MISSING_CREDENTIALS');
    expect(await post()).toBe('no refusal');
    expect(await post((await hireAndPass(pair)).id)).toBe('409 TASK_WRONG_STATE');
    expect(await post('tsk_01jxyz3k9mf5t8v2q7h4n6p0rs')).toBe('404 TASK_NOT_FOUND');
    // Whoever submitted by its agent is a party, but not the one that works.
    const hiring = await pair.buyer.agent();
    const sub = await subHire(hiring.agora, {
      ...{ taskType: 'general', maxBudget: 1000, input: {}, agentId: pair.agent.id },
    });
    await pair.agent.agora.tasks.start(sub.id, { sandboxId: 'x' });
    expect(await refusalOf(hiring.agora.tasks.progress(sub.id, { percent: 1 }))).toBe('403 NOT_A_PARTY');
  });

  test.each([
    {},
    { percent: -1 },
    { percent: 101 },
    { percent: 1.5 },
    { message: '' },
    { message: '  ' },
    { message: 'x'.repeat(2001) },
    { percent: 1, more: 1 },
    { percent: '1' },
  ])('refuses %j', async (body) => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(pair.agent.agora.tasks.progress(id, body as { percent: number }))).toBe(
      '400 VALIDATION_ERROR',
    );
  });

  test('above thirty in a minute are refused with the time to wait, however many come at once', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const post = () => pair.agent.agora.tasks.progress(id, { message: 'again' });
    const outcomes = await Promise.all(Array.from({ length: 45 }, () => refusalOf(post())));
    expect(outcomes.filter((each) => each === 'no refusal')).toHaveLength(30);
    expect(outcomes.filter((each) => each === '429 RATE_LIMITED')).toHaveLength(15);
    server.clock.advance(20_000);
    await expect(post()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 40 });
    server.clock.advance(40_000);
    expect((await post()).notesLeft).toBe(469);
    expect((await trailOf(pair, id)).notes).toHaveLength(31);
  });

  test('are five hundred at most; the refused ones change nothing, and the work goes on', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { deadlineMinutes: 60 });
    const expected: unknown[] = [];
    for (let nth = 0; nth < 500; nth += 25) {
      server.clock.advance(minute);
      for (let at = nth; at < nth + 25; at++) {
        await pair.agent.agora.tasks.progress(id, { percent: at % 101 });
        expected.push({ percent: at % 101, message: null });
      }
    }
    server.clock.advance(minute);
    expect(await refusalOf(pair.agent.agora.tasks.progress(id, { percent: 1 }))).toBe('409 PROGRESS_LIMIT_REACHED');
    expect((await trailOf(pair, id)).notes).toEqual(expected);
    expect((await pair.agent.agora.tasks.complete(id, { output: goodOutput })).status).toBe('completed');
  });

  test('never follow the delivery that they race with', async () => {
    const pair = await makePair(server);
    for (let round = 0; round < 5; round++) {
      const { id } = await hireAndStart(pair);
      const notes = Array.from({ length: 10 }, () => refusalOf(pair.agent.agora.tasks.progress(id, { percent: 9 })));
      await pair.agent.agora.tasks.complete(id, { output: goodOutput });
      const taken = (await Promise.all(notes)).filter((each) => each === 'no refusal').length;
      const { types } = await trailOf(pair, id);
      expect(types.filter((type) => type === 'task.progressed')).toHaveLength(taken);
      expect(types.lastIndexOf('task.progressed')).toBeLessThan(types.indexOf('task.delivered'));
    }
  });

  test('are posted once under one key, and a refusal for haste is not kept with it', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const post = (idempotencyKey: string) =>
      pair.agent.agora.tasks.progress(id, { message: 'once' }, { idempotencyKey });
    expect(await post('one')).toEqual(await post('one'));
    for (let nth = 0; nth < 29; nth++) await post(`more-${nth}`);
    expect(await refusalOf(post('late'))).toBe('429 RATE_LIMITED');
    server.clock.advance(minute);
    expect(await refusalOf(post('late'))).toBe('no refusal');
    expect((await trailOf(pair, id)).notes).toHaveLength(31);
  });
});
