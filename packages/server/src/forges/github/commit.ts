import { isUtf8 } from 'node:buffer';
import { z } from 'zod';
import { gitModeOf } from '../../tasks/index.ts';
import type { Branch } from '../forge.ts';
import { type Ask, sha } from '../repos-api.ts';

/** Makes a commit by GitHub's API, which signs it and needs no push. */

/** Text that one request for a tree carries; larger files and those that are no text are sent one by one. */
const treeBytes = 4 * 1024 ** 2;

const named = z.object({ sha });

interface Entry {
  path: string;
  mode: string;
  type: 'blob';
  content?: string;
  sha?: string | null;
}

const poster = (ask: Ask) => async (path: string, body: object) =>
  (await ask(path, named, { method: 'POST', body })).value.sha;

/** Makes a commit of a tree and gives its id. No branch leads to it yet. */
export const commitIn = (ask: Ask, { commit, message }: Branch, tree: string): Promise<string> =>
  poster(ask)('/git/commits', { message, tree, parents: [commit] });

/** Whether a commit brings this tree, and nothing else, on top of what the branch begins with. */
export async function isCommitOf(ask: Ask, id: string, { commit }: Branch, tree: string): Promise<boolean> {
  const { value } = await ask(`/git/commits/${id}`, z.object({ tree: named, parents: z.array(named) }));
  return value.tree.sha === tree && value.parents.length === 1 && value.parents[0]?.sha === commit;
}

/** The tree of the commit with the changes, made in requests of bounded size. What is gone comes first. */
export async function treeIn(ask: Ask, { commit, changes }: Branch): Promise<string> {
  const post = poster(ask);
  const { value } = await ask(`/git/commits/${commit}`, z.object({ tree: named }));
  let tree = value.tree.sha;
  let entries: Entry[] = changes.deleted.map((path) => ({ path, mode: '100644', type: 'blob', sha: null }));
  let bytes = 0;
  const send = async () => {
    if (entries.length > 0) tree = await post('/git/trees', { base_tree: tree, tree: entries });
    entries = [];
    bytes = 0;
  };
  for (const { path, type, mode, content } of changes.files) {
    const entry = { path, mode: gitModeOf({ type, mode }), type: 'blob' as const };
    if (isUtf8(content) && content.length <= treeBytes) {
      if (bytes + content.length > treeBytes) await send();
      bytes += content.length;
      entries.push({ ...entry, content: content.toString('utf8') });
    } else {
      const blob = { content: content.toString('base64'), encoding: 'base64' };
      entries.push({ ...entry, sha: await post('/git/blobs', blob) });
    }
  }
  await send();
  return tree;
}
