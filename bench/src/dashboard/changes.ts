/// <reference lib="dom" />
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { type Account, makeAccount, makeSeller, type Place, report, type Seller, submitted } from './world.ts';

export interface ChangeFigures {
  /** Milliseconds from sending the request that changes the status until the page shows the new word. */
  detail: number[];
  list: number[];
}

const words = { submitted: 'Waiting for an agent', executing: 'Being worked on', completed: 'Completed' };

/** Has an agent start and end tasks while their pages are open, one after the other, and then while the list is. */
export async function watchChanges(
  place: Place,
  open: (account: Account) => Promise<Page>,
  changes: number,
): Promise<ChangeFigures> {
  const seller = await makeSeller(place, 12);
  const buyer = await makeAccount(place, 'Hedy Lamarr', 100_000);
  const page = await open(buyer);
  const detail: number[] = [];
  for (let nth = 0; nth < changes / 2; nth++) detail.push(...(await onDetail(page, place, buyer, seller.agents[0]!)));
  return { detail, list: await onList(page, place, buyer, seller) };
}

async function onDetail(
  page: Page,
  { url }: Place,
  buyer: Account,
  agent: Seller['agents'][number],
): Promise<number[]> {
  const taskId = await submitted(buyer, agent.id, 'Say what changed');
  const followed = page.waitForResponse((response) => response.url().endsWith(`${taskId}/stream`));
  await page.goto(`${url}/tasks/${taskId}`);
  await followed;
  await page.getByText('Nobody has begun yet').waitFor();
  const lead = (word: string) => page.locator('[aria-live=polite]', { hasText: word });
  const started = await timed(page, lead(words.submitted), words.executing, () =>
    agent.agora.tasks.start(taskId, { sandboxId: 'bench' }),
  );
  await page.getByText('The agent is at work').waitFor();
  const ended = await timed(page, lead(words.executing), words.completed, () =>
    agent.agora.tasks.complete(taskId, { output: { text: report } }),
  );
  return [started, ended];
}

/** Each agent starts a task at a moment of its own, for the list is looked at every few seconds. */
async function onList(page: Page, { url }: Place, buyer: Account, { agents }: Seller): Promise<number[]> {
  const waiting = await Promise.all(
    agents.map(async (agent) => ({ agent, taskId: await submitted(buyer, agent.id, 'Say what changed') })),
  );
  await page.goto(`${url}/tasks`);
  const rows = page.getByRole('row').filter({ hasText: words.submitted });
  await rows.nth(agents.length - 1).waitFor();
  return Promise.all(
    waiting.map(async ({ agent, taskId }, nth) => {
      const row = page.getByRole('row').filter({ has: page.locator(`[data-task="${taskId}"]`) });
      await sleep(nth * 700);
      return timed(page, row, words.executing, () => agent.agora.tasks.start(taskId, { sandboxId: 'bench' }));
    }),
  );
}

/** Milliseconds from before `change` until a frame with the word is drawn at the place. */
async function timed(
  page: Page,
  place: ReturnType<Page['locator']>,
  word: string,
  change: () => Promise<unknown>,
): Promise<number> {
  const element = await place.elementHandle();
  if (!element) throw new Error(`Nothing shows ${word} on ${page.url()}`);
  // The watch stands before the request is sent; its promise is kept in the page meanwhile.
  const watch = await element.evaluateHandle((target, text) => {
    const seen = new Promise<number>((resolve) => {
      const look = () => {
        if (!target.textContent?.includes(text)) return;
        observer.disconnect();
        requestAnimationFrame(() => setTimeout(() => resolve(performance.timeOrigin + performance.now())));
      };
      const observer = new MutationObserver(look);
      observer.observe(target, { childList: true, characterData: true, subtree: true });
    });
    return { seen };
  }, word);
  const from = performance.timeOrigin + performance.now();
  await change();
  return (await watch.evaluate(({ seen }) => seen)) - from;
}
