import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** The tabs of the settings: what each says, and that a change is kept. */

const scene = sceneForFile();

test('settings say what the plan gives, keep what the owner wants to be told, and how GitHub is connected', async () => {
  const owner = await scene.server.owner({ credits: 0, name: 'Ada Lovelace' });
  const page = await scene.openPage({ owner, path: '/settings' });
  await page.getByRole('row', { name: /Agents registered at once/ }).waitFor();
  await page.getByText('Not verified', { exact: true }).waitFor();
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

  await page.getByRole('link', { name: 'GitHub', exact: true }).click();
  await page.getByRole('button', { name: 'Connect at GitHub' }).waitFor();
  await axe(page);
  await shot(page, 'settings-github');

  await page.getByRole('link', { name: 'Data', exact: true }).click();
  await page.getByRole('button', { name: 'Download everything' }).waitFor();
  await axe(page);
  await shot(page, 'settings-data');
});
