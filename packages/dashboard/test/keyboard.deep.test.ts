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
  await expect.poll(() => page.getByLabel('Search').evaluate((field) => field === document.activeElement)).toBe(true);
  await page.keyboard.press('n');
  expect(new URL(page.url()).pathname).toBe('/tasks');
  await page.getByLabel('Search').blur();
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

test('letters go from row to row, and the help says what the page can do', async () => {
  const { page, owner, id } = await openTasks();
  const { taskType, maxBudget, agentId } = await owner.agora.tasks.get(id);
  const second = await owner.agora.tasks.submit({
    ...{ taskType, maxBudget, agentId: agentId! },
    input: { description: 'Read the minutes of June' },
  });
  await page.reload();
  const row = (name: string) => page.getByRole('link', { name, exact: true });
  const hasFocus = (name: string) =>
    expect.poll(() => row(name).evaluate((link) => link === document.activeElement)).toBe(true);
  await row('Read the minutes of May').waitFor();
  await isListening(page);
  for (const [key, name] of [
    ['j', 'Read the minutes of June'],
    ['j', 'Read the minutes of May'],
    ['j', 'Read the minutes of May'],
    ['k', 'Read the minutes of June'],
  ] as const) {
    await page.keyboard.press(key);
    await hasFocus(name);
  }
  await page.keyboard.press('?');
  const here = page.getByRole('region', { name: 'On this page' });
  for (const does of ['Go to the filters', 'Next row', 'Previous row']) await here.getByText(does).waitFor();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await page.waitForURL(`**/tasks/${second.id}`);
});

test('a table sorts by its headings, up and down, and says so', async () => {
  const owner = await scene.server.owner();
  for (const name of ['Beta 10', 'Beta 9', 'alpha']) await owner.agora.auth.createToken({ name });
  const page = await scene.openPage({ owner, path: '/developer?tab=tokens' });
  const names = () => page.getByRole('table').locator('tbody tr td:first-child').allInnerTexts();
  const order = async () => (await names()).map((text) => /alpha|Beta \d+/.exec(text)?.[0]);
  const heading = page.getByRole('columnheader', { name: 'Name' });
  await heading.getByRole('button').focus();
  await page.keyboard.press('Enter');
  await expect.poll(order).toEqual(['alpha', 'Beta 9', 'Beta 10']);
  expect(await heading.getAttribute('aria-sort')).toBe('ascending');
  await page.keyboard.press('Enter');
  await expect.poll(order).toEqual(['Beta 10', 'Beta 9', 'alpha']);
  await axe(page);
  await page.keyboard.press('Enter');
  await expect.poll(() => heading.getAttribute('aria-sort')).toBeNull();
});

