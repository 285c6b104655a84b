import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Throws if the page, as it is now, keeps anybody out who does not see or use it as most do. */
export async function axe(page: Page): Promise<void> {
  // The debugger's own way in, which the page's policy does not forbid.
  await page.evaluate(axeCore.source);
  const { violations } = await page.evaluate(
    (values) => window.axe.run(document, { runOnly: { type: 'tag', values }, resultTypes: ['violations'] }),
    rules,
  );
  if (violations.length === 0) return;
  const lines = violations.flatMap(({ id, help, nodes }) => [
    `${id}: ${help}`,
    ...nodes.map(({ target, failureSummary }) => `  ${target.join(' ')}: ${failureSummary?.replaceAll('\n', ' ')}`),
  ]);
  throw new Error(`${page.url()} has ${violations.length} violations:\n${lines.join('\n')}`);
}

declare global {
  interface Window {
    axe: typeof axeCore;
  }
}
