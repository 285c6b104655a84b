import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../support/git-server.ts';
import type { FakeGitHub } from './scene.ts';
import { goodToken } from './scene.ts';

/** Brings the tip of a repository of the git server into the emulator's repository, with the same ids. */
async function mirror(github: FakeGitHub, path: string, name: string, branch = 'main'): Promise<string> {
  const api = apiOf(github, name);
  const entries = git(path, 'ls-tree', '-r', 'HEAD').split('\n').filter(Boolean);
  const tree: unknown[] = [];
  for (const entry of entries) {
    const [, mode, sha, file] = /^(\d+) blob ([0-9a-f]+)\t(.*)$/.exec(entry) as RegExpExecArray;
    const content = git(path, 'show', '--no-textconv', `HEAD:${file}`);
    const text = content === '' || mode === '120000' ? content : `${content}\n`;
    const blob = await api.post('git/blobs', { content: text, encoding: 'utf-8' });
    if (blob.sha !== sha) throw new Error(`${file} has become another blob`);
    tree.push({ path: file, mode, type: 'blob', sha });
  }
  const made = await api.post('git/trees', { tree });
  const date = '2026-01-02T03:04:05Z';
  const ada = { name: 'Ada', email: 'ada@example.com', date };
  const message = `${git(path, 'log', '-1', '--format=%B')}\n`;
  const commit = await api.post('git/commits', { message, tree: made.sha, parents: [], author: ada, committer: ada });
  const head = git(path, 'rev-parse', 'HEAD');
  if (commit.sha !== head) throw new Error('the commit has become another one');
  await api.patch(`git/refs/heads/${branch}`, { sha: head, force: true });
  return head;
}

type Json = Record<string, unknown>;

/** The emulator's API as the account sees it, or whose token it is. */
export function apiOf(github: FakeGitHub, name: string, token = goodToken, account = 'octocat') {
  const ask = async (method: string, path: string, body?: unknown) => {
    const reply = await fetch(`${github.settings.GITHUB_API_BASE}/repos/${account}/${name}/${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${text}`);
    return JSON.parse(text);
  };
  return {
    get: (path: string) => ask('GET', path),
    post: (path: string, body: Json) => ask('POST', path, body),
    patch: (path: string, body: Json) => ask('PATCH', path, body),
    put: (path: string, body: Json) => ask('PUT', path, body),
    /** The files of a commit with mode and text. */
    async files(ref: string): Promise<Record<string, string>> {
      const { tree } = await ask('GET', `git/trees/${encodeURIComponent(ref)}?recursive=1`);
      const found: Record<string, string> = {};
      for (const { path, type, mode, sha } of tree as { path: string; type: string; mode: string; sha: string }[]) {
        if (type !== 'blob') continue;
        const { content } = await ask('GET', `git/blobs/${sha}`);
        found[path] = `${mode} ${Buffer.from(content, 'base64').toString('latin1')}`;
      }
      return found;
    },
  };
}

/** The private repository `octocat/alpha`, at the git server and in the emulator; gives its commit. */
export async function makeProject(github: FakeGitHub): Promise<string> {
  const path = join(github.root, 'octocat', 'alpha.git');
  mkdirSync(join(path, 'src'), { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  writeFileSync(join(path, 'README'), 'alpha\n');
  writeFileSync(join(path, '.gitignore'), 'node_modules/\n*.log\n');
  writeFileSync(join(path, 'src/old.js'), 'old\n');
  writeFileSync(join(path, 'src/run.sh'), 'echo\n');
  chmodSync(join(path, 'src/run.sh'), 0o755);
  symlinkSync('../README', join(path, 'src/link'));
  git(path, 'add', '-A');
  git(path, 'commit', '--quiet', '-m', 'one');
  return mirror(github, path, 'alpha');
}

/** The private repository `octocat/gamma`, whose attributes convert files. */
export async function makeConverted(github: FakeGitHub): Promise<void> {
  const path = join(github.root, 'octocat', 'gamma.git');
  mkdirSync(path, { recursive: true });
  git(path, 'init', '--quiet', '--initial-branch=main');
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'a'.repeat(64)}\nsize 7\n`;
  const files = {
    ...{ 'dos.txt': 'one\ntwo\n', 'wide.txt': 'wide\n', 'kept.c': '// $Id$\n', 'other.c': '// $Id$\n' },
    ...{ 'old.txt': 'a\r\nb\n', 'auto.txt': 'a\n', 'large.bin': pointer },
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  git(path, 'add', '-A');
  const attributes = [
    '*.txt text=auto',
    'dos.txt eol=crlf',
    'wide.txt working-tree-encoding=UTF-16LE',
    '*.c ident',
    '*.bin filter=lfs diff=lfs -text',
  ];
  writeFileSync(join(path, '.gitattributes'), attributes.map((line) => `${line}\n`).join(''));
  git(path, 'add', '.gitattributes');
  git(path, 'commit', '--quiet', '-m', 'one');
  await mirror(github, path, 'gamma');
}

/** Work on it: what belongs in a pull request, and what does not. */
export const commands = [
  'echo better > README',
  'rm src/old.js',
  'mkdir -p lib node_modules/x output',
  'echo new > lib/new.js',
  'chmod +x lib/new.js',
  String.raw`printf "\\000\\377" > lib/data.bin`,
  'ln -s new.js lib/also.js',
  'ln -s /etc/passwd lib/out',
  'echo x > node_modules/x/index.js',
  'echo x > debug.log',
  'echo report > output/report.txt',
];

/** The pull requests of a task. */
export const pullsOf = async (github: FakeGitHub, id: string, name = 'alpha') => {
  const all = await apiOf(github, name).get('pulls?state=all&per_page=100');
  return all.filter((pull: { head: { ref: string } }) => pull.head.ref === `agora/${id}`);
};
