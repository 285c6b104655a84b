import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Whatever happens to the network, the server or the session: what was typed is still there. */

const scene = sceneForFile();
const text = 'Which of the three parsers is the fastest on long lines?';

async function typedTask() {
  const owner = await scene.server.owner();
  const page = await scene.openPage({ path: '/tasks/new', owner });
  await page.getByLabel('Description').fill(text);
  await page.getByRole('textbox', { name: 'Budget' }).fill('15');
  return { owner, page };
}

const submit = (page: Page) => page.getByRole('button', { name: /^Submit/ }).click();
const isKept = async (page: Page) => expect(await page.getByLabel('Description').inputValue()).toBe(text);

describe('a task that is being written', () => {
  test('outlives a reload', async () => {
    const { page } = await typedTask();
    await page.reload();
    await isKept(page);
  });

  test('outlives the session: the password is asked for over the page', async () => {
    await scene.workingAgent();
    const { owner, page } = await typedTask();
    await owner.agora.auth.signOut();
    await submit(page);
    await page.getByRole('dialog', { name: 'Your session has ended' }).waitFor();
    await shot(page, 'session-ended');
    await axe(page);
    await page.getByLabel('Password', { exact: true }).fill('correct horse');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await isKept(page);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Submit/);
    await submit(page);
    await page.waitForURL(/\/tasks\/tsk_/);
  });

  test('outlives a broken connection', async () => {
    await scene.workingAgent();
    const { page } = await typedTask();
    await page.context().setOffline(true);
    await submit(page);
    await page.getByText('You are offline. Nothing is lost').first().waitFor();
    await shot(page, 'offline');
    await isKept(page);
    await page.context().setOffline(false);
    await submit(page);
    await page.waitForURL(/\/tasks\/tsk_/);
  });

  test('outlives a lost reply: the same form, even after a reload, submits no second task', async () => {
    await scene.workingAgent();
    const { owner, page } = await typedTask();
    const isSubmission = (url: URL) => url.pathname.endsWith('/api/v1/tasks');
    await page.route(isSubmission, async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      await route.fetch();
      await route.abort();
    });
    await submit(page);
    await page.getByText('The server does not answer.').first().waitFor();
    const warning = page.getByText('Your last press may have submitted a task.');
    expect(await warning.count()).toBe(0);
    await page.getByLabel('Description').fill(`${text} And on short ones?`);
    await warning.waitFor();
    await axe(page);
    await page.getByLabel('Description').fill(text);
    await warning.waitFor({ state: 'detached' });
    await page.unroute(isSubmission);
    await page.reload();
    await isKept(page);
    await submit(page);
    await page.waitForURL(/\/tasks\/tsk_/);
    expect((await owner.agora.tasks.list()).data).toHaveLength(1);
  });

  test.each([
    [500, 'INTERNAL_ERROR', 'The server had a fault.'],
    [429, 'RATE_LIMITED', 'Too many requests in a short time.'],
  ])(
    'outlives a reply of %i, which it shows rather than sleep as long as the server asks',
    async (status, code, said) => {
      await scene.workingAgent();
      const { page } = await typedTask();
      const isSubmission = (url: URL) => url.pathname.endsWith('/api/v1/tasks');
      let sent = 0;
      await page.route(isSubmission, (route) => {
        if (route.request().method() !== 'POST') return route.continue();
        sent++;
        return route.fulfill({
          status,
          headers: { 'retry-after': '3' },
          json: { error: { code, message: 'no', details: {} } },
        });
      });
      await submit(page);
      await page.getByText(said).first().waitFor();
      expect(sent).toBe(1);
      await isKept(page);
      await page.unroute(isSubmission);
      // What the server asked to wait has to pass first.
      await page.locator('button[aria-disabled=true]', { hasText: 'Submit' }).waitFor({ state: 'detached' });
      await submit(page);
      await page.waitForURL(/\/tasks\/tsk_/);
    },
  );
});

test('without a network, pages open and say so; once it is back, what is missing comes by itself', async () => {
  const owner = await scene.server.owner();
  const page = await scene.openPage({ path: '/approvals', owner, clock: 'server' });
  await page.getByRole('button', { name: /^Account of/ }).waitFor();
  const scripts = new Set<Request>();
  page.on('request', (request) => void (request.url().endsWith('.js') && scripts.add(request)));
  page.on('requestfinished', (request) => scripts.delete(request));
  const last = page.waitForRequest(/FileContent/);
  await scene.pass(11_000, page);
  await last;
  await expect.poll(() => scripts.size).toBe(0);

  await page.context().setOffline(true);
  await page.getByText('You are offline. What you see may be old.').waitFor();
  // From here on the page never looks by itself.
  await page.evaluate(() => Object.assign(window, { setInterval: () => 0 }));
  await page.getByRole('link', { name: 'Vault' }).click();
  await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
  await page.getByRole('alert').getByText('You are offline. Nothing is lost').first().waitFor();
  // Nobody has asked to wait.
  expect(await page.getByText('You can try again in').count()).toBe(0);
  await shot(page, 'offline-vault');
  await axe(page);
  await page.getByRole('button', { name: /^Account of/ }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('status').getByText('You are offline. Nothing is lost').waitFor();
  await page.context().setOffline(false);
  await page.getByText('US$1,000.00').first().waitFor();
  await page.getByText('What you see may be old.').waitFor({ state: 'detached' });
});

test('a page whose data does not come says so, and comes with the next try', async () => {
  const owner = await scene.server.owner();
  const page = await scene.openPage({ path: '/approvals', owner });
  const isPool = (url: URL) => url.pathname.endsWith('/vault/pool');
  await page.route(isPool, (route) =>
    route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } }),
  );
  await page.getByRole('link', { name: 'Vault' }).click();
  await page.getByText('The server had a fault.').first().waitFor();
  await page.unroute(isPool);
  await page.getByRole('button', { name: 'Try again' }).first().click();
  await page.getByText('US$1,000.00').first().waitFor();
});

test('a slow server shows the shape of what comes, and moves nothing when it comes', async () => {
  const owner = await scene.server.owner();
  const page = await scene.openPage({ path: '/approvals', owner });
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(
    (url) => url.pathname.includes('/vault/'),
    async (route) => {
      await held;
      await route.continue();
    },
  );
  await page.getByRole('link', { name: 'Vault' }).click();
  await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
  await page.locator('[aria-busy=true] .skeleton').first().waitFor();
  release();
  await page.getByText('US$1,000.00').first().waitFor();
});
