import { expect, test } from 'vitest';
import { withLargePatch } from '../../../bench/src/dashboard/diff.ts';
import { largeCount, largeName } from '../../../bench/src/dashboard/large-patch.ts';
import { sceneForFile } from './support/scene.ts';
import { doneWork } from './support/work.ts';

/** A change of 2,000 files and 5 MB is read, scrolled and searched, and only what is seen of it is in the page. */

const scene = sceneForFile();

test('a change of 2,000 files and 5 MB is shown, scrolled, searched and folded', async () => {
  const { owner, id } = await doneWork(scene);
  const page = await scene.openPage({ owner });
  expect(await withLargePatch(page)).toBeGreaterThan(5_000_000);
  await page.goto(`tasks/${id}`);
  await page.getByRole('link', { name: 'See the changes' }).waitFor();
  await expect.poll(() => page.locator('[aria-busy=true]').count()).toBe(0);
  const file = (nth: number) => page.getByRole('group', { name: largeName(nth), exact: true });

  await page.getByRole('link', { name: 'See the changes' }).click();
  await file(0).getByText('new_0').waitFor();
  await page.locator('.text-code-keyword').first().waitFor();

  const drawn = () => page.locator('[data-line]').count();
  expect(await drawn()).toBeLessThan(1_000);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  expect(height).toBeGreaterThan(largeCount * 700);
  for (let nth = 0; nth < 60; nth += 1) {
    await page.mouse.move(900, 500);
    await page.mouse.wheel(0, 600);
  }
  for (let nth = 1; nth <= 20; nth += 1) await page.evaluate((top) => scrollTo(0, top), (height * nth) / 20);
  await file(largeCount - 1)
    .getByText('new_11')
    .waitFor();

  await page.getByLabel('Search in the changes').fill('new_7');
  await page.getByText('2,000', { exact: true }).waitFor();
  for (let nth = 0; nth < 5; nth += 1) await page.keyboard.press('Enter');
  await page.getByText('5 of 2,000').waitFor();
  await file(4).locator('mark').first().waitFor();

  await page.getByRole('button', { name: 'Side by side' }).click();
  await page.getByRole('group', { name: `Lines of ${largeName(4)}, after` }).waitFor();
  await page.getByRole('button', { name: 'Unified' }).click();
  await page.getByRole('group', { name: `Lines of ${largeName(4)}`, exact: true }).waitFor();

  await page.getByLabel('Filter files').fill('file-1999');
  await page.getByRole('button', { name: 'file-1999' }).click();
  await file(1_999).getByText('new_11').waitFor();

  await page.getByRole('button', { name: 'Fold all files' }).click();
  await page.getByRole('button', { name: 'Unfold all files' }).click();
  expect(await drawn()).toBeLessThan(1_000);
});
