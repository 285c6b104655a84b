import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { injected } from './support/injected.ts';
import { corpus, payloads } from './support/payloads.ts';
import { sceneForFile } from './support/scene.ts';
import { type Strangers, shapes, strangersFor } from './support/strangers.ts';

/**
 * What strangers write is shown as text, on every page that shows it and to both sides. The scene fails a test on any
 * breach of the page's policy; here, besides, nothing may have run, asked or been built from it.
 */

const scene = sceneForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });
const endpoint = createServer((_request, response) => void response.writeHead(500).end(corpus));
let world: Strangers;

beforeAll(async () => {
  await new Promise<void>((listening) => endpoint.listen(0, '127.0.0.1', listening));
  world = await strangersFor(scene, `http://127.0.0.1:${(endpoint.address() as AddressInfo).port}/hook`);
});
afterAll(() => {
  endpoint.closeAllConnections();
  endpoint.close();
});

/** Opens each address, waits until it has loaded, unfolds what is folded, and gives what should not be there. */
async function lookAt(page: Page, places: readonly (readonly [path: string, shows?: string])[]): Promise<string[]> {
  const faults: string[] = [];
  page.on('dialog', (dialog) => {
    faults.push(`${page.url()}: a dialog says ${dialog.message()}`);
    void dialog.dismiss();
  });
  for (const [path, shows] of places) {
    await page.goto(path);
    await page.getByRole('heading', { level: 1 }).waitFor();
    if (shows !== undefined) await page.getByText(shows).filter({ visible: true }).first().waitFor();
    await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
    await page.evaluate(() => {
      for (const details of document.querySelectorAll('details')) details.open = true;
    });
    faults.push(...(await injected(page)).map((each) => `${path}: ${each}`));
  }
  return faults;
}

const [name] = payloads as [string];
const worst = payloads[11]!;

