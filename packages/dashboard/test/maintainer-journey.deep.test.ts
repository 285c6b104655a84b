import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { apiOf, makeProject, pullsOf } from '../../server/test/github/project.ts';
import { goodToken, saidIn, startGitHub } from '../../server/test/github/scene.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** A maintainer's way: from an issue that gets a label to the change that is merged. */

const github = await startGitHub();
await makeProject(github);
afterAll(() => github.close());
const scene = sceneForFile({ config: github.settings });
const octocat = apiOf(github, 'alpha');

test('a maintainer connects a repository, labels an issue, reads the change and merges it', async () => {
  await scene.workingAgent({
    fields: { displayName: 'Mender', capabilities: [{ category: 'bug_fix', tags: ['docs'] }] },
    async handle({ sandbox }) {
      await sandbox.write('README', 'Alpha adds numbers, and explains itself.\n');
      return { summary: 'The README says what alpha does.' };
    },
  });
  const owner = await scene.server.owner();
  const page = await scene.openPage({ owner, path: '/settings?tab=repositories' });
  await connect(page);
  await addHook(await addRepository(page));

  const { number } = await octocat.post('issues', { title: 'README is not good', body: 'It explains nothing.' });
  await octocat.post(`issues/${number}/labels`, { labels: ['agora'] });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('link', { name: `Fix #${number} of octocat/alpha` }).click();
  await readChange(page);
  const taskId = /tsk_\w+/.exec(page.url())?.[0] as string;
  const [pull] = await pullsOf(github, taskId);
  await page.getByText(pull.html_url).first().waitFor();
  await shot(page, 'maintainer-task');
  await axe(page);

  await expect.poll(async () => saidIn(await octocat.get(`issues/${number}/comments`)).length).toBe(2);
  await octocat.put(`pulls/${pull.number}/merge`, {});
  expect((await octocat.get(`pulls/${pull.number}`)).merged).toBe(true);
  await remove(page);
});

async function connect(page: Page): Promise<void> {
  await page.getByText('No account is connected').waitFor();
  const intakes = page.getByRole('region', { name: 'Issues that become tasks' });
  await intakes.getByRole('button', { name: 'Add a repository' }).hover();
  await page.getByRole('tooltip', { name: 'Connect an account first.' }).waitFor();
  await page.getByLabel('Or a personal access token').fill('github_pat_of_nobody');
  await page.getByRole('button', { name: 'Connect with the token' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByLabel('Or a personal access token').fill(goodToken);
  await page.getByRole('button', { name: 'Connect with the token' }).click();
  await page.getByRole('row', { name: /octocat access token/ }).waitFor();
  await shot(page, 'settings-repositories');
  await axe(page);
}

/** Gives the address and the secret that the webhook at GitHub is to have. */
async function addRepository(page: Page): Promise<{ url: string; secret: string }> {
  await page.getByRole('button', { name: 'Add a repository' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a repository' });
  await dialog.getByLabel('Repository').fill('octocat/none');
  await dialog.getByLabel('Budget of a task').fill('20');
  await dialog.getByLabel('Budget of a day').fill('100');
  await dialog.getByLabel('Agents that may be hired').fill('Mend');
  await dialog.getByRole('button', { name: 'Add Mender' }).click();
  await dialog.getByRole('button', { name: 'Add repository' }).click();
  const repository = dialog.getByLabel('Repository');
  await expect.poll(() => repository.getAttribute('aria-invalid')).toBe('true');
  expect(
    await dialog.locator('datalist option').evaluateAll((all) => all.map((each) => each.getAttribute('value'))),
  ).toContain('octocat/alpha');
  await repository.fill('octocat/alpha');
  await shot(page, 'intake-form');
  await axe(page);
  await dialog.getByRole('button', { name: 'Add repository' }).click();
  const done = page.getByRole('dialog', { name: 'octocat/alpha' });
  await done.getByText('Copy the secret now', { exact: false }).waitFor();
  await shot(page, 'intake-webhook');
  await axe(page);
  const [url, secret] = await done.locator('pre').allTextContents();
  await done.getByRole('button', { name: 'I have copied the secret' }).click();
  await page.getByRole('row', { name: /octocat\/alpha.*US\$20\.00.*US\$100\.00.*Mender/ }).waitFor();
  return { url: url as string, secret: secret as string };
}

async function addHook({ url, secret }: { url: string; secret: string }): Promise<void> {
  const config = { url: new URL(new URL(url).pathname, scene.server.url).href, secret, content_type: 'json' };
  await octocat.post('hooks', { config, events: ['issues', 'issue_comment'], active: true });
}

async function readChange(page: Page): Promise<void> {
  await page.getByRole('heading', { level: 1, name: /^Fix #\d+ of octocat\/alpha$/ }).waitFor();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page.getByText('A pull request is open').waitFor();
  await page.getByRole('region', { name: '1 changed file' }).getByRole('link', { name: 'README' }).click();
  const diff = page.getByRole('group', { name: 'README', exact: true });
  await diff.getByText('Alpha adds numbers, and explains itself.').waitFor();
  await shot(page, 'maintainer-change');
  await axe(page);
  await page.getByRole('link', { name: 'Result' }).click();
}

async function remove(page: Page): Promise<void> {
  await page.goto('settings?tab=repositories');
  await page.getByRole('button', { name: 'Change octocat/alpha' }).click();
  await page.getByRole('dialog').getByLabel('Budget of a task').fill('5');
  await page.getByRole('dialog').getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('row', { name: /octocat\/alpha.*US\$5\.00.*US\$100\.00.*Mender/ }).waitFor();
  await page.getByRole('button', { name: 'Remove octocat/alpha' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove repository' }).click();
  await page.getByText('No repository', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No account is connected').waitFor();
}
