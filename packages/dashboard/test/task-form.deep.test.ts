import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../../server/test/support/git-server.ts';
import { axe } from './support/axe.ts';
import { dropFiles } from './support/drop-files.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** The other ways through the form of a task: what it refuses, and who can be asked. */

const scene = sceneForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

async function newTask({ credits = 100_000, path = '/tasks/new' } = {}) {
  const owner = await scene.server.owner({ credits });
  const page = await scene.openPage({ owner, path });
  await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
  return { owner, page };
}

const budget = (page: Page) => page.getByRole('textbox', { name: /^Budget/ });
const submit = (page: Page) => page.getByRole('button', { name: /^Submit/ });
const hasFocus = (part: Locator) =>
  expect.poll(() => part.evaluate((element) => element === document.activeElement)).toBe(true);

describe('a form that cannot be sent', () => {
  test('says at each field what to change, and takes its owner to the first', async () => {
    const { owner, page } = await newTask();
    const description = page.getByLabel('Description');
    await submit(page).click();
    await page.getByText('Say what is to be done.', { exact: true }).waitFor();
    await page.getByText('Name the most that you would pay.', { exact: true }).waitFor();
    await page.getByText('Some fields need another look.', { exact: true }).waitFor();
    await hasFocus(description);
    expect(await description.getAttribute('aria-invalid')).toBe('true');

    // Typing mends one field and leaves the other wrong, but the focus stays. Each press moves it.
    await description.pressSequentially('Sum the numbers.');
    expect(await description.inputValue()).toBe('Sum the numbers.');
    await hasFocus(description);
    for (const _ of ['once', 'again']) {
      await submit(page).click();
      await hasFocus(budget(page));
      await description.focus();
    }
    await budget(page).fill('much');
    await page.getByText('Write an amount like 12.50.', { exact: true }).waitFor();
    await budget(page).fill('12,5');
    await page.getByRole('button', { name: 'Add a check' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Adds up');
    await page.getByLabel('Weight').fill('0');
    await page.getByText('For texts and data').click();
    await page.getByLabel('JSON Schema').fill('{ "type": ');
    await submit(page).click();
    await page.getByText('Write the command that decides.', { exact: true }).waitFor();
    await page.getByText('More than 0, at most 100.', { exact: true }).waitFor();
    await page.getByText('This is no JSON object.', { exact: true }).waitFor();
    await shot(page, 'task-new-errors');
    await axe(page);
    expect((await owner.agora.tasks.list()).data).toEqual([]);
  });

  test('shows at its field what only the server can tell', async () => {
    const { page } = await newTask();
    await page.getByLabel('Description').fill('Say what is in the repository.');
    await page.getByLabel('Repository').fill('ssh://git.example/project');
    await budget(page).fill('5');
    await submit(page).click();
    await page.getByText('Some fields need another look.', { exact: true }).waitFor();
    await expect.poll(() => page.getByLabel('Repository').getAttribute('aria-invalid')).toBe('true');
  });

  test('says why, where the pool has too little', async () => {
    const { owner, page } = await newTask({ credits: 1_000 });
    await page.getByLabel('Description').fill('Sum the numbers.');
    await budget(page).fill('25');
    await page.getByText('Your pool lacks US$15.00.').waitFor();
    await submit(page).focus();
    await page.getByRole('tooltip', { name: 'This would hold US$25.00, and your pool has US$10.00.' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Top up credits' }).click();
    await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
    expect((await owner.agora.tasks.list()).data).toEqual([]);
    await page.goBack();
    expect(await page.getByLabel('Description').inputValue()).toBe('Sum the numbers.');
  });
});

describe('files', () => {
  const pathOf = (page: Page, at: number) => page.getByLabel(`Path of file ${at} in the workspace`);

  /** Chooses each file before the one before it is read. */
  const chooseAtOnce = (input: Locator, ...names: string[]) =>
    input.evaluate((field: HTMLInputElement, wanted) => {
      for (const name of wanted) {
        const chosen = new DataTransfer();
        chosen.items.add(new File([name], name));
        field.files = chosen.files;
        field.dispatchEvent(new Event('change', { bubbles: true }));
      }
    }, names);

  test('that come at once are all taken, and a path that cannot be sent is told at its row', async () => {
    const { page } = await newTask();
    await page.getByLabel('Description').fill('Compare the two lists.');
    await budget(page).fill('5');
    await chooseAtOnce(page.getByLabel('Add files'), 'a.txt', 'b.txt');
    await pathOf(page, 2).waitFor();
    expect([await pathOf(page, 1).inputValue(), await pathOf(page, 2).inputValue()]).toEqual(['a.txt', 'b.txt']);

    await pathOf(page, 2).fill('a.txt');
    await submit(page).click();
    await page.getByText('Another file has this path.', { exact: true }).waitFor();
    await page.getByText('Some fields need another look.', { exact: true }).waitFor();
    await hasFocus(pathOf(page, 2));
    await axe(page);
    await pathOf(page, 2).fill('');
    await page.getByText('Give the file a path.', { exact: true }).waitFor();
    await pathOf(page, 2).fill('b.txt');
    await page.getByText('Some fields need another look.', { exact: true }).waitFor({ state: 'detached' });
  });

  test('that a task cannot take are named, and the others are taken', async () => {
    const { page } = await newTask();
    const log = (name: string, sizeBytes = 100_000) => ({
      ...{ name, mimeType: 'text/plain', buffer: Buffer.alloc(sizeBytes, 'x') },
    });
    const logs = [log('huge', 300_000), ...['one', 'two', 'three', 'four', 'five'].map((name) => log(name))];
    await page.getByLabel('Add files').setInputFiles(logs);
    await page.getByText('Left out: huge, three, four and 1 more.').waitFor();
    expect([await pathOf(page, 1).inputValue(), await pathOf(page, 2).inputValue()]).toEqual(['one', 'two']);

    await page.evaluate(() => {
      const { webkitGetAsEntry } = DataTransferItem.prototype;
      const file = (_: unknown, fail: (error: unknown) => void) => fail(new DOMException('It is locked.'));
      DataTransferItem.prototype.webkitGetAsEntry = function () {
        const entry = webkitGetAsEntry.call(this);
        return entry?.name === 'locked.txt' ? Object.assign(entry, { file }) : entry;
      };
    });
    const held = { 'locked.txt': 'no', 'open.txt': 'yes' };
    await dropFiles(page, page.getByText('Add held-out files', { exact: true }), held, ['locked.txt']);
    await page.getByText('Could not be read: locked.txt.').waitFor();
  });
});

test('one agent is hired by its name, and a double click submits once', async () => {
  const agent = await scene.workingAgent({ fields: { displayName: 'Quiet haiku writer' } });
  const other = await scene.workingAgent({ fields: { displayName: 'Loud haiku writer' } });
  const { owner, page } = await newTask({ path: `/tasks/new?agentId=${other.id}&taskType=nonsense` });
  await page.getByRole('link', { name: 'Loud haiku writer' }).first().waitFor();
  expect(await page.getByLabel('Type of task').inputValue()).toBe('general');
  await page.getByLabel('Description').fill('Write a haiku about ledgers.');
  await budget(page).fill('15');
  await page.getByRole('button', { name: 'Change', exact: true }).click();
  await hasFocus(page.getByLabel('Find an agent'));
  // What the address asked for does not come back.
  await page.reload();
  await page.getByText('Choose an agent to see its price.').waitFor();
  await page.getByLabel('Find an agent').fill('Quiet haiku');
  await page
    .getByRole('list', { name: 'Agents found' })
    .getByRole('button', { name: /Quiet haiku writer/ })
    .click();
  await hasFocus(page.getByRole('button', { name: 'Change', exact: true }));
  const candidates = page.getByRole('region', { name: 'Quote' }).getByRole('list', { name: 'Candidates' });
  await candidates.getByRole('listitem').filter({ hasText: 'Quiet haiku writer' }).getByText('US$10.00').waitFor();
  expect(await candidates.getByRole('listitem').count()).toBe(1);
  await submit(page).dblclick();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Quiet haiku writer' }).first().waitFor();
  const { data } = await owner.agora.tasks.list();
  expect(data.map(({ agentId, creditsCharged }) => [agentId, creditsCharged])).toEqual([[agent.id, 1000]]);
});

test('of several attempts the best is paid, and the others cost nothing', async () => {
  await scene.workingAgent({ handle: async () => ({ text: 'One' }) });
  await scene.workingAgent({ handle: async () => ({ text: 'Two' }) });
  const { owner, page } = await newTask();
  await page.getByLabel('Description').fill('Name three parsers that are fast on long lines.');
  await budget(page).fill('12');
  await page.getByLabel('Best of several').check();
  await page.getByText('Your plan allows 3; up to 5 with Pro.').waitFor();
  await page.getByRole('button', { name: 'Submit, hold US$24.00' }).click();
  const attempts = page.getByRole('table', { name: 'Attempts' });
  await attempts.getByText('Best, paid').waitFor();
  await attempts.getByText('Passed, not paid').waitFor();
  await page.getByText('Compare the attempts').click();
  const side = page.getByRole('table', { name: 'Attempts side by side' });
  await side.getByRole('row', { name: /^State .*Best, paid/ }).waitFor();
  await side.getByRole('row', { name: /^You paid (US\$10\.00 US\$0\.00|US\$0\.00 US\$10\.00)$/ }).waitFor();
  await side.getByRole('row', { name: /^Output fits .*60/ }).waitFor();
  await shot(page, 'task-attempts');
  await axe(page);
  // At phone width the agents stand there as well.
  await page.setViewportSize({ width: 390, height: 844 });
  await expect
    .poll(() =>
      attempts
        .getByRole('link', { name: /haiku writer$|^Agent \d+$/ })
        .first()
        .isVisible(),
    )
    .toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect.poll(async () => (await owner.agora.vault.getPool()).balance).toBe(100_000 - 1_000);

  await page.keyboard.press('n');
  await page.getByLabel('Description').fill('Half a thought');
  await page.goBack();
  await sayAttempts(page, 5);
  await page.reload();
  await page.getByRole('link', { name: 'Submit again' }).click();
  await page.getByText('Copied from').waitFor();
  await expect.poll(() => page.getByLabel('Description').inputValue()).toMatch(/^Name three parsers/);
  // As many as the plan allows, not as the copied task had with another plan.
  expect(await page.getByLabel('Attempts').inputValue()).toBe('3');
  await page.keyboard.press('n');
  await page.getByText('Copied from').waitFor({ state: 'detached' });
  expect(await page.getByLabel('Description').inputValue()).toBe('Half a thought');

  await page.getByRole('link', { name: 'Overview' }).click();
  const results = page.getByRole('list', { name: 'Recent results' });
  await results.getByText('Completed').waitFor();
  await results.getByText('Not chosen').waitFor();
});

/** From now on the page reads that tasks are of this many attempts. */
const sayAttempts = (page: Page, attempts: number) =>
  page.route(
    (url) => /\/tasks\/tsk_\w+$/.test(url.pathname),
    async (route) => {
      if (route.request().resourceType() === 'document') return route.continue();
      const response = await route.fetch();
      const task = await response.json();
      await route.fulfill({ response, json: { ...task, group: { ...task.group, attempts } } });
    },
  );

describe('a repository', () => {
  let remote: GitServer;
  beforeAll(async () => {
    remote = await startGitServer();
  });
  afterAll(() => remote.close());

  test('is taken by its address and branch, and read by the agent', async () => {
    mkdirSync(join(remote.root, 'project'), { recursive: true });
    git(remote.root, 'init', '--initial-branch=fix', 'project');
    writeFileSync(join(remote.root, 'project/README'), 'Ledgers in verse\n');
    git(join(remote.root, 'project'), 'add', '-A');
    git(join(remote.root, 'project'), 'commit', '--quiet', '-m', 'one');
    await scene.workingAgent({
      fields: { capabilities: [{ category: 'research', tags: [] }] },
      handle: async ({ sandbox }) => ({ result: `It is called: ${(await sandbox.read('README')).content}` }),
    });
    const { page } = await newTask({ path: '/tasks/new?taskType=research' });
    await page.getByLabel('Description').fill('Say what the project in the repository is called.');
    await page.getByLabel('Repository').fill(`${remote.url}/project`);
    await page.getByLabel('Branch or commit').fill('fix');
    await budget(page).fill('10');
    await page.getByLabel('Best of several').check();
    await page.getByText('Only 1 owner has a free agent for this now; you ask for 2 attempts.').waitFor();
    await page.getByLabel('Best match').check();
    await submit(page).click();
    await page.getByText('It is called: Ledgers in verse').waitFor();
    await page.getByRole('link', { name: 'Work', exact: true }).click();
    await page.getByText(`${remote.url}/project at fix`).waitFor();
  });
});
