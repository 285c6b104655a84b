import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { goInside } from './support/sweep.ts';

const scene = sceneForFile();

test('a task that is started and completed while its page is open shows each step and its result', async () => {
  const buyer = await scene.server.owner();
  const agent = await (await scene.server.owner({ credits: 0 })).agent();
  const input = { description: 'Say what changed' };
  const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId: agent.id, maxBudget: 1_000, input });
  const page = await scene.openPage({ owner: buyer, path: `/tasks/${id}` });
  await page.getByText('If the agent does not answer, the task ends and the whole hold comes back.').waitFor();
  await agent.agora.tasks.start(id, { sandboxId: 'test' });
  await page.getByText('The agent is at work').waitFor();
  await agent.agora.tasks.complete(id, { output: { text: 'The exporter is three modules now.' } });
  await page.getByText('The exporter is three modules now.').waitFor();
  await page.getByRole('button', { name: 'Thumbs down, refund US$10.00' }).waitFor();
  await rateOverBadLine(page);
  await waitForPullRequest(page, id);
});

/** The first reply is lost with its rating; what was typed outlives the dialog, and more can be said. */
async function rateOverBadLine(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Thumbs up' });
  const comment = dialog.getByLabel('Comment for the agent');
  const thumbsUp = page.getByRole('main').getByRole('button', { name: 'Thumbs up' }).first();
  const give = dialog.getByRole('button', { name: 'Thumbs up' });
  await thumbsUp.click();
  await comment.fill('Short and clear.');
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: 'hidden' });
  await thumbsUp.click();
  expect(await comment.inputValue()).toBe('Short and clear.');

  await page.route('**/feedback', async (route) => {
    await route.fetch();
    await route.abort();
  });
  await give.click();
  await dialog.getByText('The server does not answer.').waitFor();
  await page.unroute('**/feedback');
  // It was given all the same, as the page has read meanwhile.
  await page.getByText('You gave thumbs up', { exact: true }).waitFor();
  await comment.fill('Short and clear, and true.');
  await give.click();
  await dialog.waitFor({ state: 'hidden' });
  await page.getByText('Short and clear, and true.').waitFor();
  await thumbsUp.click();
  expect(await comment.inputValue()).toBe('');
  await page.keyboard.press('Escape');
}

/** It is opened when the task and its stream have ended. */
async function waitForPullRequest(page: Page, id: string): Promise<void> {
  let pullRequest: object = { status: 'pending', url: null, reason: null, message: null };
  await page.route(`**/api/v1/tasks/${id}`, async (route) => {
    const response = await route.fetch();
    const startedAt = '2026-01-01T12:00:00.000Z';
    const finishedAt = '2026-01-01T12:01:59.600Z';
    await route.fulfill({ response, json: { ...(await response.json()), pullRequest, startedAt, finishedAt } });
  });
  await page.reload();
  await page.getByText('The pull request is being opened.').waitFor();
  // Neither seconds of a minute nor minutes of an hour come to sixty.
  await page.getByRole('definition').getByText('2 min', { exact: true }).waitFor();
  pullRequest = { status: 'opened', url: 'https://github.com/octocat/alpha/pull/1', reason: null, message: null };
  await page.getByText('A pull request is open').waitFor();
}

test('a task that is passed on shows its new agent at once, without a look between', async () => {
  const seller = () => scene.server.owner({ credits: 0 });
  const offer = { capabilities: [{ category: 'research' as const, tags: [] }] };
  const agents = [
    await (await seller()).agent({ displayName: 'First asked', ...offer }),
    await (await seller()).agent({ displayName: 'Then asked', ...offer }),
  ];
  const buyer = await scene.server.owner();
  const input = { description: 'Find who said it first' };
  const { id, agentId } = await buyer.agora.tasks.submit({ taskType: 'research', maxBudget: 1_000, input });
  const [asked, other] = agents[0]!.id === agentId ? agents : agents.toReversed();
  const nameOf = async (agent = asked!) => (await agent.agora.agents.me()).displayName;
  const page = await scene.openPage({ owner: buyer, path: `/tasks/${id}`, clock: 'server' });
  await page.getByText('If the agent does not answer, another agent is asked.').waitFor();
  await page.clock.fastForward(16 * 60_000);
  await page.getByText('The time is up; another agent is asked.').waitFor();
  // From here on the page never looks by itself.
  await goInside(page, 'tasks');
  await page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor();
  await page.evaluate(() => Object.assign(window, { setInterval: () => 0 }));
  await goInside(page, `tasks/${id}`);
  await page
    .getByRole('main')
    .getByRole('link', { name: await nameOf() })
    .first()
    .waitFor();
  await asked!.agora.tasks.decline(id, { reason: 'I have no library card.' });
  await page
    .getByRole('main')
    .getByRole('link', { name: await nameOf(other!) })
    .first()
    .waitFor();
});

test('the run of a task follows what its agent runs and reports until the reader scrolls up, and is searched afterwards', async () => {
  const buyer = await scene.server.owner();
  const { id: agentId, agora } = await (await scene.server.owner({ credits: 0 })).agent();
  const input = { description: 'Say what changed', code: 'x' };
  const { id } = await buyer.agora.tasks.submit({ taskType: 'general', agentId, maxBudget: 1_000, input });
  await agora.tasks.start(id, { sandboxId: 'test' });
  await agora.sandbox.exec(id, { command: 'sleep 0.2; exit 3', label: 'Runs the tests' });
  const note = (nth: number) => agora.tasks.progress(id, { percent: nth, message: `Module ${nth} reads well.` });
  for (let nth = 1; nth <= 50; nth++) {
    await note(nth);
    if (nth % 25 === 0) await scene.pass(61_000);
  }
  const page = await scene.openPage({ owner: buyer, path: `/tasks/${id}?tab=work` });
  const run = page.getByRole('table', { name: 'Run' });
  const row = (name: string | RegExp) => run.getByRole('row', { name });
  await row('Module 50 reads well.').waitFor();
  // Only what is in sight, and a little more, is in the page.
  expect(await row('Waiting for an agent').count()).toBe(0);
  await note(51);
  await row('Module 51 reads well.').waitFor();
  await run.getByRole('rowgroup').evaluate((area) => area.scrollTo(0, 0));
  await row('Waiting for an agent').waitFor();
  await page.getByRole('button', { name: 'Follow' }).waitFor();
  await note(52);
  await page.getByRole('progressbar').and(page.locator('[aria-valuenow="52"]')).waitFor();
  expect(await row('Waiting for an agent').count()).toBe(1);
  await page.getByRole('button', { name: 'Follow' }).click();
  await row('Module 52 reads well.').waitFor();
  await shot(page, 'task-run');
  await axe(page);

  await page.getByRole('button', { name: 'First failure' }).click();
  await row(/Runs the tests/)
    .getByText('exit code 3')
    .waitFor();
  await page.getByLabel('Show').selectOption('Commands');
  await expect.poll(() => run.getByRole('row').count()).toBe(2);
  await page.getByLabel('Show').selectOption('Everything');
  await page.getByLabel('Find in the run').fill('module 17 ');
  await expect.poll(() => run.getByRole('row').count()).toBe(2);
  await row(/Module 17 reads well/)
    .getByText('17 %')
    .waitFor();
  await page.getByLabel('Find in the run').fill('');
  await page.getByLabel('Show').selectOption('Steps');
  await agora.tasks.complete(id, { output: { text: 'The exporter is three modules now.' } });
  await row('Quality gate').waitFor();
  await row(/Attempt 1/)
    .getByText('The work passed')
    .waitFor();
});
