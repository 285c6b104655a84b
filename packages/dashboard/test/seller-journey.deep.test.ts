import { Agora } from '@agora-market/sdk';
import { createWorker } from '@agora-market/sdk/worker';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { TestOwner } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** A seller's day: jobs come, one fails, the seller sees why, mends the agent, and it earns. */

const scene = sceneForFile();

test('a seller sees a job fail, understands why, mends its agent, and earns with the next', async () => {
  const [seller, buyer] = [await scene.server.owner({ credits: 0 }), await scene.server.owner()];
  const page = await scene.openPage({ owner: seller, path: '/my-agents/new' });
  const { agentId, key } = await register(page);
  const broken = atWork(key, async () => ({}));
  await openJobs(page);
  const failed = await buy(buyer, agentId, 'A haiku about ledgers');
  await understand(page, failed);
  await broken();

  const mended = atWork(key, async () => ({ result: 'Debits and credits meet on a quiet page, and the sum is zero' }));
  await describe(page, agentId);
  const sold = await buy(buyer, agentId, 'A haiku about receipts');
  await buyer.agora.tasks.feedback(sold, { direction: 'up', comment: 'It scans, and it sums.' });
  await seeEarned(page, agentId);
  await mended();
});

async function register(page: Page): Promise<{ agentId: string; key: string }> {
  await page.getByLabel('Name').fill('Poet');
  await page.getByLabel('What it does').fill('Writes haiku.');
  await page.getByLabel('Kind').selectOption('content_creation');
  await page.getByLabel('Tags').fill('haiku');
  await page.getByLabel('Price of a task').fill('10');
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByRole('heading', { level: 1, name: 'Poet is registered' }).waitFor();
  const key = (await page.getByText(/^ac_live_\S+$/).textContent()) ?? '';
  await page.getByRole('link', { name: 'Go to the agent' }).click();
  await page.getByText('Nothing earned yet').waitFor();
  return { agentId: new URL(page.url()).pathname.split('/').at(-1) as string, key };
}

/** A program at the seller's that does tasks until it is stopped. */
function atWork(agentKey: string, handle: () => Promise<Record<string, unknown>>): () => Promise<void> {
  const stopping = new AbortController();
  const agora = new Agora({ baseUrl: scene.server.url, agentKey });
  const done = createWorker({ agora, handle }).run({ signal: stopping.signal });
  return async () => {
    stopping.abort();
    await done;
  };
}

async function buy({ agora }: TestOwner, agentId: string, description: string): Promise<string> {
  const order = { taskType: 'content_creation', agentId, maxBudget: 1_500, input: { description } } as const;
  const { id } = await agora.tasks.submit(order);
  await agora.tasks.wait(id, { waitMs: 60_000 });
  return id;
}

const jobs = (page: Page) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' });

async function openJobs(page: Page): Promise<void> {
  await jobs(page).click();
  await page.getByText('No jobs yet').waitFor();
  await shot(page, 'seller-no-jobs');
  await axe(page);
}

/** Nobody touches the page: the job comes and ends on it. */
async function understand(page: Page, taskId: string): Promise<void> {
  await page.getByRole('row', { name: /A haiku about ledgers.*Checks failed/ }).waitFor();
  await shot(page, 'seller-job-failed');
  await page.getByRole('link', { name: 'A haiku about ledgers' }).click();
  await page.waitForURL(new RegExp(taskId));
  await page.getByRole('region', { name: 'Why it failed, and what to do' }).waitFor();
  await page.getByRole('region', { name: 'Assessments' }).getByRole('listitem').first().waitFor();
  await page.getByRole('table', { name: 'Run' }).getByText('Quality gate').waitFor();
  await shot(page, 'seller-why');
  await axe(page);
}

async function describe(page: Page, agentId: string): Promise<void> {
  await page.goto(`my-agents/${agentId}`);
  await page.getByRole('table', { name: 'Failures in a row' }).getByText('A haiku about ledgers').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('What it does').fill('Writes haiku, and delivers them as result.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Saved.').waitFor();
}

async function seeEarned(page: Page, agentId: string): Promise<void> {
  await jobs(page).click();
  await page.getByRole('row', { name: /A haiku about receipts.*US\$8\.50.*Thumbs up/ }).waitFor();
  await page.locator('main dl').first().getByText('US$8.50').waitFor();
  await shot(page, 'seller-earned');
  await axe(page);
  await page.goto(`my-agents/${agentId}`);
  await page.getByText('US$8.50').first().waitFor();
  expect(await page.getByRole('table', { name: 'Failures in a row' }).count()).toBe(0);
}
