import type { TaskStreamEvent } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import {
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  makePair,
  type Pair,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();

async function all(stream: AsyncIterable<TaskStreamEvent>): Promise<TaskStreamEvent[]> {
  const events: TaskStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function readOne(stream: AsyncGenerator<TaskStreamEvent>): Promise<void> {
  await stream.next();
  await stream.return(undefined);
}

const statusesOf = (events: TaskStreamEvent[]) =>
  events.flatMap((event) => (event.event === 'status' ? [event.data.status] : []));

describe('progress stream', () => {
  test('follows a task live: each status as it happens, then complete with output and score', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const stream = pair.buyer.agora.tasks.stream(id);
    const next = async () => (await stream.next()).value as TaskStreamEvent;
    expect(await next()).toMatchObject({ event: 'status', data: { status: 'submitted' } });
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect(await next()).toMatchObject({ event: 'status', data: { status: 'executing' } });
    const output = { result: 'An answer' };
    const done = await pair.agent.agora.tasks.complete(id, { output });
    expect([await next(), await next()].map((event) => event.data)).toEqual([
      { status: 'quality_check' },
      { status: 'completed' },
    ]);
    expect(await next()).toMatchObject({ event: 'complete', data: { output, qualityScore: done.qualityScore } });
    expect((await stream.next()).done).toBe(true);
  });

  test('replays a task that has ended, and ends', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const events = await all(pair.buyer.agora.tasks.stream(id));
    expect(statusesOf(events)).toEqual(['submitted', 'executing', 'quality_check', 'completed']);
    expect(events.at(-1)?.event).toBe('complete');
    expect(events).toEqual(await all(pair.agent.agora.tasks.stream(id)));
  });

  test('ends a failed task with error', async () => {
    const pair = await makePair(server);
    const rejected = await all(pair.buyer.agora.tasks.stream((await hireAndReject(pair)).id));
    expect(statusesOf(rejected)).toEqual(['submitted', 'executing', 'quality_check', 'failed']);
    expect(rejected.at(-1)).toMatchObject({ event: 'error', data: { errorMessage: expect.any(String) } });
    const { id } = await hireAndStart(pair);
    const live = all(pair.buyer.agora.tasks.stream(id));
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    const failed = await live;
    expect(statusesOf(failed)).toEqual(['submitted', 'executing', 'failed']);
    expect(failed.at(-1)).toMatchObject({ event: 'error', data: { errorMessage: 'cannot' } });
  });

  test('says that a task was refunded, also to one that saw it completed', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const seen = await all(pair.buyer.agora.tasks.stream(id));
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    const events = await all(pair.buyer.agora.tasks.stream(id));
    expect(statusesOf(events)).toEqual(['submitted', 'executing', 'quality_check', 'completed', 'refunded']);
    expect(events.at(-1)?.event).toBe('complete');
    const lastEventId = seen.at(-1)?.id as string;
    const later = await all(pair.buyer.agora.tasks.stream(id, { lastEventId }));
    expect(statusesOf(later)).toEqual(['refunded']);
  });

  /** What the wire carries, frame by frame, to the end of the stream. */
  async function framesOf(pair: Pair, taskId: string, lastEventId?: string): Promise<string[]> {
    const response = await fetch(`${server.url}/api/v1/tasks/${taskId}/stream`, {
      headers: {
        authorization: `Bearer ${pair.buyer.token}`,
        ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      },
    });
    return (await response.text()).split('\n\n').filter((frame) => frame.includes('event: '));
  }

  const idOf = (frame: string) => frame.match(/^id: (\d+)$/m)?.[1];

  test.each(['completed', 'failed'] as const)(
    'resumes a %s task after any frame, misses none, and ends',
    async (end) => {
      const pair = await makePair(server);
      const { id } = await (end === 'completed' ? hireAndPass : hireAndReject)(pair);
      const frames = await framesOf(pair, id);
      expect(frames).toHaveLength(5);
      // The last two tell of one change: only the very last carries its id, so that a drop between them loses nothing.
      expect(frames.map((frame) => idOf(frame) !== undefined)).toEqual([true, true, true, false, true]);
      for (const [at, frame] of frames.slice(0, 3).entries()) {
        expect(await framesOf(pair, id, idOf(frame))).toEqual(frames.slice(at + 1));
      }
      expect(await framesOf(pair, id, idOf(frames[4] as string))).toEqual([frames[4]]);
    },
  );

  test('with an id beyond the end starts at the beginning, and follows the running task', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const following = framesOf(pair, id, '9007199254740991');
    await pair.agent.agora.tasks.progress(id, { percent: 40 });
    await pair.agent.agora.tasks.fail(id, { reason: 'cannot' });
    const frames = await following;
    expect(frames.map((frame) => frame.match(/^event: (.*)$/m)?.[1])).toEqual([
      'status',
      'status',
      'progress',
      'status',
      'error',
    ]);
    // One place further than the log goes is none in it either.
    expect(await framesOf(pair, id, `${Number(idOf(frames[4] as string)) + 1}`)).toEqual(frames);
  });

  test('a caller has so many open and no more, and gets room by closing one', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const streams = Array.from({ length: 50 }, () => pair.buyer.agora.tasks.stream(id));
    await Promise.all(streams.map((stream) => stream.next()));
    const oneMore = () => pair.buyer.agora.tasks.stream(id);
    expect(await refusalOf(oneMore().next())).toBe('429 RATE_LIMITED');
    const agents = pair.agent.agora.tasks.stream(id);
    expect(await refusalOf(agents.next())).toBe('no refusal');
    await Promise.all([agents, ...streams].map((stream) => stream.return(undefined)));
    await expect.poll(() => refusalOf(readOne(oneMore()))).toBe('no refusal');
  });

  test.each(['', 'nonsense', '-1', '1e99', '99999999999999999999'])(
    'takes a Last-Event-ID of %j for none',
    async (id) => {
      const pair = await makePair(server);
      const task = await hireAndPass(pair);
      const response = await fetch(`${server.url}/api/v1/tasks/${task.id}/stream`, {
        headers: { authorization: `Bearer ${pair.buyer.token}`, 'last-event-id': id },
      });
      expect(response.headers.get('content-type')).toContain('text/event-stream');
      expect((await response.text()).match(/^event: (.*)$/gm)).toHaveLength(5);
    },
  );

  test('is for the parties alone', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const stranger = await server.owner({ credits: 0 });
    expect(await refusalOf(stranger.agora.tasks.stream(id).next())).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(server.client().tasks.stream(id).next())).toBe('401 MISSING_CREDENTIALS');
  });

  test('a reader who leaves is no longer served, and the task continues', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const readers = Array.from({ length: 20 }, () => pair.buyer.agora.tasks.stream(id));
    await Promise.all(readers.map((stream) => stream.next()));
    await Promise.all(readers.map((stream) => stream.return(undefined)));
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    expect((await pair.agent.agora.tasks.complete(id, { output: { result: 'Done' } })).status).toBe('completed');
  });
});

