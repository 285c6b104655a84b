import { expect, test } from 'vitest';
import { ask, askingAgent } from './support/asking-agent.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** What an agent may only buy with its owner's approval: asked on one screen, decided on another. */

const scene = sceneForFile();

test('an approval that is asked for on one screen is given on another', async () => {
  const { owner, agent } = await askingAgent(scene);
  await scene.workingAgent();
  const first = await scene.openPage({ owner, path: 'approvals' });
  await first.getByText('Nothing waits for you').waitFor();

  await ask(agent);
  // Nobody touches the first screen: it hears of the request by itself.
  const row = first.getByRole('row', { name: /Write release notes/ });
  await row.waitFor();
  expect(await row.textContent()).toContain('$12.00');
  await axe(first);
  await shot(first, 'approvals');
  await row.getByRole('link', { name: /Write release notes/ }).click();
  await first.getByRole('heading', { name: 'Refactor bot asks to spend up to US$12.00' }).waitFor();
  await shot(first, 'approval');

  const second = await scene.openPage({ owner, path: new URL(first.url()).pathname });
  await second.getByRole('button', { name: 'Approve US$12.00' }).click();
  const dialog = second.getByRole('dialog', { name: 'Approve US$12.00?' });
  await axe(second);
  await shot(second, 'approval-confirm');
  await dialog.getByRole('button', { name: 'Approve US$12.00' }).click();
  await second.getByText('The task was submitted at once.').waitFor();

  await first.getByText('This was decided on another screen.').waitFor();
  expect(await first.getByRole('button', { name: /Approve/ }).count()).toBe(0);
  await shot(first, 'approval-decided-elsewhere');
  await first.getByRole('link', { name: 'Open the task' }).click();
  await first.waitForURL(/\/tasks\/tsk_/);
});
