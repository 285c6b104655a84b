import axeCore from 'axe-core';
import type { Page } from 'playwright-core';

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/** Throws if the page, as it is now, keeps anybody out who does not see or use it as most do, in light or in dark. */
export async function axe(page: Page): Promise<void> {
  // A page that still loads has no heading yet, after a reload for instance; one without a heading fails here.
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  // The debugger's own way in, which the page's policy does not forbid.
  await page.evaluate(axeCore.source);
  const theme = await page.evaluate(() => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'));
  await look(page, { type: 'tag', values: rules });
  // The other theme differs in its colours alone.
  await page.emulateMedia({ colorScheme: theme === 'dark' ? 'light' : 'dark' });
  await look(page, { type: 'rule', values: ['color-contrast'] });
  await page.emulateMedia({ colorScheme: theme });
}

async function look(page: Page, runOnly: axeCore.RunOnly): Promise<void> {
  const { violations } = await page.evaluate(
    (only) => window.axe.run(document, { runOnly: only, resultTypes: ['violations'] }),
    runOnly,
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