describe('a table', () => {
  const openTokens = async () => {
    const owner = await scene.server.owner();
    for (const name of ['Laptop', '=1+1']) await owner.agora.auth.createToken({ name });
    const page = await scene.openPage({ owner, path: '/developer?tab=tokens' });
    await page.getByRole('cell', { name: /^Laptop/ }).waitFor();
    await isListening(page);
    return page;
  };
  const edge = (page: Page) => page.getByRole('columnheader', { name: 'Name', exact: true }).getByRole('separator');
  const width = async (page: Page) =>
    (await page.getByRole('columnheader', { name: 'Name', exact: true }).boundingBox())!.width;

  test('has columns that the arrow keys widen, and remembers how wide until the usual width is asked for', async () => {
    const page = await openTokens();
    const usual = await width(page);
    await edge(page).focus();
    for (let press = 0; press < 5; press++) await page.keyboard.press('ArrowRight');
    await expect.poll(() => width(page)).toBeGreaterThan(usual + 70);
    const wide = await width(page);
    await expect.poll(async () => Number(await edge(page).getAttribute('aria-valuenow'))).toBe(Math.round(wide));
    await axe(page);
    await shot(page, 'table-widths');
    await page.reload();
    await expect.poll(() => width(page)).toBeCloseTo(wide, -1);
    await edge(page).press('ArrowLeft');
    await expect.poll(() => width(page)).toBeLessThan(wide - 10);
    await page.keyboard.press('Enter');
    await expect.poll(() => width(page)).toBeCloseTo(usual, -1);
  });

  test('has columns that follow the pointer at their edge, and a double click gives the usual width back', async () => {
    const page = await openTokens();
    const usual = await width(page);
    const { x, y, width: thick, height } = (await edge(page).boundingBox())!;
    const [fromX, fromY] = [x + thick / 2, y + height / 2];
    await page.mouse.move(fromX, fromY);
    await page.mouse.down();
    await page.mouse.move(fromX + 60, fromY, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => width(page)).toBeCloseTo(usual + 60, -1);
    await edge(page).dblclick();
    await expect.poll(() => width(page)).toBeCloseTo(usual, -1);
  });

  test('gives its cells and rows to the clipboard, and no formula of a stranger', async () => {
    const page = await openTokens();
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    await page.getByRole('cell', { name: /^Laptop/ }).focus();
    await page.keyboard.press('Control+c');
    await page.getByText('Copied the cell.').waitFor();
    expect(await copied()).toMatch(/^Laptop/);
    await page.getByRole('button', { name: 'Revoke =1+1' }).focus();
    await page.keyboard.press('Shift+C');
    await page.getByText('Copied the row.').waitFor();
    const cells = (await copied()).split('\t');
    expect(cells[0]).toMatch(/^'=1\+1/);
    expect(cells.length).toBe(await page.getByRole('columnheader').count());
    expect(cells.at(-1)).toBe('');
  });
});

describe('what was done', () => {
  test('is taken back by the keyboard: a deleted template is as it was', async () => {
    const owner = await scene.server.owner();
    const task = {
      ...{ taskType: 'general' as const, maxBudget: 700, waitMinutes: 45 },
      input: { description: 'Count', files: { 'a.bin': { content: 'AP8=', encoding: 'base64' as const } } },
    };
    await owner.agora.templates.create({ name: 'Count', task });
    const page = await scene.openPage({ owner, path: '/schedules?tab=templates' });
    await page.getByRole('button', { name: 'Delete Count' }).press('Enter');
    // What has the focus stays.
    await page.getByRole('status').getByRole('button', { name: 'Undo' }).focus();
    await page.getByText('No templates yet').waitFor();
    await shot(page, 'undo');
    await axe(page);
    await page.keyboard.press('Control+z');
    await page.getByText('Undone.').waitFor();
    await page.getByRole('row', { name: /Count/ }).waitFor();
    const id = (await owner.agora.templates.list()).data[0]?.id;
    expect((await owner.agora.templates.get(id!)).task).toEqual(task);
  });

  test('is taken back one after the other, the last first, and never in place of what is typed', async () => {
    const owner = await scene.server.owner();
    const page = await scene.openPage({ owner, path: '/policies' });
    const saved = () => page.getByRole('button', { name: 'Save rules' });
    const policy = async () => (await owner.agora.embassy.listPolicies()).data[0]?.perTransactionMax;
    const most = page.getByLabel('At most for one task').first();
    for (const [typed, cents] of [
      ['10', 1_000],
      ['20', 2_000],
    ] as const) {
      await most.fill(typed);
      await saved().press('Enter');
      await expect.poll(policy).toBe(cents);
      await expect.poll(() => saved().getAttribute('aria-disabled')).toBe('true');
    }
    await page.getByLabel('Answer to questions').press('Control+z');
    expect(await policy()).toBe(2_000);
    await saved().focus();
    await page.keyboard.press('Control+z');
    await expect.poll(policy).toBe(1_000);
    await expect.poll(() => most.inputValue()).toBe('10.00');
  });
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
  await page.getByRole('region', { name: 'Everywhere' }).getByText('New task').waitFor();
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

describe('the focus on the way from page to page', () => {
  const hasFocus = (page: Page, name: string) =>
    expect
      .poll(() =>
        page.getByRole('heading', { level: 1, name }).evaluate((element) => element === document.activeElement),
      )
      .toBe(true);
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.tagName);

  test('goes to the heading of the next page, from where Tab goes on', async () => {
    const { page } = await openTasks();
    expect(await focused(page)).toBe('BODY');
    await page.keyboard.press('g');
    await page.keyboard.press('v');
    await hasFocus(page, 'Vault');
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('main') !== null)).toBe(true);
    // Another part of the same page: the focus stays on what was pressed.
    const part = page.getByRole('navigation', { name: 'Parts of the vault' }).getByRole('link', { name: 'Wallets' });
    await part.press('Enter');
    await page.getByText('No agents yet').waitFor();
    expect(await part.evaluate((link) => link === document.activeElement)).toBe(true);
    await page.goBack();
    await page.goBack();
    await hasFocus(page, 'Tasks');
  });

  test('goes there from the palette too, once that is closed, and from a thing to another of its kind', async () => {
    const { page, id } = await openTasks();
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox', { name: /^Search for a page/ });
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('patient');
    await page.getByRole('option', { name: 'Patient reader' }).first().waitFor();
    await page.keyboard.press('Enter');
    await hasFocus(page, 'Patient reader');
    await page.getByRole('button', { name: /^Search or run/ }).focus();
    await page.keyboard.press('Control+k');
    await expect.poll(() => search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.type('minutes');
    await page
      .getByRole('option', { name: /Read the minutes of May/ })
      .first()
      .waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/tasks/${id}`);
    await hasFocus(page, 'Read the minutes of May');
  });

  test('waits for a page whose data is on its way, and takes it from nobody who types meanwhile', async () => {
    const { page } = await openTasks();
    let letGo = () => {};
    const told = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/v1/agents/agt_*', async (route) => {
      await told;
      await route.continue();
    });
    await page.keyboard.press('g');
    await page.keyboard.press('b');
    await hasFocus(page, 'Agents for hire');
    await page.getByRole('link', { name: 'Patient reader' }).first().press('Enter');
    await page.waitForURL('**/agents/agt_*');
    await page.keyboard.press('Control+k');
    const search = page.getByRole('combobox');
    await search.waitFor();
    letGo();
    await page.getByRole('heading', { level: 1, name: 'Patient reader', includeHidden: true }).waitFor();
    expect(await search.evaluate((field) => field === document.activeElement)).toBe(true);
    await page.keyboard.press('Escape');
    await hasFocus(page, 'Patient reader');
  });
});
