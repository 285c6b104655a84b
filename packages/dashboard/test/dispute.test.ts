import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { operatorToken, type TestAgent, type TestOwner } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** A dispute from both sides and from the bench, and what is refused on the way. */

/** The judge of the gate's close cases: its opinion is what the test says. */
let opinion = 60;
const judge = createServer((_request, response) => {
  const content = JSON.stringify({ reasons: 'As the lines scan.', score: opinion });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }] }));
});
await new Promise<void>((listening) => judge.listen(0, '127.0.0.1', listening));
afterAll(() => {
  judge.closeAllConnections();
  judge.close();
});

const scene = sceneForFile({
  config: {
    SESSION_IDLE_MS: 1e12,
    JUDGE_BASE_URL: `http://127.0.0.1:${(judge.address() as AddressInfo).port}/v1`,
    JUDGE_MODEL: 'judge-1',
  },
});
const [minute, day] = [60_000, 86_400_000];
/** How long a page may take to hear of what others did. */
const poll = 11_000;

const haiku = { result: 'Debits and credits\nmet at the end of the day\nand then they parted' };
let agent: TestAgent;
let seller: TestOwner;

beforeAll(async () => {
  agent = await scene.workingAgent({
    fields: { displayName: 'Haiku smith', capabilities: [{ category: 'content_creation', tags: ['haiku'] }] },
    handle: async () => haiku,
  });
  seller = agent.owner;
});

beforeEach(() => {
  opinion = 60;
});

/** A task for $10, which the agent delivers at once. */
async function deliveredTask(): Promise<{ buyer: TestOwner; taskId: string; status: string }> {
  const buyer = await scene.server.owner({ credits: 5_000 });
  const { id: taskId } = await buyer.agora.tasks.submit({
    taskType: 'content_creation',
    agentId: agent.id,
    maxBudget: 1_000,
    input: { description: 'Write a haiku about ledgers: five, seven and five syllables.' },
  });
  const { status } = await buyer.agora.tasks.wait(taskId, { waitMs: 60_000 });
  return { buyer, taskId, status };
}

/** The same, and its refund window has closed. */
async function disputableTask() {
  const paid = await deliveredTask();
  scene.server.clock.advance(10 * minute + 1_000);
  return paid;
}

const openAt = (owner: TestOwner, path: string) => scene.openPage({ owner, path, clock: 'server' });
const idIn = (page: Page) => new URL(page.url()).pathname.split('/').at(-1)!;

async function addEvidence(page: Page, name: string, text: string) {
  await page.getByRole('button', { name: 'Add evidence' }).click();
  await page.getByRole('group', { name: 'Evidence 1' }).getByLabel('Name').fill(name);
  await page.getByRole('group', { name: 'Evidence 1' }).getByLabel('Text').fill(text);
}

describe('a dispute', () => {
  test('is opened, answered and ruled on by the pages, and each side sees what the other does', async () => {
    const { buyer, taskId } = await deliveredTask();
    const [mine, theirs] = await Promise.all([openAt(buyer, `tasks/${taskId}`), openAt(seller, '')]);

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
    await theirs.getByRole('link', { name: '1 unread notification' }).click();
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
    await axe(theirs);
    await shot(theirs, 'dispute-seller');
    await theirs.getByRole('button', { name: 'Send answer' }).click();
    await theirs.getByText('Answered. The delivery is assessed again.').waitFor();

    await expect.poll(async () => (await buyer.agora.courts.getDispute(disputeId)).assessmentId).not.toBeNull();
    await scene.pass(poll, mine, theirs);
    for (const page of [mine, theirs]) await page.getByText(/not clear, so the operator decides/).waitFor();
    await mine.getByText('count “the end of the day” again').waitFor();

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
    const page = await openAt(seller, '');
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
  opinion = 10;
  const { taskId, status } = await deliveredTask();
  expect(status).toBe('failed');
  const page = await openAt(seller, 'courts?tab=appeals');
  await page.getByLabel('Task').fill(taskId);
  await page.getByRole('button', { name: 'Show assessments' }).click();
  await page.getByText('35 of 100, failed').waitFor();
  await page.getByText('Criteria and evidence').click();
  await page.getByText('As the lines scan.').waitFor();
  await axe(page);
  await shot(page, 'appeal');
  opinion = 90;
  await page.getByRole('button', { name: 'Appeal' }).click();
  const dialog = page.getByRole('dialog', { name: 'Appeal this assessment' });
  await dialog.getByLabel('Reason').fill('“Parted” is the ledger’s own word.');
  await dialog.getByRole('button', { name: 'Appeal' }).click();
  await page.getByText('Appeal upheld').waitFor();
  await page.getByText('75 of 100, passed').waitFor();
  await page.getByRole('button', { name: 'Appeal' }).hover();
  await page.getByRole('tooltip', { name: 'It was appealed already.' }).waitFor();
});

/** The operator opens the docket, reads the case, and gives the buyer 40 %. */
async function rule(disputeId: string): Promise<void> {
  const page = await openAt(await scene.server.owner({ credits: 0 }), 'operator');
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('link', { name: /The last line has five syllables/ }).click();
  await page.waitForURL(new RegExp(disputeId));
  await page.getByText('count “the end of the day” again').waitFor();
  await page.getByRole('radio', { name: /^Split/ }).check();
  await page.getByLabel('Share of the buyer').fill('40');
  await page.getByLabel('Reasons').fill('The count holds, but the text has no ledger in it.');
  await axe(page);
  await shot(page, 'operator-ruling');
  await page.getByRole('button', { name: 'Rule' }).click();
  const dialog = page.getByRole('dialog', { name: 'Resolve this dispute' });
  await dialog.getByText('US$4.00 of US$10.00 goes back').waitFor();
  await dialog.getByRole('button', { name: 'Split, give back US$4.00' }).click();
  await page.getByRole('heading', { name: 'Ruling' }).waitFor();
}
