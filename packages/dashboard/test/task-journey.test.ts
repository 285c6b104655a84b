import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axe } from './support/axe.ts';
import { description, heldOut, logLines, project, repairsMedian, rightLine, wrongLine } from './support/median.ts';
import { savedText } from './support/saved-text.ts';
import { sceneForFile } from './support/scene.ts';
import { shot, shotOfPrint } from './support/shot.ts';
import { signUp } from './support/sign-up.ts';

/** A buyer's whole way: from a visitor to a repaired project, paid, proved, and refunded after all. */

const scene = sceneForFile();

test('a visitor buys a repair, follows it, reads and proves what came, and gets the money back', async () => {
  const { letGo, told } = held();
  await scene.workingAgent({ fields: named('Mender', 800), handle: repairsMedian(told) });
  await scene.workingAgent({ fields: named('Patchwork', 1_500) });

  const page = await scene.openPage();
  await page.getByRole('link', { name: 'Create an account' }).first().click();
  await signUp(page);
  await topUp(page);
  await describeTask(page);
  await tryChecks(page);
  await readQuote(page);
  await submit(page);

  await watch(page, letGo);
  await readResult(page);
  await readChanges(page);
  await readFiles(page);
  await readFilesByPage(page);
  await readAssessment(page);
  await readRouting(page);
  await proveReceipt(page);
  await refund(page);
});

const named = (displayName: string, baseRate: number) => ({
  ...{ displayName, capabilities: [{ category: 'bug_fix' as const, tags: ['javascript'] }] },
  pricing: { model: 'per_task' as const, baseRate, currency: 'USD' as const },
});

/** What somebody waits for until it is let go. */
function held() {
  let letGo = () => {};
  const told = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { letGo, told };
}

