import { fileURLToPath } from 'node:url';
import type { Locator, Page } from 'playwright-core';

const directory = fileURLToPath(new URL('../../screenshots/', import.meta.url));

const views = [
  { suffix: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { suffix: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { suffix: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

const isWanted = process.env.SCREENSHOTS === '1';

/**
 * With SCREENSHOTS=1 writes `NAME-light.png`, `-dark.png` and `-phone.png` to `packages/dashboard/screenshots/`, and leaves the
 * page light and wide. Without, it does nothing. Shown is the whole page, the window where a dialog is over it, or a part.
 */
export async function shot(page: Page, name: string, part?: Locator): Promise<void> {
  if (!isWanted) return;
  // Nothing is pointed at, and what comes beside the page has come.
  await page.mouse.move(0, 0);
  await page.waitForTimeout(500);
  for (const { suffix, colorScheme, ...size } of views) {
    await show(page, colorScheme, size);
    const height = await page.evaluate(heightOf);
    // The window grows to the page, so that what is as high as the window is so in the picture.
    if (height > size.height) await show(page, colorScheme, { ...size, height });
    await (part ?? page).screenshot({ path: `${directory}${name}-${suffix}.png`, animations: 'disabled' });
  }
  await show(page, 'light', views[0]);
}

/** Of the page, or 0 under a dialog. Room for a scrollbar is given up, for the pictures have none. */
const heightOf = (): number => {
  document.documentElement.style.scrollbarGutter = 'auto';
  return document.querySelector('dialog:modal') ? 0 : document.documentElement.scrollHeight;
};

/** With SCREENSHOTS=1 writes `NAME-print.png` there, of the page as a printer gets it, on A4. */
export async function shotOfPrint(page: Page, name: string): Promise<void> {
  if (!isWanted) return;
  await show(page, 'light', { width: 794, height: 1123 });
  await page.screenshot({ path: `${directory}${name}-print.png`, fullPage: true });
  await show(page, 'light', views[0]);
}

async function show(
  page: Page,
  colorScheme: 'light' | 'dark',
  { width, height }: { width: number; height: number },
): Promise<void> {
  await page.emulateMedia({ colorScheme });
  await page.setViewportSize({ width, height });
  // Fonts have come, and what measures itself has done so again.
  await page.evaluate(async () => {
    // What sticks to the top of the window would else stand in the middle of the whole page.
    scrollTo(0, 0);
    await document.fonts.ready;
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}
