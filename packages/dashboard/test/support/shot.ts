import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const directory = fileURLToPath(new URL('../../../../docs/screenshots/', import.meta.url));

const views = [
  { suffix: 'light', colorScheme: 'light', width: 1280, height: 800 },
  { suffix: 'dark', colorScheme: 'dark', width: 1280, height: 800 },
  { suffix: 'phone', colorScheme: 'light', width: 390, height: 844 },
] as const;

/**
 * With SCREENSHOTS=1 writes `docs/screenshots/NAME-light.png`, `-dark.png` and `-phone.png` of the whole page, and leaves
 * it light and wide. Without, it does nothing.
 */
export async function shot(page: Page, name: string): Promise<void> {
  if (process.env.SCREENSHOTS !== '1') return;
  for (const { suffix, colorScheme, ...size } of views) {
    await show(page, colorScheme, size);
    await page.screenshot({ path: `${directory}${name}-${suffix}.png`, fullPage: true, animations: 'disabled' });
  }
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
    await document.fonts.ready;
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
  });
}
