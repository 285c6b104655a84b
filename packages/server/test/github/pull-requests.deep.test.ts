import { toUuid } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { goodOutput, hire, minute, refusalOf, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { apiOf, commands, makeConverted, makeProject, pullsOf } from './project.ts';
import { type FakeGitHub, goodToken, partiesAt, partyAt, startGitHub } from './scene.ts';

const server = serverForFile();
let github: FakeGitHub;
let second: SecondApp;
let head: string;

beforeAll(async () => {
  github = await startGitHub();
  head = await makeProject(github);
  await makeConverted(github);
  second = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
});
beforeEach(() => {
  github.seen.length = 0;
});
afterEach(() => {
  github.restore(goodToken);
  github.answer(null);
  github.watch(null);
});
afterAll(async () => {
  await second.app.close();
  await github.close();
});

const parties = (options?: { connected: boolean }) => partiesAt(server, second.url, options);

type Wish = NonNullable<NonNullable<Body<'tasks.submit'>['input']['repo']>['pullRequest']>;
const inputOf = (pullRequest: Wish, more: object = {}) => ({
  input: { repo: { url: `${github.url}/octocat/alpha.git`, pullRequest }, ...more },
});

interface Work {
  work?: string[];
  output?: Record<string, unknown>;
  more?: object;
}

/** A task of which the agent has delivered the work, and which the gate has judged so. */
async function judged(
  verdict: 'completed' | 'failed',
  pullRequest: Wish,
  { work = commands, output = goodOutput, more = {} }: Work,
) {
  const pair = await parties();
  const { id } = await hire(pair, inputOf(pullRequest, more));
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  const { data } = await pair.agent.agora.sandbox.exec(id, { command: work.join(' && ') });
  expect(data).toMatchObject({ exitCode: 0 });
  await pair.agent.agora.tasks.complete(id, { output });
  await expect.poll(() => statusOf(pair, id), { timeout: 60_000 }).toBe(verdict);
  return { pair, id, read: async () => (await pair.buyer.agora.tasks.get(id)).pullRequest };
}
type Delivered = Awaited<ReturnType<typeof judged>>;

const delivered = (pullRequest: Wish, work: Work = {}) => judged('completed', pullRequest, work);
const rejected = (output: Record<string, unknown>) =>
  judged('failed', true, { output, more: { acceptance: { checks: [{ name: 'never', command: 'false' }] } } });

const statusOf = async ({ buyer }: Delivered['pair'], id: string) => (await buyer.agora.tasks.get(id)).status;

const look = () => second.app.run('forges.openPullRequests');

/** Looks for what is due until the pull request has this status. */
const until = (task: Delivered, status: string, beforehand = () => {}) =>
  expect.poll(() => statusAfterLook(task, beforehand), { timeout: 60_000 }).toBe(status);

async function statusAfterLook({ read }: Delivered, beforehand: () => void) {
  beforehand();
  await look();
  return (await read())?.status;
}

const eventsOf = async (id: string) =>
  (
    await server.pool.query(`select type, data from events where task_id = $1 and type like 'pull_request.%'`, [
      toUuid('task', id),
    ])
  ).rows;

describe('a completed task', () => {
  test('becomes a pull request with what the agent changed, on top of the commit that was cloned', async () => {
    const task = await delivered(
      { title: 'Make it better', draft: true },
      { more: { files: { 'notes.txt': 'mine\n' } } },
    );
    expect(await task.read()).toEqual({ status: 'pending', url: null, reason: null, message: null });
    await until(task, 'opened');
    const [pull, ...others] = await pullsOf(github, task.id);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({ title: 'Make it better', draft: true, base: { ref: 'main' } });
    expect((await task.read())?.url).toBe(pull.html_url);
    expect((await task.pair.buyer.agora.tasks.list()).data[0]?.pullRequest).toEqual(await task.read());
    const api = apiOf(github, 'alpha');
    const { object } = await api.get(`git/ref/heads/agora/${task.id}`);
    const { parents, message } = await api.get(`git/commits/${object.sha}`);
    expect(parents).toMatchObject([{ sha: head }]);
    expect(message).toBe(`Make it better\n\nagora/${task.id}\n\n[skip ci]`);
    expect(await api.files(object.sha)).toEqual({
      '.gitignore': '100644 node_modules/\n*.log\n',
      README: '100644 better\n',
      'lib/also.js': '120000 new.js',
      'lib/data.bin': '100644 \0\xff',
      'lib/new.js': '100755 new\n',
      'src/link': '120000 ../README',
      'src/run.sh': '100755 echo\n',
    });
    expect(pull.body).toContain(`the Agora task \`${task.id}\`. The quality gate passed it with `);
    expect(pull.body).toContain(' It cost $10.00.\n');
    const [, link = ''] = /The signed receipt: (\S+)/.exec(pull.body) ?? [];
    expect(link).toMatch(/^https?:\/\//);
    // It is for the buyer, signed in.
    const { pathname } = new URL(link);
    const headers = { authorization: `Bearer ${task.pair.buyer.token}` };
    expect(await (await fetch(second.url + pathname, { headers })).text()).toContain(task.id);
    expect(pull.body).toContain('Left out: 1 symbolic link');
    expect(pull.body).toContain('[skip ci]');
    expect(await eventsOf(task.id)).toEqual([{ type: 'pull_request.opened', data: { taskType: 'general' } }]);
    expect((await task.pair.agent.agora.tasks.get(task.id)).pullRequest).toBeNull();
    const { rows } = await server.pool.query('select wanted, object_id from pull_requests where task_id = $1', [
      toUuid('task', task.id),
    ]);
    expect(rows).toEqual([{ wanted: null, object_id: null }]);
  });

  test("says the agent's words where they mention and close nothing", async () => {
    const summary = 'Done @octocat\n````\nFixes #1 \u202egnp.exe';
    const task = await delivered(true, { output: { ...goodOutput, summary } });
    await until(task, 'opened');
    const [{ body, title }] = await pullsOf(github, task.id);
    expect(title).toBe(`Agora: general, ${task.id}`);
    expect(body).toContain('`````text\nDone @octocat\n````\nFixes\u00a0#1 gnp.exe\n`````');
  });

  test("leaves secrets out of the agent's words", async () => {
    const made = 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1eF3hI5';
    const secrets = [`ghp_${made}`, `glpat-${made.slice(0, 20)}`, `ac_live_${made}`, `Authorization: Bearer ${made}`];
    const hidden = `ghp_${made.slice(0, 9)}\u200b${made.slice(9)}`;
    const told = [...secrets, hidden, '![](https://tracks.example/a.png) @everyone'].join('\n');
    // The end of what is shown cuts the last one.
    for (const output of [{ summary: `${told.padEnd(3_980, ' x')} ghp_${made}` }, { log: secrets.join('\n') }]) {
      const task = await delivered(true, { output: { ...goodOutput, ...output } });
      await until(task, 'opened');
      const [{ body }] = await pullsOf(github, task.id);
      expect(body).toContain('In the words of the agent, which nobody has checked:\n\n````text\n');
      expect(body).not.toContain(made.slice(0, 8));
      expect(body).not.toContain(goodToken);
    }
  });

  test('runs the checks of the repository at once only where the buyer says so', async () => {
    const task = await delivered({ runChecks: true });
    await until(task, 'opened');
    const [{ body, head: branch }] = await pullsOf(github, task.id);
    expect(body).not.toContain('[skip ci]');
    expect((await apiOf(github, 'alpha').get(`git/commits/${branch.sha}`)).message).not.toContain('[skip ci]');
  });

  test('is committed as git would commit it by the attributes of the repository', async () => {
    const repo = { url: `${github.url}/octocat/gamma.git`, pullRequest: true };
    const work = [
      'sed -i s/one/1/ dos.txt',
      String.raw`printf 'w\0i\0d\0e\0r\0\n\0' > wide.txt`,
      "echo '// more' >> kept.c",
      String.raw`sed -i 's/\$Id: .*/$Id: another $/' other.c`,
      String.raw`printf 'c\r\nd\r\n' > old.txt`,
      String.raw`printf 'c\r\nd\r\n' > auto.txt`,
      String.raw`printf 'c\r\nd\r\n' > new.txt`,
      'printf content > large.bin',
      'printf content > new.bin',
    ];
    const task = await delivered(true, { work, more: { repo } });
    await until(task, 'opened');
    const [pull] = await pullsOf(github, task.id, 'gamma');
    const api = apiOf(github, 'gamma');
    const before = await api.files('main');
    expect(await api.files(pull.head.sha)).toEqual({
      ...before,
      'dos.txt': '100644 1\ntwo\n',
      'wide.txt': '100644 wider\n',
      'kept.c': '100644 // $Id$\n// more\n',
      'old.txt': '100644 c\r\nd\r\n',
      'auto.txt': '100644 c\nd\n',
      'new.txt': '100644 c\nd\n',
    });
    expect(pull.body).toContain('Left out: 2 changes of files that Git LFS keeps.');
  });

  test('of which a pull request takes nothing has none, and says why', async () => {
    const repo = { url: `${github.url}/octocat/gamma.git`, pullRequest: true };
    const task = await delivered(true, { work: ['printf content > large.bin'], more: { repo } });
    await until(task, 'failed');
    expect(await task.read()).toMatchObject({
      reason: 'left_out',
      message: expect.stringContaining('only what a pull request leaves out'),
    });
    expect(await pullsOf(github, task.id, 'gamma')).toEqual([]);
  });

  test('that changed nothing has no pull request, and says why', async () => {
    const task = await delivered(true, { work: ['echo x > debug.log'] });
    await until(task, 'failed');
    expect(await task.read()).toMatchObject({ reason: 'no_changes', url: null });
    expect(await pullsOf(github, task.id)).toEqual([]);
  });
});

describe('once each', () => {
  /** What GitHub has done, and whose answer never came, when the server ends: the lease passes, and another goes on. */
  test.each([
    ['the branch', /git\/refs$/],
    ['the pull request', /\/pulls$/],
  ])('it is opened, although the answer about %s was lost', async (_what, path) => {
    const task = await delivered(true);
    let lost = 0;
    github.watch((request) => {
      if (request.method !== 'POST' || !path.test(request.url as string)) return false;
      lost += 1;
      request.socket.destroy();
      return true;
    });
    await look();
    await expect.poll(() => lost, { timeout: 60_000 }).toBe(1);
    github.watch(null);
    await until(task, 'opened', () => server.clock.advance(2 * minute));
    expect(await pullsOf(github, task.id)).toHaveLength(1);
    expect(await eventsOf(task.id)).toHaveLength(1);
  });

  test('it is opened by another server, where the first one ends in the middle', async () => {
    const task = await delivered(true);
    const first = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
    let held = 0;
    github.watch(() => {
      held += 1;
      return true;
    });
    await first.app.run('forges.openPullRequests');
    await expect.poll(() => held, { timeout: 60_000 }).toBeGreaterThan(0);
    await first.app.close();
    github.watch(null);
    await until(task, 'opened', () => server.clock.advance(2 * minute));
    expect(await pullsOf(github, task.id)).toHaveLength(1);
  });

  test('two servers that look at the same time open one', async () => {
    const task = await delivered(true);
    const third = await startSecondApp(server, { config: { ...server.config, ...github.settings } });
    await Promise.all([look(), third.app.run('forges.openPullRequests')]);
    await until(task, 'opened');
    await third.app.close();
    expect(await pullsOf(github, task.id)).toHaveLength(1);
  });
});

describe('what GitHub refuses', () => {
  test('a revoked token fails the pull request and leaves the task paid', async () => {
    const task = await delivered(true);
    github.revoke(goodToken);
    await until(task, 'failed');
    expect(await task.read()).toMatchObject({ status: 'failed', reason: 'token_refused', url: null });
    const { status, creditsCharged } = await task.pair.buyer.agora.tasks.get(task.id);
    expect({ status, creditsCharged }).toEqual({ status: 'completed', creditsCharged: 1000 });
    expect(await eventsOf(task.id)).toMatchObject([{ type: 'pull_request.failed', data: { reason: 'token_refused' } }]);
    await second.app.run('embassy.notify');
    const { data } = await task.pair.buyer.agora.embassy.listNotifications();
    expect(data).toContainEqual(expect.objectContaining({ kind: 'pull_request_failed', taskId: task.id }));
  });

  test('its words are told in one short line', async () => {
    const task = await delivered(true);
    const message = `refusing to allow ${goodToken} to update workflow \u202e\n${'x'.repeat(1_000)}`;
    github.answer((response) => void response.writeHead(403).end(JSON.stringify({ message })));
    await until(task, 'failed');
    const { reason, message: told } = (await task.read()) as { reason: string; message: string };
    expect(reason).toBe('not_permitted');
    expect(told).toMatch(
      /^There is no pull request, because .* The forge said: refusing to allow \[the token removed\] to update [^\n\u202e]*$/,
    );
    expect(told.length).toBeLessThan(500);
  });

  test('a failure of its own is tried again for a day, and then told', async () => {
    const task = await delivered(true);
    github.answer((response) => void response.writeHead(502).end('oh'));
    let tries = 0;
    await until(task, 'failed', () => {
      server.clock.advance(12 * 60 * minute);
      tries += 1;
    });
    expect(tries).toBeGreaterThanOrEqual(8);
    expect(await task.read()).toMatchObject({ reason: 'unreachable' });
  });

  test('a GitHub that hangs holds up no other owner', async () => {
    const slow = await delivered(true);
    let held = 0;
    github.watch(() => {
      held += 1;
      return true;
    });
    await look();
    await expect.poll(() => held, { timeout: 60_000 }).toBeGreaterThan(0);
    github.watch(null);
    const other = await delivered(true);
    await until(other, 'opened');
    expect((await slow.read())?.status).toBe('pending');
  });
});

describe('a submission', () => {
  test('needs a connected account', async () => {
    const pair = await parties({ connected: false });
    expect(await refusalOf(hire(pair, inputOf(true)))).toBe('409 GITHUB_NOT_CONNECTED');
    expect((await hire(pair, inputOf(false))).pullRequest).toBeNull();
  });

  test.each(['http://localhost:1/octocat/alpha', '/octocat/alpha/tree/main', '/octocat', '/octocat/...'])(
    'names a repository at GitHub, not %s',
    async (path) => {
      const pair = await parties();
      const repo = { url: path.startsWith('/') ? github.url + path : path, pullRequest: true };
      expect(await refusalOf(hire(pair, { input: { repo } }))).toBe('400 VALIDATION_ERROR');
    },
  );

  test.each([{ title: 'two\nlines' }, { base: 'a..b' }, { title: '' }, { other: 1 }])(
    'is not taken with %o',
    async (wish) => {
      expect(await refusalOf(hire(await parties(), inputOf(wish as Wish)))).toBe('400 VALIDATION_ERROR');
    },
  );

  test('is the owner’s own: its agent cannot ask for one', async () => {
    const pair = await parties();
    const own = partyAt(second.url, await pair.buyer.agent());
    const submitting = own.agora.tasks.submitAsAgent({
      ...{ taskType: 'general', maxBudget: 1000, agentId: pair.agent.id },
      ...inputOf(true),
    });
    expect(await refusalOf(submitting)).toBe('400 VALIDATION_ERROR');
  });
});

test('work that its buyer takes although the gate has failed it becomes a pull request that says so', async () => {
  const task = await rejected(goodOutput);
  const { pair, id } = task;
  await pair.buyer.agora.tasks.accept(id);
  await until(task, 'opened');
  const [{ body }] = await pullsOf(github, id);
  expect(body).toMatch(/The quality gate gave it \d+ of 100, and its buyer took it all the same\. It cost \$10\.00\./);
});

test('a rejected delivery leaves nothing of its changes', async () => {
  const { id, read } = await rejected({});
  await look();
  // Its buyer may take it for a day.
  server.clock.advance(24 * 60 * minute + 1);
  await second.app.run('forges.forgetUnpaid');
  const { rows } = await server.pool.query('select 1 from pull_requests where task_id = $1', [toUuid('task', id)]);
  expect(rows).toEqual([]);
  expect(await read()).toBeNull();
  expect(await pullsOf(github, id)).toEqual([]);
});
