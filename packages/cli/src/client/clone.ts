import { lstat, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maxInlineBytes } from '@agora/contract';
import { UsageError } from '../failure.ts';
import { safeLine } from '../print.ts';
import { isNeverSent } from './directory.ts';
import { type Files, fileContent } from './file-content.ts';
import { git, isDirty, type Tree } from './working-tree.ts';

/** What an agent gets of a clone. */
export interface Source {
  /** The repository at the commit that is checked out, where everybody may clone it. */
  repo: { url: string; ref: string } | null;
  /** Otherwise the tracked files of the current directory, as they are. */
  files: Files;
  /** For people: which of both, and why. */
  says: string;
}

/** The public repository, if it has all that the tree has, and else the files. */
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
    return { repo: { url, ref: commit }, files: {}, says: `${safeLine(url, 200)} at ${commit.slice(0, 10)}` };
  }
  const files = await trackedFiles();
  const count = Object.keys(files).length;
  return {
    repo: null,
    files,
    says: `${count} tracked ${count === 1 ? 'file' : 'files'} as here: ${safeLine(why ?? '', 300)}`,
  };
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
    const look = { env, timeoutMs: lookMs };
    git(directory, ['init', '--quiet', '--bare', '.'], look);
    const what = ['--quiet', '--depth=1', '--filter=tree:0', '--no-tags', url, commit];
    return git(directory, ['-c', 'http.followRedirects=false', 'fetch', ...what], look).status === 0;
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

const mostFiles = 10_000;

/** Those below the current directory, without links, submodules and what usually holds secrets. */
async function trackedFiles(): Promise<Files> {
  const here = process.cwd();
  const paths = new Set(
    git(here, ['ls-files', '-z'])
      .stdout.split('\0')
      .filter((path) => path !== ''),
  );
  const files: Files = {};
  let bytes = 0;
  let count = 0;
  for (const path of paths) {
    const place = join(here, path);
    const found = await lstat(place).catch(() => null);
    if (!found?.isFile() || isNeverSent(path)) continue;
    bytes += found.size;
    count += 1;
    if (bytes > maxInlineBytes || count > mostFiles)
      throw tooMuch(count > mostFiles ? `${mostFiles} files` : '256 KiB');
    files[path] = fileContent(await readFile(place));
  }
  if (count === 0) throw new UsageError('Git tracks no file here. Add those that the agent needs with `git add`.');
  return files;
}

/** A task takes no more with its files. */
export const tooMuch = (limit: string): UsageError =>
  new UsageError(
    `The tracked files here have more than ${limit}, the most that a task takes. Commit and push them where everybody ` +
      'can clone, so that the repository is cloned instead; or go to a directory below, whose files alone are sent then.',
  );
