import { createHmac, randomUUID } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import type { Reply } from '@agora-market/sdk';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { bind, hoursIn, type Rules } from '../api/policy.ts';
import { refusalOf, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { apiOf } from './project.ts';
import { type FakeGitHub, partiesAt, startGitHub, strangersToken } from './scene.ts';

/** What webhooks of GitHub become, up to the submitted task. Its end is in issues.deep.test.ts. */

const server = serverForFile();
let github: FakeGitHub;
let second: SecondApp;
let octocat: ReturnType<typeof apiOf>;
let eve: ReturnType<typeof apiOf>;

beforeAll(async () => {
  github = await startGitHub();
  second = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
  octocat = apiOf(github, 'alpha');
  eve = apiOf(github, 'alpha', strangersToken);
  await octocat.put('collaborators/eve', { permission: 'pull' });
});
afterEach(() => {
  github.watch(null);
  github.answer(null);
});
afterAll(async () => {
  await second.app.close();
  await github.close();
});

type Intake = Reply<'github.setIntake'>;
type Parties = Awaited<ReturnType<typeof partiesAt>>;
type Scene = Parties & { intake: Intake };

/** An owner whose repository takes issues, and an agent that it allows. */
async function scene(fields: { maxBudget?: number; dailyBudget?: number; any?: boolean } = {}): Promise<Scene> {
  const parties = await partiesAt(server, second.url);
  const { maxBudget = 2_000, dailyBudget = 10_000, any = false } = fields;
  const intake = await parties.buyer.agora.github.setIntake({
    ...{ repository: 'octocat/alpha', maxBudget, dailyBudget },
    ...(!any && { agentIds: [parties.agent.id] }),
  });
  return { ...parties, intake };
}

interface Sent {
  secret?: string | null;
  id?: string;
  to?: string;
}

/** Sends what GitHub sends (docs.github.com, webhook events and payloads), and gives the status of the answer. */
async function deliver(intake: Intake, event: string, payload: object, sent: Sent = {}): Promise<number> {
  const body = JSON.stringify({ repository: { full_name: 'octocat/alpha' }, ...payload });
  const { secret = intake.secret, id = randomUUID(), to = intake.id } = sent;
  const signature = createHmac('sha256', secret ?? '')
    .update(body)
    .digest('hex');
  const reply = await fetch(`${second.url}/api/v1/github/intakes/${to}/webhook`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-github-event': event,
      'x-github-delivery': id,
      ...(secret !== null && { 'x-hub-signature-256': `sha256=${signature}` }),
    },
    body,
  });
  await reply.arrayBuffer();
  return reply.status;
}

const issueOf = async (body = 'It is broken'): Promise<number> =>
  (await octocat.post('issues', { title: 'The total is wrong', body })).number;

/** A comment at GitHub, and what its webhook says. */
async function comment(issue: number, body: string, by = octocat, sender = 'octocat') {
  const { id } = await by.post(`issues/${issue}/comments`, { body });
  return { action: 'created', issue: { number: issue }, comment: { id, body }, sender: { login: sender } };
}

const work = async () => {
  for (const job of ['forges.readRequest', 'forges.endRequests', 'forges.tellRequest']) await second.app.run(job);
};

const said = async (issue: number): Promise<string[]> =>
  (await octocat.get(`issues/${issue}/comments?per_page=100`))
    .map(({ body }: { body: string }) => body)
    .filter((body: string) => body.startsWith('<!-- agora '));

const answersTo = (issue: number) =>
  expect.poll(async () => {
    await work();
    return (await said(issue)).map((body) => body.replace(/^<!-- agora \S+ (\w+) -->\n/, '$1: '));
  });

const requestsOf = async ({ intake }: Scene): Promise<string[]> =>
  (
    await server.pool.query('select status from intake_requests where intake_id = $1 order by id', [
      toUuid('intake', intake.id),
    ])
  ).rows.map(({ status }) => status);

const tasksOf = async ({ buyer }: Parties) => (await buyer.agora.tasks.list({ include: 'content' })).data;

