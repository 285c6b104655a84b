import { createHash } from 'node:crypto';
import { canonicalJson, type TaskMessage, toUuid } from '@agora-market/contract';
import { UnansweredError } from '@agora-market/sdk';
import { createWorker, type TaskHandler } from '@agora-market/sdk/worker';
import { describe, expect, test } from 'vitest';
import { transaction } from '../../src/platform/index.ts';
import { subHire } from '../support/sub-hire.ts';
import { bind, bindAgent } from './policy.ts';
import {
  day,
  goodOutput,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  hireToFix,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

const server = serverForFile();
const hour = 60 * minute;
/** The deadline of a task that names none. */
const allowedMs = hour;

const ask = ({ agent }: Pick<Pair, 'agent'>, id: string, fields: object = {}) =>
  agent.agora.tasks.postMessage(id, { kind: 'question', text: 'Which colour?', ...fields });
const answer = ({ buyer }: Pick<Pair, 'buyer'>, id: string, answers: string, text = 'Red') =>
  buyer.agora.tasks.postMessage(id, { kind: 'answer', text, answers });
const inMs = (ms: number) => new Date(server.clock.now().getTime() + ms).toISOString();
const deadlineOf = async ({ buyer }: Pick<Pair, 'buyer'>, id: string) => (await buyer.agora.tasks.get(id)).deadline;
const failuresOf = async ({ agent }: Pick<Pair, 'agent'>) => {
  await server.app.sweep();
  return (await agent.agora.agents.reputation(agent.id)).tasks.failed;
};

describe('messages of a task', () => {
  test('are read by both parties in their order, page by page, and a question knows its answer', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const question = await ask(pair, id);
    expect(question).toEqual({
      ...{ id: expect.stringMatching(/^msg_/), author: 'agent', kind: 'question', text: 'Which colour?' },
      ...{ blocking: false, answers: null, answeredBy: null, isOpen: true, offer: null, attachments: [] },
      ...{ sha256: expect.stringMatching(/^[0-9a-f]{64}$/), createdAt: server.clock.now().toISOString() },
    });
    const said = await answer(pair, id, question.id);
    const back = await pair.buyer.agora.tasks.postMessage(id, { kind: 'question', text: 'When?' });
    await pair.agent.agora.tasks.postMessage(id, { kind: 'answer', text: 'Soon', answers: back.id });
    for (const party of [pair.buyer.agora, pair.agent.agora]) {
      const all: TaskMessage[] = [];
      for await (const message of party.tasks.listMessages(id, { pageSize: 2 })) all.push(message);
      expect(all.map(({ author, text }) => `${author}: ${text}`)).toEqual([
        ...['agent: Which colour?', 'submitter: Red', 'submitter: When?', 'agent: Soon'],
      ]);
      expect(all[0]?.answeredBy).toBe(said.id);
      expect(all.some(({ isOpen }) => isOpen)).toBe(false);
    }
    expect(await refusalOf(answer(pair, id, question.id))).toBe('409 QUESTION_NOT_OPEN');
    // Nobody answers itself, nor with a question of another task.
    const own = await ask(pair, id);
    const reply = { kind: 'answer', text: 'Blue', answers: own.id } as const;
    expect(await refusalOf(pair.agent.agora.tasks.postMessage(id, reply))).toBe('409 QUESTION_NOT_OPEN');
    const other = await hire(pair);
    expect(await refusalOf(answer(pair, other.id, own.id))).toBe('409 QUESTION_NOT_OPEN');
  });

  test('are for the parties alone; a sub-hire is talked about by the agent that hires and by its owner', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    await ask(pair, id);
    const stranger = await makePair(server);
    for (const party of [stranger.buyer.agora, stranger.agent.agora, pair.seller.agora]) {
      expect(await refusalOf(party.tasks.listMessages(id))).toBe('403 NOT_A_PARTY');
      expect(await refusalOf(party.tasks.postMessage(id, { kind: 'note', text: 'x' }))).toBe('403 NOT_A_PARTY');
    }
    const hiring = await pair.buyer.agent();
    const sub = await subHire(hiring.agora, {
      ...{ taskType: 'general', maxBudget: 1000, input: {}, agentId: pair.agent.id },
    });
    const { id: question } = await ask(pair, sub.id);
    const reply = { kind: 'answer', text: 'Red', answers: question } as const;
    expect(await hiring.agora.tasks.postMessage(sub.id, reply)).toMatchObject({ author: 'submitter' });
    expect((await pair.buyer.agora.tasks.listMessages(sub.id)).data).toHaveLength(2);
  });

  test('end with the task; notes go on until the refund window ends', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndPass(pair);
    const note = { kind: 'note', text: 'Thank you' } as const;
    expect(await refusalOf(ask(pair, id))).toBe('409 TASK_WRONG_STATE');
    expect(await pair.buyer.agora.tasks.postMessage(id, note)).toMatchObject({ kind: 'note' });
    server.clock.advance(10 * minute + 1);
    expect(await refusalOf(pair.buyer.agora.tasks.postMessage(id, note))).toBe('409 TASK_WRONG_STATE');
    const rejected = await hireAndReject(pair);
    expect(await refusalOf(pair.agent.agora.tasks.postMessage(rejected.id, note))).toBe('409 TASK_WRONG_STATE');
  });

  test('have attachments that come back as they were sent, as downloads, until the input is erased', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const page = Buffer.from('<script>alert(1)</script>');
    const sent = { name: 'Größe.html', contentType: 'text/html', content: page.toString('base64') };
    const message = await ask(pair, id, { attachments: [sent] });
    const [attachment] = message.attachments;
    expect(attachment).toMatchObject({ name: sent.name, sizeBytes: page.length, isErased: false });
    const get = (party = pair.buyer.agora) =>
      party.tasks.getMessageAttachment(id, message.id, attachment?.id as string);
    const response = await get();
    expect(Buffer.from(await response.arrayBuffer())).toEqual(page);
    const shown = (name: string) => response.headers.get(name);
    expect(shown('content-type')).toBe('application/octet-stream');
    expect(shown('content-disposition')).toMatch(
      /^attachment; filename="Gr__e.html"; filename\*=UTF-8''Gr%C3%B6%C3%9Fe/,
    );
    expect(shown('x-content-type-options')).toBe('nosniff');
    expect(await refusalOf(get((await makePair(server)).buyer.agora))).toBe('403 NOT_A_PARTY');
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    await pass(server, 2 * day);
    expect(await refusalOf(get())).toBe('404 ATTACHMENT_NOT_FOUND');
    const [kept] = (await pair.buyer.agora.tasks.listMessages(id)).data;
    expect(kept).toMatchObject({ text: 'Which colour?', attachments: [{ name: sent.name, isErased: true }] });
  });

  test.each<[string, object]>([
    ['an unknown kind', { kind: 'shout', text: 'x' }],
    ['no text', { kind: 'note', text: ' ' }],
    ['too long a text', { kind: 'note', text: 'x'.repeat(10_001) }],
    ['an answer to nothing', { kind: 'answer', text: 'x' }],
    ['a blocking note', { kind: 'note', text: 'x', blocking: true }],
    ['six attachments', { kind: 'note', text: 'x', attachments: Array(6).fill({ name: 'a', content: '' }) }],
    ['too large an attachment', { kind: 'note', text: 'x', attachments: [{ name: 'a', content: 'A'.repeat(87_384) }] }],
    ['an attachment with a path', { kind: 'note', text: 'x', attachments: [{ name: '../a', content: '' }] }],
    ['an attachment that is no base64', { kind: 'note', text: 'x', attachments: [{ name: 'a', content: '???' }] }],
  ])('refuse %s', async (_, body) => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(pair.buyer.agora.tasks.postMessage(id, body as never))).toBe('400 VALIDATION_ERROR');
  });

  test('are fifty of each party at most, however many come at once: none silences the other', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const post = () => pair.agent.agora.tasks.postMessage(id, { kind: 'note', text: 'again' });
    const outcomes = await Promise.all(Array.from({ length: 60 }, () => refusalOf(post())));
    expect(outcomes.filter((each) => each === 'no refusal')).toHaveLength(50);
    expect(outcomes.filter((each) => each === '409 MESSAGE_LIMIT_REACHED')).toHaveLength(10);
    expect(await refusalOf(pair.buyer.agora.tasks.postMessage(id, { kind: 'note', text: 'x' }))).toBe('no refusal');
  });

  test('may attach a mebibyte of each party', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const content = Buffer.alloc(64 * 1024).toString('base64');
    const post = (count: number) =>
      pair.agent.agora.tasks.postMessage(id, {
        ...{ kind: 'note', text: 'x', attachments: Array.from({ length: count }, () => ({ name: 'a', content })) },
      });
    for (let nth = 0; nth < 3; nth++) await post(5);
    expect(await refusalOf(post(2))).toBe('409 MESSAGE_LIMIT_REACHED');
    expect(await refusalOf(post(1))).toBe('no refusal');
  });

  test('are posted once under one key', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const post = () =>
      pair.agent.agora.tasks.postMessage(
        id,
        { kind: 'question', text: 'x', blocking: true },
        { idempotencyKey: 'once' },
      );
    expect(await post()).toEqual(await post());
    expect((await pair.buyer.agora.tasks.listMessages(id)).data).toHaveLength(1);
  });

  test('of an agent that lost the task are not read by the next one', async () => {
    const able = { capabilities: [{ category: 'data_analysis' as const, tags: ['rare'] }] };
    const pair = await makePair(server, { agent: able });
    const second = await (await server.owner({ credits: 0 })).agent(able);
    const { id, agentId } = await pair.buyer.agora.tasks.submit({
      ...{ taskType: 'data_analysis', maxBudget: 1000, input: { description: 'x' } },
    });
    const [first, next] = agentId === pair.agent.id ? [pair.agent, second] : [second, pair.agent];
    const isOpen = async () => (await pair.buyer.agora.tasks.listMessages(id)).data.map((message) => message.isOpen);
    const question = await ask({ agent: first }, id);
    await pair.buyer.agora.tasks.postMessage(id, { kind: 'question', text: 'When?' });
    expect(await isOpen()).toEqual([true, true]);
    await first.agora.tasks.decline(id);
    expect((await pair.buyer.agora.tasks.get(id)).agentId).toBe(next.id);
    expect((await next.agora.tasks.listMessages(id)).data).toEqual([]);
    expect(await refusalOf(first.agora.tasks.listMessages(id))).toBe('403 NOT_A_PARTY');
    expect(await isOpen()).toEqual([false, false]);
    expect(await refusalOf(answer(pair, id, question.id))).toBe('409 QUESTION_NOT_OPEN');
    await ask({ agent: next }, id);
    expect(await isOpen()).toEqual([false, false, true]);
    await pair.buyer.agora.tasks.cancel(id);
    expect(await isOpen()).toEqual([false, false, false]);
  });

  test('of an agent that lost the task silence nobody, and the next one hears of none', async () => {
    const able = { capabilities: [{ category: 'design' as const, tags: ['rare'] }] };
    const pair = await makePair(server, { agent: able });
    const second = await (await server.owner({ credits: 0 })).agent(able);
    const { id, agentId } = await pair.buyer.agora.tasks.submit({
      ...{ taskType: 'design', maxBudget: 1000, input: { description: 'x' } },
    });
    const [first, next] = agentId === pair.agent.id ? [pair.agent, second] : [second, pair.agent];
    for (let nth = 0; nth < 50; nth++) await ask({ agent: first }, id);
    expect(await refusalOf(ask({ agent: first }, id))).toBe('409 MESSAGE_LIMIT_REACHED');
    await first.agora.tasks.decline(id);
    const { id: own } = await ask({ agent: next }, id);
    const told = async (party: Pair['buyer']['agora']) =>
      (await party.tasks.events(id, { pageSize: 100 })).data.filter(({ eventType }) => eventType === 'message.posted');
    expect((await told(next.agora)).map(({ data }) => data.messageId)).toEqual([own]);
    expect(await told(pair.buyer.agora)).toHaveLength(51);
  });

  test('are sealed in the receipt by their digests, which say nothing of their words', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const content = Buffer.from('secret');
    const digest = createHash('sha256').update(content).digest('hex');
    const message = await ask(pair, id, { attachments: [{ name: 'a.txt', content: content.toString('base64') }] });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    const { entries } = await pair.buyer.agora.tasks.receipt(id);
    const sealed = entries.find(({ event }) => event.eventType === 'message.posted')?.event.data;
    expect(sealed).toMatchObject({ messageId: message.id, author: 'agent', kind: 'question', sha256: message.sha256 });
    expect(JSON.stringify(entries)).not.toContain('colour');
    const { author, kind, text, blocking, answers } = message;
    const attachments = [{ name: 'a.txt', contentType: 'application/octet-stream', sha256: digest }];
    const written = canonicalJson({ author, kind, text, blocking, answers, attachments });
    expect(createHash('sha256').update(written).digest('hex')).toBe(message.sha256);
  });
});

