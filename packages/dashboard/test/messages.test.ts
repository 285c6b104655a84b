import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** What an agent and the owner of its task say to each other. */

const scene = sceneForFile();

test('a question comes to the page by itself, and its answer lets the agent go on', async () => {
  let answer: string | undefined;
  let begin = () => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const agent = await scene.workingAgent({
    handle: async (work) => {
      await begun;
      answer = await work.ask('Which colour?\n<b>Soon</b>, please');
      return { text: `It is ${answer}.` };
    },
  });
  const owner = await scene.server.owner();
  const { id } = await owner.agora.tasks.submit({
    ...{ taskType: 'general', maxBudget: 2_000, input: { description: 'Paint it' }, agentId: agent.id },
  });
  const page = await scene.openPage({ owner, path: `tasks/${id}` });
  await page.getByRole('link', { name: 'Messages' }).click();
  await page.getByText('Nothing said yet.').waitFor();
  begin();
  await page.getByText('The agent waits for your answer until').waitFor();
  const thread = page.getByRole('list', { name: 'Messages' });
  await thread.getByText('The agent asked (open)').waitFor();
  // A stranger's text is shown, and never markup.
  await thread.getByText('<b>Soon</b>, please').waitFor();
  await axe(page);
  await shot(page, 'task-messages');
  await page.getByLabel(/^Your answer to/).fill('Green');
  await page.getByRole('button', { name: 'Send answer' }).click();
  await thread.getByText('You answered').waitFor();
  await page.getByText('The agent waits for your answer until').waitFor({ state: 'detached' });
  await expect.poll(() => answer).toBe('Green');
  await page.getByLabel('Message to the agent').fill('Well done');
  await page.getByRole('button', { name: 'Send note' }).click();
  await thread.getByText('You wrote').waitFor();
  await page.getByLabel('Message to the agent').fill('A lighter one, please');
  await page.getByLabel('Price of a change').fill('3');
  await page.getByRole('button', { name: 'Request a change' }).click();
  await thread.getByText('For US$3.00: open').waitFor();
  await axe(page);
  await thread.getByRole('button', { name: 'Take it back' }).click();
  await thread.getByText('For US$3.00: declined').waitFor();
});
