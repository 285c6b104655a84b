/// <reference lib="dom" />
import type { Page } from 'playwright-core';
import { largeCount, largeName, largePatch } from './large-patch.ts';
import { countLongTasks, move, type Scrolled, watched } from './scroll.ts';

export interface DiffFigures {
  files: number;
  bytes: number;
  /** From the press that opens the change until its first file is there. */
  opening: Scrolled;
  /** While it is scrolled, searched and folded. */
  moving: Scrolled;
}

/** Answers in the server's place, on the page of a task with a change, as if that were the large one. */
export async function withLargePatch(page: Page): Promise<number> {
  const patch = largePatch();
  await page.route('**/changes?*', async (route) => {
    const reply = await route.fetch();
    const body = (await reply.json()) as { total: object; patch: object };
    await route.fulfill({
      response: reply,
      json: {
        ...body,
        total: { files: largeCount, added: 12 * largeCount, removed: 12 * largeCount },
        patch: { ...body.patch, sizeBytes: patch.length },
      },
    });
  });
  await page.route('**/changes/patch', (route) =>
    route.fulfill({ contentType: 'application/octet-stream', body: patch }),
  );
  return patch.length;
}

/** Opens a change of 2,000 files and 5 MB on the page of this task, and goes through it. */
export async function readLargeChange(page: Page, taskUrl: string): Promise<DiffFigures> {
  await page.addInitScript(countLongTasks);
  const bytes = await withLargePatch(page);
  await page.goto(taskUrl);
  const link = page.getByRole('link', { name: 'See the changes' });
  await link.waitFor();
  await page.waitForTimeout(1_000);
  const opening = await watched(page, async () => {
    await link.click();
    await page
      .getByRole('group', { name: largeName(0), exact: true })
      .getByText('new_0')
      .waitFor();
    await page.locator('.text-code-keyword').first().waitFor();
  });
  const moving = await watched(page, async () => {
    await move(page);
    await page.getByLabel('Search in the changes').fill('new_7');
    await page.getByText('2,000', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Fold all files' }).click();
    await page.getByRole('button', { name: 'Unfold all files' }).click();
  });
  return { files: largeCount, bytes, opening, moving };
}
