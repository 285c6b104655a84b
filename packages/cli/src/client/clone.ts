import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundles } from '@agora-market/contract';
import { UsageError } from '../failure.ts';
import { safeLine } from '../print.ts';
import { isNeverSent } from './directory.ts';
import { type GitOptions, git, isDirty, type Tree } from './working-tree.ts';

/** What an agent gets of a clone: its repository at the commit that is checked out, where everybody may clone it, or a bundle. */
export type Source = ({ repo: { url: string; ref: string } } | { bundle: Buffer }) & {
  /** For people: which of both, and why. */
  says: string;
};

/** The public repository, if it has all that the tree has, and else the tracked files as they are. */
export async function sourceOf(tree: Tree): Promise<Source> {
  const commit = git(tree.root, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']).stdout.trim();
  const url = publicUrlOf(git(tree.root, ['remote', 'get-url', 'origin']).stdout.trim());
  const why = isDirty(tree)
    ? 'the working tree has changes of its own'
    : url === null || commit === ''
      ? 'there is no "origin" that others can clone'
      : (await isPublic(url, commit))
        ? null
        : `${url} shows this commit not to everybody`;
  if (url !== null && why === null) {
    return { repo: { url, ref: commit }, says: `${safeLine(url, 200)} at ${commit.slice(0, 10)}` };
  }
  const { bundle, files } = await bundleOf(tree);
  const what = `${files} tracked ${files === 1 ? 'file' : 'files'} as here, ${Math.ceil(bundle.length / 1024)} KiB`;
  return { bundle, says: `${what}: ${safeLine(why ?? '', 300)}` };
}

/** The https address of a remote, which names a host and a path; its user counts for nothing there. */
export function publicUrlOf(remote: string): string | null {
  const [, host, path] = /^(?:[\w.-]+@)?([\w.-]+):(?!\/)(.+)$/.exec(remote) ?? [];
  if (host !== undefined) return `https://${host}/${path}`;
  if (!URL.canParse(remote)) return null;
  const { protocol, hostname, host: named, pathname } = new URL(remote);
  if (protocol === 'https:') return `https://${named}${pathname}`;
  if (protocol === 'ssh:') return `https://${hostname}${pathname}`;
  // A server in development clones from the same machine.
  return protocol === 'http:' && hostname === '127.0.0.1' ? `http://${named}${pathname}` : null;
}

const lookMs = 30_000;

/** Whether the commit can be had there without any credential of this user. */
async function isPublic(url: string, commit: string): Promise<boolean> {
  const directory = await mkdtemp(join(tmpdir(), 'agora-look-'));
  try {
    const env = {
      ...{ HOME: directory, XDG_CONFIG_HOME: directory, GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' },
      ...{ GIT_ASKPASS: '', SSH_ASKPASS: '', GIT_DIR: directory },
    };
    const look = { env, settings: ['http.followRedirects=false'], timeoutMs: lookMs };
    git(directory, ['init', '--quiet', '--bare', '.'], look);
    const what = ['--quiet', '--depth=1', '--filter=tree:0', '--no-tags', url, commit];
    return git(directory, ['fetch', ...what], look).status === 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const identity = { name: 'agora fix', email: 'fix@agora.invalid' };

/**
 * A bundle of one commit without history: the tracked files as they are, but for what usually holds secrets. Index and new
 * objects lie elsewhere, so the repository stays as it is.
 */
async function bundleOf({ root }: Tree): Promise<{ bundle: Buffer; files: number }> {
  const placeOf = (what: string) => said(root, ['rev-parse', '--path-format=absolute', '--git-path', what]);
  if (said(root, ['rev-parse', '--show-object-format']) !== 'sha1') {
    throw new UsageError(
      'A server takes repositories with SHA-1 ids, and this one has SHA-256. Give the files with `agora tasks submit --dir`.',
    );
  }
  const directory = await mkdtemp(join(tmpdir(), 'agora-bundle-'));
  const env = {
    GIT_INDEX_FILE: join(directory, 'index'),
    GIT_OBJECT_DIRECTORY: directory,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: placeOf('objects'),
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
  };
  const run = (args: string[], input?: string) =>
    said(root, args, {
      env,
      settings: ['core.hooksPath=/dev/null', 'pack.packSizeLimit=0'],
      timeoutMs: bundleMs,
      ...(input !== undefined && { input }),
    });
  try {
    await copyFile(placeOf('index'), env.GIT_INDEX_FILE).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    run(['add', '--update']);
    const paths = run(['ls-files', '-z']).split('\0').filter(Boolean);
    const secret = paths.filter(isNeverSent);
    const files = paths.length - secret.length;
    if (files === 0) throw new UsageError('Git tracks no file here. Add those that the agent needs with `git add`.');
    run(['update-index', '--force-remove', '-z', '--stdin'], secret.map((path) => `${path}\0`).join(''));
    const commit = run(['commit-tree', '-m', 'The tree as it is', run(['write-tree'])]);
    run(['pack-objects', '--revs', '--quiet', join(directory, 'bundle')], `${commit}\n`);
    const pack = join(directory, (await readdir(directory)).find((name) => name.endsWith('.pack')) as string);
    const { size } = await stat(pack);
    if (size > bundles.maxBytes - maxHeadBytes) throw tooMuch(size);
    // As gitformat-bundle(5) says. `git bundle` itself takes no commit without a branch.
    const head = Buffer.from(`# v2 git bundle\n${commit} HEAD\n\n`);
    return { bundle: Buffer.concat([head, await readFile(pack)]), files };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const maxHeadBytes = 100;
const bundleMs = 300_000;

/** The output of a command that must not fail, a character for each byte: names need not be UTF-8. */
function said(root: string, args: readonly string[], options: GitOptions = {}): string {
  const { status, stdout, stderr } = git(root, args, { ...options, encoding: 'latin1' });
  if (status !== 0) throw new Error(`git ${args.join(' ')} failed: ${safeLine(stderr.trim(), 500)}`);
  return stdout.replace(/\n$/, '');
}

const mebibytes = (bytes: number) => (bytes / 1024 ** 2).toFixed(1);

const tooMuch = (bytes: number): UsageError =>
  new UsageError(
    `The tracked files here are ${mebibytes(bytes)} MiB, and a server takes ${mebibytes(bundles.maxBytes)} MiB. Commit ` +
      'and push them where everybody can clone, so that the repository is cloned instead.',
  );
