import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { sceneForFile } from './support/scene.ts';

/** Tabs of one browser show the same: what is done in one is current in the others, without a reload. */

const scene = sceneForFile();

async function openTab(beside: Page, path: string): Promise<Page> {
  const page = await beside.context().newPage();
  await page.goto(path);
  return page;
}

const pool = (page: Page, amount: string) =>
  page
    .getByRole('definition')
    .filter({ hasText: new RegExp(`^US\\$${amount}$`) })
    .first()
    .waitFor();

test('a task that is submitted, cancelled and rated in one tab is current in the others, with the balance', async () => {
  const idle = await (await scene.server.owner({ credits: 0 })).agent({ displayName: 'Idle' });
  const busy = await scene.workingAgent({ fields: { displayName: 'Busy' } });
  const owner = await scene.server.owner({ credits: 5_000 });
  const first = await scene.openPage({ owner, path: `/tasks/new?agentId=${idle.id}` });
  const list = await openTab(first, '/tasks');
  await list.getByText('No tasks yet').waitFor();
  const vault = await openTab(first, '/vault');
  await pool(vault, '50.00');

  await submit(first, 'Sing of ledgers.');
  await list
    .getByRole('row', { name: /Sing of ledgers/ })
    .getByText('Waiting for an agent')
    .waitFor();
  await pool(vault, '40.00');

  await list.getByRole('link', { name: 'Sing of ledgers.' }).click();
  await list.getByRole('button', { name: 'Cancel task' }).waitFor();
  await first.getByRole('button', { name: 'Cancel task' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Cancel task, release US$10.00' }).click();
  await list.getByText('You cancelled the task').waitFor();
  await list.getByRole('button', { name: 'Cancel task' }).waitFor({ state: 'detached' });
  await pool(vault, '50.00');

  await first.goto(`tasks/new?agentId=${busy.id}`);
  await submit(first, 'Hum of ledgers.');
  await first.getByText('Completed', { exact: true }).waitFor();
  await list.goto(new URL(first.url()).pathname);
  await list.getByRole('button', { name: 'Thumbs down, refund US$10.00' }).waitFor();
  await first.getByRole('button', { name: 'Thumbs down, refund US$10.00' }).click();
  await first.getByRole('dialog').getByRole('button', { name: 'Thumbs down, refund US$10.00' }).click();
  await list.getByRole('heading', { name: 'Refunded' }).waitFor();
  expect(await list.getByRole('button', { name: /^Thumbs/ }).count()).toBe(0);
  await pool(vault, '50.00');
});

async function submit(page: Page, description: string): Promise<void> {
  await page.getByLabel('Description').fill(description);
  await page.getByRole('textbox', { name: 'Budget' }).fill('10');
  await page.getByRole('button', { name: 'Submit, hold US$10.00' }).click();
  await page.waitForURL(/\/tasks\/tsk_/);
}

test('who signs out in one tab is out in the others, and comes back to what was typed', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const first = await scene.openPage({ owner, path: '/vault' });
  const second = await openTab(first, '/tasks/new');
  await second.getByLabel('Description').fill('Half a thought');

  await first.getByRole('button', { name: /^Account of/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await second.getByText('You signed out in another tab.').waitFor();
  await second.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();

  await first.goto('sign-in');
  await first.getByLabel('E-mail').fill(owner.email);
  await first.getByLabel('Password', { exact: true }).fill('correct horse');
  await first.getByRole('button', { name: 'Sign in' }).click();
  await second.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
  expect(await second.getByLabel('Description').inputValue()).toBe('Half a thought');
});

test('where another owner signs in, no tab goes on as the one before', async () => {
  const [one, other] = [await scene.server.owner({ credits: 1_000 }), await scene.server.owner({ credits: 2_500 })];
  const first = await scene.openPage({ owner: one, path: '/tasks/new' });
  await first.getByLabel('Description').fill('What only one knows');
  const second = await openTab(first, '/vault');
  await pool(second, '10.00');

  await first.getByRole('button', { name: /^Account of/ }).click();
  await first.getByRole('button', { name: 'Sign out' }).click();
  await first.getByLabel('E-mail').fill(other.email);
  await first.getByLabel('Password', { exact: true }).fill('correct horse');
  await first.getByRole('button', { name: 'Sign in' }).click();
  await pool(second, '25.00');
  // Nor does the tab show to one owner what another has typed.
  await first.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
  expect(await first.getByLabel('Description').inputValue()).toBe('');
});
