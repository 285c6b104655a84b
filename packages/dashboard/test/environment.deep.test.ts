import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { makeTool } from '../../server/test/support/toolchain.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** What a buyer asks for the sandboxes of a task: chosen, refused beside its field, tried, kept, sent and shown. */

const tools = await mkdtemp(join(tmpdir(), 'agora-tools-'));
await chmod(tools, 0o755);
afterAll(() => rm(tools, { recursive: true }));
for (const version of ['1.2.10', '2.0.1']) await makeTool(tools, 'spark', version);

const scene = sceneForFile({ config: { SANDBOX_TOOLS: tools, SANDBOX_MAX_MEMORY_BYTES: 768 * 1024 ** 2 } });

const fold = (page: Page) => page.getByText('Its sandbox: tools, size, preparation, times');
const submit = (page: Page) => page.getByRole('button', { name: /^Submit/ });
const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name });

async function newTask() {
  const owner = await scene.server.owner();
  const page = await scene.openPage({ owner, path: '/tasks/new' });
  await page.getByLabel('Description').fill('Light the spark.');
  await field(page, /^Budget/).fill('15');
  return { owner, page };
}

test('a sandbox that is asked for is kept in the draft, has what was chosen, and stands on the page of the task', async () => {
  await scene.workingAgent({
    handle: async ({ sandbox }) => ({ result: (await sandbox.exec('echo $(spark) $(cat made.txt)')).stdout }),
  });
  const { owner, page } = await newTask();
  await fold(page).click();
  await page.getByText(/Every sandbox has .*git \d/).waitFor();
  await page.getByLabel('spark 1.2.10').check();
  await field(page, /^Preparation/).fill('echo made > made.txt');
  await field(page, /^Memory in MiB/).fill('640');
  await field(page, /^CPU cores/).fill('1,5');
  await field(page, /^Seconds for a command/).fill('120');
  await axe(page);
  await shot(page, 'task-new-environment');

  await page.getByRole('button', { name: 'Add a check' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Has its tool');
  await page.getByLabel('Command', { exact: true }).fill('spark | grep -q "spark 1.2.10" && test -f made.txt');
  await page.getByRole('button', { name: 'Try the checks' }).click();
  await page.getByRole('list', { name: 'Outcome of the checks' }).getByText('Passes already').waitFor();

  await page.reload();
  await expect.poll(() => page.getByLabel('spark 1.2.10').isChecked()).toBe(true);
  expect(await field(page, /^Memory in MiB/).inputValue()).toBe('640');
  await submit(page).click();
  await page.getByText('spark 1.2.10 /opt/tools/spark/home made').waitFor();
  const { id } = (await owner.agora.tasks.list()).data[0]!;
  expect((await owner.agora.tasks.get(id)).input.environment).toEqual({
    ...{ tools: ['spark@1.2.10'], setup: 'echo made > made.txt', memoryMb: 640, cpus: 1.5 },
    timeouts: { commandMs: 120_000 },
  });

  await page.getByRole('link', { name: 'Work', exact: true }).click();
  const given = page.getByRole('region', { name: 'What you asked for' });
  for (const value of ['spark@1.2.10', '640 MiB', '1.5', 'echo made > made.txt', '2 min'])
    await given.getByText(value, { exact: true }).waitFor();
  await axe(page);
  await shot(page, 'task-given-environment');
});

test('what the server or the plan does not allow is said at its field before a press, and a press leads there', async () => {
  const { owner, page } = await newTask();
  await fold(page).click();
  await field(page, /^Memory in MiB/).fill('2000');
  await page.getByText('Must be at most 768 on this server.').waitFor();
  expect(await field(page, /^Memory in MiB/).getAttribute('aria-invalid')).toBe('true');
  await page.getByText('Ask for another sandbox to see the price.').waitFor();
  await axe(page);
  await field(page, /^Memory in MiB/).fill('768');
  await field(page, /^CPU cores/).fill('3');
  await page.getByText('May be at most 2 with the free plan.').waitFor();
  await field(page, /^CPU cores/).fill('two');
  await field(page, /^Seconds for the preparation/).fill('301');
  await page.getByText('Must be at most 300 s, the longest').waitFor();
  await shot(page, 'task-new-environment-errors');
  await fold(page).click();
  await submit(page).click();
  await page.getByText('Write a number above 0, like 2.', { exact: true }).waitFor();
  await expect
    .poll(() => field(page, /^CPU cores/).evaluate((element) => element === document.activeElement))
    .toBe(true);
  expect((await owner.agora.tasks.list()).data).toEqual([]);
});

test('a copied task whose tool is gone says so at the tool, with those that are there', async () => {
  const gone = await makeTool(tools, 'spark', '1.0.0');
  const { id: agentId } = await (await scene.server.owner({ credits: 0 })).agent();
  const { owner, page } = await newTask();
  const input = { description: 'Light the old spark.', environment: { tools: ['spark@1.0'] } };
  const { id } = await owner.agora.tasks.submit({ taskType: 'general', agentId, maxBudget: 1_500, input });
  await rm(gone, { recursive: true });
  await page.goto(`/tasks/new?from=${id}`);
  await page.getByText(/This server has spark@2\.0\.1, spark@1\.2\.10\./).waitFor();
  const old = page.getByLabel('spark 1.0');
  expect([await old.isChecked(), await old.getAttribute('aria-invalid')]).toEqual([true, 'true']);
  await axe(page);
  await shot(page, 'task-new-tool-gone');
  await old.uncheck();
  await page.getByLabel('spark 2.0.1').check();
  await page.getByText(/This server has/).waitFor({ state: 'detached' });
  await submit(page).click();
  await page.waitForURL(/\/tasks\/tsk_/);
});

test('images are offered where the server has some, and the other fields stay where it cannot tell what it has', async () => {
  const { page } = await newTask();
  const isListing = (url: URL) => url.pathname.endsWith('/api/v1/environments');
  const fault = { status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } };
  await page.route(isListing, (route) => route.fulfill(fault));
  await fold(page).click();
  const again = page.getByRole('button', { name: 'Try again' });
  await again.waitFor();
  await field(page, /^Memory in MiB/).fill('640');
  await page.unroute(isListing);
  await page.route(isListing, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), images: ['debian:13'] } });
  });
  await again.click();
  await page.getByLabel('Container image').selectOption('debian:13');
  await page.getByText('Is only for servers that run sandboxes as containers.').waitFor();
  expect(await field(page, /^Memory in MiB/).inputValue()).toBe('640');
  await axe(page);
});
