import { describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** What a visitor finds at `/`. */

const scene = sceneForFile();

describe.each(['light', 'dark'] as const)('in %s', (theme) => {
  test('a visitor finds a page with a heading, which all can use', async () => {
    const page = await scene.openPage({ theme });
    await page.getByRole('heading', { level: 1 }).waitFor();
    await axe(page);
    if (theme === 'light') await shot(page, 'landing');
  });
});

test('its files come as brotli, packed when they were built, and need no other host', async () => {
  const page = await scene.openPage();
  const loaded = page.waitForResponse((response) => response.url().endsWith('.js'));
  await page.reload();
  expect((await loaded).headers()).toMatchObject({
    'content-encoding': 'br',
    'cache-control': 'public, max-age=31536000, immutable',
  });
  const hosts = await page.evaluate(() =>
    performance.getEntriesByType('resource').map(({ name }) => new URL(name).origin),
  );
  expect(new Set(hosts)).toEqual(new Set([scene.server.url]));
});

test.each([
  ['/', false, ['StartPage']],
  ['/', true, ['owner-frame', 'StartPage', 'Overview']],
  ['/tasks/tsk_01jxyz3k9mf5t8v2q7h4n6p0rs', true, ['owner-frame', 'TaskPage']],
])('at %s (owner: %s) the build has the files that are named ahead: %j', async (path, isOwner, names) => {
  const page = await scene.openPage({ path, ...(isOwner && { owner: await scene.server.owner() }) });
  const links = page.locator('head > link[rel=modulepreload]');
  const files = await links.evaluateAll((all) => all.map((link) => (link as HTMLLinkElement).href));
  for (const name of names) expect(files.filter((file) => file.includes(`/assets/${name}-`))).toHaveLength(1);
});

test('what the server names ahead of the API is asked for by the page, and once', async () => {
  const owner = await scene.server.owner();
  await scene.workingAgent();
  const { id } = await owner.agora.tasks.submit({ taskType: 'general', maxBudget: 1000, input: { description: 'x' } });
  for (const path of ['', 'tasks', `tasks/${id}`]) {
    const page = await scene.openPage({ path: 'design', owner });
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.url()));
    await page.addInitScript(() => {
      const { fetch } = window;
      const asked: string[] = [];
      Object.assign(window, { asked });
      window.fetch = (input, init) => {
        asked.push(String(input instanceof Request ? input.url : input));
        return fetch(input, init);
      };
    });
    await page.goto(path);
    const links = page.locator('head > link[rel=preload][as=fetch]');
    const named = await links.evaluateAll((all) => all.map((link) => (link as HTMLLinkElement).href));
    expect(named.length).toBeGreaterThan(1);
    await expect
      .poll(() => page.evaluate(() => (window as { asked?: string[] }).asked))
      .toEqual(expect.arrayContaining(named));
    expect(sent.filter((url) => named.includes(url)).sort()).toEqual([...named].sort());
  }
});

describe('the scene', () => {
  test('signs its owners in, before the page opens', async () => {
    const owner = await scene.server.owner();
    const page = await scene.openPage({ owner });
    expect(await page.locator('html').getAttribute('data-visitor')).toBeNull();
    const session = await page.evaluate(async () => (await fetch('api/v1/auth/session')).json());
    expect(session).toMatchObject({ owner: { id: owner.id } });
  });

  test('has agents that do their work', async () => {
    const [owner, agent] = [await scene.server.owner(), await scene.workingAgent()];
    const { id } = await owner.agora.tasks.submit({
      taskType: 'general',
      agentId: agent.id,
      maxBudget: 1000,
      input: { description: 'Say that you are done.' },
    });
    await expect.poll(async () => (await owner.agora.tasks.get(id)).status).toBe('completed');
  });

  test('sees what the policy forbids, and every error', async () => {
    const page = await scene.openPage();
    await page.evaluate(() => {
      setTimeout(() => {
        throw new Error('planted');
      });
      const script = document.createElement('script');
      script.textContent = 'document.title = "run"';
      document.head.append(script);
      const image = new Image();
      image.src = 'favicon.gone';
      return new Promise((failed) => {
        image.onerror = failed;
      });
    });
    const planted = [
      /uncaught: Error: planted/,
      /The policy forbids inline \(script-src-elem\)/,
      /404 for .*favicon.gone/,
    ];
    const faults: string[] = [];
    await expect
      .poll(() => faults.push(...scene.takeFaults()) && planted.filter((each) => faults.some((one) => each.test(one))))
      .toEqual(planted);
    expect(await page.title()).not.toBe('run');
  });

  test('sees what keeps people out', async () => {
    const page = await scene.openPage();
    await page.evaluate(() => {
      document.body.innerHTML = '<main><h1>Planted</h1><img src="favicon.svg"></main>';
    });
    await expect(axe(page)).rejects.toThrow(/image-alt: .*alternative text\n {2}img:/);
  });
});

test('where no agent is registered, the landing page and the first run say what to do', async () => {
  const page = await scene.openPage({ path: '/agents?q=nobody-has-this-name' });
  await page.getByText(/No agent/).waitFor();
  await signUp(page, { name: 'Alan' });
  // A refusal ends a payment, so the next press is another one.
  const keys = new Set<string | undefined>();
  await page.route(
    (url) => url.pathname.endsWith('/top-up'),
    (route) => {
      keys.add(route.request().headers()['idempotency-key']);
      const message = 'Another top-up is in progress.';
      const json = { error: { code: 'TOP_UP_IN_PROGRESS', message, details: {} } };
      return keys.size === 1 ? route.fulfill({ status: 409, json }) : route.continue();
    },
  );
  await page.getByRole('button', { name: 'Add a test card and US$20.00' }).click();
  await page.getByText('Another top-up is in progress.').waitFor();
  await page.getByRole('button', { name: 'Add a test card and US$20.00' }).click();
  await page.getByRole('link', { name: 'Write the task' }).click();
  await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
  await page.getByRole('button', { name: 'Submit' }).waitFor();
});
