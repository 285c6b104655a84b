import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import { operatorToken, type TestAgent, type TestOwner } from '../../server/test/support/harness.ts';
import { uuidOf } from '../../server/test/vault/plant.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';

/** The operator area: its lock, and what whoever runs the installation sees and does there. */

const scene = sceneForFile({ config: { SESSION_IDLE_MS: 1e12 } });
const minute = 60_000;

const complaints = [
  'The tests pass on the author’s machine and on no other.',
  'Two of the five summaries are of another paper.',
  'The translation leaves out the last paragraph.',
];
let agent: TestAgent;
let buyer: TestOwner;
let operator: TestOwner;

/** Three paid tasks that their buyer disputes and the seller has answered. */
beforeAll(async () => {
  agent = await scene.workingAgent({ fields: { displayName: 'Careful reader' } });
  buyer = await scene.server.owner();
  operator = await scene.server.owner({ credits: 0 });
  const order = { taskType: 'general', agentId: agent.id, maxBudget: 1_000 } as const;
  const ids: string[] = [];
  for (const reason of complaints) {
    const { id } = await buyer.agora.tasks.submit({ ...order, input: { description: `Work that ends so: ${reason}` } });
    await buyer.agora.tasks.wait(id, { waitMs: 60_000 });
    ids.push(id);
  }
  scene.server.clock.advance(10 * minute + 1_000);
  for (const [place, taskId] of ids.entries()) {
    const { id } = await buyer.agora.tasks.dispute(taskId, { reason: complaints[place]! });
    await agent.agora.courts.respondToDispute(id, { response: 'It is as it was asked for.' });
  }
});

/** The operator area at a tab, unlocked by the form. */
async function unlocked(tab = ''): Promise<Page> {
  const page = await scene.openPage({ owner: operator, path: `operator${tab && `?tab=${tab}`}`, clock: 'server' });
  await page.getByLabel('Operator token').fill(operatorToken);
  await page.getByRole('button', { name: 'Open' }).click();
  await page.getByRole('navigation', { name: 'Parts of the operator area' }).waitFor();
  return page;
}

describe('the lock', () => {
  test('says that a token is wrong, opens for the right one, and keeps it in memory alone', async () => {
    const page = await scene.openPage({ owner: operator, path: 'operator' });
    await page.getByLabel('Operator token').fill('not-the-token');
    await page.keyboard.press('Enter');
    await page.getByText('This is not the operator token of this server, or the server has none.').waitFor();
    await axe(page);
    await page.getByLabel('Operator token').fill(operatorToken);
    await page.keyboard.press('Enter');
    await page.getByRole('table', { name: 'Docket' }).waitFor();

    const kept = await page.evaluate(async () => ({
      stored: [{ ...localStorage }, { ...sessionStorage }, history.state, document.cookie, location.href],
      databases: await indexedDB.databases(),
      caches: await caches.keys(),
    }));
    const cookies = await page.context().cookies();
    expect(kept).toMatchObject({ databases: [], caches: [] });
    for (const token of ['not-the-token', operatorToken]) expect(JSON.stringify([kept, cookies])).not.toContain(token);

    await page.getByRole('link', { name: 'Overview', exact: true }).click();
    await page.goBack();
    await page.getByRole('table', { name: 'Docket' }).waitFor();
    await page.reload();
    await page.getByLabel('Operator token').waitFor();
    expect(await page.getByText(complaints[0]!).count()).toBe(0);
  });

  test('is forgotten by its button, with everything that was read', async () => {
    const page = await unlocked();
    await page.getByText(complaints[0]!).waitFor();
    await page.getByRole('button', { name: 'Forget the token' }).click();
    await page.getByLabel('Operator token').waitFor();
    expect(await page.getByText(complaints[0]!).count()).toBe(0);
  });

  test('shows a plain owner the form alone, and a visitor how to sign in', async () => {
    const page = await scene.openPage({ owner: buyer, path: 'operator?tab=revenue' });
    await page.getByLabel('Operator token').waitFor();
    expect(await page.getByRole('heading').allInnerTexts()).toEqual(['Operator']);
    const statuses = await page.evaluate(() =>
      Promise.all(
        ['courts/docket', 'vault/revenue', 'vault/reconciliation', 'metrics', 'operator/owners'].map(
          async (path) => (await fetch(`api/v1/${path}`)).status,
        ),
      ),
    );
    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    const visitor = await scene.openPage({ path: 'operator' });
    await visitor.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  });
});

