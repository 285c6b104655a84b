import { toUuid } from '@agora-market/contract';
import { describe, expect, test } from 'vitest';
import { uuidOf } from '../vault/plant.ts';
import {
  day,
  dispute,
  hire,
  hireAndPass,
  hireAndReject,
  hireAndStart,
  hour,
  makePair,
  minute,
  refusalOf,
  serverForFile,
} from './scene.ts';
import { webhook } from './world-parts.ts';

/** What the operator sees of everybody's owners, agents and tasks. */

const server = serverForFile();
const desk = () => server.operator().operator;
const taskUuid = (id: string) => toUuid('task', id) as string;

describe('the operator’s reads', () => {
  test.each(['owners', 'owners/x@example.com', 'agents', 'agents/x', 'tasks', 'tasks/x', 'stuck', 'history'])(
    '%s is refused to everybody else',
    async (path) => {
      const { buyer, agent } = await makePair(server, { credits: 0 });
      const ask = async (headers: Record<string, string>) =>
        (await fetch(`${server.url}/api/v1/operator/${path}`, { headers })).status;
      expect(await ask({})).toBe(401);
      expect(await ask({ authorization: `Bearer ${buyer.token}` })).toBe(401);
      expect(await ask({ 'x-api-key': agent.key })).toBe(401);
      expect(await ask({ cookie: `agora-session=${buyer.token}` })).toBe(401);
    },
  );

  test('refuse what they do not take, and say what to write', async () => {
    expect(await refusalOf(desk().tasks({ q: 'haiku' }))).toBe('400 VALIDATION_ERROR');
    await expect(desk().tasks({ q: 'haiku' })).rejects.toMatchObject({
      details: { fields: [{ path: 'q', message: expect.stringContaining('tsk_') }] },
    });
    expect(await refusalOf(desk().agents({ q: 'a-b' }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(desk().tasks({ cursor: 'x' }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(desk().owners({ pageSize: 101 }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(desk().history({ period: 'year' as 'day' }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(desk().agent('agt_x'))).toBe('404 AGENT_NOT_FOUND');
    expect(await refusalOf(desk().task('tsk_x'))).toBe('404 TASK_NOT_FOUND');
    expect(await refusalOf(desk().owner('nobody@example.com'))).toBe('404 OWNER_NOT_FOUND');
  });
});

describe('owners', () => {
  test('are found by id, by a part of address or name as it is written, by plan and by state', async () => {
    const first = await server.owner({ credits: 0, name: 'Zoë 100%_Real' });
    const second = await server.owner({ credits: 0, name: 'Zoë 100 xReal' });
    await server.operator().auth.updateOwner(second.id, { plan: 'pro', status: 'suspended', reason: 'r' });
    const idsOf = async (query: Parameters<ReturnType<typeof desk>['owners']>[0]) =>
      (await desk().owners(query)).data.map(({ id }) => id);
    expect(await idsOf({ q: first.id })).toEqual([first.id]);
    expect(await idsOf({ q: first.email.slice(0, -5).toUpperCase() })).toEqual([first.id]);
    expect(await idsOf({ q: 'zoë 100' })).toEqual([second.id, first.id]);
    expect(await idsOf({ q: '100%_r' })).toEqual([first.id]);
    expect(await idsOf({ q: 'zoë', plan: 'pro' })).toEqual([second.id]);
    expect(await idsOf({ q: 'zoë', status: 'active' })).toEqual([first.id]);
    expect(await idsOf({ q: '\\' })).toEqual([]);
    const page = await desk().owners({ q: 'zoë', pageSize: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([second.id]);
    expect((await page.nextPage())?.data.map(({ id }) => id)).toEqual([first.id]);
  });

  test('are shown with money, alerts, disputes and events, whose data is left out', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const { id } = await dispute(server, pair);
    await server.operator().auth.updateOwner(pair.buyer.id, { plan: 'pro', reason: 'SAID-BY-THE-OPERATOR' });
    const seen = await desk().owner(pair.buyer.email);
    expect(seen).toMatchObject({
      owner: { id: pair.buyer.id, plan: 'pro' },
      ...{ secondFactor: false, owed: 0, heldPayments: 0, findings: 0 },
      disputes: [{ id, side: 'buyer', status: 'filed' }],
    });
    const { pool } = await pair.buyer.agora.embassy.overview();
    expect(seen.overview.pool).toEqual(pool);
    expect(seen.payments).toMatchObject([{ kind: 'top_up', amount: 5_000, status: 'succeeded', agentId: null }]);
    const topUpId = seen.payments[0]?.id as string;
    expect((await pair.buyer.agora.vault.poolTransactions({ cause: 'top_up' })).data[0]?.id).toBe(topUpId);
    expect(seen.events[0]).toMatchObject({ type: 'owner.updated', taskId: null });
    expect(JSON.stringify(seen)).not.toContain('SAID-BY-THE-OPERATOR');
    const seller = await desk().owner(pair.seller.id);
    expect(seller.disputes).toMatchObject([{ id, side: 'seller' }]);
    expect(seller.overview.alerts.map(({ kind }) => kind)).toContain('dispute_to_answer');
  });
});

describe('agents', () => {
  test('are found by id, by a part of the name, by owner and by state, page by page', async () => {
    const owner = await server.owner({ credits: 0 });
    const one = await owner.agent({ displayName: 'Quokka the First' });
    const two = await owner.agent({ displayName: 'Second Quokka' });
    await owner.agora.agents.deactivate(two.id);
    const other = await (await server.owner({ credits: 0 })).agent({ displayName: 'A quokka of others' });
    const idsOf = async (query: Parameters<ReturnType<typeof desk>['agents']>[0]) =>
      (await desk().agents(query)).data.map(({ id }) => id);
    expect(await idsOf({ q: one.id })).toEqual([one.id]);
    expect(await idsOf({ q: 'uokk' })).toEqual([other.id, two.id, one.id]);
    expect(await idsOf({ q: 'quokka', ownerId: owner.id })).toEqual([two.id, one.id]);
    expect(await idsOf({ ownerId: owner.id, status: 'deactivated' })).toEqual([two.id]);
    expect(await idsOf({ q: 'no such quokka' })).toEqual([]);
    const page = await desk().agents({ ownerId: owner.id, pageSize: 1 });
    expect((await page.nextPage())?.data.map(({ id }) => id)).toEqual([one.id]);
  });

  test('are shown with their failures of late, wallet, flag and webhooks, not their addresses', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const failed = await hireAndReject(pair);
    await hireAndPass(pair);
    await pair.agent.agora.webhooks.createMine({ ...webhook, url: 'https://agent.invalid/secret-path' });
    await server.pool.query(
      `insert into wallet_flags (agent_id, reason, found_at) values ($1, 'It does not add up.', now())`,
      [uuidOf(pair.agent)],
    );
    const seen = await desk().agent(pair.agent.id);
    expect(seen).toMatchObject({
      ...{ ownerId: pair.seller.id, completedTasks: 1, failedTasks: 1, status: 'active' },
      failures: [{ taskId: failed.id, failure: 'checks_failed' }],
      flag: { reason: 'It does not add up.' },
      webhooks: [{ enabled: true, failures: 0, failingSince: null }],
    });
    expect(seen.wallet.escrowed).toBeGreaterThan(0);
    expect(JSON.stringify(seen)).not.toContain('secret-path');
    await server.operator().vault.clearFlag(pair.agent.id, { reason: 'Looked at' });
    const after = await desk().agent(pair.agent.id);
    expect([after.flag, after.events[0]?.type]).toEqual([null, 'wallet.flag_cleared']);
  });
});

describe('tasks', () => {
  test('are listed by owner, agent, state, reason, type, time and amount, without what was written', async () => {
    const pair = await makePair(server);
    const words = {
      title: 'TITLE-OF-BUYER',
      description: 'DESCRIPTION-OF-BUYER',
      tags: ['tag-of-buyer'],
      project: 'p-of-buyer',
    };
    const open = await hire(pair, { input: words });
    server.clock.advance(minute);
    const since = server.clock.now().toISOString();
    const failed = await hireAndReject(pair);
    const passed = await hireAndPass(pair);
    const idsOf = async (query: Parameters<ReturnType<typeof desk>['tasks']>[0]) =>
      (await desk().tasks(query)).data.map(({ id }) => id);
    const ownerId = pair.buyer.id;
    expect(await idsOf({ ownerId })).toEqual([passed.id, failed.id, open.id]);
    expect(await idsOf({ q: ownerId, sort: 'oldest' })).toEqual([open.id, failed.id, passed.id]);
    expect(await idsOf({ agentId: pair.agent.id })).toEqual([passed.id, failed.id, open.id]);
    expect(await idsOf({ q: pair.agent.id, ownerId: pair.seller.id })).toEqual([]);
    expect(await idsOf({ q: failed.id })).toEqual([failed.id]);
    expect(await idsOf({ q: failed.id, status: 'completed' })).toEqual([]);
    expect(await idsOf({ ownerId, status: 'open' })).toEqual([open.id]);
    expect((await idsOf({ status: 'open' }))[0]).toBe(open.id);
    expect(await idsOf({ ownerId, failure: 'checks_failed' })).toEqual([failed.id]);
    expect((await idsOf({ failure: 'checks_failed' }))[0]).toBe(failed.id);
    expect(await idsOf({ ownerId, taskType: 'design' })).toEqual([]);
    expect(await idsOf({ ownerId, createdFrom: since })).toEqual([passed.id, failed.id]);
    expect(await idsOf({ ownerId, createdBefore: since })).toEqual([open.id]);
    expect(await idsOf({ ownerId, minAmount: 1_000_000 })).toEqual([]);
    const page = await desk().tasks({ ownerId, pageSize: 2 });
    expect((await page.nextPage())?.data.map(({ id }) => id)).toEqual([open.id]);
    const detail = await desk().task(open.id);
    expect(detail).toMatchObject({ id: open.id, held: 1000, status: 'submitted', disputeId: null, sandboxes: [] });
    expect(detail.events.map(({ type }) => type)).toContain('task.submitted');
    const told = JSON.stringify([await desk().tasks({ ownerId }), detail]);
    for (const word of ['TITLE-OF', 'DESCRIPTION-OF', 'tag-of', 'p-of']) expect(told).not.toContain(word);
    expect((await desk().task(passed.id)).assessments).toMatchObject([{ purpose: 'gate', passed: true }]);
  });

  test('name the dispute that lets the operator read them', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const { id, taskId } = await dispute(server, pair);
    expect(await desk().task(taskId)).toMatchObject({ disputeId: id, disputeStatus: 'filed', held: 0 });
  });

  test('of a long list are looked through in stretches, whatever is looked for, and none is passed over', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const wanted = await hireAndReject(pair);
    server.clock.advance(hour);
    const { id } = await hireAndPass(pair);
    const planted = await server.pool.query(
      `insert into tasks select (jsonb_populate_record(t, jsonb_build_object('id',
         (left(t.id::text, 14) || '7' || substr(t.id::text, 16, 9) || lpad(to_hex(n), 12, '0'))))).*
       from tasks t, generate_series(1, 20100) n where t.id = $1 returning id`,
      [taskUuid(id)],
    );
    try {
      const query = {
        failure: 'checks_failed',
        createdFrom: new Date(Date.parse(wanted.createdAt) - 1).toISOString(),
      } as const;
      const first = await desk().tasks(query);
      expect([first.data, first.hasNextPage()]).toEqual([[], true]);
      const second = await first.nextPage();
      expect(second?.data.map((task) => task.id)).toContain(wanted.id);
    } finally {
      await server.pool.query('delete from tasks where id = any($1)', [planted.rows.map((row) => row.id)]);
    }
  });
});

describe('stuck work', () => {
  const groupOf = async (kind: string) => (await desk().stuck()).data.find((group) => group.kind === kind);

  test('names tasks whose time is over until the job ends them', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const { id } = await hire(pair);
    server.clock.advance(hour);
    const group = await groupOf('task_overdue');
    expect(group?.items).toContainEqual(
      expect.objectContaining({ taskId: id, agentId: pair.agent.id, ownerId: pair.buyer.id, detail: 'submitted' }),
    );
    expect(group?.advice).toContain('tasks.expireOverdue');
    await server.app.sweep();
    expect((await groupOf('task_overdue'))?.items.some(({ taskId }) => taskId === id) ?? false).toBe(false);
  });

  test('names agents that went silent, tasks without one, and deliveries without a verdict', async () => {
    const pair = await makePair(server, { credits: 50_000 });
    const silent = await hireAndStart(pair, { deadlineMinutes: 1440 });
    const judged = await hireAndStart(pair, { deadlineMinutes: 1440 });
    await server.pool.query(
      `with d as (update tasks set status = 'quality_check' where id = $1 returning *)
       insert into events (type, district, at, task_id, agent_id, owner_id, correlation_id, data)
       select 'task.delivered', 'tasks', $2, id, agent_id, owner_id, correlation_id, '{}' from d`,
      [taskUuid(judged.id), server.clock.now().toISOString()],
    );
    server.clock.advance(31 * minute);
    expect((await groupOf('task_silent'))?.items.map(({ taskId }) => taskId)).toEqual([silent.id]);
    expect((await groupOf('gate_slow'))?.items).toMatchObject([{ taskId: judged.id, agentId: pair.agent.id }]);
    await server.pool.query(`update tasks set status = 'executing' where id = $1`, [taskUuid(judged.id)]);
    await pair.agent.agora.tasks.progress(silent.id, { message: 'Going on' });
    expect((await groupOf('task_silent'))?.items.map(({ taskId }) => taskId)).not.toContain(silent.id);
    expect(await groupOf('gate_slow')).toBeUndefined();
  });

  test('names sandboxes whose server is gone, webhooks that fail and payments without an answer', async () => {
    const pair = await makePair(server, { credits: 5_000 });
    const { id } = await hireAndStart(pair, { deadlineMinutes: 1440 });
    const at = new Date(server.clock.now().getTime() - 2 * hour).toISOString();
    const sandbox = await server.pool.query(
      `insert into sandboxes (id, task_id, host, status, expires_at, created_at, agent_id)
       values (gen_random_uuid(), $1, gen_random_uuid(), 'ready', $2, $2, $3) returning id`,
      [taskUuid(id), at, uuidOf(pair.agent)],
    );
    await pair.agent.agora.webhooks.createMine(webhook);
    await server.pool.query('update webhooks set failing_since = $2 where agent_id = $1', [uuidOf(pair.agent), at]);
    await server.pool.query(
      `insert into top_ups (id, owner_id, amount, payment_method_id, correlation_id, created_at)
       values (gen_random_uuid(), $1, 777, 'pm_card_visa', 'x', $2)`,
      [toUuid('owner', pair.seller.id), at],
    );
    expect((await groupOf('sandbox_lost'))?.items).toMatchObject([{ taskId: id }]);
    expect((await groupOf('webhook_failing'))?.items).toMatchObject([{ agentId: pair.agent.id, since: at }]);
    expect((await groupOf('payment_unsettled'))?.items).toMatchObject([
      { ownerId: pair.seller.id, detail: 'top-up of 777 cents' },
    ]);
    await server.pool.query('delete from sandboxes where id = $1', [sandbox.rows[0].id]);
    await server.pool.query('delete from top_ups where amount = 777');
    await server.pool.query('update webhooks set failing_since = null');
  });

  test('counts to a thousand and shows as many of a kind as are asked for, those that wait the longest', async () => {
    await server.pool.query(
      `insert into queued_jobs (id, kind, key, payload, due_at, error, created_at)
       select gen_random_uuid(), 'test.givenUp', n::text, '{}', null, 'It broke', $1::timestamptz + n * interval '1 s'
       from generate_series(1, 1005) n`,
      [new Date(server.clock.now().getTime() - day).toISOString()],
    );
    const { data } = await desk().stuck({ pageSize: 3 });
    const group = data.find(({ kind }) => kind === 'job_given_up');
    expect(group).toMatchObject({ count: 1000 });
    expect(group?.items.map(({ subject, detail }) => [subject, detail])).toEqual(
      new Array(3).fill(['test.givenUp', 'It broke']),
    );
    expect(group?.items.map(({ since }) => since)).toEqual(group?.items.map(({ since }) => since).toSorted());
    const retry = { kind: 'test.givenUp', reason: 'Mended', by: 'Ada' };
    expect(await desk().retryJobs(retry)).toEqual({ kind: 'test.givenUp', retried: 1000 });
    expect(await groupOf('job_given_up')).toMatchObject({ count: 5 });
    expect(await desk().retryJobs(retry)).toMatchObject({ retried: 5 });
    expect(await desk().retryJobs(retry)).toMatchObject({ retried: 0 });
    expect(await groupOf('job_given_up')).toBeUndefined();
    const told = await server.pool.query(`select data from events where type = 'jobs.retried' order by seq`);
    expect(told.rows).toEqual([1000, 5].map((retried) => ({ data: { ...retry, retried } })));
    expect(await refusalOf(desk().retryJobs({ ...retry, reason: ' ' }))).toBe('400 VALIDATION_ERROR');
    await server.pool.query(`delete from queued_jobs where kind = 'test.givenUp'`);
  });
});

describe('the history of figures', () => {
  const sample = async () => {
    await server.app.run('metrics.sampleServer');
    await server.app.run('metrics.sampleDatabase');
  };
  const rowsOf = async () => Number((await server.pool.query('select count(*) from metric_samples')).rows[0].count);

  test('has rates of requests and levels of tasks, of the minutes that were sampled', async () => {
    await server.pool.query('delete from metric_samples');
    server.clock.set(new Date(Math.ceil(server.clock.now().getTime() / hour) * hour));
    await sample();
    await sample();
    expect(await rowsOf()).toBe(2);
    server.clock.advance(minute);
    for (let nth = 0; nth < 6; nth++) await server.client().system.health();
    await refusalOf(server.client().tasks.list());
    await sample();
    const { at, stepMs, servers, figures } = await desk().history({ period: 'hour' });
    expect([at.length, stepMs, servers]).toEqual([60, minute, 1]);
    expect(at.at(-1)).toBe(server.clock.now().toISOString());
    const last = (name: keyof typeof figures) => figures[name]?.at(-1);
    expect(last('requests')).toBeGreaterThanOrEqual(7 / 60 - 0.001);
    expect(last('clientErrors')).toBeCloseTo(1 / 60, 2);
    expect(last('serverErrors')).toBe(0);
    expect(last('latencyP50Ms')).toBeGreaterThan(0);
    expect(last('latencyP95Ms')).toBeGreaterThanOrEqual(last('latencyP50Ms') as number);
    expect(last('memoryBytes')).toBeGreaterThan(1e7);
    expect(last('queuedJobs')).toBeGreaterThanOrEqual(0);
    expect(last('paidInCents')).toBe(0);
    expect(figures.requests?.slice(0, -1)).toEqual(new Array(59).fill(null));
    expect(figures.memoryBytes?.at(-2)).toBeGreaterThan(1e7);
    expect(figures.memoryBytes?.at(-3)).toBeNull();
    // Figures of the database are a few seconds old.
    await expect
      .poll(async () => {
        await server.pool.query(`delete from metric_samples where host = '00000000-0000-0000-0000-000000000000'`);
        await server.app.run('metrics.sampleDatabase');
        return (await desk().history({ period: 'hour' })).figures.openExecuting?.at(-1);
      })
      .toBeGreaterThan(0);
  });

  test('keeps every minute for a day and one of a quarter of an hour for 30 days', async () => {
    await server.pool.query('delete from metric_samples');
    for (let nth = 0; nth < 20; nth++) {
      await sample();
      server.clock.advance(minute);
    }
    expect(await rowsOf()).toBe(40);
    server.clock.advance(day);
    await sample();
    expect(await rowsOf()).toBe(2 * 2 + 2);
    const month = await desk().history({ period: 'month' });
    expect([month.at.length, month.stepMs]).toEqual([360, 2 * hour]);
    expect(month.figures.memoryBytes?.filter((value) => value !== null).length).toBeGreaterThanOrEqual(2);
    server.clock.advance(30 * day + minute);
    await sample();
    expect(await rowsOf()).toBe(2);
  });
});
