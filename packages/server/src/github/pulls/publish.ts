import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { ApiError } from '../../platform/index.ts';
import type { DuePull, PullChanges } from '../../tasks/index.ts';
import { type AskOptions, type GitHubApi, GitHubRefusal } from '../api.ts';
import { messageOf } from './text.ts';

export interface Publication {
  token: string;
  wanted: DuePull['wanted'];
  changes: PullChanges;
  branch: string;
  title: string;
  body: string;
  signal: AbortSignal;
}

/** Text that one request for a tree carries; larger files and those that are no text are sent one by one. */
const treeBytes = 4 * 1024 ** 2;

const named = z.object({ sha: z.string().regex(/^[0-9a-f]{40}$/) });
const reference = z.object({ object: named });
const pull = z.object({ html_url: z.url().max(1_000) });

interface Entry {
  path: string;
  mode: string;
  type: 'blob';
  content?: string;
  sha?: string | null;
}

/**
 * Opens the pull request and gives its URL; where it was opened before, only that. After a crash at any point it can run
 * again: the branch has one name, and both branch and pull request are looked for before they are made.
 */
export async function publish(api: GitHubApi, publication: Publication): Promise<string> {
  const { token, wanted, changes, branch, title, body, signal } = publication;
  const at = `/repos/${wanted.repository}`;
  const ask = async <T>(path: string, schema: z.ZodType<T>, options: AskOptions = {}): Promise<T> =>
    (await api.ask(token, `${at}${path}`, schema, { ...options, signal })).value;
  const post = <T>(path: string, schema: z.ZodType<T>, sent: object) =>
    ask(path, schema, { method: 'POST', body: sent });
  const head = `${wanted.repository.split('/')[0]}:${branch}`;
  const query = new URLSearchParams({ head, state: 'all' });
  const opened = async () => (await ask(`/pulls?${query}`, z.array(pull)))[0]?.html_url;

  const existing = await opened();
  if (existing !== undefined) return existing;
  const { default_branch } = await ask('', z.object({ default_branch: z.string().max(300) }));
  const base = wanted.base ?? (await branchNamed(wanted.ref)) ?? default_branch;
  if ((await found(ask(`/git/ref/heads/${branch}`, reference))) === null) await makeBranch();
  try {
    const sent = { title, head: branch, base, body, draft: wanted.draft };
    return (await post('/pulls', pull, sent)).html_url;
  } catch (error) {
    // Another try was faster.
    const other = error instanceof GitHubRefusal && error.answered === 422 ? await opened() : undefined;
    if (other === undefined) throw error;
    return other;
  }

  /** What was cloned may have been a tag or a commit: nothing can be merged into these. */
  async function branchNamed(ref: string | null): Promise<string | null> {
    const name = ref?.replace(/^refs\/heads\//, '') ?? null;
    if (name === null || name.startsWith('refs/')) return null;
    const path = name.split('/').map(encodeURIComponent).join('/');
    return (await found(ask(`/git/ref/heads/${path}`, reference))) && name;
  }

  async function makeBranch(): Promise<void> {
    const { tree } = await ask(`/git/commits/${wanted.commit}`, z.object({ tree: named }));
    const made = await makeTree(tree.sha);
    const { sha } = await post('/git/commits', named, {
      message: messageOf(title, branch, wanted),
      tree: made,
      parents: [wanted.commit],
    });
    try {
      await post('/git/refs', reference, { ref: `refs/heads/${branch}`, sha });
    } catch (error) {
      const isThere = error instanceof GitHubRefusal && error.answered === 422;
      if (!isThere || (await found(ask(`/git/ref/heads/${branch}`, reference))) === null) throw error;
    }
  }

  /** The tree of the commit with the changes, in requests of bounded size. What is gone comes first. */
  async function makeTree(from: string): Promise<string> {
    let tree = from;
    let entries: Entry[] = changes.deleted.map((path) => ({ path, mode: '100644', type: 'blob', sha: null }));
    let bytes = 0;
    const send = async () => {
      if (entries.length > 0) tree = (await post('/git/trees', named, { base_tree: tree, tree: entries })).sha;
      entries = [];
      bytes = 0;
    };
    for (const { path, type, mode, content } of changes.files) {
      const entry = {
        path,
        mode: type === 'symlink' ? '120000' : mode & 0o100 ? '100755' : '100644',
        type: 'blob' as const,
      };
      if (isUtf8(content) && content.length <= treeBytes) {
        if (bytes + content.length > treeBytes) await send();
        bytes += content.length;
        entries.push({ ...entry, content: content.toString('utf8') });
      } else {
        const blob = { content: content.toString('base64'), encoding: 'base64' };
        entries.push({ ...entry, sha: (await post('/git/blobs', named, blob)).sha });
      }
    }
    await send();
    return tree;
  }
}

/** Null where GitHub has no such thing. */
const found = <T>(asking: Promise<T>): Promise<T | null> =>
  asking.catch((error) => {
    if (error instanceof GitHubRefusal && error.answered === 404) return null;
    throw error;
  });

/** Whether another try may succeed: GitHub was away, failed, or takes no more for now. */
export const isPassing = (error: unknown): boolean =>
  error instanceof GitHubRefusal ? error.isPassing : !(error instanceof ApiError) || error.code === 'GITHUB_ERROR';
