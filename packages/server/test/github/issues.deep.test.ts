import { createHmac, randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { goodOutput, minute, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { apiOf, makeProject, pullsOf } from './project.ts';
import { type FakeGitHub, partiesAt, saidIn, startGitHub, strangersToken } from './scene.ts';

/** From an issue at GitHub, by its own webhook, to the pull request and what the issue is told. */

const server = serverForFile();
let github: FakeGitHub;
let second: SecondApp;
let octocat: ReturnType<typeof apiOf>;
/** Of the test that runs. */
const hooks: number[] = [];

beforeAll(async () => {
  github = await startGitHub();
  await makeProject(github);
  second = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
  octocat = apiOf(github, 'alpha');
  await octocat.put('collaborators/eve', { permission: 'pull' });
});
afterEach(async () => {
  github.watch(null);
  for (const hook of hooks.splice(0)) await octocat.patch(`hooks/${hook}`, { active: false });
});
afterAll(async () => {
  await second.app.close();
  await github.close();
});

/** A connected owner with an intake, whose webhook is set up at GitHub, and the agent that it hires. */
async function scene() {
  const parties = await partiesAt(server, second.url);
  const budgets = { maxBudget: 2_000, dailyBudget: 10_000 };
  const { id, secret } = await parties.buyer.agora.github.setIntake({
    ...{ repository: 'octocat/alpha', agentIds: [parties.agent.id] },
    ...budgets,
  });
  const url = `${second.url}/api/v1/github/intakes/${id}/webhook`;
  const config = { url, secret, content_type: 'json' };
  const hook = await octocat.post('hooks', { config, events: ['issues', 'issue_comment'], active: true });
  hooks.push(hook.id);
  /** About a pull request, of which the emulator sends no webhook. */
  const tell = async (event: string, payload: object) => {
    const about = { repository: { full_name: 'octocat/alpha' }, sender: { login: 'octocat' } };
    const told = JSON.stringify({ ...payload, ...about });
    const signature = createHmac('sha256', secret as string)
      .update(told)
      .digest('hex');
    const headers = {
      ...{ 'content-type': 'application/json', 'x-github-event': event, 'x-github-delivery': randomUUID() },
      'x-hub-signature-256': `sha256=${signature}`,
    };
    expect((await fetch(url, { method: 'POST', headers, body: told })).status).toBe(202);
  };
  const say = async (pull: number, body: string) => {
    const { id } = await octocat.post(`issues/${pull}/comments`, { body });
    await tell('issue_comment', {
      ...{ action: 'created', issue: { number: pull, pull_request: {} }, comment: { id, body } },
    });
  };
  return { ...parties, tell, say };
}
type Scene = Awaited<ReturnType<typeof scene>>;

const jobs = ['forges.readRequest', 'forges.openPullRequests', 'forges.endRequests', 'forges.tellRequest'] as const;
const work = async (at = second) => {
  for (const job of jobs) await at.app.run(job);
};

const said = async (issue: number): Promise<string[]> =>
  saidIn(await octocat.get(`issues/${issue}/comments?per_page=100`));

const untilSaid = (issue: number, count: number, beforehand = () => {}) =>
  expect
    .poll(async () => {
      beforehand();
      await work();
      return (await said(issue)).length;
    })
    .toBe(count);

const newest = async ({ buyer }: Scene) => (await buyer.agora.tasks.list({ pageSize: 1, include: 'content' })).data[0];

async function deliver({ agent }: Scene, id: string, command: string): Promise<void> {
  const { sandboxId } = (await agent.agora.sandbox.provision(id)).data;
  await agent.agora.tasks.start(id, { sandboxId });
  await agent.agora.sandbox.exec(id, { command });
  await agent.agora.tasks.complete(id, { output: goodOutput });
}

test('a label becomes a task, a pull request with its verdict, and two comments; a review’s rework follows', async () => {
  const made = await scene();
  const { number } = await octocat.post('issues', { title: 'README is not good', body: 'Make it better' });
  await octocat.post(`issues/${number}/labels`, { labels: ['agora'] });
  await untilSaid(number, 1);
  const task = (await newest(made)) as { id: string };
  await deliver(made, task.id, 'echo better > README');
  await expect.poll(async () => (await newest(made))?.status).toBe('completed');
  // The emulator has no statuses, as a token may have no right to set them.
  const asked: string[] = [];
  github.watch(({ method, url }) => {
    asked.push(`${method} ${url}`);
    return false;
  });
  await untilSaid(number, 2);
  const [pull] = await pullsOf(github, task.id);
  expect(pull).toMatchObject({ title: `Fix #${number}`, base: { ref: 'main' } });
  const [started, ended] = await said(number);
  expect(started).toContain(`/tasks/${task.id}). A fix that passes costs $10.00, and none nothing.`);
  expect(ended).toContain(`ended: The fix: ${pull.html_url}\n\n[\`${task.id}\`]`);
  expect(ended).toMatch(/passed the quality gate with \d+ of 100 and cost \$10\.00\. See the \[signed receipt\]/);
  expect(asked).toContain(`POST /api/repos/octocat/alpha/statuses/${pull.head.sha}`);

  // A branch that was pushed over in the meantime is taken as it is.
  const { object } = await octocat.get('git/ref/heads/main');
  await octocat.patch(`git/refs/heads/agora/${task.id}`, { sha: object.sha, force: true });
  await made.say(pull.number, '/agora rework Use one more line');
  await untilSaid(pull.number, 1);
  const again = await newest(made);
  expect(again?.id).not.toBe(task.id);
  expect(again?.input.repo).toMatchObject({
    ref: `agora/${task.id}`,
    pullRequest: { base: `agora/${task.id}`, title: `Rework #${pull.number}` },
  });
  expect(again?.input.description).toContain('````text\nUse one more line\n````');
});

test('a comment at a line, and a review, ask for another round with what they say', async () => {
  const made = await scene();
  const { number } = await octocat.post('issues', { title: 'README is not good', body: 'Make it better' });
  await octocat.post(`issues/${number}/comments`, { body: '/agora' });
  await untilSaid(number, 1);
  const task = (await newest(made)) as { id: string };
  await deliver(made, task.id, 'echo better > README');
  await untilSaid(number, 2);
  const [{ number: pull, head }] = await pullsOf(github, task.id);
  const at = { commit_id: head.sha, path: 'README', line: 1, side: 'RIGHT' };
  const line = await octocat.post(`pulls/${pull}/comments`, { body: '/agora rework Shorter', ...at });
  const asked = { action: 'created', pull_request: { number: pull }, comment: { id: line.id, body: line.body } };
  await made.tell('pull_request_review_comment', asked);
  await made.tell('pull_request_review_comment', asked);
  await untilSaid(pull, 1);
  const first = await newest(made);
  expect(first?.input.description).toContain('````text\nAt README, line 1:\n\nShorter\n````');
  expect(first?.input.repo).toMatchObject({ ref: `agora/${task.id}` });
  await made.buyer.agora.tasks.cancel(first?.id as string);
  await untilSaid(pull, 2);
  const review = await octocat.post(`pulls/${pull}/reviews`, { event: 'COMMENT', body: '/agora rework All of it' });
  await made.tell('pull_request_review', {
    ...{ action: 'submitted', pull_request: { number: pull }, review: { id: review.id, body: review.body } },
  });
  await untilSaid(pull, 3);
  expect((await newest(made))?.input.description).toContain('````text\nAll of it\n````');
  expect((await made.buyer.agora.tasks.list()).data).toHaveLength(3);
});

test('a pull request of a fork, or of a branch that no task has made, is worked on in no case', async () => {
  const made = await scene();
  const opened = async (fork: ReturnType<typeof apiOf>, head: string, branch: string) => {
    const { object } = await fork.get('git/ref/heads/main');
    await fork.post('git/refs', { ref: `refs/heads/${branch}`, sha: object.sha });
    const tree = [{ path: 'new.txt', mode: '100644', type: 'blob', content: `${head}\n` }];
    const base = (await fork.get(`git/commits/${object.sha}`)).tree.sha;
    const { sha } = await fork.post('git/trees', { base_tree: base, tree });
    const commit = await fork.post('git/commits', { message: 'new', tree: sha, parents: [object.sha] });
    await fork.patch(`git/refs/heads/${branch}`, { sha: commit.sha, force: true });
    return (await octocat.post('pulls', { title: 'Feature', head, base: 'main' })).number as number;
  };
  const own = await opened(octocat, 'feature', 'feature');
  await made.say(own, '/agora');
  await made.say(own, '/agora rework Better');
  await untilSaid(own, 2);
  expect((await said(own)).toSorted()).toEqual([
    'refused: No task was made of this. `/agora rework` is for the pull request of a task.',
    'refused: No task was made of this. `/agora` is for issues. On the pull request of a task, `/agora rework` and what is to change.',
  ]);
  const branch = 'agora/tsk_01jxyz3k9mf5t8v2q7h4n6p0rs';
  await apiOf(github, 'alpha', strangersToken).post('forks', {});
  const forked = await opened(apiOf(github, 'alpha', strangersToken, 'eve'), `eve:${branch}`, branch);
  await made.say(forked, '/agora rework Better');
  await untilSaid(forked, 1);
  expect(await said(forked)).toEqual([
    'refused: No task was made of this. `/agora rework` is for the pull request of a task.',
  ]);
  expect(await newest(made)).toBeUndefined();
});

test('a task that fails is told with the reason, in a code block', async () => {
  const made = await scene();
  const { number } = await octocat.post('issues', { title: 'Never', body: 'x' });
  await octocat.post(`issues/${number}/comments`, { body: '/agora' });
  await untilSaid(number, 1);
  const task = (await newest(made)) as { id: string };
  await made.agent.agora.tasks.start(task.id, { sandboxId: 'mine' });
  const secret = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5';
  await made.agent.agora.tasks.fail(task.id, {
    ...{ reason: 'Cannot', errorMessage: `@octocat \`\`\` closes #1 ghp_${secret} Authorization: Bearer ${secret}` },
  });
  await untilSaid(number, 2);
  const [, ended] = await said(number);
  expect(ended).toMatch(/^ended: There is no fix: .* is failed\. Nothing was charged\./);
  expect(ended).toContain(
    '````text\nCannot: @octocat ``` closes\u00a0#1 [a GitHub token removed] [an authorization removed]\n````',
  );
});

test('a server that ends after each call leaves one task and one comment of each kind', async () => {
  const made = await scene();
  const { number } = await octocat.post('issues', { title: 'Once', body: 'x' });
  await octocat.post(`issues/${number}/comments`, { body: '/agora' });
  // GitHub has taken the comment, and nobody hears of it.
  let lost = 0;
  github.watch(({ method, url = '', socket }) => {
    if (method !== 'POST' || !/issues\/\d+\/comments$/.test(url) || lost > 0) return false;
    lost += 1;
    socket.destroy();
    return true;
  });
  const third = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
  await expect
    .poll(async () => {
      await Promise.all([work(), work(third)]);
      return lost;
    })
    .toBe(1);
  await expect
    .poll(async () => {
      server.clock.advance(minute);
      await Promise.all([work(), work(third)]);
      const { rows } = await server.pool.query(`select 1 from queued_jobs where kind like 'forges.%'`);
      return rows.length;
    })
    .toBe(0);
  await third.app.close();
  expect(await said(number)).toHaveLength(1);
  expect((await made.buyer.agora.tasks.list()).data).toHaveLength(1);
});
