import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { toUuid } from '@agora-market/contract';
import type { Body } from '@agora-market/sdk';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { keyOf } from '../../src/objects/index.ts';
import { newUuid } from '../../src/platform/index.ts';
import { createSandboxDriver } from '../../src/sandbox/index.ts';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { day, hire, makePair, minute, pass, refusalOf, serverForFile, startSecondApp } from './scene.ts';

const server = serverForFile({ config: { OUTBOUND_ALLOW_LOOPBACK: true } });

let remote: GitServer;
let project: string;
const commits = { first: '', second: '', third: '', side: '' };
/** Enough files that a pack of them is real work. */
const moduleCount = 600;

beforeAll(async () => {
  remote = await startGitServer();
  project = join(remote.root, 'project');
  mkdirSync(join(project, 'src/deep'), { recursive: true });
  git(remote.root, 'init', '--initial-branch=main', 'project');
  const write = (path: string, text: string) => writeFileSync(join(project, path), text);
  const commit = (message: string) => {
    git(project, 'add', '-A');
    git(project, 'commit', '--quiet', '-m', message);
    return git(project, 'rev-parse', 'HEAD');
  };
  write('add.sh', 'echo wrong\n');
  write('README', 'first\n');
  commits.first = commit('one');
  for (let n = 0; n < moduleCount; n++) write(`src/module-${n}.txt`, `line ${n}\n`.repeat(100 + (n % 50)));
  write('src/deep/run.sh', '#!/bin/sh\necho ran\n');
  chmodSync(join(project, 'src/deep/run.sh'), 0o755);
  symlinkSync('../README', join(project, 'src/inside'));
  symlinkSync('/etc/passwd', join(project, 'src/outside'));
  symlinkSync('../../../../../../etc/hostname', join(project, 'src/up'));
  write('README', 'second\n');
  commits.second = commit('two');
  git(project, 'tag', '-a', 'v1', '-m', 'a tag with a message');
  git(project, 'tag', 'light');
  write('README', 'third\n');
  commits.third = commit('three');
  git(project, 'checkout', '--quiet', '-b', 'feature/side', 'v1');
  write('README', 'side\n');
  commits.side = commit('side');
  git(project, 'checkout', '--quiet', '-b', 'tested', 'main');
  write('Makefile', 'test:\n\tsh tests/test.sh\n');
  mkdirSync(join(project, 'tests'));
  write('tests/test.sh', 'test "$(sh add.sh 2 3)" = 5\n');
  commit('tests');
  git(project, 'checkout', '--quiet', 'main');
});
afterAll(() => remote.close());

const url = () => `${remote.url}/project`;
type Input = Body<'tasks.submit'>['input'];

/** A direct hire of a code task with this input, whose agent has provisioned and started. */
async function worked(input: Input, taskType: 'general' | 'bug_fix' = 'general') {
  const pair = await makePair(server);
  const { id } = await hire(pair, { taskType, input });
  const { sandboxId } = (await pair.agent.agora.sandbox.provision(id)).data;
  await pair.agent.agora.tasks.start(id, { sandboxId });
  const run = async (command: string) => (await pair.agent.agora.sandbox.exec(id, { command })).data;
  return { pair, id, run, tasks: pair.agent.agora.tasks };
}

const refs: [what: string, ref: () => string | undefined, readme: string][] = [
  ['the default branch', () => undefined, 'third'],
  ['a branch', () => 'main', 'third'],
  ['a branch by its full name', () => 'refs/heads/main', 'third'],
  ['a branch with a slash', () => 'feature/side', 'side'],
  ['a tag with a message', () => 'v1', 'second'],
  ['a tag without', () => 'light', 'second'],
  ['the commit of a branch', () => commits.third, 'third'],
  // Neither is the tip of anything, so git's own server does not give them by their ids.
  ['the first commit', () => commits.first, 'first'],
  ['a commit in capitals', () => commits.second.toUpperCase(), 'second'],
];

