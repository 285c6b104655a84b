import { toUuid } from '@agora-market/contract';
import type { Query } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import { day, hire, hireAndPass, hireAndReject, hireAndStart, makePair, refusalOf, serverForFile } from './scene.ts';

const server = serverForFile();
type Filter = Query<'tasks.list'>;
type Made = Awaited<ReturnType<typeof makePair>>;

const idsOf = async ({ buyer }: Pick<Made, 'buyer'>, filter: Filter) =>
  (await buyer.agora.tasks.list(filter)).data.map(({ id }) => id);

/** One task after the other, so that their ids have an order. */
async function submit(pair: Made, input: Record<string, unknown>, others: Parameters<typeof hire>[1] = {}) {
  server.clock.advance(1_000);
  return hire(pair, { input: { description: 'Please fix', ...input }, ...others });
}

describe('a list of tasks', () => {
  test('has titles, the agent’s name, tags and project, and neither input nor output', async () => {
    const pair = await makePair(server);
    const { id } = await submit(pair, {
      description: '# Parser\n\nfails on tabs',
      tags: ['typescript'],
      project: 'compiler',
      metadata: { ticket: 'COMP-17' },
    });
    const named = await submit(pair, { title: 'Mend the parser', description: 'It fails.' });
    const bare = await hire(pair, { input: {} });
    for (const isIndexed of [false, true]) {
      if (isIndexed) await server.app.sweep();
      const { data } = await pair.buyer.agora.tasks.list();
      expect(data.map(({ title }) => title).toSorted()).toEqual(['General', 'Mend the parser', 'Parser']);
      const shown = data.find((task) => task.id === id);
      expect(shown).toMatchObject({ project: 'compiler', tags: ['typescript'], failure: null });
      expect(shown?.agentName).toBe((await pair.buyer.agora.agents.get(pair.agent.id)).displayName);
      expect(data.every((task) => !('input' in task || 'output' in task))).toBe(true);
    }
    expect((await pair.buyer.agora.tasks.get(named.id)).title).toBe('Mend the parser');
    expect((await pair.buyer.agora.tasks.get(bare.id)).title).toBe('General');
    const [whole] = (await pair.buyer.agora.tasks.list({ include: 'content', status: 'submitted', q: id })).data;
    expect(whole?.input).toMatchObject({ metadata: { ticket: 'COMP-17' } });
  });

  test('finds words in any order and by their beginning, in what a submitter wrote and in the agent’s name', async () => {
    const pair = await makePair(server, { agent: { displayName: 'Ferret of Łódź' } });
    const first = await submit(pair, { description: 'Parser fails on ＴＡＢＳ\n\nsee naïve.ts' });
    const second = await submit(pair, { title: 'Renderer', metadata: { ticket: 'COMP-17', nested: ['mañana'] } });
    const third = await submit(pair, { tags: ['go'], project: 'compiler' });
    await server.app.sweep();
    const found = (q: string) => idsOf(pair, { q });
    expect(await found('tabs parser')).toEqual([first.id]);
    expect(await found('PARS fai')).toEqual([first.id]);
    expect(await found('parser renderer')).toEqual([]);
    expect(await found('comp-17')).toEqual([second.id]);
    expect(await found('mañana')).toEqual([second.id]);
    expect(await found('comp')).toEqual([third.id, second.id]);
    expect(await found('go')).toEqual([third.id]);
    expect(await found('ferret łódź')).toEqual([third.id, second.id, first.id]);
    expect(await idsOf(pair, { q: 'ferret', sort: 'oldest', pageSize: 2 })).toEqual([first.id, second.id]);
    expect(await found(second.id)).toEqual([second.id]);
    const other = await makePair(server);
    expect(await idsOf(other, { q: 'parser' })).toEqual([]);
    expect(await idsOf(other, { q: first.id })).toEqual([]);
    expect(await refusalOf(found('!? -'))).toBe('400 VALIDATION_ERROR');
    for (const odd of ["'", 'a & b | !c', 'owner:x', '\\', '* :*', `owner:${pair.buyer.id}`]) {
      expect(['no refusal', '400 VALIDATION_ERROR'], odd).toContain(await refusalOf(found(odd)));
    }
    expect(await found('parser | renderer')).toEqual([]);
    expect(await found('owner')).toEqual([]);
  });

  test('walks by cursor through what it finds, in both orders, past the newest that are looked through first', async () => {
    const pair = await makePair(server);
    // A session would end before the half year does.
    const { token } = await pair.buyer.agora.auth.createToken({ name: 'walk' });
    pair.buyer.agora = server.client({ ownerToken: token });
    const wanted: string[] = [];
    for (let nth = 0; nth < 7; nth++) {
      const { id } = await submit(pair, { description: nth % 2 === 0 ? 'walnut' : 'acorn' });
      if (nth % 2 === 0) wanted.unshift(id);
    }
    await server.app.sweep();
    const walk = async (filter: Filter) => {
      const ids: string[] = [];
      for await (const { id } of pair.buyer.agora.tasks.list({ pageSize: 1, ...filter })) ids.push(id);
      return ids;
    };
    expect(await walk({ q: 'walnut' })).toEqual(wanted);
    expect(await walk({ q: 'walnut', sort: 'oldest' })).toEqual(wanted.toReversed());
    // Half a year later, more of them, and on both sides more other texts than one look takes.
    for (let nth = 0; nth < 9; nth++) {
      server.clock.advance(20 * day);
      wanted.unshift((await submit(pair, { description: 'walnut' })).id);
    }
    await server.app.sweep();
    expect((await walk({ q: 'walnut', sort: 'highest' })).toSorted()).toEqual(wanted.toSorted());
    const now = server.clock.now();
    const ever = { createdFrom: new Date(now.getTime() - 300 * day).toISOString(), createdBefore: now.toISOString() };
    expect((await pair.buyer.agora.tasks.totals({ by: 'month', q: 'walnut', ...ever })).total.tasks).toBe(
      wanted.length - 1,
    );
    await server.pool.query(
      `insert into task_texts (task_id, owner_id, heading, document)
       select (time || substr(gen_random_uuid()::text, 9))::uuid, owner_id, '{}', 'x'::tsvector
       from task_texts, unnest(array['00000000', 'ffffffff']) as time, generate_series(1, 1_500) where task_id = $1`,
      [toUuid('task', wanted[0] as string)],
    );
    for (const pageSize of [1, 3, 100]) {
      expect(await walk({ q: 'walnut', pageSize })).toEqual(wanted);
      expect(await walk({ q: 'walnut', sort: 'oldest', pageSize })).toEqual(wanted.toReversed());
    }
    expect(await walk({ q: 'walnut', createdBefore: server.clock.now().toISOString() })).toEqual(wanted.slice(1));
  });

  test('stands by its amounts, in both orders and page by page, those of the same amount by their age', async () => {
    const pair = await makePair(server);
    const dear = await submit(pair, { description: 'walnut', project: 'a' }, { maxBudget: 900 });
    const paid = await hireAndPass(pair, { maxBudget: 800 });
    const first = await submit(pair, { description: 'walnut', project: 'a' }, { maxBudget: 400 });
    const second = await submit(pair, { description: 'acorn' }, { maxBudget: 400 });
    const third = await submit(pair, { description: 'walnut' }, { maxBudget: 400 });
    const cheap = await submit(pair, { description: 'acorn', project: 'a' }, { maxBudget: 300 });
    await server.app.sweep();
    expect((await pair.buyer.agora.tasks.get(paid.id)).creditsCharged).toBe(800);
    const walk = async (filter: Filter) => {
      const ids: string[] = [];
      for await (const { id } of pair.buyer.agora.tasks.list({ pageSize: 2, ...filter })) ids.push(id);
      return ids;
    };
    const all = [dear, paid, third, second, first, cheap].map(({ id }) => id);
    for (const include of [undefined, 'content'] as const) {
      const more = include && { include };
      expect(await walk({ sort: 'highest', ...more })).toEqual(all);
      expect(await walk({ sort: 'lowest', ...more })).toEqual(all.toReversed());
    }
    expect(await walk({ sort: 'highest', q: 'walnut', pageSize: 1 })).toEqual([dear.id, third.id, first.id]);
    expect(await walk({ sort: 'lowest', q: 'acorn' })).toEqual([cheap.id, second.id]);
    expect(await walk({ sort: 'lowest', q: first.id })).toEqual([first.id]);
    expect(await walk({ sort: 'highest', project: 'a' })).toEqual([dear.id, first.id, cheap.id]);
    const between = { minAmount: 400, maxAmount: 800 };
    expect(await walk({ sort: 'highest', ...between })).toEqual([paid.id, third.id, second.id, first.id]);
    expect(await walk({ sort: 'lowest', ...between })).toEqual([first.id, second.id, third.id, paid.id]);
    expect(await walk({ sort: 'lowest', createdFrom: second.createdAt })).toEqual([cheap.id, second.id, third.id]);
    const file = await Array.fromAsync(pair.buyer.agora.tasks.export({ sort: 'lowest', format: 'ndjson' }));
    const lines = file.join('').trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line).id)).toEqual(all.toReversed());

    // A cursor is of its order, and agents, whose lists have no index of amounts, are told so.
    const cursor = (await pair.buyer.agora.tasks.list({ sort: 'highest', pageSize: 1 })).pagination.nextCursor!;
    expect(await refusalOf(pair.buyer.agora.tasks.list({ cursor }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(pair.agent.agora.tasks.list({ sort: 'highest' }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(pair.seller.agora.tasks.list({ role: 'assigned', sort: 'lowest' }))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect((await pair.agent.agora.tasks.list({ role: 'submitted', sort: 'lowest' })).data).toEqual([]);
  });

  test('takes filters together, and says why a task failed', async () => {
    const pair = await makePair(server);
    const start = server.clock.now();
    server.clock.advance(1_000);
    const passed = await hireAndPass(pair);
    const rejected = await hireAndReject(pair);
    const cancelled = await submit(pair, { project: 'a', tags: ['x', 'y'] }, { maxBudget: 900 });
    await pair.buyer.agora.tasks.cancel(cancelled.id);
    const open = await submit(pair, { project: 'a' }, { maxBudget: 900 });
    server.clock.advance(1);
    const middle = server.clock.now().toISOString();
    server.clock.advance(1_000);
    const newest = await submit(pair, { project: 'b' }, { maxBudget: 400 });
    const list = (filter: Filter) => idsOf(pair, filter);
    for (const isIndexed of [false, true]) {
      if (isIndexed) await server.app.sweep();
      expect(await list({ status: 'open' })).toEqual([newest.id, open.id]);
      expect((await list({ status: 'ended' })).toSorted()).toEqual([passed.id, rejected.id, cancelled.id].toSorted());
      expect(await list({ failure: 'cancelled' })).toEqual([cancelled.id]);
      expect(await list({ failure: 'checks_failed' })).toEqual([rejected.id]);
      expect(await list({ failure: 'gave_up' })).toEqual([]);
      expect(await list({ project: 'a' })).toEqual([open.id, cancelled.id]);
      expect(await list({ project: 'a', tag: 'y' })).toEqual([cancelled.id]);
      expect(await list({ minAmount: 500, status: 'open' })).toEqual([open.id]);
      expect(await list({ maxAmount: 500, status: 'open' })).toEqual([newest.id]);
      expect(await list({ createdFrom: middle })).toEqual([newest.id]);
      expect(await list({ createdBefore: start.toISOString() })).toEqual([]);
      expect(await list({ agentId: pair.agent.id, createdBefore: middle, sort: 'oldest', pageSize: 1 })).toEqual([
        passed.id,
      ]);
    }
    expect(await pair.buyer.agora.tasks.get(cancelled.id)).toMatchObject({ status: 'failed', failure: 'cancelled' });
    expect(await pair.agent.agora.tasks.get(rejected.id)).toMatchObject({ failure: 'checks_failed' });
    expect((await pair.buyer.agora.tasks.list({ q: rejected.id })).data[0]?.failure).toBe('checks_failed');
    for (const wrong of [
      { createdFrom: middle, createdBefore: start.toISOString() },
      { minAmount: 2, maxAmount: 1 },
      { failure: 'bad luck' as never },
      { q: 'x'.repeat(201) },
    ]) {
      expect(await refusalOf(list(wrong))).toBe('400 VALIDATION_ERROR');
    }
  });

  test('is added up by day, month, type, agent, project and status', async () => {
    const pair = await makePair(server);
    const passed = await hireAndPass(pair);
    await hireAndReject(pair);
    server.clock.advance(day);
    const first = await submit(pair, { project: 'a' }, { maxBudget: 900 });
    await submit(pair, { project: 'b' }, { maxBudget: 400 });
    const cost = (await pair.buyer.agora.tasks.get(passed.id)).creditsCharged!;
    const ask = (query: Query<'tasks.totals'>) => pair.buyer.agora.tasks.totals(query);
    const dayOf = (at: string) => at.slice(0, 10);
    const all = { tasks: 4, charged: cost, held: 1_300, earned: null };
    const lastDay = { tasks: 2, charged: 0, held: 1_300, earned: null };
    for (const isIndexed of [false, true]) {
      if (isIndexed) await server.app.sweep();
      const byDay = await ask({});
      expect(byDay).toMatchObject({ by: 'day', currency: 'USD', total: all });
      expect(byDay.groups).toEqual([
        { key: dayOf(passed.createdAt), name: null, tasks: 2, charged: cost, held: 0, earned: null },
        { key: dayOf(first.createdAt), name: null, ...lastDay },
      ]);
      const byAgent = await ask({ by: 'agent' });
      const { displayName } = await pair.buyer.agora.agents.get(pair.agent.id);
      expect(byAgent.groups).toEqual([{ key: pair.agent.id, name: displayName, ...all }]);
      expect((await ask({ by: 'project' })).groups.map(({ key, tasks }) => [key, tasks])).toEqual([
        [null, 2],
        ['a', 1],
        ['b', 1],
      ]);
    }
    expect((await ask({ by: 'status' })).groups.map(({ key }) => key).toSorted()).toEqual([
      ...['completed', 'failed', 'submitted'],
    ]);
    expect((await ask({ by: 'month' })).total).toEqual(all);
    expect((await ask({ by: 'taskType', project: 'a' })).groups).toEqual([
      { key: 'general', name: null, tasks: 1, charged: 0, held: 900, earned: null },
    ]);
    expect((await ask({ q: first.id })).total.tasks).toBe(1);
    // On the other side of the earth it is another day.
    const [early, late] = [await ask({ timeZone: 'Pacific/Kiritimati' }), await ask({ timeZone: 'Etc/GMT+12' })];
    expect(early.groups.map(({ key }) => key)).not.toEqual(late.groups.map(({ key }) => key));
    const other = await makePair(server);
    expect((await other.buyer.agora.tasks.totals()).groups).toEqual([]);
    for (const wrong of [
      { createdFrom: new Date(server.clock.now().getTime() - 367 * day).toISOString() },
      { timeZone: 'Mars/Olympus' },
      { by: 'luck' as never },
    ]) {
      expect(await refusalOf(ask(wrong))).toBe('400 VALIDATION_ERROR');
    }
  });

  test('lets an agent search what it submitted, and not what it may not read', async () => {
    const pair = await makePair(server);
    await submit(pair, { description: 'plain', metadata: { hidden: 'needle' } });
    await server.app.sweep();
    const { agora } = pair.agent;
    const refused = await agora.tasks.list({ q: 'needle' }).catch((error) => error);
    expect([refused.code, refused.details.fields[0].path]).toEqual(['VALIDATION_ERROR', 'q']);
    expect((await agora.tasks.list({ q: 'needle', role: 'submitted' })).data).toEqual([]);
    const [seen] = (await agora.tasks.list()).data;
    expect(seen).toMatchObject({ title: 'plain', tags: [], project: null });
    // By a filter it would learn as much.
    expect((await agora.tasks.list({ project: 'x' }).catch((error) => error)).code).toBe('VALIDATION_ERROR');
  });

  test('knows a task by its labels after its input is erased', async () => {
    const pair = await makePair(server);
    const labels = {
      title: 'Polish',
      project: 'Brass',
      metadata: { customer: 'Marmalade', none: null },
      tags: ['shiny'],
    };
    const { id } = await submit(pair, { ...labels, secret: 'Quince' });
    await pair.buyer.agora.tasks.cancel(id);
    server.clock.advance(2 * day);
    await server.app.sweep();
    expect((await pair.buyer.agora.tasks.get(id)).input).toEqual({ description: 'Please fix', ...labels });
    expect(await idsOf(pair, { q: 'marmalade polish shiny', project: 'Brass' })).toEqual([id]);
    expect(await idsOf(pair, { q: 'quince' })).toEqual([]);
    const tooMuch = submit(pair, { metadata: { text: 'x'.repeat(5_000) } });
    expect(await refusalOf(tooMuch)).toBe('400 VALIDATION_ERROR');
  });

  test('is not sent again while it is as it was', async () => {
    const pair = await makePair(server);
    await hire(pair);
    const ask = (etag = '') =>
      fetch(`${server.url}/api/v1/tasks`, {
        headers: { authorization: `Bearer ${pair.buyer.token}`, 'if-none-match': etag },
      });
    const first = await ask();
    expect(first.headers.get('cache-control')).toBe('private, no-cache');
    const etag = first.headers.get('etag') ?? '';
    expect((await ask(etag)).status).toBe(304);
    await hire(pair);
    expect((await ask(etag)).status).toBe(200);
  });
});

test('a long reply is compressed for a client that takes it', async () => {
  const pair = await makePair(server);
  for (let nth = 0; nth < 8; nth++) await hire(pair);
  const ask = async (encoding: string) => {
    const headers = { authorization: `Bearer ${pair.buyer.token}`, 'accept-encoding': encoding };
    const reply = await fetch(`${server.url}/api/v1/tasks`, { headers });
    return { encoding: reply.headers.get('content-encoding'), body: await reply.json() };
  };
  const plain = await ask('identity');
  expect(plain.encoding).toBeNull();
  expect(await ask('br, gzip')).toEqual({ encoding: 'gzip', body: plain.body });
  expect((await ask('gzip;q=0')).encoding).toBeNull();
});

test('the filtered list is a file of CSV or lines of JSON, and no cell is a formula', async () => {
  const pair = await makePair(server);
  const first = await submit(pair, { title: '=1+1', tags: ['a', 'b'] });
  const second = await submit(pair, { title: 'Two, "quoted"' });
  await pair.buyer.agora.tasks.cancel(second.id);
  const text = async (query: Parameters<typeof pair.buyer.agora.tasks.export>[0]) =>
    (await Array.fromAsync(pair.buyer.agora.tasks.export(query))).join('');
  const lines = (await text({})).trimEnd().split('\r\n');
  expect(lines[0]).toMatch(/^id,title,status,failure,/);
  expect(lines[1]).toContain(`${second.id},"Two, ""quoted""",failed,cancelled,`);
  expect(lines[2]).toContain(`${first.id},'=1+1,submitted,,general,,a b,`);
  const json = (await text({ format: 'ndjson', status: 'open' })).trimEnd().split('\n');
  expect(json.map((line) => JSON.parse(line))).toEqual((await pair.buyer.agora.tasks.list({ status: 'open' })).data);
  expect(await text({ project: 'none' })).toBe(`${lines[0]}\r\n`);
});

describe('saved views', () => {
  test('are kept under their names, replaced, and deleted', async () => {
    const { agora } = await server.owner({ credits: 0 });
    const { tasks } = agora;
    expect((await tasks.listViews()).data).toEqual([]);
    await tasks.saveView({ name: 'Was läuft?', filter: { status: 'open' } });
    await tasks.saveView({ name: 'Failed / mine', filter: { failure: 'checks_failed', q: 'parser', minAmount: 5 } });
    const replaced = await tasks.saveView({ name: 'Was läuft?', filter: { status: 'ended', sort: 'oldest' } });
    expect((await tasks.listViews()).data).toEqual([
      {
        name: 'Failed / mine',
        filter: { failure: 'checks_failed', q: 'parser', minAmount: 5 },
        savedAt: expect.any(String),
      },
      replaced,
    ]);
    const other = await server.owner({ credits: 0 });
    expect((await other.agora.tasks.listViews()).data).toEqual([]);
    await other.agora.tasks.deleteView({ name: 'Failed / mine' });
    await tasks.deleteView({ name: 'Was läuft?' });
    await tasks.deleteView({ name: 'Was läuft?' });
    expect((await tasks.listViews()).data.map(({ name }) => name)).toEqual(['Failed / mine']);
    expect(await refusalOf(tasks.saveView({ name: 'x', filter: { pageSize: 5 } as never }))).toBe(
      '400 VALIDATION_ERROR',
    );
    expect(await refusalOf(tasks.saveView({ name: 'x'.repeat(61), filter: {} }))).toBe('400 VALIDATION_ERROR');
  });
});

describe('what the agents of an owner do', () => {
  const listedFor = async ({ seller }: Pick<Made, 'seller'>, filter: Filter = {}) =>
    (await seller.agora.tasks.list({ role: 'assigned', ...filter })).data;
  const idsFor = async (pair: Pick<Made, 'seller'>, filter: Filter = {}) =>
    (await listedFor(pair, filter)).map(({ id }) => id);

  test('is listed for their owner as they see it, of all and of one, with what was earned and said of it', async () => {
    const pair = await makePair(server);
    const second = { ...pair, agent: await pair.seller.agent({ displayName: 'Second' }) };
    const secret = { acceptance: { rubric: 'RUBRIC' }, project: 'PROJECT', tags: ['TAG'], code: 'CODE' };
    const waiting = await submit(pair, { title: 'TITLE', description: 'First line', ...secret });
    const passed = await hireAndPass(second);
    const failed = await hireAndReject(pair);
    await pair.buyer.agora.tasks.feedback(passed.id, { direction: 'up', comment: 'Well done' });
    expect((await idsFor(pair)).toSorted()).toEqual([waiting.id, passed.id, failed.id].toSorted());
    expect(await idsFor(pair, { agentId: second.agent.id })).toEqual([passed.id]);
    expect(await idsFor(pair, { status: 'waiting' })).toEqual([waiting.id]);
    expect(await idsFor(pair, { status: 'running' })).toEqual([]);
    expect(await idsFor(pair, { failure: 'checks_failed' })).toEqual([failed.id]);
    for (const feedback of ['given', 'up'] as const) expect(await idsFor(pair, { feedback })).toEqual([passed.id]);
    expect(await idsFor(pair, { feedback: 'down' })).toEqual([]);
    expect(await idsFor(pair, { q: failed.id })).toEqual([failed.id]);
    const [sold] = await listedFor(pair, { q: passed.id });
    expect(sold).toMatchObject({ agentName: 'Second', price: 1000, earned: 850, status: 'completed' });
    expect(sold?.feedback).toMatchObject({ direction: 'up', comment: 'Well done' });
    expect((await listedFor(pair, { q: failed.id }))[0]).toMatchObject({ earned: 0, failure: 'checks_failed' });
    // The buyer reads nothing of what the agent earns.
    expect((await pair.buyer.agora.tasks.list({ q: passed.id })).data[0]?.earned).toBeNull();
    expect((await second.agent.agora.tasks.list()).data[0]?.earned).toBe(850);
    // The agent reads no more before it begins, and its owner reads no more than the agent.
    for (const include of [undefined, 'content'] as const) {
      const [theirs] = (await pair.agent.agora.tasks.list({ status: 'waiting', ...(include && { include }) })).data;
      const [shown] = await listedFor(pair, { q: waiting.id, ...(include && { include }) });
      expect(shown).toEqual(theirs);
      expect(JSON.stringify(shown)).not.toMatch(/RUBRIC|PROJECT|TAG|CODE/);
    }
    expect(await refusalOf(pair.seller.agora.tasks.get(waiting.id))).toBe('403 NOT_A_PARTY');
  });

  test('is nobody else’s, and is not found by what the agent may not read', async () => {
    const [pair, other] = [await makePair(server), await makePair(server)];
    const { id } = await submit(pair, { project: 'p' });
    expect(await idsFor(other)).toEqual([]);
    expect(await idsFor(other, { agentId: pair.agent.id })).toEqual([]);
    expect(await idsFor(other, { q: id })).toEqual([]);
    // What the seller itself submits is not among it.
    expect(await idsFor({ seller: pair.buyer })).toEqual([]);
    for (const filter of [{ q: 'fix' }, { project: 'p' }, { tag: 'x' }]) {
      expect(await refusalOf(idsFor(pair, filter))).toBe('400 VALIDATION_ERROR');
    }
  });

  test('is walked by cursor over all agents in both orders, and exported', async () => {
    const pair = await makePair(server);
    const others = [pair, { ...pair, agent: await pair.seller.agent() }, { ...pair, agent: await pair.seller.agent() }];
    const made: string[] = [];
    for (let nth = 0; nth < 7; nth++) made.unshift((await submit(others[nth % 3] as Made, {})).id);
    const walk = async (filter: Filter) => {
      const ids: string[] = [];
      for await (const { id } of pair.seller.agora.tasks.list({ role: 'assigned', pageSize: 2, ...filter }))
        ids.push(id);
      return ids;
    };
    expect(await walk({})).toEqual(made);
    expect(await walk({ sort: 'oldest' })).toEqual(made.toReversed());
    const text = (await Array.fromAsync(pair.seller.agora.tasks.export({ role: 'assigned' }))).join('');
    const lines = text.trimEnd().split('\r\n');
    expect(lines.slice(1).map((line) => line.split(',')[0])).toEqual(made);
    expect(lines[0]).toMatch(/,earned,feedback,review$/);
  });

  test('is counted: open tasks, and what ended in 30 days by how it ended', async () => {
    const pair = await makePair(server);
    await hireAndPass(pair);
    server.clock.advance(40 * day);
    // Their sessions have ended meanwhile.
    const again = async (owner: Made['buyer']) => {
      const { token } = await server.client().auth.signIn({ email: owner.email, password: 'correct horse' });
      return { ...owner, token, agora: server.client({ ownerToken: token }) };
    };
    const [buyer, seller] = [await again(pair.buyer), await again(pair.seller)];
    const now = { ...pair, buyer, seller };
    await hireAndPass(now);
    const refunded = await hireAndPass(now);
    await buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
    await hireAndReject(now);
    await buyer.agora.tasks.cancel((await hire(now)).id);
    await hire(now);
    await hireAndStart(now);
    const shown = await seller.agora.tasks.assignedFigures();
    expect(shown).toMatchObject({
      waiting: 1,
      running: 1,
      lastMonth: { delivered: 1, refunded: 1, earned: 850, failed: { checks_failed: 1, cancelled: 1, gave_up: 0 } },
    });
    expect(await seller.agora.tasks.assignedFigures({ agentId: pair.agent.id })).toEqual(shown);
    const other = await makePair(server);
    expect(await other.seller.agora.tasks.assignedFigures({ agentId: pair.agent.id })).toMatchObject({
      waiting: 0,
      lastMonth: { delivered: 0, earned: 0 },
    });
  });

  test('is added up by what it earned, for their owner and for each, and for nobody else', async () => {
    const pair = await makePair(server);
    const second = { ...pair, agent: await pair.seller.agent({ displayName: 'Second' }) };
    const passed = await hireAndPass(pair);
    const refunded = await hireAndPass(pair);
    await pair.buyer.agora.tasks.feedback(refunded.id, { direction: 'down' });
    await hireAndReject(second);
    server.clock.advance(day);
    await hireAndPass(second, { maxBudget: 333 });
    await submit(second, {}, { maxBudget: 700 });
    const ask = (query: Query<'tasks.totals'>, agora = pair.seller.agora) =>
      agora.tasks.totals({ role: 'assigned', ...query });
    // 15 % of 1,000, and of 333 as much as is whole.
    const [one, other] = [850, 333 - 49];
    const all = { tasks: 5, charged: 1_333, held: 700, earned: one + other };
    const byDay = await ask({});
    expect(byDay.total).toEqual(all);
    expect(byDay.groups.map(({ tasks, earned }) => [tasks, earned])).toEqual([
      [3, one],
      [2, other],
    ]);
    const byAgent = await ask({ by: 'agent' });
    expect(byAgent.groups.map(({ key, earned }) => [key, earned])).toEqual([
      [pair.agent.id, one],
      [second.agent.id, other],
    ]);
    expect(byAgent.groups[1]).toMatchObject({ name: 'Second', tasks: 3, charged: 333, held: 700 });
    for (const by of ['month', 'taskType'] as const) expect((await ask({ by })).total).toEqual(all);
    const byStatus = Object.fromEntries((await ask({ by: 'status' })).groups.map(({ key, earned }) => [key, earned]));
    expect(byStatus).toEqual({ completed: one + other, refunded: 0, failed: 0, submitted: 0 });
    // Each agent adds up its own, as its list has it.
    const own = await second.agent.agora.tasks.totals({ by: 'agent' });
    expect(own.groups).toEqual([byAgent.groups[1]]);
    const listed = (await second.agent.agora.tasks.list()).data.map(({ earned }) => earned ?? 0);
    expect(own.total.earned).toBe(listed.reduce((sum, earned) => sum + earned, 0));
    expect((await ask({ agentId: second.agent.id })).total.earned).toBe(other);
    expect((await ask({ q: passed.id })).total).toMatchObject({ tasks: 1, earned: one });
    expect((await second.agent.agora.tasks.totals({ role: 'submitted' })).total).toMatchObject({
      tasks: 0,
      earned: null,
    });
    // What is not theirs, and what the buyer alone knows of a task.
    const stranger = await makePair(server);
    const nothing = { tasks: 0, charged: 0, held: 0, earned: 0 };
    expect((await ask({}, stranger.seller.agora)).total).toEqual(nothing);
    expect((await ask({ agentId: pair.agent.id }, stranger.seller.agora)).total).toEqual(nothing);
    expect((await ask({ q: passed.id }, stranger.seller.agora)).total).toEqual(nothing);
    expect((await ask({}, pair.buyer.agora)).total).toEqual(nothing);
    for (const query of [{ by: 'project' as const }, { project: 'p' }, { tag: 'x' }, { q: 'fix' }]) {
      expect(await refusalOf(ask(query)), JSON.stringify(query)).toBe('400 VALIDATION_ERROR');
      expect(await refusalOf(ask(query, pair.agent.agora)), JSON.stringify(query)).toBe('400 VALIDATION_ERROR');
    }
    expect(await refusalOf(ask({ by: 'project', role: 'submitted' }, pair.agent.agora))).toBe('no refusal');
  });

  test('that fails in a row is named with what it counts, until a task passes', async () => {
    const pair = await makePair(server);
    const { agents } = pair.seller.agora;
    const gaveUp = await hireAndStart(pair);
    await pair.agent.agora.tasks.fail(gaveUp.id, { reason: 'r' });
    const rejected = await hireAndReject(pair);
    await server.app.sweep();
    const failure = { weight: 1, by: 'agent' };
    expect(await agents.failures(pair.agent.id)).toEqual({
      counted: 2,
      suspendedFrom: 3,
      failures: [
        { taskId: gaveUp.id, ...failure },
        { taskId: rejected.id, ...failure },
      ],
    });
    expect(await refusalOf(pair.buyer.agora.agents.failures(pair.agent.id))).toBe('403 NOT_AGENT_OWNER');
    await hireAndPass(pair);
    await server.app.sweep();
    expect(await agents.failures(pair.agent.id)).toMatchObject({ counted: 0, failures: [] });
  });
});
