import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GitServer, git, startGitServer } from '../support/git-server.ts';
import { hire, makePair, serverForFile, startSecondApp } from './scene.ts';

const MIB = 1024 ** 2;
const server = serverForFile({
  config: {
    OUTBOUND_ALLOW_LOOPBACK: true,
    REPOSITORY_MAX_BYTES: MIB,
    REPOSITORY_MAX_FILES: 150,
    REPOSITORY_TIMEOUT_MS: 8_000,
  },
});

/** What a hostile server does with any request below a path. */
const traps: Record<string, (request: IncomingMessage, response: ServerResponse) => void> = {
  '/redirect': (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data' }).end(),
  '/other-name': (_, response) => response.writeHead(301, { location: `${otherName()}/fine/info/refs` }).end(),
  '/other-page': (_, response) => response.writeHead(302, { location: '/sign-in' }).end(),
  '/nowhere': (_, response) => response.writeHead(301).end(),
  '/twice-moved': (_, response) => response.writeHead(301, { location: '/moved-301/info/refs' }).end(),
  '/private': (_, response) => response.writeHead(401, { 'www-authenticate': 'Basic' }).end(),
  '/broken': (_, response) => response.writeHead(500).end('no'),
  '/page': (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>'),
  '/nothing': (_, response) => response.writeHead(200).end(),
  '/hangs-up': (request) => request.socket.destroy(),
  '/silent': () => undefined,
  '/slow': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    const drip = setInterval(() => response.write('0'), 500);
    response.on('close', () => clearInterval(drip));
  },
  '/endless-refs': (_, response) => {
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
    response.write(packet('# service=git-upload-pack\n'), 'latin1');
    response.write('0000');
    response.write(packet(`${someCommit} HEAD\0${capabilities}\n`), 'latin1');
    let count = 0;
    pour(response, () => packet(`${(count++).toString(16).padStart(40, '0')} refs/heads/branch-${count}\n`));
  },
  '/endless-pack': (request, response) => {
    if (request.method === 'GET') return advertise(response);
    response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-result' });
    response.write('0008NAK\n');
    return pour(response, () => packet(`\u0001${'x'.repeat(30_000)}`));
  },
  '/no-pack': (request, response) => {
    if (request.method === 'GET') return advertise(response);
    return response.writeHead(200).end('0008NAK\n0000');
  },
  '/garbage': (request, response) => {
    if (request.method === 'GET') return advertise(response);
    return response
      .writeHead(200)
      .end(`0008NAK\n${packet(`\u0001PACK\0\0\0\u0002\0\0\0\u0001${'y'.repeat(500)}`)}0000`);
  },
};

const packet = (text: string) => (text.length + 4).toString(16).padStart(4, '0') + text;
const capabilities = 'shallow side-band-64k ofs-delta symref=HEAD:refs/heads/main';
const someCommit = 'a'.repeat(40);

function advertise(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
  const refs = packet(`${someCommit} HEAD\0${capabilities}\n`) + packet(`${someCommit} refs/heads/main\n`);
  response.end(`${packet('# service=git-upload-pack\n')}0000${refs}0000`);
}

/** Writes as fast as it is read, until the reader goes away. */
function pour(response: ServerResponse, next: () => string): void {
  const more = () => {
    while (!response.destroyed && response.write(next(), 'latin1'));
  };
  response.on('drain', more);
  more();
}

let remote: GitServer;
/** The same machine by another name is another server. */
const otherName = () => remote.url.replace('127.0.0.1', 'localhost');
/** Repositories that have moved, by the status that says so. */
const moved = [301, 302, 307, 308];

/** A raw tree object, which git's own commands would refuse to write. */
function treeOf(repo: string, entries: [mode: string, name: string, oid: string][]): string {
  const parts = entries.map(([mode, name, oid]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(oid, 'hex')]),
  );
  const words = ['hash-object', '-t', 'tree', '-w', '--stdin', '--literally'];
  return execFileSync('git', words, { cwd: repo, input: Buffer.concat(parts), encoding: 'utf8' }).trim();
}

function repository(name: string, fill: (repo: string) => void): string {
  const repo = join(remote.root, name);
  mkdirSync(repo);
  git(repo, 'init', '--quiet', '--initial-branch=main');
  fill(repo);
  return repo;
}

const blob = (repo: string, text: string) =>
  execFileSync('git', ['hash-object', '-w', '--stdin'], { cwd: repo, input: text, encoding: 'utf8' }).trim();

/** A repository whose only commit has this tree. */
const withTree = (name: string, entries: (repo: string) => [string, string, string][]) =>
  repository(name, (repo) => {
    const commit = git(repo, 'commit-tree', '-m', 'hostile', treeOf(repo, entries(repo)));
    git(repo, 'update-ref', 'refs/heads/main', commit);
  });

