import { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOwner } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** From an account to an agent that earns. */

const scene = sceneForFile();

/** Registers an agent by the form, and gives its key. */
async function registerAgent(page: Page, name: string): Promise<string> {
  await page.goto('my-agents');
  await page.getByRole('link', { name: 'Register an agent' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('What it does').fill('Writes haiku about whatever you like.');
  await page.getByLabel('Kind').selectOption('content_creation');
  await page.getByLabel('Tags').fill('haiku, short text');
  await page.getByLabel('Price of a task').fill('10');
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByRole('heading', { level: 1, name: `${name} is registered` }).waitFor();
  return (await page.getByText(/^ac_live_\S+$/).textContent()) ?? '';
}

/** A model that writes haiku at this server until the test is over. */
function poetAtWork(agentKey: string): () => Promise<void> {
  const stopping = new AbortController();
  const worker = createWorker({
    agora: new Agora({ baseUrl: scene.server.url, agentKey }),
    handle: async () => ({ result: 'Debits and credits meet on a quiet page, and the sum is zero' }),
  });
  const done = worker.run({ signal: stopping.signal });
  return async () => {
    stopping.abort();
    await done;
  };
}

/** Has a poem written for $10, and waits until it is paid. */
async function buyPoem(buyer: TestOwner, agentId: string, description: string): Promise<string> {
  const order = { taskType: 'content_creation', agentId, maxBudget: 1500, input: { description } } as const;
  const { id } = await buyer.agora.tasks.submit(order);
  expect((await buyer.agora.tasks.wait(id, { waitMs: 60_000 })).status).toBe('completed');
  return id;
}

test('an owner signs up, registers an agent, puts it to work, sees what it earned and withdraws a part', async () => {
  // The first poem is older than the hold, by a clock that is put forward to now later.
  scene.server.clock.advance(-holdMs);
  const page = await scene.openPage();
  await signUp(page, { name: 'Grace Hopper' });
  await page.goto('my-agents');
  await page.getByText('You have no agents yet').waitFor();
  const agentKey = await registerAgent(page, 'Poet');
  const line = page.getByText('npx --no agora-market worker --exec');
  expect(await line.textContent()).toContain(`AGORA_URL=${scene.server.url} AGORA_AGENT_KEY=${agentKey}`);
  await page.getByLabel('A model').check();
  await page.getByText('npx --no agora-market worker --model qwen3-coder --base-url').waitFor();
  await axe(page);
  await page.getByRole('link', { name: 'Go to the agent' }).click();
  await page.getByText('Nothing earned yet').waitFor();
  await shot(page, 'my-agent-put-to-work');
  const agentId = new URL(page.url()).pathname.split('/').at(-1)!;

  const buyer = await scene.server.owner();
  const stop = poetAtWork(agentKey);
  await buyPoem(buyer, agentId, 'A haiku about ledgers');
  await holdEnds();
  const id = await buyPoem(buyer, agentId, 'A haiku about receipts');

  await page.reload();
  const figures = page.locator('dl').first();
  // What the first poem earned is free, what the second earned is on hold, and the page counts down to its end.
  await figures.getByText(/^free in 1\d:\d\d$/).waitFor();
  expect(await figures.getByText('US$8.50', { exact: true }).count()).toBe(2);
  await page.getByRole('row', { name: /Came free .* \+US\$8\.50/ }).waitFor();
  await page.getByText(id).first().waitFor();
  await axe(page);
  await shot(page, 'my-agent');
  await stop();

  await holdEnds();
  await page.reload();
  await figures.getByText('US$17.00', { exact: true }).waitFor();
  // As the link in the mail of sign-up does.
  await scene.server.pool.query('update owners set email_verified_at = created_at');
  await page.getByRole('link', { name: 'Wallet and withdrawals' }).click();
  await withdraw(page);
});

/** Longer than earnings are held. */
const holdMs = 16 * 60_000;

async function holdEnds(): Promise<void> {
  scene.server.clock.advance(holdMs);
  await scene.server.app.run('tasks.releaseEarnings');
}

/** Takes five of seventeen dollars to the bank: the page says what it refuses and why, what moves, and what has moved. */
async function withdraw(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Withdraw from Poet' }).click();
  const dialog = page.getByRole('dialog', { name: 'Withdraw from Poet' });
  const button = dialog.getByRole('button', { name: /^Withdraw/ });
  await dialog.getByText('Tell the payment processor first where your money goes.').waitFor();
  await expectOff(button, 'Set up the payout account first.');
  await dialog.getByRole('button', { name: 'Set up payouts' }).click();
  await page.getByRole('status').getByText('The payout account is ready.').waitFor();
  await expectOff(button, 'Write an amount first.');
  const amount = dialog.getByLabel('Amount');
  await amount.fill('0,99');
  await expectOff(button, 'The smallest withdrawal is US$1.00.');
  await amount.fill('170');
  await dialog.getByText('Only US$17.00 can be withdrawn now.').first().waitFor();
  await amount.fill('5,00');
  await dialog.getByText('US$12.00').waitFor();
  await axe(page);
  await shot(page, 'withdraw-confirm');
  await dialog.getByRole('button', { name: 'Withdraw US$5.00' }).dblclick();

  await page.getByRole('status').getByText('US$5.00 is on its way to your bank.').waitFor();
  const row = page.getByRole('table', { name: 'Withdrawals' }).getByRole('row').filter({ hasText: 'US$5.00' });
  await row.getByText('Paid').waitFor();
  expect(await row.count()).toBe(1);
  await page.getByRole('cell', { name: 'US$12.00', exact: true }).first().waitFor();
  await page.reload();
  await row.getByText('Paid').waitFor();
  await axe(page);
  await shot(page, 'withdrawn');

  await page.getByRole('link', { name: 'Transactions', exact: true }).click();
  const statement = page.getByRole('table', { name: 'Poet · Wallet, earned' });
  await statement.getByRole('row', { name: /Withdrawal × 1 −US\$5\.00/ }).waitFor();
  await statement.getByRole('row', { name: 'Now US$12.00' }).waitFor();
}
