import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../../server/test/support/harness.ts';
import { ask, noRules } from './support/asking-agent.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** A manager's week: a request is approved, a task is found again, the week is added up, and the rest is scheduled. */

const scene = sceneForFile({ config: { SESSION_IDLE_MS: 1e12 } });
const day = 86_400_000;

const typed = (category: 'bug_fix' | 'research') => ({ category, tags: [] });
const named = (displayName: string, dollars: number, category: 'bug_fix' | 'research') => ({
  ...{ displayName, capabilities: [typed(category)] },
  pricing: { model: 'per_task' as const, baseRate: dollars * 100, currency: 'USD' as const },
});

test('a manager approves, finds a task again, adds up the week and schedules a report', async () => {
  const owner = await scene.server.owner();
  await work(owner);
  await scene.workingAgent({ fields: { displayName: 'Writer' } });
  const bot = await owner.agent({ displayName: 'Release bot' });
  await owner.agora.embassy.setOwnerPolicy({ ...noRules, version: 0, approvalThreshold: 500 });
  await ask(bot);
  const page = await scene.openPage({ owner, clock: 'server' });
  await approve(page);
  await find(page);
  await addUp(page);
  await schedule(page, owner);
});

/** Four days of work of two agents. On the last day one of the tasks fails. */
async function work(owner: TestOwner): Promise<void> {
  scene.server.clock.advance(-4 * day);
  const handle = async ({ task }: { task: { title: string } }) => {
    if (task.title.includes('invoices')) throw new Error('The invoices of March are nowhere to be found.');
    return { text: `Done: ${task.title} is as it should be, and the tests pass.` };
  };
  const mender = await scene.workingAgent({ fields: named('Mender', 8, 'bug_fix'), handle });
  const reader = await scene.workingAgent({ fields: named('Reader', 5, 'research'), handle });
  const done = async (agent: TestAgent, taskType: 'bug_fix' | 'research', title: string, project: string) => {
    const input = { title, description: `${title}, and say what you changed.`, project };
    const { id } = await owner.agora.tasks.submit({ taskType, agentId: agent.id, maxBudget: 1_000, input });
    return (await owner.agora.tasks.wait(id, { waitMs: 60_000 })).status;
  };
  for (const title of ['Round the totals', 'Sort the carts', 'Name the units']) {
    expect(await done(mender, 'bug_fix', title, 'shop')).toBe('completed');
    scene.server.clock.advance(day);
  }
  expect(await done(reader, 'research', 'Compare three carriers', 'delivery')).toBe('completed');
  scene.server.clock.advance(day);
  expect(await done(reader, 'research', 'Add up the invoices', 'books')).toBe('failed');
}

const open = (page: Page, place: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();

async function approve(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await page.getByRole('region', { name: 'Waiting for your approval' }).getByText('Write release notes').waitFor();
  await page.getByRole('link', { name: 'Approve or deny' }).click();
  await page.getByRole('heading', { name: 'Release bot asks to spend up to US$12.00' }).waitFor();
  await page.getByRole('button', { name: 'Approve US$12.00' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Approve US$12.00' }).click();
  await page.getByText('The task was submitted at once.').waitFor();
  await page.getByRole('link', { name: 'Open the task' }).click();
  await page.getByText('Completed', { exact: true }).first().waitFor();
}

/** The manager remembers a word of it. */
async function find(page: Page): Promise<void> {
  await open(page, 'Tasks');
  const rows = page.getByRole('table', { name: 'Tasks' }).getByRole('row');
  await page.getByLabel('Search').fill('invoic');
  await expect.poll(() => rows.count(), { timeout: 20_000 }).toBe(2);
  await page.getByRole('row', { name: /Add up the invoices.*Agent gave up/ }).waitFor();
  await shot(page, 'manager-search');
  await page.getByRole('link', { name: 'Add up the invoices' }).click();
  await page.getByRole('heading', { level: 1, name: 'Add up the invoices' }).waitFor();
  await page.getByText('The invoices of March are nowhere to be found.', { exact: false }).first().waitFor();
  await shot(page, 'manager-failed');
  await axe(page);
}

async function addUp(page: Page): Promise<void> {
  await open(page, 'Vault');
  await page.getByRole('navigation', { name: 'Parts of the vault' }).getByRole('link', { name: 'Spending' }).click();
  await page.getByRole('img', { name: /^Spent on each of the last 30 days: US\$39\.00 together, most on/ }).waitFor();
  const costs = page.getByRole('table', { name: 'What tasks cost' });
  await costs.getByRole('row', { name: /Mender 3 .*US\$24\.00 62 %/ }).waitFor();
  await costs.getByRole('row', { name: /Reader 2 .*US\$5\.00 13 %/ }).waitFor();
  await shot(page, 'manager-spending');
  await axe(page);
  await page.getByRole('button', { name: 'Project' }).click();
  await costs.getByRole('link', { name: 'shop' }).click();
  await page.waitForURL(/\/tasks\?.*project=shop/);
  await expect.poll(() => page.getByRole('table', { name: 'Tasks' }).getByRole('row').count()).toBe(4);
}

async function schedule(page: Page, { agora }: TestOwner): Promise<void> {
  await open(page, 'Schedules');
  await page.getByRole('link', { name: 'Templates' }).click();
  await page.getByRole('link', { name: 'Fill in a task' }).click();
  await page.getByLabel('Type of task').selectOption('Research');
  await page.getByLabel('Description').fill('Write the report of the week');
  await page.getByLabel('Budget', { exact: true }).fill('10');
  await page.getByRole('button', { name: 'Save as template' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Report of the week');
  await page.getByRole('dialog').getByRole('button', { name: 'Save template' }).click();
  await page.getByRole('link', { name: 'Schedule Report of the week' }).click();
  await page.getByLabel('Rhythm').selectOption('Once a week');
  await page.getByLabel('Day').selectOption('Friday');
  await page.getByLabel('Budget of a month').fill('50');
  await page.getByRole('button', { name: 'Create schedule' }).click();
  await page.getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Run now' }).click();
  await page.getByRole('row', { name: /Submitted/ }).waitFor();
  await shot(page, 'manager-schedule');
  await axe(page);
  const [made] = (await agora.schedules.list()).data;
  const [run] = (await agora.schedules.listRuns(made?.id as string)).data;
  await page.getByRole('link', { name: run?.taskIds[0] as string }).click();
  await page.getByText('Completed', { exact: true }).first().waitFor();
}
