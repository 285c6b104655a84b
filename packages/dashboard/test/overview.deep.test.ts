import type { Body } from '@agora-market/sdk';
import { expect, test } from 'vitest';
import type { TestAgent, TestOwner } from '../../server/test/support/harness.ts';
import { axe } from './support/axe.ts';
import { sceneForFile } from './support/scene.ts';
import { shot } from './support/shot.ts';
import { goInside } from './support/sweep.ts';

/** A busy account at one glance: what needs a decision, what runs, what it costs and earns. */

const scene = sceneForFile();
const hour = 3_600_000;

type TaskCategory = NonNullable<Body<'agents.register'>['capabilities']>[number]['category'];

interface Market {
  /** Do what they are asked for. */
  writer: TestAgent;
  researcher: TestAgent;
  /** Fails. */
  broken: TestAgent;
  /** Takes its time. */
  slow: TestAgent;
  /** Has no worker. */
  idle: TestAgent;
}

const nightly = 'Find the cause of the flaky nightly build';

async function market(): Promise<Market> {
  const offer = (category: TaskCategory, baseRate: number) => ({
    capabilities: [{ category, tags: [] }],
    pricing: { model: 'per_task' as const, baseRate, currency: 'USD' as const },
  });
  const writer = await scene.workingAgent({
    fields: { displayName: 'Technical writer', ...offer('content_creation', 900) },
    async handle({ sandbox }) {
      await sandbox.write('guide.md', report);
      return { result: report };
    },
  });
  const researcher = await scene.workingAgent({
    fields: { displayName: 'Research desk', ...offer('research', 1_450) },
    handle: async () => ({ result: report }),
  });
  const broken = await scene.workingAgent({
    fields: { displayName: 'Data cleaner', ...offer('data_analysis', 600) },
    async handle() {
      throw new Error('The table has no column "country".');
    },
  });
  const slow = await scene.workingAgent({
    fields: { displayName: 'Refactor bot', ...offer('refactor', 2_000) },
    handle: ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
  });
  const idle = await (await scene.server.owner({ credits: 0 })).agent({
    displayName: 'Reviewer',
    ...offer('general', 750),
  });
  return { writer, researcher, broken, slow, idle };
}

const report =
  'The page now begins with what readers ask most. Each step names the command, what it prints and what to do if it fails.';

type Order = Pick<Body<'tasks.submit'>, 'taskType' | 'maxBudget'> & {
  agent: TestAgent;
  description: string;
  /** Words that the guide must have, with the weight of each. */
  has?: Record<string, number>;
};

async function order(
  buyer: TestOwner,
  { agent, description, has = {}, ...rest }: Order,
  endsAs?: string,
): Promise<string> {
  const checks = Object.entries(has).map(([word, weight]) => {
    return { name: `names the ${word}`, command: `grep -qi ${word} guide.md`, weight };
  });
  const input = { description, ...(checks.length > 0 && { acceptance: { checks } }) };
  const { id } = await buyer.agora.tasks.submit({ ...rest, agentId: agent.id, input });
  if (endsAs) expect((await buyer.agora.tasks.wait(id, { waitMs: 60_000 })).status).toBe(endsAs);
  return id;
}

/** Four days of work for the account, which end now. */
async function fill(ada: TestOwner, own: TestAgent, { writer, researcher, broken, slow, idle }: Market): Promise<void> {
  const { clock } = scene.server;
  const docs = { taskType: 'content_creation', maxBudget: 1_200 } as const;
  const research = { taskType: 'research', maxBudget: 2_000 } as const;
  const general = { taskType: 'general', maxBudget: 1_000 } as const;
  const grace = await scene.server.owner({ name: 'Grace Hopper' });

  await order(
    ada,
    {
      ...docs,
      agent: writer,
      description: 'Rewrite the installation guide for beginners',
      has: { command: 2, step: 1 },
    },
    'completed',
  );
  await order(grace, { ...general, agent: own, description: 'Changelog of version 2.3' }, 'completed');
  clock.advance(50 * hour);
  await order(
    ada,
    { ...research, agent: researcher, description: 'Compare three providers of exchange rates' },
    'completed',
  );
  await order(grace, { ...general, agent: own, description: 'Changelog of version 2.4' }, 'completed');
  clock.advance(26 * hour);
  const cleaned = {
    ...general,
    taskType: 'data_analysis' as const,
    agent: broken,
    description: 'Clean the customer table of duplicates',
  };
  await order(ada, cleaned, 'failed');
  const sold = await order(grace, { ...general, agent: own, description: 'Changelog of version 2.5' }, 'completed');
  const glossary = {
    ...docs,
    agent: writer,
    description: 'Write a glossary of the billing API',
    has: { command: 3, invoice: 1 },
  };
  const refunded = await order(ada, glossary, 'completed');
  await ada.agora.tasks.feedback(refunded, { direction: 'down', comment: 'Half of the terms are missing.' });
  clock.advance(hour / 2);
  await grace.agora.tasks.dispute(sold, { reason: 'It lists changes of another version.' });
  clock.advance(hour * 1.5);
  await order(
    ada,
    { ...research, agent: researcher, description: 'Find out which laws apply to stored invoices' },
    'completed',
  );
  clock.set(new Date().toISOString());
  await order(grace, { ...general, agent: own, description: 'Changelog of version 2.6' }, 'completed');
  const refactoring = 'Split the checkout module into smaller files';
  const taken = await order(ada, { taskType: 'refactor', maxBudget: 2_500, agent: slow, description: refactoring });
  await order(ada, { ...general, agent: idle, description: 'Review the wording of the privacy notice' });
  await expect.poll(async () => (await ada.agora.tasks.get(taken)).status).toBe('executing');
}

