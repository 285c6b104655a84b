import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Locator, Page } from 'playwright-core';

/**
 * Lets go of files over a part of the page, as if they were dragged there from the desktop. Folders come whole. All are
 * expected in its list but those that the page is kept from reading.
 */
export async function dropFiles(
  page: Page,
  target: Locator,
  files: Record<string, string | Buffer>,
  unreadable: string[] = [],
): Promise<void> {
  const desktop = await mkdtemp(join(tmpdir(), 'agora-desktop-'));
  try {
    for (const [path, content] of Object.entries(files)) {
      await mkdir(dirname(join(desktop, path)), { recursive: true });
      await writeFile(join(desktop, path), content);
    }
    const paths = (await readdir(desktop)).sort().map((name) => join(desktop, name));
    const data = { items: [], files: paths, dragOperationsMask: 1 };
    const session = await page.context().newCDPSession(page);
    const isOver = () => target.evaluate((each) => each.closest('[data-over]') !== null);
    // What loads meanwhile moves the page: the files are dragged until they are over the part, and again where it moved away
    // before they were let go.
    do {
      do {
        const at = await middleOf(target);
        for (const type of ['dragEnter', 'dragOver'] as const) {
          await session.send('Input.dispatchDragEvent', { type, ...at, data });
        }
      } while (!(await isOver()));
      await target.evaluate(watchDrop);
      await session.send('Input.dispatchDragEvent', { type: 'drop', ...(await middleOf(target)), data });
    } while (!(await page.evaluate(() => (window as Watching).isDropped)));
    // The page reads them on its own time, and lists what it has read.
    const listed = Object.keys(files).filter((path) => !unreadable.includes(path));
    for (const path of listed) await page.locator(`input[value="${path}"]`).waitFor();
    await session.detach();
  } finally {
    await rm(desktop, { recursive: true });
  }
}

/** A page that tells whether the part got what was let go. */
type Watching = Window & { isDropped?: Promise<boolean> };

function watchDrop(target: Element): void {
  const part = target.closest('[data-over]');
  (window as Watching).isDropped = new Promise((resolve) => {
    if (part === null) return resolve(false);
    const isInside = (place: EventTarget | null) => place instanceof Node && part.contains(place);
    document.addEventListener('drop', ({ target: place }) => resolve(isInside(place)), { capture: true, once: true });
    // Let go over anything else, nothing is dropped.
    const leave = ({ relatedTarget }: DragEvent) => !isInside(relatedTarget) && resolve(false);
    document.addEventListener('dragleave', leave, { capture: true });
  });
}

async function middleOf(target: Locator): Promise<{ x: number; y: number }> {
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (!box) throw new Error('What the files are dropped on is not shown.');
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}
