import { ownedAtMost, scheduleLimits, toUuid } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../support/harness.ts';
import { bind } from './policy.ts';
import { day, goodOutput, hour, makePair, minute, refusalOf, serverForFile, startSecondApp } from './scene.ts';

/** The injected clock starts on Saturday, 2026-11-21, at noon UTC, and these tests only move it on. */
const server = serverForFile();

type Made = Awaited<ReturnType<typeof makePair>>;
type NewSchedule = Body<'schedules.create'>;

const task = { taskType: 'general', input: { title: 'Weekly report', description: 'Write it' } } as const;
const template = (agentId?: string) => ({
  name: 'Report',
  task: { ...task, maxBudget: 2000, ...(agentId && { agentId }) },
});

const schedule = ({ buyer, agent }: Made, more: Partial<NewSchedule> = {}) =>
  buyer.agora.schedules.create({
    ...{ name: 'Hourly', cron: '0 * * * *', timeZone: 'UTC', maxBudget: 2000, monthlyBudget: 20_000 },
    ...(more.templateId === undefined && { task: { ...task, agentId: agent.id } }),
    ...more,
  });

const runsOf = async ({ agora }: Pick<TestOwner, 'agora'>, scheduleId: string) =>
  (await agora.schedules.listRuns(scheduleId, { pageSize: 100 })).data;

/** Moves the clock, and does what is due. */
async function pass(ms: number): Promise<void> {
  server.clock.advance(ms);
  await server.app.run('schedules.begin');
  await server.app.run('schedules.startRun');
}
/** To just after the next full hour. */
const passHour = () => pass(hour - (server.clock.now().getTime() % hour) + minute);

/** Longer than a session. */
async function lasting({ agora }: TestOwner) {
  const { token } = await agora.auth.createToken({ name: 'For months' });
  return { agora: agora.withOptions({ ownerToken: token }) };
}

async function work({ agent }: Made, taskId: string): Promise<void> {
  await agent.agora.tasks.start(taskId, { sandboxId: 'mine' });
  await agent.agora.tasks.fail(taskId, { reason: 'Not possible' });
}

describe('templates', () => {
  test('are kept, found, renamed, given another task and deleted; their task can be submitted as it is', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const made = await agora.templates.create(template(pair.agent.id));
    expect(made).toMatchObject({ name: 'Report', title: 'Weekly report', taskType: 'general', maxBudget: 2000 });
    expect(await agora.templates.get(made.id)).toEqual(made);
    const { task: whole, ...listed } = made;
    expect((await agora.templates.list()).data).toEqual([listed]);
    expect((await agora.tasks.submit(whole)).title).toBe('Weekly report');
    server.clock.advance(minute);
    const renamed = await agora.templates.update(made.id, { name: 'Monthly report' });
    expect(renamed).toMatchObject({ name: 'Monthly report', task: whole });
    expect(renamed.updatedAt > made.updatedAt).toBe(true);
    const changed = { ...whole, maxBudget: 3000, input: { description: '# Sums\n\nDo them' } };
    expect(await agora.templates.update(made.id, { task: changed })).toMatchObject({ maxBudget: 3000, title: 'Sums' });
    await agora.templates.delete(made.id);
    expect(await refusalOf(agora.templates.get(made.id))).toBe('404 TEMPLATE_NOT_FOUND');
    expect((await agora.templates.list()).data).toEqual([]);
  });

  test('are checked as a submission is, and are their owner’s alone', async () => {
    const { buyer, seller } = await makePair(server);
    const create = (more: object) => buyer.agora.templates.create({ name: 'x', task: { ...template().task, ...more } });
    const wrong = [
      { maxBudget: 0 },
      { taskType: 'cooking' },
      { attempts: 2, waitMinutes: 5 },
      { input: { repo: { url: 'ftp://example.com/x' } } },
      { input: { repo: { url: 'bundle:0123456789012345678901234567890123456789' } } },
      { input: { files: { '../escape': 'x' } } },
    ];
    for (const more of wrong) expect(await refusalOf(create(more))).toMatch(/^400/);
    expect(await refusalOf(create({ input: { code: 'x'.repeat(300_000) } }))).toBe('413 PAYLOAD_TOO_LARGE');
    const { id } = await create({});
    for (const call of ['get', 'delete'] as const)
      expect(await refusalOf(seller.agora.templates[call](id))).toBe('404 TEMPLATE_NOT_FOUND');
  });

  test('take four MiB together with the tasks of schedules, however they come to be so large', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const large = {
      ...template(),
      task: { ...template().task, input: { description: 'x', code: 'y'.repeat(250_000) } },
    };
    const most = Math.floor(ownedAtMost.keptTaskBytes / 250_200);
    for (let nth = 0; nth < most - 1; nth++) await agora.templates.create(large);
    const small = await agora.templates.create(template());
    const { maxBudget: _, ...own } = large.task;
    const times = { cron: '0 * * * *', timeZone: 'UTC', maxBudget: 2000, monthlyBudget: 20_000 };
    const { id } = await agora.schedules.create({ name: 'Large', task: own, ...times });
    expect(await refusalOf(agora.templates.create(large))).toBe('403 TEMPLATE_LIMIT_REACHED');
    expect(await refusalOf(agora.templates.update(small.id, { task: large.task }))).toBe('403 TEMPLATE_LIMIT_REACHED');
    expect(await refusalOf(agora.schedules.create({ name: 'Larger', task: own, ...times }))).toBe(
      '403 TEMPLATE_LIMIT_REACHED',
    );
    await agora.schedules.update(id, { task: own });
    await agora.schedules.delete(id);
    await agora.templates.create(large);
  });

  test('of a schedule cannot be deleted before it; a change of the task counts from the next run on', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const { id: templateId, task: whole } = await agora.templates.create(template(pair.agent.id));
    const made = await schedule(pair, { templateId, maxBudget: 1500 });
    expect(made).toMatchObject({ templateId, task: null, title: 'Weekly report', maxBudget: 1500 });
    expect(await refusalOf(agora.templates.delete(templateId))).toBe('409 TEMPLATE_IN_USE');
    await agora.templates.update(templateId, { task: { ...whole, input: { description: 'Something else' } } });
    expect((await agora.schedules.get(made.id)).title).toBe('Something else');
    await passHour();
    const [run] = await runsOf(pair.buyer, made.id);
    const made1500 = { title: 'Something else', maxBudget: 1500 };
    expect(await agora.tasks.get(run?.taskIds[0] as string)).toMatchObject(made1500);
    await agora.schedules.delete(made.id);
    await agora.templates.delete(templateId);
  });
});

