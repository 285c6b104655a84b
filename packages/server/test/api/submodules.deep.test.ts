import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { hire, makePair, serverForFile } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true, REPOSITORY_MAX_BYTES: 1024 ** 2 } });

let remote: GitServer;

/** A repository with these files, and submodules by path: their address as it is written, and their commit. */
function repository(name: string, files: Record<string, string>, modules: Record<string, [string, string]> = {}) {
  const repo = join(remote.root, name);
  mkdirSync(repo, { recursive: true });
  git(repo, 'init', '--quiet', '--initial-branch=main');
  for (const [path, text] of Object.entries(files)) writeFileSync(join(repo, path), text);
  const lines = Object.entries(modules).map(
    ([path, [url]], nth) => `[submodule "name ${nth}"]\n\tpath = ${path}\n\turl = ${url}\n`,
  );
  if (lines.length > 0) writeFileSync(join(repo, '.gitmodules'), lines.join(''));
  git(repo, 'add', '-A');
  for (const [path, [, commit]] of Object.entries(modules)) {
    git(repo, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  }
  git(repo, 'commit', '--quiet', '-m', name);
  return git(repo, 'rev-parse', 'HEAD');
}

beforeAll(async () => {
  remote = await startGitServer((request, response) => {
    const isMoved = request.url?.startsWith('/org/renamed/info/refs') === true;
    if (isMoved) response.writeHead(301, { location: '/org/leaf/info/refs?service=git-upload-pack' }).end();
    return isMoved;
  });
});
afterAll(() => remote.close());

/** What the agent finds, and what the buyer is told. */
async function cloned(name: string, command: string) {
  const pair = await makePair(server);
  const { id } = await hire(pair, { input: { repo: { url: `${remote.url}/${name}` } } });
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  const { stdout } = (await pair.agent.agora.sandbox.exec(id, { command })).data;
  const { inputWarnings } = await pair.buyer.agora.tasks.get(id);
  expect((await pair.agent.agora.tasks.get(id)).inputWarnings).toEqual([]);
  return { stdout, inputWarnings };
}

test('submodules are cloned at their commits, beside their parents and deeper, as git clone --recurse-submodules does', async () => {
  const old = repository('org/leaf', { leaf: 'old\n' });
  writeFileSync(join(remote.root, 'org/leaf/leaf'), 'new\n');
  git(join(remote.root, 'org/leaf'), 'commit', '--quiet', '-am', 'later');
  const inner = repository('org/inner', { inner: 'inner\n' }, { 'in ner': ['../leaf', old] });
  repository(
    'org/outer',
    { outer: 'outer\n' },
    {
      'lib/inner': ['../inner/', inner],
      same: [`${remote.url}/org/leaf`, old],
      moved: ['./../renamed', old],
    },
  );
  const { stdout, inputWarnings } = await cloned(
    'org/outer',
    'cat outer lib/inner/inner "lib/inner/in ner/leaf" same/leaf moved/leaf; find . -name .git | sort',
  );
  expect(stdout).toBe('outer\ninner\nold\nold\nold\n./.git\n');
  expect(inputWarnings).toEqual([]);
});

test('one that cannot be had is an empty directory, of which the buyer is told, and the task goes on', async () => {
  const big = repository('big', { zeros: '\0'.repeat(1024 ** 2) });
  const fine = repository('small', { small: 'small\n' });
  const nobody = 'c'.repeat(40);
  repository(
    'partly',
    { README: 'here\n' },
    {
      big: ['../big', big],
      fine: ['../small', fine],
      gone: ['../no-such-repository', nobody],
      option: ['--upload-pack=id', nobody],
      private: ['https://10.0.0.1/a.git', nobody],
      ssh: ['git@example.com:a/b.git', nobody],
      unknown: ['../small', nobody],
    },
  );
  execFileSync('git', ['update-index', '--add', '--cacheinfo', `160000,${nobody},unnamed`], {
    cwd: join(remote.root, 'partly'),
  });
  git(join(remote.root, 'partly'), 'commit', '--quiet', '-m', 'unnamed');
  const input = {
    repo: { url: `${remote.url}/partly` },
    acceptance: { checks: [{ name: 'a', command: 'cat fine/small' }] },
  };
  const tried = await (await server.owner({ credits: 0 })).agora.tasks.tryChecks({ input });
  expect(tried.checks).toMatchObject([{ passed: true }]);
  const { stdout, inputWarnings } = await cloned(
    'partly',
    'cat README fine/small; find big gone option private ssh unknown unnamed',
  );
  expect(stdout).toBe('here\nsmall\nbig\ngone\noption\nprivate\nssh\nunknown\nunnamed\n');
  expect(inputWarnings).toEqual(tried.inputWarnings);
  expect(inputWarnings).toEqual([
    'The submodule big is an empty directory: it is larger than this server takes.',
    'The submodule gone is an empty directory: there is no such repository, or it is not public.',
    'The submodule option is an empty directory: its address must be an absolute URL.',
    'The submodule private is an empty directory: its address must be a public address.',
    'The submodule ssh is an empty directory: its address must be an absolute URL.',
    'The submodule unknown is an empty directory: it has no such branch, tag or commit.',
    'The submodule unnamed is an empty directory: its address is not in .gitmodules.',
  ]);
});

test('they are bounded in depth and number', async () => {
  let commit = repository('deep0', { at: '0\n' });
  for (let n = 1; n <= 5; n++) commit = repository(`deep${n}`, { at: `${n}\n` }, { d: [`../deep${n - 1}`, commit] });
  const deep = await cloned('deep5', 'cat at d/at d/d/at d/d/d/at; ls d/d/d/d');
  expect(deep.stdout).toBe('5\n4\n3\n2\n');
  expect(deep.inputWarnings).toEqual([
    'The submodule d/d/d/d is an empty directory: it lies more than 3 submodules deep.',
  ]);
  const leaf = repository('leaf', { leaf: '' });
  const names = Array.from({ length: 32 }, (_, n) => `m${n + 10}`);
  repository('many', {}, Object.fromEntries(names.map((name) => [name, ['../leaf', leaf]])));
  const many = await cloned('many', 'ls -d */leaf | wc -l');
  expect(many.stdout.trim()).toBe('20');
  expect(many.inputWarnings).toHaveLength(11);
  expect(many.inputWarnings.at(-1)).toBe('2 more submodules are empty directories.');
});

test.each([
  ['there', 'repairs', "echo 'echo $(($1 + $2))' > add.sh", 'completed 59', '100 make -B test passes'],
  ['there', 'leaves', 'true', 'failed 17', '0 make -B test failed before and still fails'],
  [
    'left out',
    'repairs',
    "echo 'echo $(($1 + $2))' > add.sh",
    'completed 60',
    'null Not run: make -B test fails before and after the work, and a submodule is an empty directory',
  ],
  ['left out', 'leaves', 'true', 'failed 17', '0 make -B test failed before and still fails'],
  ['left out', 'never opens', null, 'failed 17', '0 No workspace was delivered, and make -B test fails'],
] as const)(
  'tests that need a submodule that is %s: an agent that %s the code',
  async (where, does, command, status, why) => {
    const name = `tested ${where} ${does}`.replaceAll(' ', '-');
    const commit = repository(`lib-${name}`, { 'same.sh': 'test "$1" = "$2"\n' });
    repository(
      name,
      {
        'add.sh': 'echo wrong\n',
        'test.sh': 'sh lib/same.sh "$(sh add.sh 2 3)" 5\n',
        Makefile: 'test:\n\tsh test.sh\n',
      },
      { lib: [where === 'there' ? `../lib-${name}` : '../no-such-repository', commit] },
    );
    const pair = await makePair(server);
    const input = { description: 'Make add.sh add', repo: { url: `${remote.url}/${name}` } };
    const { id } = await hire(pair, { taskType: 'bug_fix', input });
    const { sandbox, tasks } = pair.agent.agora;
    const sandboxId = command === null ? 'mine' : (await sandbox.provision(id)).data.sandboxId;
    await tasks.start(id, { sandboxId });
    if (command !== null) await sandbox.exec(id, { command });
    await tasks.complete(id, { output: { result: 'add.sh adds' } });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).assessmentId).not.toBeNull();
    const task = await pair.buyer.agora.tasks.get(id);
    const { criteria, score } = await pair.buyer.agora.courts.getAssessment(task.assessmentId as string);
    const tests = criteria.find((each) => each.name === 'tests');
    expect(`${tests?.score} ${tests?.evidence}`).toContain(why);
    expect(`${task.status} ${score}`).toBe(status);
  },
);
