import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import type { TestOwner } from '../../server/test/support/harness.ts';
import { ask, askingAgent, noRules } from './support/asking-agent.ts';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Approvals and rules that others change meanwhile, notifications, and the audit log. */

const scene = sceneForFile();

const openApproval = (owner: TestOwner, id: string) => scene.openPage({ owner, path: `approvals/${id}` });

describe('a decision that comes too late', () => {
  test('shows what was decided instead, not an error', async () => {
    const { owner, agent } = await askingAgent(scene);
    const id = await ask(agent);
    const page = await openApproval(owner, id);
    await page.getByRole('button', { name: 'Deny' }).click();
    const dialog = page.getByRole('dialog', { name: 'Deny the request?' });
    await dialog.getByLabel('Reason').fill('Too dear');
    await owner.agora.embassy.deny(id, { note: 'Denied by a program' });
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await page.getByText('This was decided on another screen.').waitFor();
    await page.getByText('Denied by a program').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('shows that nobody decided in time', async () => {
    const { owner, agent } = await askingAgent(scene);
    const id = await ask(agent);
    const page = await openApproval(owner, id);
    const approve = page.getByRole('button', { name: /^Approve/ });
    await approve.click();
    await scene.server.pool.query(`update approvals set expires_at = created_at + interval '1 ms'`);
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /^Approve/ })
      .click();
    await page.getByText('Nobody decided in time').waitFor();
  });
});

test('a denial carries its reason to the agent', async () => {
  const { owner, agent } = await askingAgent(scene);
  const id = await ask(agent);
  const page = await openApproval(owner, id);
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByLabel('Reason').fill('Ask again for two dollars');
  await page.getByRole('dialog').getByRole('button', { name: 'Deny' }).click();
  await page.getByText('Nothing was held or spent.').waitFor();
  const seen = await agent.agora.embassy.getApproval(id);
  expect(seen).toMatchObject({ status: 'denied', note: 'Ask again for two dollars' });
});

describe('rules that were changed meanwhile', () => {
  test('are shown beside those that were typed, which are saved on top', async () => {
    const { owner } = await askingAgent(scene);
    const page = await scene.openPage({ owner, path: 'policies' });
    const threshold = page.getByLabel('Ask me above');
    await threshold.fill('7');
    await owner.agora.embassy.setOwnerPolicy({
      ...noRules,
      version: 1,
      approvalThreshold: 900,
      perTransactionMax: 5000,
    });
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('These rules were changed meanwhile').waitFor();
    await page.getByRole('row', { name: /Approval above US\$9.00 US\$7.00/ }).waitFor();
    // What is under the head, which sticks to the window, would count as too near to its buttons.
    await page.evaluate(() => scrollTo(0, 0));
    await axe(page);
    await shot(page, 'policy-conflict');
    await page.getByRole('button', { name: 'Keep mine to save again' }).click();
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Version 3').waitFor();
    const { data } = await owner.agora.embassy.listPolicies();
    expect(data[0]).toMatchObject({ approvalThreshold: 700, perTransactionMax: 5000, version: 3 });

    // An id that is only typed blocks nobody, so the page does not say that it saved it.
    const { agent } = await askingAgent(scene);
    await page.getByLabel('Block an agent or an owner').fill(agent.id);
    await expectOff(
      page.getByRole('button', { name: 'Save rules' }),
      'Choose whom to block, or clear the field under Blocked first.',
    );
    await page.getByLabel('Block an agent or an owner').press('Enter');
    // What is typed while the rules are on their way is still to be saved.
    const answer = await holdBack(page, '**/embassy/policies');
    await page.getByRole('button', { name: 'Save rules' }).click();
    await threshold.fill('8');
    answer();
    await page.getByText('Version 4').waitFor();
    expect(await threshold.inputValue()).toBe('8');
    await page.getByRole('button', { name: 'Save rules' }).click();
    await page.getByText('Version 5').waitFor();
    expect((await owner.agora.embassy.listPolicies()).data[0]).toMatchObject({
      approvalThreshold: 800,
      blockedCounterparties: [agent.id],
    });
  });
});

