import { randomUUID } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { minute, refusalOf, type SecondApp, serverForFile, startSecondApp } from '../api/scene.ts';
import { commitFile, type Forge, type Ticket } from '../support/forge-state.ts';
import { git } from '../support/git-server.ts';
import { deliver, hooks, kinds, newest, type Scene, saidAt, sceneAt, start, workAt } from './scene.ts';

/** From an issue at Gitea or GitLab, by a clone and a push over HTTP, to the pull request and what the issue is told. */

const server = serverForFile();
let second: SecondApp;

beforeAll(async () => {
  second = await startSecondApp(server, { config: { ...server.config, OUTBOUND_ALLOW_LOOPBACK: true } });
});
afterAll(() => second.app.close());

const work = (at = second) => workAt(at);

const commands = [
  'echo better > README',
  'rm src/old.js',
  'mkdir -p lib/deep src/old.js .gitea/workflows',
  'echo new > lib/deep/new.js',
  'chmod +x lib/deep/new.js',
  'echo below > src/old.js/below.txt',
  String.raw`printf "\\000\\377" > lib/data.bin`,
  'ln -s deep/new.js lib/also.js',
  'echo "on: push" > .gitea/workflows/run.yml',
  'echo "run: x" > .gitlab-ci.yml',
];

const untilCompleted = (made: Scene) => expect.poll(async () => (await newest(made))?.status).toBe('completed');

