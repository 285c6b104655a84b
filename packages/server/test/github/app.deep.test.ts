import { randomUUID } from 'node:crypto';
import { toUuid } from '@agora-market/contract';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { goodOutput, minute, refusalOf, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { apiOf, makeProject, pullsOf } from './project.ts';
import {
  appHook,
  type FakeGitHub,
  installAt,
  installation,
  partiesAt,
  postTo,
  startGitHub,
  strangersToken,
  theApp,
} from './scene.ts';

/** The operator's GitHub App: who may connect an installation, and what it does in place of an owner's token. */

// GitHub judges the signatures of the App by the real time.
const server = serverForFile({ at: new Date().toISOString() });
let github: FakeGitHub;
let second: SecondApp;
let octocat: ReturnType<typeof apiOf>;
let account: Awaited<ReturnType<typeof installAt>>;

beforeAll(async () => {
  github = await startGitHub();
  await makeProject(github);
  second = await startSecondApp(server, {
    config: { ...server.config, ...github.settings, ...github.appSettings },
  });
  octocat = apiOf(github, 'alpha');
  await octocat.put('collaborators/eve', { permission: 'pull' });
  account = await installAt(github);
});
afterEach(async () => {
  github.watch(null);
  github.people.installations = [{ ...installation, account }];
  github.people.memberships = {};
  await server.pool.query('delete from forge_connections');
});
afterAll(async () => {
  await second.app.close();
  await github.close();
});

const parties = () => partiesAt(server, second.url, { connected: false });
type Parties = Awaited<ReturnType<typeof parties>>;

/** An owner who has agreed at GitHub. */
async function connect({ buyer }: Parties, more: { installationId?: number } = {}) {
  const { url } = await buyer.agora.github.authorize();
  return buyer.agora.github.connect({ ...(await github.agree(url)), ...more });
}

/** An owner with an installation and an intake of its repository. */
async function scene() {
  const pair = await parties();
  github.people.installations = [{ ...installation, account }];
  await connect(pair);
  const intake = await pair.buyer.agora.github.setIntake({
    ...{ repository: 'octocat/alpha', maxBudget: 2_000, dailyBudget: 10_000, agentIds: [pair.agent.id] },
  });
  return { ...pair, intake };
}
type Scene = Awaited<ReturnType<typeof scene>>;

/** What GitHub tells the App. */
const tell = (...told: Parameters<typeof appHook>) => postTo(second.url, 'app', appHook(...told));

async function commented(issue: number, body: string, by = octocat) {
  const { id } = await by.post(`issues/${issue}/comments`, { body });
  return { action: 'created', issue: { number: issue }, comment: { id, body } };
}

const newIssue = async (): Promise<number> => (await octocat.post('issues', { title: 'Wrong', body: 'x' })).number;

const jobs = ['forges.readRequest', 'forges.openPullRequests', 'forges.endRequests', 'forges.tellRequest'] as const;
const work = async (at = second) => {
  for (const job of jobs) await at.app.run(job);
};
const said = async (issue: number): Promise<{ by: string; text: string }[]> =>
  (await octocat.get(`issues/${issue}/comments?per_page=100`))
    .filter(({ body }: { body: string }) => body.startsWith('<!-- agora '))
    .map(({ body, user }: { body: string; user: { login: string } }) => ({
      ...{ by: user.login, text: body.replace(/^<!-- agora \S+ (\w+) -->\n/, '$1: ') },
    }));
const untilSaid = (issue: number, count: number, working: () => Promise<unknown> = work) =>
  expect
    .poll(async () => {
      await working();
      return (await said(issue)).length;
    })
    .toBe(count);

async function deliver({ agent }: Scene, id: string, command: string): Promise<void> {
  const { sandboxId } = (await agent.agora.sandbox.provision(id)).data;
  await agent.agora.tasks.start(id, { sandboxId });
  await agent.agora.sandbox.exec(id, { command });
  await agent.agora.tasks.complete(id, { output: goodOutput });
}

const newest = async ({ buyer }: Scene) => (await buyer.agora.tasks.list({ pageSize: 1, include: 'content' })).data[0];
const requests = async ({ intake }: Scene) =>
  (
    await server.pool.query('select status from intake_requests where intake_id = $1', [toUuid('intake', intake.id)])
  ).rows.map(({ status }) => status);

test('an installation is connected by who owns its account, and no token of theirs is kept', async () => {
  const pair = await parties();
  github.people.installations = [{ ...installation, account }];
  expect(await connect(pair)).toMatchObject({ method: 'app', login: 'octocat', connected: true });
  const { rows } = await server.pool.query('select token, installation_id from forge_connections');
  expect(rows).toEqual([{ token: null, installation_id: theApp.installation }]);
  expect((await pair.buyer.agora.github.connection()).method).toBe('app');
  // What is told of an installation is for one owner.
  expect(await refusalOf(connect(await parties()))).toBe('400 VALIDATION_ERROR');
});

test('who only sees an installation does not connect it', async () => {
  const refusal = async (type: string, role?: string) => {
    github.people.installations = [{ ...installation, account: { id: 1_000_000, login: 'acme', type } }];
    github.people.memberships = role === undefined ? {} : { acme: { state: 'active', role } };
    return refusalOf(connect(await parties()));
  };
  expect(await refusal('User')).toBe('400 GITHUB_TOKEN_REFUSED');
  expect(await refusal('Organization')).toBe('400 GITHUB_TOKEN_REFUSED');
  expect(await refusal('Organization', 'member')).toBe('400 GITHUB_TOKEN_REFUSED');
  github.people.memberships = { acme: { state: 'active', role: 'admin' } };
  expect(await connect(await parties())).toMatchObject({ method: 'app', login: 'acme' });
});

test('without an installation, and with several, the owner is told what to do', async () => {
  const pair = await parties();
  github.people.installations = [];
  await expect(connect(pair)).rejects.toThrow(
    `Install the App first, at ${github.url}/apps/agora-app/installations/new`,
  );
  github.people.installations = [
    { ...installation, account },
    { ...installation, id: 2, account },
  ];
  await expect(connect(pair)).rejects.toMatchObject({
    ...{ code: 'VALIDATION_ERROR', message: expect.stringContaining('815 (octocat), 2 (octocat)') },
  });
  expect(await connect(pair, { installationId: theApp.installation })).toMatchObject({ method: 'app' });
});

test('what GitHub tells the App becomes a task, a pull request, a check run, and two comments of the App', async () => {
  const made = await scene();
  expect(made.intake).toMatchObject({
    secret: null,
    webhookUrl: expect.stringMatching(/\/api\/v1\/github\/app\/webhook$/),
  });
  const issue = await newIssue();
  const asked = await commented(issue, '/agora');
  const id = randomUUID();
  await Promise.all([1, 2].map(() => tell('issue_comment', asked, { id })));
  await untilSaid(issue, 1);
  const task = (await newest(made)) as { id: string };
  await deliver(made, task.id, 'echo better > README');
  await expect.poll(async () => (await newest(made))?.status).toBe('completed');
  // Held-out files lie in a repository of their own, which this one does not name.
  await server.pool.query(`update assessments set criteria = (criteria::jsonb || $2::jsonb)::json where task_id = $1`, [
    toUuid('task', task.id),
    JSON.stringify([
      { name: 'check: held out', score: 100, weight: 1, evidence: 'src/secret.js:1 passed', reveal: 'none' },
    ]),
  ]);
  // GitHub makes the check run, and nobody hears of it.
  let lost = 0;
  github.watch(({ method, url = '', socket }) => {
    if (method !== 'POST' || !url.endsWith('/check-runs') || lost > 0) return false;
    lost += 1;
    socket.destroy();
    return true;
  });
  await untilSaid(issue, 2, async () => {
    server.clock.advance(minute);
    await work();
  });
  expect(lost).toBe(1);
  expect((await said(issue)).map(({ by }) => by)).toEqual(['agora-app[bot]', 'agora-app[bot]']);
  const [pull] = await pullsOf(github, task.id);
  const { check_runs: runs } = await octocat.get(`commits/${pull.head.sha}/check-runs`);
  expect(runs).toHaveLength(1);
  expect(runs[0]).toMatchObject({
    ...{ name: 'Agora', status: 'completed', conclusion: 'success', details_url: expect.stringContaining(task.id) },
    output: { title: expect.stringMatching(/^The quality gate gave \d+ of 100$/), annotations_count: 0 },
  });
  expect(runs[0].output.summary).toContain('cost $10.00. See the [signed receipt](');
  expect(runs[0].output.summary).not.toContain('secret.js');
  expect(await requests(made)).toEqual(['ended']);
});

test('a label becomes a task too, and the lines that its checks print are annotations of the check run', async () => {
  const made = await scene();
  const command = "grep -nH TODO ./src/run.sh; echo '/etc/passwd:1 no'; echo '../x.js:2 no'";
  const content = (text: string) => Buffer.from(text).toString('base64');
  const file = content(`checks:\n  - name: lint\n    command: ${JSON.stringify(command)}\n`);
  const { content: stored } = await octocat.put('contents/.agora.yml', { message: 'Checks', content: file });
  const issue = await newIssue();
  const labelled = { action: 'labeled', issue: { number: issue }, label: { name: 'agora' } };
  const asked = { ...labelled, sender: { login: 'octocat' } };
  // GitHub tells of a label that is not there, or not there any more.
  expect(await tell('issues', asked)).toBe(202);
  await expect
    .poll(async () => {
      await work();
      return requests(made);
    })
    .toEqual(['ignored']);
  await octocat.post(`issues/${issue}/labels`, { labels: ['agora'] });
  expect(await tell('issues', asked)).toBe(202);
  await untilSaid(issue, 1);
  const task = (await newest(made)) as { id: string };
  await deliver(made, task.id, "echo '# TODO: quote it' >> src/run.sh");
  await expect.poll(async () => (await newest(made))?.status).toBe('completed');
  await untilSaid(issue, 2, async () => {
    server.clock.advance(minute);
    await work();
  });
  expect((await said(issue)).map(({ by }) => by)).toEqual(['agora-app[bot]', 'agora-app[bot]']);
  const [pull] = await pullsOf(github, task.id);
  const { check_runs: runs } = await octocat.get(`commits/${pull.head.sha}/check-runs`);
  expect(runs).toMatchObject([{ name: 'Agora', conclusion: 'success', output: { annotations_count: 1 } }]);
  const { check_annotations: annotations } = await octocat.get(`check-runs/${runs[0].id}/annotations`);
  expect(annotations).toMatchObject([
    {
      ...{ path: 'src/run.sh', start_line: 2, end_line: 2 },
      message: 'check: lint: ./src/run.sh:2:# TODO: quote it',
    },
  ]);
  await octocat.put('contents/.agora.yml', { message: 'Mend', content: content('# none\n'), sha: stored.sha });
});

test('only repositories of the installation take issues, although its token reads public ones of others', async () => {
  const made = await scene();
  const name = 'theirs';
  const reply = await fetch(`${github.settings.GITHUB_API_BASE}/user/repos`, {
    method: 'POST',
    headers: { authorization: `Bearer ${strangersToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ name, auto_init: true }),
  });
  expect(reply.status).toBe(201);
  await reply.arrayBuffer();
  const set = (repository: string) =>
    refusalOf(made.buyer.agora.github.setIntake({ repository, maxBudget: 5, dailyBudget: 6 }));
  expect(await set(`eve/${name}`)).toBe('400 VALIDATION_ERROR');
  github.people.repositories = [{ full_name: 'octocat/alpha', private: true, default_branch: 'main' }];
  expect((await made.buyer.agora.github.repositories()).data).toMatchObject([{ fullName: 'octocat/alpha' }]);
});

test('a wrong signature is refused, and another installation, repository or person asks for nothing', async () => {
  const made = await scene();
  const issue = await newIssue();
  const asked = await commented(issue, '/agora');
  expect(await tell('issue_comment', asked, { secret: 'wrong' })).toBe(400);
  expect(await tell('issue_comment', asked, { secret: made.intake.id })).toBe(400);
  expect(await tell('issue_comment', asked, { installation: 4 })).toBe(202);
  expect(await tell('issue_comment', { ...asked, repository: { full_name: 'octocat/beta' } })).toBe(202);
  expect(await requests(made)).toEqual([]);
  const theirs = await commented(issue, '/agora', apiOf(github, 'alpha', strangersToken));
  expect(await tell('issue_comment', theirs)).toBe(202);
  await expect
    .poll(async () => {
      await work();
      return requests(made);
    })
    .toEqual(['ignored']);
});

test('a token of an installation is kept until shortly before its end', async () => {
  const made = await scene();
  let asked = 0;
  github.watch(({ url = '' }) => {
    if (url.endsWith('/access_tokens')) asked += 1;
    return false;
  });
  const set = () => made.buyer.agora.github.setIntake({ repository: 'octocat/alpha', maxBudget: 5, dailyBudget: 6 });
  await set();
  const before = asked;
  await set();
  expect(asked).toBe(before);
  server.clock.advance(56 * minute);
  await set();
  expect(asked).toBe(before + 1);
});

test('without the settings of an App its webhook is refused', async () => {
  const third = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
  const reply = await fetch(`${third.url}/api/v1/github/app/webhook`, {
    ...{ method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
  });
  await reply.arrayBuffer();
  expect(reply.status).toBe(400);
  await third.app.close();
});
