import type { TaskStreamEvent } from '@agora/sdk';
import { describe, expect, test } from 'vitest';
import { hire, hireAndPass, hireAndReject, hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();

async function all(stream: AsyncIterable<TaskStreamEvent>): Promise<TaskStreamEvent[]> {
  const events: TaskStreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
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

  test('resumes after Last-Event-ID without repeating or missing an event', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const events = await all(pair.buyer.agora.tasks.stream(id));
    for (const [at, { id: lastEventId, event }] of events.entries()) {
      // The last two share the id of the change they tell of, and nothing comes after them.
      if (lastEventId === events.at(-1)?.id) break;
      expect(event).toBe('status');
      const rest = await all(pair.buyer.agora.tasks.stream(id, { lastEventId: lastEventId as string }));
      expect(rest).toEqual(events.slice(at + 1));
    }
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

  test('a reader who leaves stops being served, and the task goes on', async () => {
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