describe('inside', () => {
  test('the docket lists what waits for a ruling, and a ruling takes it off', async () => {
    const page = await unlocked();
    await expect.poll(() => page.getByRole('row').count()).toBe(1 + complaints.length);
    await axe(page);
    await shot(page, 'operator-docket');
    await page.getByRole('link', { name: complaints[0]! }).click();
    await page.getByRole('radio', { name: /^Dismiss/ }).check();
    await page.getByRole('button', { name: 'Rule' }).hover();
    await page.getByRole('tooltip', { name: 'Write the reasons first.' }).waitFor();
    await page.getByLabel('Reasons').fill('The tests pass in a clean container.');
    await page.getByRole('button', { name: 'Rule' }).click();
    await page.getByRole('dialog').getByText('nothing goes back').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Dismiss' }).click();
    await page.getByRole('link', { name: 'Docket', exact: true }).click();
    await expect.poll(() => page.getByRole('row').count()).toBe(complaints.length);
    await page.getByLabel('State').selectOption('Resolved');
    await page.getByRole('row', { name: /Dismissed/ }).waitFor();
  });

  test('a run of reconciliation finds what does not add up, and its flag is cleared after a question', async () => {
    await scene.server.pool.query(
      `update ledger_accounts set balance = balance + 25 where holder = $1 and kind = 'wallet_escrowed'`,
      [uuidOf(agent)],
    );
    const page = await unlocked('reconciliation');
    await page.getByText('The books are in order').waitFor();
    await page.getByRole('button', { name: 'Run now' }).click();
    await page.getByText('1 finding open.').waitFor();
    await page.getByRole('row', { name: /Balance does not match its movements/ }).waitFor();
    expect(await alertsOf(agent.owner)).toContain('wallet_flagged');
    await axe(page);
    await shot(page, 'operator-reconciliation');

    await page.getByRole('button', { name: 'Clear flag' }).click();
    const dialog = page.getByRole('dialog', { name: 'Clear the flag of this wallet' });
    await dialog.getByRole('button', { name: 'Clear' }).hover();
    await dialog.getByRole('tooltip', { name: 'Write a reason first.' }).waitFor();
    await axe(page);
    await dialog.getByLabel('Reason').fill('Booked by hand after the outage of May.');
    await dialog.getByRole('button', { name: 'Clear' }).click();
    await page.getByText('The books are in order').waitFor();
    expect(await alertsOf(agent.owner)).not.toContain('wallet_flagged');
    await page.getByLabel('State').selectOption('Cleared');
    await page.getByText(`${operator.email}: Booked by hand after the outage of May.`).waitFor();
  });

  test('revenue, health and all figures are read', async () => {
    const page = await unlocked('revenue');
    const { total } = await scene.server.operator().vault.revenue({ by: 'day' });
    await page
      .getByText(`US$${(total.netRevenue / 100).toFixed(2)}`)
      .first()
      .waitFor();
    expect(await page.getByRole('table', { name: 'Revenue by day' }).getByRole('row').count()).toBe(2);
    await axe(page);
    await shot(page, 'operator-revenue');
    await page.getByLabel('From').fill('2020-01-01');
    await page.getByLabel('To', { exact: true }).fill('2020-01-31');
    await page.getByText('Nothing was earned in these days').waitFor();

    await page.getByRole('link', { name: 'Health' }).click();
    for (const word of ['Up', 'Answers', 'Available']) await page.getByText(word, { exact: true }).first().waitFor();
    await axe(page);
    await shot(page, 'operator-health');

    await page.getByRole('link', { name: 'Metrics' }).click();
    await page.getByRole('button', { name: 'All figures' }).click();
    await page.getByLabel('Filter').fill('open disputes');
    await page.getByText('1 match', { exact: false }).waitFor();
    await axe(page);
    await shot(page, 'operator-figures');
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Prometheus text' }).click();
    expect((await saved).suggestedFilename()).toBe('metrics.txt');
  });

  test('figures are drawn over time, and the address says of which time', async () => {
    await plantSamples();
    const page = await unlocked('metrics');
    await page.getByRole('img', { name: /^Requests a second\. All: latest [\d.]+/ }).waitFor();
    expect(await page.getByRole('img', { name: /latest|nothing sampled/ }).count()).toBe(12);
    await axe(page);
    await shot(page, 'operator-metrics');
    await page.getByRole('button', { name: 'Month' }).click();
    await page.waitForURL(/period=month/);
    await page.getByRole('button', { name: 'Month', pressed: true }).waitFor();
    await page.getByRole('img', { name: /^Memory/ }).waitFor();
    await page.goBack();
    await page.getByRole('button', { name: 'Day', pressed: true }).waitFor();
  });

  test('an owner is found, gets another plan, and is shut out after a question', async () => {
    const [page, owner] = [
      await unlocked('owners'),
      await scene.server.owner({ credits: 0, name: 'Mallory of Malta' }),
    ];
    await page.getByRole('searchbox', { name: 'Search' }).fill('nobody has this name');
    await page.getByText('No owners match these filters').waitFor();
    await page.getByRole('searchbox', { name: 'Search' }).fill(owner.email.slice(0, -3));
    await page.waitForURL(/q=owner/);
    await page.getByRole('link', { name: 'Mallory of Malta' }).waitFor();
    await axe(page);
    await shot(page, 'operator-owners');
    await page.getByRole('link', { name: 'Mallory of Malta' }).click();
    await page.getByRole('heading', { name: 'Mallory of Malta' }).waitFor();
    const change = page.getByRole('button', { name: 'Change', exact: true });
    await change.hover();
    await page.getByRole('tooltip', { name: 'Choose what to change.' }).waitFor();
    await page.getByLabel('Plan').selectOption('Pro');
    await page.getByLabel('Reason', { exact: true }).fill('Paid by invoice');
    await change.click();
    await page.getByRole('dialog').getByText('The plan becomes Pro.').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Change' }).click();
    await page.getByText('Changed.', { exact: true }).waitFor();
    await page.getByRole('definition').filter({ hasText: /^Pro$/ }).waitFor();
    expect((await owner.agora.auth.session()).owner.plan).toBe('pro');
    await page.getByRole('row', { name: /^Owner updated/ }).waitFor();

    await page.getByLabel('State').selectOption('Suspended');
    await page.getByLabel('Reason', { exact: true }).fill('Sells what it did not make');
    await axe(page);
    await shot(page, 'operator-owner');
    await change.click();
    await page.getByRole('dialog').getByText('refused from the next request on').waitFor();
    await axe(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    await expect(owner.agora.auth.session()).rejects.toMatchObject({ status: 403 });
    await page.getByRole('link', { name: 'Back to the owners' }).click();
    await page.getByRole('table', { name: 'Owners' }).waitFor();
  });

  test('an owner’s page leads to its tasks, a task to its dispute and its agent', async () => {
    const page = await unlocked(`owners&owner=${buyer.id}`);
    const tasks = page.getByRole('table', { name: 'Tasks' });
    await expect.poll(() => tasks.getByRole('row').count()).toBe(1 + complaints.length);
    await page.getByRole('table', { name: 'Disputes' }).waitFor();
    await tasks.getByRole('link').first().click();
    await page.getByRole('heading', { name: 'Task: General' }).waitFor();
    await page.getByRole('link', { name: 'Open the dispute' }).waitFor();
    // What the buyer wrote is not for the operator outside of the dispute.
    expect(await page.getByText('Work that ends so').count()).toBe(0);
    await axe(page);
    await shot(page, 'operator-task');
    await page.getByRole('link', { name: 'Careful reader' }).click();
    await page.getByRole('heading', { name: 'Careful reader' }).waitFor();
    await axe(page);
    await shot(page, 'operator-agent');
    await page.getByRole('link', { name: 'Its tasks' }).click();
    await page.waitForURL(/agentId=agt_/);
    await expect
      .poll(() => page.getByRole('table', { name: 'Tasks' }).getByRole('row').count())
      .toBe(1 + complaints.length);
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByText('No tasks match these filters').waitFor();
    await page.getByRole('link', { name: 'Show all tasks' }).click();
    await page.getByRole('searchbox', { name: 'Id' }).fill('summary');
    await page.getByText('Write a whole id.', { exact: false }).waitFor();
    await axe(page);
    await shot(page, 'operator-tasks');
  });

  test('agents are found by a part of the name', async () => {
    const page = await unlocked('agents');
    await page.getByRole('searchbox', { name: 'Search' }).fill('areful');
    await page.getByRole('link', { name: 'Careful reader' }).waitFor();
    await axe(page);
    await shot(page, 'operator-agents');
    await page.getByLabel('State').selectOption('Suspended');
    await page.getByText('No agents match these filters').waitFor();
    await page.getByRole('link', { name: 'Show all agents' }).click();
    await page.getByRole('link', { name: 'Careful reader' }).waitFor();
  });

  test('stuck work says why and what to do, and is gone once it goes on', async () => {
    const page = await unlocked('stuck');
    await page.getByText('Nothing is stuck').waitFor();
    await axe(page);
    await scene.server.pool.query(
      `insert into queued_jobs (id, kind, key, payload, error, created_at)
       values (gen_random_uuid(), 'reports.send', 'stuck', '{}', 'The mail server refused it.', $1)`,
      [scene.server.clock.now().toISOString()],
    );
    await page.reload();
    await page.getByLabel('Operator token').fill(operatorToken);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Jobs given up (1)' }).waitFor();
    await page.getByText('Mend the cause that is named', { exact: false }).waitFor();
    await page.getByRole('row', { name: /reports\.send The mail server refused it/ }).waitFor();
    await axe(page);
    await shot(page, 'operator-stuck');
    await page.getByRole('button', { name: 'Run reports.send again' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('The mail server is back.');
    await axe(page);
    await page.getByRole('dialog').getByRole('button', { name: 'Run again' }).click();
    await page.getByText('1 job runs again.').waitFor();
    await expect.poll(() => page.getByRole('heading', { name: /^Jobs given up/ }).count()).toBe(0);
    await scene.server.pool.query(`delete from queued_jobs where key = 'stuck'`);
  });
});

/** A day of samples, as a server and its database would have kept them. */
async function plantSamples(): Promise<void> {
  await scene.server.pool.query('delete from metric_samples');
  await scene.server.pool.query(
    `insert into metric_samples (host, at, is_kept, figures)
     select '018f0000-0000-7000-8000-000000000001', date_trunc('minute', $1::timestamptz) - n * interval '5 min', n % 3 = 0,
       jsonb_build_object('requests', (300 - n) * 3000 + (sin(n / 20.0) * 9000)::int, 'clientErrors', (300 - n) * 60,
         'serverErrors', (300 - n) / 9, 'within', (select jsonb_agg(((300 - n) * least(k, 9) * 300)::int) from generate_series(1, 13) k),
         'loopActiveMs', (300 - n) * 70000 + 300000 * sin(n / 15.0), 'loopIdleMs', (300 - n) * 220000,
         'memoryBytes', (180000000 + 20000000 * sin(n / 30.0))::int, 'connectionsBusy', 3 + n % 4, 'connectionsWaiting', 0,
         'timedJobLagSeconds', (n % 7) / 10.0)
     from generate_series(0, 287) n on conflict do nothing`,
    [scene.server.clock.now().toISOString()],
  );
  await scene.server.pool.query(
    `insert into metric_samples (host, at, is_kept, figures)
     select '00000000-0000-0000-0000-000000000000', date_trunc('minute', $1::timestamptz) - n * interval '5 min', n % 3 = 0,
       jsonb_build_object('agora_open_tasks', jsonb_build_object('submitted', 4 + n % 5, 'executing', 10 + (8 * sin(n / 25.0))::int, 'quality_check', n % 3),
         'agora_queued_tasks', greatest(0, (6 * sin(n / 40.0))::int), 'agora_overdue_tasks_seconds', 0, 'agora_queued_jobs', jsonb_build_object('mail.send', n % 6),
         'agora_queued_jobs_late_seconds', n % 4, 'agora_log_readers_behind_events', jsonb_build_object('webhooks', n % 30),
         'agora_sandboxes', jsonb_build_object('ready', 9 + (7 * sin(n / 25.0))::int), 'agora_gate_duration_seconds', 20 + 9 * sin(n / 18.0),
         'agora_ended_tasks', jsonb_build_object('completed', (300 - n) * 3, 'failed', (300 - n) / 4, 'refunded', (300 - n) / 30),
         'agora_paid_cents', jsonb_build_object('in', (300 - n) * 9000, 'out', (300 - n) / 12 * 60000))
     from generate_series(0, 287) n on conflict do nothing`,
    [scene.server.clock.now().toISOString()],
  );
}

const alertsOf = async ({ agora }: TestOwner) => (await agora.embassy.overview()).alerts.map(({ kind }) => kind);