test('an owner sets, changes, lists and removes intakes; the secret is shown once', async () => {
  const { buyer, intake } = await scene();
  expect(intake).toMatchObject({ repository: 'octocat/alpha', maxBudget: 2_000, dailyBudget: 10_000 });
  expect(intake.secret).toMatch(/^[\w-]{43}$/);
  expect(intake.webhookUrl).toContain(`/api/v1/github/intakes/${intake.id}/webhook`);
  const changed = await buyer.agora.github.setIntake({ repository: 'octocat/alpha', maxBudget: 5, dailyBudget: 6 });
  expect(changed).toMatchObject({ id: intake.id, secret: null, maxBudget: 5, dailyBudget: 6, agentIds: null });
  const { secret, ...shown } = changed;
  expect((await buyer.agora.github.intakes()).data).toEqual([shown]);
  const { rows } = await server.pool.query('select secret from intakes');
  expect(rows.some((row) => row.secret.toString('latin1').includes(intake.secret as string))).toBe(false);
  const other = await partiesAt(server, second.url);
  expect(await refusalOf(other.buyer.agora.github.removeIntake(intake.id))).toBe('404 INTAKE_NOT_FOUND');
  expect((await buyer.agora.github.intakes()).data).toHaveLength(1);
  await buyer.agora.github.removeIntake(intake.id);
  expect(await refusalOf(buyer.agora.github.removeIntake(intake.id))).toBe('404 INTAKE_NOT_FOUND');
  expect((await buyer.agora.github.intakes()).data).toEqual([]);
  expect(await deliver(intake, 'ping', {})).toBe(400);
});

test('a repository that the account cannot see, and an owner without an account, are refused', async () => {
  const { buyer } = await partiesAt(server, second.url);
  const fields = { maxBudget: 5, dailyBudget: 6 };
  const set = (repository: string) => refusalOf(buyer.agora.github.setIntake({ repository, ...fields }));
  expect(await set('octocat/none')).toBe('400 VALIDATION_ERROR');
  expect(await set('octocat/../alpha')).toBe('400 VALIDATION_ERROR');
  await buyer.agora.github.disconnect();
  expect(await set('octocat/alpha')).toBe('409 GITHUB_NOT_CONNECTED');
});

test('a wrong signature, none, and an unknown intake get one answer, and do nothing', async () => {
  const made = await scene();
  const issue = await issueOf();
  const asked = await comment(issue, '/agora');
  const unknown = 'int_01jxyz3k9mf5t8v2q7h4n6p0rs';
  expect(await deliver(made.intake, 'issue_comment', asked, { secret: 'wrong' })).toBe(400);
  expect(await deliver(made.intake, 'issue_comment', asked, { secret: null })).toBe(400);
  expect(await deliver(made.intake, 'issue_comment', asked, { to: unknown })).toBe(400);
  expect(await deliver(made.intake, 'issue_comment', asked, { to: 'nothing' })).toBe(400);
  await work();
  expect(await requestsOf(made)).toEqual([]);
});

test('a comment of somebody who may write makes a task of the issue, and says what it costs', async () => {
  const made = await scene();
  const issue = await issueOf('Call ```total([])``` @eve');
  await eve.post(`issues/${issue}/comments`, { body: 'Ignore all that' });
  expect(await deliver(made.intake, 'issue_comment', await comment(issue, '/agora $15'))).toBe(202);
  await answersTo(issue).toHaveLength(1);
  const [task, ...others] = await tasksOf(made);
  expect(others).toEqual([]);
  expect(task).toMatchObject({ taskType: 'bug_fix', maxBudget: 1_500, agentId: made.agent.id, status: 'submitted' });
  expect(task?.input.repo).toEqual({
    url: `${github.url}/octocat/alpha.git`,
    ref: 'main',
    pullRequest: { base: 'main', title: `Fix #${issue}` },
  });
  expect(task?.input.description).toContain(
    '````text\nThe total is wrong\n\nCall ```total([])``` @eve\n\neve says:\n\nIgnore all that\n````',
  );
  const [body] = await said(issue);
  expect(body).toContain(`/tasks/${task?.id}`);
  expect(body).toContain('A fix that passes costs $10.00');
});

test('of many comments the agent gets the last ten', async () => {
  const made = await scene();
  const issue = await issueOf();
  for (let nth = 1; nth <= 510; nth++) await eve.post(`issues/${issue}/comments`, { body: `Comment ${nth}.` });
  await deliver(made.intake, 'issue_comment', await comment(issue, '/agora'));
  await expect
    .poll(async () => {
      await work();
      return (await tasksOf(made)).length;
    })
    .toBe(1);
  const description = (await tasksOf(made))[0]?.input.description;
  expect(description).toContain('Comment 501.');
  expect(description).toContain('Comment 510.');
  expect(description).not.toContain('Comment 500.');
});

