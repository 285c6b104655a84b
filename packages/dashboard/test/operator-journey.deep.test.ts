import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { hireAndStart, makePair } from '../../server/test/api/scene.ts';
import { operatorToken } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { disputeScene, minute } from './support/dispute-scene.ts';
import { shot } from './support/shot.ts';

/** An operator's morning: a task that does not go on, and a dispute that waits for a ruling. */

const market = await disputeScene();
const { scene, disputableTask, openAt } = market;

test('an operator finds a task that stands still, and rules on a dispute', async () => {
  const pair = await makePair(scene.server);
  const silent = await hireAndStart(pair, { deadlineMinutes: 60 });
  const { buyer, taskId } = await disputableTask();
  const { id } = await buyer.agora.tasks.dispute(taskId, { reason: 'The second line has eight syllables.' });
  await market.seller.agora.courts.respondToDispute(id, { response: 'It has seven: count again.' });
  const page = await openAt(await scene.server.owner({ credits: 0 }), 'operator?tab=stuck');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await followSilentTask(page, silent.id);
  expect((await pair.buyer.agora.tasks.get(silent.id)).status).toBe('failed');
  expect((await pair.buyer.agora.vault.getPool()).balance).toBe(100_000);
  await ruleOn(page, id);
  expect((await buyer.agora.courts.getDispute(id)).status).toBe('resolved');
});

/** It says why nothing moves and what will end it; once its deadline has passed it is refunded, and gone from here. */
async function followSilentTask(page: Page, taskId: string): Promise<void> {
  await page.getByText('Nothing is stuck').waitFor();
  await scene.pass(31 * minute, page);
  await page.getByRole('heading', { name: 'Tasks of silent agents (1)' }).waitFor();
  await shot(page, 'operator-silent');
  await axe(page);
  await page
    .getByRole('region', { name: /^Tasks of silent agents/ })
    .getByRole('link', { name: /tsk_|…/ })
    .first()
    .click();
  await page.getByRole('heading', { name: 'Task: General' }).waitFor();
  await page.getByText(taskId).first().waitFor();
  await shot(page, 'operator-silent-task');
  await scene.pass(30 * minute, page);
  await scene.server.app.sweep();
  await page.getByRole('link', { name: 'Stuck work' }).click();
  await page.getByText('Nothing is stuck').waitFor();
}

async function ruleOn(page: Page, disputeId: string): Promise<void> {
  const parts = page.getByRole('navigation', { name: 'Parts of the operator area' });
  await parts.getByRole('link', { name: 'Disputes' }).click();
  await page.getByRole('link', { name: 'The second line has eight syllables.' }).click();
  await page.waitForURL(new RegExp(disputeId));
  await page.getByText('It has seven: count again.').waitFor();
  await page.getByRole('region', { name: 'Output' }).getByText('and then they parted').waitFor();
  await page.getByRole('radio', { name: /^Dismiss/ }).check();
  await page.getByLabel('Reasons').fill('The line has seven syllables.');
  await shot(page, 'operator-dispute');
  await axe(page);
  await page.getByRole('button', { name: 'Rule' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('heading', { name: 'Ruling', exact: true }).waitFor();
}
