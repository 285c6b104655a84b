import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** Finding an agent, and judging it by its record. */

const scene = sceneForFile();
let seller: TestOwner;
let poet: TestAgent;

beforeAll(async () => {
  seller = await scene.server.owner({ credits: 0 });
  const price = (cents: number) => ({ model: 'per_task' as const, baseRate: cents, currency: 'USD' as const });
  poet = await seller.agent({
    displayName: 'Poet',
    description: 'Writes haiku and sonnets.',
    capabilities: [{ category: 'content_creation', tags: ['haiku'] }],
    pricing: price(400),
  });
  await seller.agent({
    displayName: 'Mender',
    description: 'Repairs failing tests.',
    capabilities: [{ category: 'testing', tags: ['vitest'] }],
    pricing: price(1250),
  });
  await seller.agent({
    displayName: 'Tester',
    capabilities: [{ category: 'testing', tags: [] }],
    framework: 'langgraph',
    pricing: null,
  });
});

describe('browsing', () => {
  test('filters count, narrow, stand in the address, and go back', async () => {
    const page = await scene.openPage({ path: '/agents' });
    const names = () => page.getByRole('list', { name: 'Agents' }).getByRole('heading').allInnerTexts();
    await expect.poll(async () => (await names()).sort()).toEqual(['Mender', 'Poet', 'Tester']);
    await page.getByLabel('Work', { exact: true }).selectOption({ label: 'Testing (2)' });
    await expect.poll(async () => (await names()).sort()).toEqual(['Mender', 'Tester']);
    // The other filters count among those that are left.
    await page.getByLabel('Framework').selectOption({ label: 'LangGraph (1)' });
    await expect.poll(names).toEqual(['Tester']);
    expect(new URL(page.url()).search).toBe('?category=testing&framework=langgraph');
    await shot(page, 'agents');
    await axe(page);
    await page.goBack();
    await expect.poll(async () => (await names()).sort()).toEqual(['Mender', 'Tester']);
    await page.goBack();
    await expect.poll(async () => (await names()).length).toBe(3);
    expect(await page.getByLabel('Work', { exact: true }).inputValue()).toBe('');
  });

  test('what was typed for the price does not come back after "Clear all"', async () => {
    const page = await scene.openPage({ path: '/agents?category=testing', clock: 'server' });
    const price = page.getByLabel('Price at most');
    const ticks = () => page.clock.runFor(1_000);
    for (const typed of ['13', '14']) {
      await price.fill(typed);
      await page.waitForURL((url) => url.search.includes(typed));
    }
    await page.getByRole('button', { name: 'Clear all' }).click();
    await page.waitForURL((url) => url.pathname === '/agents' && url.search === '');
    await ticks();
    expect(new URL(page.url()).search).toBe('');
    expect(await price.inputValue()).toBe('');
  });

  test('a next page that does not come is said beside what is there', async () => {
    const page = await scene.openPage({ path: '/agents?q=nobody' });
    let isBroken = true;
    await page.route('**/api/v1/agents/search*', (route) => {
      const url = new URL(route.request().url());
      if (isBroken && url.searchParams.has('cursor'))
        return route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } });
      url.searchParams.set('pageSize', '2');
      return route.continue({ url: url.href });
    });
    await page.getByLabel('Search').fill('');
    const rows = page.getByRole('list', { name: 'Agents' }).getByRole('heading');
    await expect.poll(() => rows.count()).toBe(2);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.getByText('The server had a fault.').waitFor();
    expect(await rows.count()).toBe(2);
    isBroken = false;
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => rows.count()).toBe(3);
  });

  test('the list stands in the order that is wanted, and so do its address and the way back', async () => {
    const page = await scene.openPage({ path: '/agents' });
    const names = () => page.getByRole('list', { name: 'Agents' }).getByRole('heading').allInnerTexts();
    await page.getByLabel('Order').selectOption('Lowest price first');
    // One without a price takes the whole budget, so it comes last.
    await expect.poll(names).toEqual(['Poet', 'Mender', 'Tester']);
    expect(new URL(page.url()).search).toBe('?sort=price');
    await page.reload();
    await expect.poll(names).toEqual(['Poet', 'Mender', 'Tester']);
    await page.getByLabel('Work', { exact: true }).selectOption({ label: 'Testing (2)' });
    await expect.poll(names).toEqual(['Mender', 'Tester']);
    await page.getByRole('button', { name: 'Clear all' }).click();
    await expect.poll(names).toEqual(['Poet', 'Mender', 'Tester']);
    // Nobody has a score yet that says anything, so none is shown.
    await page.getByText('New: too little is known yet').first().waitFor();
    await page
      .getByText(/no task done yet, since /)
      .first()
      .waitFor();
    expect(await page.getByText(/Score 5/).count()).toBe(0);
  });

  test('agents are chosen and compared, and the link shows the same to somebody else', async () => {
    const owner = await scene.server.owner();
    const page = await scene.openPage({ path: '/agents', owner });
    const bar = page.getByRole('region', { name: 'To compare' });
    for (const name of ['Poet', 'Mender']) await page.getByRole('button', { name: `Compare ${name}` }).click();
    await bar.getByRole('link', { name: 'Poet' }).waitFor();
    await shot(page, 'agents-chosen');
    await axe(page);
    // What is chosen stands in the address, so that it outlives a reload.
    await page.reload();
    expect(await page.getByRole('button', { name: 'Compare Poet' }).getAttribute('aria-pressed')).toBe('true');
    await bar.getByRole('link', { name: 'Compare 2 agents' }).click();
    await page.getByRole('heading', { level: 1, name: 'Compare agents' }).waitFor();
    const rowOf = (shown: Page, name: string) => shown.getByRole('row', { name: new RegExp(`^${name}`) });
    await rowOf(page, 'Price of a task US\\$4.00 US\\$12.50').waitFor();
    await rowOf(page, 'Speed Not known yet Not known yet').waitFor();
    await rowOf(page, 'What it does Content creation.*haiku Testing.*vitest').waitFor();
    await shot(page, 'agents-compared');
    await axe(page);

    const visitor = await scene.openPage({ path: page.url(), width: 390 });
    await rowOf(visitor, 'Price of a task US\\$4.00 US\\$12.50').waitFor();
    // How fast agents are is told to buyers alone.
    expect(await rowOf(visitor, 'Speed').count()).toBe(0);
    await visitor.getByRole('button', { name: 'Leave out Mender' }).click();
    await expect.poll(() => visitor.getByRole('columnheader').allInnerTexts()).toEqual(['Poet']);
    await visitor.getByRole('link', { name: 'Agents', exact: true }).last().click();
    expect(await visitor.getByRole('button', { name: 'Compare Poet' }).getAttribute('aria-pressed')).toBe('true');
  });

  test('words are searched for while they are typed', async () => {
    const page = await scene.openPage({ path: '/agents' });
    await page.getByLabel('Search').fill('haiku');
    await page.getByText('1 agent', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Poet' }).click();
    await page.getByRole('heading', { level: 1, name: 'Poet' }).waitFor();
    await page.goBack();
    expect(await page.getByLabel('Search').inputValue()).toBe('haiku');
  });

  test('where nobody fits, the page says which filter to drop', async () => {
    const page = await scene.openPage({ path: '/agents?category=testing&q=haiku' });
    await page.getByText('No agent fits all of this').waitFor();
    await axe(page);
    await page.getByRole('button', { name: 'Drop work: testing (1 agent)' }).click();
    await page.getByRole('link', { name: 'Poet' }).waitFor();
  });
});

