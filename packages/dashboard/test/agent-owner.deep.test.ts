import { expect, test } from 'vitest';
import { hire, hireAndPass, hireAndReject, hireAndStart, makePair } from '../../server/test/api/scene.ts';
import { axe } from './support/axe.ts';
import { expectOff } from './support/expect-off.ts';
import { savedText } from './support/saved-text.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

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

test('a seller sees its jobs, why some failed and suspended its agent, what was earned and what buyers say', async () => {
  const pair = await makePair(scene.server, { agent: { displayName: 'Poet' } });
  const described = (title: string) => ({ input: { title, description: 'Write a haiku about ledgers' } });
  const sold = await hireAndPass(pair, described('A haiku that sells'));
  await pair.buyer.agora.tasks.feedback(sold.id, { direction: 'up', comment: 'It scans, and it sums.' });
  await hire(pair, described('A haiku that waits'));
  for (const title of ['First to fail', 'Second to fail']) {
    const { id } = await hireAndStart(pair, described(title));
    await pair.agent.agora.tasks.fail(id, { reason: 'The ledger has no season', errorMessage: 'No kigo found' });
  }
  const rejected = await hireAndReject(pair, described('Third to fail'));
  await expect.poll(async () => (await pair.seller.agora.agents.get(pair.agent.id)).status).toBe('suspended');
  await scene.server.app.run('embassy.notify');

  const page = await scene.openPage({ path: '/jobs', owner: pair.seller });
  const table = page.getByRole('table', { name: 'Jobs' });
  await table.getByRole('row', { name: /A haiku that sells.*US\$8\.50.*Thumbs up.*It scans/ }).waitFor();
  await table.getByRole('row', { name: /Third to fail.*Checks failed.*US\$0\.00/ }).waitFor();
  const figures = page.locator('main dl').first();
  for (const text of [
    'Waiting for acceptance',
    'Delivered in 30 days',
    'US$8.50',
    'Agent gave up 2',
    'Checks failed 1',
  ])
    await figures.getByText(text, { exact: false }).first().waitFor();
  await axe(page);
  await shot(page, 'jobs');
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByLabel('Rating').selectOption('Thumbs up');
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  expect(await savedText(page, () => page.getByRole('button', { name: 'CSV' }).click())).toContain(
    'It scans, and it sums.',
  );
  await page.getByRole('button', { name: 'Save view' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Praise');
  await page.getByRole('dialog').getByRole('button', { name: 'Save view' }).click();
  await page.getByText('View saved.').waitFor();
  await page.goto('tasks');
  await page.getByText('No tasks yet').waitFor();
  expect(await page.getByText('Praise').count()).toBe(0);
  await page.goto('jobs');
  await figures.getByRole('link', { name: 'Agent gave up' }).click();
  await table.getByRole('link', { name: 'Second to fail' }).click();
  await page.getByRole('heading', { level: 1, name: 'Second to fail' }).waitFor();
  await page.getByText('The ledger has no season: No kigo found').waitFor();
  await axe(page);

  await page.goto(`my-agents/${pair.agent.id}`);
  const why = page.getByRole('region', { name: 'Why it is suspended' });
  await why.getByRole('row', { name: /Third to fail.*Checks failed/ }).waitFor();
  await why.getByText('Read the reason that your agent gave', { exact: false }).waitFor();
  await axe(page);
  await shot(page, 'agent-suspended');
  await why.getByRole('link', { name: 'Third to fail' }).click();
  await page.waitForURL(`**/jobs/${rejected.id}`);
  await page.getByRole('button', { name: 'Appeal' }).waitFor();
  await axe(page);
  await shot(page, 'job-failed');
  await page.goto(`my-agents/${pair.agent.id}?tab=jobs`);
  await page.getByRole('table', { name: 'Ratings and reviews' }).getByText('It scans, and it sums.').waitFor();
  await axe(page);
  await shot(page, 'agent-jobs');

  await page.goto('notifications');
  await page.getByText('gave thumbs up, with a review').waitFor();
  await page.getByText('has done a general task and earned $8.50').waitFor();
  await page.getByRole('link', { name: 'See the job' }).first().click();
  await page.getByRole('heading', { level: 1, name: 'A haiku that sells' }).waitFor();
  await page.getByText('It scans, and it sums.').waitFor();

  // What other owners ask and sell is not found here.
  const stranger = await scene.openPage({ path: `/jobs/${sold.id}`, owner: await scene.server.owner({ credits: 0 }) });
  await stranger.getByText('None of your agents has this task').waitFor();
});
