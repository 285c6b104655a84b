import { toUuid } from '@agora-market/contract';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { createTestProcessor } from '../../server/src/vault/payments/processor-test.ts';
import { earn } from '../../server/test/support/earn.ts';
import type { TestAgent, TestOwner } from '../../server/test/support/harness.ts';
import { parse } from '../../server/test/vault/csv-text.ts';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { savedText } from './support/saved-text.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** The owner's money on the pages of the vault: how it comes, moves, is listed and leaves. */

const bank = createTestProcessor();
const scene = sceneForFile({ processor: bank });

const openVault = (owner: TestOwner, tab: string) => scene.openPage({ owner, path: `/vault?tab=${tab}` });
const said = (page: Page, text: string) => page.getByRole('status').getByText(text).waitFor();

async function addCard(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Add card' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a card' });
  await dialog.getByLabel(title).check();
  await dialog.getByRole('button', { name: 'Save card' }).click();
  await said(page, `${title} saved.`);
}

/** Asks to pay an amount, as it is typed, and leaves the question open. */
async function askToPay(page: Page, typed: string, shown: string) {
  await page.getByLabel('Amount', { exact: true }).fill(typed);
  await page.getByLabel('Amount', { exact: true }).press('Enter');
  const dialog = page.getByRole('dialog', { name: `Top up ${shown}` });
  return { dialog, pay: dialog.getByRole('button', { name: `Pay ${shown}` }) };
}

