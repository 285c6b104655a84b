import { parentPort, workerData } from 'node:worker_threads';
import git, { type TreeEntry } from 'isomorphic-git';
import { type FetchJob, failureOf, fetchCommit, present, type Repo } from '../inputs/fetch-commit.ts';
import type { GitFailure } from '../inputs/git-thread.ts';

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

export type PushReply = { ok: true; said: string } | GitFailure;

/** The server's words are read so far. */
const mostSaid = 4_096;
const nothing = '0'.repeat(40);

/** What becomes of a directory: of a name with a file, of one that goes, and of one below which something changes. */
type Changed = { mode: string; content: Uint8Array } | null;
interface Directory {
  entries: Map<string, Changed | Directory>;
}
const isDirectory = (found: Changed | Directory | undefined): found is Directory => found != null && 'entries' in found;

/** What goes is taken away first, so that a file may become a directory, and the other way. */
function directoryOf({ files, deleted }: Pick<PushJob, 'files' | 'deleted'>): Directory {
  const root: Directory = { entries: new Map() };
  const put = (path: string, changed: Changed) => {
    const names = path.split('/');
    const last = names.pop() as string;
    let at = root;
    for (const name of names) {
      const there = at.entries.get(name);
      const next: Directory = isDirectory(there) ? there : { entries: new Map() };
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
  const found = before === null ? [] : (await present(git.readTree({ ...repo, oid: before }))).tree;
  const all = new Map<string, TreeEntry>(found.map((entry) => [entry.path, entry]));
  for (const [path, changed] of entries) {
    if (isDirectory(changed)) {
      const there = all.get(path);
      const oid = await writeTree(repo, there?.type === 'tree' ? there.oid : null, changed, made);
      if (oid !== null) all.set(path, { mode: '040000', path, oid, type: 'tree' });
      else if (there?.type === 'tree') all.delete(path);
    } else if (changed === null) all.delete(path);
    else {
      const oid = await git.writeBlob({ ...repo, blob: changed.content });
      made.push(oid);
      all.set(path, { mode: changed.mode, path, oid, type: 'blob' });
    }
  }
  if (all.size === 0 && before !== null) return null;
  const oid = await git.writeTree({ ...repo, tree: [...all.values()] });
  made.push(oid);
  return oid;
}

/** As Git's own protocol says it: a line with its length in front (gitprotocol-pack, "Pushing Data To a Server"). */
const lineOf = (text: string): string => (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text;

async function pushed(job: PushJob): Promise<string> {
  const { repo, commit: parent } = await fetchCommit(job);
  const { commit } = await present(git.readCommit({ ...repo, oid: parent }));
  const made: string[] = [];
  const tree =
    (await writeTree(repo, commit.tree, directoryOf(job), made)) ?? (await git.writeTree({ ...repo, tree: [] }));
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
    body: bytesOf(Buffer.from(`${order}0000`), packfile as Uint8Array),
  });
  let said = '';
  for await (const chunk of body ?? []) {
    if (said.length < mostSaid) said += Buffer.from(chunk).toString('utf8');
  }
  if (statusCode !== 200)
    throw Object.assign(new Error(`status ${statusCode}`), { code: 'HttpError', data: { statusCode } });
  return said.slice(0, mostSaid);
}

async function* bytesOf(...parts: Uint8Array[]): AsyncGenerator<Uint8Array, void, undefined> {
  yield* parts;
}

async function run(job: PushJob): Promise<void> {
  try {
    parentPort!.postMessage({ ok: true, said: await pushed(job) } satisfies PushReply);
  } catch (error) {
    parentPort!.postMessage({ ok: false, ...failureOf(error) } satisfies PushReply);
  }
}

void run(workerData as PushJob);
