import { parentPort, workerData } from 'node:worker_threads';
import git from 'isomorphic-git';
import { bytesOf } from '../../sandbox/archive.ts';
import { type FetchJob, failureOf, fetchCommit, present, type Repo } from '../inputs/fetch-commit.ts';
import type { GitFailure } from '../inputs/git-thread.ts';
import { CloneRefused } from '../inputs/pack.ts';
import { encodeTree, isDirectory, parseTree, type Tree } from './tree-object.ts';

/** Puts a commit on top of one that a repository has, under a branch of a new name. */

export interface PushJob extends FetchJob {
  /** The commit on top of which the changes come. */
  ref: string;
  branch: string;
  message: string;
  author: { name: string; email: string; timestamp: number };
  files: { path: string; mode: string; content: Uint8Array }[];
  deleted: string[];
}

/** The commit, and what the server said of it. */
export type PushReply = { ok: true; commit: string; said: string } | GitFailure;

/** The server's words are read so far. */
const mostSaid = 4_096;
const nothing = '0'.repeat(40);

/**
 * What becomes of a directory: of a name with a file, of one that goes, and of one below which something changes. Each
 * character of a name is a byte.
 */
type Changed = { mode: string; content: Uint8Array } | null;
interface Directory {
  entries: Map<string, Changed | Directory>;
}
const isTouched = (found: Changed | Directory | undefined): found is Directory => found != null && 'entries' in found;

/** What goes is taken away first, so that a file may become a directory, and the other way. */
function directoryOf({ files, deleted }: Pick<PushJob, 'files' | 'deleted'>): Directory {
  const root: Directory = { entries: new Map() };
  const put = (path: string, changed: Changed) => {
    const names = bytesOf(path).toString('latin1').split('/');
    const last = names.pop() as string;
    let at = root;
    for (const name of names) {
      const there = at.entries.get(name);
      const next: Directory = isTouched(there) ? there : { entries: new Map() };
      at.entries.set(name, next);
      at = next;
    }
    at.entries.set(last, changed);
  };
  for (const path of deleted) put(path, null);
  for (const { path, mode, content } of files) put(path, { mode, content });
  return root;
}

/** Writes the tree with the changes and gives its id; null where nothing is left of it. */
async function writeTree(
  repo: Repo,
  before: string | null,
  { entries }: Directory,
  made: string[],
): Promise<string | null> {
  const all: Tree = before === null ? new Map() : await readTree(repo, before);
  for (const [name, changed] of entries) {
    if (isTouched(changed)) {
      const there = all.get(name);
      const isTree = there !== undefined && isDirectory(there);
      const oid = await writeTree(repo, isTree ? there.oid : null, changed, made);
      if (oid !== null) all.set(name, { mode: '40000', oid });
      else if (isTree) all.delete(name);
    } else if (changed === null) all.delete(name);
    else {
      const oid = await git.writeBlob({ ...repo, blob: changed.content });
      made.push(oid);
      all.set(name, { mode: changed.mode, oid });
    }
  }
  if (all.size === 0) return null;
  const oid = await storeTree(repo, all);
  made.push(oid);
  return oid;
}

async function readTree(repo: Repo, oid: string): Promise<Tree> {
  const { type, object } = await present(git.readObject({ ...repo, oid, format: 'content' }));
  if (type !== 'tree') throw new CloneRefused('damaged');
  return parseTree(Buffer.from(object as Uint8Array));
}

const storeTree = (repo: Repo, tree: Tree): Promise<string> =>
  git.writeObject({ ...repo, type: 'tree', object: encodeTree(tree), format: 'content' });

/** As Git's own protocol says it: a line with its length in front (gitprotocol-pack, "Pushing Data To a Server"). */
const lineOf = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;

async function pushed(job: PushJob): Promise<{ commit: string; said: string }> {
  const { repo, commit: parent } = await fetchCommit(job);
  const { commit } = await present(git.readCommit({ ...repo, oid: parent }));
  const made: string[] = [];
  const tree = (await writeTree(repo, commit.tree, directoryOf(job), made)) ?? (await storeTree(repo, new Map()));
  const who = { ...job.author, timezoneOffset: 0 };
  const facts = { message: `${job.message}\n`, tree, parent: [parent], author: who, committer: who };
  const oid = await git.writeCommit({ ...repo, commit: facts });
  const { packfile } = await git.packObjects({ ...repo, oids: [...new Set([oid, tree, ...made])] });
  // From nothing: the server refuses it where the branch is there.
  const order = lineOf(`${nothing} ${oid} refs/heads/${job.branch}\0report-status agent=agora`);
  const { statusCode, body } = await repo.http.request({
    url: `${job.url.replace(/\/+$/, '')}/git-receive-pack`,
    method: 'POST',
    headers: {
      'content-type': 'application/x-git-receive-pack-request',
      accept: 'application/x-git-receive-pack-result',
    },
    body: streamOf(Buffer.from(`${order}0000`), packfile as Uint8Array),
  });
  let said = '';
  for await (const chunk of body ?? []) {
    if (said.length < mostSaid) said += Buffer.from(chunk).toString('utf8');
  }
  if (statusCode !== 200)
    throw Object.assign(new Error(`status ${statusCode}`), { code: 'HttpError', data: { statusCode } });
  return { commit: oid, said: said.slice(0, mostSaid) };
}

async function* streamOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
}

async function run(job: PushJob): Promise<void> {
  try {
    parentPort!.postMessage({ ok: true, ...(await pushed(job)) } satisfies PushReply);
  } catch (error) {
    parentPort!.postMessage({ ok: false, ...failureOf(error) } satisfies PushReply);
  }
}

void run(workerData as PushJob);