test('agents are blocked by what they are called, and shown by it', async () => {
  const owner = await scene.server.owner();
  const seller = await scene.server.owner({ credits: 0 });
  const bore = await seller.agent({ displayName: 'Tireless advertiser' });
  await seller.agent({ displayName: 'Modest helper' });
  const page = await scene.openPage({ owner, path: 'policies' });
  const field = page.getByLabel('Block an agent or an owner');
  await field.fill('tireless');
  await page.getByRole('button', { name: 'Block Tireless advertiser' }).waitFor();
  expect(await page.getByRole('button', { name: 'Block Modest helper' }).count()).toBe(0);
  await shot(page, 'policy-block');
  await axe(page);
  await page.getByRole('button', { name: 'Block Tireless advertiser' }).press('Enter');
  const blocked = page.getByRole('list', { name: 'Blocked agents and owners' });
  await blocked.getByRole('link', { name: 'Tireless advertiser' }).waitFor();
  expect(await field.inputValue()).toBe('');
  expect(await field.evaluate((input) => input === document.activeElement)).toBe(true);

  // An owner has no name that others know.
  await field.fill(seller.id);
  await page.getByRole('button', { name: `Block ${seller.id}` }).click();
  await blocked.getByText(`Owner ${seller.id}`).waitFor();
  await field.fill('nobody is called like this');
  await page.getByText('No agent at work is called so.').waitFor();
  await field.fill('');
  await page.getByRole('button', { name: 'Save rules' }).click();
  await page.getByText('Version 1').waitFor();
  const [stored] = (await owner.agora.embassy.listPolicies()).data;
  expect(stored?.blockedCounterparties).toEqual([bore.id, seller.id]);
  await page.reload();
  await page.getByRole('button', { name: 'Unblock Tireless advertiser' }).click();
  await page.getByRole('button', { name: 'Save rules' }).click();
  await page.getByText('Version 2').waitFor();
  expect((await owner.agora.embassy.listPolicies()).data[0]?.blockedCounterparties).toEqual([seller.id]);
});

/** Keeps changes from the server until the returned function is called. */
async function holdBack(page: Page, url: string): Promise<() => void> {
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(url, async (route) => {
    if (route.request().method() !== 'GET') await released;
    await route.continue();
  });
  return release;
}

test('notifications are read on the page and the bell at once', async () => {
  const { owner, agent } = await askingAgent(scene);
  await ask(agent);
  await ask(agent, 'Translate them');
  // They are written a moment after the events, and the bell looks every half a minute.
  await expect.poll(async () => (await owner.agora.embassy.countUnread()).unread).toBe(2);
  const page = await scene.openPage({ owner, path: 'notifications' });
  await page.getByRole('link', { name: '2 unread notifications' }).waitFor();
  await axe(page);
  await shot(page, 'notifications');
  await page
    .getByRole('button', { name: /Mark as read: / })
    .first()
    .click();
  await page.getByRole('link', { name: '1 unread notification', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor();
  await expect.poll(async () => (await owner.agora.embassy.countUnread()).unread).toBe(0);
});

test('what was told of one task stands together, by what the task is, with what can be done', async () => {
  const owner = await scene.server.owner();
  const worker = await scene.workingAgent({
    fields: { displayName: 'Haiku smith' },
    async handle({ task }) {
      if (task.input.fails) throw new Error('The lines do not scan.');
      return { result: 'Debits and credits meet at the end of the day and sum to nothing' };
    },
  });
  const order = async (description: string, more: object = {}) => {
    const input = { description, ...more };
    const wanted = { taskType: 'general', maxBudget: 1_000, agentId: worker.id, input } as const;
    const { id } = await owner.agora.tasks.submit(wanted);
    await owner.agora.tasks.wait(id, { waitMs: 60_000 });
  };
  await order('A haiku about ledgers');
  await order('A sonnet about receipts', { fails: true });
  await scene.server.app.run('embassy.notify');
  await expect.poll(async () => (await owner.agora.embassy.countUnread()).unread).toBe(2);
  const page = await scene.openPage({ owner, path: 'notifications' });
  const of = (title: string) =>
    page
      .getByRole('list', { name: 'Notifications' })
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: title }) });
  await of('A haiku about ledgers')
    .getByText(/“Haiku smith” has completed your general task for \$/)
    .waitFor();
  await of('A sonnet about receipts')
    .getByText(/failed: the agent gave up/)
    .waitFor();
  await shot(page, 'notifications-tasks');
  await axe(page);
  await of('A sonnet about receipts').getByRole('link', { name: 'See why' }).click();
  await page.waitForURL(/tab=assessment/);
  await page.getByRole('link', { name: '1 unread notification', exact: true }).waitFor();

  // More than the bell has room for.
  await page.route('**/api/v1/tasks/stream', (route) => route.abort());
  await page.route('**/api/v1/embassy/notifications/unread', (route) => route.fulfill({ json: { unread: 1_234 } }));
  await page.reload();
  await page.getByRole('link', { name: 'More than 99 unread notifications' }).waitFor();
});

test('the audit log is filtered by its address and exported as it is shown', async () => {
  const { owner, agent } = await askingAgent(scene);
  await ask(agent);
  const page = await scene.openPage({ owner, path: 'audit' });
  await page.getByRole('table', { name: 'Events' }).getByText('Policy changed').waitFor();
  await shot(page, 'audit');
  await page.getByLabel('Event', { exact: true }).selectOption('Approval asked for');
  await page.waitForURL(/type=approval.requested/);
  await page.getByRole('row', { name: /Approval asked for/ }).waitFor();
  expect(await page.getByRole('row').count()).toBe(2);
  const downloading = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const saved = await downloading;
  expect(saved.suggestedFilename()).toBe('audit.csv');
});