test('the overview shows what needs a decision, what is under way, what came of the rest, and the money', async () => {
  const { clock } = scene.server;
  const agents = await market();
  clock.advance(-79 * hour);
  const ada = await scene.server.owner({ credits: 25_000, name: 'Ada Lovelace' });
  const own = await scene.workingAgent({
    owner: ada,
    fields: { displayName: 'Changelog bot' },
    handle: async () => ({ result: report }),
  });
  await ada.agent({ displayName: 'Translator' });
  await fill(ada, own, agents);
  const unset = { perTransactionMax: null, allowedCategories: null, operatingHours: null, blockedCounterparties: [] };
  await ada.agora.embassy.setOwnerPolicy({ version: 0, approvalThreshold: 500, ...unset });
  const wanted = { taskType: 'general', maxBudget: 1_800, input: { description: nightly } } as const;
  await own.agora.tasks.submitAsAgent(wanted);

  const page = await scene.openPage({ owner: ada });
  // The newest page is of one task, as if many had ended since the others began.
  await page.route(isNewest, (route) =>
    route.continue({
      url: route
        .request()
        .url()
        .replace(/pageSize=\d+/, 'pageSize=1'),
    }),
  );
  await page.reload();
  const underWay = page.getByRole('list', { name: 'Tasks under way' });
  await underWay.getByText('Being worked on').waitFor();
  await underWay.getByText('Review the wording of the privacy notice').waitFor();
  await page.unroute(isNewest);
  await page.reload();
  const results = page.getByRole('list', { name: 'Recent results' });
  for (const state of ['Completed', 'Agent gave up', 'Refunded']) await results.getByText(state).first().waitFor();
  await page
    .getByRole('list', { name: 'Needs attention' })
    .getByText(/A buyer disputes a task/)
    .waitFor();
  const waiting = page.getByRole('region', { name: 'Waiting for your approval' });
  await waiting.getByText('Changelog bot').waitFor();
  await waiting.getByText(nightly).waitFor();
  await waiting.getByText('US$18.00').waitFor();
  const figures = page.getByRole('region', { name: 'Figures' });
  await figures.getByText('US$38.00').waitFor();
  await axe(page);
  await shot(page, 'overview');

  // Nothing has this name, although the page knows two lists of it.
  for (const path of ['tasks/overview', 'approvals/overview']) {
    await goInside(page, path);
    await page.getByRole('heading', { level: 1, name: 'Not found' }).waitFor();
    await page.goBack();
    await underWay.getByText('Being worked on').waitFor();
  }

  await page.getByRole('link', { name: 'My agents' }).click();
  await page.getByRole('row', { name: /Changelog bot/ }).waitFor();
  await axe(page);
  await shot(page, 'my-agents');

  const more = { taskType: 'general', maxBudget: 1_000, agent: agents.idle } as const;
  for (let at = 1; at <= 8; at++) await order(ada, { ...more, description: `Proofread page ${at}` });
  await page.goto('/');
  await underWay.getByText('Proofread page 8').waitFor();
  await underWay.getByRole('link', { name: 'and 2 more' }).click();
  await page.getByRole('row', { name: /Split the checkout module/ }).waitFor();
});

/** Whether it is asked for tasks of any status. */
const isNewest = (url: URL) => url.pathname.endsWith('/api/v1/tasks') && !url.searchParams.has('status');