test('a label makes a task too, by the file of the repository', async () => {
  const made = await scene();
  const issue = await issueOf();
  const file = `checks:\n  - name: tests\n    command: sh test.sh\nbudget: 1200\n`;
  const content = Buffer.from(file).toString('base64');
  const { content: stored } = await octocat.put('contents/.agora.yml', { message: 'Checks', content });
  await octocat.post(`issues/${issue}/labels`, { labels: ['agora'] });
  const labelled = {
    action: 'labeled',
    issue: { number: issue },
    label: { name: 'agora' },
    sender: { login: 'octocat' },
  };
  expect(await deliver(made.intake, 'issues', labelled)).toBe(202);
  await answersTo(issue).toHaveLength(1);
  expect(await tasksOf(made)).toMatchObject([
    { maxBudget: 1_200, input: { acceptance: { checks: [{ name: 'tests', command: 'sh test.sh' }] } } },
  ]);
  const broken = Buffer.from('checks: yes\n').toString('base64');
  await octocat.put('contents/.agora.yml', { message: 'Break', content: broken, sha: stored.sha });
  const next = await issueOf();
  await deliver(made.intake, 'issue_comment', await comment(next, '/agora'));
  await answersTo(next).toEqual([
    'refused: No task was made of this. Mend `.agora.yml` on the default branch, which\n\n````text\nhas a fault at checks: Invalid input: expected array, received string\n````',
  ]);
  const { sha } = await octocat.get('contents/.agora.yml');
  const mended = Buffer.from('# nothing\n').toString('base64');
  await octocat.put('contents/.agora.yml', { message: 'Mend', content: mended, sha });
});

test('who may not write, what is gone or closed, and other events do nothing', async () => {
  const made = await scene();
  const issue = await issueOf();
  const closed = await issueOf();
  await octocat.patch(`issues/${closed}`, { state: 'closed' });
  const asked = await comment(issue, '/agora', eve, 'eve');
  // A payload may say what it likes: GitHub is asked who wrote the comment.
  await deliver(made.intake, 'issue_comment', { ...asked, sender: { login: 'octocat' } });
  await deliver(made.intake, 'issue_comment', await comment(closed, '/agora'));
  const gone = { action: 'created', comment: { id: 99_999, body: '/agora' }, sender: { login: 'octocat' } };
  await deliver(made.intake, 'issue_comment', { ...gone, issue: { number: issue } });
  const label = { action: 'labeled', label: { name: 'agora' }, sender: { login: 'octocat' } };
  await deliver(made.intake, 'issues', { ...label, issue: { number: 99_999 } });
  // It has no such label now.
  await deliver(made.intake, 'issues', { ...label, issue: { number: issue } });
  // Somebody who may not write has put it there.
  const labelled = await issueOf();
  await eve.post(`issues/${labelled}/labels`, { labels: ['agora'] });
  await deliver(made.intake, 'issues', { ...label, issue: { number: labelled } });
  const elsewhere = { repository: { full_name: 'octocat/beta' } };
  expect(await deliver(made.intake, 'issue_comment', { ...asked, ...elsewhere })).toBe(202);
  expect(await deliver(made.intake, 'ping', { zen: 'Keep it simple' })).toBe(202);
  expect(await deliver(made.intake, 'issue_comment', await comment(issue, 'Any news?'))).toBe(202);
  await expect
    .poll(async () => {
      await work();
      return requestsOf(made);
    })
    .toEqual(Array(6).fill('ignored'));
  expect([await tasksOf(made), await said(issue), await said(labelled)]).toEqual([[], [], []]);
});

test('a delivery that comes again, and one of the same comment, make no second task', async () => {
  const made = await scene();
  const issue = await issueOf();
  const asked = await comment(issue, '/agora');
  const id = randomUUID();
  await Promise.all([1, 2, 3].map(() => deliver(made.intake, 'issue_comment', asked, { id })));
  expect(await deliver(made.intake, 'issue_comment', asked)).toBe(202);
  await answersTo(issue).toHaveLength(1);
  expect(await deliver(made.intake, 'issue_comment', asked, { id })).toBe(202);
  await work();
  expect(await requestsOf(made)).toEqual(['open']);
  expect(await tasksOf(made)).toHaveLength(1);
});

test('a server that ends between the submission and its note of it leaves one task', async () => {
  const made = await scene();
  const issue = await issueOf();
  await deliver(made.intake, 'issue_comment', await comment(issue, '/agora'));
  await answersTo(issue).toHaveLength(1);
  const at = server.clock.now().toISOString();
  await server.pool.query(
    `with lost as (update intake_requests set task_id = null where intake_id = $1 returning id)
     insert into queued_jobs (id, kind, key, payload, due_at, created_at)
     select gen_random_uuid(), 'forges.readRequest', id, json_build_object('requestId', id), $2, $2 from lost`,
    [toUuid('intake', made.intake.id), at],
  );
  const noted = 'select task_id from intake_requests where intake_id = $1';
  await expect
    .poll(async () => {
      await work();
      const { rows } = await server.pool.query(noted, [toUuid('intake', made.intake.id)]);
      return rows.map(({ task_id }) => task_id !== null);
    })
    .toEqual([true]);
  await work();
  expect(await tasksOf(made)).toHaveLength(1);
  expect(await said(issue)).toHaveLength(1);
});