describe('a blocking question', () => {
  test('pauses the deadline until its answer, and gives back no more than the time that it took', async () => {
    const pair = await makePair(server);
    const { id, deadline } = await hireAndStart(pair);
    expect(deadline).toBe(inMs(allowedMs));
    const { id: question } = await ask(pair, id, { blocking: true });
    expect(await pair.agent.agora.tasks.get(id)).toMatchObject({
      ...{ waitingFor: 'submitter', waitingUntil: inMs(day), deadline: inMs(allowedMs + day) },
    });
    await pass(server, 5 * hour);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'executing', waitingFor: 'submitter' });
    await answer(pair, id, question);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({
      ...{ waitingFor: null, waitingUntil: null, deadline: inMs(allowedMs) },
    });
    await pass(server, allowedMs);
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'failed' });
  });

  test('pauses at most three times and a day in all', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const wait = async (ms: number) => {
      const { id: question } = await ask(pair, id, { blocking: true });
      expect(await refusalOf(ask(pair, id, { blocking: true }))).toBe('409 MESSAGE_LIMIT_REACHED');
      await pass(server, ms);
      await answer(pair, id, question);
    };
    await wait(10 * hour);
    await wait(4 * hour);
    const { id: last } = await ask(pair, id, { blocking: true });
    expect((await pair.agent.agora.tasks.get(id)).waitingUntil).toBe(inMs(10 * hour));
    await pass(server, 10 * hour);
    expect(await pair.agent.agora.tasks.get(id)).toMatchObject({ waitingFor: null, deadline: inMs(allowedMs) });
    expect(await refusalOf(ask(pair, id, { blocking: true }))).toBe('409 MESSAGE_LIMIT_REACHED');
    // It may still be answered, which changes no time any more.
    await answer(pair, id, last);
    expect(await deadlineOf(pair, id)).toBe(inMs(allowedMs));
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  });

  test('of which none is left after three short ones', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    for (let nth = 0; nth < 3; nth++) await answer(pair, id, (await ask(pair, id, { blocking: true })).id);
    expect(await deadlineOf(pair, id)).toBe(inMs(allowedMs));
    expect(await refusalOf(ask(pair, id, { blocking: true }))).toBe('409 MESSAGE_LIMIT_REACHED');
    expect(await refusalOf(ask(pair, id))).toBe('no refusal');
  });

  test('is refused when less than an hour for its answer is left, or when its deadline has passed', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { id: first } = await ask(pair, id, { blocking: true });
    await pass(server, day - hour + 1);
    await answer(pair, id, first);
    expect(await refusalOf(ask(pair, id, { blocking: true }))).toBe('409 MESSAGE_LIMIT_REACHED');
    const late = await hireAndStart(pair);
    server.clock.advance(allowedMs);
    expect(await refusalOf(ask(pair, late.id, { blocking: true }))).toBe('409 MESSAGE_LIMIT_REACHED');
  });

  test('that is answered late lets the agent fail without blame no more', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { id: question } = await ask(pair, id, { blocking: true });
    await pass(server, day);
    await answer(pair, id, question);
    await pair.agent.agora.tasks.fail(id, { reason: 'Too hard' });
    expect(await failuresOf(pair)).toBe(1);
    // A word in the last minutes makes nobody answer for what cannot be done any more.
    const other = await hireAndStart(pair);
    const { id: late } = await ask(pair, other.id, { blocking: true });
    await pass(server, day + minute);
    await answer(pair, other.id, late);
    await pair.agent.agora.tasks.fail(other.id, { reason: 'Too late' });
    expect(await failuresOf(pair)).toBe(1);
  });

  // Before: whether to blame the agent was read before the answer, and written after it.
  test('that is answered while the agent fails already lets it fail without blame no more', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { id: question } = await ask(pair, id, { blocking: true });
    await pass(server, day);
    const waitsForLock = (count: number) =>
      expect
        .poll(async () => {
          const { rows } = await server.pool.query(
            `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
          );
          return rows.length;
        })
        .toBe(count);
    const both = await transaction(server.pool, 'write', async (tx) => {
      await tx.query('select from tasks where id = $1 for update', [toUuid('task', id)]);
      const answered = answer(pair, id, question);
      await waitsForLock(1);
      const failed = pair.agent.agora.tasks.fail(id, { reason: 'No answer' });
      await waitsForLock(2);
      return [answered, failed];
    });
    await Promise.all(both);
    expect(await failuresOf(pair)).toBe(1);
  });

  test('leaves the gate its time when the answer comes after the delivery', async () => {
    const { pair, id, uuid } = await hireToFix(server);
    const { id: question } = await ask(pair, id, { blocking: true });
    await pair.agent.agora.sandbox.write(id, { path: 'state.txt', content: 'fixed' });
    const leased = async () =>
      (await server.pool.query('select due_at, deadline from tasks where id = $1', [uuid])).rows[0];
    await server.pool.query(
      `update tasks set status = 'quality_check', due_at = deadline + interval '1 hour' where id = $1`,
      [uuid],
    );
    const before = await leased();
    await answer(pair, id, question);
    expect(await leased()).toMatchObject({ due_at: before.due_at });
    await server.pool.query(`update tasks set status = 'executing', due_at = deadline where id = $1`, [uuid]);
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
  });

  test('that nobody answers lets the agent fail without blame, but not vanish', async () => {
    const pair = await makePair(server);
    const waited = async () => {
      const { id } = await hireAndStart(pair);
      await ask(pair, id, { blocking: true });
      await pass(server, day);
      return id;
    };
    const blameless = await waited();
    await pair.agent.agora.tasks.fail(blameless, { reason: 'No answer' });
    expect(await failuresOf(pair)).toBe(0);
    const events = await pair.buyer.agora.tasks.events(blameless, { pageSize: 100 });
    expect(events.data.find(({ eventType }) => eventType === 'task.failed')?.data).toMatchObject({
      answerable: 'nobody',
    });
    await waited();
    await pass(server, allowedMs);
    expect(await failuresOf(pair)).toBe(1);
    // While it waits it may fail, with blame: it could wait.
    const { id } = await hireAndStart(pair);
    await ask(pair, id, { blocking: true });
    await pair.agent.agora.tasks.fail(id, { reason: 'Too hard' });
    expect(await failuresOf(pair)).toBe(2);
  });

  test('is for the agent of an executing task alone', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    expect(await refusalOf(ask(pair, id, { blocking: true }))).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    const question = { kind: 'question', text: 'Done?', blocking: true } as const;
    expect(await refusalOf(pair.buyer.agora.tasks.postMessage(id, question))).toBe('403 NOT_A_PARTY');
  });

  test('keeps the input for as long as it pauses, and the agent may deliver meanwhile', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { deadlineMinutes: 1440 });
    await pass(server, day - hour);
    await ask(pair, id, { blocking: true });
    await pass(server, 20 * hour);
    const done = await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    expect(done).toMatchObject({ status: 'completed', waitingFor: null, waitingUntil: null });
    await pass(server, day);
    const { data } = await pair.buyer.agora.tasks.events(id, { pageSize: 100 });
    expect(data.map(({ eventType }) => eventType)).not.toContain('message.unanswered');
  });

  test('does not make up for a deadline that the buyer had set too short', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { deadlineMinutes: 30 });
    await ask(pair, id, { blocking: true });
    await pass(server, day);
    await pass(server, 30 * minute);
    // A buyer that gives so little time is to blame itself; the pause makes it no longer.
    const { data } = await pair.buyer.agora.tasks.events(id, { pageSize: 100 });
    expect(data.at(-1)?.data).toMatchObject({ verb: 'expire', answerable: 'buyer' });
  });

  test('is told of in the streams of both parties, as is that nobody answered', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const question = await ask(pair, id, { blocking: true });
    await pass(server, day);
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    for (const party of [pair.buyer.agora, pair.agent.agora]) {
      const shown: unknown[] = [];
      for await (const { event, data } of party.tasks.stream(id))
        if (event === 'message' || event === 'unanswered') shown.push([event, data]);
      expect(shown).toEqual([
        [
          'message',
          expect.objectContaining({
            ...{ messageId: question.id, author: 'agent', kind: 'question', blocking: true, sha256: question.sha256 },
            until: expect.any(String),
          }),
        ],
        ['unanswered', { messageId: question.id }],
      ]);
    }
  });
});

describe('a worker that asks', () => {
  const work = async (
    handle: TaskHandler,
    then: (pair: Pair, id: string, question: TaskMessage) => Promise<unknown>,
  ) => {
    const pair = await makePair(server);
    const { id } = await hire(pair);
    const stop = new AbortController();
    const worker = createWorker({ agora: pair.agent.agora, handle, onError: () => {} });
    const running = worker.run({ signal: stop.signal });
    const first = async () => (await pair.buyer.agora.tasks.listMessages(id)).data[0];
    await expect.poll(first).toMatchObject({ kind: 'question', text: 'Which colour?', blocking: true });
    await then(pair, id, (await first()) as TaskMessage);
    const task = await pair.buyer.agora.tasks.wait(id);
    stop.abort();
    await running;
    return { pair, task };
  };
  const handle: TaskHandler = async (work) => ({ ...goodOutput, colour: await work.ask('Which colour?') });

  test('goes on with the answer', async () => {
    const { task } = await work(handle, (pair, id, question) => answer(pair, id, question.id, 'Green'));
    expect(task).toMatchObject({ status: 'completed', output: { colour: 'Green' } });
  });

  test('that nobody gives fails the task, and does not count', async () => {
    const { pair, task } = await work(handle, () => pass(server, day));
    expect(task).toMatchObject({ status: 'failed', reason: expect.stringContaining('nobody has answered') });
    expect(await failuresOf(pair)).toBe(0);
  });

  test('may stop waiting; of a submitter, the end of the task is the end of its wait', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    const { tasks } = pair.agent.agora;
    await expect(tasks.ask(id, 'Which?', { waitMs: 1 })).rejects.toMatchObject({ code: 'TIMEOUT' });
    const stop = new AbortController();
    const asked = expect(tasks.ask(id, 'Which?', { blocking: false, signal: stop.signal })).rejects.toThrow('no more');
    await expect.poll(async () => (await tasks.listMessages(id)).data).toHaveLength(2);
    stop.abort(new Error('no more'));
    await asked;
    const asking = pair.buyer.agora.tasks.ask(id, 'When?', { blocking: false });
    const unanswered = expect(asking).rejects.toBeInstanceOf(UnansweredError);
    await expect.poll(async () => (await tasks.listMessages(id)).data).toHaveLength(3);
    await tasks.complete(id, { output: goodOutput });
    await unanswered;
  });
});

describe('a change request', () => {
  const request = (pair: Pair, id: string, price = 300) =>
    pair.buyer.agora.tasks.postMessage(id, { kind: 'change_request', text: 'Make it green', price });
  const offered = async (price?: number) => {
    const pair = await makePair(server, { credits: 5_000 });
    const { id } = await hireAndPass(pair);
    return { pair, id, offer: await request(pair, id, price) };
  };

  test('offers a follow-up task at its price, which one click of the agent submits once', async () => {
    const { pair, id, offer } = await offered();
    expect(offer.offer).toEqual({ price: 300, status: 'open', taskId: null, until: inMs(day) });
    const accept = () => pair.agent.agora.tasks.acceptChange(id, offer.id);
    const followUps = [...(await Promise.all([accept(), accept()])), await accept()];
    expect(await refusalOf(pair.buyer.agora.tasks.declineChange(id, offer.id))).toBe('409 OFFER_NOT_OPEN');
    const [told] = (await pair.buyer.agora.tasks.listMessages(id)).data;
    const { data } = await pair.buyer.agora.tasks.list({ include: 'content' });
    expect(data).toHaveLength(2);
    expect(followUps.map((each) => each.offer?.taskId)).toEqual(Array(3).fill(data[0]?.id));
    expect(data[0]).toMatchObject({
      id: told?.offer?.taskId,
      status: 'submitted',
      maxBudget: 300,
      agentId: pair.agent.id,
    });
    expect(data[0]?.input.description).toMatch(/^Make it green\n\nThis changes what you have delivered for tsk_/);
    expect(told?.offer?.status).toBe('accepted');
    expect(await pair.buyer.agora.tasks.get(id)).toMatchObject({ status: 'completed' });
  });

  test('comes from the submitter of a completed task, while its refund window is open', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    expect(await refusalOf(request(pair, id))).toBe('409 TASK_WRONG_STATE');
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    const own = { kind: 'change_request', text: 'x', price: 1 } as const;
    expect(await refusalOf(pair.agent.agora.tasks.postMessage(id, own))).toBe('403 NOT_A_PARTY');
    server.clock.advance(10 * minute + 1);
    expect(await refusalOf(request(pair, id))).toBe('409 TASK_WRONG_STATE');
  });

  test('is declined by the agent or taken back by the submitter, and expires after a day', async () => {
    const { pair, id, offer } = await offered();
    const stranger = await makePair(server);
    expect(await refusalOf(stranger.agent.agora.tasks.acceptChange(id, offer.id))).toBe('403 NOT_A_PARTY');
    expect(await refusalOf(stranger.buyer.agora.tasks.declineChange(id, offer.id))).toBe('403 NOT_A_PARTY');
    const again = await request(pair, id);
    const late = await request(pair, id);
    expect((await pair.agent.agora.tasks.declineChange(id, offer.id)).offer?.status).toBe('declined');
    await pair.buyer.agora.tasks.declineChange(id, again.id);
    expect(await refusalOf(pair.agent.agora.tasks.acceptChange(id, again.id))).toBe('409 OFFER_NOT_OPEN');
    server.clock.advance(day + 1);
    expect(await refusalOf(pair.agent.agora.tasks.acceptChange(id, late.id))).toBe('409 OFFER_NOT_OPEN');
    const { data } = await pair.buyer.agora.tasks.listMessages(id);
    expect(data.map((each) => each.offer?.status)).toEqual(['declined', 'declined', 'expired']);
  });

  test('is declined once, and nobody hangs, however many say so at once', async () => {
    const { pair, id, offer } = await offered();
    // More than a server has connections.
    const said = Array.from({ length: 24 }, () => refusalOf(pair.buyer.agora.tasks.declineChange(id, offer.id)));
    expect((await Promise.all(said)).toSorted()).toEqual([...Array(23).fill('409 OFFER_NOT_OPEN'), 'no refusal']);
  });

  test('is taken or taken back, never both', async () => {
    const { pair, id, offer } = await offered();
    const [accepted, declined] = await Promise.all([
      refusalOf(pair.agent.agora.tasks.acceptChange(id, offer.id)),
      refusalOf(pair.buyer.agora.tasks.declineChange(id, offer.id)),
    ]);
    expect([accepted, declined].toSorted()).toEqual(['409 OFFER_NOT_OPEN', 'no refusal']);
    const [told] = (await pair.buyer.agora.tasks.listMessages(id)).data;
    const { data } = await pair.buyer.agora.tasks.list();
    expect(data).toHaveLength(accepted === 'no refusal' ? 2 : 1);
    expect(told?.offer?.status).toBe(accepted === 'no refusal' ? 'accepted' : 'declined');
  });

  test('is told in the log of its task once it is decided, by whom, and once however often that is asked for', async () => {
    const { pair, id, offer } = await offered();
    const [declined, takenBack] = [await request(pair, id), await request(pair, id)];
    const { agent, buyer } = pair;
    const accept = () => agent.agora.tasks.acceptChange(id, offer.id);
    const [accepted] = await Promise.all([accept(), accept()]);
    await accept();
    const decline = () => refusalOf(agent.agora.tasks.declineChange(id, declined.id));
    expect((await Promise.all([decline(), decline()])).toSorted()).toEqual(['409 OFFER_NOT_OPEN', 'no refusal']);
    await buyer.agora.tasks.declineChange(id, takenBack.id);
    for (const party of [buyer.agora, agent.agora]) {
      const { data } = await party.tasks.events(id, { pageSize: 100 });
      const told = data.filter(({ eventType }) => eventType === 'change.decided').map((event) => event.data);
      const taskType = 'general';
      expect(told).toEqual([
        { messageId: offer.id, decision: 'accepted', by: 'agent', taskType, followUp: accepted?.offer?.taskId },
        { messageId: declined.id, decision: 'declined', by: 'agent', taskType, followUp: null },
        { messageId: takenBack.id, decision: 'declined', by: 'submitter', taskType, followUp: null },
      ]);
    }
  });

  test('of an agent that is no longer active spends nothing', async () => {
    const pair = await makePair(server);
    const hiring = await pair.buyer.agent();
    const { id } = await subHire(hiring.agora, {
      ...{ taskType: 'general', maxBudget: 1000, input: { description: 'x' }, agentId: pair.agent.id },
    });
    await pair.agent.agora.tasks.start(id, { sandboxId: 'x' });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    const { id: offer } = await hiring.agora.tasks.postMessage(id, {
      ...{ kind: 'change_request', text: 'Again', price: 300 },
    });
    await pair.buyer.agora.agents.deactivate(hiring.id);
    await expect(pair.agent.agora.tasks.acceptChange(id, offer)).rejects.toMatchObject({
      ...{ code: 'OFFER_REFUSED', details: { code: 'AGENT_NOT_ACTIVE' } },
    });
  });

  test('that its buyer cannot pay is refused, without what it has, and stays open', async () => {
    const { pair, id, offer } = await offered(4_500);
    await expect(pair.agent.agora.tasks.acceptChange(id, offer.id)).rejects.toMatchObject({
      ...{ code: 'OFFER_REFUSED', details: { code: 'INSUFFICIENT_CREDITS' } },
    });
    const [told] = (await pair.buyer.agora.tasks.listMessages(id)).data;
    expect(told?.offer?.status).toBe('open');
  });

  test('gives the agent the change that it has delivered as a file', async () => {
    const { pair, id } = await hireToFix(server);
    await pair.agent.agora.sandbox.write(id, { path: 'state.txt', content: 'fixed' });
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    await pair.buyer.agora.tasks.wait(id);
    const { id: offer } = await request(pair, id);
    const { offer: decided } = await pair.agent.agora.tasks.acceptChange(id, offer);
    const { input } = await pair.buyer.agora.tasks.get(decided?.taskId as string);
    expect(input.files).toMatchObject({ 'delivered.patch': expect.stringContaining('+fixed') });
    expect(input.acceptance).toEqual((await pair.buyer.agora.tasks.get(id)).input.acceptance);
  });

  test('follows a follow-up too, with its change beside the one before, whatever bytes are in it', async () => {
    const { pair, id } = await hireToFix(server);
    const deliver = async (task: string, content: string) => {
      await pair.agent.agora.sandbox.write(task, { path: 'state.txt', content, encoding: 'base64' });
      await pair.agent.agora.tasks.complete(task, { output: goodOutput });
      await pair.buyer.agora.tasks.wait(task);
      const { id: offer } = await request(pair, task);
      return (await pair.agent.agora.tasks.acceptChange(task, offer)).offer?.taskId as string;
    };
    const second = await deliver(id, Buffer.from('fixed').toString('base64'));
    await pair.agent.agora.tasks.start(second, { sandboxId: 'mine' });
    const third = await deliver(second, Buffer.from([...Buffer.from('fixed '), 0xe9, 0x0a]).toString('base64'));
    const { input } = await pair.buyer.agora.tasks.get(third);
    expect(Object.keys(input.files ?? {}).toSorted()).toEqual(['delivered-2.patch', 'delivered.patch', 'state.txt']);
    expect(input.files).toMatchObject({ 'delivered-2.patch': expect.stringContaining('GIT binary patch') });
  });
});

describe('a default answer', () => {
  test('answers the agent at once and pauses nothing; that of the agent that hires goes before its owner’s', async () => {
    const pair = await makePair(server);
    await bind(pair.buyer, { defaultAnswer: ' Decide yourself ' });
    const { id, deadline } = await hireAndStart(pair);
    const question = await ask(pair, id, { blocking: true });
    const [, answered] = (await pair.agent.agora.tasks.listMessages(id)).data;
    expect(answered).toMatchObject({
      ...{ author: 'policy', kind: 'answer', text: 'Decide yourself', answers: question.id },
    });
    expect(question.answeredBy).toBe(answered?.id);
    expect(await pair.agent.agora.tasks.get(id)).toMatchObject({ waitingFor: null, deadline });
    // What the submitter asks itself is left to the agent.
    const back = await pair.buyer.agora.tasks.postMessage(id, { kind: 'question', text: 'When?' });
    expect(back.answeredBy).toBeNull();
    const hiring = await pair.buyer.agent();
    await bindAgent(hiring, { defaultAnswer: 'As cheap as you can' });
    const sub = await subHire(hiring.agora, {
      ...{ taskType: 'general', maxBudget: 1000, input: {}, agentId: pair.agent.id },
    });
    await ask(pair, sub.id);
    expect((await pair.agent.agora.tasks.listMessages(sub.id)).data[1]?.text).toBe('As cheap as you can');
  });
});
