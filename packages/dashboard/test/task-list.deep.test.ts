import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { goInside } from './support/sweep.ts';

/** The list of an owner's tasks: what is in it, and what of it is shown. */

const scene = sceneForFile();

const tasks = (page: Page) => page.getByRole('table', { name: 'Tasks' }).getByRole('link');
const shown = (page: Page, ...titles: string[]) => expect.poll(() => tasks(page).allTextContents()).toEqual(titles);

test('filters stand in the address, so that reload, links and the way back keep them', async () => {
  const worker = await scene.workingAgent({
    fields: { displayName: 'Mender', capabilities: (['bug_fix', 'research'] as const).map(untagged) },
    handle: async ({ task }) => {
      if (task.input.description === 'Find a paper that is lost') throw new Error('It is nowhere to be found.');
      return { text: 'Done: the loop ends where it should, and the tests pass.' };
    },
  });
  const idle = await (await scene.server.owner({ credits: 0 })).agent({ displayName: 'Sleeper' });
  const owner = await scene.server.owner();
  const page = await scene.openPage({ owner, path: '/tasks' });
  await page.getByText('No tasks yet').waitFor();
  await page.getByRole('link', { name: 'Submit a task' }).waitFor();

  const hire = (agentId: string, taskType: 'bug_fix' | 'research' | 'general', description: string) =>
    owner.agora.tasks.submit({ taskType, maxBudget: 1_000, agentId, input: { description } });
  const ended = [
    await hire(worker.id, 'bug_fix', 'Repair the loop'),
    await hire(worker.id, 'research', 'Compare three parsers'),
    await hire(worker.id, 'research', 'Find a paper that is lost'),
  ];
  for (const { id } of ended)
    await expect.poll(async () => (await owner.agora.tasks.get(id)).finishedAt, { timeout: 20_000 }).not.toBeNull();
  await hire(idle.id, 'general', 'Water the plants');

  await page.goto('tasks');
  await shown(page, 'Water the plants', 'Find a paper that is lost', 'Compare three parsers', 'Repair the loop');
  await page
    .getByRole('row', { name: /Repair the loop/ })
    .getByText('Mender')
    .waitFor();
  await shot(page, 'tasks');
  await axe(page);

  await page.getByLabel('Type').selectOption('Research');
  await shown(page, 'Find a paper that is lost', 'Compare three parsers');
  await page
    .getByRole('row', { name: /a paper that is lost/ })
    .getByText('Agent gave up')
    .waitFor();
  await page.getByLabel('Status').selectOption('Completed');
  await shown(page, 'Compare three parsers');
  expect(new URL(page.url()).search).toBe('?type=research&status=completed');
  await page.reload();
  await shown(page, 'Compare three parsers');
  expect(await page.getByLabel('Type').inputValue()).toBe('research');

  await tasks(page).click();
  await page.getByRole('heading', { level: 1, name: 'Compare three parsers' }).waitFor();
  await page.goBack();
  await shown(page, 'Compare three parsers');
  await page.goBack();
  await shown(page, 'Find a paper that is lost', 'Compare three parsers');
  await page.goForward();
  await shown(page, 'Compare three parsers');

  await page.getByLabel('Status').selectOption('Offered to an agent');
  await page.getByText('No tasks match these filters').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('row', { name: /Water the plants/ }).waitFor();
  expect(new URL(page.url()).search).toBe('');
});

test('words, filters and saved views find tasks again, and the list is a file', async () => {
  const agent = await (await scene.server.owner({ credits: 0 })).agent({ displayName: 'Ferret' });
  const owner = await scene.server.owner();
  const submit = (input: Record<string, unknown>, maxBudget: number) =>
    owner.agora.tasks.submit({ taskType: 'general', maxBudget, agentId: agent.id, input });
  await submit({ description: 'Mend the parser', project: 'compiler', tags: ['ts'] }, 1_000);
  await submit({ title: 'Parser, again', description: 'It fails.', metadata: { ticket: 'C-17' } }, 300);
  await submit({ description: 'Water the plants' }, 500);
  // The texts of new tasks are there within seconds.
  const isFound = async () => (await owner.agora.tasks.list({ q: 'ferret' })).data.length;
  await expect.poll(isFound, { timeout: 20_000 }).toBe(3);
  const page = await scene.openPage({ owner, path: '/tasks' });
  await shown(page, 'Water the plants', 'Parser, again', 'Mend the parser');
  await page.getByLabel('Search').fill('pars');
  await shown(page, 'Parser, again', 'Mend the parser');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Order').selectOption('Oldest first');
  await shown(page, 'Mend the parser', 'Parser, again');
  await page.getByLabel('Amount at most').fill('5');
  await shown(page, 'Parser, again');
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByLabel('Name').fill('Cheap parsers');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('button', { name: 'Delete view' }).waitFor();
  await shot(page, 'tasks-filtered');
  await axe(page);
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await shown(page, 'Water the plants', 'Parser, again', 'Mend the parser');
  await page.getByLabel('View').selectOption('Cheap parsers');
  await shown(page, 'Parser, again');
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download CSV' }).click();
  const text = await (await (await saved).createReadStream()).toArray();
  expect(Buffer.concat(text).toString().trimEnd().split('\r\n')).toHaveLength(2);
  const [json] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download JSON' }).click(),
  ]);
  expect(json.suggestedFilename()).toBe('tasks.json');
  const told = JSON.parse(Buffer.concat(await (await json.createReadStream()).toArray()).toString());
  expect(told.map(({ title }: { title: string }) => title)).toEqual(['Parser, again']);
  await page.getByRole('button', { name: 'Delete view' }).click();
  await expect.poll(() => page.getByLabel('View').count()).toBe(0);
  await page.getByLabel('Search').fill('C-17');
  await shown(page, 'Parser, again');
});