describe('a repository', () => {
  test.each(refs)('is cloned by %s', async (_what, refOf, readme) => {
    const ref = refOf();
    const { run } = await worked({ repo: { url: url(), ...(ref && { ref }) } });
    expect((await run('cat README')).stdout).toBe(`${readme}\n`);
  });

  test('gives a commit by its id in one fetch where its server allows that', async () => {
    git(project, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const before = remote.seen.length;
    const { run } = await worked({ repo: { url: url(), ref: commits.first } });
    git(project, 'config', '--unset', 'uploadpack.allowAnySHA1InWant');
    expect((await run('cat README; ls')).stdout).toBe('first\nREADME\nadd.sh\n');
    expect(remote.seen.slice(before)).toHaveLength(2);
  });

  test('is unpacked whole, with modes and links, read-only at /input and writable in the workspace', async () => {
    const { run } = await worked({ repo: { url: url() } });
    for (const root of ['/workspace', '/input']) {
      expect((await run(`cd ${root}; ls src | wc -l; ls -A | grep -v '^.git$'`)).stdout).toBe(
        `${moduleCount + 4}\nREADME\nadd.sh\nsrc\n`,
      );
      expect((await run(`cd ${root}; src/deep/run.sh; cat src/inside; readlink src/outside`)).stdout).toBe(
        'ran\nthird\n/etc/passwd\n',
      );
      // A link that leads out leads to the sandbox's own files.
      expect((await run(`cat ${root}/src/outside | head -1; cat ${root}/src/up`)).stdout).toBe(
        'agent:x:1000:1000:agent:/tmp:/bin/sh\nsandbox\n',
      );
    }
    const digest = git(project, 'rev-parse', 'main:src/module-7.txt');
    expect(
      (await run('(printf "blob %d\\0" $(stat -c %s src/module-7.txt); cat src/module-7.txt) | sha1sum')).stdout,
    ).toBe(`${digest}  -\n`);
    expect((await run('echo mine > README; cat README /input/README')).stdout).toBe('mine\nthird\n');
    expect((await run('echo mine > /input/README')).exitCode).not.toBe(0);
  });

  test('is laid out by the attributes that git obeys in a clone, and by no others', async () => {
    const fixtures = join(remote.root, 'fixtures');
    mkdirSync(fixtures);
    git(fixtures, 'init', '--quiet', '--initial-branch=main');
    const files = {
      '.gitattributes': [
        'dos.txt eol=crlf',
        'wide.txt working-tree-encoding=UTF-16LE eol=lf',
        'kept.c ident',
        'secret.txt export-ignore',
        'version.txt export-subst',
        'raw.bin -text',
        'filtered.txt filter=upper',
        '',
      ].join('\n'),
      'dos.txt': 'one\r\ntwo\r\n',
      'wide.txt': Buffer.from('wide\n', 'utf16le'),
      'kept.c': '// $Id$\n',
      'secret.txt': 'still here\n',
      'version.txt': '$Format:%H$\n',
      'raw.bin': 'a\r\nb\n',
      'filtered.txt': 'as it is\n',
    };
    for (const [path, content] of Object.entries(files)) writeFileSync(join(fixtures, path), content);
    git(fixtures, 'add', '-A');
    git(fixtures, 'commit', '--quiet', '-m', 'fixtures');
    const clone = join(remote.root, 'cloned');
    git(remote.root, 'clone', '--quiet', fixtures, clone);
    const sums = 'md5sum dos.txt wide.txt kept.c secret.txt version.txt raw.bin filtered.txt';
    const { run } = await worked({ repo: { url: `${remote.url}/fixtures` } });
    const { stdout } = await run(`${sums}; cd /input && ${sums}`);
    const theirs = execFileSync('sh', ['-c', sums], { cwd: clone, encoding: 'utf8' });
    expect(stdout).toBe(theirs + theirs);
    expect((await run('od -An -c wide.txt; cat kept.c')).stdout).toMatch(
      /w {2}\\0 {3}i {2}\\0[\s\S]*\$Id: [0-9a-f]{40} \$/,
    );
  });

  describe('with eol=crlf', () => {
    beforeAll(() => {
      const dos = join(remote.root, 'dos');
      mkdirSync(dos);
      git(dos, 'init', '--quiet', '--initial-branch=main');
      const files = {
        '.gitattributes': '* text eol=crlf\n',
        'package.json': '{ "scripts": { "test": "node --test" } }\n',
        'sum.js': "'use strict';\nmodule.exports = (a, b) => a - b;\n",
        'sum.test.js':
          "require('node:test')('sums', () => require('node:assert').equal(require('./sum.js')(2, 3), 5));\n",
      };
      for (const [path, content] of Object.entries(files)) writeFileSync(join(dos, path), content);
      git(dos, 'add', '-A');
      git(dos, 'commit', '--quiet', '-m', 'dos');
    });

    const repair = "sed -i 's/a - b/a + b/' sum.js";
    test.each([
      ['a repair', repair, 'completed', '100 npm test passes'],
      ['a repair that writes LF', `${repair}; sed -i 's/\\r$//' sum.js`, 'completed', '100 npm test passes'],
      ['nothing', 'true', 'failed', '0 npm test failed before and still fails'],
      [
        'other ends of the lines alone',
        "sed -i 's/\\r$//' *.js package.json",
        'failed',
        '0 npm test failed before and still fails',
      ],
    ] as const)('the tests of the project judge %s', async (_what, command, status, why) => {
      const { pair, id, run, tasks } = await worked(
        { description: 'Mend it', repo: { url: `${remote.url}/dos` } },
        'bug_fix',
      );
      expect((await run("grep -c '\r$' sum.js sum.test.js package.json")).stdout).toBe(
        'sum.js:2\nsum.test.js:1\npackage.json:1\n',
      );
      await run(command);
      await tasks.complete(id, { output: { result: 'It adds.' } });
      await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe(status);
      const { assessmentId } = await pair.buyer.agora.tasks.get(id);
      const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
      const row = criteria.find(({ name }) => name === 'tests');
      expect(`${row?.score} ${row?.evidence}`).toContain(why);
    });
  });

  test('is a work tree of one commit, whose changes git shows', async () => {
    const { pair, id, run, tasks } = await worked({ repo: { url: url() } });
    expect((await run('git status --porcelain; git log --format=%s; git remote')).stdout).toBe(
      'The input of the task\n',
    );
    await run('echo mine > README; git rm -q --cached add.sh; rm add.sh; echo new > new.txt');
    expect((await run('git status --porcelain')).stdout).toBe(' M README\nD  add.sh\n?? new.txt\n');
    expect((await run('git diff README')).stdout).toMatch(/\n-third\n\+mine\n$/);
    const { files } = (await pair.agent.agora.sandbox.diff(id)).data;
    expect(files.map(({ path }) => path)).toEqual(['README', 'add.sh', 'new.txt']);
    await tasks.complete(id, { output: { result: 'Changed the README.' } });
    await expect.poll(async () => (await pair.buyer.agora.tasks.get(id)).status).toBe('completed');
    const changes = await pair.buyer.agora.tasks.changes(id);
    expect(changes.data.map(({ path }) => path)).toEqual(['README', 'add.sh', 'new.txt']);
  });

  test('shows no link that the file calls would follow out of the workspace', async () => {
    const { pair, id } = await worked({ repo: { url: url() } });
    const read = (path: string) => refusalOf(pair.agent.agora.sandbox.read(id, { path }));
    expect(await read('src/outside')).toBe('400 INVALID_PATH');
    expect(await read('src/up')).toBe('400 INVALID_PATH');
    expect(await read('src/inside')).toBe('no refusal');
  });

  test('is overwritten by attached files of the same path', async () => {
    const files = { README: 'mine\n', src: 'a file now\n', 'add.sh/now': 'a directory\n', 'new/file': 'new\n' };
    const { run } = await worked({ repo: { url: url() }, files });
    expect((await run('cat README src add.sh/now new/file')).stdout).toBe('mine\na file now\na directory\nnew\n');
  });

  test('is cloned once: the gate and a new sandbox get the commit the task began with, although the branch moved', async () => {
    git(project, 'checkout', '--quiet', '-b', 'moving', 'v1');
    const input = {
      repo: { url: url(), ref: 'moving' },
      acceptance: {
        checks: [
          { name: 'adds', command: 'test "$(sh add.sh 2 3)" = 5' },
          { name: 'has the rest', command: 'test "$(cat README)" = second && test -x src/deep/run.sh' },
        ],
      },
    };
    const before = remote.seen.length;
    const { pair, id, run, tasks } = await worked(input);
    const requests = remote.seen.length - before;
    expect(requests).toBeGreaterThan(0);
    writeFileSync(join(project, 'README'), 'moved\n');
    git(project, 'commit', '--quiet', '-am', 'moved');
    git(project, 'checkout', '--quiet', 'main');
    expect((await run('cat README')).stdout).toBe('second\n');
    await pair.agent.agora.sandbox.destroy(id);
    expect((await run('cat README')).stdout).toBe('second\n');
    await run("echo 'echo $(($1 + $2))' > add.sh");
    const done = await tasks.complete(id, { output: { result: 'It adds now' } });
    expect(done.status).toBe('completed');
    const { criteria } = await pair.buyer.agora.courts.getAssessment(done.assessmentId as string);
    expect(criteria).toContainEqual(expect.objectContaining({ name: 'check: has the rest', score: 100 }));
    expect(remote.seen.length - before).toBe(requests);
  });

  test.each([
    ['fails where they still fail', 'true', 'failed 0'],
    ['passes where they pass now', "echo 'echo $(($1 + $2))' > add.sh", 'completed 100'],
    ['fails where they were made to pass', 'printf "test:\\n\\ttrue\\n" > Makefile', 'failed 0'],
  ])('has its own tests run by the gate, which %s', async (_what, work, verdict) => {
    const input = { description: 'Make add.sh add, so that make test passes', repo: { url: url(), ref: 'tested' } };
    const { pair, id, run, tasks } = await worked(input, 'bug_fix');
    await run(work);
    await tasks.complete(id, { output: { result: 'add.sh adds; make test passes' } });
    await expect.poll(async () => (await tasks.get(id)).assessmentId).not.toBeNull();
    const { status, assessmentId } = await tasks.get(id);
    const { criteria } = await pair.buyer.agora.courts.getAssessment(assessmentId as string);
    expect(`${status} ${criteria.find(({ name }) => name === 'tests')?.score}`).toBe(verdict);
  });

  test('with a lost tree is cloned again, at the commit with which the task began', async () => {
    git(project, 'branch', 'lost', 'v1');
    const { pair, id, run } = await worked({ repo: { url: url(), ref: 'lost' } });
    expect((await run('cat README')).stdout).toBe('second\n');
    git(project, 'branch', '-f', 'lost', 'main');
    for (const key of await keptObjects()) await server.app.objects.delete(key);
    await pair.agent.agora.sandbox.destroy(id);
    expect((await run('cat README')).stdout).toBe('second\n');
    expect(await keptObjects()).toHaveLength(1);
  });

  test('that a crash left without its row is erased; those that tasks keep stay', async () => {
    const { id } = await worked({ repo: { url: url() } });
    const stray = keyOf('repositories', newUuid(server.clock));
    await server.app.objects.put(stray, Buffer.from('left behind'));
    const kept = await keptObjects();
    await pass(server, 61 * minute);
    await expect.poll(keptObjects).toEqual(kept.filter((key) => key !== stray));
    const { rows } = await server.pool.query(
      'select object_id as id from task_repositories join kept_trees using (owner_id, commit_id) where task_id = $1',
      [toUuid('task', id)],
    );
    expect(await keptObjects()).toContain(keyOf('repositories', rows[0].id));
  });

  test('of one commit is stored once for all tasks of a buyer, until the last of them lets it go', async () => {
    const before = await keptObjects();
    const ours = async () => (await keptObjects()).filter((key) => !before.includes(key));
    const { buyer, seller } = await makePair(server);
    const tasks: (() => Promise<unknown>)[] = [];
    for (const ref of ['v1', commits.second]) {
      const agent = await seller.agent();
      const { id } = await hire({ buyer, agent }, { input: { description: 'Read', repo: { url: url(), ref } } });
      await agent.agora.tasks.start(id, { sandboxId: 'mine' });
      const read = () => agent.agora.sandbox.exec(id, { command: 'cat README' });
      expect((await read()).data.stdout).toBe('second\n');
      tasks.push(() => agent.agora.tasks.complete(id, { output: { result: 'It says second' } }));
      server.clock.advance(minute);
    }
    expect(await ours()).toHaveLength(1);
    for (const deliver of tasks) await deliver();
    const { rows } = await server.pool.query(`select max(bytes) as bytes from storage_sums where role = 'buyer'`);
    expect(Number(rows[0].bytes)).toBeGreaterThan(100_000);
    await pass(server, day - minute - 1);
    expect(await ours()).toHaveLength(1);
    await pass(server, minute);
    expect(await ours()).toEqual([]);
  });

  test('stays hidden from the agent until it commits: address and reference, also in errors', async () => {
    const pair = await makePair(server);
    const { id } = await hire(pair, {
      input: { description: 'Fix', repo: { url: `${remote.url}/secret-name`, ref: 'x' } },
    });
    const { agora } = pair.agent;
    const seen = [await agora.tasks.get(id), (await agora.tasks.assigned()).data];
    const refusal = await agora.sandbox.provision(id).catch((error) => error);
    expect(refusal).toMatchObject({ status: 502, code: 'REPOSITORY_UNAVAILABLE', details: { reason: 'not_found' } });
    for (const shown of [...seen, refusal.message, refusal.details]) {
      expect(JSON.stringify(shown)).not.toMatch(/127\.0\.0\.1|secret-name|repo"/);
    }
  });

  test('is erased with the input after 24 hours: the row, and the bytes on disk', async () => {
    const { id, tasks, pair } = await worked({ description: 'Kept', repo: { url: url() } });
    await tasks.complete(id, { output: { result: 'Nothing to do' } });
    expect(await keptObjects()).not.toEqual([]);
    expect(await filesBelow(join(server.dataDir, 'objects/repositories'))).not.toEqual([]);
    await pass(server, day - minute);
    expect(await keptObjects()).not.toEqual([]);
    await pass(server, 2 * minute);
    expect(await keptObjects()).toEqual([]);
    expect(await filesBelow(join(server.dataDir, 'objects/repositories'))).toEqual([]);
    expect((await server.pool.query('select from task_repositories')).rowCount).toBe(0);
    expect((await pair.buyer.agora.tasks.get(id)).input).toEqual({ description: 'Kept' });
  });
});

async function keptObjects(): Promise<string[]> {
  const keys: string[] = [];
  for await (const key of server.app.objects.list('repositories')) keys.push(key);
  return keys;
}

async function filesBelow(dir: string): Promise<string[]> {
  const found = await readdir(dir, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => entry.name);
}

test('where the sandboxes have no git, the operator is named, and neither the repository nor its agent', async () => {
  const driver = createSandboxDriver({ driver: 'auto', installationId: `without-git-${process.pid}` });
  const create = async (...given: Parameters<typeof driver.create>) => {
    const sandbox = await driver.create(...given);
    const { execStreamed } = sandbox;
    sandbox.execStreamed = (request, ...rest) =>
      execStreamed.call(sandbox, { ...request, env: { PATH: '/nowhere' } }, ...rest);
    return sandbox;
  };
  const bare = Object.assign(Object.create(driver), { create });
  const { app, url: base } = await startSecondApp(server, { driver: bare });
  try {
    const pair = await makePair(server);
    const { id } = await hire(pair, { input: { repo: { url: url() } } });
    const refusal = await pair.agent.agora
      .withOptions({ baseUrl: base })
      .sandbox.provision(id)
      .catch((error) => error);
    expect(refusal).toMatchObject({ status: 503, code: 'SANDBOX_UNAVAILABLE' });
    expect(refusal.message).toMatch(/no git.*installs git.*SANDBOX_DOCKER_IMAGE/);
  } finally {
    await app.close();
    driver.forget?.();
  }
});

describe('a value that can be no repository is 400 at submission', () => {
  test.each([
    [{ url: 'http://example.com/a.git' }],
    [{ url: 'ftp://example.com/a.git' }],
    [{ url: 'git://example.com/a.git' }],
    [{ url: 'ssh://git@example.com/a.git' }],
    [{ url: 'git@example.com:a.git' }],
    [{ url: 'file:///etc' }],
    [{ url: '/srv/git/a' }],
    [{ url: 'ext::sh -c id' }],
    [{ url: 'https://10.0.0.1/a.git' }],
    [{ url: 'https://169.254.169.254/latest' }],
    [{ url: 'https://[fd00::1]/a.git' }],
    [{ url: 'https://user:secret@example.com/a.git' }],
    [{ url: '' }],
    [{ url: 'https://example.com/a.git', ref: '' }],
    [{ url: 'https://example.com/a.git', ref: '-u' }],
    [{ url: 'https://example.com/a.git', ref: '--upload-pack=id' }],
    [{ url: 'https://example.com/a.git', ref: 'a..b' }],
    [{ url: 'https://example.com/a.git', ref: 'a b' }],
    [{ url: 'https://example.com/a.git', ref: 'a\nb' }],
    [{ url: 'https://example.com/a.git', ref: 'a~1' }],
    [{ url: 'https://example.com/a.git', ref: '/a' }],
    [{ url: 'https://example.com/a.git', ref: 'a.lock' }],
    [{ url: 'https://example.com/a.git', branch: 'main' } as never],
    ['https://example.com/a.git' as never],
  ])('%j', async (repo) => {
    const pair = await makePair(server);
    expect(await refusalOf(hire(pair, { input: { repo } }))).toBe('400 VALIDATION_ERROR');
  });
});
