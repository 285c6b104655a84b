import type { Page } from 'playwright-core';
import { axe } from './axe.ts';

/** Most that a page may move by itself, as browsers reckon it. */
const mostShift = 0.05;

/** As browsers tell it; TypeScript does not know it yet. */
interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
  sources: { node: Node | null; previousRect: DOMRectReadOnly; currentRect: DOMRectReadOnly }[];
}

declare global {
  interface Window {
    /** What the page has moved by itself since it was begun. */
    shifts: { value: number; what: string }[];
    /** Requests that wait for their answer. */
    waiting: number;
  }
}

/** Has pages of this profile note what moves on them and what they wait for. Ask before the first page is opened. */
export async function watchLayout(page: Page): Promise<void> {
  await page.context().addInitScript(() => {
    window.shifts = [];
    window.waiting = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as LayoutShift[]) {
        if (entry.hadRecentInput) continue;
        const what = entry.sources
          .map(({ node, previousRect, currentRect }) => {
            const from = `${Math.round(previousRect.x)},${Math.round(previousRect.y)}`;
            return `${node?.textContent?.slice(0, 40)} (${from} to ${Math.round(currentRect.x)},${Math.round(currentRect.y)})`;
          })
          .join(' | ');
        window.shifts.push({ value: entry.value, what });
      }
    }).observe({ type: 'layout-shift' });
    const send = window.fetch.bind(window);
    window.fetch = (...asked) => {
      // A stream stays open as long as its task.
      if (String(asked[0] instanceof Request ? asked[0].url : asked[0]).includes('/stream')) return send(...asked);
      window.waiting++;
      return send(...asked).finally(() => window.waiting--);
    };
  });
}

/** Goes to a place within the page's own program. */
export const goInside = (page: Page, path: string): Promise<void> =>
  page.evaluate((to) => {
    window.shifts = [];
    history.pushState(null, '', to);
  }, path);

/** Waits until nothing loads and nothing is about to: for some frames in a row. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    // A page without a heading is the shape of one that comes.
    const isBusy = () =>
      window.waiting > 0 || !document.querySelector('h1') || document.querySelector('[role=progressbar]');
    for (let calm = 0; calm < 6; ) {
      await new Promise(requestAnimationFrame);
      calm = isBusy() ? 0 : calm + 1;
    }
  });
}

/** How far the page has moved by itself since it was asked for; null if it may pass for still. */
export const movedOf = (page: Page): Promise<string | null> =>
  page.evaluate((most) => {
    const moved = window.shifts.reduce((sum, { value }) => sum + value, 0);
    const what = window.shifts.map((shift) => shift.what).join(' · ');
    return moved > most ? `${location.pathname}${location.search} moves by ${moved.toFixed(3)}: ${what}` : null;
  }, mostShift);

/** What is wrong with the page that is shown: one line each. Ends in the colours in which it began. */
export async function faultsOf(page: Page): Promise<string[]> {
  const faults = await page.evaluate(() => {
    const found: string[] = [];
    const headings = [...document.querySelectorAll('h1')].map((heading) => heading.textContent);
    if (headings.length !== 1) found.push(`has ${headings.length} headings of the first rank`);
    // The landing page alone has a sentence for a heading, and a title for search engines.
    const isNamed = document.title === `${headings[0]} · Agora` || document.title.startsWith('Agora: ');
    if (!isNamed) found.push(`is titled “${document.title}”, not “${headings[0]}”`);
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth > clientWidth) found.push(`is ${scrollWidth - clientWidth} px wider than the window`);
    return found;
  });
  await axe(page).catch((error: Error) => faults.push(error.message));
  return faults.map((fault) => `${new URL(page.url()).pathname}${new URL(page.url()).search} ${fault}`);
}

/** What is wrong for those who came to a page by its address and use the keyboard. */
export async function keyboardFaultsOf(page: Page): Promise<string[]> {
  await page.keyboard.press('Tab');
  const skip = page.getByRole('button', { name: 'Skip to the page' });
  const first = await skip.evaluate(
    (link) => link === document.activeElement && link.getBoundingClientRect().height > 20,
  );
  await page.keyboard.press('Tab');
  const isSeen = await page.evaluate(() => {
    const { outlineStyle, outlineWidth } = getComputedStyle(document.activeElement!);
    return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
  });
  return [
    ...(first ? [] : [`${page.url()}: the first Tab does not show the link to skip to the page`]),
    ...(isSeen ? [] : [`${page.url()}: focus cannot be seen after the second Tab`]),
  ];
}