describe('what strangers wrote', () => {
  test('there is enough of it', () => {
    expect(new Set(payloads).size).toBeGreaterThanOrEqual(60);
    expect(payloads.filter((each) => each.length > 100)).toEqual([]);
  });

  test('is text to a visitor, in every list to its end', async () => {
    const page = await scene.openPage();
    const faults = await lookAt(page, [
      ['', undefined],
      ['agents', name],
      [`agents/${world.agent.id}`, worst],
      [`agents?q=${encodeURIComponent(worst)}`],
      [`agents?category=${encodeURIComponent(worst)}`],
      [`sign-in?to=${encodeURIComponent('javascript:alert(1)')}`],
    ]);
    await page.goto('agents');
    const more = page.getByRole('button', { name: 'Show more' });
    const rows = page.getByRole('list', { name: 'Agents' }).getByRole('listitem');
    for (let shown = 0; shown <= payloads.length; shown = await rows.count()) {
      if (shown > 0) await more.click();
      await expect.poll(() => rows.count()).toBeGreaterThan(shown);
    }
    expect([...faults, ...(await injected(page))]).toEqual([]);
  });

  test('is text to a buyer', async () => {
    const { disputed, failed, waiting } = world.tasks;
    const page = await scene.openPage({ owner: world.buyer });
    const tabs = ['', '?tab=result', '?tab=assessment', '?tab=receipt', '?tab=activity', '?tab=log', '?tab=routing'];
    const faults = await lookAt(page, [
      [''],
      ['tasks', name],
      ...tabs.map((tab) => [`tasks/${disputed}${tab}`] as const),
      [`tasks/${failed}`, worst],
      [`tasks/${waiting}`],
      [`tasks/new?agentId=${world.agent.id}`],
      [`tasks/new?from=${disputed}`],
      ['courts'],
      [`courts/${world.disputeId}`],
      ['approvals'],
      [`approvals/${world.approvalId}`],
      ['notifications'],
      ['audit'],
      ['policies'],
      ['vault'],
      ['vault?tab=transactions'],
      ['trust'],
      ['settings'],
    ]);
    expect(faults).toEqual([]);
  });

  test('is text in every shape that a page gives it: Markdown, data, logs, code, drawings, PDF, changes', async () => {
    const { shaped } = world.tasks;
    const page = await scene.openPage({ owner: world.buyer });
    const foreign: string[] = [];
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== new URL(scene.server.url).origin && !['data:', 'blob:'].includes(protocol))
        foreign.push(request.url());
    });
    const faults = await lookAt(page, [[`tasks/${shaped}`, 'Picture, not loaded: a']]);
    for (const path of Object.keys(shapes)) {
      await page.getByRole('button', { name: `Show ${path}` }).click();
      const file = page.getByRole('group', { name: path, exact: true }).first();
      await expect.poll(() => file.locator('.skeleton').count()).toBe(0);
    }
    const pdf = page.getByRole('group', { name: 'corpus.pdf', exact: true }).first();
    for (const number of [1, 2]) {
      if (number > 1) await pdf.getByRole('button', { name: 'Next page' }).click();
      const drawn = pdf.getByRole('img', { name: `Page ${number} of corpus.pdf` });
      await drawn.click({ position: { x: 200, y: 200 } });
      expect(await pdf.locator('a, form, iframe, input:not([type=number])').count()).toBe(0);
      await pdf.getByRole('button', { name: 'Text', exact: true }).click();
      await pdf.getByText(name).first().waitFor();
      await pdf.getByRole('button', { name: 'Page', exact: true }).click();
    }
    await page.getByText('This is no PDF that can be read here.').waitFor();
    await page.getByRole('group', { name: 'keys.json', exact: true }).getByLabel('Search in the data').fill('alert');
    await page.getByText(/the first 200 are here|\d+ matches/).waitFor();
    expect([...faults, ...(await injected(page))]).toEqual([]);
    // A link is one that is shown in full, and leads to https alone.
    const links = await page
      .locator('main a[target=_blank]')
      .evaluateAll((all) => all.map((link) => [link.textContent, (link as HTMLAnchorElement).getAttribute('href')]));
    expect(links.length).toBeGreaterThan(0);
    for (const [text, href] of links) expect([text, href?.startsWith('https://')]).toEqual([href, true]);

    for (const way of ['Unified', 'Side by side']) {
      await page.goto(`tasks/${shaped}?tab=changes`);
      await page.getByRole('navigation', { name: 'Changed files' }).getByRole('button').nth(5).waitFor();
      await page.getByRole('button', { name: way }).click();
      await page.getByLabel('Search in the changes').fill('alert');
      await page
        .locator('[data-filters]')
        .getByText(/^[1-9]\d*$/)
        .waitFor();
      for (let nth = 0; nth < 10; nth += 1) {
        await page.keyboard.press('Enter');
        await page.evaluate(() => scrollBy(0, 2_000));
        expect(await injected(page)).toEqual([]);
      }
    }
    expect(foreign).toEqual([]);
  });

  test('is text to a seller', async () => {
    const page = await scene.openPage({ owner: world.seller });
    const own = `my-agents/${world.agent.id}`;
    const faults = await lookAt(page, [
      [''],
      ['my-agents', name],
      [own, name],
      [`${own}?tab=edit`],
      [`${own}?tab=webhooks`, '/hook'],
      [`${own}?tab=webhooks&webhook=${world.webhookId}`, 'What it said'],
      [`${own}?tab=model`, name],
      [`${own}?tab=danger`],
      ['courts'],
      [`courts/${world.disputeId}`],
      ['vault'],
      ['vault?tab=wallets'],
      ['notifications'],
      ['audit'],
      ['trust', payloads[5]!.slice(0, 10)],
      ['developer', name],
      ['developer?tab=mail'],
      ['settings?tab=data'],
    ]);
    expect(faults).toEqual([]);
  });

  test('would be found, if it were not text', async () => {
    const page = await scene.openPage();
    page.on('dialog', (dialog) => void dialog.dismiss());
    await page.evaluate((all) => {
      for (const each of all) document.body.insertAdjacentHTML('beforeend', `<div>${each}</div>`);
    }, payloads);
    const found = await injected(page);
    expect(found.length).toBeGreaterThan(50);
    await expect.poll(() => scene.takeFaults().some((fault) => /The policy forbids inline/.test(fault))).toBe(true);
    await page.close();
    scene.takeFaults();
  });
});
