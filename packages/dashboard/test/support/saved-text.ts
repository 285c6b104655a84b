import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';

/** What the file contains that the page gives its visitor to save when `act` is done. */
export async function savedText(page: Page, act: () => Promise<void>): Promise<string> {
  const saved = page.waitForEvent('download');
  await act();
  return text(await (await saved).createReadStream());
}
