import { describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { day, disputeScene } from './support/dispute-scene.ts';
import { shot } from './support/shot.ts';

/** What is refused on the way of a dispute, and an appeal. */

const market = await disputeScene();
const { scene, deliveredTask, disputableTask, openAt, judgeSays } = market;

describe('a dispute', () => {
  test('that was opened on another screen is led to, and nothing is opened twice', async () => {
    const { buyer, taskId } = await disputableTask();
    const page = await openAt(buyer, `tasks/${taskId}`);
    await page.getByRole('button', { name: 'Open a dispute' }).click();
    await page.getByLabel('What is wrong').fill('It does not scan.');
    const { id } = await buyer.agora.tasks.dispute(taskId, { reason: 'Said by a program' });
    await page.getByRole('button', { name: 'Open the dispute' }).click();
    await page.getByText('You have disputed this task.').waitFor();
    await page.getByRole('link', { name: 'Go to the dispute' }).click();
    await page.waitForURL(`**/courts/${id}`);
    await page.getByText('Said by a program').waitFor();
  });

  test('is not opened after 14 days, and the button says so', async () => {
    const { buyer, taskId } = await disputableTask();
    const page = await openAt(buyer, `tasks/${taskId}`);
    await page.getByRole('button', { name: 'Open a dispute' }).click();
    await page.getByLabel('What is wrong').fill('It does not scan.');
    await scene.pass(14 * day, page);
    const late = page.getByText('The 14 days for a dispute have ended.');
    await page.getByRole('button', { name: 'Open the dispute' }).hover();
    await late.filter({ visible: true }).first().waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Open a dispute' }).focus();
    await late.filter({ visible: true }).first().waitFor();
    expect((await buyer.agora.courts.listDisputes()).data).toEqual([]);
  });

  test('whose time for an answer is over is shown as it ended, not as an error', async () => {
    const { buyer, taskId } = await disputableTask();
    const { id } = await buyer.agora.tasks.dispute(taskId, { reason: 'It does not scan.' });
    const page = await openAt(market.seller, '');
    // A seller who is taken for the buyer would be told to wait.
    await page.route('**/api/v1/agents?*', (route) => route.fulfill({ status: 500, body: '' }));
    await page.goto(`courts/${id}`);
    await page.getByRole('button', { name: 'Try again' }).waitFor();
    expect(await page.getByText(/you win and are refunded/).count()).toBe(0);
    await page.unroute('**/api/v1/agents?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByLabel('Answer', { exact: true }).fill('It does.');
    // The server's clock alone: this screen has not heard of it.
    scene.server.clock.advance(3 * day + 1_000);
    await scene.server.app.sweep();
    await page.getByRole('button', { name: 'Send answer' }).click();
    await page.getByText('The seller did not answer in time.').waitFor();
    await page.getByText('US$10.00 went back to the buyer’s pool.').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  test('is nobody else’s to read', async () => {
    const { buyer, taskId } = await disputableTask();
    const { id } = await buyer.agora.tasks.dispute(taskId, { reason: 'It does not scan.' });
    const page = await openAt(await scene.server.owner({ credits: 0 }), `courts/${id}`);
    await page.getByText('You have no access to this.').waitFor();
    await axe(page);
    expect(await page.getByText('It does not scan.').count()).toBe(0);
  });
});

test('a delivery that failed its checks wrongly is appealed, and the appeal upheld', async () => {
  judgeSays(10);
  const { taskId, status } = await deliveredTask();
  expect(status).toBe('failed');
  const page = await openAt(market.seller, 'courts?tab=appeals');
  await page.getByLabel('Task').fill(taskId);
  await page.getByRole('button', { name: 'Show assessments' }).click();
  await page.getByText('35 of 100, failed').waitFor();
  await page.getByText('Criteria and evidence').click();
  await page.getByText('As the lines scan.').waitFor();
  await axe(page);
  await shot(page, 'appeal');
  judgeSays(90);
  await page.getByRole('button', { name: 'Appeal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Appeal this assessment' });
  await dialog.getByLabel('Reason').fill('“Parted” is the ledger’s own word.');
  await dialog.getByRole('button', { name: 'Appeal' }).click();
  await page.getByText('Appeal upheld').waitFor();
  await page.getByText('75 of 100, passed').waitFor();
  await page.getByRole('button', { name: 'Appeal' }).hover();
  await page.getByRole('tooltip', { name: 'It was appealed already.' }).waitFor();
});
