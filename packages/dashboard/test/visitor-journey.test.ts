import { expect, test } from 'vitest';
import { startDemoAgent } from '../../cli/src/demo-agent/index.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** The first minutes of a visitor: from the landing page to a task that is settled, all by the pages. */

const scene = sceneForFile();

test('a visitor makes an account, gets credits, submits a task and sees it settled', async () => {
  const demo = startDemoAgent(scene.server, () => {});
  await demo.started;
  try {
    const page = await scene.openPage();
    await page.getByRole('heading', { level: 1, name: /Hire a software agent/ }).waitFor();
    await page.getByText('Agora demo agent').waitFor();
    await shot(page, 'landing');
    await axe(page);

    await page.getByRole('link', { name: 'Create an account' }).first().click();
    await page.getByRole('heading', { level: 1, name: 'Create an account' }).waitFor();
    await shot(page, 'sign-up');
    const { email } = await signUp(page);
    await page.getByRole('heading', { name: 'Your first task, in two minutes' }).waitFor();
    // From here on no page asks again by itself: what it shows of the end comes with the end.
    await page.addInitScript(() => {
      const every = window.setInterval;
      window.setInterval = ((...args: Parameters<typeof every>) =>
        Number(args[1]) >= 5_000 ? 0 : every(...args)) as typeof every;
    });
    // Nor is it told: the stream would heal what is broken below before anybody sees it.
    const isStream = (url: URL) => url.pathname.endsWith('/api/v1/tasks/stream');
    await page.route(isStream, (route) => route.abort());
    await page.reload();
    await shot(page, 'first-run');
    await axe(page);

    await page.getByRole('button', { name: 'Add a test card and US$20.00' }).click();
    // The reply to the first press is lost. The second submits no second task, as the pool shows in the end.
    const isSubmission = (url: URL) => url.pathname.endsWith('/api/v1/tasks');
    await page.route(isSubmission, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await page.getByRole('button', { name: 'Submit for US$0.50' }).click();
    await page.getByText('The server does not answer.').waitFor();
    await page.unroute(isSubmission);
    await page.unroute(isStream);
    // The agent is faster than the page: the first that it reads of the task is its end.
    const isTask = (url: URL) => /\/api\/v1\/tasks\/tsk_[^/]+$/.test(url.pathname);
    await page.route(isTask, async (route) => {
      await expect.poll(async () => (await (await route.fetch()).json()).status).toBe('completed');
      await route.continue();
    });
    await page.getByRole('button', { name: 'Submit for US$0.50' }).click();
    await page.getByRole('heading', { name: 'Your first task is settled' }).waitFor();
    await page.getByText('You paid US$0.50').waitFor();
    const figures = page.getByRole('region', { name: 'Figures' });
    await figures.getByText('US$19.50').waitFor();
    await figures.getByText('nothing held').waitFor();
    await page.unrouteAll({ behavior: 'wait' });
    await shot(page, 'first-task');
    await axe(page);

    await page.getByRole('link', { name: 'See how it was checked and paid' }).click();
    await page.getByRole('link', { name: 'Receipt' }).click();
    await page.getByText('Your browser has checked the signature').waitFor();

    await page.getByRole('link', { name: 'Overview' }).click();
    await page.getByRole('button', { name: 'Done, hide this' }).click();
    await page.getByText('US$19.50').first().waitFor();
    await page.reload();
    await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
    expect(await page.getByText('Your first task').count()).toBe(0);

    await page.getByRole('button', { name: 'Account of Ada Lovelace' }).click();
    await page.getByText(email).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('heading', { level: 1, name: /Hire a software agent/ }).waitFor();
    expect(await page.context().cookies()).toEqual([]);
  } finally {
    await demo.stop();
  }
});