/** What waits until it is let go. */
function held() {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { letGo, until };
}

/** As on a page that did not come by https: browsers give it no clipboard. */
async function copyWithoutLeave(page: Page, text: string): Promise<void> {
  await page.evaluate(() => Object.defineProperty(navigator, 'clipboard', { value: undefined }));
  await page.getByRole('button', { name: 'Copy badge as Markdown' }).click();
  await page.getByRole('tooltip', { name: /The browser does not let this page copy/ }).waitFor();
  expect(await page.evaluate(() => getSelection()?.toString())).toBe(text);
}

/** The samples are asked for anew, as after the network was away, and the server fails. */
async function askAgainInVain(page: Page): Promise<void> {
  let failed = 0;
  await page.route('**/api/v1/agents/*/assessments', (route) => {
    failed++;
    return route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } });
  });
  await expect
    .poll(async () => {
      await page.context().setOffline(true);
      await page.context().setOffline(false);
      return failed;
    })
    .toBeGreaterThanOrEqual(2);
  await page.evaluate(async () => {
    for (let frame = 0; frame < 12; frame++) await new Promise(requestAnimationFrame);
  });
}

describe('a profile', () => {
  test('shows the record in plots, text and tables', async () => {
    const buyer = await scene.server.owner();
    for (const days of [0, 1, 1]) {
      scene.server.clock.advance(days * 86_400_000);
      await scene.server.app.run('registry.announceDay');
      const { id } = await buyer.agora.tasks.submit({
        taskType: 'content_creation',
        agentId: poet.id,
        maxBudget: 400,
        input: { description: 'A haiku about ledgers' },
      });
      await poet.agora.tasks.start(id, { sandboxId: 'mine' });
      await poet.agora.tasks.complete(id, { output: { result: 'Debits and credits meet on a quiet page' } });
    }
    const { overallScore, lowerBound, history } = await buyer.agora.agents.reputation(poet.id);
    // Where the days of UTC begin on the evening before.
    const page = await scene.openPage({ path: `/agents/${poet.id}`, timezone: 'America/New_York' });
    // Three tasks of one buyer that named the agent say next to nothing.
    await page.getByText('New: too little is known yet').waitFor();
    await page.getByText('none failed').waitFor();
    expect(await page.getByText(String(overallScore), { exact: true }).count()).toBe(0);
    await shot(page, 'agent-new');
    await page.getByText('Show what the score is so far').click();
    await page.locator('figure svg').nth(1).waitFor();
    const plot = page.locator('figure svg.recharts-surface').nth(1);
    await plot.hover({ position: { x: 60, y: 100 } });
    const firstDay = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
    await page
      .locator('figure')
      .getByText(firstDay.format(new Date(history.at(-1)!.day)), { exact: true })
      .waitFor();
    expect(await page.locator('figure svg.recharts-surface').count()).toBe(2);
    await page.getByText(`The score lies between ${lowerBound} and`).waitFor();
    await page.getByText('Show the numbers').click();
    const days = page.getByRole('table', { name: 'Score by day' }).getByRole('row');
    await expect.poll(() => days.count()).toBeGreaterThan(2);
    expect(await page.getByText(String(overallScore), { exact: true }).count()).toBeGreaterThan(0);
    const samples = page.getByRole('table', { name: 'Newest assessments' }).getByRole('row');
    await expect.poll(() => samples.count()).toBe(1 + 3);
    await samples.nth(1).getByText('Output fits 60').waitFor();
    await page.getByAltText('Badge with its tier and score').waitFor();
    await page.getByText(`![Agora](${scene.server.url}/api/v1/agents/${poet.id}/badge.svg)`).waitFor();
    await shot(page, 'agent');
    await axe(page);
    await copyWithoutLeave(page, `![Agora](${scene.server.url}/api/v1/agents/${poet.id}/badge.svg)`);
    await askAgainInVain(page);
    expect(await samples.count()).toBe(1 + 3);
  });

  test('leads a visitor to sign up, and a buyer to a task for it', async () => {
    const visitor = await scene.openPage({ path: `/agents/${poet.id}` });
    await visitor.getByRole('link', { name: 'Sign up to hire' }).click();
    await visitor.waitForURL(/\/sign-up/);
    const buyer = await scene.openPage({ owner: await scene.server.owner() });
    const session = held();
    await buyer.route('**/api/v1/auth/session', async (route) => {
      await session.until;
      await route.continue();
    });
    await buyer.goto(`/agents/${poet.id}`);
    await buyer.getByRole('heading', { level: 1, name: 'Poet' }).waitFor();
    // While it is not known whose page this is, nobody is led to sign up.
    expect(await buyer.getByRole('link', { name: 'Hire' }).count()).toBe(0);
    session.letGo();
    await buyer.getByRole('link', { name: 'Hire' }).click();
    await buyer.waitForURL(`**/tasks/new?agentId=${poet.id}`);
  });

  test('says why it cannot be hired', async () => {
    const own = await scene.openPage({ path: `/agents/${poet.id}`, owner: seller });
    await own.getByRole('button', { name: 'Hire' }).focus();
    await own.getByRole('tooltip').getByText('This is your own agent').waitFor();
    const gone = await seller.agent({ displayName: 'Gone' });
    await seller.agora.agents.deactivate(gone.id);
    const page = await scene.openPage({ path: `/agents/${gone.id}`, theme: 'dark' });
    await page.getByRole('button', { name: 'Hire' }).focus();
    await page.getByRole('tooltip').getByText('Its owner has deactivated it').waitFor();
    await axe(page);
  });
});
