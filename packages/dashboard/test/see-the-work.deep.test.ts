import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { savedText } from './support/saved-text.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { doneWork } from './support/work.ts';

/** What a delivery changed, line by line, and what it brought, in its own shape. */

const scene = sceneForFile();
let work: Awaited<ReturnType<typeof doneWork>>;
beforeAll(async () => {
  work = await doneWork(scene);
});

const open = (search = '', width = 1280) =>
  scene.openPage({ path: `/tasks/${work.id}${search}`, owner: work.owner, width });
const file = (page: Page, path: string) => page.getByRole('group', { name: path, exact: true });
/** Links under the head of the page are no targets. */
const atTop = (page: Page) => page.evaluate(() => scrollTo(0, 0));
const lineOf = (page: Page) => new URL(page.url()).searchParams.get('line');

describe('the changes of a task', () => {
  test('are named in the result, and stand line by line in a tab of their own', async () => {
    const page = await open();
    const short = page.getByRole('region', { name: '8 changed files' });
    await short.getByRole('link', { name: 'src/cart.js' }).waitFor();
    await short.getByText('renamed · +0 −0').waitFor();
    await short.getByRole('link', { name: 'See the changes' }).click();

    const cart = file(page, 'src/cart.js');
    await cart.getByText('item.price * count').waitFor();
    await cart.getByText('// each once').waitFor();
    await page.getByText(`npx --no agora-market tasks apply ${work.id}`).waitFor();
    await page.getByRole('button', { name: 'Copy command that brings the changes in' }).waitFor();
    // Colours come when the words are there already.
    await expect.poll(() => cart.locator('.text-code-keyword', { hasText: 'return' }).count()).toBeGreaterThan(1);
    await file(page, 'notes/moved.txt').getByText('Renamed from assets/note.txt').waitFor();
    await file(page, 'src/legacy/rounding.js').getByText('Mode 100644 became 100755').waitFor();
    await page.getByRole('navigation', { name: 'Changed files' }).getByRole('button', { name: 'apple.png' }).click();
    const picture = file(page, 'web/apple.png');
    for (const [side, px] of [
      ['before', 64],
      ['after', 96],
    ] as const) {
      const image = picture.getByRole('img', { name: `web/apple.png ${side}` });
      await expect.poll(() => image.evaluate((each: HTMLImageElement) => each.naturalWidth)).toBe(px);
    }
    await file(page, 'web/pear.png').getByText('There was none.').waitFor();
    await axe(page);
    await shot(page, 'changes');
    const patch = await savedText(page, () => page.getByRole('button', { name: 'Patch' }).click());
    expect(patch).toContain('rename from assets/note.txt');
  });

  test('are found in a tree, with a filter, and folded', async () => {
    const page = await open('?tab=changes');
    const tree = page.getByRole('navigation', { name: 'Changed files' });
    await tree.getByRole('button', { name: 'cart.js' }).waitFor();
    await tree.getByRole('button', { name: 'legacy', exact: true }).click();
    await expect.poll(() => tree.getByRole('button', { name: 'rounding.js' }).count()).toBe(0);
    await page.getByLabel('Filter files').fill('round');
    await tree.getByRole('button', { name: 'rounding.js' }).click();
    expect(await tree.getByRole('button').count()).toBe(2);
    await expect.poll(() => lineOf(page)).toBe('src/legacy/rounding.js');
    await page.getByLabel('Filter files').fill('nothing has it');
    await page.getByText('No path has these letters.').waitFor();

    await page.getByRole('button', { name: 'Hide src/cart.js' }).click();
    await expect.poll(() => file(page, 'src/cart.js').getByText('item.price * count').count()).toBe(0);
    await page.getByRole('button', { name: 'Fold all files' }).click();
    await page.getByRole('button', { name: 'Show config/settings.yaml' }).waitFor();
    await page.getByRole('button', { name: 'Unfold all files' }).click();
    await file(page, 'src/cart.js').getByText('item.price * count').waitFor();
  });

  test('stand side by side, and do so again', async () => {
    const page = await open('?tab=changes');
    await page.getByRole('button', { name: 'Side by side' }).click();
    const [before, after] = [
      page.getByRole('group', { name: 'Lines of src/cart.js, before' }),
      page.getByRole('group', { name: 'Lines of src/cart.js, after' }),
    ];
    await before.getByText('// each once').waitFor();
    await after.getByText('item.price * count').waitFor();
    expect(await before.getByText('item.price * count').count()).toBe(0);
    // What replaces a line stands beside it.
    const tops = await Promise.all(
      [before.getByText('// each once'), after.getByText('item.price * count')].map(
        async (line) => (await line.boundingBox())?.y,
      ),
    );
    expect(tops[0]).toBe(tops[1]);
    await axe(page);
    await shot(page, 'changes-split');
    await page.reload();
    await after.getByText('item.price * count').waitFor();
  });

  test('are searched', async () => {
    const page = await open('?tab=changes');
    await file(page, 'src/cart.js').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('CURRENCY');
    const bar = page.locator('[data-filters]');
    await bar.getByText('3', { exact: true }).waitFor();
    await page.keyboard.press('Enter');
    await bar.getByText('1 of 3').waitFor();
    await page.keyboard.press('Shift+Enter');
    await bar.getByText('3 of 3').waitFor();
    expect(await page.locator('mark').first().textContent()).toMatch(/currency/i);
    await page.keyboard.type(' nowhere');
    await bar.getByText('None').waitFor();
  });

  test('have an address for each line, by mouse and by keyboard', async () => {
    const page = await open('?tab=changes');
    const cart = file(page, 'src/cart.js');
    const changed = cart.locator('[data-line]', { hasText: 'item.price * count' });
    await changed.waitFor();
    await cart.getByLabel('Link to line 14').first().click();
    await expect.poll(() => lineOf(page)).toMatch(/^src\/cart\.js:[LR]14$/);

    const lines = page.getByRole('group', { name: 'Lines of src/cart.js' });
    await lines.focus();
    const before = lineOf(page);
    await page.keyboard.press('ArrowDown');
    await expect.poll(() => lineOf(page)).not.toBe(before);

    // A page that opens at a line far down shows it and marks it.
    await page.goto(`tasks/${work.id}?tab=changes&line=${encodeURIComponent('src/money.js:R1')}`);
    const line = file(page, 'src/money.js').locator('[data-line]', { hasText: 'export const money' });
    await line.waitFor();
    await expect.poll(() => line.evaluate((element) => element.getBoundingClientRect().top < innerHeight)).toBe(true);
    await expect.poll(() => line.locator('..').getAttribute('class')).toContain('bg-accent-wash');
    await page.goto(`tasks/${work.id}?tab=changes&line=${encodeURIComponent('no/such/file:R9')}`);
    await cart.waitFor();
  });

  test('are in order on a phone', async () => {
    const page = await open('?tab=changes', 390);
    await page.getByRole('button', { name: 'Files', exact: true }).click();
    await page.getByRole('navigation', { name: 'Changed files' }).getByRole('button', { name: 'cart.js' }).click();
    await file(page, 'src/cart.js').getByText('item.price * count').waitFor();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
    await axe(page);
  });

  test('that are not kept as a patch are named', async () => {
    const page = await open();
    await page.route('**/changes?*', async (route) => {
      const reply = await route.fetch();
      const body = (await reply.json()) as { patch: { dropped: string | null } };
      body.patch.dropped = 'too_large';
      await route.fulfill({ response: reply, json: body });
    });
    await page.goto(`tasks/${work.id}?tab=changes`);
    await page.getByText('The patch is larger than this installation keeps.').waitFor();
    await page.getByText('was assets/note.txt').waitFor();
    expect(await page.getByRole('button', { name: 'Patch' }).count()).toBe(0);
  });
});

