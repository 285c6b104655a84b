import { expect, test } from 'vitest';
import { until } from '../steps/world.ts';
import { deliver, type Entry, entriesOf, makeContest, outcomesOf, settle } from './attempts-scene.ts';
import { goodOutput, minute, pass, serverForFile, startSecondApp } from './scene.ts';

/** Verdict and decision are stored one after the other, by any server, whatever ends in between. */

const server = serverForFile();

test('verdicts that a server left behind are decided by the next one, which runs no gate again', async () => {
  const contest = await makeContest(server, 'design', [300, 400]);
  const task = await contest.submit(2);
  const entries = await entriesOf(contest, task);
  for (const entry of entries) await deliver(entry, 60);
  // What joins takes over from those that ended, and looks for gates that never answered.
  await server.app.recover();
  server.clock.advance(60 * minute);
  await server.app.run('tasks.resumeGates');
  await server.app.run('tasks.abandonUnreachable');
  expect(await outcomesOf(contest, task)).toEqual(['shortlisted', 'shortlisted']);
  const second = await startSecondApp(server);
  try {
    await second.app.sweep();
  } finally {
    await second.app.close();
  }
  expect((await outcomesOf(contest, task)).sort()).toEqual(['not_selected', 'selected']);
  for (const { id } of entries) {
    expect((await contest.buyer.agora.courts.listAssessments({ taskId: id })).data).toHaveLength(1);
  }
});

test('servers that decide at the same time pay once', async () => {
  const contest = await makeContest(server, 'devops', [300, 300, 300]);
  const task = await contest.submit(3);
  for (const entry of await entriesOf(contest, task)) await deliver(entry, 60);
  const others = [await startSecondApp(server), await startSecondApp(server)];
  try {
    await Promise.all([server.app, ...others.map(({ app }) => app)].map((app) => app.run('tasks.settleGroups')));
  } finally {
    for (const { app } of others) await app.close();
  }
  expect((await outcomesOf(contest, task)).sort()).toEqual(['not_selected', 'not_selected', 'selected']);
  expect(await contest.buyer.agora.vault.getPool()).toMatchObject({ balance: 9700, held: 0 });
});

test('the work of an attempt that waits for the others is still there when it is paid', async () => {
  const contest = await makeContest(server, 'data_analysis', [300, 400]);
  const task = await contest.submit(2);
  const [first, other] = (await entriesOf(contest, task)) as [Entry, Entry];
  const { sandbox, tasks } = first.agent.agora;
  await tasks.start(first.id, { sandboxId: 'mine' });
  await sandbox.write(first.id, { path: 'state.txt', content: 'done' });
  await tasks.complete(first.id, { output: goodOutput });
  // Which agent has the first attempt is drawn.
  const outcomeOf = async ({ id }: Entry) => {
    const { attempts } = await contest.buyer.agora.tasks.getGroup(task.group?.groupId as string);
    return attempts.find(({ taskId }) => taskId === id)?.outcome;
  };
  await expect.poll(() => outcomeOf(first)).toBe('shortlisted');
  server.clock.advance(minute);
  await server.app.run('tasks.clearArchives');
  await deliver(other, 0);
  await settle(server);
  expect([await outcomeOf(first), await outcomeOf(other)]).toEqual(['selected', 'rejected']);
  expect(await (await contest.buyer.agora.tasks.workspace(first.id)).text()).toContain('state.txt');
});

test('an attempt that waits is not looked at again before another one ends, however that ends and wherever', async () => {
  const contest = await makeContest(server, 'testing', [300, 400]);
  const task = await contest.submit(2);
  const [waiting, other] = (await entriesOf(contest, task)) as [Entry, Entry];
  await deliver(waiting, 60);
  const due = async () =>
    (
      await server.pool.query(`select count(*)::int as n from tasks where assessment_id is not null and due_at <= $1`, [
        server.clock.now(),
      ])
    ).rows[0].n;
  expect(await due()).toBe(1);
  await settle(server);
  expect(await due()).toBe(0);
  await server.app.recover();
  expect(await due()).toBe(0);
  await other.agent.agora.tasks.start(other.id, { sandboxId: 'x' });
  expect(await due()).toBe(0);
  await other.agent.agora.tasks.fail(other.id, { reason: 'no' });
  expect(await due()).toBe(1);
  await pass(server, 0);
  expect((await outcomesOf(contest, task)).sort()).toEqual(['failed', 'selected']);
});

test('a gate that runs while its lease goes to another server leaves one verdict', async () => {
  const contest = await makeContest(server, 'general', [300, 300]);
  const input = { description: 'Leave it', acceptance: { checks: [{ name: 'slow', command: 'sleep 1' }] } };
  const task = await contest.submit(2, { input });
  const [first] = (await entriesOf(contest, task)) as [Entry];
  await first.agent.agora.tasks.start(first.id, { sandboxId: 'mine' });
  const delivery = first.agent.agora.tasks.complete(first.id, { output: goodOutput });
  const seen = () => contest.buyer.agora.tasks.get(first.id);
  await until('it is delivered', async () => (await seen()).status === 'quality_check');
  server.clock.advance(10 * minute);
  const second = await startSecondApp(server);
  try {
    await second.app.run('tasks.resumeGates');
    await delivery;
    await until('it is judged', async () => (await seen()).qualityScore !== null, 20_000);
    await second.app.sweep();
  } finally {
    await second.app.close();
  }
  expect((await contest.buyer.agora.courts.listAssessments({ taskId: first.id })).data).toHaveLength(1);
  expect(await seen()).toMatchObject({ status: 'quality_check' });
});