const withFiles = (name: string, files: Record<string, string>) =>
  repository(name, (repo) => {
    for (const [path, text] of Object.entries(files)) writeFileSync(join(repo, path), text);
    git(repo, 'add', '-A');
    git(repo, 'commit', '--quiet', '-m', 'files');
  });

/** Names that would leave the workspace or become part of a git directory. */
const names = {
  'dot-dot': '..',
  dot: '.',
  slash: 'a/../../b',
  absolute: '/etc/cron.d/x',
  'dot-git': '.git',
  'upper-git': '.GIT',
  'short-git': 'git~1',
  'git-stream': '.git::$INDEX_ALLOCATION',
  long: 'n'.repeat(256),
};

/** Names that Git lays out here, although other systems take them for something else. */
const oddNames = { 'hidden-git': '.g\u200cit', backslash: '..\\up' };

beforeAll(async () => {
  remote = await startGitServer((request, response) => {
    const trap = Object.entries(traps).find(([path]) => request.url?.startsWith(`${path}/`))?.[1];
    trap?.(request, response);
    const status = moved.find((each) => request.url?.startsWith(`/moved-${each}/info/refs`));
    if (status) response.writeHead(status, { location: '/fine/info/refs?service=git-upload-pack' }).end();
    return trap !== undefined || status !== undefined;
  });
  withFiles('fine', { README: 'fine\n' });
  repository('empty', () => undefined);
  git(remote.root, 'init', '--quiet', '--object-format=sha256', '--initial-branch=main', 'sha256');
  git(join(remote.root, 'sha256'), 'commit', '--quiet', '--allow-empty', '-m', 'one');
  withFiles('huge-file', { zeros: '\0'.repeat(MIB + 1) });
  withFiles('huge-sum', { a: '\0'.repeat(MIB / 2), b: '\0'.repeat(MIB / 2), c: 'one more byte' });
  withFiles('many', Object.fromEntries(Array.from({ length: 151 }, (_, n) => [`f${n}`, `${n}`])));
  for (const [name, entry] of Object.entries({ ...names, ...oddNames })) {
    withTree(name, (repo) => [['100644', entry, blob(repo, 'hostile')]]);
  }
  withTree('hooks', (repo) => {
    const hook = blob(repo, '#!/bin/sh\ntouch /tmp/hooked\n');
    const hooks = treeOf(repo, [['100755', 'post-checkout', hook]]);
    return [['40000', '.git', treeOf(repo, [['40000', 'hooks', hooks]])]];
  });
  withTree('twice', (repo) => [
    ['120000', 'a', blob(repo, '/etc')],
    ['40000', 'a', treeOf(repo, [['100644', 'passwd', blob(repo, 'root::0:0:::')]])],
  ]);
  withTree('link-nul', (repo) => [['120000', 'a', blob(repo, 'a\0b')]]);
  withTree('link-empty', (repo) => [['120000', 'a', blob(repo, '')]]);
  withTree('deep', (repo) => {
    let tree = treeOf(repo, [['100644', 'x', blob(repo, 'x')]]);
    for (let depth = 0; depth < 110; depth++) tree = treeOf(repo, [['40000', 'd', tree]]);
    return [['40000', 'd', tree]];
  });
  // Ten levels of ten: ten thousand million files in eleven objects.
  withTree('bomb', (repo) => {
    let tree = treeOf(repo, [['100644', 'x', blob(repo, 'x')]]);
    const ten = [...'0123456789'];
    for (let depth = 0; depth < 10; depth++)
      tree = treeOf(
        repo,
        ten.map((name) => ['40000', name, tree]),
      );
    return [['40000', 'd', tree]];
  });
  withTree('lacking', () => [['100644', 'a', 'b'.repeat(40)]]);
  withTree('submodule', (repo) => [
    ['100644', '.gitmodules', blob(repo, '[submodule "a"]\n\tpath = a\n\turl = --upload-pack=id\n')],
    ['160000', 'a', 'c'.repeat(40)],
    ['100644', 'large', blob(repo, 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n')],
  ]);
});
afterAll(() => remote.close());

async function provision(url: string, ref?: string, base = server.url) {
  const pair = await makePair(server);
  const { id } = await hire(pair, { input: { repo: { url, ...(ref && { ref }) } } });
  const agora = pair.agent.agora.withOptions({ baseUrl: base });
  const outcome = await agora.sandbox.provision(id).then(
    () => 'provisioned',
    (error) => `${error.status} ${error.code} ${error.details.reason}`,
  );
  return { outcome, id, agora };
}

const cases: [path: string, reason: string, ref?: string][] = [
  ['redirect', 'redirected'],
  ['other-name', 'redirected'],
  ['other-page', 'redirected'],
  ['nowhere', 'redirected'],
  ['twice-moved', 'redirected'],
  ['sha256', 'sha256'],
  ['private', 'not_found'],
  ['no-such-repository', 'not_found'],
  ['broken', 'unreachable'],
  ['page', 'not_a_repository'],
  ['nothing', 'not_a_repository'],
  ['hangs-up', 'unreachable'],
  ['silent', 'timed_out'],
  ['slow', 'timed_out'],
  ['endless-refs', 'too_large'],
  ['endless-pack', 'too_large'],
  ['no-pack', 'damaged'],
  ['garbage', 'damaged'],
  ['empty', 'empty'],
  ['fine', 'ref_not_found', 'no-such-branch'],
  ['fine', 'ref_not_found', 'd'.repeat(40)],
  ['huge-file', 'too_large'],
  ['huge-sum', 'too_large'],
  ['many', 'too_many_files'],
  ['bomb', 'too_many_files'],
  ['deep', 'unsafe_path'],
  ['hooks', 'unsafe_path'],
  ['link-empty', 'unsafe_path'],
  ...Object.keys(names).map((name): [string, string] => [name, 'unsafe_path']),
];

describe('a repository that is not as it should be is refused with the reason', () => {
  test.each(cases)('%s: %s %s', async (path, reason, ref) => {
    const { outcome, id } = await provision(`${remote.url}/${path}`, ref);
    expect(outcome).toBe(`502 REPOSITORY_UNAVAILABLE ${reason}`);
    const { rows } = await server.pool.query(`select from task_repositories`);
    expect(rows).toEqual([]);
    expect(id).toMatch(/^tsk_/);
  });

  test('a repository that lacks its own objects', async () => {
    // Git's own server notices and breaks off, so what is sent is cut short.
    const { outcome } = await provision(`${remote.url}/lacking`);
    expect(outcome).toMatch(/^502 REPOSITORY_UNAVAILABLE (damaged|not_a_repository|unreachable|ref_not_found)$/);
  });

  test('one where nobody listens', async () => {
    expect((await provision('http://127.0.0.1:1/a')).outcome).toBe('502 REPOSITORY_UNAVAILABLE unreachable');
  });
});

async function shown(path: string, command: string) {
  const { outcome, id, agora } = await provision(`${remote.url}/${path}`);
  expect(outcome).toBe('provisioned');
  const { sandboxId } = (await agora.sandbox.get(id)).data;
  await agora.tasks.start(id, { sandboxId });
  const { data } = await agora.sandbox.exec(id, { command });
  await server.pool.query('delete from task_repositories');
  return data.stdout;
}

describe('a tree that Git lays out is laid out as it does', () => {
  test.each(Object.entries(oddNames))('with a name that other systems mistake: %s', async (path, name) => {
    expect(await shown(path, 'ls -A | grep -v "^.git$"')).toBe(`${name}\n`);
  });

  test('with one name for a link and a directory, nothing is written through the link', async () => {
    expect(await shown('twice', 'cat a/passwd')).toBe('root::0:0:::');
  });

  test('with a link whose target has a zero byte', async () => {
    expect(await shown('link-nul', 'readlink a')).toBe('a\n');
  });
});

test.each(moved)('a repository that has moved on its server is followed there: %i', async (status) => {
  const before = remote.seen.length;
  expect(await shown(`moved-${status}`, 'cat README')).toBe('fine\n');
  expect(remote.seen.slice(before)).toEqual([
    `GET /moved-${status}/info/refs?service=git-upload-pack`,
    'GET /fine/info/refs?service=git-upload-pack',
    'POST /fine/git-upload-pack',
  ]);
});

test('submodules stay empty directories and large-file pointers stay pointers', async () => {
  const said = await shown('submodule', 'ls -A a | wc -l; head -1 large');
  expect(said).toBe('0\nversion https://git-lfs.github.com/spec/v1\n');
});

test('a name that resolves to this machine is refused when it is called, and nothing is sent', async () => {
  let connections = 0;
  const listener = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  const guarded = await startSecondApp(server, { config: { ...server.config, OUTBOUND_ALLOW_LOOPBACK: false } });
  try {
    const { outcome } = await provision(`https://localhost:${port}/a.git`, undefined, guarded.url);
    expect(outcome).toBe('502 REPOSITORY_UNAVAILABLE refused_address');
    expect(connections).toBe(0);
  } finally {
    await guarded.app.close();
    listener.close();
  }
});

test('what hangs holds up nobody else', async () => {
  const hanging = provision(`${remote.url}/silent`);
  const startedMs = performance.now();
  const { outcome } = await provision(`${remote.url}/fine`);
  expect(outcome).toBe('provisioned');
  expect(performance.now() - startedMs).toBeLessThan(7_500);
  expect((await hanging).outcome).toBe('502 REPOSITORY_UNAVAILABLE timed_out');
});
