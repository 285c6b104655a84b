import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { operatorToken } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { day, disputeScene, minute } from './support/dispute-scene.ts';
import { shot } from './support/shot.ts';

/** A dispute from both sides and from the bench. */

const market = await disputeScene();
const { scene, deliveredTask, openAt } = market;
/** How long a page may take to hear of what others did. */
const poll = 11_000;

const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1)!;

async function addEvidence(page: Page, name: string, text: string) {
  await page.getByRole('button', { name: 'Add evidence' }).click();
  await page.getByRole('group', { name: 'Evidence 1' }).getByLabel('Name').fill(name);
  await page.getByRole('group', { name: 'Evidence 1' }).getByLabel('Text').fill(text);
}

test('a dispute is opened, answered and ruled on by the pages, and each side sees what the other does', async () => {
  const { buyer, taskId } = await deliveredTask();
  const [mine, theirs] = await Promise.all([openAt(buyer, `tasks/${taskId}`), openAt(market.seller, '')]);

  // Thumbs-down after its window is a rating; what brings money back is a dispute.
  await mine.getByRole('button', { name: 'Thumbs down, refund US$10.00' }).waitFor();
  await scene.pass(10 * minute + 1_000, mine, theirs);
  await mine.getByText(/refund window of 10 min has ended/).waitFor();
  await mine.getByRole('button', { name: 'Thumbs down' }).click();
  const rating = mine.getByRole('dialog', { name: 'Thumbs down' });
  await rating.getByText(/It refunds nothing/).waitFor();
  await rating.getByRole('button', { name: 'Thumbs down' }).click();
  await mine.getByText('You gave thumbs down').first().waitFor();
  expect((await buyer.agora.vault.getPool()).balance).toBe(4_000);

  await mine.getByRole('button', { name: 'Open a dispute' }).click();
  await mine.getByLabel('What is wrong').fill('The last line has five syllables, but the second has eight.');
  await addEvidence(mine, 'Count', 'Met at the end of the day: 7\nand then they parted: 5');
  await axe(mine);
  await mine.getByRole('button', { name: 'Open the dispute' }).click();
  await mine.getByRole('heading', { level: 1, name: 'Dispute over the work of Haiku smith' }).waitFor();
  await mine.getByText(/you win and are refunded/).waitFor();
  // What was said of the thumbs is gone by then.
  await scene.pass(poll, mine, theirs);
  await axe(mine);
  await shot(mine, 'dispute-open');
  const disputeId = idIn(mine);

  // The seller hears of it by the bell, and the notification leads to it.
  await scene.server.app.run('embassy.notify');
  await scene.pass(31_000, mine, theirs);
  await theirs.getByRole('link', { name: '3 unread notifications' }).click();
  await theirs.getByRole('link', { name: 'Open the dispute' }).click();
  await theirs.waitForURL(`**/courts/${disputeId}`);
  await theirs.getByRole('link', { name: 'Courts', exact: true }).first().click();
  await theirs.getByRole('heading', { name: 'Needs your answer' }).waitFor();
  await scene.pass(2 * day + 60 * minute, mine, theirs);
  await theirs
    .getByText(/\(2[23]:\d\d:\d\d left\)/)
    .first()
    .waitFor();
  await axe(theirs);
  await shot(theirs, 'courts');
  await theirs.getByRole('link', { name: 'Answer' }).click();
  await theirs.getByLabel('Answer', { exact: true }).fill('Five, seven, five: count “the end of the day” again.');
  await addEvidence(theirs, 'Syllables', 'met | at | the | end | of | the | day = 7');
  await theirs.getByLabel('Command that proves it').fill('grep -q "end of the day" "$AGORA_RESULT"');
  await axe(theirs);
  await shot(theirs, 'dispute-seller');
  await theirs.getByRole('button', { name: 'Send answer' }).click();
  await theirs.getByText('Answered. The delivery is assessed again.').waitFor();

  await expect.poll(async () => (await buyer.agora.courts.getDispute(disputeId)).assessmentId).not.toBeNull();
  await scene.pass(poll, mine, theirs);
  for (const page of [mine, theirs]) await page.getByText(/not clear, so the operator decides/).waitFor();
  await mine.getByText('count “the end of the day” again').waitFor();
  await expect
    .poll(async () => {
      await scene.server.app.run('courts.proofs');
      return (await buyer.agora.courts.getDispute(disputeId)).proofs[0]?.speaksFor;
    })
    .toBe('seller');
  await scene.pass(poll, mine, theirs);
  await mine.getByText(/it speaks for the seller/).waitFor();
  await mine.getByText(/One side has shown a proof/).waitFor();
  await mine.getByText(/input exit code 1 · delivery exit code 0/).click();
  await mine.getByRole('region', { name: 'Output' }).getByText('and then they parted').waitFor();
  await axe(mine);
  await shot(mine, 'dispute-proof');

  await rule(disputeId);
  await scene.pass(poll, mine, theirs);
  for (const page of [mine, theirs]) {
    await page.getByText('Split: 40 % of the price to the buyer').waitFor();
    await page.getByText('The count holds, but the text has no ledger in it.').waitFor();
  }
  await mine.getByRole('row', { name: 'Paid in all US$6.00' }).waitFor();
  await theirs.getByRole('row', { name: 'Earned in all US$5.10' }).waitFor();
  await axe(theirs);
  await shot(mine, 'dispute-ruled');
});

/** The operator opens the docket, reads the case, and gives the buyer 40 %. */
async function rule(disputeId: string): Promise<void> {
  const page = await openAt(await scene.server.owner({ credits: 0 }), 'operator');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('link', { name: /The last line has five syllables/ }).click();
  await page.waitForURL(new RegExp(disputeId));
  await page.getByText('count “the end of the day” again').waitFor();
  await page.getByText(/it speaks for the seller/).waitFor();
  await page.getByRole('region', { name: 'Output' }).getByText('and then they parted').waitFor();
  await page.getByRole('radio', { name: /^Split/ }).check();
  await page.getByLabel('Share of the buyer').fill('40');
  await page.getByLabel('Reasons').fill('The count holds, but the text has no ledger in it.');
  await axe(page);
  await shot(page, 'operator-ruling');
  await page.getByRole('button', { name: 'Rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve this dispute' });
  await dialog.getByText('US$4.00 of US$10.00 goes back').waitFor();
  await dialog.getByRole('button', { name: 'Split, give back US$4.00' }).click();
  await page.getByRole('heading', { name: 'Ruling', exact: true }).waitFor();
}