test('a declined card says why, another is charged once for what was typed, and the first is removed', async () => {
  const owner = await scene.server.owner({ credits: 0, name: 'Ada Lovelace' });
  const page = await openVault(owner, 'top-up');
  const button = page.getByRole('button', { name: /^Top up/ });
  await page.getByText('No card yet.').waitFor();
  await expectOff(button, 'Add a card first.');
  await addCard(page, 'Visa •••• 0341');
  await expectOff(button, 'Write an amount first.');
  await page.getByLabel('Amount', { exact: true }).fill('4');
  await page.getByText('The smallest top-up is US$5.00.').first().waitFor();
  await page.getByLabel('Amount', { exact: true }).fill('ten');
  await page.getByText('Write an amount like 12.50.').waitFor();

  const declined = await askToPay(page, '12,50', 'US$12.50');
  await declined.pay.click();
  await declined.dialog
    .getByRole('alert')
    .getByText(/declined/)
    .waitFor();
  await declined.dialog.getByRole('button', { name: 'Cancel' }).click();
  expect((await owner.agora.vault.getPool()).balance).toBe(0);

  await addCard(page, 'Visa •••• 4242');
  await page.getByRole('button', { name: 'Make default: Visa •••• 4242' }).click();
  const once = await askToPay(page, '12,50', 'US$12.50');
  await once.dialog.getByText('Visa •••• 4242').waitFor();
  const before = bank.charged.size;
  await once.pay.dblclick();
  await said(page, 'US$12.50 added. The pool has US$12.50.');
  const again = await askToPay(page, '7.5', 'US$7.50');
  await again.pay.press('Enter');
  await said(page, 'US$7.50 added. The pool has US$20.00.');
  expect([...bank.charged.values()].slice(before)).toEqual([1250, 750]);
  await page.getByRole('table', { name: 'Latest top-ups' }).getByText('+US$7.50').waitFor();

  await page.getByRole('button', { name: 'Remove Visa •••• 0341' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove card' }).click();
  await said(page, 'Visa •••• 0341 removed.');
  await page.getByRole('button', { name: 'Remove Visa •••• 0341' }).waitFor({ state: 'detached' });
  expect((await owner.agora.vault.listPaymentMethods()).data).toMatchObject([{ last4: '4242', isDefault: true }]);
});

test('auto-top-up asks before it charges, refills the pool while the page is open, and is turned off', async () => {
  const owner = await scene.server.owner({ credits: 6_000, name: 'Ada Lovelace' });
  await owner.agora.vault.addPaymentMethod({ paymentMethodId: 'pm_card_chargeDeclined' });
  const page = await openVault(owner, 'top-up');
  await page.getByLabel('When the pool falls below').fill('50');
  await page.getByLabel('Add', { exact: true }).fill('40');
  const turnOn = page.getByRole('button', { name: 'Turn on' });
  await expectOff(turnOn, 'It must add at least the threshold, so that one charge is enough.');
  await page.getByLabel('Add', { exact: true }).fill('75');
  await turnOn.click();
  const dialog = page.getByRole('dialog', { name: 'Turn auto-top-up on' });
  await dialog.getByText(/Visa •••• 4242 is charged US\$75.00/).waitFor();
  await dialog.getByRole('button', { name: 'Charge US$75.00 when low' }).click();
  await said(page, 'Auto-top-up is on.');

  // Credits go to an agent of the owner's, so the pool falls below the threshold.
  const agent = await owner.agent();
  await owner.agora.vault.allocate(agent.id, { amount: 2_000 });
  await page.getByRole('table', { name: 'Latest top-ups' }).getByText('+US$75.00').waitFor();
  expect((await owner.agora.vault.getPool()).balance).toBe(11_500);
  await page.getByRole('button', { name: 'US$50', exact: true }).click();
  await page.reload();
  await page.getByRole('button', { name: 'Top up US$50.00' }).waitFor();
  await axe(page);
  await shot(page, 'vault-top-up');
  await page.getByRole('button', { name: 'Add card' }).click();
  await axe(page);
  await shot(page, 'vault-cards');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Turn off' }).click();
  await said(page, 'Auto-top-up is off.');
  expect((await owner.agora.vault.getPool()).autoTopUp.enabled).toBe(false);
});

test('credits move to a wallet, between wallets and back, each amount named first', async () => {
  const owner = await scene.server.owner({ credits: 10_000, name: 'Ada Lovelace' });
  const [poet, critic] = await namedAgents(owner, ['Poet', 'Critic', 'Reviewer of very long reports']);
  const page = await openVault(owner, 'wallets');
  await expectOff(page.getByRole('button', { name: 'Move from Poet' }), 'Nothing is available in this wallet yet.');

  const add = page.getByRole('button', { name: 'Add to Poet' });
  await add.click();
  const adding = page.getByRole('dialog', { name: 'Add to Poet' });
  await adding.getByRole('button', { name: 'Cancel' }).click();
  expect(await add.evaluate((button) => button === document.activeElement)).toBe(true);
  await add.click();
  await adding.getByLabel('Amount').fill('300');
  await expectOff(adding.getByRole('button', { name: 'Move US$300.00' }), 'There is only US$100.00.');
  await adding.getByLabel('Amount').fill('30');
  await adding.getByText('US$70.00').waitFor();
  await adding.getByRole('button', { name: 'Move US$30.00' }).dblclick();
  await said(page, 'US$30.00 moved to Poet.');

  await page.getByRole('button', { name: 'Move from Poet' }).click();
  const moving = page.getByRole('dialog', { name: 'Move from Poet' });
  await moving.getByLabel('To', { exact: true }).selectOption('Critic');
  await moving.getByLabel('Amount').fill('12,5');
  await axe(page);
  await moving.getByRole('button', { name: 'Move US$12.50' }).click();
  await said(page, 'US$12.50 moved to Critic.');
  expect(await availableIn(poet, critic)).toEqual([1750, 1250]);

  await flag(critic);
  await earn(scene.server, poet, 250);
  await owner.agora.vault.onboardPayouts();
  await owner.agora.vault.withdraw(poet.id, { amount: 250 });
  await page.reload();
  await page.getByText(/Its balance does not match its movements/).waitFor();
  for (const name of ['Add to Critic', 'Move from Critic', 'Withdraw from Critic'])
    await expectOff(page.getByRole('button', { name }), 'This wallet is flagged until the operator clears it.');
  await page.getByRole('heading', { name: 'Wallets' }).click();
  await axe(page);
  await shot(page, 'vault-wallets');
});

test('a withdrawal that a bank refuses comes back, and one whose reply was lost is sent once', async () => {
  const owner = await scene.server.owner({ credits: 5_000 });
  const [poet] = await namedAgents(owner, ['Poet']);
  await earn(scene.server, poet, 4_000);
  await owner.agora.vault.onboardPayouts();
  const page = await openVault(owner, 'wallets');
  await page.getByRole('button', { name: 'Withdraw from Poet' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Amount').fill('20');
  bank.payoutFaults.outcome = 'failed';
  await dialog.getByRole('button', { name: 'Withdraw US$20.00' }).click();
  await dialog.getByRole('alert').waitFor();
  expect(await availableIn(poet)).toEqual([4_000]);

  bank.payoutFaults.outcome = 'paid';
  bank.payoutFaults.fail = 'after';
  await dialog.getByRole('button', { name: 'Withdraw US$20.00' }).click();
  await dialog.getByText('It may have worked. Pressing again cannot move it twice.').waitFor();
  bank.payoutFaults.fail = undefined;
  // Another page knows no more than the first, but it knows what was pressed there.
  await page.reload();
  await page.getByRole('button', { name: 'Withdraw from Poet' }).click();
  await dialog.getByLabel('Amount').fill('20');
  await dialog.getByRole('button', { name: 'Withdraw US$20.00' }).click();
  await said(page, 'US$20.00 is on its way to your bank.');
  expect([...bank.paidOut().values()].filter((cents) => cents === 2_000)).toHaveLength(1);
  const table = page.getByRole('table', { name: 'Withdrawals' });
  await table.getByRole('row').filter({ hasText: 'Paid' }).waitFor();
  await table.getByRole('row').filter({ hasText: 'Failed' }).waitFor();
});

test('the balance is drawn, and movements are found by their address and exported as they are shown', async () => {
  const owner = await busyOwner();
  // Other tests have put the server's clock forward.
  const page = await scene.openPage({ owner, path: '/vault', clock: 'server' });
  await page
    .getByRole('img', { name: /^Balance at the end of each day, from US\$\S+ on .* to US\$\S+ today$/ })
    .waitFor();
  await page
    .getByRole('table', { name: 'Spent and earned' })
    .getByRole('row', { name: /30 days/ })
    .waitFor();
  // What the owner's agent has just earned comes free in a quarter of an hour.
  const held = page.getByRole('table', { name: 'Earnings on hold' }).getByRole('row', { name: /Changelog bot/ });
  await held.getByText(/^in 1\d:\d\d$/i).waitFor();
  await axe(page);
  await shot(page, 'vault');

  await page.getByRole('link', { name: 'Transactions', exact: true }).click();
  const rows = page.getByRole('table', { name: 'Movements' }).locator('tbody').getByRole('row');
  await rows.first().waitFor();
  await axe(page);
  await shot(page, 'vault-transactions');
  await page.getByLabel('Kind').selectOption('Top-up');
  await page.getByLabel('Account', { exact: true }).selectOption('Pool, to spend');
  await page.waitForURL(/cause=top_up&account=pool_available|account=pool_available.*cause=top_up/);
  await page.reload();
  await page.getByText('What the filters match, newest first.').waitFor();
  await rows.first().waitFor();
  const shown = await rows.allInnerTexts();
  expect(shown).toHaveLength(3);

  const file = await savedText(page, () => page.getByRole('button', { name: 'CSV', exact: true }).click());
  const [head, ...records] = parse(file);
  const amountAt = head!.indexOf('amountCents');
  const shownAmounts = shown.map((text) => /\+US\$(\S+)/.exec(text)?.[1]);
  expect(records.map((record) => Number(record[amountAt]))).toEqual(
    shownAmounts.map((amount) => Math.round(Number(amount?.replace(',', '')) * 100)),
  );
  await page.getByLabel('From').fill('2099-01-01');
  await page.getByText('No movement matches these filters').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => url.search === '?tab=transactions');
});

test('what cannot be loaded is never told as nothing, and is not asked for without end', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const page = await openVault(owner, '');
  await page.getByText('Nothing is on hold').waitFor();
  await page.route('**/embassy/overview', (route) => route.fulfill(fault));
  await page.reload();
  await page.getByRole('heading', { name: 'Earnings on hold' }).waitFor();
  await page.getByText('The server had a fault.').nth(1).waitFor();
  expect(await page.getByText('Nothing is on hold').count()).toBe(0);

  let asked = 0;
  await page.route('**/vault/pool/transactions?*', (route) => {
    asked += 1;
    const isFirst = !route.request().url().includes('cursor=');
    return route.fulfill(isFirst ? { json: { data: [], pagination: { nextCursor: 'more' } } } : fault);
  });
  await page.goto('/vault?tab=transactions&cause=task_hold');
  await page.getByText('Nothing found so far').waitFor();
  await page.getByRole('alert').getByText('The server had a fault.').waitFor();
  // The first page, the second, and that once more by the SDK. Each press asks as often as that.
  expect(asked).toBe(3);
  await page.getByRole('button', { name: 'Look further back' }).click();
  await expect.poll(() => asked).toBe(5);
  await page.getByRole('button', { name: 'Look further back', disabled: false }).waitFor();
  expect(asked).toBe(5);
});

const fault = { status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } };

async function namedAgents<Names extends string[]>(owner: TestOwner, names: [...Names]) {
  const agents: TestAgent[] = [];
  for (const displayName of names) agents.push(await owner.agent({ displayName }));
  return agents as { [Each in keyof Names]: TestAgent };
}

const availableIn = (...agents: TestAgent[]) =>
  Promise.all(agents.map(async ({ id, owner }) => (await owner.agora.vault.getAgentWallet(id)).available));

const flag = (agent: TestAgent) =>
  scene.server.pool.query(`insert into wallet_flags (agent_id, reason, found_at) values ($1, 'test', now())`, [
    toUuid('agent', agent.id),
  ]);

const day = 86_400_000;

/** An owner whose credits came and went over a month, by a clock that ends at now. */
async function busyOwner(): Promise<TestOwner> {
  const { clock } = scene.server;
  const other = await scene.workingAgent({ fields: { displayName: 'Release notes writer' } });
  clock.advance(-22 * day);
  const owner = await scene.server.owner({ credits: 10_000, name: 'Ada Lovelace' });
  const own = await scene.workingAgent({ owner, fields: { displayName: 'Changelog bot' } });
  const hire = async (buyer: TestOwner, { id: agentId }: TestAgent) => {
    const input = { description: 'Summarise the merged changes of this week.' };
    const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId, maxBudget: 1_000, input });
    expect((await buyer.agora.tasks.wait(id, { waitMs: 60_000 })).status).toBe('completed');
  };
  await hire(owner, other);
  clock.advance(5 * day);
  await owner.agora.vault.allocate(own.id, { amount: 2_500 });
  clock.advance(6 * day);
  await owner.agora.vault.topUp({ amount: 15_000 });
  clock.advance(4 * day);
  await hire(owner, other);
  await owner.agora.vault.reclaim(own.id, { amount: 1_500 });
  clock.advance(4 * day);
  await owner.agora.vault.topUp({ amount: 5_000 });
  clock.advance(3 * day);
  await hire(await scene.server.owner({ name: 'Grace Hopper' }), own);
  return owner;
}
