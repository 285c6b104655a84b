import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../../server/test/support/harness.ts';
import { ask, askingAgent } from './support/asking-agent.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { goInside } from './support/sweep.ts';

/** What is done with many rows at once, and how a list is put in order. */

const scene = sceneForFile();

const titles = (page: Page) => page.getByRole('table', { name: 'Tasks' }).getByRole('link');
const shown = (page: Page, ...wanted: string[]) => expect.poll(() => titles(page).allTextContents()).toEqual(wanted);
const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select ${title}` });
const selected = (page: Page) => page.getByRole('region', { name: 'Selected' });
const press = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).click();
const confirm = (page: Page, name: string | RegExp) => page.getByRole('dialog').getByRole('button', { name }).click();

/** An owner with so many tasks that wait for an agent: of $1.00, $2.00 and so on, or of another amount. */
async function ownerOf(count: number, cents = 100): Promise<{ owner: TestOwner; ids: string[] }> {
  const idle = await (await scene.server.owner({ credits: 0 })).agent({ displayName: 'Sleeper' });
  const owner = await scene.server.owner();
  const ids: string[] = [];
  for (let nth = 1; nth <= count; nth++) {
    const input = { description: `Task ${nth}`, ...(nth === 1 && { project: 'garden' }) };
    const body = { taskType: 'general', maxBudget: nth * cents, agentId: idle.id, input } as const;
    ids.push((await owner.agora.tasks.submit(body)).id);
  }
  return { owner, ids };
}

const statusesOf = async (owner: TestOwner, ids: readonly string[]) =>
  Promise.all(ids.map(async (id) => (await owner.agora.tasks.get(id)).status));

describe('tasks that are selected', () => {
  test('are cancelled together by mouse and keyboard, and what comes back is said first', async () => {
    const { owner, ids } = await ownerOf(5);
    await owner.agora.tasks.cancel(ids[4]!);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await shown(page, 'Task 5', 'Task 4', 'Task 3', 'Task 2', 'Task 1');
    await box(page, 'Task 5').click();
    await box(page, 'Task 2').click({ modifiers: ['Shift'] });
    await selected(page).getByText('4 selected').waitFor();
    expect(await box(page, 'Task 3').isChecked()).toBe(true);
    // The key of the row that has the focus, which the press of a row does not open.
    await page.getByRole('link', { name: 'Task 3' }).focus();
    await page.keyboard.press('x');
    await selected(page).getByText('3 selected').waitFor();
    await page.keyboard.press('x');
    await selected(page).getByText('4 selected').waitFor();
    await page.keyboard.press('?');
    await page.getByText('Select the row, or take it out').waitFor();
    await page.keyboard.press('Escape');
    await shot(page, 'tasks-selected');
    await axe(page);

    await press(page, 'Cancel 3 of 4');
    await page.getByText('$9.00 goes back into your pool').or(page.getByText('US$9.00 goes back into')).waitFor();
    await page.getByText('1 of the 4 selected is left out.').waitFor();
    await shot(page, 'tasks-cancel-many');
    await axe(page);
    await confirm(page, /^Cancel 3 tasks, release/);
    await page.getByText('3 of 3 tasks are cancelled.').waitFor();
    expect(await statusesOf(owner, ids)).toEqual(['submitted', 'failed', 'failed', 'failed', 'failed']);
    await expect.poll(() => page.getByRole('row', { name: /Cancelled/ }).count()).toBe(4);
    await expect.poll(() => selected(page).count()).toBe(0);
    await page
      .getByRole('region', { name: /^(Cancelling|Approving)/ })
      .getByRole('button', { name: 'Close' })
      .click();
    await page.getByRole('region', { name: /^Cancelling/ }).waitFor({ state: 'detached' });
  });

  test('are all that match, page after page, and stay selected in another order', async () => {
    const { owner } = await ownerOf(5);
    const page = await scene.openPage({ owner });
    await page.route(/\/api\/v1\/tasks\?/, (route) =>
      route.continue({ url: route.request().url().replace('pageSize=100', 'pageSize=2') }),
    );
    // A list loads what is in sight, so the rest comes only when it is asked for.
    let mayLoad = () => {};
    const wanted = new Promise<void>((resolve) => {
      mayLoad = resolve;
    });
    await page.route(/\/api\/v1\/tasks\?.*cursor=/, async (route) => {
      await wanted;
      await route.fallback();
    });
    await page.goto('tasks');
    await shown(page, 'Task 5', 'Task 4');
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await selected(page).getByText('2 selected').waitFor();
    await press(page, 'Select all that match, at most 500');
    mayLoad();
    await selected(page).getByText('5 selected').waitFor();
    await press(page, 'Amount');
    await shown(page, 'Task 5', 'Task 4', 'Task 3', 'Task 2', 'Task 1');
    await selected(page).getByText('5 selected').waitFor();
    await page.getByLabel('Status').selectOption('Ended');
    await page.getByText('No tasks match these filters').waitFor();
    expect(await selected(page).count()).toBe(0);
  });

  test('that failed are submitted again with their input and budget, once whatever is pressed', async () => {
    const { owner, ids } = await ownerOf(2, 1_000);
    await scene.workingAgent({ fields: { displayName: 'Mender' } });
    for (const id of ids) await owner.agora.tasks.cancel(id);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await box(page, 'Task 1').click();
    await box(page, 'Task 2').click();
    await press(page, 'Submit again 2');
    await page.getByText(/US\$30.00 is held from your pool/).waitFor();
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Submit 2 tasks again, hold/ })
      .dblclick();
    await page.getByText('2 of 2 tasks are submitted again.').waitFor();
    const made = (await owner.agora.tasks.list({ include: 'content' })).data.filter(({ id }) => !ids.includes(id));
    expect(made.map(({ input, maxBudget }) => [input, maxBudget]).sort()).toEqual([
      [{ description: 'Task 1', project: 'garden' }, 1_000],
      [{ description: 'Task 2' }, 2_000],
    ]);
    await expect.poll(() => titles(page).count()).toBe(4);
  });

  test('that are older than a day are submitted again only if their owner says so', async () => {
    const { owner, ids } = await ownerOf(1);
    await owner.agora.tasks.cancel(ids[0]!);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await page.clock.install({ time: new Date(Date.now() + 2 * 24 * 3_600_000) });
    await page.reload();
    await box(page, 'Task 1').click();
    await press(page, 'Submit again 1');
    const submit = page.getByRole('dialog').getByRole('button', { name: /^Submit \d tasks? again/ });
    expect(await submit.getAttribute('aria-disabled')).toBe('true');
    await page.getByLabel('Also the one that is older than a day').check();
    expect(await submit.getAttribute('aria-disabled')).toBeNull();
  });
});

describe('what goes on', () => {
  /** Answers the cancelling of a task in the server's place. */
  const instead = (
    page: Page,
    id: string,
    answer: { status: number; code: string; headers?: Record<string, string> },
  ) =>
    page.route(`**/api/v1/tasks/${id}/cancel`, (route) =>
      route.fulfill({
        status: answer.status,
        contentType: 'application/json',
        headers: answer.headers ?? {},
        body: JSON.stringify({ error: { code: answer.code, message: 'It cannot be done now.' } }),
      }),
    );

  async function cancelAll(page: Page, count: number): Promise<void> {
    await page.getByRole('checkbox', { name: 'Select all that are loaded' }).check();
    await press(page, `Cancel ${count}`);
    await confirm(page, /^Cancel \d tasks, release/);
  }

  test('waits as long as the server asks, says so, can be stopped, and goes on with the others', async () => {
    const { owner, ids } = await ownerOf(6);
    const page = await scene.openPage({ owner, path: '/tasks', clock: 'server' });
    await titles(page).first().waitFor();
    for (const id of ids)
      await instead(page, id, { status: 429, code: 'RATE_LIMITED', headers: { 'retry-after': '30' } });
    await cancelAll(page, 6);
    const going = page.getByRole('region', { name: 'Cancelling 6 tasks' });
    await going.getByText(/waits \d+ s, because the server takes so many requests a minute/).waitFor();
    await shot(page, 'tasks-cancelling');
    await axe(page);
    await going.getByRole('button', { name: 'Stop' }).click();
    await going.getByText('6 not tried').waitFor();
    expect(await statusesOf(owner, ids)).toEqual(Array(6).fill('submitted'));
    await going.getByRole('button', { name: 'Go on with the other 6' }).click();
    await page.getByText(/waits \d+ s/).waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await scene.pass(31_000, page);
    await page.getByText('6 of 6 tasks are cancelled.').waitFor();
    expect(await statusesOf(owner, ids)).toEqual(Array(6).fill('failed'));
    scene.takeFaults();
  });

  test('names what failed and why, and tries that again', async () => {
    const { owner, ids } = await ownerOf(3);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await titles(page).first().waitFor();
    await instead(page, ids[1]!, { status: 409, code: 'TASK_WRONG_STATE' });
    await cancelAll(page, 3);
    await page.getByText('2 of 3 tasks are cancelled.').waitFor();
    const failed = page.getByRole('list', { name: 'Failed' }).getByRole('listitem');
    expect(await failed.allTextContents()).toEqual(['Task 2 It cannot be done now.']);
    await shot(page, 'tasks-failed-many');
    await axe(page);
    await page.unrouteAll({ behavior: 'wait' });
    await press(page, 'Try the failed again');
    await page.getByText('1 of 1 task is cancelled.').waitFor();
    expect(await statusesOf(owner, ids)).toEqual(['failed', 'failed', 'failed']);
    scene.takeFaults();
  });

  test('goes on while its owner is on another page, and says there how it ended', async () => {
    const { owner, ids } = await ownerOf(2);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await titles(page).first().waitFor();
    let letGo = () => {};
    const told = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await page.route('**/api/v1/tasks/*/cancel', async (route) => {
      await told;
      await route.continue();
    });
    await cancelAll(page, 2);
    await goInside(page, './vault');
    await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
    letGo();
    await page.getByText(/2 of 2 tasks are cancelled\. US\$3.00 is back in your pool\./).waitFor();
    expect(await statusesOf(owner, ids)).toEqual(['failed', 'failed']);
    await goInside(page, './tasks');
    await page.getByRole('region', { name: 'Cancelling 2 tasks' }).getByText('2 of 2 tasks are cancelled.').waitFor();
  });
});

test('requests of agents are approved together, and others denied', async () => {
  const { owner, agent } = await askingAgent(scene);
  for (const what of ['First', 'Second', 'Third']) await ask(agent, what);
  const page = await scene.openPage({ owner, path: '/approvals' });
  await box(page, 'First').click();
  await box(page, 'Second').click();
  await shot(page, 'approvals-selected');
  await axe(page);
  await press(page, 'Approve 2');
  await page.getByText(/US\$24.00 is held from your pool/).waitFor();
  await confirm(page, 'Approve 2 requests, hold US$24.00');
  await page.getByText(/2 of 2 requests are approved\. US\$24.00 is held for the tasks\./).waitFor();
  await page
    .getByRole('region', { name: /^(Cancelling|Approving)/ })
    .getByRole('button', { name: 'Close' })
    .click();
  await box(page, 'Third').click();
  await press(page, 'Deny 1');
  await confirm(page, 'Deny 1 request');
  await page.getByText('1 of 1 request is denied.').waitFor();
  await page.getByText('Nothing waits for you').waitFor();
  const decided = (await owner.agora.embassy.listApprovals()).data;
  expect(decided.map(({ description, status }) => `${description}: ${status}`).sort()).toEqual([
    'First: approved',
    'Second: approved',
    'Third: denied',
  ]);
});

describe('the list', () => {
  test('is put in order by its headings, which say so, and by the filters', async () => {
    const { owner } = await ownerOf(3);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await shown(page, 'Task 3', 'Task 2', 'Task 1');
    const head = (name: string) => page.getByRole('columnheader', { name });
    const stands = (name: string, how: string | null) =>
      expect.poll(() => head(name).getAttribute('aria-sort')).toBe(how);
    await stands('Submitted', 'descending');
    await head('Amount').getByRole('button').focus();
    await page.keyboard.press('Enter');
    await stands('Amount', 'descending');
    await stands('Submitted', null);
    await page.keyboard.press('Enter');
    await shown(page, 'Task 1', 'Task 2', 'Task 3');
    await stands('Amount', 'ascending');
    expect(new URL(page.url()).search).toBe('?sort=lowest');
    await axe(page);
    await page.reload();
    await shown(page, 'Task 1', 'Task 2', 'Task 3');
    await page.getByLabel('Order').selectOption('Highest amount first');
    await shown(page, 'Task 3', 'Task 2', 'Task 1');
    await head('Submitted').getByRole('button').click();
    await head('Submitted').getByRole('button').click();
    await shown(page, 'Task 1', 'Task 2', 'Task 3');
    await stands('Submitted', 'ascending');
  });

  test('has the columns that were chosen, also the next time', async () => {
    const { owner } = await ownerOf(1);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await shown(page, 'Task 1');
    const heads = () => page.getByRole('columnheader').allTextContents();
    expect(await heads()).toEqual(['', 'Task', 'Status', 'Agent', 'Amount', 'Submitted']);
    await press(page, 'Columns');
    const under = (await page.getByRole('button', { name: 'Columns' }).boundingBox())!;
    const menu = (await page.getByRole('group', { name: 'Columns' }).boundingBox())!;
    expect(menu.y).toBeGreaterThan(under.y + under.height);
    expect(menu.x).toBeGreaterThan(under.x - menu.width);
    await page.getByLabel('Project').check();
    await page.getByLabel('Agent').uncheck();
    await shot(page, 'tasks-columns');
    await axe(page);
    await expect.poll(heads).toEqual(['', 'Task', 'Status', 'Project', 'Amount', 'Submitted']);
    await page
      .getByRole('row', { name: /Task 1/ })
      .getByText('garden')
      .waitFor();
    await page.reload();
    await expect.poll(heads).toEqual(['', 'Task', 'Status', 'Project', 'Amount', 'Submitted']);
    await press(page, 'Columns');
    await press(page, 'Show the usual ones');
    await expect.poll(heads).toEqual(['', 'Task', 'Status', 'Agent', 'Amount', 'Submitted']);
  });

  test('counts the rows of a long download as they come, which can be stopped', async () => {
    const { owner } = await ownerOf(3);
    const page = await scene.openPage({ owner, path: '/tasks' });
    await titles(page).first().waitFor();
    // The file of a list of any length, as a slow line brings it.
    await page.evaluate(() => {
      const send = window.fetch;
      window.fetch = async (...asked) => {
        const reply = await send(...asked);
        const address = String(asked[0] instanceof Request ? asked[0].url : asked[0]);
        if (!address.includes('/tasks/export')) return reply;
        const whole = await reply.text();
        const body = new ReadableStream({ start: (stream) => stream.enqueue(new TextEncoder().encode(whole)) });
        return new Response(body, { headers: reply.headers });
      };
    });
    await press(page, 'Download CSV');
    await page.getByText('3 rows of CSV').waitFor();
    await axe(page);
    await press(page, 'Stop');
    await page.getByRole('button', { name: 'Download CSV' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await press(page, 'Download JSON');
    await page.getByText('3 rows of JSON').waitFor();
  });
});
