import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { operatorToken } from '../../server/test/support/harness.ts';
import { type Market, marketFor } from './support/market.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { faultsOf, goInside, keyboardFaultsOf, movedOf, settled, watchLayout } from './support/sweep.ts';

/**
 * What holds on every page and every tab, in both themes, at a desk and on a phone: one heading, a title of its own, open
 * to everybody, no wider than its window, nothing that jumps, no error.
 */

const scene = sceneForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
let market: Market;

beforeAll(async () => {
  market = await marketFor(scene);
});

/** Every route of the router, and the addresses at which it is looked at. Tabs are found on the pages. */
const forAll: Record<string, () => string[]> = {
  '/': () => [''],
  '/agents': () => ['agents', 'agents?q=nobody-is-called-so'],
  '/agents/compare': () => ['agents/compare', `agents/compare?ids=${market.agent.id}`],
  '/agents/$agentId': () => [`agents/${market.agent.id}`],
  '/design': () => ['design'],
};
const forVisitors: Record<string, () => string[]> = {
  '/sign-up': () => ['sign-up'],
  '/sign-in': () => ['sign-in'],
  '/forgot-password': () => ['forgot-password'],
  '/reset-password': () => ['reset-password'],
  '/verify-email': () => ['verify-email'],
};
const forOwners: Record<string, () => string[]> = {
  '/tasks': () => ['tasks'],
  '/tasks/new': () => ['tasks/new'],
  '/tasks/$taskId': () => [
    ...Object.values(market.tasks).map((id) => `tasks/${id}`),
    `tasks/new?from=${market.tasks.disputed}`,
  ],
  '/inbox': () => ['inbox'],
  '/schedules': () => ['schedules', 'schedules?tab=templates'],
  '/schedules/new': () => ['schedules/new'],
  '/schedules/$scheduleId': () => [`schedules/${market.scheduleId}`],
  '/jobs': () => ['jobs'],
  '/jobs/$taskId': () => [`jobs/${market.soldTask}`],
  '/my-agents': () => ['my-agents'],
  '/my-agents/new': () => ['my-agents/new'],
  '/my-agents/$agentId': () => [
    `my-agents/${market.agent.id}`,
    `my-agents/${market.agent.id}?tab=webhooks&webhook=${market.webhookId}`,
  ],
  '/vault': () => ['vault'],
  '/courts': () => ['courts'],
  '/courts/$disputeId': () => [`courts/${market.disputeId}`],
  '/approvals': () => ['approvals'],
  '/approvals/$approvalId': () => [`approvals/${market.approvalId}`],
  '/policies': () => ['policies', `policies?agentId=${market.agent.id}`],
  '/audit': () => ['audit'],
  '/notifications': () => ['notifications'],
  '/trust': () => ['trust'],
  '/developer': () => ['developer'],
  '/settings': () => ['settings', 'settings?tab=webhooks'],
};
const forOperators: Record<string, () => string[]> = { '/operator': () => ['operator'] };

const addressesOf = (...lists: Record<string, () => string[]>[]) =>
  lists.flatMap((list) => Object.values(list).flatMap((addresses) => addresses()));

test('every route of the router is in the sweep', () => {
  const source = readFileSync(new URL('../src/app/router.tsx', import.meta.url), 'utf8');
  const routes = [...source.matchAll(/\.\.\.(?:open|own)\('([^']+)'\)/g)].map(([, path]) => path);
  expect(routes.length).toBeGreaterThan(20);
  const swept = Object.keys({ ...forAll, ...forVisitors, ...forOwners, ...forOperators });
  expect(swept.sort()).toEqual(routes.sort());
});

const widths = { desk: 1280, phone: 390 };

/** Looks at all addresses and at every tab of theirs, one after the other within the page's program. */
async function sweep(page: Page, addresses: string[]): Promise<string[]> {
  const faults: string[] = [];
  const isTab = new Set<string>();
  const wanted = addresses.map((address) => new URL(address, scene.server.url).href);
  for (const address of wanted) {
    await goInside(page, address);
    await settled(page);
    // Who presses a tab waits for what it shows; a page that comes by itself must not move.
    const moved = isTab.has(address) ? null : await movedOf(page);
    faults.push(...(await faultsOf(page)), ...(moved ? [moved] : []));
    const tabs = page.locator('main nav a');
    for (const tab of await tabs.evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href))) {
      if (wanted.includes(tab)) continue;
      wanted.push(tab);
      isTab.add(tab);
    }
  }
  return faults;
}

async function open(options: Parameters<typeof scene.openPage>[0] = {}): Promise<Page> {
  const page = await scene.openPage(options);
  await watchLayout(page);
  await page.reload();
  return page;
}

describe.each(Object.entries(widths))('at a %s', (_place, width) => {
  test('every page of a visitor is in order', async () => {
    const page = await open({ width });
    expect(await sweep(page, addressesOf(forAll, forVisitors))).toEqual([]);
  });

  test('every page of an owner is in order', async () => {
    const page = await open({ width, owner: market.owner });
    expect(await sweep(page, addressesOf(forAll, forOwners))).toEqual([]);
  });

  test('every page of the operator is in order', async () => {
    const page = await open({ width, owner: market.owner, path: 'operator' });
    await page.getByLabel('Operator token').fill(operatorToken);
    await page.getByRole('button', { name: 'Open' }).click();
    await page.getByRole('navigation', { name: 'Parts of the operator area' }).waitFor();
    expect(await sweep(page, addressesOf(forOperators))).toEqual([]);
  });
});

test('the keyboard first reaches the way past the head, and its focus is seen', async () => {
  const visitor = await scene.openPage();
  const owner = await scene.openPage({ owner: market.owner });
  const faults: string[] = [];
  for (const [page, paths] of [
    [visitor, ['', 'agents', 'sign-in', 'design']],
    [owner, ['', 'tasks', 'policies', 'operator']],
  ] as const) {
    for (const path of paths) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
      if (path === 'design' || path === 'policies') await shot(page, path);
      faults.push(...(await keyboardFaultsOf(page)));
    }
  }
  expect(faults).toEqual([]);
});

test('what is not there, and what is somebody else’s, has a page with a way on', async () => {
  const stranger = await scene.server.owner({ credits: 0 });
  const page = await scene.openPage({ owner: stranger, path: 'no/such/page' });
  await page.getByText('There is no page at this address.').waitFor();
  await shot(page, 'not-found');
  const places: [string, string | RegExp][] = [
    [`tasks/${market.tasks.disputed}`, 'You have no access to this.'],
    [`courts/${market.disputeId}`, 'You have no access to this.'],
    [`approvals/${market.approvalId}`, 'You have no access to this.'],
    [`my-agents/${market.agent.id}`, 'No agent of yours has this address'],
    [`jobs/${market.soldTask}`, 'None of your agents has this task'],
    ['tasks/tsk_01jxyz3k9mf5t8v2q7h4n6p0rs', /No such task/],
    ['agents/nobody', /No such agent/],
    [`schedules/${market.scheduleId}`, /No such schedule/],
  ];
  const faults: string[] = [];
  await watchLayout(page);
  for (const [path, says] of places) {
    await page.goto(path);
    await page.getByText(says).waitFor();
    faults.push(...(await faultsOf(page)));
    await page.getByRole('main').getByRole('link').last().waitFor();
  }
  expect(faults).toEqual([]);
  await page.goto('no/such/page');
  await page.getByRole('link', { name: 'To the start' }).click();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
});
