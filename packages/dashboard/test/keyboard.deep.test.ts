import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Everything by keyboard: nobody in these tests touches the mouse. */

const scene = sceneForFile();

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name }).waitFor();

async function openTasks() {
  const idle = await (await scene.server.owner({ credits: 0 })).agent({ displayName: 'Patient reader' });
  const owner = await scene.server.owner();
  const { id } = await owner.agora.tasks.submit({
    ...{ taskType: 'general', maxBudget: 1_000, agentId: idle.id },
    input: { description: 'Read the minutes of May\nand sum them up.' },
  });
  const page = await scene.openPage({ owner, path: '/tasks' });
  await page.getByRole('link', { name: 'Read the minutes of May' }).waitFor();
  await isListening(page);
  return { owner, page, id };
}

/** The head, which listens to the keyboard, comes beside the page. */
const isListening = (page: Page) => page.getByRole('button', { name: /^Search or run/ }).waitFor();

describe('the command palette', () => {
  test('finds pages, tasks, agents and commands, and runs what is chosen', async () => {
    const { page, id } = await openTasks();
    const search = page.getByRole('combobox', { name: 'Search for a page, a task, an agent or a command' });
    await page.keyboard.press('Control+k');
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.getByRole('option', { name: /Read the minutes of May/ }).waitFor();
    await shot(page, 'palette');
    await axe(page);
    await page.keyboard.type('vault');
    await page.getByRole('option', { name: /^Vault/ }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Vault');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('minutes');
    await page.getByRole('option', { name: /Read the minutes of May/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${id}`);

    await page.keyboard.press('Control+k');
    await page.keyboard.type('patient');
    await page.getByRole('option', { name: 'Patient reader' }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, 'Patient reader');

    await page.keyboard.press('Control+k');
    await page.keyboard.type('theme: dark');
    await page.keyboard.press('Enter');
    await page.locator('html[data-theme=dark]').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('nothing is called like this');
    await page.getByText('Nothing found.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  });
});

test('letters open places, but not while somebody types', async () => {
  const { page } = await openTasks();
  await page.keyboard.press('/');
  await expect.poll(() => page.getByLabel('Status').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('n');
  expect(new URL(page.url()).pathname).toBe('/tasks');
  await page.getByLabel('Status').blur();
  await page.keyboard.press('g');
  await page.keyboard.press('v');
  await heading(page, 'Vault');
  await page.keyboard.press('g');
  await page.keyboard.press('t');
  await heading(page, 'Tasks');
  await page.keyboard.press('n');
  await heading(page, 'New task');
  await page.getByLabel('Description').focus();
  await page.keyboard.type('go vote now?');
  expect(await page.getByLabel('Description').inputValue()).toBe('go vote now?');
  await heading(page, 'New task');
});

test('the focus goes into a dialog, stays in it, and comes back to where it was', async () => {
  const { page, id } = await openTasks();
  await page.goto(`tasks/${id}`);
  await isListening(page);
  const cancel = page.getByRole('button', { name: 'Cancel task' });
  await cancel.focus();
  const within = (name: string) =>
    expect
      .poll(() => page.getByRole('dialog', { name }).evaluate((dialog) => dialog.contains(document.activeElement)))
      .toBe(true);
  const isBack = () => expect.poll(() => cancel.evaluate((button) => button === document.activeElement)).toBe(true);

  await page.keyboard.press('?');
  await within('Keyboard');
  await page.getByText('Go to the filters of a list').waitFor();
  await shot(page, 'shortcuts');
  await axe(page);
  await page.keyboard.press('Escape');
  await isBack();

  await page.keyboard.press('Enter');
  await within('Cancel this task?');
  for (let nth = 0; nth < 4; nth++) {
    await page.keyboard.press('Shift+Tab');
    // Between its last and its first part the focus may be in the browser's own bars, never on the page behind.
    const outside = await page.evaluate(() => {
      const { activeElement, body } = document;
      return activeElement === body || activeElement?.closest('dialog') ? null : activeElement?.outerHTML;
    });
    expect(outside).toBeNull();
  }
  // As after a click on plain text in it: letters go to nothing that is in the dialog, and open no other page.
  await page.evaluate(() => (document.activeElement as HTMLElement).blur());
  await page.keyboard.press('n');
  await page.keyboard.press('Escape');
  await isBack();
  await page.keyboard.press('Control+k');
  await within('Search and run');
  await page.keyboard.press('Escape');
  await isBack();
});

test('the first key leads past the head to the page', async () => {
  const { page } = await openTasks();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe('main');
});
