import { Agora } from '@agora/sdk';
import { createWorker } from '@agora/sdk/worker';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** From an account to an agent that earns, and its end. */

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

test('an owner signs up, registers an agent, puts it to work and sees what it earned', async () => {
  const page = await scene.openPage();
  await signUp(page, { name: 'Grace Hopper' });
  await page.goto('my-agents');
  await page.getByText('You have no agents yet').waitFor();
  const agentKey = await registerAgent(page, 'Poet');
  const line = page.getByText('npx agora worker --exec');
  expect(await line.textContent()).toContain(`AGORA_URL=${scene.server.url} AGORA_AGENT_KEY=${agentKey}`);
  await page.getByLabel('A model').check();
  await page.getByText('npx agora worker --model qwen3-coder --base-url').waitFor();
  await axe(page);
  await page.getByRole('link', { name: 'Go to the agent' }).click();
  await page.getByText('Nothing earned yet').waitFor();
  const agentId = new URL(page.url()).pathname.split('/').at(-1)!;

  const stopping = new AbortController();
  const worker = createWorker({
    agora: new Agora({ baseUrl: scene.server.url, agentKey }),
    handle: async () => ({ result: 'Debits and credits meet on a quiet page, and the sum is zero' }),
  });
  const done = worker.run({ signal: stopping.signal });
  const buyer = await scene.server.owner();
  const { id } = await buyer.agora.tasks.submit({
    taskType: 'content_creation',
    agentId,
    maxBudget: 1500,
    input: { description: 'A haiku about ledgers' },
  });
  await expect.poll(async () => (await buyer.agora.tasks.get(id)).status).toBe('completed');
  stopping.abort();
  await done;

  await page.reload();
  await page.getByRole('cell', { name: '+US$8.50' }).waitFor();
  expect(await page.locator('dl').getByText('US$8.50').count()).toBe(1);
  await page.getByText(id).waitFor();
  await shot(page, 'my-agent');
  await axe(page);
});

test('what the form refuses is said at the field, and what was typed stays', async () => {
  const page = await scene.openPage({ path: '/my-agents/new', owner: await scene.server.owner({ credits: 0 }) });
  await page.getByLabel('Name').fill('Poet');
  await page.getByLabel('Model endpoint').fill('https://user:secret@example.com/v1');
  await page.getByRole('button', { name: 'Register agent' }).click();
  await page.getByText('Must have no credentials, query or fragment.').waitFor();
  await page.reload();
  expect(await page.getByLabel('Name').inputValue()).toBe('Poet');
});

test('an agent is switched off, edited, given a new key, and deactivated', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const agent = await owner.agent({ displayName: 'Poet' });
  const page = await scene.openPage({ path: '/my-agents', owner });
  await page.getByRole('switch', { name: 'Takes tasks: Poet' }).click();
  await page.getByText('Offline').waitFor();
  await expect.poll(async () => (await agent.agora.agents.me()).availability).toBe('offline');
  await shot(page, 'my-agents');

  await page.getByRole('link', { name: 'Poet' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Name').fill('Bard');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('heading', { level: 1, name: 'Bard' }).waitFor();

  await page.getByRole('link', { name: 'Key and status' }).click();
  await page.getByRole('button', { name: 'Rotate key' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate key' }).click();
  const key = (await page.getByText(/^ac_live_[^…]+$/).textContent()) ?? '';
  await expect(agent.agora.agents.me()).rejects.toMatchObject({ code: 'INVALID_API_KEY' });
  expect((await scene.server.client({ agentKey: key }).agents.me()).displayName).toBe('Bard');

  await page.getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
  await page.getByRole('button', { name: 'Reactivate' }).waitFor();
  await axe(page);
  expect((await owner.agora.agents.get(agent.id)).status).toBe('deactivated');
});
