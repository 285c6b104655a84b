/// <reference lib="dom" />
import type { Page } from 'playwright-core';

export interface InteractionFigures {
  /** From the opening of the list until its first row is drawn, in ms, each time. */
  firstRow: number[];
  /** From each press of a key or the mouse to the next paint, in ms, as the browser tells the page (Event Timing). */
  toNextPaint: number[];
}

declare global {
  interface Window {
    firstRowMs?: number;
    presses: Map<number, number>;
  }
  interface Performance {
    readonly interactionCount: number;
  }
}

/** The shortest time that the browser tells of. */
const toldFromMs = 16;

/** Opens the list of tasks again and again, and goes by mouse and keys through the pages that an owner uses most. */
export async function useThePages(page: Page, url: string, rounds: number): Promise<InteractionFigures> {
  await page.addInitScript(listen, toldFromMs);
  const firstRow: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await page.goto(`${url}/tasks`);
    firstRow.push((await (await page.waitForFunction(() => window.firstRowMs)).jsonValue()) as number);
  }
  for (let round = 0; round < rounds; round++) await walk(page);
  const { told, count } = await page.evaluate(() => ({
    told: [...window.presses.values()],
    count: performance.interactionCount,
  }));
  const quick = Array.from({ length: Math.max(0, count - told.length) }, () => toldFromMs);
  return { firstRow, toNextPaint: [...told, ...quick] };
}

function listen(fromMs: number): void {
  window.presses = new Map();
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as PerformanceEventTiming[]) {
      const longest = Math.max(entry.duration, window.presses.get(entry.interactionId) ?? 0);
      if (entry.interactionId > 0) window.presses.set(entry.interactionId, longest);
    }
  });
  observer.observe({ type: 'event', durationThreshold: fromMs, buffered: true } as PerformanceObserverInit);
  const look = () => {
    if (document.querySelector('a[data-task]')) window.firstRowMs = performance.now();
    else requestAnimationFrame(look);
  };
  if (location.pathname.endsWith('/tasks')) requestAnimationFrame(look);
}

async function walk(page: Page): Promise<void> {
  const go = (place: string) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: place, exact: true }).click();
  const row = page.locator('a[data-task]');
  await go('Tasks');
  await row.first().waitFor();
  const search = page.getByLabel('Search');
  await search.click();
  await search.pressSequentially('tests of module', { delay: 60 });
  await page.waitForURL(/[?&]q=/);
  await row.first().waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.getByRole('button', { name: 'More filters' }).click();
  await page.locator('body').press('j');
  for (let nth = 0; nth < 5; nth++) await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/tasks\/tsk_/);
  const tabs = page.getByRole('navigation', { name: 'Parts of the task' });
  for (const tab of await tabs.getByRole('link').all()) await tab.click();
  await page.keyboard.press('?');
  await page.keyboard.press('Escape');
  for (const place of ['Overview', 'Vault', 'Approvals', 'Browse agents', 'Schedules']) {
    await go(place);
    await page.getByRole('heading', { level: 1 }).first().waitFor();
  }
}