describe('a schedule', () => {
  test('says when it runs next in its time zone, and refuses what is none, never comes, or comes too often', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const preview = (cron: string, timeZone = 'Europe/Berlin') => agora.schedules.preview({ cron, timeZone });
    const next = (await preview('0 9 * * 1-5')).runs;
    expect(next).toHaveLength(3);
    expect(next.every((at) => at.endsWith('T08:00:00.000Z') || at.endsWith('T07:00:00.000Z'))).toBe(true);
    for (const cron of ['* * * * *', '*/10 * * * *', '0,50 0,23 * * *', '5,10 3 1 1 *', '0 0 31 2 *', '0 9 * * 8'])
      expect(await refusalOf(preview(cron)), cron).toBe('400 VALIDATION_ERROR');
    for (const cron of ['0 0 9 * * *', '@daily', '0 9 * *', '0 9 ? * *', 'a b c d e', '-1 9 * * *'])
      expect(await refusalOf(preview(cron)), cron).toBe('400 VALIDATION_ERROR');
    for (const zone of ['Europe/Nowhere', '+02:00', 'Berlin', ' UTC'])
      expect(await refusalOf(preview('0 9 * * *', zone)), zone).toBe('400 VALIDATION_ERROR');
    expect((await preview('*/15 * * * *')).runs).toHaveLength(3);
    expect((await preview('0 9 L * *')).runs).toHaveLength(3);
    expect(await refusalOf(schedule(pair, { cron: '* * * * *' }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(schedule(pair, { monthlyBudget: 1999 }))).toBe('400 VALIDATION_ERROR');
    expect(await refusalOf(schedule(pair, { task: { ...task, attempts: 3 }, monthlyBudget: 5999 }))).toBe(
      '400 VALIDATION_ERROR',
    );
    const noTask = { name: 'x', cron: '0 9 * * *', timeZone: 'UTC', maxBudget: 1, monthlyBudget: 1 };
    expect(await refusalOf(agora.schedules.create(noTask))).toBe('400 VALIDATION_ERROR');
    const nobodys = 'tpl_01jxyz3k9mf5t8v2q7h4n6p0rs';
    expect(await refusalOf(schedule(pair, { templateId: nobodys }))).toBe('404 TEMPLATE_NOT_FOUND');
  });

  test('submits its task once an hour by the path of a submission, and skips a run while the last one is open', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const made = await schedule(pair);
    expect(made).toMatchObject({ status: 'active', lastRunAt: null, failuresInARow: 0, spentThisMonth: 0 });
    expect(await runsOf(pair.buyer, made.id)).toEqual([]);
    await passHour();
    const [first] = await runsOf(pair.buyer, made.id);
    expect(first).toMatchObject({ status: 'submitted', trigger: 'schedule', plannedAt: made.nextRunAt, cost: 2000 });
    const taskId = first?.taskIds[0] as string;
    const correlationId = toUuid('scheduleRun', first?.id as string);
    expect(await agora.tasks.get(taskId)).toMatchObject({ maxBudget: 2000, correlationId });
    expect(await agora.schedules.get(made.id)).toMatchObject({ spentThisMonth: 2000, lastRunAt: first?.startedAt });
    await passHour();
    const [second] = await runsOf(pair.buyer, made.id);
    expect(second).toMatchObject({ status: 'skipped', skipReason: 'still_open', taskIds: [], cost: 0 });
    await work(pair, taskId);
    await passHour();
    const [third, , again] = await runsOf(pair.buyer, made.id);
    expect(third).toMatchObject({ status: 'submitted' });
    expect(again).toMatchObject({ id: first?.id, cost: 0 });
    const paged = await agora.schedules.listRuns(made.id, { pageSize: 2 });
    expect(paged.data.map(({ id }) => id)).toEqual([third?.id, second?.id]);
    const rest = await agora.schedules.listRuns(made.id, { cursor: paged.pagination.nextCursor as string });
    expect(rest.data.map(({ id }) => id)).toEqual([first?.id]);
  });

  test('runs once for all times that were missed while no server was at work', async () => {
    const pair = await makePair(server);
    const made = await schedule(pair, { cron: '*/15 * * * *' });
    await pass(5 * hour);
    await pass(0);
    const runs = await runsOf(pair.buyer, made.id);
    expect(runs).toMatchObject([{ status: 'submitted', plannedAt: made.nextRunAt }]);
    const { nextRunAt } = await pair.buyer.agora.schedules.get(made.id);
    expect(Date.parse(nextRunAt as string)).toBeGreaterThan(server.clock.now().getTime());
  });

  test('submits once where two servers begin the same run, and where one ended between submission and record', async () => {
    const pair = await makePair(server);
    const made = await schedule(pair);
    const second = await startSecondApp(server);
    try {
      server.clock.advance(hour);
      const both = [server.app, second.app];
      await Promise.all(both.map((app) => app.run('schedules.begin')));
      await Promise.all(both.map((app) => app.run('schedules.startRun')));
      const statuses = async () => (await runsOf(pair.buyer, made.id)).map(({ status }) => status);
      await expect.poll(statuses).toEqual(['submitted']);
      const [run] = await runsOf(pair.buyer, made.id);
      const runId = toUuid('scheduleRun', run?.id as string);
      // As a server leaves it that ends just after the submission.
      await server.pool.query(`update schedule_runs set status = 'starting', task_ids = '{}' where id = $1`, [runId]);
      await server.pool.query(
        `insert into queued_jobs (id, kind, key, payload, due_at, created_at)
         values (gen_random_uuid(), 'schedules.startRun', $1::text, json_build_object('runId', $1::text), $2, $2)`,
        [runId, server.clock.now().toISOString()],
      );
      await Promise.all(both.map((app) => app.run('schedules.startRun')));
      await expect.poll(() => runsOf(pair.buyer, made.id)).toEqual([run]);
      expect((await pair.buyer.agora.tasks.list()).data).toHaveLength(1);
    } finally {
      await second.app.close();
    }
  });

  test('that is paused before its task could be submitted submits none', async () => {
    const pair = await makePair(server);
    const { agora } = await lasting(pair.buyer);
    const { id } = await schedule(pair);
    server.clock.advance(hour);
    await server.app.run('schedules.begin');
    await agora.schedules.pause(id);
    await server.app.run('schedules.startRun');
    expect(await runsOf({ agora }, id)).toMatchObject([{ status: 'skipped', skipReason: 'paused', taskIds: [] }]);
    expect((await agora.tasks.list()).data).toEqual([]);
    await agora.schedules.run(id);
    await server.app.run('schedules.startRun');
    expect((await runsOf({ agora }, id))[0]).toMatchObject({ status: 'submitted', trigger: 'owner' });
  });

  test('pauses and resumes, and does not make up for what it missed meanwhile', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const { id } = await schedule(pair);
    const paused = await agora.schedules.pause(id);
    expect(paused).toMatchObject({ status: 'paused', pausedBecause: 'owner', nextRunAt: null });
    expect(await agora.schedules.pause(id)).toEqual(paused);
    await pass(3 * hour);
    expect(await runsOf(pair.buyer, id)).toEqual([]);
    const resumed = await agora.schedules.resume(id);
    expect(resumed).toMatchObject({ status: 'active', pausedBecause: null });
    expect(await agora.schedules.resume(id)).toEqual(resumed);
    await passHour();
    expect(await runsOf(pair.buyer, id)).toMatchObject([{ status: 'submitted', plannedAt: resumed.nextRunAt }]);
  });

  test('runs when it is asked to, also while it is paused, but not while the last run is open', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const { id, nextRunAt } = await schedule(pair, { cron: '0 0 1 1 *' });
    await agora.schedules.pause(id);
    const run = await agora.schedules.run(id);
    expect(run).toMatchObject({ status: 'starting', trigger: 'owner', scheduleId: id });
    expect(await refusalOf(agora.schedules.run(id))).toBe('409 SCHEDULE_RUN_OPEN');
    await pass(0);
    const [ended] = await runsOf(pair.buyer, id);
    expect(ended).toMatchObject({ id: run.id, status: 'submitted' });
    const refusal = await agora.schedules.run(id).catch((error) => error);
    expect(refusal).toMatchObject({ code: 'SCHEDULE_RUN_OPEN', details: { taskIds: ended?.taskIds } });
    await work(pair, ended?.taskIds[0] as string);
    expect((await agora.schedules.run(id)).status).toBe('starting');
    expect((await agora.schedules.resume(id)).nextRunAt).toBe(nextRunAt);
  });

  test('of several attempts is one run with all its tasks, and counts each of them', async () => {
    const pair = await makePair(server);
    const others = await Promise.all([1, 2].map(async () => (await server.owner({ credits: 0 })).agent()));
    expect(others).toHaveLength(2);
    const made = await schedule(pair, { task: { ...task, attempts: 2 }, monthlyBudget: 4000 });
    await passHour();
    const [run] = await runsOf(pair.buyer, made.id);
    expect(run).toMatchObject({ status: 'submitted', cost: 4000 });
    expect(run?.taskIds).toHaveLength(2);
    expect((await pair.buyer.agora.schedules.get(made.id)).spentThisMonth).toBe(4000);
  });

  test('skips what the budget of its month does not cover, and counts by months of its time zone', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const made = await schedule(pair, { monthlyBudget: 3000 });
    await passHour();
    const [first] = await runsOf(pair.buyer, made.id);
    await agora.tasks.cancel(first?.taskIds[0] as string);
    await passHour();
    const [open] = await runsOf(pair.buyer, made.id);
    expect(open?.status).toBe('submitted');
    // The work is paid: 1000 of the budget of 2000 is its price.
    const taskId = open?.taskIds[0] as string;
    await pair.agent.agora.tasks.start(taskId, { sandboxId: 'mine' });
    await pair.agent.agora.tasks.complete(taskId, { output: goodOutput });
    const { creditsCharged, status } = await agora.tasks.get(taskId);
    expect(status).toBe('completed');
    await agora.schedules.update(made.id, { monthlyBudget: 2000 + (creditsCharged as number) - 1 });
    await passHour();
    expect((await runsOf(pair.buyer, made.id))[0]).toMatchObject({ status: 'skipped', skipReason: 'monthly_budget' });
    expect((await agora.schedules.get(made.id)).failuresInARow).toBe(0);
    const later = await lasting(pair.buyer);
    await pass(31 * day);
    expect((await runsOf(later, made.id))[0]).toMatchObject({ status: 'submitted' });
    expect((await later.agora.schedules.get(made.id)).spentThisMonth).toBe(2000);
  });

  test('tells the catalogued error of a refused submission, pauses itself after five in a row, and tells its owner', async () => {
    const pair = await makePair(server);
    const { agora } = await server.owner({ credits: 500 });
    const poor = { ...pair, buyer: { ...pair.buyer, agora } };
    const { id } = await schedule(poor);
    for (let nth = 0; nth < scheduleLimits.failuresBeforePause; nth++) {
      expect((await agora.schedules.get(id)).status).toBe('active');
      await passHour();
    }
    const paused = await agora.schedules.get(id);
    expect(paused).toMatchObject({ status: 'paused', pausedBecause: 'failures', failuresInARow: 5, nextRunAt: null });
    const runs = await runsOf(poor.buyer, id);
    expect(runs).toHaveLength(5);
    expect(runs[0]).toMatchObject({ status: 'failed', taskIds: [], error: { code: 'INSUFFICIENT_CREDITS' } });
    await server.app.run('embassy.notify');
    const [notice] = (await agora.embassy.listNotifications()).data;
    expect(notice).toMatchObject({ kind: 'schedule_paused', text: expect.stringContaining('INSUFFICIENT_CREDITS') });
    const { data: events } = await agora.embassy.audit({ type: 'schedule.run_ended' });
    expect(events[0]?.data).toMatchObject({ scheduleId: id, status: 'failed', code: 'INSUFFICIENT_CREDITS' });
    expect(await agora.schedules.resume(id)).toMatchObject({ status: 'active', failuresInARow: 0 });
  });

  test('obeys the policies of its owner as any submission does', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const { id } = await schedule(pair);
    await bind(pair.buyer, { perTransactionMax: 1999 });
    await passHour();
    const [run] = await runsOf(pair.buyer, id);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'POLICY_DENIED' } });
    await agora.schedules.update(id, { maxBudget: 1999 });
    await passHour();
    expect((await runsOf(pair.buyer, id))[0]).toMatchObject({ status: 'submitted' });
  });

  test('changes what, when and for how much; a success ends the count of failures', async () => {
    const pair = await makePair(server);
    const { agora } = pair.buyer;
    const { id } = await schedule(pair, { task: { ...task, agentId: 'agt_01jxyz3k9mf5t8v2q7h4n6p0rs' } });
    await passHour();
    expect(await agora.schedules.get(id)).toMatchObject({ failuresInARow: 1 });
    const changed = await agora.schedules.update(id, {
      ...{ name: 'Daily', cron: '30 8 * * *', timeZone: 'Asia/Tokyo', maxBudget: 2500 },
      task: { ...task, agentId: pair.agent.id },
    });
    expect(changed).toMatchObject({ name: 'Daily', cron: '30 8 * * *', maxBudget: 2500, monthlyBudget: 20_000 });
    expect(changed.nextRunAt).toMatch(/T23:30:00.000Z$/);
    await pass(day);
    expect((await runsOf(pair.buyer, id))[0]).toMatchObject({ status: 'submitted', cost: 2500 });
    expect(await agora.schedules.get(id)).toMatchObject({ failuresInARow: 0 });
    expect(await refusalOf(agora.schedules.update(id, { cron: '* * * * *' }))).toBe('400 VALIDATION_ERROR');
    for (const call of ['get', 'pause', 'resume', 'run', 'delete', 'listRuns'] as const)
      expect(await refusalOf(pair.seller.agora.schedules[call](id))).toBe('404 SCHEDULE_NOT_FOUND');
    await agora.schedules.delete(id);
    expect(await refusalOf(agora.schedules.get(id))).toBe('404 SCHEDULE_NOT_FOUND');
  });

  test('keeps its history for ninety days, and a run that no server ends is a failure after two hours', async () => {
    const pair = await makePair(server);
    const { id } = await schedule(pair, { cron: '0 0 1 1 *' });
    await pair.buyer.agora.schedules.run(id);
    await server.pool.query(`delete from queued_jobs where kind = 'schedules.startRun'`);
    server.clock.advance(2 * hour + minute);
    await server.app.run('schedules.endStuck');
    expect(await runsOf(pair.buyer, id)).toMatchObject([{ status: 'failed', error: { code: 'INTERNAL_ERROR' } }]);
    const later = await lasting(pair.buyer);
    server.clock.advance(scheduleLimits.keptDays * day);
    await server.app.run('schedules.forgetRuns');
    expect(await runsOf(later, id)).toEqual([]);
  });

  test('keeps the last thousand runs that submitted nothing', async () => {
    const pair = await makePair(server);
    const { id } = await schedule(pair);
    await server.pool.query(
      `insert into schedule_runs (id, schedule_id, trigger, planned_at, started_at, status, skip_reason)
       select gen_random_uuid(), $1, 'owner', $2, $2, 'skipped', 'still_open' from generate_series(1, $3)`,
      [toUuid('schedule', id), server.clock.now().toISOString(), scheduleLimits.keptWithoutTask + 10],
    );
    await server.app.run('schedules.forgetRuns');
    const { rows } = await server.pool.query(
      'select count(*)::int as count from schedule_runs where schedule_id = $1',
      [toUuid('schedule', id)],
    );
    expect(rows).toEqual([{ count: scheduleLimits.keptWithoutTask }]);
  });
});
