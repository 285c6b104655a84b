import { expect, test } from 'vitest';
import { hireAndPass, hireAndStart, makePair } from '../../server/test/api/scene.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** What tasks cost and earned, by day and group. */

const scene = sceneForFile();

test('a seller sees what its agents earned by day, agent, type and status, each leading to its jobs', async () => {
  const pair = await makePair(scene.server, { agent: { displayName: 'Poet' } });
  const second = { ...pair, agent: await pair.seller.agent({ displayName: 'Bard' }) };
  const idle = await scene.openPage({ owner: await scene.server.owner({ credits: 0 }), path: 'jobs?tab=earnings' });
  await idle.getByText('Nothing was earned in these days').waitFor();
  await axe(idle);
  await hireAndPass(pair);
  await hireAndPass(pair, { taskType: 'research' });
  await hireAndPass(second, { maxBudget: 400 });
  await hireAndStart(second, { maxBudget: 600 });

  const page = await scene.openPage({ owner: pair.seller, path: 'jobs' });
  await page.getByRole('link', { name: 'Earnings' }).click();
  await page.getByRole('img', { name: /^Earned on each of the last 30 days: US\$20\.40 together/ }).waitFor();
  const figures = page.locator('main dl').first();
  await figures.getByText('US$20.40').waitFor();
  await figures.getByText('US$6.00').waitFor();
  const table = page.getByRole('table', { name: 'What jobs earned' });
  await table.getByRole('row', { name: /Poet 2 .*US\$17\.00 83 %/ }).waitFor();
  await table.getByRole('row', { name: /Bard 2 US\$6\.00 US\$3\.40 17 %/ }).waitFor();
  await axe(page);
  await shot(page, 'earnings');
  await page.getByRole('button', { name: 'Status' }).click();
  await table.getByRole('row', { name: /Executing 1 / }).waitFor();
  await page.getByRole('button', { name: 'Type' }).click();
  await table.getByRole('link', { name: 'Research' }).click();
  const jobs = page.getByRole('table', { name: 'Jobs' });
  await expect.poll(() => jobs.getByRole('row').count()).toBe(2);
  await page.goBack();
  await table.getByRole('link', { name: 'Bard' }).click();
  await expect.poll(() => jobs.getByRole('row').count()).toBe(3);
});

test('a buyer sees its spending beside the limits that it has set', async () => {
  const pair = await makePair(scene.server, { agent: { displayName: 'Poet' } });
  const { buyer } = pair;
  const page = await scene.openPage({ owner: buyer, path: 'vault?tab=spending' });
  await page.getByText('Nothing was spent in these days').waitFor();
  await page.getByText('No limit is set').waitFor();
  await axe(page);

  const hiring = await buyer.agent({ displayName: 'Buyer bot' });
  const none = { perTransactionMax: null, weeklyLimit: null, approvalThreshold: null };
  await buyer.agora.vault.setBudget(hiring.id, { ...none, dailyLimit: 1_500, monthlyLimit: 5_000 });
  await buyer.agora.vault.setAutoTopUp({
    ...{ enabled: true, threshold: 1_000, reloadAmount: 1_000, maxPerDay: 2_000, maxPerMonth: 6_000 },
  });
  await hireAndPass(pair);
  const sub = await hiring.agora.tasks.submitAsAgent({
    ...{ taskType: 'general', maxBudget: 500, agentId: pair.agent.id, input: { description: 'x' } },
  });
  expect(sub).toHaveProperty('id');
  await buyer.agora.schedules.create({
    ...{ name: 'Weekly report', cron: '0 9 * * 1', timeZone: 'UTC', maxBudget: 700, monthlyBudget: 2_800 },
    task: { taskType: 'general', input: { description: 'x' } },
  });
  await page.reload();
  const plot = page.getByRole('img', { name: /^Spent on each of the last 30 days: US\$10\.00 together/ });
  const lines = [
    'a line at US$20.00: Auto-top-up, most in 24 hours',
    'a line at US$15.00: Your agents, most in 24 hours',
  ];
  await expect.poll(() => plot.getAttribute('aria-label')).toContain(lines.join('; '));
  for (const name of ['Auto-top-up', 'Your agents']) await plot.getByText(`${name}, most in 24 hours`).waitFor();
  await page.getByText('Spent US$10.00 of the US$60.00 that auto-top-up may add in 30 days.').waitFor();
  const limits = page.getByRole('table', { name: 'Limits' });
  await limits.getByRole('row', { name: /Buyer bot 24 hours US\$5\.00 of US\$15\.00 33 %/ }).waitFor();
  await limits.getByRole('row', { name: /Buyer bot 30 days US\$5\.00 of US\$50\.00 10 %/ }).waitFor();
  await limits.getByRole('row', { name: /Weekly report This month US\$0\.00 of US\$28\.00 0 %/ }).waitFor();
  await axe(page);
  await shot(page, 'spending-limits');
  await limits.getByRole('link', { name: 'Buyer bot' }).first().click();
  await page.waitForURL(`**/policies?agentId=${hiring.id}`);
});