describe('audit events', () => {
  test('all events of one task carry the correlation id of its submission', async () => {
    const pair = await makePair(server);
    const response = await fetch(`${server.url}/api/v1/tasks`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${pair.buyer.token}`,
        'content-type': 'application/json',
        'x-correlation-id': 'my-own.id:1',
      },
      body: JSON.stringify({ taskType: 'general', maxBudget: 1000, input: {}, agentId: pair.agent.id }),
    });
    expect(response.headers.get('x-correlation-id')).toBe('my-own.id:1');
    const { id } = (await response.json()) as { id: string };
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    await pair.agent.agora.tasks.complete(id, { output: { result: 'Done' } });
    await pair.buyer.agora.tasks.feedback(id, { direction: 'down' });
    const { data } = await pair.buyer.agora.tasks.events(id, { pageSize: 100 });
    expect(new Set(data.map((event) => event.metadata.correlationId))).toEqual(new Set(['my-own.id:1']));
    expect((await pair.buyer.agora.tasks.get(id)).correlationId).toBe('my-own.id:1');
    expect(data.map((event) => event.eventType)).toEqual([
      'task.submitted',
      'credits.held',
      'task.assigned',
      'task.started',
      'task.delivered',
      'credits.charged',
      'task.completed',
      'feedback.received',
      'credits.refunded',
      'task.refunded',
    ]);
    for (const event of data) {
      expect(event).toMatchObject({
        eventId: expect.stringMatching(/^evt_/),
        sourceDistrict: expect.stringMatching(/^(tasks|vault)$/),
        timestamp: server.clock.now().toISOString(),
      });
    }
    const walked: string[] = [];
    for await (const event of pair.buyer.agora.tasks.events(id, { pageSize: 3 })) walked.push(event.eventId);
    expect(walked).toEqual(data.map((event) => event.eventId));
  });

  test.each(['two words', 'x'.repeat(101), 'a/b', '<script>'])('a correlation id of %j is replaced', async (given) => {
    const response = await fetch(`${server.url}/api/v1/health`, { headers: { 'x-correlation-id': given } });
    expect(response.headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
  });
});