describe('what was delivered', () => {
  test('is Markdown in its shape, with nothing loaded, and raw one press away', async () => {
    const page = await open();
    const output = page.getByRole('region', { name: 'Output' });
    await output.getByText('The cart counts', { exact: true }).waitFor();
    await output.getByRole('cell', { name: 'two apples' }).waitFor();
    await output.getByRole('img', { name: 'Not done' }).waitFor();
    await output.getByRole('link', { name: 'https://example.com/iso-4217' }).waitFor();
    await output.getByText('Picture, not loaded: a chart').waitFor();
    await expect.poll(() => output.locator('.text-code-keyword', { hasText: 'const' }).count()).toBe(1);
    expect(await output.getByRole('heading').allTextContents()).toEqual(['Output']);
    await axe(page);
    await shot(page, 'result-markdown', output);
    await output.getByRole('button', { name: 'Raw' }).click();
    await output.getByText('# The cart counts').waitFor();
  });

  test('is a table, a tree, a log, code or a picture, by what it is', async () => {
    const page = await open();
    const files = page.getByRole('region', { name: '7 files' });
    const show = async (name: string) => {
      await files.getByRole('button', { name: `Show ${name}` }).click();
      return files.getByRole('group', { name, exact: true }).first();
    };

    const table = await show('report.json');
    await table.getByRole('cell', { name: 'case 99', exact: true }).waitFor();
    await table.getByText('Rows 1 to 100 of 1,234').waitFor();
    for (let press = 0; press < 12; press += 1) await table.getByRole('button', { name: 'Next' }).click();
    await table.getByRole('cell', { name: 'case 1233' }).waitFor();
    await table.getByText('Rows 1,201 to 1,234 of 1,234').waitFor();

    const tree = await show('nested.json');
    await tree.getByText('1057').waitFor();
    await tree.getByLabel('Search in the data').fill('NEEDLE');
    await tree.getByText('1 match').waitFor();
    await tree.getByRole('button', { name: '$["by file"]["cart.test.js"][2].deep.needle', exact: true }).click();
    await tree.getByText('found me').waitFor();
    await tree.getByRole('button', { name: 'Show all' }).click();

    const log = await show('run.log');
    await log.locator('.text-good', { hasText: '✓' }).waitFor();
    await log.locator('.text-bad', { hasText: 'other currencies' }).waitFor();
    await log.getByText('100%').waitFor();
    expect(await log.getByText('10%', { exact: true }).count()).toBe(0);

    const code = await show('helper.py');
    await code.locator('.text-code-keyword', { hasText: 'def' }).waitFor();
    const drawn = (await show('chart.svg')).getByRole('img', { name: 'chart.svg' });
    await expect.poll(() => drawn.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(120);
    const picture = (await show('apple.png')).getByRole('img', { name: 'apple.png' });
    await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(64);
    await atTop(page);
    await axe(page);
    await shot(page, 'result-files', files);
  });

  test('is a PDF, drawn page by page, with its words beside it', async () => {
    const page = await open();
    // The check mark is of a font that is the dashboard's own.
    const font = page.waitForResponse(/FoxitDingbats/);
    await page.getByRole('button', { name: 'Show summary.pdf' }).click();
    expect((await font).status()).toBe(200);
    const pdf = page.getByRole('group', { name: 'summary.pdf', exact: true }).first();
    const sheet = (number: number) => pdf.getByRole('img', { name: `Page ${number} of summary.pdf` });
    await expect.poll(() => inkOf(sheet(1))).toBeGreaterThan(200);
    const first = await inkOf(sheet(1));
    await atTop(page);
    await axe(page);
    await shot(page, 'result-pdf', pdf);

    const { width } = (await sheet(1).boundingBox())!;
    await pdf.getByRole('button', { name: 'Larger' }).click();
    await pdf.getByText('125%').waitFor();
    await expect.poll(async () => (await sheet(1).boundingBox())!.width).toBeCloseTo(width * 1.25, -1);
    await pdf.getByRole('button', { name: 'Smaller' }).click();

    await pdf.getByRole('button', { name: 'Next page' }).press('Enter');
    await expect.poll(() => inkOf(sheet(2))).not.toBe(first);
    const number = pdf.getByRole('spinbutton', { name: 'Page' });
    await number.fill('99');
    await number.press('Enter');
    await sheet(3).waitFor();
    await pdf.getByRole('button', { name: 'Text', exact: true }).click();
    await pdf.getByText('What is left').waitFor();
    expect(await pdf.getByText('The cart counts').count()).toBe(0);
    expect(await savedText(page, () => pdf.getByRole('button', { name: /^Download/ }).click())).toMatch(/^%PDF-1\.7/);
  });
});

/** How many points of a picture are dark. */
const inkOf = (drawn: Locator): Promise<number> =>
  drawn.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext('2d')!.getImageData(0, 0, canvas.width, canvas.height);
    let dark = 0;
    for (let at = 0; at < data.length; at += 4) if (data[at + 3]! > 0 && data[at]! < 100) dark += 1;
    return dark;
  });
