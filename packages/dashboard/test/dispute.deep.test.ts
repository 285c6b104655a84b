import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { operatorToken } from '../../server/test/support/harness.ts';
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

  test('stands on one page for both sides and the operator, who rules beside it, also on a phone', async () => {
    const { buyer, taskId } = await disputableTask();
    const { id } = await buyer.agora.tasks.dispute(taskId, { reason: 'It does not scan.' });
    await market.seller.agora.courts.respondToDispute(id, { response: 'It does: count again.' });
    const patch = {
      sizeBytes: 90,
      text: 'diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old line\n+new line\n',
    };
    const withPatch = async (page: Page) => {
      await page.route(`**/courts/*/${id}/work`, async (route) => {
        const reply = await route.fetch();
        await route.fulfill({ response: reply, json: { ...(await reply.json()), patch } });
      });
      await page.goto(`courts/${id}${page === bench ? '?as=operator' : ''}`);
    };
    const [mine, theirs, bench] = [
      await openAt(buyer, ''),
      await openAt(market.seller, ''),
      await openAt(await scene.server.owner({ credits: 0 }), ''),
    ];
    await withPatch(bench);
    await bench.getByLabel('Operator token').fill(operatorToken);
    await bench.getByRole('button', { name: 'Open' }).click();
    for (const page of [mine, theirs]) await withPatch(page);
    const parts = ['What was asked', 'Output', 'Change', 'Assessments', 'Statements', 'History'];
    for (const page of [mine, theirs, bench]) {
      await page.getByRole('region', { name: 'Change' }).getByText('new line').waitFor();
      const headings = await page.locator('main h2').allInnerTexts();
      expect(headings.filter((heading) => parts.includes(heading))).toEqual(parts);
      await page.getByText('It does: count again.').waitFor();
      await page
        .getByRole('region', { name: 'Assessments' })
        .getByText('Output fits60', { exact: true })
        .first()
        .waitFor();
      await page.getByRole('region', { name: 'History' }).getByText('Member since').waitFor();
      await axe(page);
    }
    expect(await mine.getByRole('button', { name: 'Rule' }).count()).toBe(0);
    await theirs.getByRole('link', { name: /^…/ }).click();
    await theirs.getByRole('heading', { level: 1, name: /Write a haiku about ledgers/ }).waitFor();

    // What decides stays in sight while the case is read.
    await bench.evaluate(() => scrollTo(0, document.body.scrollHeight));
    await expect
      .poll(() =>
        bench.getByRole('heading', { name: 'Your ruling' }).evaluate((heading) => {
          const { top } = heading.getBoundingClientRect();
          return top >= 0 && top < innerHeight;
        }),
      )
      .toBe(true);
    await shot(bench, 'dispute-operator');
    await shot(mine, 'dispute-buyer');
    await bench.setViewportSize({ width: 390, height: 844 });
    await bench.getByRole('navigation', { name: 'Parts of the case' }).getByRole('link', { name: 'Ruling' }).click();
    await expect.poll(() => bench.evaluate(() => document.activeElement?.id)).toBe('decision');
    await bench.getByLabel('Share of the buyer').fill('25');
    await bench.getByLabel('Reasons').fill('Partly.');
    await bench.getByRole('button', { name: 'Rule' }).click();
    await bench.getByRole('dialog').getByRole('button', { name: 'Split, give back US$2.50' }).click();
    await bench.getByRole('heading', { name: 'Ruling' }).waitFor();
    await scene.pass(11_000, mine);
    await mine.getByText('Split: 25 % of the price to the buyer').waitFor();
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
