import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';

/** What the file contains that the page gives its visitor to save when `act` is done. */
export async function savedText(page: Page, act: () => Promise<void>): Promise<string> {
  const [saved] = await Promise.all([page.waitForEvent('download'), act()]);
  return text(await saved.createReadStream());
}
