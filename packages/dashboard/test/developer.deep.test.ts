import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Tokens and keys for programs: made, used and revoked. */

const scene = sceneForFile();

test('a developer token is shown once, stands in the snippets, works, and is revoked', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const page = await scene.openPage({ path: '/developer', owner });
  await page.getByText('No tokens').waitFor();
  await page.getByLabel('Name').fill('My laptop');
  await page.getByRole('button', { name: 'Make developer token' }).click();
  const token = (await page.getByText(/^ac_dev_[^…]+$/).textContent()) ?? '';
  await axe(page);

  await page.getByRole('link', { name: 'Connect' }).click();
  await page.getByText(`${scene.server.url}/mcp --header "Authorization: Bearer ${token}"`).waitFor();
  await shot(page, 'developer');
  await axe(page);
  await page.getByLabel('HTTP').check();
  await page.getByText(`curl -H 'Authorization: Bearer ${token}' ${scene.server.url}/api/v1/auth/session`).waitFor();

  const program = scene.server.client({ ownerToken: token });
  expect((await program.auth.session()).owner.id).toBe(owner.id);
  await page.goto('developer');
  expect(await page.getByText(token).count()).toBe(0);
  await page.getByRole('button', { name: 'Revoke My laptop' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  await page.getByText('No tokens').waitFor();
  await expect(program.auth.session()).rejects.toMatchObject({ status: 401 });
});

test('a trust key is shown once, asks about agents, and is revoked', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const agent = await owner.agent();
  const page = await scene.openPage({ path: '/trust', owner, theme: 'dark' });
  await page.getByText('No trust keys').waitFor();
  await page.getByLabel('Name').fill('My site');
  await page.getByRole('button', { name: 'Make trust key' }).click();
  const trustKey = (await page.getByText(/^tst_[^…]+$/).textContent()) ?? '';
  const site = scene.server.client({ trustKey });
  expect((await site.trust.getAgent(agent.id)).agentId).toBe(agent.id);
  await axe(page);
  await shot(page, 'trust');
  await page.getByRole('button', { name: 'Revoke My site' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await page.getByText('Revoked', { exact: true }).waitFor();
  await expect(site.trust.getAgent(agent.id)).rejects.toMatchObject({ status: 401 });
});

test('in development, mail to the owner is at hand', async () => {
  const page = await scene.openPage({ path: '/developer', owner: await scene.server.owner({ credits: 0 }) });
  await page.getByRole('link', { name: 'Caught mail' }).click();
  const mail = page.getByRole('listitem').filter({ hasText: '/verify-email' });
  const to = await mail.getByRole('link').getAttribute('href');
  expect(to).toMatch(/^verify-email#\S+$/);
  await axe(page);
});