/** Whether it is asked for a page of the list. */
const isList = (url: URL) => url.pathname.endsWith('/api/v1/tasks');

const untagged = <const C extends string>(category: C) => ({ category, tags: [] });

test('a task that leaves its filter leaves the list, also the last one', async () => {
  const idle = await (await scene.server.owner({ credits: 0 })).agent();
  const owner = await scene.server.owner();
  const { id } = await owner.agora.tasks.submit({
    ...{ taskType: 'general', maxBudget: 1_000, agentId: idle.id },
    input: { description: 'Water the plants' },
  });
  const page = await scene.openPage({ owner, path: '/tasks?status=submitted&type=nonsense' });
  await shown(page, 'Water the plants');
  const beside = await page.context().newPage();
  await beside.goto(`tasks/${id}`);
  await beside.getByRole('button', { name: 'Cancel task' }).click();
  await beside
    .getByRole('dialog')
    .getByRole('button', { name: /^Cancel task/ })
    .click();
  await page.getByText('No tasks match these filters').waitFor();
});

test('a task that comes to its filter late, and more tasks than a page at once, come into the list in their places', async () => {
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const owner = await scene.server.owner();
  const submit = async (description: string) =>
    (
      await owner.agora.tasks.submit({
        ...{ taskType: 'general', maxBudget: 1_000, agentId: agent.id },
        input: { description },
      })
    ).id;
  const start = (id: string) => agent.agora.tasks.start(id, { sandboxId: 'mine' });
  const late = await submit('Late');
  await start(await submit('Early'));
  const page = await scene.openPage({ owner, path: '/tasks?status=executing', clock: 'server' });
  await shown(page, 'Early');
  await start(late);
  await scene.pass(7_000, page);
  await shown(page, 'Early', 'Late');

  await page.route(isList, (route) =>
    route.continue({ url: route.request().url().replace('pageSize=100', 'pageSize=2') }),
  );
  for (const description of ['One', 'Two', 'Three']) await start(await submit(description));
  await scene.pass(7_000, page);
  await shown(page, 'Three', 'Two', 'One', 'Early', 'Late');
});

test('list, overview and bell follow what happens by one stream a tab, without a look between', async () => {
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const owner = await scene.server.owner();
  const input = { description: 'Water the plants' };
  const { id } = await owner.agora.tasks.submit({ taskType: 'general', maxBudget: 1_000, agentId: agent.id, input });
  const waitingBefore = scene.server.app.waiting();
  const page = await scene.openPage({ owner, path: '/tasks' });
  // From here on the page never looks by itself.
  await page.context().addInitScript(() => Object.assign(window, { setInterval: () => 0 }));
  const streams: string[] = [];
  page.on('request', (request) => request.url().endsWith('/tasks/stream') && streams.push(request.url()));
  await page.reload();
  await page.getByRole('row', { name: /Waiting for an agent/ }).waitFor();
  await expect.poll(() => streams.length).toBe(1);
  await expect.poll(() => scene.server.app.waiting()).toBeGreaterThan(waitingBefore);
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  await page.getByRole('row', { name: /Being worked on/ }).waitFor();
  await goInside(page, './');
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  const bell = page.getByRole('link', { name: /unread/ });
  await agent.agora.tasks.fail(id, { reason: 'The can has a hole.' });
  await page.getByText('Agent gave up').first().waitFor();
  await bell.waitFor();
  await owner.agora.embassy.readNotifications();
  await bell.waitFor({ state: 'detached' });
  expect(streams).toHaveLength(1);

  await page.evaluate(() => {
    Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true });
    document.dispatchEvent(new Event('visibilitychange'));
  });
  await expect.poll(() => scene.server.app.waiting()).toBe(waitingBefore);
});

test('where no stream can be had the list looks now and then', async () => {
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const owner = await scene.server.owner();
  const input = { description: 'Water the plants' };
  const { id } = await owner.agora.tasks.submit({ taskType: 'general', maxBudget: 1_000, agentId: agent.id, input });
  const page = await scene.openPage({ owner, clock: 'server' });
  await page.route('**/api/v1/tasks/stream', (route) => route.fulfill({ status: 200, body: 'No stream.' }));
  await page.goto('tasks');
  await page.getByRole('row', { name: /Waiting for an agent/ }).waitFor();
  await agent.agora.tasks.start(id, { sandboxId: 'mine' });
  await scene.pass(16_000, page);
  await page.getByRole('row', { name: /Being worked on/ }).waitFor();
});
