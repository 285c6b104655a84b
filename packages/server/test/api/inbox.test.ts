import type { ItemOf, Query } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { subHire } from '../support/sub-hire.ts';
import {
  day,
  goodOutput,
  hire,
  hireAndPass,
  hireAndStart,
  hour,
  makePair,
  minute,
  type Pair,
  pass,
  refusalOf,
  serverForFile,
} from './scene.ts';

/** Messages of all tasks of an owner or an agent. */

const server = serverForFile();

type Client = Pair['buyer']['agora'];
type Asked = Query<'tasks.inbox'>;

const all = ({ tasks }: Client, query: Asked = {}) => Array.fromAsync(tasks.inbox(query));
const textsOf = async (client: Client, query?: Asked) => (await all(client, query)).map(({ excerpt }) => excerpt);
const open = (client: Client) => textsOf(client, { open: true });

const say = (client: Client, id: string, text: string, fields: object = {}) => {
  server.clock.advance(1_000);
  return client.tasks.postMessage(id, { kind: 'note', text, ...fields });
};
const ask = (client: Client, id: string, text: string, fields: object = {}) =>
  say(client, id, text, { kind: 'question', ...fields });
const answer = (client: Client, id: string, answers: string) => say(client, id, 'So', { kind: 'answer', answers });

describe('the inbox', () => {
  test('has the messages of all tasks of both parties, newest first, page by page', async () => {
    const pair = await makePair(server);
    const { buyer, agent } = pair;
    const tasks = [await hireAndStart(pair, { input: { title: 'Paint', description: 'x' } }), await hireAndStart(pair)];
    const [first, second] = tasks.map(({ id }) => id) as [string, string];
    const said: string[] = [];
    for (let nth = 0; nth < 6; nth++) {
      said.unshift(`${nth}`);
      await say(nth % 2 ? buyer.agora : agent.agora, nth % 3 ? first : second, `${nth}`);
    }
    for (const client of [buyer.agora, agent.agora]) {
      for (const pageSize of [1, 4, 100]) expect(await textsOf(client, { pageSize })).toEqual(said);
    }
    const question = await ask(agent.agora, first, 'Which colour?');
    const { displayName } = await buyer.agora.agents.get(agent.id);
    const shown: ItemOf<'tasks.inbox'> = {
      ...{ id: question.id, taskId: first, taskTitle: 'Paint', agentId: agent.id, agentName: displayName },
      ...{ party: 'submitter', author: 'agent', kind: 'question', excerpt: 'Which colour?', blocking: false },
      ...{ waitsForCaller: true, waitingUntil: null, offer: null, createdAt: question.createdAt },
    };
    expect((await all(buyer.agora))[0]).toEqual(shown);
    expect((await all(agent.agora))[0]).toEqual({ ...shown, party: 'agent', waitsForCaller: false });
    expect(await textsOf(buyer.agora, { kind: 'question' })).toEqual(['Which colour?']);
    expect(await textsOf(buyer.agora, { kind: 'note' })).toEqual(said);
    expect(await refusalOf(all(buyer.agora, { kind: 'shout' as never }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(all(buyer.agora, { cursor: 'eyJpZCI6MX0' }))).toBe('400 VALIDATION_ERROR');
  });

  test('is of the parties alone: neither strangers nor the owner of the agent find anything in it', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    await ask(pair.agent.agora, id, 'Which?');
    const stranger = await makePair(server);
    for (const client of [stranger.buyer.agora, stranger.agent.agora, pair.seller.agora]) {
      expect(await all(client)).toEqual([]);
      expect(await all(client, { open: true })).toEqual([]);
    }
    const nobody = await fetch(`${server.url}/api/v1/tasks/inbox`);
    expect(nobody.status).toBe(401);
  });

  test('shows an agent what it may read of the task, and nothing any more once it has lost it', async () => {
    const able = { capabilities: [{ category: 'devops' as const, tags: ['rare'] }] };
    const pair = await makePair(server, { agent: able });
    const second = await (await server.owner({ credits: 0 })).agent(able);
    const { id, agentId } = await pair.buyer.agora.tasks.submit({
      ...{ taskType: 'devops', maxBudget: 1000, input: { title: 'SECRET', description: 'In plain sight' } },
    });
    const [one, other] = agentId === pair.agent.id ? [pair.agent, second] : [second, pair.agent];
    await ask(one.agora, id, 'First?');
    await ask(pair.buyer.agora, id, 'When?');
    expect((await all(one.agora)).map(({ taskTitle }) => taskTitle)).toEqual(['In plain sight', 'In plain sight']);
    expect(await open(one.agora)).toEqual(['When?']);
    await one.agora.tasks.decline(id);
    expect(await all(one.agora)).toEqual([]);
    expect(await all(other.agora)).toEqual([]);
    // The submitter reads them all, and nobody waits for an answer to what the agent asked that has gone.
    const kept = await all(pair.buyer.agora);
    expect(kept.map(({ excerpt, agentId }) => [excerpt, agentId])).toEqual([
      ['When?', one.id],
      ['First?', one.id],
    ]);
    expect(await open(pair.buyer.agora)).toEqual([]);
    await ask(other.agora, id, 'Second?');
    expect(await open(pair.buyer.agora)).toEqual(['Second?']);
  });

  test('begins a long text, and knows a task by its title after its input is erased', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { input: { title: 'Long', description: 'x', code: 'x' } });
    await say(pair.agent.agora, id, `${'é'.repeat(299)}end`);
    await say(pair.agent.agora, id, '😀'.repeat(300));
    await pair.agent.agora.tasks.complete(id, { output: goodOutput });
    await pass(server, 2 * day);
    const [whole, begun] = await all(pair.buyer.agora);
    expect(whole).toMatchObject({ excerpt: '😀'.repeat(300), taskTitle: 'Long', waitsForCaller: false });
    expect(begun?.excerpt).toBe(`${'é'.repeat(299)}…`);
  });
});