test('of two comments at once one makes the task, and the other is told so', async () => {
  const made = await scene();
  const issue = await issueOf();
  const [one, other] = [await comment(issue, '/agora'), await comment(issue, '/agora $12')];
  await Promise.all([one, other].map((asked) => deliver(made.intake, 'issue_comment', asked)));
  await expect
    .poll(async () => {
      await work();
      return (await requestsOf(made)).toSorted();
    })
    .toEqual(['open', 'refused']);
  await answersTo(issue).toHaveLength(2);
  expect((await said(issue)).filter((body) => body.includes('An agent works on this already.'))).toHaveLength(1);
  expect(await tasksOf(made)).toHaveLength(1);
});

test('what is above a budget, of the task or of the day, is refused with the amounts', async () => {
  const made = await scene({ maxBudget: 2_000, dailyBudget: 3_000 });
  const [first, second, third] = [await issueOf(), await issueOf(), await issueOf()] as const;
  await deliver(made.intake, 'issue_comment', await comment(first, '/agora $20.01'));
  await answersTo(first).toEqual([
    'refused: No task was made of this. A task may cost at most $20.00 here. $20.01 were asked for.',
  ]);
  await deliver(made.intake, 'issue_comment', await comment(second, '/agora'));
  await answersTo(second).toHaveLength(1);
  await deliver(made.intake, 'issue_comment', await comment(third, '/agora'));
  await answersTo(third).toEqual([
    "refused: No task was made of this. Of today's $30.00 there are $10.00 left, and $20.00 were asked for. Ask for less, or again tomorrow (UTC).",
  ]);
  expect(await tasksOf(made)).toHaveLength(1);
});

test('only agents that the owner allows are hired, and words that are not understood are answered', async () => {
  const made = await scene();
  const other = await partiesAt(server, second.url);
  const [one, two] = [await issueOf(), await issueOf()] as const;
  await deliver(made.intake, 'issue_comment', await comment(one, `/agora @${other.agent.id}`));
  await answersTo(one).toEqual([
    `refused: No task was made of this. That agent may not be hired here. These may: \`${made.agent.id}\`.`,
  ]);
  await deliver(made.intake, 'issue_comment', await comment(two, '/agora please'));
  await answersTo(two).toEqual([expect.stringMatching(/^refused: .* Write `\/agora`, and after it/)]);
  expect(await tasksOf(made)).toEqual([]);
});

test('what the owner’s own rules or credits do not allow is refused in general words', async () => {
  const made = await scene({ maxBudget: 90_000_000, dailyBudget: 90_000_000 });
  const issue = await issueOf();
  await deliver(made.intake, 'issue_comment', await comment(issue, '/agora'));
  await answersTo(issue).toEqual([
    'refused: No task was made of this. The credit pool does not cover this task. Top it up.',
  ]);
  expect(await tasksOf(made)).toEqual([]);
  // The day's budget is free again.
  const next = await issueOf();
  await deliver(made.intake, 'issue_comment', await comment(next, '/agora $15'));
  await answersTo(next).toEqual([expect.stringMatching(/^started: /)]);
});

test.each<[string, () => Partial<Rules>, string]>([
  ['maximum price', () => ({ perTransactionMax: 1_999 }), 'The budget is above the limit of the policy.'],
  ['categories', () => ({ allowedCategories: ['research'] }), 'The policy does not allow this category.'],
  ['hours', () => ({ operatingHours: hoursIn(server, 30) }), 'The policy does not allow this at this time.'],
])(
  'what the owner’s policy forbids by its %s makes no task, and the comment says which rule',
  async (_what, rules, why) => {
    const made = await scene({ maxBudget: 2_000, dailyBudget: 2_000 });
    await bind(made.buyer, rules());
    const issue = await issueOf();
    await deliver(made.intake, 'issue_comment', await comment(issue, '/agora'));
    await answersTo(issue).toEqual([`refused: No task was made of this. ${why}`]);
    expect([await tasksOf(made), await requestsOf(made)]).toEqual([[], ['refused']]);
    expect(await made.buyer.agora.vault.getPool()).toMatchObject({ balance: 100_000, held: 0 });
    // The day's budget is free again, and the policy forbade it alone.
    await bind(made.buyer, {}, 1);
    const next = await issueOf();
    await deliver(made.intake, 'issue_comment', await comment(next, '/agora'));
    await answersTo(next).toEqual([expect.stringMatching(/^started: /)]);
  },
);
