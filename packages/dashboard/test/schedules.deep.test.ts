import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** A task is saved as a template, scheduled, run and changed. */

const scene = sceneForFile();

const inDialog = (page: Page, name: string) => page.getByRole('dialog').getByRole('button', { name });

test('a task that is filled in becomes a template, and the template a schedule that runs', async () => {
  await scene.workingAgent({ fields: { displayName: 'Reporter' } });
  const owner = await scene.server.owner();
  const page = await scene.openPage({ owner, path: '/schedules', timezone: 'Europe/Berlin' });
  await page.getByText('No schedules yet').waitFor();
  await shot(page, 'schedules-none');
  await axe(page);
  await page.getByRole('link', { name: 'Templates' }).click();
  await page.getByText('No templates yet').waitFor();
  await page.getByRole('link', { name: 'Fill in a task' }).click();

  await page.getByLabel('Description').fill('Write the weekly report');
  const save = page.getByRole('button', { name: 'Save as template' });
  expect(await save.getAttribute('aria-disabled')).toBe('true');
  await page.getByLabel('Budget', { exact: true }).fill('10');
  await save.click();
  await page.getByRole('dialog').getByLabel('Name').fill('Weekly report');
  await shot(page, 'template-save');
  await inDialog(page, 'Save template').click();
  await page.getByRole('row', { name: /Weekly report/ }).waitFor();
  await shot(page, 'templates');
  await axe(page);

  await page.getByRole('link', { name: 'Schedule Weekly report' }).click();
  await page.getByRole('heading', { level: 1, name: 'New schedule' }).waitFor();
  await expect.poll(() => page.getByLabel('Name').inputValue()).toBe('Weekly report');
  expect(await page.getByLabel('Budget of each task').inputValue()).toBe('10.00');
  expect(await page.getByLabel('Time zone').inputValue()).toBe('Europe/Berlin');
  await page.getByLabel('Rhythm').selectOption('Custom (cron)');
  await page.getByLabel('Cron').fill('* * * * *');
  await page.getByText('Must leave at least 15 minutes between two runs.').waitFor();
  await page.getByLabel('Rhythm').selectOption('Once a week');
  await page.getByLabel('Day').selectOption('Wednesday');
  await page.getByLabel('Time', { exact: true }).fill('07:30');
  await expect.poll(() => page.locator('li time').allTextContents()).toHaveLength(3);
  await expect
    .poll(async () => (await page.locator('li time').allTextContents()).every((each) => /^Wed.*07:30/.test(each)))
    .toBe(true);
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByText('Name the most that a month may cost.').waitFor();
  await page.getByLabel('Budget of a month').fill('50');
  await shot(page, 'schedule-new');
  await axe(page);
  await page.getByRole('button', { name: 'Create schedule' }).click();

  await page.getByRole('heading', { level: 1, name: 'Weekly report' }).waitFor();
  await page.getByText('It has not run yet').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Run now' }).click();
  await inDialog(page, 'Run now').click();
  await page.getByRole('row', { name: /Submitted/ }).waitFor();
  await shot(page, 'schedule');
  await axe(page);
  const [run] = (await owner.agora.schedules.listRuns((await owner.agora.schedules.list()).data[0]?.id as string)).data;
  await page.getByRole('link', { name: run?.taskIds[0] as string }).waitFor();

  await page.getByRole('button', { name: 'Change' }).click();
  const dialog = page.getByRole('dialog');
  expect(await dialog.getByLabel('Rhythm').inputValue()).toBe('weekly');
  await dialog.getByLabel('Name').fill('Report of the week');
  await shot(page, 'schedule-change');
  await inDialog(page, 'Save changes').click();
  await page.getByRole('heading', { level: 1, name: 'Report of the week' }).waitFor();

  await page.getByRole('link', { name: 'Schedules' }).last().click();
  await page.getByRole('row', { name: /Report of the week.*Wednesdays at 07:30/ }).waitFor();
  await shot(page, 'schedules');
  await axe(page);
  await page.getByRole('link', { name: 'Report of the week' }).click();
  await page.getByRole('button', { name: 'Delete' }).click();
  await inDialog(page, 'Delete schedule').click();
  await page.getByText('No schedules yet').waitFor();
});

test('a template fills the form, keeps what the form does not show, and is changed from there', async () => {
  const owner = await scene.server.owner();
  const { id } = await owner.agora.templates.create({
    name: 'Audit',
    task: {
      ...{ taskType: 'research', maxBudget: 700, waitMinutes: 45, deadlineMinutes: 100 },
      input: { title: 'Audit of the week', description: 'Read the log', project: 'ops', tags: ['log'] },
    },
  });
  const page = await scene.openPage({ owner, path: `/tasks/new?template=${id}` });
  await page.getByText('Filled in from the template').waitFor();
  await expect.poll(() => page.getByLabel('Description').inputValue()).toBe('Read the log');
  expect(await page.getByLabel('If all matching agents are busy').inputValue()).toBe('45');
  expect(await page.getByLabel('Time to work').inputValue()).toBe('100');
  await shot(page, 'template-use');
  await axe(page);
  await page.getByLabel('Description').fill('Read the log twice');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await inDialog(page, 'Save changes').click();
  await page.getByRole('row', { name: /Audit/ }).waitFor();
  expect((await owner.agora.templates.get(id)).task).toEqual({
    ...{ taskType: 'research', maxBudget: 700, waitMinutes: 45, deadlineMinutes: 100 },
    input: { title: 'Audit of the week', description: 'Read the log twice', project: 'ops', tags: ['log'] },
  });
  await page.getByRole('button', { name: 'Delete Audit' }).click();
  await page.getByText('No templates yet').waitFor();
});

test('a schedule that fails five times says why, and that it is paused', async () => {
  const { agora, ...owner } = await scene.server.owner({ credits: 0 });
  const { id } = await agora.schedules.create({
    ...{ name: 'Too poor', cron: '0 9 1 1 *', timeZone: 'UTC', maxBudget: 500, monthlyBudget: 500 },
    task: { taskType: 'general', input: { description: 'Count the money' } },
  });
  for (let nth = 1; nth <= 5; nth++) {
    await agora.schedules.run(id);
    await expect.poll(async () => (await agora.schedules.get(id)).failuresInARow, { timeout: 20_000 }).toBe(nth);
  }
  const page = await scene.openPage({ owner, path: `/schedules/${id}` });
  await page.getByText('5 runs in a row could not be submitted').waitFor();
  await page.getByText('Paused by failures').waitFor();
  expect(await page.getByRole('row', { name: /Failed/ }).count()).toBe(5);
  await shot(page, 'schedule-paused');
  await axe(page);
});