describe('what waits for the caller', () => {
  test('are open questions, blocking ones first, until they are answered or the task ends', async () => {
    const pair = await makePair(server);
    const { buyer, agent } = pair;
    const [first, second, third] = [await hireAndStart(pair), await hireAndStart(pair), await hireAndStart(pair)];
    await ask(agent.agora, first.id, 'a');
    const blocks = await ask(agent.agora, second.id, 'b', { blocking: true });
    const c = await ask(agent.agora, third.id, 'c');
    await ask(buyer.agora, first.id, 'mine');
    await say(agent.agora, first.id, 'note');
    for (const pageSize of [1, 2, 100])
      expect(await textsOf(buyer.agora, { open: true, pageSize })).toEqual(['b', 'c', 'a']);
    const until = (await buyer.agora.tasks.get(second.id)).waitingUntil;
    expect(until).not.toBeNull();
    const [waiting] = await all(buyer.agora, { open: true });
    expect(waiting).toMatchObject({ id: blocks.id, blocking: true, waitingUntil: until, waitsForCaller: true });
    expect(await open(agent.agora)).toEqual(['mine']);
    await answer(buyer.agora, third.id, c.id);
    expect(await open(buyer.agora)).toEqual(['b', 'a']);
    await answer(buyer.agora, second.id, blocks.id);
    expect(await open(buyer.agora)).toEqual(['a']);
    expect((await all(buyer.agora)).find(({ id }) => id === blocks.id)).toMatchObject({ waitingUntil: null });
    await agent.agora.tasks.fail(first.id, { reason: 'No answer' });
    expect(await open(buyer.agora)).toEqual([]);
    expect(await open(agent.agora)).toEqual([]);
  });

  test('holds the deadline, where it blocks, until its time is over', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair, { deadlineMinutes: 1440 });
    const { buyer, agent } = pair;
    const first = await ask(agent.agora, id, 'first', { blocking: true });
    await pass(server, 3 * hour);
    await answer(buyer.agora, id, first.id);
    await ask(agent.agora, id, 'second', { blocking: true });
    const paused = async () =>
      (await all(buyer.agora)).filter(({ waitingUntil }) => waitingUntil !== null).map(({ excerpt }) => excerpt);
    expect(await paused()).toEqual(['second']);
    await pass(server, day);
    expect(await paused()).toEqual([]);
    expect((await buyer.agora.tasks.get(id)).waitingUntil).toBeNull();
  });

  test('are change requests for the agent, until it decides or they expire', async () => {
    const pair = await makePair(server);
    const { buyer, agent } = pair;
    const tasks = [await hireAndPass(pair), await hireAndPass(pair), await hireAndPass(pair)];
    const offers = [];
    for (const { id } of tasks)
      offers.push(await say(buyer.agora, id, `${id} again`, { kind: 'change_request', price: 300 }));
    const ids = tasks.map(({ id }) => id) as [string, string, string];
    const waiting = async (client: Client) => (await all(client, { open: true })).map(({ taskId }) => taskId);
    expect(await waiting(agent.agora)).toEqual(ids.toReversed());
    const [offer] = await all(agent.agora, { open: true });
    expect(offer).toMatchObject({ kind: 'change_request', offer: { price: 300, status: 'open', taskId: null } });
    expect(offer?.waitingUntil).toBe(offer?.offer?.until);
    // The agent decides, not the submitter.
    expect(await waiting(buyer.agora)).toEqual([]);
    await agent.agora.tasks.acceptChange(ids[0], offers[0]?.id as string);
    await agent.agora.tasks.declineChange(ids[1], offers[1]?.id as string);
    expect(await waiting(agent.agora)).toEqual([ids[2]]);
    await pass(server, day + minute);
    expect(await waiting(agent.agora)).toEqual([]);
  });

  test('are of a sub-hire for the agent that hires and for its owner, and no other agent of it', async () => {
    const pair = await makePair(server);
    const [hiring, other] = [await pair.buyer.agent(), await pair.buyer.agent()];
    const sub = await subHire(hiring.agora, {
      ...{ taskType: 'general', maxBudget: 1000, input: { title: 'Sub', description: 'x' }, agentId: pair.agent.id },
    });
    await ask(pair.agent.agora, sub.id, 'Which?');
    for (const client of [hiring.agora, pair.buyer.agora]) expect(await open(client)).toEqual(['Which?']);
    expect(await open(other.agora)).toEqual([]);
    // As an agent itself it has both in one list.
    const sold = await hire({ buyer: (await makePair(server)).buyer, agent: hiring });
    await ask(hiring.agora, sold.id, 'And you?');
    const both = (await all(hiring.agora)).map(({ excerpt, party }) => [excerpt, party]);
    expect(both).toEqual([
      ['And you?', 'agent'],
      ['Which?', 'submitter'],
    ]);
  });

  test('are found behind more than one page looks through, by pages that may be empty', async () => {
    const pair = await makePair(server);
    const { id } = await hireAndStart(pair);
    await ask(pair.agent.agora, id, 'old');
    await say(pair.agent.agora, id, 'note');
    // Questions of a task that has ended, which nobody answered, all of them newer.
    const ended = await hire(pair);
    await ask(pair.agent.agora, ended.id, 'gone');
    await pair.buyer.agora.tasks.cancel(ended.id);
    await server.pool.query(
      `insert into task_messages (id, task_id, position, agent_id, author, kind, text, blocking, sha256, created_at)
       select (substr(m.id::text, 1, 19) || to_hex(40960 + n) || substr(m.id::text, 24))::uuid, m.task_id, 1000 + n,
         m.agent_id, m.author, m.kind, m.text, m.blocking, m.sha256, m.created_at
       from task_messages m, generate_series(1, 1_200) n where m.text = 'gone'`,
    );
    const page = await pair.buyer.agora.tasks.inbox({ open: true });
    expect([page.data, page.pagination.nextCursor !== null]).toEqual([[], true]);
    expect(await open(pair.buyer.agora)).toEqual(['old']);
    expect(await textsOf(pair.buyer.agora, { kind: 'note' })).toEqual(['note']);
    expect(await textsOf(pair.buyer.agora, { pageSize: 100 })).toHaveLength(1_203);
  });
});
