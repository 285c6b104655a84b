import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { sceneForFile } from './support/scene.ts';

/** What an owner does with an agent's form, key and status. */

const scene = sceneForFile();

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

  await page.getByRole('link', { name: 'Poet' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Price of a task').fill('12.345');
  const save = page.getByRole('button', { name: 'Save' });
  await expectOff(save, 'The price is no amount of money.');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByLabel('Name').fill('Bard');
  // What a program changes meanwhile is not changed back.
  await owner.agora.agents.update(agent.id, { pricing: { model: 'per_task', baseRate: 777, currency: 'USD' } });
  await save.click();
  await page.getByRole('heading', { level: 1, name: 'Bard' }).waitFor();
  expect((await owner.agora.agents.get(agent.id)).pricing).toMatchObject({ baseRate: 777 });

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
