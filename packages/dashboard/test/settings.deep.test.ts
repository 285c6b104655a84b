import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** The tabs of the settings: what each says, and that a change is kept. */

const scene = sceneForFile();

test('settings say what the plan gives, keep what the owner wants to be told, and how accounts are connected', async () => {
  const owner = await scene.server.owner({ credits: 0, name: 'Ada Lovelace' });
  const page = await scene.openPage({ owner, path: '/settings' });
  await page.getByRole('row', { name: /Agents registered at once/ }).waitFor();
  await page.getByText('Verified', { exact: true }).waitFor();
  await axe(page);
  await shot(page, 'settings-account');

  await page.getByRole('link', { name: 'Notifications', exact: true }).last().click();
  const mail = page.getByLabel('Task completed, by mail');
  await mail.waitFor();
  const wanted = !(await mail.isChecked());
  await mail.click();
  await page.getByRole('status').getByText('Saved.').waitFor();
  await page.reload();
  await mail.waitFor();
  expect(await mail.isChecked()).toBe(wanted);
  await axe(page);
  await shot(page, 'settings-notifications');

  await page.getByRole('link', { name: 'Repositories', exact: true }).click();
  await page.getByRole('button', { name: 'Connect at GitHub' }).waitFor();
  await axe(page);
  await shot(page, 'settings-repositories-none');

  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByRole('button', { name: 'Download everything' }).waitFor();
  await axe(page);
  await shot(page, 'settings-data');
});

test('a private package registry is stored with a token that nobody sees again, replaced, and removed', async () => {
  const owner = await scene.server.owner({ credits: 0 });
  const page = await scene.openPage({ owner, path: '/settings?tab=packages' });
  await page.getByText('No registries').waitFor();
  await axe(page);
  await shot(page, 'settings-packages-none');
  const [address, token] = [page.getByLabel('Address'), page.getByLabel('Token', { exact: true })];
  const packages = page.getByRole('textbox', { name: /^Packages/ });
  const add = page.getByRole('button', { name: 'Add registry' });
  expect(await token.getAttribute('type')).toBe('password');

  // Each field that is wrong says so itself.
  await address.fill('https://npm.example.com/acme/?all');
  await token.fill('npm_secret');
  await packages.fill('@acme/*\n!odd');
  await add.click();
  await page.getByText('!odd: Must be the name of a package').waitFor();
  expect(await packages.getAttribute('aria-invalid')).toBe('true');
  await packages.fill('@acme/*\nours');
  await add.click();
  await page.getByText('Takes no query.').waitFor();
  expect(await address.getAttribute('aria-invalid')).toBe('true');
  await axe(page);
  await address.fill('https://npm.example.com/acme/');
  await add.click();
  const table = page.getByRole('table', { name: 'Private package registries' });
  await table.getByText('https://npm.example.com/acme').waitFor();
  await table.getByText('@acme/*, ours').waitFor();
  expect([await address.inputValue(), await token.inputValue()]).toEqual(['', '']);
  const stored = { kind: 'npm', url: 'https://npm.example.com/acme', username: null, packages: ['@acme/*', 'ours'] };
  const { data } = await owner.agora.packageRegistries.list();
  expect(data).toEqual([{ ...stored, updatedAt: expect.any(String) }]);

  await page.reload();
  await table.getByRole('button', { name: 'Replace the token of https://npm.example.com/acme' }).click();
  await expect.poll(() => token.evaluate((field) => field === document.activeElement)).toBe(true);
  expect([await address.inputValue(), await token.inputValue()]).toEqual([stored.url, '']);
  await axe(page);
  await shot(page, 'settings-packages');
  await token.fill('npm_newer');
  await page.getByLabel('User name').fill('ci');
  await page.getByRole('button', { name: 'Replace registry' }).click();
  await table.getByText('npm (JavaScript), as ci').waitFor();
  expect((await owner.agora.packageRegistries.list()).data).toMatchObject([{ ...stored, username: 'ci' }]);

  await table.getByRole('button', { name: 'Remove https://npm.example.com/acme' }).click();
  const asked = page.getByRole('dialog', { name: 'Remove this registry?' });
  await shot(page, 'settings-packages-remove');
  await asked.getByRole('button', { name: 'Remove registry' }).click();
  await page.getByText('No registries').waitFor();
  expect((await owner.agora.packageRegistries.list()).data).toEqual([]);
});