async function topUp(page: Page): Promise<void> {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vault' }).click();
  await page.getByRole('navigation', { name: 'Parts of the vault' }).getByRole('link', { name: 'Top up' }).click();
  await page.getByRole('button', { name: 'Add card' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Save card' }).click();
  await page.getByText('Visa •••• 4242 saved.').waitFor();
  await page.getByRole('button', { name: 'US$50', exact: true }).click();
  await page.getByRole('button', { name: 'Top up US$50.00' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Pay US$50.00' }).click();
  await page.getByText('US$50.00 added. The pool has US$50.00.').waitFor();
}

/** Files by the dialog of the browser; dropped ones are tried with the form. */
async function chooseFiles(page: Page, label: string, files: Record<string, string>): Promise<void> {
  const given = Object.entries(files).map(([name, text]) => ({
    ...{ name, mimeType: 'text/plain' },
    buffer: Buffer.from(text),
  }));
  await page.locator('label', { hasText: label }).locator('input[type=file]').setInputFiles(given);
  for (const { name } of given) await page.locator(`input[value="${name}"]`).waitFor();
}

async function describeTask(page: Page): Promise<void> {
  await page.keyboard.press('n');
  await page.getByRole('heading', { level: 1, name: 'New task' }).waitFor();
  await axe(page);
  await page.getByLabel('Type of task').selectOption('Bug fix');
  await page.getByLabel('Description').fill(description);
  await chooseFiles(page, 'Add files', project);
  await page.getByRole('button', { name: 'Add a check' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Held-out tests pass');
  await page.getByLabel('Command').fill('node --test test/held-out.test.js');
  await chooseFiles(page, 'Add held-out files', heldOut);
  await page.getByText('Names only (usual with held-out files)').waitFor({ state: 'attached' });
}

/** The buyer sees which checks are broken, and that the right one fails over the untouched project: it measures the repair. */
async function tryChecks(page: Page): Promise<void> {
  const command = page.getByLabel('Command');
  const right = await command.inputValue();
  const outcome = page.getByRole('list', { name: 'Outcome of the checks' });
  for (const [wrong, label, why] of [
    ['nod --test', 'Could not run', /It starts a program that is not there/],
    ['./package.json', 'Could not run', /or a file that cannot be executed/],
    ['if true; then', 'Not a command', /The shell cannot read it/],
    ['grep', 'May be broken', /It ends with exit code 2, and names no test that fails/],
  ] as const) {
    await command.fill(wrong);
    await page.getByRole('button', { name: 'Try the checks' }).click();
    await outcome.getByText(label).waitFor();
    await page.getByText(why).waitFor();
    await page.getByText('So far the checks tell nothing about the work').waitFor();
    expect(await page.getByText('Nothing passes without work.').count()).toBe(0);
  }
  await command.fill(right);
  await page.getByRole('button', { name: 'Try the checks' }).click();
  await outcome.getByText('Fails now').waitFor();
  await outcome.getByText(/exit code 1/).click();
  await outcome.getByText('test/held-out.test.js > other values').waitFor();
  await page.getByText('Nothing passes without work.').waitFor();
  await page.getByRole('button', { name: /^Require \d+ failing tests?$/ }).click();
  await page
    .getByRole('group', { name: 'These tests must pass' })
    .getByText('test/held-out.test.js > other values')
    .waitFor();
}

async function readQuote(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Budget' }).fill('20');
  const quote = page.getByRole('region', { name: 'Quote' });
  await quote.getByText('US$8.00 to US$15.00').waitFor();
  const candidates = quote.getByRole('list', { name: 'Candidates' });
  const first = candidates.getByRole('listitem').filter({ hasText: 'Mender' });
  await first.getByText('US$8.00').waitFor();
  await first.getByText(/expected quality, new to this kind of work/).waitFor();
  await candidates.getByRole('listitem').filter({ hasText: 'Patchwork' }).getByText('US$15.00').waitFor();
  await quote.getByText('US$30.00').waitFor();
  await shot(page, 'task-new');
  await axe(page);
  // At phone width the quote comes last, so it has a picture of its own.
  await shot(page, 'task-quote', quote);
}

async function submit(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Submit, hold US$20.00' }).click();
  await page.waitForURL(/\/tasks\/tsk_/);
}

/** Nobody touches the page: it follows by itself. */
async function watch(page: Page, letGo: () => void): Promise<void> {
  await page
    .getByText(/The tests end with exit code 1/)
    .first()
    .waitFor();
  await page.getByText('The agent is at work').waitFor();
  expect(await page.getByRole('progressbar', { name: 'Progress' }).getAttribute('aria-valuenow')).toBe('40');
  await page.getByRole('link', { name: 'Work', exact: true }).click();
  const log = page.getByRole('table', { name: 'Run' });
  await log.getByText('I run the tests to see what fails.').waitFor();
  await log.getByText(/The tests end with exit code 1/).waitFor();
  await page.getByRole('list', { name: 'Timeline' }).getByText('The agent began').waitFor();
  await shot(page, 'task-live');
  await axe(page);
  letGo();
  await page.getByText('Completed', { exact: true }).waitFor();
  await page
    .getByRole('list', { name: 'Timeline' })
    .getByText(/The work passed with \d+ of 100/)
    .waitFor();
  await log.getByText('All tests pass. I deliver.').waitFor();
}

async function readResult(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Result' }).click();
  await page.getByText('is now the mean of the two in the middle').waitFor();
  await page.getByRole('button', { name: 'Thumbs down, refund US$8.00' }).waitFor();
  await page.getByRole('region', { name: '1 changed file' }).getByText('1 line added, 1 line removed').waitFor();
  await shot(page, 'task-result');
  await axe(page);
}

async function readChanges(page: Page): Promise<void> {
  await page.getByRole('region', { name: '1 changed file' }).getByRole('link', { name: 'src/median.js' }).click();
  const diff = page.getByRole('group', { name: 'src/median.js', exact: true });
  await diff.getByText(wrongLine.trim()).waitFor();
  await diff.getByText(rightLine.trim()).waitFor();
  await page.getByText(/^npx --no agora-market tasks apply tsk_/).waitFor();
  await shot(page, 'task-diff');
  const patch = await savedText(page, () => page.getByRole('button', { name: 'Patch' }).click());
  expect(patch).toContain(`+${rightLine}`);
  await page.getByRole('link', { name: 'Result' }).click();
}

async function readFiles(page: Page): Promise<void> {
  const files = page.getByRole('region', { name: '3 files' });
  // Of a long text only what is seen is drawn; a huge one and a binary one are for their download alone.
  await files.getByRole('button', { name: 'Show tests.log' }).click();
  const lines = files.getByRole('group', { name: 'tests.log', exact: true }).last();
  await lines.getByText('ok 1', { exact: true }).waitFor();
  expect(await files.getByText(`ok ${logLines}`, { exact: true }).count()).toBe(0);
  await lines.press('End');
  await lines.getByText(`ok ${logLines}`, { exact: true }).waitFor();
  const log = await savedText(page, () => files.getByRole('button', { name: 'Download tests.log' }).click());
  expect(log.split('\n')).toHaveLength(logLines);
  expect(await files.getByRole('button', { name: 'Show trace.txt' }).count()).toBe(0);
  await files.getByText(/5\.1 MB · too large to be shown/).waitFor();
  await files.getByRole('button', { name: 'Show profile.data' }).click();
  await files.getByText('This file is binary.').waitFor();
}

/** As a task with more than a hundred files shows them. */
async function readFilesByPage(page: Page): Promise<void> {
  let isBroken = true;
  await page.route('**/artifacts?*', (route) => {
    const url = new URL(route.request().url());
    if (isBroken && url.searchParams.has('cursor'))
      return route.fulfill({ status: 500, json: { error: { code: 'INTERNAL_ERROR', message: 'no', details: {} } } });
    url.searchParams.set('pageSize', '2');
    return route.continue({ url: url.href });
  });
  await page.reload();
  const first = page.getByRole('region', { name: 'The first 2 files' });
  await first.getByRole('button', { name: 'Show more' }).click();
  await first.getByText('The server had a fault.').waitFor();
  expect(await first.getByRole('button', { name: /^Download / }).count()).toBe(2);
  isBroken = false;
  await first.getByRole('button', { name: 'Show more' }).click();
  await page.getByRole('region', { name: '3 files' }).waitFor();
}

async function readAssessment(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Assessment' }).click();
  const criteria = page.getByRole('list', { name: 'Criteria' });
  const check = criteria.getByRole('listitem').filter({ hasText: 'Held-out tests pass' });
  await check.getByRole('img', { name: 'Passed' }).waitFor();
  await check.getByText('What it printed last').click();
  await check.getByText(/pass 1/).waitFor();
  await shot(page, 'task-assessment');
  await axe(page);
}

async function readRouting(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Work', exact: true }).click();
  const routing = page.getByRole('region', { name: 'Why this agent' });
  await routing.getByText(/2 agents were considered/).waitFor();
  const chosen = routing.getByRole('row', { name: /Mender/ });
  await chosen.getByText('Chosen').waitFor();
  await shot(page, 'task-routing', routing);
  await axe(page);
}

async function proveReceipt(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Receipt' }).click();
  await page.getByText('Your browser has checked the signature').waitFor();
  await shot(page, 'task-receipt');
  await axe(page);
  const file = await savedText(page, () => page.getByRole('button', { name: 'Download' }).click());
  expect(JSON.parse(file)).toMatchObject({ format: 'agora-receipt-2' });

  await page.emulateMedia({ media: 'print' });
  await page.getByText('Your browser has checked the signature').waitFor();
  expect(await page.getByRole('button').count()).toBe(0);
  expect(await page.getByRole('navigation').count()).toBe(0);
  await shotOfPrint(page, 'task-receipt');
  await page.emulateMedia({ media: null });
}

async function refund(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'Result' }).click();
  await page.getByRole('button', { name: 'Thumbs down, refund US$8.00' }).click();
  const dialog = page.getByRole('dialog', { name: 'Thumbs down' });
  await dialog.getByLabel('Comment').fill('It should not change the order of the values.');
  await dialog.getByRole('button', { name: 'Thumbs down, refund US$8.00' }).click();
  await page.getByText('US$8.00 is back in your pool.').waitFor();
  await page.getByText('Refunded', { exact: true }).first().waitFor();
  await page.getByRole('list', { name: 'Timeline' }).getByText('+US$8.00').waitFor();
  await page.getByText('the delivered files are not yours any more').waitFor();
  await shot(page, 'task-refunded');
  await axe(page);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Vault' }).click();
  await page.getByRole('heading', { level: 1, name: 'Vault' }).waitFor();
  await page.getByText('US$50.00').first().waitFor();
}