describe.each(kinds)('%s', (kind) => {
  let forge: Forge;
  beforeAll(async () => {
    forge = await start[kind](() => server.clock.now());
  });
  afterEach(() => forge.watch(null));
  afterAll(() => forge.close());

  const scene = () => sceneAt(server, second, kind, forge);
  const untilSaid = (ticket: Ticket, count: number) =>
    expect
      .poll(async () => {
        await work();
        return saidAt(ticket).length;
      })
      .toBe(count);
  const pullsOf = (id: string) => forge.state.tickets.filter(({ pull }) => pull?.branch === `agora/${id}`);
  /** The files of a branch, with mode and text. */
  const filesOf = (branch: string) =>
    Object.fromEntries(
      git(forge.path, 'ls-tree', '-r', branch)
        .split('\n')
        .map((line) => {
          const [, mode, sha, path] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/.exec(line) as RegExpExecArray;
          return [path, `${mode} ${git(forge.path, 'cat-file', 'blob', sha as string)}`];
        }),
    );

  test('a comment becomes a push, a merge request with its verdict, and two comments; a rework follows', async () => {
    const made = await scene();
    const head = git(forge.path, 'rev-parse', 'main');
    const ticket = made.open('README is not good', { body: 'Make it better' });
    await made.ask(ticket, '/agora');
    await untilSaid(ticket, 1);
    const task = (await newest(made)) as { id: string };
    await deliver(made, task.id, commands);
    await untilCompleted(made);
    await untilSaid(ticket, 2);
    const [pull, ...others] = pullsOf(task.id);
    expect(others).toEqual([]);
    expect(pull).toMatchObject({
      title: `Fix #${ticket.number}${kind === 'gitea' ? ' [skip ci]' : ''}`,
      pull: { base: 'main' },
    });
    expect(pull?.body).toContain('Left out: 2 changes of workflows');
    const branch = `agora/${task.id}`;
    expect(git(forge.path, 'rev-parse', `${branch}^`)).toBe(head);
    expect(git(forge.path, 'log', '-1', '--format=%an|%B', branch)).toBe(
      `Agora|Fix #${ticket.number}\n\n${branch}\n\n[skip ci]`,
    );
    expect(filesOf(branch)).toEqual({
      README: '100644 better',
      'lib/also.js': '120000 deep/new.js',
      'lib/data.bin': expect.stringMatching(/^100644 \0/),
      'lib/deep/new.js': '100755 new',
      'src/old.js/below.txt': '100644 below',
      'src/run.sh': '100755 echo',
    });
    expect(git(forge.path, 'fsck', '--strict', branch)).toBe('');
    expect(saidAt(ticket)[1]).toMatch(
      /^ended: The fix: \S+\n\n.* passed the quality gate with \d+ of 100 and cost \$10\.00\. See the \[signed receipt\]/,
    );
    expect(forge.state.statuses).toMatchObject([
      { commit: forge.state.branch(branch), state: 'success', description: expect.stringContaining('of 100') },
    ]);
    expect(JSON.stringify(forge.state.tickets.map(({ said, body }) => [said, body]))).not.toContain(made.intake.secret);
    expect(saidAt(ticket).join() + pull?.body).not.toContain(forge.octocat.token);

    // Somebody has pushed over the branch in the meantime.
    git(forge.path, 'update-ref', `refs/heads/${branch}`, head);
    await made.ask(pull as Ticket, '/agora rework Use one more line');
    await untilSaid(pull as Ticket, 1);
    const again = await newest(made);
    expect(again?.input.repo).toMatchObject({
      ...{ ref: branch, url: `${forge.url}/${forge.state.repository}.git` },
      pullRequest: { base: branch, title: `Rework #${pull?.number}` },
    });
    expect(again?.input.description).toContain('````text\nUse one more line\n````');
    await deliver(made, again?.id as string, ['echo one more line > README']);
    await untilSaid(pull as Ticket, 2);
    expect(pullsOf(again?.id as string)).toMatchObject([{ pull: { base: branch } }]);
  });

  test('an issue that is deleted while its task runs takes nothing of it away, and nothing waits to be told', async () => {
    const made = await scene();
    const ticket = made.open('Soon gone');
    await made.ask(ticket, '/agora');
    await untilSaid(ticket, 1);
    const { id } = (await newest(made)) as { id: string };
    // Its number stays taken.
    forge.state.tickets.splice(forge.state.tickets.indexOf(ticket), 1, { ...ticket, number: 99_999, said: [] });
    await deliver(made, id, ['echo better > README']);
    await untilCompleted(made);
    await expect
      .poll(async () => {
        await work();
        const { rows } = await server.pool.query(
          `select (select count(*)::int from intake_requests where task_id = $1 and status = 'ended') as ended,
             (select count(*)::int from queued_jobs where kind like 'forges.%') as waiting`,
          [toUuid('task', id)],
        );
        return rows[0];
      })
      .toEqual({ ended: 1, waiting: 0 });
    expect(await newest(made)).toMatchObject({ status: 'completed', pullRequest: { status: 'opened' } });
    expect(pullsOf(id)).toHaveLength(1);
    expect(forge.state.statuses).toContainEqual(
      expect.objectContaining({ commit: forge.state.branch(`agora/${id}`), state: 'success' }),
    );
    expect(forge.state.tickets.flatMap(saidAt).join()).not.toContain(id);
  });

  test('the verdict stands at the commit that was judged, although the branch has moved on before it is told', async () => {
    const made = await scene();
    const ticket = made.open('README is not good');
    await made.ask(ticket, '/agora');
    await untilSaid(ticket, 1);
    const { id } = (await newest(made)) as { id: string };
    await deliver(made, id, ['echo judged > README']);
    await untilCompleted(made);
    const opened = async () => {
      await second.app.run('forges.openPullRequests');
      return (await made.buyer.agora.tasks.get(id)).pullRequest?.status;
    };
    await expect.poll(opened).toBe('opened');
    const branch = `refs/heads/agora/${id}`;
    const judged = git(forge.path, 'rev-parse', branch);
    const later = git(forge.path, 'commit-tree', '-p', judged, '-m', 'not judged', `${judged}^{tree}`);
    git(forge.path, 'update-ref', branch, later);
    await untilSaid(ticket, 2);
    const told = forge.state.statuses.map(({ commit }) => commit);
    expect(told.filter((commit) => [judged, later].includes(commit))).toEqual([judged]);
  });

  test('what the agent did not touch stays byte for byte, submodules too', async () => {
    const made = await scene();
    const sub = join(forge.path, '../sub');
    mkdirSync(sub);
    git(sub, 'init', '--quiet', '--initial-branch=main');
    commitFile(sub, 'file', 'of the submodule\n');
    git(forge.path, 'checkout', '--quiet', '-b', 'odd');
    const at = (name: string) => Buffer.concat([Buffer.from(`${forge.path}/`), Buffer.from(name, 'latin1')]);
    mkdirSync(at('caf\xe9-dir'));
    for (const name of ['caf\xe9', 'caf\xe9-dir/caf\xe8', 'z\xff.txt']) writeFileSync(at(name), 'here\n');
    writeFileSync(at('dos.txt'), 'one\n');
    writeFileSync(at('.gitattributes'), 'dos.txt eol=crlf\n');
    writeFileSync(at('.gitmodules'), '[submodule "x"]\n\tpath = vendor/sub\n\turl = ../sub\n');
    git(forge.path, 'add', '-A');
    for (const path of ['vendor/sub', 'unnamed'])
      git(forge.path, 'update-index', '--add', '--cacheinfo', `160000,${git(sub, 'rev-parse', 'HEAD')},${path}`);
    git(forge.path, 'commit', '--quiet', '-m', 'odd');
    git(forge.path, 'checkout', '--quiet', '--force', 'main');

    const { id } = await made.buyer.agora.tasks.submit({
      ...{ taskType: 'general', maxBudget: 1_000, agentId: made.agent.id },
      input: {
        repo: { url: `${forge.url}/${forge.state.repository}.git`, ref: 'odd', pullRequest: true },
        description: 'Make it better',
      },
    });
    await deliver(made, id, [
      'grep -q "of the submodule" vendor/sub/file',
      'echo changed > vendor/sub/file',
      'echo new > vendor/sub/new',
      'echo new > unnamed/new',
      'echo better > README',
      'echo two >> dos.txt',
      'echo beside > vendor/beside',
    ]);
    const status = async () => {
      await work();
      return (await made.buyer.agora.tasks.get(id)).pullRequest?.status;
    };
    await expect.poll(status).toBe('opened');
    const branch = `agora/${id}`;
    const changes = git(forge.path, 'diff-tree', '-r', '--name-status', 'odd', branch).split('\n');
    expect(changes).toEqual(['M\tREADME', 'M\tdos.txt', 'A\tvendor/beside']);
    expect(git(forge.path, 'show', `${branch}:dos.txt`)).toBe('one\ntwo');
    expect(git(forge.path, 'fsck', '--strict', '--no-dangling', branch)).toBe('');
    expect(pullsOf(id)[0]?.body).toContain('Left out: 3 changes in submodules');
  });

  test('a pull request of a fork, or of a branch that no task has made, is worked on in no case', async () => {
    const made = await scene();
    const agoras = 'agora/tsk_01jxyz3k9mf5t8v2q7h4n6p0rs';
    const own = made.open('Own', { pull: { branch: 'feature', base: 'main', isFork: false } });
    const forked = made.open('Fork', { pull: { branch: agoras, base: 'main', isFork: true } });
    for (const ticket of [own, forked]) await made.ask(ticket, '/agora rework Better');
    await untilSaid(own, 1);
    await untilSaid(forked, 1);
    const refused = 'refused: No task was made of this. `/agora rework` is for the pull request of a task.';
    expect([...saidAt(own), ...saidAt(forked)]).toEqual([refused, refused]);
    expect(await newest(made)).toBeUndefined();
  });

  test('an account that may not push gets no branch, and the task stays paid', async () => {
    const made = await scene();
    await made.buyer.agora.github.connect({ ...made.place, token: forge.eve.token });
    const input = {
      repo: { url: `${forge.url}/${forge.state.repository}.git`, pullRequest: true as const },
      description: 'Make it better',
    };
    const { id } = await made.buyer.agora.tasks.submit({
      ...{ taskType: 'general', maxBudget: 1_000, input, agentId: made.agent.id },
    });
    await deliver(made, id, ['echo fine > README']);
    const pullRequest = async () => {
      await work();
      return (await made.buyer.agora.tasks.get(id)).pullRequest;
    };
    await expect.poll(pullRequest).toMatchObject({ status: 'failed', reason: 'not_found' });
    expect(forge.state.branch(`agora/${id}`)).toBeNull();
    expect((await newest(made))?.status).toBe('completed');
  });

  test('a pull request needs a connection to the forge of its repository', async () => {
    const made = await scene();
    const submit = (url: string) =>
      refusalOf(
        made.buyer.agora.tasks.submit({
          ...{ taskType: 'general', maxBudget: 1_000, agentId: made.agent.id },
          input: { description: 'x', repo: { url, pullRequest: true } },
        }),
      );
    await made.buyer.agora.github.disconnect(made.place);
    expect(await submit(`${forge.url}/${forge.state.repository}.git`)).toBe('400 VALIDATION_ERROR');
  });

  /** What a server asks of the forge and never hears of, as if it had ended there. */
  test.each([
    ['a comment', /(?:comments|notes)$/],
    ['a push', /git-receive-pack$/],
    ['a merge request', /(?:pulls|merge_requests)$/],
    ['a status', /statuses\/\w+$/],
  ])('a server that ends after %s leaves one task, one branch, one merge request and two comments', async (_, path) => {
    const made = await scene();
    const ticket = made.open(`Once ${randomUUID()}`);
    await made.ask(ticket, '/agora');
    let lost = 0;
    forge.watch(({ method, url = '' }) => {
      if (method !== 'POST' || !path.test(url) || lost > 0) return false;
      lost += 1;
      return true;
    });
    const third = await startSecondApp(server, { config: { ...server.config, OUTBOUND_ALLOW_LOOPBACK: true } });
    const both = async () => {
      server.clock.advance(minute);
      await Promise.all([work(), work(third)]);
    };
    await expect
      .poll(async () => {
        await both();
        return saidAt(ticket).length;
      })
      .toBe(1);
    await deliver(made, (await newest(made))?.id as string, ['echo fine > README']);
    await untilCompleted(made);
    await expect
      .poll(async () => {
        await both();
        const waiting = await server.pool.query(`select 1 from queued_jobs where kind like 'forges.%'`);
        return [saidAt(ticket).length, waiting.rows.length, lost];
      })
      .toEqual([2, 0, 1]);
    await third.app.close();
    const { data } = await made.buyer.agora.tasks.list({ include: 'content' });
    expect(data).toHaveLength(1);
    expect(pullsOf(data[0]?.id as string)).toHaveLength(1);
    expect(saidAt(ticket).map((text) => text.split(':')[0])).toEqual(['started', 'ended']);
  });
});

test('what one forge signs is nothing at another', async () => {
  const [gitea, gitlab] = [await start.gitea(() => server.clock.now()), await start.gitlab(() => server.clock.now())];
  const made = await sceneAt(server, second, 'gitea', gitea);
  const ticket = made.open('One');
  const asked = hooks.gitlab.commented(gitlab, ticket, gitea.state.say(ticket, '/agora'), made.hook());
  expect(await made.post(made.intake.id, asked)).toBe(400);
  await Promise.all([gitea.close(), gitlab.close()]);
});
