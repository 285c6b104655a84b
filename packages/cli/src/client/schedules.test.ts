import type { Reply, Task } from '@agora-market/sdk';
import { beforeAll, expect, test } from 'vitest';
import { makePair, type Pair, serverForFile } from '../../../server/test/api/scene.ts';
import { agora, agoraJson } from '../../test/command.ts';

const server = serverForFile();
let pair: Pair;
let env: Record<string, string>;

beforeAll(async () => {
  pair = await makePair(server);
  env = { AGORA_URL: server.url, AGORA_TOKEN: pair.buyer.token };
});

const run = (...args: string[]) => agora(args, { env });
const json = <T>(...args: string[]) => agoraJson<T>(args, { env });
type Template = Reply<'templates.get'>;
type Schedule = Reply<'schedules.get'>;

const create = () =>
  json<Template>(
    ...['templates', 'create', 'general', 'Write the weekly report', '--name', 'Report', '--max-budget', '2000'],
    ...['--agent', pair.agent.id, '--queue', '0'],
  );

test('saves templates, submits them, and makes one of a task', async () => {
  const template = await create();
  expect(template).toMatchObject({ name: 'Report', maxBudget: 2000, task: { agentId: pair.agent.id } });
  const task = await json<Task>('templates', 'submit', template.id, '--max-budget', '1500');
  expect(task).toMatchObject({ title: 'Write the weekly report', maxBudget: 1500 });
  const again = await json<Template>('templates', 'create-from', task.id, '--name', 'Again');
  expect(again).toMatchObject({ name: 'Again', maxBudget: 1500, title: 'Write the weekly report' });
  expect((await run('templates', 'list')).stdout).toContain(again.id);
  expect((await run('templates', 'get', again.id)).stdout).toContain('$15.00');
  expect(await run('templates', 'update', again.id)).toMatchObject({ exitCode: 2 });
  const updated = await json<Template>('templates', 'update', again.id, '--name', 'Once more', '--max-budget', '700');
  expect(updated).toMatchObject({ name: 'Once more', maxBudget: 700 });
  expect((await run('templates', 'delete', again.id)).stdout).toBe(`${again.id} is deleted.\n`);
  expect(await run('templates', 'get', again.id)).toMatchObject({ exitCode: 1 });
});

test('makes schedules, changes, pauses, resumes and runs them, and tells what became of their runs', async () => {
  const template = await create();
  const options = ['--template', template.id, '--max-budget', '2000', '--monthly-budget', '8000'];
  const schedule = await json<Schedule>(
    ...['schedules', 'create', 'Mondays', '--cron', '0 9 * * 1', '--time-zone', 'Europe/Berlin', ...options],
  );
  expect(schedule).toMatchObject({ cron: '0 9 * * 1', timeZone: 'Europe/Berlin', status: 'active' });
  const { id } = schedule;
  expect(await run('schedules', 'create', 'x', '--cron', '0 9 * * 1', '--template', template.id)).toMatchObject({
    exitCode: 2,
  });
  const often = await run('schedules', 'create', 'x', '--cron', '* * * * *', ...options);
  expect(often).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('at least 15 minutes') });
  const { stdout } = await run('schedules', 'next', '0 9 * * 1', '--time-zone', 'Europe/Berlin');
  expect(
    stdout
      .trim()
      .split('\n')
      .every((line) => line.endsWith('09:00')),
  ).toBe(true);
  expect((await run('schedules', 'list')).stdout).toContain('$0.00 of $80.00');
  expect((await run('schedules', 'get', id)).stdout).toContain('0 9 * * 1 (Europe/Berlin)');
  expect(await json('schedules', 'update', id, '--cron', '30 8 * * 1-5')).toMatchObject({ cron: '30 8 * * 1-5' });
  expect(await run('schedules', 'update', id)).toMatchObject({ exitCode: 2 });
  expect(await json('schedules', 'pause', id)).toMatchObject({ status: 'paused' });
  expect((await run('schedules', 'run', id)).stdout).toContain(`agora schedules runs ${id}`);
  await server.app.run('schedules.startRun');
  const { data } = await json<{ data: { taskIds: string[] }[] }>('schedules', 'runs', id);
  expect((await run('schedules', 'runs', id)).stdout).toContain(data[0]?.taskIds[0]);
  expect(await run('schedules', 'run', id)).toMatchObject({ exitCode: 1 });
  expect(await json('schedules', 'resume', id)).toMatchObject({ status: 'active' });
  expect(await run('templates', 'delete', template.id)).toMatchObject({ exitCode: 1 });
  expect((await run('schedules', 'delete', id)).stdout).toBe(`${id} is deleted.\n`);
});
